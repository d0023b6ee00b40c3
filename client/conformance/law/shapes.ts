// The fields of every record of the interface, with the wire contract's word for their type. A key that ends in `?` may be absent; no other
// field may be there.
//   str text · dec decimal text · num number · int integer · bool · addr 0x address, lower case · hex 0x text · iso RFC 3339
//   ms, sec integer moments · null · any · 'a|b' one of these texts.  A word that ends in `?` may be null.
// A list is written [element], a record {…}, a map from texts {'*': …}.

export type Shape = string | readonly [Shape] | { readonly [name: string]: Shape };

const PAGINATION = { limit: 'int', offset: 'int', count: 'int' } as const;

export function api(data: Shape): Shape {
  return { success: 'true', data, error: 'null' };
}

export function list(row: Shape): Shape {
  return { success: 'true', data: [row] };
}

export function paged(row: Shape, more: { readonly [name: string]: Shape } = {}): Shape {
  return { success: 'true', data: [row], pagination: PAGINATION, ...more };
}

const ORDER_INFO: Shape = {
  symbol: 'str', price: 'dec', size: 'dec', side: 'Buy|Sell', tif: 'gtc|ioc|fok', client_id: 'str?', order_id: 'int?', is_perp: 'bool',
  underlying: 'str?', reduce_only: 'bool?', nonce: 'int?', signature: 'null', mmp_enabled: 'bool', builder_code_address: 'addr?',
};

const ORDER_STATUS = 'open|partially_filled|filled|canceled|rejected|untriggered';

export const ORDER_UPDATE: Shape = {
  timestamp: 'ms', info: ORDER_INFO, status: 'ACKED|CANCELED|REJECTED', reason: 'str?', order_status: `${ORDER_STATUS}?`,
  end_reason: 'str?', filled_size: 'num', order_id: 'int?',
  wallet_address: 'addr', mmp_triggered: 'bool',
};

export const BULK: Shape = { results: [{ index: 'int', success: 'bool', 'data?': ORDER_UPDATE, 'error?': 'str', 'replayed?': 'bool' }] };

export const ORDER: Shape = {
  order_id: 'int', wallet_address: 'addr', symbol: 'str', side: 'Buy|Sell', price: 'dec', size: 'dec', tif: 'gtc|ioc|fok',
  status: ORDER_STATUS, order_status: ORDER_STATUS, end_reason: 'str?', created_at: 'ms', updated_at: 'iso?', filled_size: 'dec',
  client_id: 'str', reduce_only: 'bool', mmp_enabled: 'bool', instrument_type: 'option|perp',
};

export const FILL: Shape = {
  fill_id: 'int', trade_id: 'int', wallet_address: 'addr', symbol: 'str', price: 'dec', size: 'dec', fee: 'dec', side: 'Buy|Sell',
  is_taker: 'bool', timestamp: 'ms', created_at: 'iso', builder_code_address: 'addr?', builder_code_fee: 'dec?', realized_pnl: 'dec?',
  explorer_url: 'str?', instrument_type: 'option|perp', order_id: 'int?', kind: 'trade|takeover|deleveraging',
};

export const TRADE: Shape = {
  trade_id: 'int', symbol: 'str', price: 'dec', size: 'dec', maker_address: 'addr', taker_address: 'addr', maker_fee: 'dec',
  taker_fee: 'dec', taker_side: 'Buy|Sell', timestamp: 'ms', created_at: 'iso',
};

const POSITION: Shape = {
  wallet_address: 'addr', symbol: 'str', amount: 'dec', entry_price: 'dec', margin_posted: 'dec', realized_pnl: 'dec',
  unrealized_pnl: 'dec', updated_at: 'iso', instrument_type: 'option|perp', notional_value: 'dec', maintenance_margin: 'dec',
  liquidation_price: 'dec?', margin_ratio: 'dec',
};

const SPAN_MARGIN: Shape = {
  equity: 'dec', initial_margin_required: 'dec', maintenance_margin_required: 'dec', open_orders_initial_margin: 'dec',
  option_margin_required: 'dec', scanning_risk: 'dec', option_floor: 'dec', gamma_overlay: 'dec', hypercore_margin_required: 'dec',
};

const MARGIN_SUMMARY: Shape = {
  mode: 'standard|portfolio', equity: 'dec', position_im: 'dec', open_orders_im: 'dec', initial_margin: 'dec', maintenance_margin: 'dec',
  'open_orders_premium_reserved?': 'dec',
};

