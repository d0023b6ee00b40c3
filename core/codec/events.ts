// Events, the only output of the core besides the reply: up to 24 doubles, slot 0 the kind, in one shared buffer that a listener must copy
// at once. All are integers; a u64 takes two slots. They enter a rolling digest that main and reader compare. Prices and money in 1e-6
// USDC, sizes in 1e-6 contracts, times in ms.

import { fixedSection, type Section } from '../columns.ts';

export const ACCOUNT_OPENED = 1;
export const AGENT_APPROVED = 2;
export const AGENT_REVOKED = 3;
export const NONCE_TAKEN = 4;
export const TIER_CHANGED = 5;
export const ORDER_ACCEPTED = 6;
export const ORDER_RESTED = 7;
export const FILL = 8;
export const ORDER_DONE = 9;
export const REFUSED = 10;
export const INDEX_MOVED = 11;
export const MARKS_MOVED = 12;
export const INSTRUMENT_LISTED = 13;
export const INSTRUMENT_EXPIRED = 14;
export const CONFIGURED = 15;
export const UNDERLYING_ADDED = 16;
export const SKIPPED = 17;
export const BOOK_CHANGED = 18;
export const MODE_CHANGED = 19;
export const MMP_CHANGED = 20;
export const MMP_TRIGGERED = 21;
export const FUNDING_RATE = 22;
export const FUNDING_PAID = 23;
export const SETTLEMENT_SET = 24;
export const POSITION_SETTLED = 25;
export const INSTRUMENT_SETTLED = 26;
export const LIQUIDATION_CHANGED = 27;
export const TAKEN_OVER = 28;
export const DELEVERAGED = 29;
export const SURFACE_CHANGED = 30;
export const ORDER_SHRUNK = 31;
export const FUND_POSTED = 32;
export const USERNAME_CHANGED = 33;
export const PAYOUT_SEEN = 34;
export const COMPETITION_CREATED = 35;
export const INSTRUMENT_DELETED = 36;
export const SAFETY_CHANGED = 37;
export const SAFETY_FIRED = 38;
export const ACCOUNT_CLOSED = 39;
export const CREDITED = 40;
export const ORDER_AMENDED = 47;
export const TRADING_MODE_CHANGED = 60;
export const WALLET_MODE_CHANGED = 61;
export const ORDER_UNTRIGGERED = 50;
export const ORDER_TRIGGERED = 51;
export const QUOTE_CHANGED = 55;
export const BATCH_ITEM = 65;

const SLOTS = 24;

const SLOT_HIGH = 1 / 4_294_967_296;

/** `digest` is two u32. */
export type Events = {
  readonly slots: Float64Array;
  readonly digest: Uint32Array;
  listener: ((kind: number, slots: Float64Array) => void) | null;
};

export function createEvents(): Events {
  return { slots: new Float64Array(SLOTS), digest: new Uint32Array([0x811c9dc5, 0x9e3779b9]), listener: null };
}

export function eventSections(events: Events): readonly Section[] {
  return [fixedSection('events.digest', events.digest)];
}

/** Adding 0 turns -0 into 0, so that equal numbers have equal bits. */
export function emit(events: Events, kind: number, count: number): void {
  const { slots, digest } = events;
  slots[0] = kind;
  let low = digest[0] | 0;
  let high = digest[1] | 0;
  // One lane for low halves, one for high. Computing the halves is faster than reading the bytes just written.
  for (let i = 0; i < count; i++) {
    const value = slots[i] + 0;
    slots[i] = value;
    low = Math.imul(low ^ (value | 0), 0x01000193);
    high = Math.imul((high << 13 | high >>> 19) + (Math.floor(value * SLOT_HIGH) | 0) | 0, 0x85ebca6b);
  }
  low = Math.imul(low ^ (high << 15 | high >>> 17), 0xcc9e2d51);
  digest[0] = low;
  digest[1] = high + (low << 17 | low >>> 15);
  if (events.listener !== null) events.listener(kind, slots);
}

