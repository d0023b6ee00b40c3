# Written by `npm run docs`; do not edit.
"""The records of answers by REST, which are those of answers by socket too."""

from decimal import Decimal
from typing import Any, Literal

from .decoding import record


@record
class OrderInfoTrigger:
    by: Literal['index', 'theo', 'mark']
    direction: Literal['above', 'below']
    price: Decimal


@record
class OrderInfo:
    symbol: str
    price: Decimal  # In the answer to the request itself: the text as you sent it. Elsewhere: plain decimal text.
    size: Decimal  # In the answer to the request itself: the text as you sent it. Elsewhere: plain decimal text.
    side: Literal['Buy', 'Sell']
    tif: Literal['gtc', 'ioc', 'fok']
    client_id: str | None
    order_id: int | None
    is_perp: bool
    underlying: str | None
    reduce_only: bool | None
    nonce: int | None  # May be above 2^53.
    signature: None
    mmp_enabled: bool
    builder_code_address: str | None
    post_only: Literal[True, 'slide'] | None = None  # The order was placed so that it rests whole.
    expires_at: int | None = None  # From then on the order trades no more.
    stp: Literal['cancel_maker', 'cancel_taker', 'cancel_both'] | None = None  # What ends when the order meets one of its own wallet.
    trigger: OrderInfoTrigger | None = None
    link_id: str | None = None  # What one order of the link is filled is taken off the size of each other.


@record
class OrderUpdateMessage:
    timestamp: int  # Milliseconds since the epoch.
    info: OrderInfo
    status: Literal['ACKED', 'REJECTED', 'CANCELED']
    reason: str | None  # Why the request was rejected. For an accepted order: a note that it triggered market-maker protection.
    # Status of the order when the answer was made. In the answer to a cancel: of the order to be cancelled, null if it is unknown.
    order_status: Literal['open', 'partially_filled', 'filled', 'canceled', 'rejected', 'untriggered'] | None
    end_reason: str | None  # Why that order has ended. Null while it is open.
    filled_size: Decimal  # Contracts filled immediately.
    order_id: int | None
    wallet_address: str
    # True if the fills of this order exceeded the market-maker protection limits of its own wallet; the rest of the order is cancelled.
    # Says nothing about the protection of the counterparty.
    mmp_triggered: bool


@record
class CancelOrderApiResponse:
    success: bool
    data: OrderUpdateMessage | None
    error: str | None


@record
class MassQuoteCounts:
    unchanged: int
    reduced: int
    open: int
    removed: int
    rejected: int


@record
class QuoteSideResult:
    status: Literal['UNCHANGED', 'REDUCED', 'OPEN', 'REMOVED', 'REJECTED']
    order_id: int | None  # A quote keeps its order id for as long as it stands.
    reason: str | None  # Why the side was refused. Its old quote is gone.
    price: Decimal | None = None  # Of a quote that may slide: where it rests.


@record
class MassQuoteResult:
    symbol: str
    bid: QuoteSideResult | None
    ask: QuoteSideResult | None


@record
class MassQuoteResponse:
    status: Literal['ACKED', 'REJECTED']
    reason: str | None  # Why all of it was refused.
    counts: MassQuoteCounts  # Sides by status.
    results: tuple[MassQuoteResult, ...]  # A line each, null for a side that was left alone. With `detailed` false: the refused sides only.


@record
class CancelQuotesData:
    wallet_address: str
    quote_set: str
    scope: str
    cancelled: int  # Number of quotes cancelled immediately.
    pending: bool  # True while more quotes are still being cancelled.


@record
class CancelQuotesAnswer:
    success: bool
    data: CancelQuotesData | None
    error: str | None


@record
class ApproveAgentResponse:
    success: bool
    error: str | None = None


RevokeAgentResponse = ApproveAgentResponse


@record
class MarginModeData:
    wallet: str
    margin_mode: Literal['standard', 'portfolio']
    previous_mode: Literal['standard', 'portfolio']


@record
class MarginModeApiResponse:
    success: Literal[True]
    data: MarginModeData
    error: None


@record
class MmpConfigData:
    wallet_address: str
    currency: str
    interval_ms: int
    frozen_time_ms: int
    enabled: bool
    qty_limit: Decimal | None = None
    delta_limit: Decimal | None = None
    vega_limit: Decimal | None = None
    nonce: int | None = None


@record
class MmpState:
    wallet_address: str
    currency: str
    interval_ms: int
    frozen_time_ms: int
    enabled: bool
    is_frozen: bool
    frozen_until: int | None  # Null if it is not frozen, or until a reset.
    qty_used: Decimal | None  # What of the limit the window has used now. Null beyond the exact range.
    delta_used: Decimal | None  # Signed, as the positions moved.
    vega_used: Decimal | None  # Signed likewise.
    last_triggered_ms: int | None  # Milliseconds since the epoch.
    qty_limit: Decimal | None = None
    delta_limit: Decimal | None = None
    vega_limit: Decimal | None = None
    nonce: int | None = None


@record
class MmpConfigResponse:
    success: bool
    data: tuple[MmpState, ...]


@record
class CancelAllData:
    wallet_address: str
    scope: str
    cancelled: int  # Number of orders cancelled immediately.
    pending: bool  # True while more orders are still being cancelled.


@record
class CancelAllAnswer:
    success: bool
    data: CancelAllData | None
    error: str | None


@record
class VoidNoncesData:
    wallet_address: str
    up_to: int  # May be above 2^53.


