// The order pool of all books: slots, the id index, and what an order says about itself.
// A slot is stable while its order lives. Slots are handed out deterministically: the one freed last, else the next
// never used. The index chains orders by the low bits of their id: ids come from a counter, so chains are as long as
// the number of times the counter lapped the table within the life of the orders in it. (Open addressing would be
// one probe as well, until the counter laps a block of old resting orders and every probe walks all of it.)
// Must never look at prices or levels.

import type { Books } from './layout.ts';

// Words of a row of `orders` (the id's low word is word 0) and of `counters`.
const ID_HI = 1;
const ACCOUNT = 2;
const LADDER = 3;
const KEY = 4;
const PREV = 5;
const NEXT = 6;
const FREE = -1;
const FREE_HEAD = 0;
const HIGH_WATER = 1;
const LIVE = 2;

/** A slot for a new order; the caller has checked that there is room. */
export function takeSlot(books: Books): number {
  const { counters } = books;
  counters[LIVE]++;
  const slot = counters[FREE_HEAD];
  if (slot === 0) return ++counters[HIGH_WATER];
  counters[FREE_HEAD] = books.orders[(slot << 3) | NEXT];
  return slot;
}

/** Gives back the slot of an order that rests nowhere any more. */
export function releaseOrder(books: Books, slot: number): void {
  const { counters, orders } = books;
  const row = slot << 3;
  orders[row | PREV] = FREE;
  orders[row | NEXT] = counters[FREE_HEAD];
  counters[FREE_HEAD] = slot;
  counters[LIVE]--;
}

/** Slot of the open order of this id, -1 if none. */
export function findOrder(books: Books, idLo: number, idHi: number): number {
  const { chains, orders } = books;
  let slot = chains[idLo & (chains.length - 1)];
  while (slot !== 0) {
    const row = slot << 3;
    if (orders[row] === (idLo | 0) && orders[row | ID_HI] === (idHi | 0)) return slot;
    slot = books.places[(slot << 1) | 1];
  }
  return -1;
}

export function indexOrder(books: Books, slot: number, idLo: number): void {
  const { chains } = books;
  const chain = idLo & (chains.length - 1);
  books.places[(slot << 1) | 1] = chains[chain];
  chains[chain] = slot;
}

export function forgetOrder(books: Books, slot: number): void {
  const { chains } = books;
  const chain = books.orders[slot << 3] & (chains.length - 1);
  const after = books.places[(slot << 1) | 1];
  if (chains[chain] === slot) chains[chain] = after;
  else unchainOrder(books, slot, chains[chain], after);
}

function unchainOrder(books: Books, slot: number, first: number, after: number): void {
  const { places } = books;
  let at = first;
  while (places[(at << 1) | 1] !== slot) at = places[(at << 1) | 1];
  places[(at << 1) | 1] = after;
}

/** The order behind this one in line at its price, 0: it is the last. */
export function nextInLine(books: Books, slot: number): number {
  return books.orders[(slot << 3) | NEXT];
}

export function orderIdLo(books: Books, slot: number): number {
  return books.orders[slot << 3] >>> 0;
}

export function orderIdHi(books: Books, slot: number): number {
  return books.orders[(slot << 3) | ID_HI] >>> 0;
}

export function orderAccount(books: Books, slot: number): number {
  return books.orders[(slot << 3) | ACCOUNT];
}

export function orderInstrument(books: Books, slot: number): number {
  return books.orders[(slot << 3) | LADDER] >> 1;
}

/** BUY or SELL. */
export function orderSide(books: Books, slot: number): number {
  return books.orders[(slot << 3) | LADDER] & 1;
}

export function orderKey(books: Books, slot: number): number {
  return books.orders[(slot << 3) | KEY];
}

export function orderRemaining(books: Books, slot: number): number {
  return books.sizes[slot << 1];
}

export function orderOriginal(books: Books, slot: number): number {
  return books.sizes[(slot << 1) | 1];
}

/** Slots ever used, slot 0 included: what side tables beside the pool have in use. */
export function slotsUsed(books: Books): number {
  return books.counters[HIGH_WATER] + 1;
}
