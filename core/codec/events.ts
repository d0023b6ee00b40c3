// What a command did, as words: the only output of the core besides its one reply. An event is up to 24 doubles,
// slot 0 its kind, written into one scratch record and handed to a listener at once; the listener copies what it
// wants and may read the state as it stands at that moment. Every number is an integer, and both halves of it enter a rolling
// digest of 2 x 32 bits that main and reader compare: two cores that did the same thing have the same digest.
// Numbers: ids, prices (1e-6 USDC), sizes (1e-6 contracts), money (1e-6 USDC), times (ms). u64 of clients: two slots.

import { fixedSection, type Section } from '../store.ts';

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

const SLOTS = 24;

const SLOT_HIGH = 1 / 4_294_967_296;

/** `digest` is two u32; `listener` is called once per event. */
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

/**
 * Sends the first `count` slots (slot 0 is set to `kind`). Negative zero is made zero by the sum, so that equal
 * numbers have equal words whichever way they were computed.
 */
export function emit(events: Events, kind: number, count: number): void {
  const { slots, digest } = events;
  slots[0] = kind;
  let low = digest[0] | 0;
  let high = digest[1] | 0;
  // Low halves enter one lane, high halves the other, side by side; each event ends with both in both. The halves are
  // computed: reading them from the bytes just written waits for the store.
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

// Slots of each kind, by name, for writers and listeners.
export const ACCOUNT = 1;

/** ACCOUNT_OPENED: account, address (5 words in 5 slots), balance. */
export const OPENED_ADDRESS = 2;
export const OPENED_BALANCE = 7;
export const OPENED_SLOTS = 8;

/** AGENT_APPROVED and AGENT_REVOKED: account (-1 while the wallet has none), agent (5), expires. */
export const AGENT_ADDRESS = 2;
export const AGENT_EXPIRES = 7;
export const AGENT_SLOTS = 8;

/** NONCE_TAKEN: account (-1: pending approval), kind of command, nonce low, high, digest (8 words), code, four numbers. */
export const TAKEN_KIND = 2;
export const TAKEN_NONCE = 3;
export const TAKEN_DIGEST = 5;
export const TAKEN_CODE = 13;
export const TAKEN_NUMBERS = 14;
export const TAKEN_SLOTS = 18;

/** TIER_CHANGED: account, tier. */
export const TIER_VALUE = 2;
export const TIER_SLOTS = 3;

/** ORDER_ACCEPTED, RESTED, DONE: account, order id, pool slot (-1: none), instrument slot, side, then: */
export const ORDER_ID = 2;
export const ORDER_SLOT = 3;
export const ORDER_INSTRUMENT = 4;
export const ORDER_SIDE = 5;
export const ORDER_PRICE = 6;
export const ORDER_SIZE = 7;
export const ORDER_TIF = 8;
/** DONE: reason and filled size; RESTED: remaining size; ACCEPTED: flags. */
export const ORDER_FILLED = 9;
export const ORDER_REASON = 10;
export const ORDER_SLOTS = 11;

/** FILL: one trade between a taker and a maker. The maker's remaining size and both results are as they stand after it. */
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

/** REFUSED: account, kind of command, code, four numbers. */
export const REFUSED_KIND = 2;
export const REFUSED_CODE = 3;
export const REFUSED_NUMBERS = 4;
export const REFUSED_SLOTS = 8;

/** INDEX_MOVED: underlying, price, stale (0 or 1). */
export const INDEX_UNDERLYING = 1;
export const INDEX_VALUE = 2;
export const INDEX_IS_STALE = 3;
export const INDEX_SLOTS = 4;

/** MARKS_MOVED: underlying, index price of the marks, count, sum of marks modulo 2^32 as a check. */
export const MARKS_COUNT = 3;
export const MARKS_CHECK = 4;
export const MARKS_SLOTS = 5;

/** BOOK_CHANGED, last of a command, once per changed book: instrument slot, seq of the book's stream. */
export const BOOK_SEQ = 2;
export const BOOK_SLOTS = 3;

/** INSTRUMENT_LISTED, INSTRUMENT_EXPIRED: instrument slot, id, underlying, expiry, strike, option kind. */
export const INSTRUMENT = 1;
export const INSTRUMENT_ID = 2;
export const INSTRUMENT_SLOTS = 7;