@record
class VoidNoncesAnswer:
    success: Literal[True]
    data: VoidNoncesData
    error: None


@record
class CancelAfterData:
    wallet_address: str
    timeout_ms: int
    cancel_at: int | None  # Milliseconds since the epoch.


@record
class CancelAfterAnswer:
    success: Literal[True]
    data: CancelAfterData
    error: None


@record
class CancelOnDisconnectData:
    wallet_address: str
    enabled: bool
    grace_ms: int
    connection: str
    cancel_at: int | None  # Milliseconds since the epoch.


@record
class CancelOnDisconnectAnswer:
    success: Literal[True]
    data: CancelOnDisconnectData
    error: None


@record
class BulkOrderResult:
    index: int
    success: bool
    data: OrderUpdateMessage | None = None
    error: str | None = None
    hint: str | None = None  # What is accepted.
    replayed: bool | None = None  # True if the same request was processed before; this is its original result.


@record
class BulkPlaceOrderResponse:
    results: tuple[BulkOrderResult, ...]


BulkCancelOrderResponse = BulkPlaceOrderResponse


@record
class Username:
    wallet_address: str
    username: str


@record
class UsernameResponse:
    success: Literal[True]
    data: Username
    error: None


@record
class UsernameRequest:
    id: int
    wallet_address: str
    requested_username: str
    status: Literal['approved']
    created_at: str


@record
class UsernameChangeRequestResponse:
    success: Literal[True]
    data: UsernameRequest
    error: None


@record
class SettlementPayoutSeenMutationResponse:
    success: bool
    requested: int
    affected: int
    error: str | None


@record
class UserTierLimits:
    max_open_orders: int  # -1 means unlimited.
    max_open_positions: int  # -1 means unlimited.
    orders_per_minute: int  # -1 means unlimited.
    cancels_per_minute: int  # -1 means unlimited.
    api_requests_per_minute: int  # -1 means unlimited.


@record
class UserTier:
    wallet_address: str
    tier: Literal['default', 'tier1', 'tier2', 'market_maker']
    limits: UserTierLimits


@record
class UserTierAnswer:
    success: bool
    data: UserTier
    error: str | None = None


@record
class AdminIndexPriceData:
    underlying: str
    price: Decimal
    stale: bool


@record
class AdminIndexPriceAnswer:
    success: bool
    data: AdminIndexPriceData
    error: str | None = None


@record
class AdminSettlementPriceData:
    underlying: str
    expiry: int  # Milliseconds since the epoch.
    price: Decimal


@record
class AdminSettlementPriceAnswer:
    success: bool
    data: AdminSettlementPriceData
    error: str | None = None


@record
class AdminVolSurfaceData:
    underlying: str
    atm_vol: Decimal
    skew: Decimal
    curvature: Decimal
    expiry: int | None = None  # Milliseconds since the epoch.


@record
class AdminVolSurfaceAnswer:
    success: bool
    data: AdminVolSurfaceData
    error: str | None = None


@record
class MarketsDataMarket:
    symbol: str
    underlying: str
    expiry: int  # Seconds since the epoch.
    strike: Decimal
    option_type: Literal['call', 'put']


@record
class MarketsData:
    market: MarketsDataMarket
    status: Literal['MARKET_CREATED', 'MARKET_DELETED']
    timestamp: int  # Milliseconds since the epoch.


@record
class MarketsAnswer:
    success: bool
    message: str
    data: MarketsData


@record
class MarketInstrument:
    instrument_id: int
    id: str
    underlying: str
    strike: Decimal
    expiry: int  # Seconds since the epoch.
    option_type: Literal['call', 'put']
    option_token_address: str | None
    mark_iv: Decimal | None
    volume_24h: Decimal
    open_interest: Decimal
    updated_at: str
    status: Literal['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED']
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']


@record
class Perp:
    symbol: str
    underlying: str
    asset: int  # The asset index that a perp order is signed with.
    funding_rate: Decimal | None  # Rate of the last hour charged, as a fraction. Positive: longs pay. Null before the first.
    predicted_rate: Decimal | None  # Rate of the current hour if its mean premium stays. Null before its first sample.
    premium: Decimal | None  # The last premium sample, a fraction of the index. Null before the first.
    index_price: Decimal
    mark_price: Decimal
    next_funding_time: int  # End of the current hour, ms.
    interval_hours: int  # Hours that a rate is for.
    best_bid_price: Decimal | None
    best_ask_price: Decimal | None
    last_price: Decimal | None
    open_interest: Decimal
    volume_24h: Decimal  # Contracts.
    turnover_24h: Decimal  # USDC.
    tick_size: Decimal  # Step of the price grid at the mark price.
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']


@record
class Market:
    underlying: str
    expiry: int  # Seconds since the epoch.
    index_price: Decimal
    atm_vol: Decimal | None
    total_volume_24h: Decimal
    total_open_interest: Decimal
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']  # Of the underlying. An instrument may have a stricter one.
    instruments: tuple[MarketInstrument, ...] | None = None
    prev_day_price: Decimal | None = None
    prev_day_px: Decimal | None = None
    perp: Perp | None = None


@record
class MarketsResponse:
    success: bool
    data: tuple[Market, ...]


CompetitionSortByValue = Literal['pnl', 'volume', 'efficiency']


CompetitionStateValue = Literal['pre', 'active', 'post']


@record
class Competition:
    id: int
    name: str
    description: str | None
    rules_url: str | None
    rules_content: str | None
    win_conditions: tuple[CompetitionSortByValue, ...]
    primary_win_condition: CompetitionSortByValue
    start_ts_ms: int  # Milliseconds since the epoch.
    end_ts_ms: int  # Milliseconds since the epoch.
    state: CompetitionStateValue
    created_at: str
    updated_at: str


