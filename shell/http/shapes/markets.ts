// Schemas of market data. Prices and sizes are numbers, except in Market and MarketInstrument.

import { ADDRESS, api, BOOL, COUNT, DECIMAL, described, ID, INTEGER, ISO, list, MILLIS, named, nullable, NUMBER, oneOf, record, schemaOf,
  SECONDS, type Shape, TEXT } from './shape.ts';
import { PERP } from './perps.ts';
import { CANDLE_PRICES } from '../../ipc/enum-names.ts';
import { ENUMS, INSTRUMENT_STATUS, MARKET_MODE, OPTION_TYPE, TRADING_MODE } from './enums.ts';

const LEVELS = list(schemaOf<readonly [price: number, size: number]>({
  type: 'array', prefixItems: [NUMBER, NUMBER], minItems: 2, maxItems: 2, description: '[price, size in contracts]',
}));
export const SUMMED_GREEKS = { delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER };
const ALL_GREEKS = { ...SUMMED_GREEKS, rho: NUMBER };
const GREEKS = record(ALL_GREEKS);
export type Greeks = Shape<typeof GREEKS>;

const MARKET_INSTRUMENT = named('MarketInstrument', record({
  instrument_id: ID, id: TEXT, underlying: TEXT, strike: DECIMAL, expiry: SECONDS, option_type: OPTION_TYPE,
  option_token_address: nullable(ADDRESS), mark_iv: nullable(DECIMAL), volume_24h: DECIMAL, open_interest: DECIMAL, updated_at: ISO,
  status: INSTRUMENT_STATUS, trading_mode: TRADING_MODE,
}));
export type MarketInstrument = Shape<typeof MARKET_INSTRUMENT>;
export const MARKET = named('Market', record({
  underlying: TEXT, expiry: SECONDS, index_price: DECIMAL, atm_vol: nullable(DECIMAL), total_volume_24h: DECIMAL,
  total_open_interest: DECIMAL, trading_mode: described(TRADING_MODE, 'Of the underlying. An instrument may have a stricter one.'),
}, { instruments: list(MARKET_INSTRUMENT), prev_day_price: DECIMAL, prev_day_px: DECIMAL, perp: PERP }));
export type Market = Shape<typeof MARKET>;

export const INSTRUMENT = named('InstrumentResponse', record({
  price_index: TEXT, rfq: BOOL, orderbook: BOOL, kind: oneOf('option'), instrument_name: TEXT, option_token_address: nullable(ADDRESS),
  maker_commission: NUMBER, taker_commission: NUMBER, instrument_type: oneOf('linear'), expiration_timestamp: MILLIS,
  creation_timestamp: MILLIS, is_active: BOOL, option_type: OPTION_TYPE, contract_size: NUMBER, tick_size: NUMBER, strike: NUMBER,
  instrument_id: ID, settlement_period: oneOf('day', 'week', 'month'), min_trade_amount: NUMBER, block_trade_commission: NUMBER,
  block_trade_min_trade_amount: NUMBER, block_trade_tick_size: NUMBER, settlement_currency: TEXT, base_currency: TEXT,
  counter_currency: TEXT, quote_currency: TEXT, tick_size_steps: list(record({ tick_size: NUMBER, above_price: NUMBER })),
  status: INSTRUMENT_STATUS, trading_mode: TRADING_MODE,
}));
export type Instrument = Shape<typeof INSTRUMENT>;

