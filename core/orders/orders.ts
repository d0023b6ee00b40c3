// What the book does not know of open orders: original size, names, flags, times, and the lists per holding by entry number, which is also
// the order of margin reserves. An order stands while it is in a book, else it waits. A row is the order's slot in the book's pool.

import { assert } from '../assert.ts';
import { doublesOf, fixedSection, float64, int32, type Section } from '../columns.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { CROWDED_PERCENT, SMALL_TIER_POOL_PERCENT } from '../limits.ts';
import { isSafe } from '../math/exact.ts';
import { isSmallTier } from '../tiers.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Holdings } from '../positions/holdings.ts';
import type { Books } from '../book/layout.ts';
import { orderAccount, orderInstrument, orderRemaining, orderSide, slotsUsed } from '../book/pool.ts';
import { BUY } from '../units.ts';
import { clearName, createNames, ID_WORDS, KINDS, rebuildNames, setName, type NamedOrders } from './names.ts';
import { clearTerms, createExtended, extendedSections, hasEntry, hasTerms, linkOf, rebuildExtended, setAwaitsEntry, setTerms, type Extended,
  type Link } from './extended.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import { isUntriggered, joinUntriggered, quitUntriggered, rebuildUntriggered } from './untriggered.ts';

/** Counters. The small tiers are default and tier1. Two more belong to untriggered.ts. */
export const ORDER_IDS = 0;
export const TRADE_IDS = 1;
export const FILL_IDS = 2;
export const OPEN = 3;
export const SMALL_TIER_OPEN = 4;
export const ENTRIES = 5;

/** In the book's `orders`: holding row plus one, 0 if the slot has no open order. */
const HOLDING = 5;
const SIZE = 0;
const CREATED = 1;
const UPDATED = 2;
/** In KINDS: the order has a row of `extended`. */
const IS_EXTENDED = 1 << 24;
/** Next in the holding's list; 0 if none. */
const YOUNGER_REDUCE = 7;
const scratch: { link: Link } = { link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 } };

export type Orders = NamedOrders & {
  readonly counters: Float64Array;
  /** 2 words per slot: next older and next younger order of the holding, 0 if none. */
  readonly neighbours: Int32Array;
  /** 8 words per slot: original size, times of creation and last reduction as doubles; two words of flags and links. */
  readonly details: Int32Array;
  readonly amounts: Float64Array;
  /** 2 per slot: entry number (0: in no book); time of entry, or the entry number at which it began to wait. */
  readonly entries: Float64Array;
  readonly extended: Extended;
  readonly triggers: Triggers;
};

export function createOrders(books: Books): Orders {
  const { capacity } = books;
  const details = int32(capacity * 8);
  const extended = createExtended(books);
  return {
    counters: float64(8), neighbours: int32(capacity * 2), details, amounts: doublesOf(details), entries: float64(capacity * 2),
    books, extended, triggers: createTriggers(books, extended.triggerPrice), ...createNames(books, details),
  };
}

export function holdingOf({ books }: Orders, slot: number): number {
  return books.orders[(slot << 3) | HOLDING] - 1;
}

export function olderOrder({ neighbours }: Orders, slot: number): number {
  return neighbours[slot << 1];
}

export function youngerOrder({ neighbours }: Orders, slot: number): number {
  return neighbours[(slot << 1) | 1];
}

export function youngerReduceOnly({ details }: Orders, slot: number): number {
  return details[(slot << 3) | YOUNGER_REDUCE];
}

/** The size as placed, less reductions that were not fills. The filled size is this minus the remaining size. */
export function orderOriginal({ amounts }: Orders, slot: number): number {
  return amounts[(slot << 2) | SIZE];
}

export function orderTif({ details }: Orders, slot: number): number {
  return details[(slot << 3) | KINDS] & 0xff;
}

export function orderFlags({ details }: Orders, slot: number): number {
  return (details[(slot << 3) | KINDS] >>> 8) & 0xff;
}

export function isExtended({ details }: Orders, slot: number): boolean {
  return (details[(slot << 3) | KINDS] & IS_EXTENDED) !== 0;
}

export function orderCreatedAt({ amounts }: Orders, slot: number): number {
  return amounts[(slot << 2) | CREATED];
}

/** Grows whenever an order enters a book. 0: it waits. */
export function orderEntry({ entries }: Orders, slot: number): number {
  return entries[slot << 1];
}

