"""The socket of a venue: signed requests, and streams that survive reconnects.

Streams that the venue keeps are resumed; for others `on_gap` reports what was missed. A wallet's stream is filtered here, because its
`seq` counts all symbols.
"""

import asyncio
import re
from collections.abc import Callable, Iterable
from ssl import SSLContext
from typing import Any, TypedDict, Unpack

from .book import LocalBook
from .connection import FIRST_WAIT, HEARTBEAT, LONGEST_WAIT, Connection, Frame
from .decoding import decode
from .errors import StrikebookError, invalid
from .http import Request, call_listener
from .messages import MESSAGES
from .order_entry import OrderEntry
from .retries import RETRIES, TIMEOUT, OnAnswer
from .stream import Stream, SubscribeOptions
from .streams import Streams
from .subscriptions import Gap, Subscription, Subscriptions
from .tables import CHANNELS, SYMBOLS_A_SUBSCRIPTION
from .trading import Account, Call, Trading
from .typed_data import bytes_of

_BOUND = 10_000
_CANONICAL = re.compile('[A-Z0-9]{1,8}-(PERP|[0-9]{8}-[0-9.]{1,16}-[CP])')
# By the name in use: channels with an older name are in the table twice.
_CHANNEL_OF_TYPE = {kind: CHANNELS[channel['name']] for channel in CHANNELS.values() for kind in channel['messages']}


class SocketOptions(TypedDict, total=False):
    """Times in seconds. Listeners are plain functions; their exceptions go to `on_error`."""

    # Default: the wallet that the client acts for.
    wallet: str
    # With True: after a loss. Subscriptions are renewed automatically.
    on_up: Callable[[bool], None]
    # Also if no connection could be made. Another attempt follows.
    on_down: Callable[[str], None]
    on_gap: Callable[[Gap], None]
    # Also a subscription refused for good after a reconnect, and an Error that answers no request.
    on_error: Callable[[BaseException], None]
    on_answer: OnAnswer
    timeout: float
    retries: int
    # After this time without a message the venue is asked for one; after as long again, the socket reconnects.
    heartbeat: float
    # Before the second attempt to connect. Doubles until a connection has lasted a heartbeat.
    first_wait: float
    # Longest delay between attempts, and before a temporarily refused subscription is retried.
    longest_wait: float
    ssl: SSLContext


