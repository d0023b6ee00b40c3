// table: what the venue answers, field by field as in the wire contract. `Decimal` is a plain decimal text, as all money of
// an account is; market data are numbers. Times end in what they count: milliseconds (`timestamp`, `…_ms`), seconds
// (`expiry`, `expiry_ts`), or ISO 8601 (`…_at`, but for `created_at` of an order and a payout, in ms).

export type Decimal = string;
export type Side = 'Buy' | 'Sell';
export type Tif = 'gtc' | 'ioc' | 'fok';
export type InstrumentType = 'option' | 'perp';
export type InstrumentStatus = 'ACTIVE' | 'EXPIRED_PENDING_PRICE' | 'SETTLED';

// Envelopes.
export type Api<T> = { readonly success: true; readonly data: T; readonly error: null };
export type One<T> = { readonly success: boolean; readonly data: T };
export type List<T> = { readonly success: boolean; readonly data: readonly T[] };
export type Paged<T> = List<T> & { readonly pagination: { readonly limit: number; readonly offset: number; readonly count: number } };

// Orders.
/** `nonce` is rounded above 2^53, as numbers of JSON are here: who gave it as a bigint has its digits. */
export type OrderInfo = {
  readonly symbol: string; readonly price: Decimal; readonly size: Decimal; readonly side: Side; readonly tif: Tif;
  readonly client_id: string | null; readonly order_id: number | null; readonly is_perp: boolean; readonly underlying: string | null;
  readonly reduce_only: boolean | null; readonly nonce: number | null; readonly signature: null; readonly mmp_enabled: boolean;
  readonly builder_code_address: string | null;
};
/** `rejected` is of answers alone; `untriggered` of an order that waits for its trigger. */
export type OrderStatus = 'open' | 'partially_filled' | 'filled' | 'canceled' | 'rejected' | 'untriggered';
/**
 * Of an order, a replace or a cancel. REJECTED comes with a reason and without an order id: it is an answer, not an error.
 * `order_status`: how the order stood then, of a cancel the one that it names (null: the venue does not know it); `end_reason`: why
 * it is over, null while it is open.
 */
export type OrderUpdate = {
  readonly timestamp: number; readonly info: OrderInfo; readonly status: 'ACKED' | 'REJECTED' | 'CANCELED'; readonly reason: string | null;
  readonly order_status: OrderStatus | null; readonly end_reason: string | null;
  readonly filled_size: number; readonly order_id: number | null; readonly wallet_address: string; readonly mmp_triggered: boolean;
};
/** `replayed`: the venue had acted on this item before. */
export type BulkResult = {
  readonly index: number; readonly success: boolean; readonly data?: OrderUpdate; readonly error?: string; readonly hint?: string;
  readonly replayed?: boolean;
};
export type BulkAnswer = { readonly results: readonly BulkResult[] };
/** `pending`: more are being cancelled than fit into one step. */
export type CancelAllAnswer = {
  readonly success: boolean; readonly error: string | null;
  readonly data: { readonly wallet_address: string; readonly scope: string; readonly cancelled: number; readonly pending: boolean } | null;
};
/** `up_to` is rounded above 2^53, as numbers of JSON are here. */
export type VoidNoncesData = { readonly wallet_address: string; readonly up_to: number };
/** `cancel_at`: in ms, null while nothing runs. */
export type CancelAfterData = { readonly wallet_address: string; readonly timeout_ms: number; readonly cancel_at: number | null };
export type CancelOnDisconnectData = {
  readonly wallet_address: string; readonly enabled: boolean; readonly grace_ms: number; readonly connection: string;
  readonly cancel_at: number | null;
};
export type Order = {
  readonly order_id: number; readonly wallet_address: string; readonly symbol: string; readonly side: Side; readonly price: Decimal;
  readonly size: Decimal; readonly tif: Tif; readonly status: OrderStatus; readonly order_status: OrderStatus;
  readonly end_reason: string | null; readonly created_at: number; readonly updated_at: string | null;
  readonly filled_size: Decimal; readonly client_id: string | null; readonly reduce_only: boolean | null; readonly mmp_enabled: boolean;
  readonly instrument_type: InstrumentType;
};
export type Fill = {
  readonly fill_id: number; readonly trade_id: number | null; readonly wallet_address: string; readonly symbol: string;
  readonly price: Decimal; readonly size: Decimal; readonly fee: Decimal; readonly side: Side; readonly is_taker: boolean;
  readonly timestamp: number; readonly created_at: string; readonly builder_code_address: string | null;
  readonly builder_code_fee: Decimal | null; readonly realized_pnl: Decimal | null; readonly explorer_url: string | null;
  readonly instrument_type: InstrumentType; readonly order_id: number | null; readonly kind: 'trade' | 'takeover' | 'deleveraging';
};
export type Trade = {
  readonly trade_id: number; readonly symbol: string; readonly price: Decimal; readonly size: Decimal; readonly maker_address: string;
  readonly taker_address: string; readonly maker_fee: Decimal; readonly taker_fee: Decimal; readonly taker_side: Side;
  readonly timestamp: number; readonly created_at: string;
};