/** The entry number by which "all orders up to now" finds the order, also while it waits for its trigger. */
export function orderSince(orders: Orders, slot: number): number {
  const { entries } = orders;
  return entries[slot << 1] !== 0 || !isUntriggered(orders, slot) ? entries[slot << 1] : entries[(slot << 1) | 1];
}

/** The time since which the order stands at its price. */
export function orderEnteredAt({ entries }: Orders, slot: number): number {
  return entries[(slot << 1) | 1];
}

export function orderUpdatedAt({ amounts }: Orders, slot: number): number {
  return amounts[(slot << 2) | UPDATED];
}

export function markUpdated({ amounts }: Orders, slot: number, time: number): void {
  amounts[(slot << 2) | UPDATED] = time;
}

/** For a reduction that is not a fill. */
export function lowerOriginal({ amounts, books }: Orders, slot: number, less: number, time: number): void {
  amounts[(slot << 2) | SIZE] -= less;
  assert(less > 0 && amounts[(slot << 2) | SIZE] >= orderRemaining(books, slot), 'orders: the remaining size is at most the original size');
  amounts[(slot << 2) | UPDATED] = time;
}

export function setOriginal({ amounts, books }: Orders, slot: number, size: number, time: number): void {
  assert(size >= orderRemaining(books, slot), 'orders: the remaining size is at most the original size');
  amounts[(slot << 2) | SIZE] = size;
  amounts[(slot << 2) | UPDATED] = time;
}

export type RestingOrder = {
  holding: number; size: number; tif: number; flags: number; time: number; words: Uint32Array; at: number; length: number;
};

export function enterOrder(orders: Orders, holdings: Holdings, accounts: Accounts, slot: number, rest: RestingOrder): void {
  openOrder(orders, holdings, accounts, slot, rest);
  joinStanding(orders, holdings, slot, rest.time);
}

export function enterUntriggered(
  orders: Orders, holdings: Holdings, accounts: Accounts, slot: number, rest: RestingOrder, views: Views, at: number,
): void {
  openOrder(orders, holdings, accounts, slot, rest);
  holdings.waiting[rest.holding]++;
  extendOrder(orders, slot, views, at);
  if ((rest.flags & FLAG_REDUCE_ONLY) !== 0) awaitEntry(orders, slot);
  joinUntriggered(orders, holdings, accounts, rest.holding, slot, ++orders.counters[ENTRIES]);
}

function awaitEntry({ books, extended }: Orders, slot: number): void {
  const link = linkOf(extended, books, slot, scratch.link);
  if (link.length !== 0 && hasEntry(extended, books, link)) setAwaitsEntry(extended, slot, true);
}

/** The order is then as one that was taken out of its book. */
export function endWait(orders: Orders, holdings: Holdings, accounts: Accounts, slot: number): void {
  quitUntriggered(orders, holdings, accounts, holdingOf(orders, slot), slot);
}

/** The order waited or was withdrawn by `leaveStanding`, and has just entered its book. */
export function standOrder(orders: Orders, holdings: Holdings, slot: number, time: number): void {
  holdings.waiting[holdingOf(orders, slot)]--;
  joinStanding(orders, holdings, slot, time);
}

export function leaveStanding(orders: Orders, holdings: Holdings, slot: number): void {
  const holding = holdingOf(orders, slot);
  addOpenSize(orders, holdings, slot, -orderRemaining(orders.books, slot));
  quitStanding(orders, holdings, holding, slot);
  holdings.waiting[holding]++;
}

function openOrder(orders: Orders, holdings: Holdings, accounts: Accounts, slot: number, rest: RestingOrder): void {
  const { amounts, details } = orders;
  const holding = rest.holding;
  const account = holdings.account[holding];
  assert(holdingOf(orders, slot) < 0, 'orders: the slot is unused');
  assert(account === orderAccount(orders.books, slot), 'orders: order and holding have one account');
  assert(holdings.instrument[holding] === orderInstrument(orders.books, slot),
    'orders: order and holding have one contract');
  assert(rest.size >= orderRemaining(orders.books, slot), 'orders: the remaining size is at most the original size');
  orders.books.orders[(slot << 3) | HOLDING] = holding + 1;
  amounts[(slot << 2) | SIZE] = rest.size;
  amounts[(slot << 2) | CREATED] = rest.time;
  amounts[(slot << 2) | UPDATED] = rest.time;
  details[(slot << 3) | KINDS] = rest.tif | rest.flags << 8;
  accounts.openOrders[account]++;
  orders.counters[OPEN]++;
  if (isSmallTier(accounts.tier[account])) orders.counters[SMALL_TIER_OPEN]++;
  setName(orders, slot, rest.words, rest.at, rest.length);
}

