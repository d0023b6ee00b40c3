// The order books of all instruments. Prices are keys (core/book/price-key), sizes 1e-6 contracts. Never emits events or moves money.

import { assert } from '../assert.ts';
import { doublesOf, fixedSection, float64, int32, type Section } from '../columns.ts';
import type { Limits } from '../limits.ts';
import { BUY, SELL } from '../units.ts';
import type { Books } from './layout.ts';
import { appendOrder, levelAt, levelOf, levelTotal, rankBelow, rankOf, removeOrder, restoreOrder, shrinkLevel } from './levels.ts';
import { LAST_KEY } from './price-key.ts';
import { forgetOrder, indexOrder, OUT, orderKey, orderId, orderLadder, orderRemaining, releaseOrder, takeSlot } from './pool.ts';

// Offsets within rows (core/book/layout).
const ACCOUNT = 2;
const LADDER = 3;
const KEY = 4;
const KEY_BITS = 0xf_ffff;
const REMAINING = 3;
const HIGH = 4_294_967_296;
const FREE = -1;
const HIGH_WATER = 1;
const LIVE = 2;
const BEST_LEVEL = 1;
const ORDERS_PER_CHAIN = 8;

/** Capacities in rows, `levelPages` in pages of 64 levels. */
export function createBooks(limits: Pick<Limits, 'orders' | 'instruments' | 'levelPages'>): Books {
  const capacity = limits.orders;
  const pageCapacity = limits.levelPages;
  const ladders = limits.instruments * 2;
  let chains = 1;
  while (chains < capacity / ORDERS_PER_CHAIN) chains *= 2;
  const orders = int32(capacity * 8);
  const levels = int32((pageCapacity + 1) * 256);
  return {
    capacity,
    pageCapacity,
    counters: int32(3),
    orders,
    sizes: doublesOf(orders),
    links: int32(capacity * 2),
    chains: int32(chains),
    ladders: int32(ladders * 16),
    roots: int32(ladders * 256),
    blocks: int32((pageCapacity + 1) * 64),
    blockBits: int32((pageCapacity + 1) * 2),
    pages: int32((pageCapacity + 1) * 4),
    levels,
    totals: doublesOf(levels),
    carries: int32((pageCapacity + 1) * 64),
    newestId: float64(1),
    freePage: 0,
    pagesMade: 0,
    pagesUsed: 0,
    freeBlock: 0,
    blocksMade: 0,
    takerLadder: 0,
    takerRank: 0,
    taking: float64(1),
  };
}

export function bookSections(books: Books): readonly Section[] {
  const { counters, links, orders } = books;
  return [
    fixedSection('books.counters', counters),
    { name: 'books.orders', column: orders, used: () => (counters[HIGH_WATER] + 1) * 8 },
    { name: 'books.links', column: links, used: () => (counters[HIGH_WATER] + 1) * 2 },
  ];
}

export function rebuildBooks(books: Books): void {
  const { links } = books;
  const last = books.counters[HIGH_WATER];
  for (let slot = 1; slot <= last; slot++) {
    if (links[slot << 1] === FREE) continue;
    indexOrder(books, slot, orderId(books, slot));
    if (links[slot << 1] === OUT) continue;
    const ladder = orderLadder(books, slot);
    restoreOrder(books, slot, ladder, rankOf(ladder, orderKey(books, slot)), orderRemaining(books, slot));
  }
}

/** Room for one more order at any price after `leaving` have left, and for `waiting` others. */
export function hasBookRoom(books: Books, leaving: number, waiting: number): boolean {
  return books.counters[LIVE] - leaving < books.capacity - 1 && books.pagesUsed + waiting < books.pageCapacity;
}

/** As `hasBookRoom`, for `count` orders. */
export function hasBookRoomFor(books: Books, count: number, waiting: number): boolean {
  return books.counters[LIVE] + count < books.capacity && books.pagesUsed + count + waiting <= books.pageCapacity;
}

/** Last in line. Returns its slot. Ask `hasBookRoom` first. */
export function restOrder(
  books: Books, instrument: number, side: number, key: number, account: number, id: number, remaining: number,
): number {
  const slot = fillSlot(books, instrument, side, key, account, id, remaining);
  const ladder = (instrument << 1) | side;
  appendOrder(books, slot, ladder, rankOf(ladder, key), remaining);
  return slot;
}

/** For an order in no book. Ask `hasBookRoom` first. */
export function holdOrder(
  books: Books, instrument: number, side: number, key: number, account: number, id: number, remaining: number,
): number {
  const slot = fillSlot(books, instrument, side, key, account, id, remaining);
  books.links[slot << 1] = OUT;
  books.links[(slot << 1) | 1] = 0;
  return slot;
}

