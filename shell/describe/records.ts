// The records that answers are made of, as JSON Schema: every field, which may be null and which absent. Money, prices and
// sizes of accounts are decimal texts, market data are numbers. They describe; the answers are made elsewhere, and a test
// compares both.

import { WIN_CONDITIONS } from '../../core/registry/competitions.ts';
import { STATUS } from '../http/errors.ts';
import type { EnumName } from '../http/fields.ts';
import {
  ADDRESS, BOOL, DECIMAL, HINT, ID, INTEGER, ISO, list, MILLIS, MMP_TRIGGERED, NAMED_STANDING, NUMBER, nullable, oneOf, ORDER_STANDING,
  record, ref, SECONDS, TEXT, UPDATE_REASON, type Json,
} from '../http/json-schema.ts';
import { COMPETITION_STATES, INTERVALS, RESOLUTIONS, SORT_ORDERS } from '../ipc/queries.ts';
import { FILL_KINDS, INSTRUMENT_STATUSES, MARGIN_MODES, ORDER_STATUSES, SIDES, TIERS, TIFS } from '../ipc/enum-names.ts';

/** The client's own text in the answer to the request that carried it. */
const ECHOED: Json = { type: 'string', description: 'As sent in the answer to the request that carried it, else plain decimal text.' };
const SIDE = oneOf(...SIDES);
const TIF = oneOf(...TIFS);
const INSTRUMENT_TYPE = oneOf('option', 'perp');
const INSTRUMENT_STATUS = oneOf(...INSTRUMENT_STATUSES);
const LEVELS = list({ type: 'array', prefixItems: [NUMBER, NUMBER], minItems: 2, maxItems: 2, description: '[price, size in contracts]' });
const GREEKS = record({}, { delta: NUMBER, gamma: NUMBER, vega: NUMBER, theta: NUMBER, rho: NUMBER });

const TRADING: Json = {
  OrderInfo: record({
    symbol: TEXT, price: ECHOED, size: ECHOED, side: SIDE, tif: TIF, client_id: nullable(TEXT), order_id: nullable(INTEGER),
    is_perp: BOOL, underlying: nullable(TEXT), reduce_only: nullable(BOOL), nonce: nullable(INTEGER), signature: nullable(TEXT),
    mmp_enabled: BOOL, builder_code_address: nullable(TEXT),
  }),
  OrderUpdateMessage: record({
    timestamp: MILLIS, info: ref('OrderInfo'), status: oneOf('ACKED', 'REJECTED', 'CANCELED'),
    reason: UPDATE_REASON, ...NAMED_STANDING,
    filled_size: { ...NUMBER, description: 'Contracts filled at once.' }, order_id: nullable(ID), wallet_address: ADDRESS,
    mmp_triggered: MMP_TRIGGERED,
  }),
  BulkOrderResult: record({ index: INTEGER, success: BOOL }, {
    data: ref('OrderUpdateMessage'), error: TEXT, hint: HINT,
    replayed: { ...BOOL, description: 'The first outcome of a request that came before.' },
  }),
  CancelAllData: record({
    wallet_address: ADDRESS, scope: TEXT, cancelled: { ...INTEGER, description: 'Orders cancelled at once.' },
    pending: { ...BOOL, description: 'The rest is being cancelled.' },
  }),
  VoidNoncesData: record({ wallet_address: ADDRESS, up_to: { ...INTEGER, description: 'May be above 2^53.' } }),
  CancelAfterData: record({ wallet_address: ADDRESS, timeout_ms: INTEGER, cancel_at: nullable(MILLIS) }),
  CancelOnDisconnectData: record({
    wallet_address: ADDRESS, enabled: BOOL, grace_ms: INTEGER, connection: TEXT, cancel_at: nullable(MILLIS),
  }),
  Order: record({
    order_id: ID, wallet_address: ADDRESS, symbol: TEXT, side: SIDE, price: DECIMAL, size: DECIMAL, tif: TIF,
    status: oneOf(...ORDER_STATUSES), ...ORDER_STANDING, created_at: MILLIS,
    updated_at: nullable(ISO), filled_size: DECIMAL, client_id: nullable(TEXT), reduce_only: nullable(BOOL), mmp_enabled: BOOL,
    instrument_type: INSTRUMENT_TYPE,
  }),
  Fill: record({
    fill_id: ID, trade_id: { ...nullable(ID), description: 'Null of other kinds than `trade`.' }, wallet_address: ADDRESS, symbol: TEXT,
    price: DECIMAL, size: DECIMAL,
    fee: { ...DECIMAL, description: 'Of a fill of a liquidation’s order its part of the liquidation fee is in it.' }, side: SIDE,
    is_taker: BOOL,
    timestamp: MILLIS, created_at: ISO, builder_code_address: nullable(ADDRESS), builder_code_fee: nullable(DECIMAL),
    realized_pnl: nullable(DECIMAL), explorer_url: nullable(TEXT), instrument_type: INSTRUMENT_TYPE,
    order_id: { ...nullable(ID), description: 'Null of other kinds than `trade`.' }, kind: oneOf(...FILL_KINDS),
  }),
  Trade: record({
    trade_id: ID, symbol: TEXT, price: DECIMAL, size: DECIMAL, maker_address: ADDRESS, taker_address: ADDRESS, maker_fee: DECIMAL,
    taker_fee: DECIMAL, taker_side: SIDE, timestamp: MILLIS, created_at: ISO,
  }),
  Pagination: record({
    limit: { ...INTEGER, minimum: 0, description: 'The limit in force.' }, offset: { ...INTEGER, minimum: 0 },
    count: { ...INTEGER, minimum: 0, description: 'Rows of this page.' },
  }),
};