@record
class CompetitionsAnswer:
    success: bool
    data: Competition
    error: str | None = None


@record
class Pagination:
    limit: int  # The limit that was applied.
    offset: int
    count: int  # Number of rows on this page.


@record
class CompetitionsResponse:
    success: bool
    data: tuple[Competition, ...]
    pagination: Pagination


@record
class AdminCreditData:
    id: str
    wallet: str
    amount: Decimal
    balance: Decimal  # Cash after it.
    created_at: str


@record
class AdminCreditAnswer:
    success: bool
    data: AdminCreditData
    error: str | None = None


@record
class AdminClockData:
    time_ms: int  # Milliseconds since the epoch.


@record
class AdminClockAnswer:
    success: bool
    data: AdminClockData
    error: str | None = None


@record
class AdminHaltData:
    scope: str
    mode: Literal['open', 'cancel_only', 'halted']
    timestamp: int  # Milliseconds since the epoch.


@record
class AdminHaltAnswer:
    success: bool
    data: AdminHaltData
    error: str | None = None


@record
class AdminBlockData:
    wallet: str
    mode: Literal['open', 'close_only', 'blocked']
    orders: int  # Open orders, all of which end if `mode` is `blocked`.
    timestamp: int  # Milliseconds since the epoch.


@record
class AdminBlockAnswer:
    success: bool
    data: AdminBlockData
    error: str | None = None


@record
class AdminCancelData:
    wallet: str
    orders: int  # Open orders, all of which end.
    timestamp: int  # Milliseconds since the epoch.


@record
class AdminCancelAnswer:
    success: bool
    data: AdminCancelData
    error: str | None = None


@record
class AccountRow:
    wallet: str
    tier: Literal['default', 'tier1', 'tier2', 'market_maker']
    mode: Literal['open', 'close_only', 'blocked']
    margin_mode: Literal['standard', 'portfolio']
    status: Literal['healthy', 'pre_liquidation', 'in_liquidation', 'liquidated']
    balance: Decimal
    open_orders: int
    positions: int
    opened_ms: int  # Milliseconds since the epoch.
    last_used_ms: int  # Milliseconds since the epoch.


@record
class AdminAccountsAnswer:
    success: bool
    data: tuple[AccountRow, ...]
    next_offset: int | None  # Where the next page begins. Null after the last row.


@record
class BackupStatusFile:
    name: str
    bytes: int


@record
class BackupStatus:
    id: str  # Of the copy; empty without one.
    venue_id: str
    state: Literal['none', 'copying', 'ready', 'failed']  # `ready`: its files can be read.
    reason: str | None  # Why it failed.
    copied_bytes: int  # Of the history.
    total_bytes: int
    files: tuple[BackupStatusFile, ...]
    venue_file: str  # The text of venue.json.
    log_file: str | None  # Of a node of a cluster: the text of journal/log.json.
    first_seq: int  # Where the journal begins.
    head_seq: int  # Where it ends now.


@record
class AdminBackupAnswer:
    success: bool
    data: BackupStatus
    error: str | None = None


@record
class BackupFilePage:
    offset: int
    bytes: str  # Base64.
    size: int  # Bytes of the whole file.


@record
class AdminBackupFileAnswer:
    success: bool
    data: BackupFilePage
    error: str | None = None


@record
class BackupSegment:
    segment: int
    behaviour: int
    codec: int
    first_seq: int
    previous_hash: str  # Hex digits.
    venue: str
    created: int  # Milliseconds since the epoch.


@record
class BackupFrame:
    first_seq: int
    last_seq: int
    hash: str  # Hex digits.
    bytes: str  # Base64.


@record
class BackupJournalPageDigest:
    seq: int
    low: int
    high: int


@record
class BackupJournalPage:
    segment: BackupSegment | None  # The one that the frames are of. Null at the end of the journal.
    frames: tuple[BackupFrame, ...]
    digests: tuple[BackupJournalPageDigest, ...]
    head_seq: int  # Where the journal ends now.


@record
class AdminBackupJournalAnswer:
    success: bool
    data: BackupJournalPage
    error: str | None = None


@record
class AuthorizedAgentsResponse:
    agents: tuple[str, ...]


@record
class Order:
    order_id: int
    wallet_address: str
    symbol: str
    side: Literal['Buy', 'Sell']
    price: Decimal
    size: Decimal
    tif: Literal['gtc', 'ioc', 'fok']
    status: Literal['open', 'partially_filled', 'filled', 'canceled', 'rejected', 'untriggered']
    order_status: Literal['open', 'partially_filled', 'filled', 'canceled', 'rejected', 'untriggered']
    end_reason: str | None  # Why the order has ended. Null while it is open.
    created_at: int  # Milliseconds since the epoch.
    updated_at: str | None
    filled_size: Decimal
    client_id: str | None
    reduce_only: bool | None
    mmp_enabled: bool
    instrument_type: Literal['option', 'perp']
    post_only: Literal[True, 'slide'] | None = None  # The order was placed so that it rests whole.
    expires_at: int | None = None  # From then on the order trades no more.
    stp: Literal['cancel_maker', 'cancel_taker', 'cancel_both'] | None = None  # What ends when the order meets one of its own wallet.
    trigger: OrderInfoTrigger | None = None
    link_id: str | None = None  # What one order of the link is filled is taken off the size of each other.
    quote_set: str | None = None  # Of a quote: the set that it belongs to. It has no client id.


