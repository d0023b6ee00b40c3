// Reads the state from its raw arrays with layouts of its own, so that an auditor need not trust the code that writes them. Ids and
// amounts are returned as stored, prices decoded from keys. Never calls a function of the core.

import type { State } from '../../core/engine/state.ts';

/** Words of a row of the order pool, and the mark of a free slot. */
const ROW = 8;
const FREE = -1;
/** A word of it: holding plus one. */
const HOLDING = 5;
/** Of the row of details: time in force, flags << 8, bytes of the client id << 16; the next younger reduce-only order. */
const KINDS = 6;
const YOUNGER_REDUCE = 7;
/** Of a row of terms: post-only, prevention, trigger, length of the link id in four bytes, link id. */
const TERMS_BYTES = 40;

export type RawOrder = {
  readonly slot: number; readonly id: number; readonly account: number; readonly instrument: number; readonly side: number;
  readonly price: number; readonly remaining: number; readonly size: number; readonly holding: number; readonly flags: number;
  /** Its entry number; 0: it is in no book. */
  readonly entry: number;
  /** The entry number at which it began to wait, or its own. */
  readonly since: number;
};
export type RawHolding = {
  readonly row: number; readonly account: number; readonly instrument: number; readonly position: number;
  readonly bidSize: number; readonly askSize: number; readonly cost: number; readonly realized: number;
};

/** Each exact, so that a product with one of them is rounded once. */
const POWERS_OF_TEN = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11];

/** The price a key stands for (core/book/price-key, head comment). */
function priceOf(key: number): number {
  if (key < 100_000) return key;
  const decade = Math.floor((key - 100_000) / 90_000) + 1;
  return (key - 100_000 - (decade - 1) * 90_000 + 10_000) * POWERS_OF_TEN[decade]!;
}

/** Every order that holds a slot, oldest first. */
export function openOrders(state: State): RawOrder[] {
  const { orders, links, sizes, counters } = state.books;
  const { amounts, details, entries } = state.orders;
  const rows: RawOrder[] = [];
  for (let slot = 1; slot <= counters[1]!; slot++) {
    const at = slot * ROW;
    if (links[slot * 2] === FREE) continue;
    const ladder = (orders[at + 3]! >>> 0) % 2 ** 23;
    const high = Math.floor((orders[at + 3]! >>> 0) / 2 ** 23) * 2 ** 12 + Math.floor((orders[at + 4]! >>> 0) / 2 ** 20);
    rows.push({
      slot, id: (orders[at]! >>> 0) + high * 2 ** 32, account: orders[at + 2]!, instrument: ladder >> 1, side: ladder & 1,
      price: priceOf((orders[at + 4]! >>> 0) % 2 ** 20), remaining: sizes[slot * 4 + 3]!, size: amounts[slot * 4]!,
      holding: orders[at + HOLDING]! - 1, flags: (details[at + KINDS]! >>> 8) & 0xff,
      entry: entries[slot * 2]!, since: entries[slot * 2]! || entries[slot * 2 + 1]!,
    });
  }
  return rows.sort((a, b) => a.id - b.id);
}

/** It belongs to a quote set, whose name it has in place of a client id. */
export const isQuote = ({ flags }: Pick<RawOrder, 'flags'>): boolean => flags >= 128;

/** Client id of the open order in this slot, empty if it has none. */
export function clientIdIn(state: State, slot: number): string {
  return isQuote({ flags: (state.orders.details[slot * ROW + KINDS]! >>> 8) & 0xff }) ? '' : nameIn(state, slot);
}

/** A client id or the name of a quote set. */
export function nameIn(state: State, slot: number): string {
  const at = slot * 64;
  return Buffer.from(state.orders.idBytes.subarray(at, at + (state.orders.details[slot * ROW + KINDS]! >>> 16 & 0xff))).toString('utf8');
}

/** What the order has beside a plain one; zeros if it is one. */
/** `entryOf`: the link whose entry it is; then `link` is ''. */
type RawTerms = {
  readonly postOnly: number; readonly stp: number; readonly expiresAt: number; readonly link: string; readonly entryOf: string;
  readonly awaitsEntry: boolean;
};