/** Of a position. */
const TOLD = { ...nullable(DECIMAL), description: 'Never null in GET /portfolio; in a PositionUpdate where it is beyond 2^53 millionths.' };

const ACCOUNT: Json = {
  Position: record({
    wallet_address: ADDRESS, symbol: TEXT, amount: DECIMAL, entry_price: DECIMAL, margin_posted: TOLD, realized_pnl: DECIMAL,
    unrealized_pnl: TOLD, updated_at: ISO, instrument_type: INSTRUMENT_TYPE, notional_value: TOLD, maintenance_margin: TOLD,
    liquidation_price: {
      ...nullable(DECIMAL),
      description: 'The index nearest to now at which equity would be the maintenance margin, all else unchanged; of an account that is '
        + 'below it already, where it would have it again. Null if there is none from 0.01 to 10 times the index. A PositionUpdate has '
        + 'null always: it is told by GET /portfolio.',
    },
    margin_ratio: { ...nullable(DECIMAL), description: 'Maintenance margin over equity, at most 9007199254.740991; null without equity.' },
  }),
  SpanMargin: record({
    equity: DECIMAL, initial_margin_required: DECIMAL, maintenance_margin_required: DECIMAL, open_orders_initial_margin: DECIMAL,
    option_margin_required: DECIMAL, scanning_risk: DECIMAL, option_floor: DECIMAL, gamma_overlay: DECIMAL,
    hypercore_margin_required: DECIMAL,
  }),
  MarginSummary: record({
    mode: oneOf(...MARGIN_MODES), equity: DECIMAL, position_im: DECIMAL, open_orders_im: DECIMAL,
    initial_margin: { ...DECIMAL, description: 'Collateral beyond the initial margin.' },
    maintenance_margin: { ...DECIMAL, description: 'Equity beyond the maintenance margin.' },
  }, { open_orders_premium_reserved: DECIMAL }),
  Portfolio: record({
    wallet_address: ADDRESS, positions: list(ref('Position')), total_margin_used: DECIMAL, available_balance: DECIMAL,
    margin_mode: oneOf(...MARGIN_MODES),
  }, {
    withdrawable_usdc: DECIMAL, portfolio_snapshot_timestamp_ms: nullable(INTEGER), span_margin: ref('SpanMargin'),
    margin_summary: ref('MarginSummary'),
  }),
  SettlementPayout: record({
    id: ID, wallet: ADDRESS, symbol: TEXT, expiry_ts: SECONDS, position_size: DECIMAL, settlement_price: DECIMAL, settlement_value: DECIMAL,
    settlement_entry_price: nullable(DECIMAL), cost_basis: nullable(DECIMAL), net_pnl: nullable(DECIMAL), ledger_applied: BOOL,
    is_seen: BOOL,
    created_at: nullable(MILLIS),
  }),
  EquityPoint: record({ timestamp: MILLIS, equity: DECIMAL }, {
    attribution: { type: ['object', 'null'] }, net_deposits: nullable(DECIMAL),
  }),
  MmpConfigData: record({ wallet_address: ADDRESS, currency: TEXT, interval_ms: INTEGER, frozen_time_ms: INTEGER, enabled: BOOL }, {
    qty_limit: DECIMAL, delta_limit: DECIMAL, vega_limit: DECIMAL, nonce: INTEGER,
  }),
  Medals: record({ pnl: nullable(INTEGER), volume: nullable(INTEGER), efficiency: nullable(INTEGER) }),
  ProfileData: record({
    wallet: ADDRESS, username: TEXT, account_first_seen_ts_ms: nullable(INTEGER), account_age_days: nullable(INTEGER),
    margin: record({ in_use: DECIMAL, available: DECIMAL, total: DECIMAL, deposits: DECIMAL, withdraws: DECIMAL }),
    pnl: record({ unrealized: DECIMAL, pnl_24h: DECIMAL, lifetime_realized: DECIMAL }),
  }, {
    account_wallet: ADDRESS, profile_image_url: nullable(TEXT), medal: nullable(INTEGER), platform_medals: ref('Medals'),
    active_competition_rank: ref('Standing'),
  }),
  LiquidationState: oneOf('healthy', 'pre_liquidation', 'in_liquidation', 'liquidated'),
  Username: record({ wallet_address: ADDRESS, username: TEXT }),
  UsernameRequest: record({ id: INTEGER, wallet_address: ADDRESS, requested_username: TEXT, status: oneOf('approved'), created_at: ISO }),
  UserTier: record({
    wallet_address: ADDRESS, tier: oneOf(...TIERS),
    limits: record({
      max_open_orders: INTEGER, max_open_positions: INTEGER, orders_per_minute: INTEGER, cancels_per_minute: INTEGER,
      api_requests_per_minute: INTEGER,
    }),
  }),
};