export const ACCOUNT = 1;

/** ACCOUNT_OPENED, ACCOUNT_CLOSED. The balance comes from the faucet or returns to it. */
export const OPENED_ADDRESS = 2;
export const OPENED_BALANCE = 7;
export const OPENED_SLOTS = 8;

/** AGENT_APPROVED, AGENT_REVOKED. Account -1: the wallet has none yet. */
export const AGENT_ADDRESS = 2;
export const AGENT_EXPIRES = 7;
export const AGENT_SLOTS = 8;

/** NONCE_TAKEN. Account -1: a pending approval. */
export const TAKEN_KIND = 2;
export const TAKEN_NONCE = 3;
export const TAKEN_DIGEST = 5;
export const TAKEN_CODE = 13;
export const TAKEN_NUMBERS = 14;
export const TAKEN_SLOTS = 18;

export const TIER_VALUE = 2;
export const TIER_SLOTS = 3;

/** ORDER_ACCEPTED, ORDER_RESTED, ORDER_DONE. Pool slot -1: none. FORCED: an order of the liquidation engine, without a slot. */
export const FORCED = -2;
export const ORDER_ID = 2;
export const ORDER_SLOT = 3;
export const ORDER_INSTRUMENT = 4;
export const ORDER_SIDE = 5;
export const ORDER_PRICE = 6;
export const ORDER_SIZE = 7;
export const ORDER_TIF = 8;
/** In DONE: filled size and reason. In RESTED: remaining size. In ACCEPTED: flags. */
export const ORDER_FILLED = 9;
export const ORDER_REASON = 10;
export const ORDER_SLOTS = 11;

/** FILL. Cash, positions and remaining sizes are those after it; REALIZED is without funding and fees. */
export const FILL_TAKER = 1;
export const FILL_TAKER_ORDER = 2;
export const FILL_MAKER = 3;
export const FILL_MAKER_ORDER = 4;
export const FILL_INSTRUMENT = 5;
export const FILL_SIDE = 6;
export const FILL_PRICE = 7;
export const FILL_SIZE = 8;
export const FILL_TRADE_ID = 9;
export const FILL_TAKER_FILL_ID = 10;
export const FILL_MAKER_FILL_ID = 11;
export const FILL_TAKER_FEE = 12;
export const FILL_MAKER_FEE = 13;
export const FILL_TAKER_CASH = 14;
export const FILL_MAKER_CASH = 15;
export const FILL_TAKER_POSITION = 16;
export const FILL_MAKER_POSITION = 17;
export const FILL_TAKER_REALIZED = 18;
export const FILL_MAKER_REALIZED = 19;
export const FILL_MAKER_REST = 20;
export const FILL_MAKER_SLOT = 21;
export const FILL_TAKER_REST = 22;
export const FILL_SLOTS = 23;

export const REFUSED_KIND = 2;
export const REFUSED_CODE = 3;
export const REFUSED_NUMBERS = 4;
export const REFUSED_SLOTS = 8;

/** INDEX_MOVED. Received price 0: none came. */
export const INDEX_UNDERLYING = 1;
export const INDEX_VALUE = 2;
export const INDEX_IS_STALE = 3;
export const INDEX_RECEIVED = 4;
export const INDEX_IS_USED = 5;
export const INDEX_SLOTS = 6;

/** MARKS_MOVED. The check is the sum of marks modulo 2^32. */
export const MARKS_COUNT = 3;
export const MARKS_CHECK = 4;
export const MARKS_SLOTS = 5;

export const BOOK_SEQ = 2;
export const BOOK_SLOTS = 3;

export const INSTRUMENT = 1;
export const INSTRUMENT_ID = 2;
export const INSTRUMENT_UNDERLYING = 3;
export const INSTRUMENT_EXPIRY = 4;
export const INSTRUMENT_STRIKE = 5;
export const INSTRUMENT_KIND = 6;
export const INSTRUMENT_SLOTS = 7;