export function termsIn({ orders: { extended } }: State, slot: number): RawTerms {
  const at = slot * TERMS_BYTES;
  const { bytes, expiresAt } = extended;
  const named = Buffer.from(bytes.subarray(at + 8, at + 8 + bytes[at + 4]!)).toString('latin1');
  const isEntry = (bytes[at + 5]! & 1) !== 0;
  return {
    postOnly: bytes[at]!, stp: bytes[at + 1]!, expiresAt: expiresAt[slot]!, link: isEntry ? '' : named, entryOf: isEntry ? named : '',
    awaitsEntry: (bytes[at + 5]! & 2) !== 0,
  };
}

/** Slots of a holding's open orders, oldest first, as they are linked. */
export function* listOf(state: State, holding: number): Iterable<number> {
  for (let slot = state.holdings.orderHead[holding]!; slot !== 0; slot = state.orders.neighbours[slot * 2 + 1]!) yield slot;
}

/** The same of its reduce-only orders. */
export function* reduceOnlyListOf(state: State, holding: number): Iterable<number> {
  for (let slot = state.holdings.reduceOnly[holding]!; slot !== 0; slot = state.orders.details[slot * ROW + YOUNGER_REDUCE]!) yield slot;
}

/** Slots of a holding's orders that wait for a trigger, youngest first. */
export function* waitingOf(state: State, holding: number): Iterable<number> {
  for (let slot = state.holdings.triggers[holding]!; slot !== 0; slot = state.orders.neighbours[slot * 2]!) yield slot;
}

/** Slots on the free list of the pool. */
export function freeSlots(state: State): number[] {
  const { links, counters } = state.books;
  const slots: number[] = [];
  for (let slot = counters[0]!; slot !== 0 && slots.length <= counters[1]!; slot = links[slot * 2 + 1]!) slots.push(slot);
  return slots;
}

/** Every holding in use, by row. */
export function liveRows(state: State): RawHolding[] {
  const { holdings } = state;
  const rows: RawHolding[] = [];
  for (let row = 0; row < holdings.counters[0]!; row++) {
    if (holdings.account[row]! < 0) continue;
    rows.push({
      row, account: holdings.account[row]!, instrument: holdings.instrument[row]!, position: holdings.position[row]!,
      bidSize: holdings.bidSize[row]!, askSize: holdings.askSize[row]!, cost: holdings.cost[row]!,
      realized: holdings.realized[row]!,
    });
  }
  return rows;
}

/** Rows of accounts that were ever used. */
export function accountTotal(state: State): number {
  return state.accounts.counters[0]!;
}

/** The row that the next account takes: the one freed last, else a new one. */
export function nextAccountRow({ accounts }: State): number {
  return accounts.counters[1] === 0 ? accounts.counters[0]! : accounts.counters[1]! - 1;
}

/** The wallet's number in tests, from its address: the insurance fund has none. */
export function walletOf(address: ArrayLike<number>, at: number): number {
  return address[at]! - 1;
}

const FUND = Buffer.from('strikebook insurance');

/** The insurance fund's account, -1 while it has none. */
export function fundAccount(state: State): number {
  const { address } = state.accounts;
  for (let account = 0; account < accountTotal(state); account++) {
    if (Buffer.from(address.slice(account * 5, account * 5 + 5).buffer).equals(FUND)) return account;
  }
  return -1;
}

/** For how many more wallets there is a row: the last is the insurance fund's, until it has one. */
export function accountRoom(state: State): number {
  const free = state.limits.accounts - (accountTotal(state) - state.accounts.counters[2]!);
  return fundAccount(state) >= 0 ? free : Math.max(0, free - 1);
}

/** The rows that the next accounts get, of which there are `count` at most. */
export function nextAccountRows(state: State, count: number): number[] {
  const { counters, free } = state.accounts;
  const rows: number[] = [];
  for (let link = counters[1]!; link > 0 && rows.length < count; link = free[link - 1]!) rows.push(link - 1);
  for (let row = counters[0]!; rows.length < count; row++) rows.push(row);
  return rows;
}

export function instrumentTotal(state: State): number {
  return state.instruments.counters[0]!;
}