const MARKETS: Json = {
  MarketInstrument: record({
    instrument_id: ID, id: TEXT, underlying: TEXT, strike: DECIMAL, expiry: SECONDS, option_type: oneOf('call', 'put'),
    option_token_address: nullable(ADDRESS), mark_iv: nullable(DECIMAL), volume_24h: DECIMAL, open_interest: DECIMAL, updated_at: ISO,
    status: INSTRUMENT_STATUS, trading_mode: oneOf('orderbook'),
  }),
  Market: record({
    underlying: TEXT, expiry: SECONDS, index_price: DECIMAL, atm_vol: nullable(DECIMAL), total_volume_24h: DECIMAL,
    total_open_interest: DECIMAL,
  }, { instruments: list(ref('MarketInstrument')), prev_day_price: DECIMAL, prev_day_px: DECIMAL }),
  InstrumentResponse: record({
    price_index: TEXT, rfq: BOOL, orderbook: BOOL, kind: oneOf('option'), instrument_name: TEXT, option_token_address: nullable(ADDRESS),
    maker_commission: NUMBER, taker_commission: NUMBER, instrument_type: oneOf('linear'), expiration_timestamp: MILLIS,
    creation_timestamp: MILLIS,
    is_active: BOOL, option_type: oneOf('call', 'put'), contract_size: NUMBER, tick_size: NUMBER, strike: NUMBER, instrument_id: ID,
    settlement_period: oneOf('day', 'week', 'month'), min_trade_amount: NUMBER, block_trade_commission: NUMBER,
    block_trade_min_trade_amount: NUMBER, block_trade_tick_size: NUMBER, settlement_currency: TEXT, base_currency: TEXT,
    counter_currency: TEXT, quote_currency: TEXT, tick_size_steps: list(record({ tick_size: NUMBER, above_price: NUMBER })),
    status: INSTRUMENT_STATUS,
  }),
  OrderBookResponse: record({
    timestamp: MILLIS, state: oneOf('open', 'closed', 'settled'),
    stats: record({ high: nullable(NUMBER), low: nullable(NUMBER), price_change: nullable(NUMBER), volume: NUMBER, volume_usd: NUMBER }),
    change_id: INTEGER, index_price: NUMBER, instrument_name: TEXT, option_token_address: nullable(ADDRESS), bids: LEVELS, asks: LEVELS,
    last_price: nullable(NUMBER), settlement_price: NUMBER, min_price: NUMBER, max_price: NUMBER, open_interest: NUMBER, mark_price: NUMBER,
    best_bid_price: NUMBER, best_ask_price: NUMBER, underlying_price: NUMBER, underlying_index: TEXT, interest_rate: NUMBER,
    estimated_delivery_price: NUMBER, best_ask_amount: NUMBER, best_bid_amount: NUMBER, seq: INTEGER,
  }, {
    greeks: GREEKS, theoretical_price: NUMBER, mark_iv: nullable(NUMBER), ask_iv: nullable(NUMBER), bid_iv: nullable(NUMBER),
  }),
  InstrumentWithOrderbook: record({ instrument: ref('InstrumentResponse'), orderbook: ref('OrderBookResponse') }),
  OptionSummary: record({
    instrument_id: ID, instrument_name: TEXT, option_token_address: nullable(ADDRESS), expiration_timestamp: MILLIS, bid_price: NUMBER,
    ask_price: NUMBER, mark_price: NUMBER, mark_iv: nullable(NUMBER), underlying_price: NUMBER, underlying_index: TEXT,
    open_interest: NUMBER, volume: NUMBER, volume_usd: NUMBER, high: nullable(NUMBER), low: nullable(NUMBER), last: nullable(NUMBER),
    price_change: nullable(NUMBER), interest_rate: NUMBER, estimated_delivery_price: NUMBER, creation_timestamp: MILLIS,
    base_currency: TEXT, quote_currency: TEXT, mid_price: NUMBER,
  }, {
    theoretical_price: nullable(NUMBER), ask_iv: nullable(NUMBER), bid_iv: nullable(NUMBER), raw_mark_iv: nullable(NUMBER),
    est_mark_iv: nullable(NUMBER), best_bid_size: nullable(NUMBER), best_ask_size: nullable(NUMBER), greeks: nullable(GREEKS),
    indicative_bid_price: nullable(NUMBER), indicative_ask_price: nullable(NUMBER), indicative_bid_size: nullable(NUMBER),
    indicative_ask_size: nullable(NUMBER), raw_greeks: nullable(GREEKS), est_greeks: nullable(GREEKS),
  }),
  OptionsChainLeg: record({
    symbol: TEXT, option_token_address: nullable(ADDRESS), bid_price_usd: nullable(NUMBER), bid_iv: nullable(NUMBER),
    bid_size_contracts: nullable(NUMBER), bid_size_usd_notional: nullable(NUMBER), ask_price_usd: nullable(NUMBER),
    ask_iv: nullable(NUMBER),
    ask_size_contracts: nullable(NUMBER), ask_size_usd_notional: nullable(NUMBER),
    greeks_abs: nullable(record({ delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER })),
    greeks_cash: nullable(record({ delta_1pct_usd: NUMBER, gamma_1pct_usd: NUMBER, theta_1d_usd: NUMBER, vega_1vol_usd: NUMBER })),
  }),
  OptionsChainSnapshotResponse: record({
    currency: TEXT, expiry: SECONDS, rows: list(record({ strike: NUMBER }, { call: ref('OptionsChainLeg'), put: ref('OptionsChainLeg') })),
  }),
  Greeks: record({
    symbol: TEXT, delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER, rho: NUMBER, iv: nullable(NUMBER), mark_price: NUMBER,
    underlying_price: NUMBER, timestamp: MILLIS,
  }),
  Candle: record({
    underlying: TEXT, resolution: ref('CandleResolution'), start_time_ms: MILLIS, end_time_ms: MILLIS, open: NUMBER,
    high: NUMBER, low: NUMBER, close: NUMBER,
    volume: NUMBER,
  }),
  GasProviderResponse: record({
    chain_id: INTEGER, gas_price: TEXT, base_fee_per_gas: TEXT, max_fee_per_gas: TEXT, max_priority_fee_per_gas: TEXT, timestamp: MILLIS,
  }),
};