@record
class OrdersResponse:
    success: bool
    data: tuple[Order, ...]
    pagination: Pagination


@record
class OrdersStatusAnswer:
    success: bool
    data: Order | None
    error: str | None = None


@record
class Fill:
    fill_id: int
    trade_id: int | None  # Null unless `kind` is `trade`.
    wallet_address: str
    symbol: str
    price: Decimal
    size: Decimal
    fee: Decimal  # For a fill of a liquidation order, includes its share of the liquidation fee.
    side: Literal['Buy', 'Sell']
    is_taker: bool
    timestamp: int  # Milliseconds since the epoch.
    created_at: str
    builder_code_address: str | None
    builder_code_fee: Decimal | None
    realized_pnl: Decimal | None
    explorer_url: str | None
    instrument_type: Literal['option', 'perp']
    order_id: int | None  # Null unless `kind` is `trade`.
    kind: Literal['trade', 'takeover', 'deleveraging']


@record
class FillsResponse:
    success: bool
    data: tuple[Fill, ...]
    pagination: Pagination


@record
class Position:
    wallet_address: str
    symbol: str
    amount: Decimal
    entry_price: Decimal
    margin_posted: Decimal
    realized_pnl: Decimal
    unrealized_pnl: Decimal
    updated_at: str
    instrument_type: Literal['option', 'perp']
    notional_value: Decimal
    maintenance_margin: Decimal
    # The index price, nearest to the current one, at which equity equals the maintenance margin if nothing else changes. For an account
    # already below its maintenance margin, the price at which it recovers. Null if there is no such price between 0.01 and 10 times the
    # index. Always null in a PositionUpdate: read it from GET /portfolio.
    liquidation_price: Decimal | None
    margin_ratio: Decimal | None  # Maintenance margin divided by equity, at most 9007199254.740991. Null without equity.


@record
class SpanMargin:
    equity: Decimal
    initial_margin_required: Decimal
    maintenance_margin_required: Decimal
    open_orders_initial_margin: Decimal
    option_margin_required: Decimal
    scanning_risk: Decimal
    option_floor: Decimal
    gamma_overlay: Decimal
    hypercore_margin_required: Decimal


@record
class MarginSummary:
    mode: Literal['standard', 'portfolio']
    equity: Decimal
    position_im: Decimal
    open_orders_im: Decimal
    initial_margin: Decimal  # Collateral minus the initial margin.
    maintenance_margin: Decimal  # Equity minus the maintenance margin.
    open_orders_premium_reserved: Decimal | None = None


@record
class Portfolio:
    wallet_address: str
    positions: tuple[Position, ...]
    total_margin_used: Decimal
    available_balance: Decimal
    margin_mode: Literal['standard', 'portfolio']
    withdrawable_usdc: Decimal | None = None
    portfolio_snapshot_timestamp_ms: int | None = None
    span_margin: SpanMargin | None = None
    margin_summary: MarginSummary | None = None


@record
class Trade:
    trade_id: int
    symbol: str
    price: Decimal
    size: Decimal
    maker_address: str
    taker_address: str
    maker_fee: Decimal
    taker_fee: Decimal
    taker_side: Literal['Buy', 'Sell']
    timestamp: int  # Milliseconds since the epoch.
    created_at: str


@record
class TradesResponse:
    success: bool
    data: tuple[Trade, ...]
    pagination: Pagination


@record
class TradesTradeIdAnswer:
    success: bool
    data: Trade
    error: str | None = None


@record
class InstrumentTickSizeStep:
    tick_size: Decimal
    above_price: Decimal


@record
class InstrumentResponse:
    price_index: str
    rfq: bool
    orderbook: bool
    kind: Literal['option']
    instrument_name: str
    option_token_address: str | None
    maker_commission: Decimal
    taker_commission: Decimal
    instrument_type: Literal['linear']
    expiration_timestamp: int  # Milliseconds since the epoch.
    creation_timestamp: int  # Milliseconds since the epoch.
    is_active: bool
    option_type: Literal['call', 'put']
    contract_size: Decimal
    tick_size: Decimal
    strike: Decimal
    instrument_id: int
    settlement_period: Literal['day', 'week', 'month']
    min_trade_amount: Decimal
    block_trade_commission: Decimal
    block_trade_min_trade_amount: Decimal
    block_trade_tick_size: Decimal
    settlement_currency: str
    base_currency: str
    counter_currency: str
    quote_currency: str
    tick_size_steps: tuple[InstrumentTickSizeStep, ...]
    status: Literal['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED']
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']


@record
class ExchangeInfoSigningDomain:
    name: str
    version: str


@record
class ExchangeInfoPerpSigningDomain:
    name: str
    version: str
    chain_id: int


@record
class ExchangeInfoPerpAsset:
    underlying: str
    symbol: str
    asset: int


@record
class ExchangeInfoAnswer:
    exchange_address: str
    chain_id: int
    signing_domain: ExchangeInfoSigningDomain
    perp_signing_domain: ExchangeInfoPerpSigningDomain
    perp_source: str
    venue_id: str
    head_seq: int
    head_hash: str
    perp_assets: tuple[ExchangeInfoPerpAsset, ...]


@record
class OrderBookStats:
    high: Decimal | None
    low: Decimal | None
    price_change: Decimal | None
    volume: Decimal
    volume_usd: Decimal


@record
class OrderBookGreeks:
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    rho: Decimal