// People.
export type AgentAnswer = { readonly success: boolean; readonly error: string | null };
export type MarginMode = 'standard' | 'portfolio';
export type MarginModeData = { readonly wallet: string; readonly margin_mode: MarginMode; readonly previous_mode: MarginMode };
export type MmpConfigData = {
  readonly wallet_address: string; readonly currency: string; readonly interval_ms: number; readonly frozen_time_ms: number;
  readonly qty_limit?: Decimal; readonly delta_limit?: Decimal; readonly vega_limit?: Decimal; readonly enabled: boolean;
};
export type UsernameAnswer = Api<{ readonly wallet_address: string; readonly username: string }>;
export type UsernameRequestData = {
  readonly id: number; readonly wallet_address: string; readonly requested_username: string; readonly status: string;
  readonly created_at: string;
};
export type PayoutsSeenAnswer = {
  readonly success: boolean; readonly requested: number; readonly affected: number; readonly error: string | null;
};
/** Of a limit -1 is none. */
export type TierAnswer = One<{
  readonly wallet_address: string; readonly tier: string;
  readonly limits: {
    readonly max_open_orders: number; readonly max_open_positions: number; readonly orders_per_minute: number;
    readonly cancels_per_minute: number; readonly api_requests_per_minute: number;
  };
}>;

