// The order pool of all books. A new order gets the slot freed last, else the next unused. The id index chains orders by the low bits of
// their id, which comes from a counter. (With open addressing, probes would walk whole blocks of old orders.)

import { assert } from '../assert.ts';
import type { Books } from './layout.ts';

const CHAIN = 1;
const ACCOUNT = 2;
const LADDER = 3;
const KEY = 4;
const REMAINING = 3;
/** Above them are 9 and 12 bits of the id's high word (ids are below 2^53). */
const LADDER_BITS = 0x7f_ffff;
const KEY_BITS = 0xf_ffff;
const HIGH = 4_294_967_296;
const FREE = -1;
export const OUT = -2;
const FREE_HEAD = 0;
const HIGH_WATER = 1;
const LIVE = 2;

export function takeSlot(books: Books): number {
  const { counters, links } = books;
  assert(counters[LIVE] < books.capacity - 1, 'book: a slot is free');
  counters[LIVE]++;
  const slot = counters[FREE_HEAD];
  if (slot === 0) return ++counters[HIGH_WATER];
  assert(links[slot << 1] === FREE, 'book: the free list holds free slots');
  counters[FREE_HEAD] = links[(slot << 1) | 1];
  return slot;
}

export function releaseOrder(books: Books, slot: number): void {
  const { counters, links } = books;
  assert(slot > 0 && slot <= counters[HIGH_WATER], 'book: a released slot was used');
  assert(links[slot << 1] !== FREE, 'book: a slot is released once');
  links[slot << 1] = FREE;
  links[(slot << 1) | 1] = counters[FREE_HEAD];
  counters[FREE_HEAD] = slot;
  counters[LIVE]--;
  assert(counters[LIVE] >= 0, 'book: no more slots are released than taken');
}

/** -1 if no such order is open. */
export function findOrder(books: Books, idLo: number, idHi: number): number {
  const { chains, orders } = books;
  let slot = chains[idLo & (chains.length - 1)];
  while (slot !== 0) {
    if (orders[slot << 3] === (idLo | 0) && orderIdHi(books, slot) === idHi) return slot;
    slot = orders[(slot << 3) | CHAIN];
  }
  return -1;
}

/** A new id is the greatest so far, so it goes first without a look at the others. */
export function indexOrder(books: Books, slot: number, id: number): void {
  const { chains, newestId, orders } = books;
  const chain = orders[slot << 3] & (chains.length - 1);
  assert(chains[chain] !== slot, 'book: an order enters the id index once');
  if (id <= newestId[0]) {
    insertById(books, slot, chain);
    return;
  }
  newestId[0] = id;
  orders[(slot << 3) | CHAIN] = chains[chain];
  chains[chain] = slot;
}

/** Chains are sorted by id, youngest first. */
function insertById(books: Books, slot: number, chain: number): void {
  const { chains, orders } = books;
  let before = 0;
  let after = chains[chain];
  while (after !== 0 && isYounger(books, after, slot)) {
    before = after;
    after = orders[(after << 3) | CHAIN];
  }
  orders[(slot << 3) | CHAIN] = after;
  if (before === 0) chains[chain] = slot;
  else orders[(before << 3) | CHAIN] = slot;
}

function isYounger(books: Books, slot: number, than: number): boolean {
  const high = orderIdHi(books, slot) - orderIdHi(books, than);
  return high > 0 || (high === 0 && orderIdLo(books, slot) > orderIdLo(books, than));
}

export function forgetOrder(books: Books, slot: number): void {
  const { chains, orders } = books;
  const chain = orders[slot << 3] & (chains.length - 1);
  const after = orders[(slot << 3) | CHAIN];
  if (chains[chain] === slot) chains[chain] = after;
  else unchainOrder(books, slot, chains[chain], after);
}

function unchainOrder(books: Books, slot: number, first: number, after: number): void {
  const { orders } = books;
  let at = first;
  while (orders[(at << 3) | CHAIN] !== slot) {
    assert(at !== 0, 'book: an open order is in the id index');
    at = orders[(at << 3) | CHAIN];
  }
  orders[(at << 3) | CHAIN] = after;
}

export function nextInLine(books: Books, slot: number): number {
  return books.links[(slot << 1) | 1];
}

export function orderId(books: Books, slot: number): number {
  return orderIdLo(books, slot) + orderIdHi(books, slot) * HIGH;
}

export function orderIdLo(books: Books, slot: number): number {
  return books.orders[slot << 3] >>> 0;
}

export function orderIdHi(books: Books, slot: number): number {
  const { orders } = books;
  return ((orders[(slot << 3) | LADDER] >>> 23) << 12) | (orders[(slot << 3) | KEY] >>> 20);
}

export function orderAccount(books: Books, slot: number): number {
  return books.orders[(slot << 3) | ACCOUNT];
}

export function orderInstrument(books: Books, slot: number): number {
  return orderLadder(books, slot) >> 1;
}

export function orderLadder(books: Books, slot: number): number {
  return books.orders[(slot << 3) | LADDER] & LADDER_BITS;
}

export function orderSide(books: Books, slot: number): number {
  return books.orders[(slot << 3) | LADDER] & 1;
}

export function orderKey(books: Books, slot: number): number {
  return books.orders[(slot << 3) | KEY] & KEY_BITS;
}

export function orderRemaining(books: Books, slot: number): number {
  return books.sizes[(slot << 2) | REMAINING];
}

export function setRemaining(books: Books, slot: number, remaining: number): void {
  books.sizes[(slot << 2) | REMAINING] = remaining;
}

export function slotsUsed(books: Books): number {
  return books.counters[HIGH_WATER] + 1;
}