@record
class OrderBookResponse:
    timestamp: int  # Milliseconds since the epoch.
    state: Literal['open', 'closed', 'settled']
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']
    stats: OrderBookStats
    change_id: int
    index_price: Decimal
    instrument_name: str
    option_token_address: str | None
    bids: tuple[tuple[Decimal, Decimal], ...]
    asks: tuple[tuple[Decimal, Decimal], ...]
    last_price: Decimal | None
    settlement_price: Decimal
    min_price: Decimal
    max_price: Decimal
    open_interest: Decimal
    mark_price: Decimal
    best_bid_price: Decimal
    best_ask_price: Decimal
    underlying_price: Decimal
    underlying_index: str
    interest_rate: Decimal
    estimated_delivery_price: Decimal
    best_ask_amount: Decimal
    best_bid_amount: Decimal
    seq: int
    greeks: OrderBookGreeks | None = None
    theoretical_price: Decimal | None = None
    mark_iv: Decimal | None = None
    ask_iv: Decimal | None = None
    bid_iv: Decimal | None = None


@record
class InstrumentWithOrderbook:
    instrument: InstrumentResponse
    orderbook: OrderBookResponse


@record
class OptionsChainLegGreeksAbs:
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal


@record
class OptionsChainLegGreeksCash:
    delta_1pct_usd: Decimal
    gamma_1pct_usd: Decimal
    theta_1d_usd: Decimal
    vega_1vol_usd: Decimal


@record
class OptionsChainLeg:
    symbol: str
    option_token_address: str | None
    bid_price_usd: Decimal | None
    bid_iv: Decimal | None
    bid_size_contracts: Decimal | None
    bid_size_usd_notional: Decimal | None
    ask_price_usd: Decimal | None
    ask_iv: Decimal | None
    ask_size_contracts: Decimal | None
    ask_size_usd_notional: Decimal | None
    greeks_abs: OptionsChainLegGreeksAbs | None
    greeks_cash: OptionsChainLegGreeksCash | None


@record
class OptionsChainSnapshotRow:
    strike: Decimal
    call: OptionsChainLeg | None = None
    put: OptionsChainLeg | None = None


@record
class OptionsChainSnapshotResponse:
    currency: str
    expiry: int  # Seconds since the epoch.
    rows: tuple[OptionsChainSnapshotRow, ...]


@record
class OptionSummary:
    instrument_id: int
    instrument_name: str
    option_token_address: str | None
    expiration_timestamp: int  # Milliseconds since the epoch.
    bid_price: Decimal
    ask_price: Decimal
    mark_price: Decimal
    mark_iv: Decimal | None
    underlying_price: Decimal
    underlying_index: str
    open_interest: Decimal
    volume: Decimal
    volume_usd: Decimal
    high: Decimal | None
    low: Decimal | None
    last: Decimal | None
    price_change: Decimal | None
    interest_rate: Decimal
    estimated_delivery_price: Decimal
    creation_timestamp: int  # Milliseconds since the epoch.
    base_currency: str
    quote_currency: str
    mid_price: Decimal
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']
    theoretical_price: Decimal | None = None
    ask_iv: Decimal | None = None
    bid_iv: Decimal | None = None
    raw_mark_iv: Decimal | None = None
    est_mark_iv: Decimal | None = None
    best_bid_size: Decimal | None = None
    best_ask_size: Decimal | None = None
    greeks: OrderBookGreeks | None = None
    indicative_bid_price: Decimal | None = None
    indicative_ask_price: Decimal | None = None
    indicative_bid_size: Decimal | None = None
    indicative_ask_size: Decimal | None = None
    raw_greeks: OrderBookGreeks | None = None
    est_greeks: OrderBookGreeks | None = None


@record
class Greeks:
    symbol: str
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    rho: Decimal
    iv: Decimal | None
    mark_price: Decimal
    underlying_price: Decimal
    timestamp: int  # Milliseconds since the epoch.


@record
class GreeksApiResponse:
    success: Literal[True]
    data: Greeks
    error: None


@record
class LimitIvData:
    symbol: str
    iv: Decimal
    limit_price: Decimal
    theoretical_price: Decimal
    underlying_price: Decimal
    timestamp: int  # Milliseconds since the epoch.
    side: Literal['Buy', 'Sell'] | None = None


@record
class LimitIvApiResponse:
    success: Literal[True]
    data: LimitIvData
    error: None


@record
class PerpsResponse:
    success: bool
    data: tuple[Perp, ...]


@record
class Funding:
    symbol: str
    funding_rate: Decimal | None  # Rate of the last hour charged, as a fraction. Positive: longs pay. Null before the first.
    predicted_rate: Decimal | None  # Rate of the current hour if its mean premium stays. Null before its first sample.
    premium: Decimal | None  # The last premium sample, a fraction of the index. Null before the first.
    index_price: Decimal
    mark_price: Decimal
    next_funding_time: int  # End of the current hour, ms.
    interval_hours: int  # Hours that a rate is for.


@record
class FundingHour:
    time_ms: int  # End of the hour.
    funding_rate: Decimal
    index_price: Decimal
    premium: Decimal  # Mean of the hour’s premiums.


@record
class FundingHistoryResponse:
    success: bool
    data: tuple[FundingHour, ...]


@record
class FundingPayment:
    symbol: str
    from_time: int  # From when the position owed, ms.
    to_time: int  # End of the last hour charged, ms.
    hours: int  # Hours charged. An hour without open interest or with a stale index is not charged.
    rate: Decimal  # Sum of the rates of these hours.
    position: Decimal
    amount: Decimal  # What the balance changed by. Negative: paid.
    booked_ms: int  # Milliseconds since the epoch.


