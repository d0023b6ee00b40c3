"""The client of a Strikebook venue: signing, REST, orders and streams by socket, a local order book.

Amounts are `decimal.Decimal`. Times of the venue's fields are milliseconds unless their names say otherwise (`expiry`, `expiry_ts`:
seconds; some in `_at`: ISO text); times of this library's own options are seconds.
"""

from . import messages, records
from .amounts import Amount, price_text, round_price, size_text
from .book import Level, LocalBook
from .errors import CLIENT_CODES, StrikebookError
from .forms import Forms, Unsigned
from .http import Request
from .nonces import NonceSource
from .retries import AnswerFacts
from .signer import EthAccountSigner, PrivateKeySigner, Signer, create_private_key
from .socket import SocketOptions, VenueSocket
from .stream import Stream, SubscribeOptions
from .subscriptions import Gap
from .tables import VENUE_CODES
from .terms import AmendTerms, MmpTerms, OrderTerms, QuoteSide, QuoteTerms, ReplaceTerms, StopTerms
from .trading import bracket_orders
from .typed_data import Domain, TypedData
from .venue import Operator, Strikebook, connect

__version__ = '0.0.1'

__all__ = [
    'CLIENT_CODES', 'VENUE_CODES', 'Amount', 'AmendTerms', 'AnswerFacts', 'Domain', 'EthAccountSigner', 'Forms', 'Gap', 'Level',
    'LocalBook', 'MmpTerms', 'NonceSource', 'Operator', 'OrderTerms', 'PrivateKeySigner', 'QuoteSide', 'QuoteTerms', 'ReplaceTerms',
    'Request', 'Signer', 'SocketOptions', 'StopTerms', 'Stream', 'Strikebook', 'StrikebookError', 'SubscribeOptions', 'TypedData',
    'Unsigned', 'VenueSocket', 'bracket_orders', 'connect', 'create_private_key', 'messages', 'price_text', 'records', 'round_price',
    'size_text',
]