export const MODE_VALUE = 2;
export const MODE_BEFORE = 3;
export const MODE_SLOTS = 4;

/** MMP_CHANGED. */
export const MMP_UNDERLYING = 2;
export const MMP_COMMAND = 3;
export const MMP_CHANGED_SLOTS = 4;

/** MMP_TRIGGERED. UNTIL 0: frozen until a reset. */
export const MMP_UNTIL = 3;
export const MMP_TRIGGERED_SLOTS = 4;

/** FUNDING_RATE, per hour and perp. Hourly and the mean premium in 1e-9, cumulative in 1e-9 USDC a contract. */
export const FUNDING_HOURLY = 2;
export const FUNDING_INDEX = 3;
export const FUNDING_CUMULATIVE = 4;
export const FUNDING_UNTIL = 5;
export const FUNDING_PREMIUM = 6;
export const FUNDING_RATE_SLOTS = 7;

/** FUNDING_PAID. A positive amount is paid by the account, for so many hours; the sum of their rates is in 1e-9. */
export const PAID_INSTRUMENT = 2;
export const PAID_AMOUNT = 3;
export const PAID_POSITION = 4;
export const PAID_CASH = 5;
export const PAID_FROM = 6;
export const PAID_UNTIL = 7;
export const PAID_HOURS = 8;
export const PAID_RATES = 9;
export const PAID_SLOTS = 10;

/** SETTLEMENT_SET. Price 0: too few samples, the operator must set it. */
export const SETTLEMENT_EXPIRY = 2;
export const SETTLEMENT_VALUE = 3;
export const SETTLEMENT_SAMPLES = 4;
export const SETTLEMENT_SLOTS = 5;

/** POSITION_SETTLED. The value is signed; cash is that after the payout. */
export const SETTLED_INSTRUMENT = 2;
export const SETTLED_PAYOUT_ID = 3;
export const SETTLED_POSITION = 4;
export const SETTLED_PRICE = 5;
export const SETTLED_VALUE = 6;
export const SETTLED_COST = 7;
export const SETTLED_NET = 8;
export const SETTLED_FEE = 9;
export const SETTLED_CASH = 10;
/** The part of the value that the balance had exact room for. */
export const SETTLED_PAID = 11;
export const SETTLED_SLOTS = 12;

export const LIQUIDATION_BEFORE = 2;
export const LIQUIDATION_STATE = 3;
export const LIQUIDATION_EQUITY = 4;
export const LIQUIDATION_MAINTENANCE = 5;
export const LIQUIDATION_SLOTS = 6;

/** TAKEN_OVER, at theo. Cash and the fund's position are those after it; amounts are changes of cash. */
export const OVER_INSTRUMENT = 2;
export const OVER_POSITION = 3;
export const OVER_PRICE = 4;
export const OVER_CASH = 5;
export const OVER_FUND_POSITION = 6;
export const OVER_FILL_ID = 7;
export const OVER_FUND_FILL_ID = 8;
export const OVER_REALIZED = 9;
export const OVER_FUND_REALIZED = 10;
export const OVER_AMOUNT = 11;
export const OVER_FUND = 12;
export const OVER_FUND_AMOUNT = 13;
export const OVER_FUND_CASH = 14;
export const OVER_SLOTS = 15;

/** DELEVERAGED. The account is the bankrupt side; cash and positions are those after it. */
export const DELEVERAGED_INSTRUMENT = 2;
export const DELEVERAGED_AGAINST = 3;
export const DELEVERAGED_SIZE = 4;
export const DELEVERAGED_PRICE = 5;
export const DELEVERAGED_CASH = 6;
export const DELEVERAGED_AGAINST_CASH = 7;
export const DELEVERAGED_POSITION = 8;
export const DELEVERAGED_AGAINST_POSITION = 9;
export const DELEVERAGED_FILL_ID = 10;
export const DELEVERAGED_AGAINST_FILL_ID = 11;
export const DELEVERAGED_REALIZED = 12;
export const DELEVERAGED_AGAINST_REALIZED = 13;
export const DELEVERAGED_SIDE = 14;
/** Changes of cash. */
export const DELEVERAGED_AMOUNT = 15;
export const DELEVERAGED_AGAINST_AMOUNT = 16;
export const DELEVERAGED_SLOTS = 17;