export function extendOrder(orders: Orders, slot: number, views: Views, at: number): void {
  if (!hasTerms(views, at)) return;
  setTerms(orders.extended, slot, views, at);
  orders.details[(slot << 3) | KINDS] |= IS_EXTENDED;
}

function joinStanding(orders: Orders, holdings: Holdings, slot: number, time: number): void {
  const { counters, entries, neighbours } = orders;
  const holding = holdingOf(orders, slot);
  assert(entries[slot << 1] === 0, 'orders: an order that begins to stand did not');
  entries[slot << 1] = ++counters[ENTRIES];
  entries[(slot << 1) | 1] = time;
  const tail = holdings.orderTail[holding];
  neighbours[slot << 1] = tail;
  neighbours[(slot << 1) | 1] = 0;
  assert(tail === 0 ? holdings.orderHead[holding] === 0 : neighbours[(tail << 1) | 1] === 0,
    'orders: the youngest order has no next');
  if (tail === 0) holdings.orderHead[holding] = slot;
  else neighbours[(tail << 1) | 1] = slot;
  holdings.orderTail[holding] = slot;
  if ((orderFlags(orders, slot) & FLAG_REDUCE_ONLY) !== 0) appendReduce(orders, holdings, holding, slot);
  addOpenSize(orders, holdings, slot, orderRemaining(orders.books, slot));
}

function quitStanding(orders: Orders, holdings: Holdings, holding: number, slot: number): void {
  const { entries } = orders;
  unlink(orders, holdings, holding, slot);
  if ((orderFlags(orders, slot) & FLAG_REDUCE_ONLY) !== 0) removeReduce(orders, holdings, holding, slot);
  assert(entries[slot << 1] > 0, 'orders: a standing order has an entry number');
  entries[slot << 1] = 0;
  entries[(slot << 1) | 1] = 0;
}

export function addOpenSize(orders: Orders, holdings: Holdings, slot: number, delta: number): void {
  const holding = holdingOf(orders, slot);
  const sizes = orderSide(orders.books, slot) === BUY ? holdings.bidSize : holdings.askSize;
  sizes[holding] += delta;
  assert(sizes[holding] >= 0 && isSafe(sizes[holding]), 'orders: the sum of open sizes is exact and not negative');
}

/** Call before the book frees the slot. `remaining`: its open size. */
export function leaveOrder(orders: Orders, holdings: Holdings, accounts: Accounts, slot: number, remaining: number): void {
  const holding = holdingOf(orders, slot);
  assert(holding >= 0, 'orders: the order has a holding');
  assert(remaining === orderRemaining(orders.books, slot), "orders: the removed size is the book's remaining size");
  if (orders.entries[slot << 1] === 0) {
    if (isUntriggered(orders, slot)) quitUntriggered(orders, holdings, accounts, holding, slot);
    holdings.waiting[holding]--;
    assert(holdings.waiting[holding] >= 0, 'orders: a waiting order was counted');
  } else {
    if (remaining !== 0) addOpenSize(orders, holdings, slot, -remaining);
    quitStanding(orders, holdings, holding, slot);
  }
  const account = holdings.account[holding];
  accounts.openOrders[account]--;
  orders.counters[OPEN]--;
  if (isSmallTier(accounts.tier[account])) orders.counters[SMALL_TIER_OPEN]--;
  assert(accounts.openOrders[account] >= 0 && orders.counters[OPEN] >= accounts.openOrders[account],
    "orders: an account's orders are at most all open orders");
  assert(orders.counters[SMALL_TIER_OPEN] >= 0 && orders.counters[SMALL_TIER_OPEN] <= orders.counters[OPEN],
    'orders: orders of small tiers are at most all open orders');
  assert(holdings.orderHead[holding] !== 0 || (holdings.bidSize[holding] === 0 && holdings.askSize[holding] === 0),
    'orders: open sizes are 0 without orders');
  clearName(orders, slot);
  if (isExtended(orders, slot)) {
    clearTerms(orders.extended, slot);
    orders.details[(slot << 3) | KINDS] &= ~IS_EXTENDED;
  }
  orders.books.orders[(slot << 3) | HOLDING] = 0;
}