class VenueSocket(Streams, Trading):
    def __init__(self, url: str, options: SocketOptions, account: Account | None = None) -> None:
        super().__init__(account)
        self._options = options
        wallet = options.get('wallet') or (account.forms.wallet if account is not None else None)
        self._wallet = None if wallet is None else wallet.lower()
        if self._wallet is not None:
            bytes_of(self._wallet, 20, 'wallet')
        self._connection: str | None = None
        self._venue: Any = None
        self._was_up = False
        self._is_closed = False
        self._entry = OrderEntry(
            lambda text: self._link.say(text), timeout=options.get('timeout', TIMEOUT), retries=options.get('retries', RETRIES),
            on_answer=options.get('on_answer'), on_error=self.fault,
        )
        query = '' if self._wallet is None else f'?wallet={self._wallet}'
        self._link = Connection(
            f'{re.sub("^http", "ws", url).rstrip("/")}/ws{query}', self, heartbeat=options.get('heartbeat', HEARTBEAT),
            first_wait=options.get('first_wait', FIRST_WAIT), longest_wait=options.get('longest_wait', LONGEST_WAIT),
            ssl=options.get('ssl'),
        )
        self._subscriptions = Subscriptions(self._link, self._wallet or '', self._ended, self._missed)

    async def __aenter__(self) -> 'VenueSocket':
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def is_connected(self) -> bool:
        return self._link.is_open

    @property
    def connection(self) -> str | None:
        """The venue's id of the current connection. Each connection has a new one."""
        return self._connection

    async def send(self, request: Request, **call: Unpack[Call]) -> Any:
        return await self._entry.send(request, **call)

    async def book(self, symbol: str) -> LocalBook:
        """Returns when the first snapshot has arrived."""
        book = LocalBook(symbol, renew=lambda: self._subscriptions.renew(symbol), on_error=self.fault)
        is_here = asyncio.Event()
        stop = book.on_change(lambda one: is_here.set() if one.is_live else None)
        stream = await self._subscribe('book', {'symbols': [symbol], 'on_message': book.apply}, book.pause)
        book._on_close = stream.close
        ended = asyncio.ensure_future(anext(stream, None))
        arrived = asyncio.ensure_future(is_here.wait())
        try:
            await asyncio.wait([ended, arrived], return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                ended.result()
        except BaseException:
            stream.close()
            raise
        finally:
            stop()
            ended.cancel()
            arrived.cancel()
        return book

    async def close(self) -> None:
        """Requests without an answer fail, but may have acted."""
        self._is_closed = True
        # First, so that requests in flight are not reported as lost.
        self._entry.close()
        await self._link.close()
        for subscription in self._subscriptions:
            self._subscriptions.forget(subscription)
            self._end(subscription, StrikebookError('closed', 'The socket was closed'))

    async def _subscribe(self, name: str, options: SubscribeOptions, on_down: Callable[[], None] | None = None) -> Stream[Any]:
        if self._is_closed:
            raise StrikebookError('closed', 'The socket was closed')
        symbols, from_seq = options.get('symbols'), options.get('from_seq')
        listed = None if symbols is None else list(dict.fromkeys(symbols))
        channel, rest = self._channel_of(name, listed, from_seq)
        chosen = listed if 'symbols' in channel['filters'] else None
        ask: dict[str, Any] = {'type': 'Subscribe', 'channel': name}
        ask['expiry'], ask['option_type'] = options.get('expiry'), options.get('option_type')
        if chosen is not None and channel['key'] != 'wallet':
            ask['symbols'] = chosen
        subscription = Subscription(
            channel=channel, rest=rest, symbols=None if chosen is None else frozenset(chosen),
            ask={key: value for key, value in ask.items() if value is not None},
            stream=Stream(options.get('bound', _BOUND), lambda: self._subscriptions.leave(subscription)),
            listener=options.get('on_message'), on_down=on_down,
            accepted=asyncio.get_running_loop().create_future(),
            seqs={} if from_seq is None or self._wallet is None else {self._wallet: from_seq},
        )
        self._subscriptions.add(subscription)
        try:
            await subscription.accepted
        except BaseException:
            self._subscriptions.leave(subscription)
            raise
        return subscription.stream

    def _channel_of(self, name: str, symbols: list[str] | None, from_seq: int | None) -> tuple[dict[str, Any], str]:
        """The venue's Error would not name the cause."""
        stem, colon, rest = name.partition(':')
        channel = CHANNELS.get(stem)
        if channel is None or (channel['key'] == 'name') != (colon != ''):
            raise invalid(f'Unknown channel: {name}')
        channel = CHANNELS[channel['name']]
        key = channel['key']
        count = len(symbols) if symbols is not None and 'symbols' in channel['filters'] else 1
        if count == 0 or (key != 'wallet' and count > SYMBOLS_A_SUBSCRIPTION):
            raise invalid(f'{name}: 1 to {SYMBOLS_A_SUBSCRIPTION} symbols can be named, not {count}')
        for symbol in symbols or ():
            if key != 'filter' and _CANONICAL.fullmatch(symbol) is None:
                raise invalid(f'{symbol} is no canonical symbol')
        if key == 'wallet' and self._wallet is None:
            raise invalid(f'The channel {name} needs a wallet')
        if from_seq is not None and not channel['resume']:
            raise invalid(f'The channel {name} cannot be resumed')
        return channel, rest

    # What the connection tells.

    def up(self, hello: Frame) -> None:
        self._connection = hello.get('connection')
        venue = hello.get('venue_id')
        if self._was_up and venue != self._venue:
            self._begin_anew()
        self._venue = venue
        self._entry.up()
        self._subscriptions.up()
        call_listener(self._options.get('on_up'), self._was_up, self.fault)
        self._was_up = True

    def down(self, reason: str) -> None:
        self._connection = None
        self._entry.down(reason)
        self._subscriptions.down()
        for subscription in self._subscriptions:
            self._paused(subscription)
        call_listener(self._options.get('on_down'), reason, self.fault)

    def message(self, frame: Frame) -> bool:
        if self._entry.take(frame):
            return True
        kind = frame.get('type')
        channel = _CHANNEL_OF_TYPE.get(str(kind))
        if channel is not None:
            self._event(channel, frame)
        elif kind == 'Error':
            self.fault(StrikebookError('subscription_refused', str(frame.get('message')), details=frame))
        return False

    def beat(self) -> bool:
        return self._entry.beat()

    def fault(self, error: BaseException) -> None:
        call_listener(self._options.get('on_error'), error, None)

    def _event(self, channel: dict[str, Any], frame: Frame) -> None:
        readers = [one for one in self._subscriptions if one.is_confirmed and one.channel is channel]
        if not readers:
            return
        try:
            message = decode(frame, MESSAGES[frame['type']])
        except StrikebookError as error:
            # Of a newer venue, perhaps. Its number is missing then.
            return self.fault(error)
        symbol = _symbol_of(frame)
        stream = _stream_of(channel, frame, symbol, self._wallet or '')
        for subscription in readers:
            self._deliver(subscription, stream, symbol, frame, message)

    def _deliver(self, subscription: Subscription, stream: str, symbol: str, frame: Frame, message: Any) -> None:
        channel, symbols = subscription.channel, subscription.symbols
        key = channel['key']
        is_wanted = key == 'filter' or symbols is None or symbol in symbols
        if (key == 'symbol' and not is_wanted) or (key == 'name' and subscription.rest != stream):
            return
        if not self._count(subscription, stream, frame) or not is_wanted:
            return
        if subscription.listener is not None:
            call_listener(subscription.listener, message, self.fault)
        else:
            subscription.stream.push(message, stream if channel['slow'] == 'conflate' else None)

    def _count(self, subscription: Subscription, stream: str, frame: Frame) -> bool:
        """False for a repeat: a snapshot for another reader may bring one."""
        channel, seqs = subscription.channel, subscription.seqs
        if channel['key'] == 'filter':
            return True
        seq, last = frame['seq'], seqs.get(stream)
        # The first message after a connect may start a new count, or be a snapshot.
        is_first = stream not in subscription.heard and (not subscription.is_resumed or seq == last)
        if last is not None and seq <= last and not is_first:
            return False
        subscription.heard.add(stream)
        seqs[stream] = seq
        if last is None or seq == last + 1:
            return True
        if seq == last:
            return _is_full_snapshot(frame)
        # Books skip numbers for slow readers, and name their predecessor themselves.
        if (channel['slow'] == 'close' and not _is_full_snapshot(frame)) or seq < last:
            self._missed(Gap(channel['name'], stream, last + 1, seq - 1))
        return True

    def _begin_anew(self) -> None:
        """Another venue, or one whose data was removed, numbers its messages anew."""
        for subscription in self._subscriptions:
            for key, last in subscription.seqs.items():
                self._missed(Gap(subscription.channel['name'], key, last + 1, 0))
            subscription.seqs.clear()

    def _ended(self, subscription: Subscription, error: StrikebookError) -> None:
        was_accepted = subscription.accepted.done()
        self._end(subscription, error)
        if was_accepted:
            self.fault(error)

    def _end(self, subscription: Subscription, error: StrikebookError) -> None:
        if not subscription.accepted.done():
            subscription.accepted.set_exception(error)
        subscription.stream.end(error)
        self._paused(subscription)

    def _paused(self, subscription: Subscription) -> None:
        on_down = subscription.on_down
        if on_down is not None:
            call_listener(lambda _: on_down(), None, self.fault)

    def _missed(self, gap: Gap) -> None:
        call_listener(self._options.get('on_gap'), gap, self.fault)


def _symbol_of(frame: Frame) -> str:
    """The symbol that subscriptions select by, or ''."""
    request = frame.get('request')
    symbol = request.get('symbol') if isinstance(request, dict) else frame.get('symbol')
    return symbol or ''


def _stream_of(channel: dict[str, Any], frame: Frame, symbol: str, wallet: str) -> str:
    if channel['key'] == 'wallet':
        return wallet
    if channel['key'] == 'symbol':
        return symbol
    if channel['key'] == 'name' and 'resolution' in frame:
        name = frame.get('instrument_name') or frame['underlying']
        return f'{name}:{frame["resolution"]}{":mark" if frame.get("price") == "mark" else ""}'
    return ''


def _is_full_snapshot(frame: Frame) -> bool:
    """True also for streams that may skip numbers."""
    kind = frame['type']
    return (
        kind == 'OrderbookUpdate' or (kind in ('BookUpdate', 'QuotesUpdate') and frame['is_snapshot'])
        or (kind == 'PortfolioUpdate' and frame['update_type'] == 'Initial') or (kind == 'CandleUpdate' and frame.get('price') == 'mark')
    )