/** FUND_POSTED. Instrument -1: none. A negative amount is paid by the fund. */
export const POSTED_INSTRUMENT = 2;
export const POSTED_WHY = 3;
export const POSTED_AMOUNT = 4;
export const POSTED_CASH = 5;
export const POSTED_FUND_CASH = 6;
export const POSTED_FUND = 7;
/** The liquidation order charged. */
export const POSTED_ORDER = 8;
export const POSTED_SLOTS = 9;
/** Fee of a liquidation order, payment of a deficit, all cash at a takeover. */
export const POSTED_FEE = 1;
export const POSTED_COVER = 2;
export const POSTED_TAKEOVER = 3;

/** SURFACE_CHANGED. Expiry 0: all. Fractions times 1e6. */
export const SURFACE_EXPIRY = 2;
export const SURFACE_ATM = 3;
export const SURFACE_SKEW = 4;
export const SURFACE_CURVATURE = 5;
export const SURFACE_SLOTS = 6;

/** ORDER_SHRUNK (reduce-only, links, amends) is like ORDER_DONE, with the remaining size as reason. */

/**
 * ORDER_AMENDED is like ORDER_SHRUNK: the order left its book with these terms. In the same command it enters again (ORDER_RESTED), ends
 * (ORDER_DONE) or waits on (ORDER_UNTRIGGERED).
 */

/** USERNAME_CHANGED. Request 0: there was no request. */
export const NAMED_REQUEST = 2;
export const NAMED_LENGTH = 3;
export const NAMED_WORDS = 4;
export const NAMED_SLOTS = 9;

export const PAYOUT_ID = 2;
export const PAYOUT_SEEN_SLOTS = 3;

/** CREDITED. A negative amount was taken. Cash is that after it. */
export const CREDITED_AMOUNT = 2;
export const CREDITED_CASH = 3;
export const CREDITED_SLOTS = 4;

/** COMPETITION_CREATED. Win conditions are bits. */
export const COMPETITION_ID = 1;
export const COMPETITION_START = 2;
export const COMPETITION_END = 3;
export const COMPETITION_CONDITIONS = 4;
export const COMPETITION_PRIMARY = 5;
export const COMPETITION_SLOTS = 6;

/** INSTRUMENT_SETTLED and INSTRUMENT_DELETED have the slots of INSTRUMENT_EXPIRED. */

/** SAFETY_CHANGED. CANCEL_AT: the dead man's switch (0: off). GONE_AT: when a lost connection cancels (0: not lost). */
export const SAFETY_CANCEL_AT = 2;
export const SAFETY_ENABLED = 3;
export const SAFETY_GRACE = 4;
export const SAFETY_CONNECTION = 5;
export const SAFETY_GONE_AT = 7;
export const SAFETY_CHANGED_SLOTS = 8;

export const SAFETY_REASON = 2;
export const SAFETY_FIRED_SLOTS = 3;

/** TRADING_MODE_CHANGED. Underlying -1: the venue; contract -1: all of the underlying. */
export const MODE_UNDERLYING = 1;
export const MODE_CONTRACT = 2;
export const MODE_SET = 3;
export const TRADING_MODE_SLOTS = 4;

export const WALLET_MODE_VALUE = 2;
export const WALLET_MODE_SLOTS = 3;

/** QUOTE_CHANGED is like ORDER_DONE, with a QUOTE_ status as reason. */
export const QUOTE_UNCHANGED = 0;
export const QUOTE_REDUCED = 1;
export const QUOTE_OPEN = 2;
export const QUOTE_REMOVED = 3;
/** Only in answers. */
export const QUOTE_REJECTED = 4;

export const ITEM_PLACE = 2;
export const ITEM_SLOTS = 3;