export const ORDER_BOOK = named('OrderBookResponse', record({
  timestamp: MILLIS, state: oneOf('open', 'closed', 'settled'), trading_mode: TRADING_MODE,
  stats: record({ high: nullable(NUMBER), low: nullable(NUMBER), price_change: nullable(NUMBER), volume: NUMBER, volume_usd: NUMBER }),
  change_id: INTEGER, index_price: NUMBER, instrument_name: TEXT, option_token_address: nullable(ADDRESS), bids: LEVELS, asks: LEVELS,
  last_price: nullable(NUMBER), settlement_price: NUMBER, min_price: NUMBER, max_price: NUMBER, open_interest: NUMBER, mark_price: NUMBER,
  best_bid_price: NUMBER, best_ask_price: NUMBER, underlying_price: NUMBER, underlying_index: TEXT, interest_rate: NUMBER,
  estimated_delivery_price: NUMBER, best_ask_amount: NUMBER, best_bid_amount: NUMBER, seq: INTEGER,
}, {
  greeks: GREEKS, theoretical_price: NUMBER, mark_iv: nullable(NUMBER), ask_iv: nullable(NUMBER), bid_iv: nullable(NUMBER),
}));
export type OrderBook = Shape<typeof ORDER_BOOK>;
export const INSTRUMENT_WITH_BOOK = named('InstrumentWithOrderbook', record({ instrument: INSTRUMENT, orderbook: ORDER_BOOK }));

export const OPTION_SUMMARY = named('OptionSummary', record({
  instrument_id: ID, instrument_name: TEXT, option_token_address: nullable(ADDRESS), expiration_timestamp: MILLIS, bid_price: NUMBER,
  ask_price: NUMBER, mark_price: NUMBER, mark_iv: nullable(NUMBER), underlying_price: NUMBER, underlying_index: TEXT,
  open_interest: NUMBER, volume: NUMBER, volume_usd: NUMBER, high: nullable(NUMBER), low: nullable(NUMBER), last: nullable(NUMBER),
  price_change: nullable(NUMBER), interest_rate: NUMBER, estimated_delivery_price: NUMBER, creation_timestamp: MILLIS,
  base_currency: TEXT, quote_currency: TEXT, mid_price: NUMBER, trading_mode: TRADING_MODE,
}, {
  theoretical_price: nullable(NUMBER), ask_iv: nullable(NUMBER), bid_iv: nullable(NUMBER), raw_mark_iv: nullable(NUMBER),
  est_mark_iv: nullable(NUMBER), best_bid_size: nullable(NUMBER), best_ask_size: nullable(NUMBER), greeks: nullable(GREEKS),
  indicative_bid_price: nullable(NUMBER), indicative_ask_price: nullable(NUMBER), indicative_bid_size: nullable(NUMBER),
  indicative_ask_size: nullable(NUMBER), raw_greeks: nullable(GREEKS), est_greeks: nullable(GREEKS),
}));
export type OptionSummary = Shape<typeof OPTION_SUMMARY>;

const CHAIN_LEG = named('OptionsChainLeg', record({
  symbol: TEXT, option_token_address: nullable(ADDRESS), bid_price_usd: nullable(NUMBER), bid_iv: nullable(NUMBER),
  bid_size_contracts: nullable(NUMBER), bid_size_usd_notional: nullable(NUMBER), ask_price_usd: nullable(NUMBER),
  ask_iv: nullable(NUMBER), ask_size_contracts: nullable(NUMBER), ask_size_usd_notional: nullable(NUMBER),
  greeks_abs: nullable(record(SUMMED_GREEKS)),
  greeks_cash: nullable(record({ delta_1pct_usd: NUMBER, gamma_1pct_usd: NUMBER, theta_1d_usd: NUMBER, vega_1vol_usd: NUMBER })),
}));
export type ChainLeg = Shape<typeof CHAIN_LEG>;
export const CHAIN_ROW = record({ strike: NUMBER }, { call: CHAIN_LEG, put: CHAIN_LEG });
export const OPTIONS_CHAIN = named('OptionsChainSnapshotResponse', record({ currency: TEXT, expiry: SECONDS, rows: list(CHAIN_ROW) }));
export type OptionsChain = Shape<typeof OPTIONS_CHAIN>;

export const SYMBOL_GREEKS = named('GreeksApiResponse', api(named('Greeks', record({
  symbol: TEXT, ...ALL_GREEKS, iv: nullable(NUMBER), mark_price: NUMBER, underlying_price: NUMBER, timestamp: MILLIS,
}))));
export type GreeksData = Shape<typeof SYMBOL_GREEKS>['data'];