@record
class FundingPaymentsResponse:
    success: bool
    data: tuple[FundingPayment, ...]
    accrued: Decimal  # What the balance would change by if all that is charged and not booked yet were booked now.
    pagination: Pagination


@record
class Liquidation:
    time_ms: int  # Milliseconds since the epoch.
    kind: Literal['order', 'takeover', 'deleveraging']  # `order`: a fill of an order that closed a position.
    symbol: str
    side: Literal['Buy', 'Sell']  # Side of the liquidated account.
    price: Decimal
    size: Decimal


@record
class LiquidationsResponse:
    success: bool
    data: tuple[Liquidation, ...]
    pagination: Pagination


@record
class Settlement:
    underlying: str
    expiry: int  # Seconds since the epoch.
    price: Decimal
    samples: int  # Seconds with a price, of 1,800. 0: the operator set the price.
    contracts: int  # Contracts of that expiry.
    priced_at: str


@record
class SettlementsResponse:
    success: bool
    data: tuple[Settlement, ...]
    pagination: Pagination


@record
class OpenInterestExpiry:
    expiry: int  # Seconds since the epoch.
    calls: Decimal
    puts: Decimal


@record
class OpenInterest:
    underlying: str
    index_price: Decimal
    perp: Decimal
    calls: Decimal
    puts: Decimal
    expiries: tuple[OpenInterestExpiry, ...]


@record
class OpenInterestResponse:
    success: bool
    data: tuple[OpenInterest, ...]


@record
class InsuranceFundPosition:
    symbol: str
    amount: Decimal


@record
class InsuranceFund:
    balance: Decimal
    equity: Decimal | None  # Null beyond the exact range.
    positions: tuple[InsuranceFundPosition, ...]


@record
class InsuranceFundAnswer:
    success: bool
    data: InsuranceFund
    error: str | None = None


VenueTime = AdminClockData


@record
class PortfolioGreeksDataPerLeg:
    symbol: str
    quantity: Decimal
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    iv: Decimal | None
    rho: Decimal | None = None


@record
class PortfolioGreeksDataAggregate:
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    iv: Decimal | None = None
    rho: Decimal | None = None


@record
class PortfolioGreeksData:
    wallet_address: str
    per_leg: tuple[PortfolioGreeksDataPerLeg, ...]
    aggregate: PortfolioGreeksDataAggregate | None = None


@record
class PortfolioGreeksApiResponse:
    success: Literal[True]
    data: PortfolioGreeksData
    error: None


@record
class RiskGridUnderlyingScenario:
    id: str
    spot_shock_pct: Decimal
    vol_shock_pct: Decimal
    pnl_weight: Decimal
    is_tail: bool
    total_pnl: Decimal


@record
class Scenario:
    id: str
    spot_shock_pct: Decimal
    vol_shock_pct: Decimal
    pnl_weight: Decimal
    is_tail: bool


@record
class RiskGridUnderlyingExtendedRiskMatrixInstrument:
    symbol: str
    underlying: str
    instrument_type: Literal['option', 'perp']
    amount: Decimal
    base_amount: Decimal
    current_value: Decimal
    scenario_pnls: tuple[Decimal, ...]


@record
class RiskGridUnderlyingExtendedRiskMatrix:
    scenarios: tuple[Scenario, ...]
    instruments: tuple[RiskGridUnderlyingExtendedRiskMatrixInstrument, ...]
    total_pnls: tuple[Decimal, ...]
    worst_scenario_index: int
    worst_scenario_pnl: Decimal


@record
class RiskGridUnderlying:
    underlying: str
    vintage: int
    marked_at: int  # Milliseconds since the epoch.
    index_price: Decimal
    scenarios: tuple[RiskGridUnderlyingScenario, ...]
    extended_risk_matrix: RiskGridUnderlyingExtendedRiskMatrix


@record
class RiskGrid:
    margin_mode: Literal['standard', 'portfolio']
    equity: Decimal
    collateral: Decimal
    position_initial_margin: Decimal
    position_maintenance_margin: Decimal
    open_orders_initial_margin: Decimal
    open_orders_reserved: Decimal
    total_initial_margin: Decimal
    scanning_risk: Decimal
    option_floor: Decimal
    gamma_overlay: Decimal
    underlyings: tuple[RiskGridUnderlying, ...]


@record
class RiskGridAnswer:
    success: Literal[True]
    data: RiskGrid
    error: None


@record
class RiskInputsUnderlying:
    underlying: str
    vintage: int
    marked_at: int  # Milliseconds since the epoch.
    index_price: Decimal
    settlement_average: Decimal  # Mean of the settlement samples so far, 0 outside the last half hour before an expiry.
    preset: Literal['dense', 'venue17']


@record
class RiskInputsContract:
    symbol: str
    status: Literal['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED']
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']
    mark_price: Decimal
    theo_price: Decimal
    volatility: Decimal
    is_surface_stale: bool


@record
class RiskInputsHoldingOrder:
    side: Literal['Buy', 'Sell']
    price: Decimal
    size: Decimal  # What is left of it.
    reduce_only: bool


@record
class RiskInputsHolding:
    symbol: str
    amount: Decimal
    cost: Decimal  # What the position cost, signed like it.
    unpaid_funding: Decimal  # What one long contract owes since the position last paid funding.
    orders: tuple[RiskInputsHoldingOrder, ...]  # Orders in the book, oldest first.