const RISK: Json = {
  Scenario: record({ id: TEXT, spot_shock_pct: DECIMAL, vol_shock_pct: DECIMAL, pnl_weight: DECIMAL, is_tail: BOOL }, {
    total_pnl: DECIMAL,
  }),
  RiskGrid: record({
    margin_mode: oneOf(...MARGIN_MODES), equity: DECIMAL, collateral: DECIMAL, position_initial_margin: DECIMAL,
    position_maintenance_margin: DECIMAL, open_orders_initial_margin: DECIMAL, open_orders_reserved: DECIMAL,
    total_initial_margin: DECIMAL, scanning_risk: DECIMAL, option_floor: DECIMAL, gamma_overlay: DECIMAL,
    underlyings: list(record({
      underlying: TEXT, vintage: INTEGER, marked_at: MILLIS, index_price: DECIMAL, scenarios: list(ref('Scenario')),
      extended_risk_matrix: record({
        scenarios: list(ref('Scenario')),
        instruments: list(record({
          symbol: TEXT, underlying: TEXT, instrument_type: INSTRUMENT_TYPE, amount: DECIMAL, base_amount: DECIMAL, current_value: DECIMAL,
          scenario_pnls: list(DECIMAL),
        })),
        total_pnls: list(DECIMAL), worst_scenario_index: INTEGER, worst_scenario_pnl: DECIMAL,
      }),
    })),
  }),
};

