# Written by `npm run docs`; do not edit.
"""The messages of the socket’s streams."""

from decimal import Decimal
from typing import Any, Literal

from .decoding import record
from .records import (
    CandleResolution,
    MarginSummary,
    OptionsChainLeg,
    Position,
    SpanMargin,
    Standing,
)


@record
class Fill:
    type: Literal['Fill']
    order_id: int
    fill_id: int
    symbol: str
    side: Literal['Buy', 'Sell']
    price: Decimal
    size: Decimal
    wallet_address: str
    fee: Decimal
    trade_id: int
    is_taker: bool
    builder_code_address: str | None
    builder_code_fee: Decimal | None
    instrument_type: Literal['option', 'perp']
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.
    realized_pnl: Decimal | None = None  # Profit that it realized.
    position: Decimal | None = None  # Position after it.


@record
class OrderUpdateRequestTrigger:
    by: Literal['index', 'theo', 'mark']
    direction: Literal['above', 'below']
    price: Decimal


@record
class OrderUpdateRequest:
    price: Decimal
    size: Decimal
    symbol: str
    side: Literal['Buy', 'Sell']
    tif: Literal['gtc', 'ioc', 'fok']
    client_id: str
    post_only: Literal[True, 'slide'] | None = None  # The order was placed so that it rests whole.
    expires_at: int | None = None  # From then on the order trades no more.
    stp: Literal['cancel_maker', 'cancel_taker', 'cancel_both'] | None = None  # What ends when the order meets one of its own wallet.
    trigger: OrderUpdateRequestTrigger | None = None
    link_id: str | None = None  # What one order of the link is filled is taken off the size of each other.
    reduce_only: Literal[True] | None = None  # The order only reduces a position.