function unlink({ neighbours }: Orders, holdings: Holdings, holding: number, slot: number): void {
  const older = neighbours[slot << 1];
  const younger = neighbours[(slot << 1) | 1];
  assert((older === 0 ? holdings.orderHead[holding] : neighbours[(older << 1) | 1]) === slot,
    'orders: the older neighbour links to this order');
  assert((younger === 0 ? holdings.orderTail[holding] : neighbours[younger << 1]) === slot,
    'orders: the younger neighbour links to this order');
  if (older === 0) holdings.orderHead[holding] = younger;
  else neighbours[(older << 1) | 1] = younger;
  if (younger === 0) holdings.orderTail[holding] = older;
  else neighbours[younger << 1] = older;
}

/** For the check of its replacement. Follow with `putBack`. */
export function liftOrder(orders: Orders, holdings: Holdings, slot: number): void {
  addOpenSize(orders, holdings, slot, -orderRemaining(orders.books, slot));
  unlink(orders, holdings, holdingOf(orders, slot), slot);
}

export function putBack(orders: Orders, holdings: Holdings, slot: number): void {
  const { neighbours } = orders;
  const holding = holdingOf(orders, slot);
  const older = olderOrder(orders, slot);
  const younger = youngerOrder(orders, slot);
  assert((older === 0 ? holdings.orderHead[holding] : neighbours[(older << 1) | 1]) === younger,
    'orders: the neighbours still surround the lifted order');
  assert((younger === 0 ? holdings.orderTail[holding] : neighbours[younger << 1]) === older,
    'orders: the neighbours still surround the lifted order');
  if (older === 0) holdings.orderHead[holding] = slot;
  else neighbours[(older << 1) | 1] = slot;
  if (younger === 0) holdings.orderTail[holding] = slot;
  else neighbours[younger << 1] = slot;
  addOpenSize(orders, holdings, slot, orderRemaining(orders.books, slot));
}

function appendReduce({ details }: Orders, holdings: Holdings, holding: number, slot: number): void {
  let last = holdings.reduceOnly[holding];
  details[(slot << 3) | YOUNGER_REDUCE] = 0;
  if (last === 0) {
    holdings.reduceOnly[holding] = slot;
    return;
  }
  while (details[(last << 3) | YOUNGER_REDUCE] !== 0) last = details[(last << 3) | YOUNGER_REDUCE];
  details[(last << 3) | YOUNGER_REDUCE] = slot;
}

function removeReduce({ details }: Orders, holdings: Holdings, holding: number, slot: number): void {
  const younger = details[(slot << 3) | YOUNGER_REDUCE];
  let before = holdings.reduceOnly[holding];
  if (before === slot) {
    holdings.reduceOnly[holding] = younger;
    return;
  }
  while (details[(before << 3) | YOUNGER_REDUCE] !== slot) {
    assert(before !== 0, 'orders: a reduce-only order is in the list of its holding');
    before = details[(before << 3) | YOUNGER_REDUCE];
  }
  details[(before << 3) | YOUNGER_REDUCE] = younger;
}

export function reduceOnlyOrders(orders: Orders, holdings: Holdings, row: number): number {
  let count = 0;
  for (let slot = holdings.reduceOnly[row]; slot !== 0; slot = youngerReduceOnly(orders, slot)) count++;
  return count;
}

/** Most open orders of default and tier1 wallets together (decision 5.4). */
export function smallTierPlaces({ books }: Orders): number {
  return Math.floor(books.capacity * SMALL_TIER_POOL_PERCENT / 100);
}

export function isPoolCrowded(orders: Orders): boolean {
  return orders.counters[SMALL_TIER_OPEN] * 100 >= smallTierPlaces(orders) * CROWDED_PERCENT;
}

export function orderSections(orders: Orders): readonly Section[] {
  const rows = () => slotsUsed(orders.books);
  const per = (name: string, column: Section['column'], width = 1): Section => (
    { name: `orders.${name}`, column, used: () => rows() * width }
  );
  return [
    fixedSection('orders.counters', orders.counters),
    per('neighbours', orders.neighbours, 2), per('details', orders.details, 8),
    per('entries', orders.entries, 2), per('idWords', orders.idWords, ID_WORDS),
    ...extendedSections(orders.extended, rows),
  ];
}

export function rebuildOrders(orders: Orders): void {
  rebuildExtended(orders.extended, slotsUsed(orders.books));
  rebuildUntriggered(orders, slotsUsed(orders.books));
  rebuildNames(orders, (slot) => holdingOf(orders, slot) >= 0);
}