const COMPETITION_METRIC = ref('CompetitionSortByValue');
const COMPETITIONS: Json = {
  Competition: record({
    id: ID, name: TEXT, description: nullable(TEXT), rules_url: nullable(TEXT), rules_content: nullable(TEXT),
    win_conditions: list(COMPETITION_METRIC), primary_win_condition: COMPETITION_METRIC, start_ts_ms: MILLIS, end_ts_ms: MILLIS,
    state: ref('CompetitionStateValue'), created_at: ISO, updated_at: ISO,
  }),
  LeaderboardRow: record({
    rank: ID, wallet: ADDRESS, username: TEXT, pnl: DECIMAL, volume: DECIMAL, efficiency: DECIMAL, medal: nullable(INTEGER),
  }),
  Standing: record({
    competition_id: ID, competition_name: TEXT, competition_state: ref('CompetitionStateValue'), rank: nullable(ID), pnl: DECIMAL,
    volume: DECIMAL, efficiency: DECIMAL, medal: nullable(INTEGER),
  }),
  ConnectedUser: record({
    wallet: ADDRESS, username: TEXT, rank: nullable(INTEGER), pnl: nullable(DECIMAL), volume: nullable(DECIMAL),
    efficiency: nullable(DECIMAL),
    medal: nullable(INTEGER),
  }),
};

const COMPONENT_STATE = oneOf('ready', 'degraded', 'not_ready');
const READY_STATUS = oneOf('ready', 'not_ready');
const INDEX_SOURCE = {
  ...oneOf('sim', 'manual', 'mid', 'bounded', 'mid_alone', 'oracle_alone', 'none'),
  description: 'What the index is made of. Of another venue: its mid; its oracle price and 0.5 %, beyond which the mid is; one alone.',
};