@record
class OrderUpdate:
    type: Literal['OrderUpdate']
    order_id: int | None
    request: OrderUpdateRequest
    status: Literal['ACKED', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED', 'UNTRIGGERED', 'TRIGGERED']
    filled_size: Decimal  # Size filled so far.
    reason: str | None
    wallet_address: str
    instrument_type: Literal['option', 'perp']
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class PortfolioUpdateInitial:
    type: Literal['PortfolioUpdate']
    update_type: Literal['Initial']
    wallet_address: str
    positions: tuple[Position, ...]
    total_margin_used: Decimal
    available_balance: Decimal
    margin_mode: Literal['standard', 'portfolio']
    margin_summary: MarginSummary
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.
    withdrawable_usdc: Decimal | None = None
    portfolio_snapshot_timestamp_ms: int | None = None
    span_margin: SpanMargin | None = None


@record
class StreamedPosition:
    wallet_address: str
    symbol: str
    amount: Decimal
    entry_price: Decimal
    margin_posted: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    realized_pnl: Decimal
    unrealized_pnl: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    updated_at: str
    instrument_type: Literal['option', 'perp']
    notional_value: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    maintenance_margin: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    # The index price, nearest to the current one, at which equity equals the maintenance margin if nothing else changes. For an account
    # already below its maintenance margin, the price at which it recovers. Null if there is no such price between 0.01 and 10 times the
    # index. Always null in a PositionUpdate: read it from GET /portfolio.
    liquidation_price: Decimal | None
    margin_ratio: Decimal | None  # Maintenance margin divided by equity, at most 9007199254.740991. Null without equity.


@record
class PortfolioUpdatePositionUpdate:
    type: Literal['PortfolioUpdate']
    update_type: Literal['PositionUpdate']
    position: StreamedPosition
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class PortfolioUpdateBalanceUpdate:
    type: Literal['PortfolioUpdate']
    update_type: Literal['BalanceUpdate']
    total_margin_used: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    available_balance: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    balance: Decimal  # Cash.
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class PortfolioUpdateMarginUpdate:
    type: Literal['PortfolioUpdate']
    update_type: Literal['MarginUpdate']
    total_margin_used: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    available_balance: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    margin_mode: Literal['standard', 'portfolio']
    margin_summary: MarginSummary | None  # Null if an amount of the account exceeds 2^53 millionths.
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.
    span_margin: SpanMargin | None = None  # Null if an amount of the account exceeds 2^53 millionths.


@record
class PortfolioUpdateFundingUpdate:
    type: Literal['PortfolioUpdate']
    update_type: Literal['FundingUpdate']
    symbol: str
    from_time: int  # From when the position owed, ms.
    to_time: int  # End of the last hour charged, ms.
    hours: int  # Hours charged. An hour without open interest or with a stale index is not charged.
    rate: Decimal  # Sum of the rates of these hours.
    position: Decimal
    amount: Decimal  # What the balance changed by. Negative: paid.
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class PortfolioUpdateGreeksUpdatePerLeg:
    symbol: str
    quantity: Decimal
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    iv: Decimal


@record
class PortfolioUpdateGreeksUpdateAggregate:
    delta: Decimal
    gamma: Decimal
    theta: Decimal
    vega: Decimal
    iv: Decimal | None


@record
class PortfolioUpdateGreeksUpdate:
    type: Literal['PortfolioUpdate']
    update_type: Literal['GreeksUpdate']
    per_leg: tuple[PortfolioUpdateGreeksUpdatePerLeg, ...]
    aggregate: PortfolioUpdateGreeksUpdateAggregate | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class PositionExpired:
    type: Literal['PositionExpired']
    wallet_address: str
    symbol: str
    position_size: Decimal
    settlement_price: Decimal
    settlement_value: Decimal
    settlement_entry_price: Decimal | None
    cost_basis: Decimal | None
    net_pnl: Decimal | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class QuotesUpdateQuote:
    quote_set: str
    symbol: str
    side: Literal['Buy', 'Sell']
    status: Literal['OPEN', 'REDUCED', 'REMOVED']
    order_id: int
    price: Decimal
    size: Decimal


@record
class QuotesUpdate:
    type: Literal['QuotesUpdate']
    wallet_address: str
    is_snapshot: bool
    quotes: tuple[QuotesUpdateQuote, ...]
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class LedgerUpdate:
    type: Literal['LedgerUpdate']
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.
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
    timestamp: int  # Milliseconds since the epoch.


LiquidationState = Literal['healthy', 'pre_liquidation', 'in_liquidation', 'liquidated']


@record
class LiquidationStateChangePartialLiquidation:
    entered_at: int  # Milliseconds since the epoch.
    target_equity: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    mm_shortfall: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    escalation_deadline: int  # Milliseconds since the epoch.


@record
class LiquidationStateChangeFullLiquidation:
    liquidated_at: int  # Milliseconds since the epoch.
    winner: str | None
    bonus: Decimal | None


@record
class LiquidationStateChange:
    type: Literal['LiquidationStateChange']
    wallet_address: str
    previous_state: LiquidationState
    new_state: LiquidationState
    liquidation_mode: Literal['partial', 'full'] | None
    margin_mode: Literal['standard', 'portfolio']
    equity: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    mm_required: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    # Equity minus the maintenance requirement. Null if an amount of the account exceeds 2^53 millionths.
    maintenance_margin: Decimal | None
    shortfall: Decimal | None  # Null if an amount of the account exceeds 2^53 millionths.
    partial_liquidation: LiquidationStateChangePartialLiquidation | None
    full_liquidation: LiquidationStateChangeFullLiquidation | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CompetitionUpdate:
    type: Literal['CompetitionUpdate']
    wallet_address: str
    competition_id: int
    rank: int
    pnl: Decimal
    volume: Decimal
    efficiency: Decimal
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CompetitionRankChange:
    type: Literal['CompetitionRankChange']
    wallet_address: str
    competition_id: int
    from_rank: int
    to_rank: int
    delta_places: int  # Places gained; negative: lost.
    pnl: Decimal
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CompetitionGapUpdate:
    type: Literal['CompetitionGapUpdate']
    wallet_address: str
    competition_id: int
    rank: int
    next_rank: int | None
    gap_metric_value: Decimal | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CompetitionPnlSummary:
    type: Literal['CompetitionPnlSummary']
    wallet_address: str
    lifetime_realized_pnl: Decimal
    active_competition: Standing | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CompetitionFinalStats:
    type: Literal['CompetitionFinalStats']
    wallet_address: str
    competition_id: int
    rank: int
    pnl: Decimal
    volume: Decimal
    efficiency: Decimal
    medal: Literal[1, 2, 3] | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CompetitionFinalStanding:
    type: Literal['CompetitionFinalStanding']
    wallet_address: str
    competition_id: int
    rank: int
    pnl: Decimal
    volume: Decimal
    efficiency: Decimal
    medal: Literal[1, 2, 3] | None
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class OrderbookUpdate:
    type: Literal['OrderbookUpdate']
    symbol: str
    option_token_address: str | None
    bids: tuple[tuple[Decimal, Decimal], ...]
    asks: tuple[tuple[Decimal, Decimal], ...]
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class BookUpdate:
    type: Literal['BookUpdate']
    is_snapshot: bool
    symbol: str
    prev_seq: int | None  # `seq` of the previous message. Null in a snapshot.
    bids: tuple[tuple[Decimal, Decimal], ...]
    asks: tuple[tuple[Decimal, Decimal], ...]
    # CRC-32 of the best 25 levels after this message, written as `bid price:bid size:ask price:ask size:...`, best level first. Missing
    # levels are left out.
    checksum: int
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class Trade:
    type: Literal['Trade']
    symbol: str
    price: Decimal
    size: Decimal
    side: Literal['buy', 'sell']
    trade_id: int
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.
    maker_address: str | None = None
    taker_address: str | None = None


@record
class IndexPriceUpdatePrice:
    underlying: str
    price: Decimal
    timestamp: int  # Milliseconds since the epoch.


@record
class IndexPriceUpdate:
    type: Literal['IndexPriceUpdate']
    prices: tuple[IndexPriceUpdatePrice, ...]
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class FundingUpdate:
    type: Literal['FundingUpdate']
    symbol: str
    funding_rate: Decimal | None  # Rate of the last hour charged, as a fraction. Positive: longs pay. Null before the first.
    predicted_rate: Decimal | None  # Rate of the current hour if its mean premium stays. Null before its first sample.
    premium: Decimal | None  # The last premium sample, a fraction of the index. Null before the first.
    index_price: Decimal
    mark_price: Decimal
    next_funding_time: int  # End of the current hour, ms.
    interval_hours: int  # Hours that a rate is for.
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Number of the last command. It ascends and skips.


@record
class PerpTickerUpdate:
    type: Literal['PerpTickerUpdate']
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
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Number of the last command. It ascends and skips.


@record
class MarketUpdate:
    type: Literal['MarketUpdate']
    action: Literal['Created', 'Expired']
    strike: Decimal
    is_call: bool
    underlying: str
    expiry: int  # Seconds since the epoch.
    symbol: str
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class MarketUpdateDeleted:
    type: Literal['MarketUpdate']
    action: Literal['Deleted']
    symbol: str
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class MarketUpdateTradingMode:
    type: Literal['MarketUpdate']
    action: Literal['TradingMode']
    scope: str
    trading_mode: Literal['orderbook', 'cancel_only', 'halted']
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class OptionsChainUpdateUpsertRow:
    strike: Decimal
    call: OptionsChainLeg | None = None
    put: OptionsChainLeg | None = None


@record
class OptionsChainUpdateUpsert:
    type: Literal['OptionsChainUpdate']
    action: Literal['Upsert']
    row: OptionsChainUpdateUpsertRow
    currency: str
    expiry: int  # Seconds since the epoch.
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class OptionsChainUpdateRemove:
    type: Literal['OptionsChainUpdate']
    action: Literal['Remove']
    strike: Decimal
    option_type: Literal['call', 'put']
    symbol: str
    currency: str
    expiry: int  # Seconds since the epoch.
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


@record
class CandleUpdate:
    type: Literal['CandleUpdate']
    underlying: str
    resolution: CandleResolution
    start_time_ms: int  # Milliseconds since the epoch.
    end_time_ms: int  # Milliseconds since the epoch.
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.
    instrument_name: str | None = None
    price: Literal['trade', 'mark'] | None = None
    trades: int | None = None  # Number of trades; 0 for marks.


@record
class VolIndexUpdateIndexe:
    underlying: str
    vol_index: Decimal | None
    timestamp: int  # Milliseconds since the epoch.


@record
class VolIndexUpdate:
    type: Literal['VolIndexUpdate']
    indexes: tuple[VolIndexUpdateIndexe, ...]
    timestamp: int  # Milliseconds since the epoch.
    seq: int  # Sequence number in the stream. It does not change when the venue restarts.


MESSAGES: dict[str, Any] = {
    'Fill': Fill,
    'OrderUpdate': OrderUpdate,
    'PortfolioUpdate': PortfolioUpdateInitial | PortfolioUpdatePositionUpdate | PortfolioUpdateBalanceUpdate | PortfolioUpdateMarginUpdate | PortfolioUpdateFundingUpdate | PortfolioUpdateGreeksUpdate,
    'PositionExpired': PositionExpired,
    'QuotesUpdate': QuotesUpdate,
    'LedgerUpdate': LedgerUpdate,
    'LiquidationStateChange': LiquidationStateChange,
    'CompetitionUpdate': CompetitionUpdate,
    'CompetitionRankChange': CompetitionRankChange,
    'CompetitionGapUpdate': CompetitionGapUpdate,
    'CompetitionPnlSummary': CompetitionPnlSummary,
    'CompetitionFinalStats': CompetitionFinalStats,
    'CompetitionFinalStanding': CompetitionFinalStanding,
    'OrderbookUpdate': OrderbookUpdate,
    'BookUpdate': BookUpdate,
    'Trade': Trade,
    'IndexPriceUpdate': IndexPriceUpdate,
    'FundingUpdate': FundingUpdate,
    'PerpTickerUpdate': PerpTickerUpdate,
    'MarketUpdate': MarketUpdate | MarketUpdateDeleted | MarketUpdateTradingMode,
    'OptionsChainUpdate': OptionsChainUpdateUpsert | OptionsChainUpdateRemove,
    'CandleUpdate': CandleUpdate,
    'VolIndexUpdate': VolIndexUpdate,
}
