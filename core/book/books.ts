// The order books of all instruments: create, rest, cancel, reduce, and reads of prices and depth.
// Units: prices are keys of core/book/price-key, sizes are integer 1e-6 contracts, sides are BUY and SELL of core/units.
// An empty book takes no room and needs no opening or closing. Checks nothing that the caller is told to check, emits
// nothing, and knows nothing of money.

import { assert } from '../assert.ts';
import { doublesOf, fixedSection, float64, int32, type Section } from '../columns.ts';
import type { Limits } from '../limits.ts';
import { BUY, SELL } from '../units.ts';
import type { Books } from './layout.ts';
import { appendOrder, levelAt, levelOf, levelTotal, rankBelow, rankOf, removeOrder, restoreOrder, shrinkLevel } from './levels.ts';
import { LAST_KEY } from './price-key.ts';
import { forgetOrder, indexOrder, orderKey, orderLadder, orderRemaining, reindexOrder, releaseOrder, takeSlot } from './pool.ts';

// Words of the rows of `orders` (the id's low word is word 0), `counters` and `ladders`, a double of those of `sizes` (core/book/layout).
const ACCOUNT = 2;
const LADDER = 3;
const KEY = 4;
const REMAINING = 3;
/** What one of an id's high word stands for. */
const HIGH = 4_294_967_296;
const FREE = -1;
const HIGH_WATER = 1;
const LIVE = 2;
const BEST_LEVEL = 1;
/** Mean length of a chain of the id index in a full pool; a smaller index stays in the cache. */
const ORDERS_PER_CHAIN = 8;

/** Books without an order. Allocates all there ever is: capacities in rows, `levelPages` in pages of 64 levels. */
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

/** One pass in the order of the slots, no sorting: every order carries its place in line. Into a fresh record only. */
export function rebuildBooks(books: Books): void {
  const { links } = books;
  const last = books.counters[HIGH_WATER];
  for (let slot = 1; slot <= last; slot++) {
    if (links[slot << 1] === FREE) continue;
    const ladder = orderLadder(books, slot);
    restoreOrder(books, slot, ladder, rankOf(ladder, orderKey(books, slot)), orderRemaining(books, slot));
    reindexOrder(books, slot);
  }
}

/**
 * Whether one more order can rest, wherever it goes, when `leaving` others have left: a slot and a page are free. To be
 * asked before anything moves.
 */
export function hasBookRoom(books: Books, leaving = 0): boolean {
  return books.counters[LIVE] - leaving < books.capacity - 1 && books.pagesUsed < books.pageCapacity;
}

/**
 * Rests an order at the end of the line at its price; the caller has matched it and has asked `hasBookRoom`. Its id is
 * the greatest so far. Its slot.
 */
export function restOrder(
  books: Books, instrument: number, side: number, key: number, account: number, id: number, remaining: number,
): number {
  const { orders, sizes } = books;
  const idLo = id >>> 0;
  const idHi = Math.floor(id / HIGH);
  assert(key > 0 && key <= LAST_KEY, 'book: a price has a key');
  const slot = takeSlot(books);
  const row = slot << 3;
  const ladder = (instrument << 1) | side;
  orders[row] = idLo;
  orders[row | ACCOUNT] = account;
  orders[row | LADDER] = ladder | ((idHi >>> 12) << 23);
  orders[row | KEY] = key | (idHi << 20);
  sizes[(slot << 2) | REMAINING] = remaining;
  appendOrder(books, slot, ladder, rankOf(ladder, key), remaining);
  indexOrder(books, slot, idLo);
  return slot;
}

/** Takes an open order out of its book and frees its slot; read what is needed of it before. */
export function cancelOrder(books: Books, slot: number): void {
  assert(orderRemaining(books, slot) > 0, 'book: an order that is cancelled has a size');
  removeOrder(books, slot, orderLadder(books, slot), levelOf(books, slot), orderRemaining(books, slot));
  forgetOrder(books, slot);
  releaseOrder(books, slot);
}

/** Lowers the remaining size of an open order, which keeps its place in line; 0 < `remaining` <= its size now. */
export function reduceOrder(books: Books, slot: number, remaining: number): void {
  assert(remaining > 0 && remaining <= orderRemaining(books, slot), 'book: a reduced order keeps a part of its size');
  shrinkLevel(books, levelOf(books, slot), orderRemaining(books, slot) - remaining);
  books.sizes[(slot << 2) | REMAINING] = remaining;
}

/** Price key of the best bid, -1 if there is none. */
export function bestBid(books: Books, instrument: number): number {
  return bestKey(books, instrument << 1);
}

/** Price key of the best ask, -1 if there is none. */
export function bestAsk(books: Books, instrument: number): number {
  return bestKey(books, (instrument << 1) | 1);
}

/** True when somebody bids as much as somebody asks; between two commands nobody does. */
export function isCrossed(books: Books, instrument: number): boolean {
  const bid = bestBid(books, instrument);
  const ask = bestAsk(books, instrument);
  return bid >= 0 && ask >= 0 && bid >= ask;
}

function bestKey(books: Books, ladder: number): number {
  const rank = books.ladders[ladder << 4];
  return rank === 0 ? -1 : rankOf(ladder, rank);
}

/** The first order in line at the best price of a side, 0 if there is none. */
export function bestOrder(books: Books, instrument: number, side: number): number {
  return books.levels[books.ladders[(((instrument << 1) | side) << 4) | BEST_LEVEL] << 2];
}

/** The next order of an instrument that is being emptied: bids first, then asks, each from the best; 0 if there is none. */
export function firstOrder(books: Books, instrument: number): number {
  return bestOrder(books, instrument, BUY) || bestOrder(books, instrument, SELL);
}

/** Price key of the next occupied level of a side outwards from `key` (occupied or not), -1 if there is none. */
export function nextLevel(books: Books, instrument: number, side: number, key: number): number {
  const ladder = (instrument << 1) | side;
  const rank = rankBelow(books, ladder, rankOf(ladder, key));
  return rank === 0 ? -1 : rankOf(ladder, rank);
}

/** Resting size of a side at `key`, 0 if nothing rests there; exact up to 2^53, rounded to a double beyond. */
export function levelSize(books: Books, instrument: number, side: number, key: number): number {
  const ladder = (instrument << 1) | side;
  return levelTotal(books, levelAt(books, ladder, rankOf(ladder, key)));
}
