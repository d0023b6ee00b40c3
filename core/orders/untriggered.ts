// Orders that wait for their trigger: in no book, without margin, with a slot and a row of their holding. Per holding a list, youngest
// first.

import { assert } from '../assert.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { SMALL_TIER_POOL_PERCENT } from '../limits.ts';
import { isSmallTier } from '../tiers.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Holdings } from '../positions/holdings.ts';
import { orderAccount, orderInstrument } from '../book/pool.ts';
import { awaitsEntry, setAwaitsEntry, triggerBy, triggerDirection, type Extended } from './extended.ts';
import { KINDS, type NamedOrders } from './names.ts';
import { addTrigger, clearTriggers, removeTrigger, treeOf, type Triggers } from './triggers.ts';

export const UNTRIGGERED = 6;
export const SMALL_TIER_UNTRIGGERED = 7;
const IS_UNTRIGGERED = 1 << 25;

type Untriggered = NamedOrders & {
  readonly counters: Float64Array; readonly neighbours: Int32Array; readonly entries: Float64Array; readonly extended: Extended;
  readonly triggers: Triggers;
};

export function isUntriggered({ details }: Pick<Untriggered, 'details'>, slot: number): boolean {
  return (details[(slot << 3) | KINDS] & IS_UNTRIGGERED) !== 0;
}

/** Places for orders of default and tier1 wallets among `most`. */
export function smallTierTriggers(most: number): number {
  return Math.floor(most * SMALL_TIER_POOL_PERCENT / 100);
}

export function isReduceOnlyTrigger({ details }: Pick<Untriggered, 'details'>, slot: number): boolean {
  return isUntriggered({ details }, slot) && (details[(slot << 3) | KINDS] >>> 8 & FLAG_REDUCE_ONLY) !== 0;
}

function treeOfOrder({ books, details, extended }: Untriggered, slot: number): number {
  const isReduceOnly = (details[(slot << 3) | KINDS] >>> 8 & FLAG_REDUCE_ONLY) !== 0;
  return treeOf(orderInstrument(books, slot), isReduceOnly, triggerBy(extended, slot), triggerDirection(extended, slot));
}

/** `since`: its entry number for cancels of all orders up to now. It has its terms. */
export function joinUntriggered(
  orders: Untriggered, holdings: Holdings, accounts: Accounts, holding: number, slot: number, since: number,
): void {
  const { counters, details, entries, neighbours } = orders;
  const account = orderAccount(orders.books, slot);
  const head = holdings.triggers[holding];
  assert(!isUntriggered(orders, slot) && entries[slot << 1] === 0, 'orders: an order that waits for its trigger stands nowhere');
  details[(slot << 3) | KINDS] |= IS_UNTRIGGERED;
  entries[(slot << 1) | 1] = since;
  neighbours[slot << 1] = head;
  neighbours[(slot << 1) | 1] = 0;
  if (head !== 0) neighbours[(head << 1) | 1] = slot;
  holdings.triggers[holding] = slot;
  accounts.triggers[account]++;
  counters[UNTRIGGERED]++;
  if (isSmallTier(accounts.tier[account])) counters[SMALL_TIER_UNTRIGGERED]++;
  watch(orders, slot);
}

/** Does nothing while the order awaits a fill of its entry. */
function watch(orders: Untriggered, slot: number): void {
  if (!awaitsEntry(orders.extended, slot)) addTrigger(orders.triggers, treeOfOrder(orders, slot), slot);
}

function unwatch(orders: Untriggered, slot: number): void {
  if (!awaitsEntry(orders.extended, slot)) removeTrigger(orders.triggers, treeOfOrder(orders, slot), slot);
}

export function quitUntriggered(orders: Untriggered, holdings: Holdings, accounts: Accounts, holding: number, slot: number): void {
  const { counters, details, entries, neighbours } = orders;
  const account = orderAccount(orders.books, slot);
  const older = neighbours[slot << 1];
  const younger = neighbours[(slot << 1) | 1];
  assert((younger === 0 ? holdings.triggers[holding] : neighbours[younger << 1]) === slot,
    'orders: the younger neighbour links to this order');
  unwatch(orders, slot);
  if (younger === 0) holdings.triggers[holding] = older;
  else neighbours[younger << 1] = older;
  if (older !== 0) neighbours[(older << 1) | 1] = younger;
  neighbours[slot << 1] = neighbours[(slot << 1) | 1] = 0;
  details[(slot << 3) | KINDS] &= ~IS_UNTRIGGERED;
  entries[(slot << 1) | 1] = 0;
  accounts.triggers[account]--;
  counters[UNTRIGGERED]--;
  if (isSmallTier(accounts.tier[account])) counters[SMALL_TIER_UNTRIGGERED]--;
  assert(accounts.triggers[account] >= 0 && counters[SMALL_TIER_UNTRIGGERED] >= 0, 'orders: a waiting order was counted');
}

export function moveTrigger(orders: Untriggered, slot: number, price: number): void {
  assert(isUntriggered(orders, slot), 'orders: a trigger moves while its order waits');
  unwatch(orders, slot);
  orders.extended.triggerPrice[slot] = price;
  watch(orders, slot);
}

/** The order's entry has a fill: its trigger is watched from now on. */
export function endAwaitingEntry(orders: Untriggered, slot: number): void {
  assert(isUntriggered(orders, slot) && awaitsEntry(orders.extended, slot), 'orders: only a waiting order awaits its entry');
  setAwaitsEntry(orders.extended, slot, false);
  watch(orders, slot);
}

/** The next order of a walk: `older`, or the youngest if `older` has ended meanwhile. */
export function stillOlder(orders: Untriggered, holdings: Holdings, holding: number, older: number): number {
  return older === 0 || isUntriggered(orders, older) ? older : holdings.triggers[holding];
}

export function reduceOnlyTriggers(orders: Untriggered, holdings: Holdings, holding: number): number {
  let count = 0;
  for (let slot = holdings.triggers[holding]; slot !== 0; slot = orders.neighbours[slot << 1]) {
    if (isReduceOnlyTrigger(orders, slot)) count++;
  }
  return count;
}

export function rebuildUntriggered(orders: Untriggered, slots: number): void {
  clearTriggers(orders.triggers, slots);
  for (let slot = 0; slot < slots; slot++) if (isUntriggered(orders, slot)) watch(orders, slot);
}