export const PORTFOLIO: Shape = {
  wallet_address: 'addr', positions: [POSITION], total_margin_used: 'dec', available_balance: 'dec', 'withdrawable_usdc?': 'dec?',
  portfolio_snapshot_timestamp_ms: 'ms?', 'span_margin?': SPAN_MARGIN, margin_mode: 'standard|portfolio', 'margin_summary?': MARGIN_SUMMARY,
};

const MARKET_INSTRUMENT: Shape = {
  instrument_id: 'int', id: 'str', underlying: 'str', strike: 'dec', expiry: 'sec', option_type: 'call|put', option_token_address: 'addr?',
  mark_iv: 'dec?', volume_24h: 'dec', open_interest: 'dec', updated_at: 'iso', status: 'ACTIVE|EXPIRED_PENDING_PRICE|SETTLED',
  trading_mode: 'orderbook|cancel_only|halted',
};

/** The perp of an underlying, beside the law's fields. */
const PERP: Shape = {
  symbol: 'str', underlying: 'str', asset: 'int', funding_rate: 'num?', predicted_rate: 'num?', premium: 'num?', index_price: 'num',
  mark_price: 'num', next_funding_time: 'ms', interval_hours: 'int', best_bid_price: 'num?', best_ask_price: 'num?', last_price: 'num?',
  open_interest: 'num', volume_24h: 'num', turnover_24h: 'num', tick_size: 'num', trading_mode: 'orderbook|cancel_only|halted',
};

export const MARKET: Shape = {
  underlying: 'str', expiry: 'sec', index_price: 'dec', atm_vol: 'dec?', instruments: [MARKET_INSTRUMENT], total_volume_24h: 'dec',
  total_open_interest: 'dec', trading_mode: 'orderbook|cancel_only|halted', 'prev_day_price?': 'dec', 'perp?': PERP,
};

export const INSTRUMENT: Shape = {
  price_index: 'str', rfq: 'bool', orderbook: 'bool', kind: 'option', instrument_name: 'str', option_token_address: 'addr?',
  maker_commission: 'num', taker_commission: 'num', instrument_type: 'linear', expiration_timestamp: 'ms', creation_timestamp: 'ms',
  is_active: 'bool', option_type: 'call|put', contract_size: 'num', tick_size: 'num', strike: 'num', instrument_id: 'int',
  settlement_period: 'day|week|month', min_trade_amount: 'num', block_trade_commission: 'num', block_trade_min_trade_amount: 'num',
  block_trade_tick_size: 'num', settlement_currency: 'USDC', base_currency: 'str', counter_currency: 'str', quote_currency: 'str',
  tick_size_steps: [{ tick_size: 'num', above_price: 'num' }], status: 'ACTIVE|EXPIRED_PENDING_PRICE|SETTLED',
  trading_mode: 'orderbook|cancel_only|halted',
};

const GREEKS: Shape = { delta: 'num', gamma: 'num', vega: 'num', theta: 'num', rho: 'num' };

export const ORDER_BOOK: Shape = {
  timestamp: 'ms', state: 'open|closed|settled', trading_mode: 'orderbook|cancel_only|halted',
  stats: { high: 'num?', low: 'num?', price_change: 'num?', volume: 'num', volume_usd: 'num' },
  'greeks?': GREEKS, change_id: 'int', index_price: 'num', instrument_name: 'str', option_token_address: 'addr?', bids: [['num']],
  asks: [['num']], last_price: 'num?', settlement_price: 'num', min_price: 'num', max_price: 'num', open_interest: 'num',
  mark_price: 'num', 'theoretical_price?': 'num', best_bid_price: 'num', best_ask_price: 'num', 'mark_iv?': 'num?', 'ask_iv?': 'num?',
  'bid_iv?': 'num?', underlying_price: 'num', underlying_index: 'str', interest_rate: 'num', estimated_delivery_price: 'num',
  best_ask_amount: 'num', best_bid_amount: 'num', seq: 'int',
};