@record
class RiskInputs:
    wallet_address: str
    time_ms: int  # Milliseconds since the epoch.
    margin_mode: Literal['standard', 'portfolio']
    wallet_mode: Literal['open', 'close_only', 'blocked']
    liquidation_state: Literal['healthy', 'pre_liquidation', 'in_liquidation', 'liquidated']
    tier: Literal['default', 'tier1', 'tier2', 'market_maker']
    balance: Decimal
    settings: dict[str, Decimal]  # The constants of docs/MARGIN.md that are in force, in millionths, milliseconds or whole numbers.
    underlyings: tuple[RiskInputsUnderlying, ...]
    contracts: tuple[RiskInputsContract, ...]  # Those that the wallet holds or has orders in, and those asked for.
    holdings: tuple[RiskInputsHolding, ...]


@record
class RiskInputsAnswer:
    success: Literal[True]
    data: RiskInputs
    error: None


@record
class RiskSimulateOrdersData:
    before: RiskGrid
    after: RiskGrid
    filled: RiskGrid


@record
class RiskSimulateOrdersAnswer:
    success: Literal[True]
    data: RiskSimulateOrdersData
    error: None


@record
class SettlementPayout:
    id: int
    wallet: str
    symbol: str
    expiry_ts: int  # Seconds since the epoch.
    position_size: Decimal
    settlement_price: Decimal
    settlement_value: Decimal
    settlement_entry_price: Decimal | None
    cost_basis: Decimal | None
    net_pnl: Decimal | None
    ledger_applied: bool
    is_seen: bool
    created_at: int | None  # Milliseconds since the epoch.


@record
class SettlementPayoutsResponse:
    success: bool
    data: tuple[SettlementPayout, ...]
    pagination: Pagination


@record
class LedgerEntry:
    seq: int  # Its number in the ledger of the wallet and in the stream `ledger`.
    wallet_address: str
    kind: Literal['opening', 'trade', 'fee', 'funding', 'settlement', 'settlement_fee', 'liquidation_fee', 'takeover', 'deleveraging', 'credit']
    symbol: str | None
    amount: Decimal  # What the cash changed by.
    balance: Decimal  # Cash after it.
    time_ms: int  # Milliseconds since the epoch.
    created_at: str
    trade_id: int | None
    order_id: int | None  # The order of the wallet that traded; for a liquidation fee, the liquidation order.
    payout_id: int | None
    hour_ms: int | None  # Funding was paid up to this hour.
    credit_id: str | None  # Null unless `kind` is `credit`.
    reason: str | None  # Null unless `kind` is `credit`.
    command_seq: int  # The command that moved the cash.


@record
class LedgerResponse:
    success: bool
    data: tuple[LedgerEntry, ...]
    pagination: Pagination


HistoricalPnlInterval = Literal['5m', '1h', '1d']


@record
class EquityPoint:
    timestamp: int  # Milliseconds since the epoch.
    equity: Decimal
    attribution: dict[str, Any] | None = None
    net_deposits: Decimal | None = None


@record
class HistoricalPnlData:
    wallet_address: str
    interval: HistoricalPnlInterval
    points: tuple[EquityPoint, ...]


@record
class HistoricalPnlApiResponse:
    success: Literal[True]
    data: HistoricalPnlData
    error: None


HistoricalTheoInterval = Literal['5m', '1h', '1d']


@record
class HistoricalTheoDataPoint:
    timestamp: int  # Milliseconds since the epoch.
    theoretical_price: Decimal


@record
class HistoricalTheoData:
    instrument_name: str
    interval: HistoricalTheoInterval
    points: tuple[HistoricalTheoDataPoint, ...]


@record
class HistoricalTheoApiResponse:
    success: Literal[True]
    data: HistoricalTheoData
    error: None


@record
class HistoricalGreeksDataPoint:
    timestamp: int  # Milliseconds since the epoch.
    mark_iv: Decimal | None
    bid_iv: Decimal | None
    ask_iv: Decimal | None
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    open_interest: Decimal


@record
class HistoricalGreeksData:
    instrument_name: str
    interval: HistoricalTheoInterval
    points: tuple[HistoricalGreeksDataPoint, ...]


@record
class HistoricalGreeksResponse:
    success: Literal[True]
    data: HistoricalGreeksData
    error: None


@record
class ProfileDataMargin:
    in_use: Decimal
    available: Decimal
    total: Decimal
    deposits: Decimal
    withdraws: Decimal


@record
class ProfileDataPnl:
    unrealized: Decimal
    pnl_24h: Decimal
    lifetime_realized: Decimal


@record
class Medals:
    pnl: int | None
    volume: int | None
    efficiency: int | None


@record
class Standing:
    competition_id: int
    competition_name: str
    competition_state: CompetitionStateValue
    rank: int | None
    pnl: Decimal
    volume: Decimal
    efficiency: Decimal
    medal: int | None


@record
class ProfileData:
    wallet: str
    username: str
    account_first_seen_ts_ms: int | None
    account_age_days: int | None
    margin: ProfileDataMargin
    pnl: ProfileDataPnl
    account_wallet: str | None = None
    profile_image_url: str | None = None
    medal: int | None = None
    platform_medals: Medals | None = None
    active_competition_rank: Standing | None = None


@record
class ProfileResponse:
    success: bool
    data: ProfileData
    error: str | None = None


ProfileTradesResponse = FillsResponse


CandleResolution = Literal['1m', '5m', '15m', '1h', '4h', '1d']


