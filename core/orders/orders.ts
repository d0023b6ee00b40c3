// Open orders beyond what the book knows: client id, time in force, nonce, times, and their place in the holding's
// list (oldest first, so the list is also the order of margin reserves). Its reduce-only orders are a second, short list.
// Columns stand beside the book's pool: the row of an order is its pool slot. The index finds an account's open order by
// client id.

import { bytesOf, float64, int32, uint32, uint8 } from '../columns.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { CLIENT_ID_BYTES } from '../limits.ts';
import { clearChains, createChains, enterChain, firstInChain, leaveChain, type Chains } from '../math/chains.ts';
import { finishHash, mixWord } from '../math/hash.ts';
import { fixedSection, type Section } from '../store.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Holdings } from '../positions/holdings.ts';
import type { Books } from '../book/layout.ts';
import { orderAccount, orderRemaining, orderSide, slotsUsed } from '../book/pool.ts';
import { BUY } from '../units.ts';

/** Counters: ids of orders, trades and fills given so far; open orders; those of default and tier1 wallets. */
export const ORDER_IDS = 0;
export const TRADE_IDS = 1;
export const FILL_IDS = 2;
export const OPEN = 3;
export const SMALL_TIER_OPEN = 4;

/** 16 words of client id follow its length. */
const ID_WORDS = CLIENT_ID_BYTES / 4;

export type Orders = {
  readonly counters: Float64Array;
  /** Row of the holding plus one; 0: no open order stands in this slot. */
  readonly holding: Int32Array;
  /** Neighbours in the holding's list; 0: none (slots start at 1). */
  readonly prev: Int32Array;
  readonly next: Int32Array;
  /** The next younger reduce-only order of the holding; 0: none. */
  readonly nextReduce: Int32Array;
  readonly tif: Uint8Array;
  readonly flags: Uint8Array;
  readonly createdAt: Float64Array;
  /** When it last became smaller; until then `createdAt`. */
  readonly updatedAt: Float64Array;
  readonly nonce: Uint32Array;
  readonly idLength: Uint8Array;
  readonly idWords: Uint32Array;
  readonly idBytes: Uint8Array;
  readonly books: Books;
  readonly byClientId: Chains;
};

export function createOrders(books: Books, capacity: number): Orders {
  const idWords = uint32(capacity * ID_WORDS);
  const idLength = uint8(capacity);
  return {
    counters: float64(5), holding: int32(capacity), prev: int32(capacity),
    next: int32(capacity), nextReduce: int32(capacity), tif: uint8(capacity),
    flags: uint8(capacity), createdAt: float64(capacity), updatedAt: float64(capacity),
    nonce: uint32(capacity * 2), idLength, idWords, idBytes: bytesOf(idWords), books,
    byClientId: createChains(capacity, (slot) => hashClientId(orderAccount(books, slot), idWords, slot * ID_WORDS, idLength[slot])),
  };
}

/** The bytes beyond the length are zero, so whole words are compared and hashed. */
function hashClientId(account: number, words: Uint32Array, at: number, length: number): number {
  let h = mixWord(0x9747b28c, account);
  for (let i = 0; i < (length + 3) >>> 2; i++) h = mixWord(h, words[at + i]);
  return finishHash(h);
}

/** The account's open order with this client id (`length` bytes at `words[at]`, zero padded), or -1. */
export function findByClientId(orders: Orders, account: number, words: Uint32Array, at: number, length: number): number {
  const { byClientId, idWords, idLength, books } = orders;
  for (let link = firstInChain(byClientId, hashClientId(account, words, at, length)); link !== 0; link = byClientId.next[link - 1]) {
    const slot = link - 1;
    if (idLength[slot] === length && orderAccount(books, slot) === account && sameWords(idWords, slot * ID_WORDS, words, at, length)) {
      return slot;
    }
  }
  return -1;
}

function sameWords(a: Uint32Array, i: number, b: Uint32Array, j: number, length: number): boolean {
  for (let k = 0; k < (length + 3) >>> 2; k++) if (a[i + k] !== b[j + k]) return false;
  return true;
}

/** What a resting order brings beside what the book holds; client id as `length` bytes at `words[at]`. */
export type Rest = {
  holding: number; tif: number; flags: number; time: number; words: Uint32Array; at: number; length: number; nonceAt: number;
};

/** Enters the order in pool slot `slot` into the holding's list and sums, and into the index of client ids. */
export function enterOrder(orders: Orders, holdings: Holdings, accounts: Accounts, slot: number, rest: Rest, smallTier: boolean): void {
  const row = rest.holding;
  const { prev, next, idWords } = orders;
  orders.holding[slot] = row + 1;
  orders.tif[slot] = rest.tif;
  orders.flags[slot] = rest.flags;
  orders.createdAt[slot] = rest.time;
  orders.updatedAt[slot] = rest.time;
  orders.nonce[slot * 2] = rest.words[rest.nonceAt];
  orders.nonce[slot * 2 + 1] = rest.words[rest.nonceAt + 1];
  orders.idLength[slot] = rest.length;
  const words = (rest.length + 3) >>> 2;
  for (let i = 0; i < words; i++) idWords[slot * ID_WORDS + i] = rest.words[rest.at + i];
  next[slot] = 0;
  prev[slot] = holdings.orderTail[row];
  if (prev[slot] === 0) holdings.orderHead[row] = slot;
  else next[prev[slot]] = slot;
  holdings.orderTail[row] = slot;
  if ((rest.flags & FLAG_REDUCE_ONLY) !== 0) appendReduce(orders, holdings, row, slot);
  addOpenSize(orders, holdings, slot, orderRemaining(orders.books, slot));
  accounts.openOrders[holdings.account[row]]++;
  orders.counters[OPEN]++;
  if (smallTier) orders.counters[SMALL_TIER_OPEN]++;
  if (rest.length > 0) enterChain(orders.byClientId, slot);
}

