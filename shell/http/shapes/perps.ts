// Schemas of perps, funding, open interest, the insurance fund, liquidations and settlements.

import {
  BOOL, COUNT, DECIMAL, described, INTEGER, ISO, list, MILLIS, named, NUMBER, nullable, PAGINATION, record, SECONDS, TEXT,
  type Decimal, type Shape,
} from './shape.ts';
import { LIQUIDATION_KIND, SIDE, TRADING_MODE } from './enums.ts';

const RATES = {
  funding_rate: described(nullable(NUMBER), 'Rate of the last hour charged, as a fraction. Positive: longs pay. Null before the first.'),
  predicted_rate: described(nullable(NUMBER), 'Rate of the current hour if its mean premium stays. Null before its first sample.'),
  premium: described(nullable(NUMBER), 'The last premium sample, a fraction of the index. Null before the first.'),
  index_price: NUMBER, mark_price: NUMBER, next_funding_time: described(MILLIS, 'End of the current hour, ms.'),
  interval_hours: described(INTEGER, 'Hours that a rate is for.'),
};
export const FUNDING_FIELDS = { symbol: TEXT, ...RATES };
export const FUNDING = named('Funding', record(FUNDING_FIELDS));
export type FundingData = Shape<typeof FUNDING>;

export const PAYMENT_FIELDS = {
  symbol: TEXT,
  from_time: described(MILLIS, 'From when the position owed, ms.'), to_time: described(MILLIS, 'End of the last hour charged, ms.'),
  hours: described(COUNT, 'Hours charged. An hour without open interest or with a stale index is not charged.'),
  rate: described(NUMBER, 'Sum of the rates of these hours.'), position: DECIMAL,
  amount: described(DECIMAL, 'What the balance changed by. Negative: paid.'),
};

export const PERP_FIELDS = {
  symbol: TEXT, underlying: TEXT, asset: described(COUNT, 'The asset index that a perp order is signed with.'), ...RATES,
  best_bid_price: nullable(NUMBER), best_ask_price: nullable(NUMBER), last_price: nullable(NUMBER), open_interest: NUMBER,
  volume_24h: described(NUMBER, 'Contracts.'), turnover_24h: described(NUMBER, 'USDC.'),
  tick_size: described(NUMBER, 'Step of the price grid at the mark price.'), trading_mode: TRADING_MODE,
};
export const PERP = named('Perp', record(PERP_FIELDS));
export type PerpData = Shape<typeof PERP>;

/** `leverage`: as chosen, at most what margin allows. Funding paid (positive) or received, with what is not booked yet. */
export type PerpOfWallet = {
  readonly leverage: number;
  readonly paid_funding: { readonly all: Decimal; readonly since_open: Decimal; readonly since_change: Decimal };
};

/** What the Hyperliquid dialect shows of all perps at once; no route answers it. Its asset index stays. Fees are parts of the notional. */
export type PerpMarket = {
  readonly time: number; readonly max_leverage: number; readonly maker_fee: number; readonly taker_fee: number;
  readonly perps: readonly {
    readonly underlying: string; readonly perp: PerpData | null; readonly day_ago_price: number | null;
    readonly impact_bid_price: number | null; readonly impact_ask_price: number | null;
    readonly of_wallet: PerpOfWallet | null;
  }[];
};

type CountedLevel = readonly [price: number, size: number, orders: number];
/** What the Hyperliquid dialect shows of a book; no route answers it. */
export type PerpBook = { readonly timestamp: number; readonly bids: readonly CountedLevel[]; readonly asks: readonly CountedLevel[] };

const CONTRACTS = { calls: NUMBER, puts: NUMBER };
export const OPEN_INTEREST = named('OpenInterest', record({
  underlying: TEXT, index_price: NUMBER, perp: NUMBER, ...CONTRACTS, expiries: list(record({ expiry: SECONDS, ...CONTRACTS })),
}));
export type OpenInterestData = Shape<typeof OPEN_INTEREST>;

export const INSURANCE_FUND = named('InsuranceFund', record({
  balance: DECIMAL, equity: described(nullable(DECIMAL), 'Null beyond the exact range.'),
  positions: list(record({ symbol: TEXT, amount: DECIMAL })),
}));
export type InsuranceFundData = Shape<typeof INSURANCE_FUND>;

export const FUNDING_HOUR = named('FundingHour', record({
  time_ms: described(MILLIS, 'End of the hour.'), funding_rate: NUMBER, index_price: NUMBER,
  premium: described(NUMBER, 'Mean of the hour’s premiums.'),
}));
export type FundingHour = Shape<typeof FUNDING_HOUR>;
const FUNDING_PAYMENT = named('FundingPayment', record({ ...PAYMENT_FIELDS, booked_ms: MILLIS }));
export type FundingPayment = Shape<typeof FUNDING_PAYMENT>;
export const FUNDING_PAYMENTS = named('FundingPaymentsResponse', record({
  success: BOOL, data: list(FUNDING_PAYMENT),
  accrued: described(DECIMAL, 'What the balance would change by if all that is charged and not booked yet were booked now.'),
  pagination: PAGINATION,
}));
export type FundingPayments = Shape<typeof FUNDING_PAYMENTS>;

export const LIQUIDATION = named('Liquidation', record({
  time_ms: MILLIS, kind: described(LIQUIDATION_KIND, '`order`: a fill of an order that closed a position.'), symbol: TEXT,
  side: described(SIDE, 'Side of the liquidated account.'), price: DECIMAL, size: DECIMAL,
}));
export type LiquidationData = Shape<typeof LIQUIDATION>;

export const SETTLEMENT = named('Settlement', record({
  underlying: TEXT, expiry: SECONDS, price: DECIMAL,
  samples: described(COUNT, 'Seconds with a price, of 1,800. 0: the operator set the price.'),
  contracts: described(COUNT, 'Contracts of that expiry.'), priced_at: ISO,
}));
export type SettlementData = Shape<typeof SETTLEMENT>;

export const VENUE_TIME = named('VenueTime', record({ time_ms: MILLIS }));