// Markets.
export type ExchangeInfo = {
  readonly exchange_address: string; readonly chain_id: number;
  readonly signing_domain: { readonly name: string; readonly version: string };
  readonly perp_signing_domain: { readonly name: string; readonly version: string; readonly chain_id: number };
  readonly perp_source: string; readonly venue_id: string; readonly head_seq: number; readonly head_hash: string;
  readonly perp_assets: readonly { readonly asset: number; readonly symbol: string; readonly underlying: string }[];
};
export type Instrument = {
  readonly instrument_id: number; readonly instrument_name: string; readonly kind: string; readonly option_type: 'call' | 'put';
  readonly instrument_type: string; readonly option_token_address: string | null; readonly rfq: boolean; readonly orderbook: boolean;
  readonly strike: number; readonly expiration_timestamp: number; readonly creation_timestamp: number; readonly is_active: boolean;
  readonly status: InstrumentStatus; readonly base_currency: string; readonly quote_currency: string; readonly counter_currency: string;
  readonly settlement_currency: string; readonly settlement_period: string; readonly price_index: string; readonly contract_size: number;
  readonly tick_size: number; readonly tick_size_steps: readonly { readonly tick_size: number; readonly above_price: number }[];
  readonly min_trade_amount: number; readonly maker_commission: number; readonly taker_commission: number;
  readonly block_trade_commission: number; readonly block_trade_min_trade_amount: number; readonly block_trade_tick_size: number;
};
export type MarketInstrument = {
  readonly instrument_id: number; readonly id: string; readonly underlying: string; readonly strike: Decimal; readonly expiry: number;
  readonly option_type: 'call' | 'put'; readonly option_token_address: string | null; readonly mark_iv: Decimal | null;
  readonly volume_24h: Decimal; readonly open_interest: Decimal; readonly updated_at: string; readonly status: InstrumentStatus;
  readonly trading_mode: string;
};
export type Market = {
  readonly underlying: string; readonly expiry: number; readonly index_price: Decimal; readonly atm_vol: Decimal | null;
  readonly instruments?: readonly MarketInstrument[]; readonly total_volume_24h: Decimal; readonly total_open_interest: Decimal;
};
export type Greeks = {
  readonly delta: number; readonly gamma: number; readonly vega: number; readonly theta: number; readonly rho: number;
};
export type OrderBook = {
  readonly timestamp: number; readonly state: string; readonly change_id: number; readonly instrument_name: string;
  readonly option_token_address: string | null; readonly min_price: number; readonly max_price: number;
  readonly bids: readonly (readonly [price: number, size: number])[]; readonly asks: readonly (readonly [price: number, size: number])[];
  readonly best_bid_price: number; readonly best_ask_price: number; readonly best_bid_amount: number; readonly best_ask_amount: number;
  readonly index_price: number; readonly underlying_price: number; readonly underlying_index: string; readonly mark_price: number;
  readonly theoretical_price?: number; readonly last_price: number | null; readonly settlement_price: number;
  readonly open_interest: number; readonly mark_iv?: number; readonly bid_iv?: number | null; readonly ask_iv?: number | null;
  readonly greeks?: Greeks; readonly interest_rate: number; readonly estimated_delivery_price: number;
  /** That of the channels `orderbook` and `book`. */
  readonly seq: number;
  readonly stats: {
    readonly high: number | null; readonly low: number | null; readonly price_change: number | null; readonly volume: number;
    readonly volume_usd: number;
  };
};
export type OptionSummary = {
  readonly instrument_id: number; readonly instrument_name: string; readonly option_token_address: string | null;
  readonly creation_timestamp: number; readonly expiration_timestamp: number; readonly base_currency: string;
  readonly quote_currency: string; readonly interest_rate: number; readonly estimated_delivery_price: number; readonly bid_price: number;
  readonly ask_price: number; readonly mid_price: number; readonly mark_price: number; readonly mark_iv: number | null;
  readonly underlying_price: number; readonly underlying_index: string; readonly open_interest: number; readonly volume: number;
  readonly volume_usd: number; readonly high: number | null; readonly low: number | null; readonly last: number | null;
  readonly price_change: number | null; readonly greeks?: Partial<Greeks> | null; readonly theoretical_price?: number | null;
  readonly bid_iv?: number | null; readonly ask_iv?: number | null; readonly best_bid_size?: number | null;
  readonly best_ask_size?: number | null;
};
export type ChainLeg = {
  readonly symbol: string; readonly option_token_address: string | null; readonly bid_price_usd: number | null;
  readonly bid_iv: number | null; readonly bid_size_contracts: number | null;
  readonly bid_size_usd_notional: number | null; readonly ask_price_usd: number | null; readonly ask_iv: number | null;
  readonly ask_size_contracts: number | null; readonly ask_size_usd_notional: number | null;
  readonly greeks_abs: Omit<Greeks, 'rho'> | null;
  readonly greeks_cash: {
    readonly delta_1pct_usd: number; readonly gamma_1pct_usd: number; readonly theta_1d_usd: number; readonly vega_1vol_usd: number;
  } | null;
};
export type OptionsChain = {
  readonly currency: string; readonly expiry: number;
  readonly rows: readonly { readonly strike: number; readonly call?: ChainLeg; readonly put?: ChainLeg }[];
};
export type GreeksData = Greeks & {
  readonly symbol: string; readonly iv: number | null; readonly mark_price: number; readonly underlying_price: number;
  readonly timestamp: number;
};
export type LimitIvData = {
  readonly symbol: string; readonly iv: number; readonly limit_price: Decimal; readonly theoretical_price: number;
  readonly underlying_price: number; readonly timestamp: number;
};
export type Candle = {
  readonly underlying: string; readonly resolution: string; readonly start_time_ms: number; readonly end_time_ms: number;
  readonly open: number; readonly high: number; readonly low: number; readonly close: number; readonly volume: number;
};
export type CandlesData = { readonly underlying: string; readonly resolution: string; readonly candles: readonly Candle[] };
export type TheosData = {
  readonly instrument_name: string; readonly interval: string;
  readonly points: readonly { readonly timestamp: number; readonly theoretical_price: number }[];
};
/** Wei per gas. */
export type GasData = {
  readonly chain_id: number; readonly gas_price: string; readonly base_fee_per_gas: string; readonly max_fee_per_gas: string;
  readonly max_priority_fee_per_gas: string; readonly timestamp: number;
};