function fillSlot(
  books: Books, instrument: number, side: number, key: number, account: number, id: number, remaining: number,
): number {
  const { orders, sizes } = books;
  const idLo = id >>> 0;
  const idHi = Math.floor(id / HIGH);
  assert(key > 0 && key <= LAST_KEY, 'book: a price has a key');
  const ladder = (instrument << 1) | side;
  const slot = takeSlot(books);
  const row = slot << 3;
  orders[row] = idLo;
  orders[row | ACCOUNT] = account;
  orders[row | LADDER] = ladder | ((idHi >>> 12) << 23);
  orders[row | KEY] = key | (idHi << 20);
  sizes[(slot << 2) | REMAINING] = remaining;
  indexOrder(books, slot, id);
  return slot;
}

export function isInBook({ links }: Books, slot: number): boolean {
  return links[slot << 1] >= 0;
}

export function enterBook(books: Books, slot: number): void {
  assert(books.links[slot << 1] === OUT, 'book: an order that enters a book is in none');
  const ladder = orderLadder(books, slot);
  appendOrder(books, slot, ladder, rankOf(ladder, orderKey(books, slot)), orderRemaining(books, slot));
}

/** The order keeps slot and id. */
export function leaveBook(books: Books, slot: number): void {
  const { links } = books;
  assert(links[slot << 1] >= 0, 'book: an order that leaves a book is in one');
  removeOrder(books, slot, orderLadder(books, slot), levelOf(books, slot), orderRemaining(books, slot));
  links[slot << 1] = OUT;
  links[(slot << 1) | 1] = 0;
}

export function repriceOrder(books: Books, slot: number, key: number, remaining: number): void {
  assert(books.links[slot << 1] === OUT, 'book: an order that changes its price is in no book');
  assert(key > 0 && key <= LAST_KEY && remaining > 0, 'book: an order has a price and a size');
  const { orders, sizes } = books;
  orders[(slot << 3) | KEY] = (orders[(slot << 3) | KEY] & ~KEY_BITS) | key;
  sizes[(slot << 2) | REMAINING] = remaining;
}

export function dropOrder(books: Books, slot: number): void {
  assert(books.links[slot << 1] === OUT, 'book: a dropped order is in no book');
  forgetOrder(books, slot);
  releaseOrder(books, slot);
}

export function cancelOrder(books: Books, slot: number): void {
  assert(orderRemaining(books, slot) > 0, 'book: a cancelled order has a size');
  removeOrder(books, slot, orderLadder(books, slot), levelOf(books, slot), orderRemaining(books, slot));
  forgetOrder(books, slot);
  releaseOrder(books, slot);
}

/** The order keeps its priority. 0 < `remaining` <= present size. */
export function reduceOrder(books: Books, slot: number, remaining: number): void {
  assert(remaining > 0 && remaining <= orderRemaining(books, slot), 'book: the reduced size is positive and no larger');
  shrinkLevel(books, levelOf(books, slot), orderRemaining(books, slot) - remaining);
  books.sizes[(slot << 2) | REMAINING] = remaining;
}

/** Price key, -1 if none. */
export function bestBid(books: Books, instrument: number): number {
  return bestKey(books, instrument << 1);
}

export function bestAsk(books: Books, instrument: number): number {
  return bestKey(books, (instrument << 1) | 1);
}

export function isCrossed(books: Books, instrument: number): boolean {
  const bid = bestBid(books, instrument);
  const ask = bestAsk(books, instrument);
  return bid >= 0 && ask >= 0 && bid >= ask;
}

function bestKey(books: Books, ladder: number): number {
  const rank = books.ladders[ladder << 4];
  return rank === 0 ? -1 : rankOf(ladder, rank);
}

/** Slot of the first in line, 0 if none. */
export function bestOrder(books: Books, instrument: number, side: number): number {
  return books.levels[books.ladders[(((instrument << 1) | side) << 4) | BEST_LEVEL] << 2];
}

/** 0 if none is left. */
export function firstOrder(books: Books, instrument: number): number {
  return bestOrder(books, instrument, BUY) || bestOrder(books, instrument, SELL);
}

/** Price key of the next occupied level behind `key`, -1 if none. */
export function nextLevel(books: Books, instrument: number, side: number, key: number): number {
  const ladder = (instrument << 1) | side;
  const rank = rankBelow(books, ladder, rankOf(ladder, key));
  return rank === 0 ? -1 : rankOf(ladder, rank);
}

/** Orders at a price, counted up to `most`. */
export function ordersAt(books: Books, instrument: number, side: number, key: number, most: number): number {
  const ladder = (instrument << 1) | side;
  let count = 0;
  for (let slot = books.levels[levelAt(books, ladder, rankOf(ladder, key)) << 2]; slot !== 0 && count < most; count++) {
    slot = books.links[(slot << 1) | 1];
  }
  return count;
}

/** Exact up to 2^53, rounded to a double above. */
export function levelSize(books: Books, instrument: number, side: number, key: number): number {
  const ladder = (instrument << 1) | side;
  return levelTotal(books, levelAt(books, ladder, rankOf(ladder, key)));
}