export const CANDLE_FIELDS = {
  underlying: TEXT, resolution: ENUMS.CandleResolution, start_time_ms: MILLIS, end_time_ms: MILLIS, open: NUMBER, high: NUMBER, low: NUMBER,
  close: NUMBER, volume: NUMBER,
};
const CANDLE = named('Candle', record(CANDLE_FIELDS));
export type Candle = Shape<typeof CANDLE>;
export const CANDLES = named('CandlesApiResponse', api(record({
  underlying: TEXT, resolution: ENUMS.CandleResolution, candles: list(CANDLE),
})));
export type CandlesData = Shape<typeof CANDLES>['data'];
/** The volume is that of trades, in contracts; 0 for marks. */
const CONTRACT_OF_CANDLE = { instrument_name: TEXT, price: oneOf(...CANDLE_PRICES) };
export const CANDLE_OF_CONTRACT = { ...CONTRACT_OF_CANDLE, trades: described(COUNT, 'Number of trades; 0 for marks.') };
const INSTRUMENT_CANDLE = named('InstrumentCandle', record({ ...CANDLE_FIELDS, ...CANDLE_OF_CONTRACT }));
export type InstrumentCandle = Shape<typeof INSTRUMENT_CANDLE>;
export const INSTRUMENT_CANDLES = named('InstrumentCandlesResponse', api(record({
  ...CONTRACT_OF_CANDLE, resolution: ENUMS.CandleResolution, candles: list(INSTRUMENT_CANDLE),
})));
export type InstrumentCandlesData = Shape<typeof INSTRUMENT_CANDLES>['data'];

const INDEXED = { underlying: TEXT, vol_index: nullable(NUMBER), timestamp: MILLIS };
export const VOL_INDEXES = list(record(INDEXED));
/** `timestamp`: of the marks, 0 before the first. */
export const VOL_INDEX = named('VolIndexResponse', api(record({
  ...INDEXED, expiries: list(record({ expiration_timestamp: MILLIS, volatility: NUMBER, is_stale: BOOL })),
})));
export type VolIndexData = Shape<typeof VOL_INDEX>['data'];

export const THEOS = named('HistoricalTheoApiResponse', api(record({
  instrument_name: TEXT, interval: ENUMS.HistoricalTheoInterval, points: list(record({ timestamp: MILLIS, theoretical_price: NUMBER })),
})));
export type TheosData = Shape<typeof THEOS>['data'];
export const PAST_GREEKS = named('HistoricalGreeksResponse', api(record({
  instrument_name: TEXT, interval: ENUMS.HistoricalTheoInterval, points: list(record({
    timestamp: MILLIS, mark_iv: nullable(NUMBER), bid_iv: nullable(NUMBER), ask_iv: nullable(NUMBER), ...SUMMED_GREEKS,
    open_interest: NUMBER,
  })),
})));
export type PastGreeksData = Shape<typeof PAST_GREEKS>['data'];

/** Wei per gas. */
export const GAS = named('GasProviderResponse', record({
  chain_id: INTEGER, gas_price: TEXT, base_fee_per_gas: TEXT, max_fee_per_gas: TEXT, max_priority_fee_per_gas: TEXT, timestamp: MILLIS,
}));
export type GasData = Shape<typeof GAS>;

export const CHANGED_MARKET = record({
  success: BOOL, message: TEXT,
  data: record({
    market: record({ symbol: TEXT, underlying: TEXT, expiry: SECONDS, strike: DECIMAL, option_type: OPTION_TYPE }),
    status: oneOf('MARKET_CREATED', 'MARKET_DELETED'), timestamp: MILLIS,
  }),
});

export const HALTED_MARKET = record({ scope: TEXT, mode: MARKET_MODE, timestamp: MILLIS });