const SERVICE: Json = {
  Component: record({ name: TEXT, state: COMPONENT_STATE, ready: BOOL, detail: TEXT }),
  IndexStatus: record({ underlying: TEXT, source: INDEX_SOURCE, index_age_ms: nullable(INTEGER), stale: BOOL }),
  WaitingExpiry: record({ underlying: TEXT, expiry: MILLIS, contracts: INTEGER, status: { const: 'EXPIRED_PENDING_PRICE' } }),
  ReadyResponse: record({
    status: READY_STATUS, degraded: { ...BOOL, description: 'A component is not as it should be, and the venue goes on.' },
    components: list(ref('Component')), index_prices: list(ref('IndexStatus')), waiting_expiries: list(ref('WaitingExpiry')),
  }, { retry_after_secs: { ...INTEGER, description: 'While it is not ready.' } }),
  VenueStatus: record({
    status: READY_STATUS, degraded: BOOL,
    components: list(record({ name: TEXT, state: COMPONENT_STATE, ready: BOOL, detail: TEXT, problems: list(TEXT) })),
    underlyings: list(record({
      underlying: TEXT, source: INDEX_SOURCE, index_price: nullable(DECIMAL), index_age_ms: nullable(INTEGER), stale: BOOL,
      listed_contracts: INTEGER, stale_surfaces: INTEGER, waiting_expiries: INTEGER,
    })),
    waiting_expiries: list(ref('WaitingExpiry')), insurance_fund: nullable(DECIMAL), disk_free_bytes: INTEGER,
  }),
};

const CODE = { ...ref('ErrorCode'), description: 'The code that a program reads.' };
const API_ERROR = { success: { const: false }, data: { type: 'null' }, error: CODE, message: TEXT };
const SPENT = { const: 'rate_limit_exceeded' };
const STANDING = { retry_after_secs: INTEGER, limit: INTEGER };
/** What is told beside a signature that is not the wallet's. */
const SIGNATURE_DETAILS = {
  digest: { ...TEXT, description: 'What the venue computed from this request.' }, struct_hash: TEXT, recovered: nullable(TEXT),
  domain: record({ name: TEXT, version: TEXT, chainId: INTEGER, verifyingContract: TEXT }),
};

const ERRORS: Json = {
  Error: record({ error: CODE, message: TEXT }, { hint: HINT }),
  ApiError: record(API_ERROR, { hint: HINT }),
  UnavailableError: record({ error: CODE, message: TEXT, retry_after_secs: INTEGER }),
  ApiResponse: record({ ...API_ERROR, retry_after_secs: INTEGER }),
  GasProviderErrorResponse: record({ error: CODE, message: TEXT }),
  RateLimitError: record({ error: SPENT, message: TEXT, ...STANDING }),
  ApiRateLimitError: record({ ...API_ERROR, error: SPENT, ...STANDING }),
  SignatureError: record({ error: CODE, message: TEXT }, SIGNATURE_DETAILS),
  ApiSignatureError: record(API_ERROR, SIGNATURE_DETAILS),
};

/** Closed sets that have a name in the interface, and the codes of errors. */
const ENUMS: Json = {
  CandleResolution: oneOf(...Object.keys(RESOLUTIONS)), HistoricalPnlInterval: oneOf(...Object.keys(INTERVALS)),
  HistoricalTheoInterval: oneOf(...Object.keys(INTERVALS)), CompetitionStateValue: oneOf(...COMPETITION_STATES),
  CompetitionSortByValue: oneOf(...WIN_CONDITIONS), CompetitionSortOrderValue: oneOf(...SORT_ORDERS),
  ErrorCode: oneOf(...Object.keys(STATUS)),
} satisfies Readonly<Record<EnumName | 'ErrorCode', Json>>;

export const RECORDS: Json = { ...TRADING, ...ACCOUNT, ...MARKETS, ...RISK, ...COMPETITIONS, ...SERVICE, ...ERRORS, ...ENUMS };