export const OPTION_SUMMARY: Shape = {
  instrument_id: 'int', instrument_name: 'str', option_token_address: 'addr?', expiration_timestamp: 'ms', bid_price: 'num',
  ask_price: 'num', mark_price: 'num', 'theoretical_price?': 'num?', mark_iv: 'num?', 'ask_iv?': 'num?', 'bid_iv?': 'num?',
  'raw_mark_iv?': 'num?', 'est_mark_iv?': 'num?', underlying_price: 'num', underlying_index: 'str', open_interest: 'num', volume: 'num',
  volume_usd: 'num', high: 'num?', low: 'num?', last: 'num?', price_change: 'num?', interest_rate: 'num', estimated_delivery_price: 'num',
  creation_timestamp: 'ms', base_currency: 'str', quote_currency: 'str', mid_price: 'num', 'best_bid_size?': 'num?',
  'best_ask_size?': 'num?', 'indicative_bid_price?': 'num?', 'indicative_ask_price?': 'num?', 'indicative_bid_size?': 'num?',
  'indicative_ask_size?': 'num?', 'greeks?': GREEKS, 'raw_greeks?': GREEKS, 'est_greeks?': GREEKS,
  trading_mode: 'orderbook|cancel_only|halted',
};

const LEG: Shape = {
  symbol: 'str', option_token_address: 'addr?', bid_price_usd: 'num?', bid_iv: 'num?', bid_size_contracts: 'num?',
  bid_size_usd_notional: 'num?', ask_price_usd: 'num?', ask_iv: 'num?', ask_size_contracts: 'num?', ask_size_usd_notional: 'num?',
  greeks_abs: { delta: 'num', gamma: 'num', theta: 'num', vega: 'num' },
  greeks_cash: { delta_1pct_usd: 'num', gamma_1pct_usd: 'num', theta_1d_usd: 'num', vega_1vol_usd: 'num' },
};

export const OPTIONS_CHAIN: Shape = { currency: 'str', expiry: 'sec', rows: [{ strike: 'num', 'call?': LEG, 'put?': LEG }] };

export const GREEKS_OF: Shape = {
  symbol: 'str', delta: 'num', gamma: 'num', theta: 'num', vega: 'num', rho: 'num', iv: 'num', mark_price: 'num', underlying_price: 'num',
  timestamp: 'ms',
};

export const LIMIT_IV: Shape = {
  symbol: 'str', iv: 'num', limit_price: 'dec', theoretical_price: 'num', underlying_price: 'num', timestamp: 'ms',
};

export const CANDLES: Shape = {
  underlying: 'str', resolution: '1m|5m|15m|1h|4h|1d',
  candles: [{
    underlying: 'str', resolution: '1m|5m|15m|1h|4h|1d', start_time_ms: 'ms', end_time_ms: 'ms', open: 'num', high: 'num', low: 'num',
    close: 'num', volume: 'num',
  }],
};

export const THEOS: Shape = { instrument_name: 'str', interval: '5m|1h|1d', points: [{ timestamp: 'ms', theoretical_price: 'num' }] };

export const EQUITY: Shape = {
  wallet_address: 'addr', interval: '5m|1h|1d',
  points: [{ timestamp: 'ms', equity: 'dec', 'attribution?': 'any', 'net_deposits?': 'dec' }],
};

export const PAYOUT: Shape = {
  id: 'int', wallet: 'addr', symbol: 'str', expiry_ts: 'sec', position_size: 'dec', settlement_price: 'dec', settlement_value: 'dec',
  settlement_entry_price: 'dec?', cost_basis: 'dec?', net_pnl: 'dec?', ledger_applied: 'bool', is_seen: 'bool', created_at: 'ms?',
};

export const PORTFOLIO_GREEKS: Shape = {
  wallet_address: 'addr', per_leg: [{ symbol: 'str', quantity: 'dec', delta: 'num', gamma: 'num', theta: 'num', vega: 'num', iv: 'num' }],
  'aggregate?': { delta: 'num', gamma: 'num', theta: 'num', vega: 'num', iv: 'num?' },
};

const STANDING: Shape = {
  competition_id: 'int', competition_name: 'str', competition_state: 'pre|active|post', rank: 'int?', pnl: 'dec', volume: 'dec',
  efficiency: 'dec', medal: 'int?',
};

export const PROFILE: Shape = {
  wallet: 'addr', username: 'str', account_first_seen_ts_ms: 'ms?', account_age_days: 'int?',
  margin: { in_use: 'dec', available: 'dec', total: 'dec', deposits: 'dec', withdraws: 'dec' },
  pnl: { unrealized: 'dec', pnl_24h: 'dec', lifetime_realized: 'dec' }, profile_image_url: 'str?', medal: 'int?',
  platform_medals: { pnl: 'int?', volume: 'int?', efficiency: 'int?' }, 'active_competition_rank?': STANDING, account_wallet: 'addr',
};