@record
class Candle:
    underlying: str
    resolution: CandleResolution
    start_time_ms: int  # Milliseconds since the epoch.
    end_time_ms: int  # Milliseconds since the epoch.
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal


@record
class CandlesData:
    underlying: str
    resolution: CandleResolution
    candles: tuple[Candle, ...]


@record
class CandlesApiResponse:
    success: Literal[True]
    data: CandlesData
    error: None


@record
class InstrumentCandle:
    underlying: str
    resolution: CandleResolution
    start_time_ms: int  # Milliseconds since the epoch.
    end_time_ms: int  # Milliseconds since the epoch.
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    instrument_name: str
    price: Literal['trade', 'mark']
    trades: int  # Number of trades; 0 for marks.


@record
class InstrumentCandlesData:
    instrument_name: str
    price: Literal['trade', 'mark']
    resolution: CandleResolution
    candles: tuple[InstrumentCandle, ...]


@record
class InstrumentCandlesResponse:
    success: Literal[True]
    data: InstrumentCandlesData
    error: None


@record
class VolIndexDataExpiry:
    expiration_timestamp: int  # Milliseconds since the epoch.
    volatility: Decimal
    is_stale: bool


@record
class VolIndexData:
    underlying: str
    vol_index: Decimal | None
    timestamp: int  # Milliseconds since the epoch.
    expiries: tuple[VolIndexDataExpiry, ...]


@record
class VolIndexResponse:
    success: Literal[True]
    data: VolIndexData
    error: None


CompetitionSortOrderValue = Literal['asc', 'desc']


@record
class LeaderboardRow:
    rank: int
    wallet: str
    username: str
    pnl: Decimal
    volume: Decimal
    efficiency: Decimal
    medal: int | None


@record
class ConnectedUser:
    wallet: str
    username: str
    rank: int | None
    pnl: Decimal | None
    volume: Decimal | None
    efficiency: Decimal | None
    medal: int | None


@record
class CompetitionLeaderboardResponse:
    success: bool
    competition_id: int
    sort_by: CompetitionSortByValue
    sort_order: CompetitionSortOrderValue
    data: tuple[LeaderboardRow, ...]
    connected_user: ConnectedUser | None
    pagination: Pagination


CompetitionResponse = CompetitionsAnswer


@record
class GasProviderResponse:
    chain_id: int
    gas_price: str
    base_fee_per_gas: str
    max_fee_per_gas: str
    max_priority_fee_per_gas: str
    timestamp: int  # Milliseconds since the epoch.


@record
class VenueStatusComponent:
    name: str
    state: Literal['ready', 'degraded', 'not_ready']
    ready: bool
    detail: str
    problems: tuple[str, ...]


@record
class VenueStatusUnderlying:
    underlying: str
    # Where the index price comes from. From another venue: `mid`: its mid price; `bounded`: its oracle price plus or minus 0.5 %, because
    # the mid lies outside that range; `mid_alone` and `oracle_alone`: the other price is missing or too old.
    source: Literal['sim', 'manual', 'mid', 'bounded', 'mid_alone', 'oracle_alone', 'none']
    index_price: Decimal | None
    index_age_ms: int | None
    stale: bool
    listed_contracts: int
    stale_surfaces: int
    waiting_expiries: int


@record
class WaitingExpiry:
    underlying: str
    expiry: int  # Milliseconds since the epoch.
    contracts: int
    status: Literal['EXPIRED_PENDING_PRICE']


@record
class VenueStatus:
    status: Literal['ready', 'not_ready']
    degraded: bool
    components: tuple[VenueStatusComponent, ...]
    underlyings: tuple[VenueStatusUnderlying, ...]
    waiting_expiries: tuple[WaitingExpiry, ...]
    insurance_fund: Decimal | None
    disk_free_bytes: int


@record
class AdminStatusAnswer:
    success: bool
    data: VenueStatus
    error: str | None = None


@record
class HealthResponse:
    status: Literal['ok']


@record
class Component:
    name: str
    state: Literal['ready', 'degraded', 'not_ready']
    ready: bool
    detail: str


@record
class IndexStatus:
    underlying: str
    # Where the index price comes from. From another venue: `mid`: its mid price; `bounded`: its oracle price plus or minus 0.5 %, because
    # the mid lies outside that range; `mid_alone` and `oracle_alone`: the other price is missing or too old.
    source: Literal['sim', 'manual', 'mid', 'bounded', 'mid_alone', 'oracle_alone', 'none']
    index_age_ms: int | None
    stale: bool


@record
class ReadyResponse:
    status: Literal['ready', 'not_ready']
    degraded: bool  # True if a component has a problem but the venue keeps running.
    components: tuple[Component, ...]
    index_prices: tuple[IndexStatus, ...]
    waiting_expiries: tuple[WaitingExpiry, ...]
    retry_after_secs: int | None = None  # Seconds until you should ask again. Present while the venue is not ready.


@record
class ClusterNode:
    node: str
    url: str
    role: Literal['leader', 'follower']
    epoch: int
    position: int  # Of the newest message of the log.
    seq: int
    lag: int  # Messages behind this node.
    skew_ms: int  # Its clock less this one’s.
    present: bool


@record
class ClusterResponse:
    node: str | None
    role: Literal['alone', 'follower', 'leader']
    epoch: int
    position: int  # Of the newest message of the log.
    seq: int
    leader: str | None  # Its name. Null if nobody leads.
    leader_url: str | None  # Null if it is not told.
    nodes: tuple[ClusterNode, ...]