/** Changes the holding's sum of open sizes on the order's side. */
export function addOpenSize(orders: Orders, holdings: Holdings, slot: number, delta: number): void {
  const row = orders.holding[slot] - 1;
  if (orderSide(orders.books, slot) === BUY) holdings.bidSize[row] += delta;
  else holdings.askSize[row] += delta;
}

/** Takes an order out of the lists and sums before the book releases its slot; `remaining` is what it still had open. */
export function leaveOrder(
  orders: Orders, holdings: Holdings, accounts: Accounts, slot: number, remaining: number, smallTier: boolean,
): void {
  const row = orders.holding[slot] - 1;
  if (remaining !== 0) addOpenSize(orders, holdings, slot, -remaining);
  unlink(orders, holdings, row, slot);
  if ((orders.flags[slot] & FLAG_REDUCE_ONLY) !== 0) removeReduce(orders, holdings, row, slot);
  accounts.openOrders[holdings.account[row]]--;
  orders.counters[OPEN]--;
  if (smallTier) orders.counters[SMALL_TIER_OPEN]--;
  if (orders.idLength[slot] > 0) {
    leaveChain(orders.byClientId, slot);
    // Words of a slot without a client id are zero, so a new order writes only what it has.
    for (let i = 0; i < (orders.idLength[slot] + 3) >>> 2; i++) orders.idWords[slot * ID_WORDS + i] = 0;
    orders.idLength[slot] = 0;
  }
  orders.holding[slot] = 0;
}

function unlink(orders: Orders, holdings: Holdings, row: number, slot: number): void {
  const { prev, next } = orders;
  if (prev[slot] === 0) holdings.orderHead[row] = next[slot];
  else next[prev[slot]] = next[slot];
  if (next[slot] === 0) holdings.orderTail[row] = prev[slot];
  else prev[next[slot]] = prev[slot];
}

/** Takes an open order out of its holding's list and sums for as long as another is judged; `putBack` has to follow. */
export function liftOrder(orders: Orders, holdings: Holdings, slot: number): void {
  addOpenSize(orders, holdings, slot, -orderRemaining(orders.books, slot));
  unlink(orders, holdings, orders.holding[slot] - 1, slot);
}

/** Undoes `liftOrder`: nothing has changed in between, so the order's own links still say where it stood. */
export function putBack(orders: Orders, holdings: Holdings, slot: number): void {
  const { prev, next } = orders;
  const row = orders.holding[slot] - 1;
  if (prev[slot] === 0) holdings.orderHead[row] = slot;
  else next[prev[slot]] = slot;
  if (next[slot] === 0) holdings.orderTail[row] = slot;
  else prev[next[slot]] = slot;
  addOpenSize(orders, holdings, slot, orderRemaining(orders.books, slot));
}

function appendReduce(orders: Orders, holdings: Holdings, row: number, slot: number): void {
  const { nextReduce } = orders;
  let last = holdings.reduceOnly[row];
  nextReduce[slot] = 0;
  if (last === 0) {
    holdings.reduceOnly[row] = slot;
    return;
  }
  while (nextReduce[last] !== 0) last = nextReduce[last];
  nextReduce[last] = slot;
}

function removeReduce(orders: Orders, holdings: Holdings, row: number, slot: number): void {
  const { nextReduce } = orders;
  let before = holdings.reduceOnly[row];
  if (before === slot) {
    holdings.reduceOnly[row] = nextReduce[slot];
    return;
  }
  while (nextReduce[before] !== slot) before = nextReduce[before];
  nextReduce[before] = nextReduce[slot];
}

/** How many reduce-only orders the holding has open. */
export function reduceOnlyOrders(orders: Orders, holdings: Holdings, row: number): number {
  let count = 0;
  for (let slot = holdings.reduceOnly[row]; slot !== 0; slot = orders.nextReduce[slot]) count++;
  return count;
}

export function orderSections(orders: Orders): readonly Section[] {
  const rows = () => slotsUsed(orders.books);
  const per = (name: string, column: Section['column'], width = 1): Section => (
    { name: `orders.${name}`, column, used: () => rows() * width }
  );
  return [
    fixedSection('orders.counters', orders.counters),
    per('holding', orders.holding), per('prev', orders.prev), per('next', orders.next), per('nextReduce', orders.nextReduce),
    per('tif', orders.tif), per('flags', orders.flags), per('createdAt', orders.createdAt),
    per('updatedAt', orders.updatedAt), per('nonce', orders.nonce, 2), per('idLength', orders.idLength),
    per('idWords', orders.idWords, ID_WORDS),
  ];
}

export function rebuildOrders(orders: Orders): void {
  clearChains(orders.byClientId);
  for (let slot = 0; slot < slotsUsed(orders.books); slot++) {
    if (orders.holding[slot] !== 0 && orders.idLength[slot] > 0) enterChain(orders.byClientId, slot);
  }
}