// Accounts.
export type Position = {
  readonly wallet_address: string; readonly symbol: string; readonly amount: Decimal; readonly entry_price: Decimal;
  readonly margin_posted: Decimal; readonly realized_pnl: Decimal; readonly unrealized_pnl: Decimal; readonly updated_at: string;
  readonly instrument_type: InstrumentType; readonly notional_value: Decimal; readonly maintenance_margin: Decimal;
  /** Of GET /portfolio alone; a PositionUpdate has null. */
  readonly liquidation_price: Decimal | null; readonly margin_ratio: Decimal | null;
};
export type Portfolio = {
  readonly wallet_address: string; readonly positions: readonly Position[]; readonly total_margin_used: Decimal;
  readonly available_balance: Decimal; readonly withdrawable_usdc?: Decimal; readonly margin_mode: MarginMode;
  readonly portfolio_snapshot_timestamp_ms?: number | null;
  readonly span_margin?: Readonly<Record<string, Decimal>>;
  readonly margin_summary?: {
    readonly mode: string; readonly equity: Decimal; readonly position_im: Decimal; readonly open_orders_im: Decimal;
    readonly initial_margin: Decimal; readonly maintenance_margin: Decimal; readonly open_orders_premium_reserved?: Decimal;
  };
};
type LegGreeks = Omit<Greeks, 'rho'> & { readonly iv: number | null };
export type PortfolioGreeks = {
  readonly wallet_address: string; readonly per_leg: readonly (LegGreeks & { readonly symbol: string; readonly quantity: Decimal })[];
  readonly aggregate?: LegGreeks;
};
export type PnlData = {
  readonly wallet_address: string; readonly interval: string;
  readonly points: readonly { readonly timestamp: number; readonly equity: Decimal }[];
};
export type Payout = {
  readonly id: number; readonly wallet: string; readonly symbol: string; readonly expiry_ts: number; readonly position_size: Decimal;
  readonly settlement_price: Decimal; readonly settlement_value: Decimal; readonly settlement_entry_price: Decimal | null;
  readonly cost_basis: Decimal | null; readonly net_pnl: Decimal | null; readonly ledger_applied: boolean; readonly is_seen: boolean;
  readonly created_at: number | null;
};
type Medal = number | null;
export type Profile = {
  readonly wallet: string; readonly account_wallet?: string; readonly username: string; readonly account_first_seen_ts_ms: number | null;
  readonly account_age_days: number | null;
  readonly margin: Readonly<Record<'in_use' | 'available' | 'total' | 'deposits' | 'withdraws', Decimal>>;
  readonly pnl: Readonly<Record<'unrealized' | 'pnl_24h' | 'lifetime_realized', Decimal>>;
  readonly profile_image_url?: string | null; readonly medal?: Medal;
  readonly platform_medals?: Readonly<Record<'pnl' | 'volume' | 'efficiency', Medal>>;
  readonly active_competition_rank?: {
    readonly competition_id: number; readonly competition_name: string; readonly competition_state: Competition['state'];
    readonly rank: number | null; readonly pnl: Decimal; readonly volume: Decimal; readonly efficiency: Decimal; readonly medal: Medal;
  };
};

// Risk.
type Scenario = {
  readonly id: string; readonly spot_shock_pct: Decimal; readonly vol_shock_pct: Decimal; readonly pnl_weight: Decimal;
  readonly is_tail: boolean;
};
export type RiskGrid = {
  readonly margin_mode: MarginMode; readonly equity: Decimal; readonly collateral: Decimal;
  readonly position_initial_margin: Decimal; readonly position_maintenance_margin: Decimal;
  readonly open_orders_initial_margin: Decimal; readonly open_orders_reserved: Decimal; readonly total_initial_margin: Decimal;
  readonly scanning_risk: Decimal; readonly option_floor: Decimal; readonly gamma_overlay: Decimal;
  readonly underlyings: readonly {
    readonly underlying: string; readonly vintage: number; readonly marked_at: number; readonly index_price: Decimal;
    readonly scenarios: readonly (Scenario & { readonly total_pnl: Decimal })[];
    readonly extended_risk_matrix: {
      readonly scenarios: readonly Scenario[];
      readonly instruments: readonly {
        readonly symbol: string; readonly underlying: string; readonly instrument_type: InstrumentType; readonly amount: Decimal;
        readonly base_amount: Decimal;
        readonly current_value: Decimal; readonly scenario_pnls: readonly Decimal[];
      }[];
      readonly total_pnls: readonly Decimal[]; readonly worst_scenario_index: number; readonly worst_scenario_pnl: Decimal;
    };
  }[];
};

// Competitions.
export type Competition = {
  readonly id: number; readonly name: string; readonly description: string | null; readonly rules_url: string | null;
  readonly rules_content: string | null; readonly win_conditions: readonly string[]; readonly primary_win_condition: string;
  readonly start_ts_ms: number; readonly end_ts_ms: number; readonly state: 'pre' | 'active' | 'post'; readonly created_at: string;
  readonly updated_at: string;
};
type Standing = {
  readonly wallet: string; readonly username: string; readonly rank: number | null; readonly pnl: Decimal | null;
  readonly volume: Decimal | null; readonly efficiency: Decimal | null; readonly medal: number | null;
};
export type Leaderboard = Paged<Standing> & {
  readonly competition_id: number; readonly sort_by: string; readonly sort_order: string; readonly connected_user: Standing | null;
};

// Health.
export type Ready = {
  readonly status: 'ready' | 'not_ready'; readonly message?: string;
  /** A component is not as it should be, and the venue goes on. */
  readonly degraded: boolean;
  readonly components: readonly {
    readonly name: string; readonly state: 'ready' | 'degraded' | 'not_ready'; readonly ready: boolean; readonly detail?: string;
  }[];
  readonly index_prices: readonly {
    readonly underlying: string; readonly source: string; readonly index_age_ms: number | null; readonly stale: boolean;
  }[];
  /** Expiries that wait for the operator's settlement price; `expiry` in ms. */
  readonly waiting_expiries: readonly {
    readonly underlying: string; readonly expiry: number; readonly contracts: number; readonly status: 'EXPIRED_PENDING_PRICE';
  }[];
};