export const USERNAME: Shape = { wallet_address: 'addr', username: 'str' };

export const USERNAME_REQUEST: Shape = {
  id: 'int', wallet_address: 'addr', requested_username: 'str', status: 'pending|approved', created_at: 'iso',
};

export const MMP: Shape = {
  wallet_address: 'addr', currency: 'str', interval_ms: 'int', frozen_time_ms: 'int', 'qty_limit?': 'dec', 'delta_limit?': 'dec',
  'vega_limit?': 'dec', enabled: 'bool', 'nonce?': 'int',
};

/** GET /mmp/config tells these beside the law's fields. */
export const MMP_STATE: Shape = {
  ...MMP, is_frozen: 'bool', frozen_until: 'ms?', qty_used: 'dec?', delta_used: 'dec?', vega_used: 'dec?', last_triggered_ms: 'ms?',
};

export const COMPETITION: Shape = {
  id: 'int', name: 'str', description: 'str?', rules_url: 'str?', rules_content: 'str?', win_conditions: ['pnl|volume|efficiency'],
  primary_win_condition: 'pnl|volume|efficiency', start_ts_ms: 'ms', end_ts_ms: 'ms', state: 'pre|active|post', created_at: 'iso',
  updated_at: 'iso',
};

const RANKED: Shape = {
  rank: 'int', wallet: 'addr', username: 'str', pnl: 'dec', volume: 'dec', efficiency: 'dec', medal: 'int?',
};

export const LEADERBOARD: Shape = {
  success: 'true', competition_id: 'int', sort_by: 'pnl|volume|efficiency', sort_order: 'asc|desc', data: [RANKED],
  connected_user: 'any', pagination: PAGINATION,
};

const SCENARIO = { id: 'str', spot_shock_pct: 'dec', vol_shock_pct: 'dec', pnl_weight: 'dec', is_tail: 'bool' } as const;

/** Beside the fields of the wire contract: the mode, the collateral that the requirement is held against, and of which vintage it is. */
export const RISK_GRID: Shape = {
  margin_mode: 'standard|portfolio', collateral: 'dec', open_orders_reserved: 'dec', equity: 'dec', position_initial_margin: 'dec',
  position_maintenance_margin: 'dec', open_orders_initial_margin: 'dec',
  total_initial_margin: 'dec', scanning_risk: 'dec', option_floor: 'dec', gamma_overlay: 'dec',
  underlyings: [{
    underlying: 'str', vintage: 'int', marked_at: 'ms', index_price: 'dec', scenarios: [{ ...SCENARIO, total_pnl: 'dec' }],
    extended_risk_matrix: {
      scenarios: [SCENARIO],
      instruments: [{
        symbol: 'str', underlying: 'str', amount: 'dec', base_amount: 'dec', current_value: 'dec', scenario_pnls: ['dec'],
        instrument_type: 'option|perp',
      }],
      total_pnls: ['dec'], worst_scenario_index: 'int', worst_scenario_pnl: 'dec',
    },
  }],
};

export const TIER: Shape = {
  wallet_address: 'addr', tier: 'default|tier1|tier2|market_maker',
  limits: {
    max_open_orders: 'int', max_open_positions: 'int', orders_per_minute: 'int', cancels_per_minute: 'int', api_requests_per_minute: 'int',
  },
};

export const EXCHANGE_INFO: Shape = {
  exchange_address: 'addr', chain_id: 'int', signing_domain: { name: 'str', version: 'str' },
  perp_signing_domain: { name: 'str', version: 'str', chain_id: 'int' }, perp_source: 'str', venue_id: 'str', head_seq: 'int',
  head_hash: 'str', perp_assets: [{ asset: 'int', symbol: 'str', underlying: 'str' }],
};

export const READY: Shape = {
  status: 'ready|not_ready', 'message?': 'str', degraded: 'bool',
  components: [{ name: 'str', ready: 'bool', 'detail?': 'str', state: 'ready|degraded|not_ready' }],
  index_prices: [{ underlying: 'str', source: 'str', index_age_ms: 'int?', stale: 'bool' }],
  waiting_expiries: [{ underlying: 'str', expiry: 'ms', contracts: 'int', status: 'EXPIRED_PENDING_PRICE' }],
};

export const GAS: Shape = {
  chain_id: 'int', gas_price: 'str', base_fee_per_gas: 'str', max_fee_per_gas: 'str', max_priority_fee_per_gas: 'str', timestamp: 'ms',
};
