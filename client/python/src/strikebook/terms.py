"""What the caller gives for an order, a quote and other requests. Times in `_ms` and `_at` and `_until` are milliseconds."""

from typing import Literal, NotRequired, Required, TypedDict

from .amounts import Amount

Side = Literal['Buy', 'Sell']
Tif = Literal['gtc', 'ioc', 'fok']


class TriggerTerms(TypedDict):
    by: Literal['index', 'theo', 'mark']
    direction: Literal['above', 'below']
    price: Amount


class OrderTerms(TypedDict, total=False):
    """Any of the fields from `post_only` on makes an extended order."""

    symbol: Required[str]
    side: Required[Side]
    size: Required[Amount]
    price: Required[Amount]
    # Default gtc.
    tif: Tif
    client_id: str
    reduce_only: bool
    mmp_enabled: bool
    route: Literal['best_execution', 'book_only', 'rfq_only']
    # True: refused if it would trade on arrival; slide: moved behind the best opposite order.
    post_only: Literal[True, False, 'slide']
    # When the order ends.
    expires_at: int
    # The request must be sequenced before this time. Default of an extended order: 10 s from now.
    valid_until: int
    stp: Literal['cancel_maker', 'cancel_taker', 'cancel_both']
    trigger: TriggerTerms
    link_id: str


class ReplaceTerms(OrderTerms, total=False):
    """A route is not part of a replace."""

    order_id: Required[int]


class AmendTerms(TypedDict):
    """`size` is the new total, filled part included. `valid_until`: default 10 s from now."""

    order_id: int
    size: Amount
    price: Amount
    trigger_price: NotRequired[Amount]
    valid_until: NotRequired[int]


class QuoteSide(TypedDict):
    """Size 0 removes the quote; without a price it keeps its price."""

    size: Amount
    price: NotRequired[Amount]


class QuoteTerms(TypedDict):
    """A side that is left out stays as it is."""

    symbol: str
    bid: NotRequired[QuoteSide]
    ask: NotRequired[QuoteSide]


class StopTerms(TypedDict, total=False):
    """`price`: the worst price at which it may trade. `stop`: the value of `by` (default theo) at which it fires."""

    symbol: Required[str]
    side: Required[Side]
    size: Required[Amount]
    price: Required[Amount]
    stop: Required[Amount]
    by: Literal['index', 'theo', 'mark']
    client_id: str
    # Default True.
    reduce_only: bool
    mmp_enabled: bool
    link_id: str
    expires_at: int
    valid_until: int


class MmpTerms(TypedDict):
    """A missing limit is no limit."""

    currency: str
    interval_ms: int
    frozen_time_ms: int
    qty_limit: NotRequired[Amount]
    delta_limit: NotRequired[Amount]
    vega_limit: NotRequired[Amount]
