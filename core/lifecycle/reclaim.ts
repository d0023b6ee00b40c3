// What gives a crowded table its rows back (decision 1.6). While the part of the order pool for default and tier1 wallets is
// crowded, their orders that rested for seven days end, unless they are reduce-only; while the table of accounts is, those that
// nobody uses are closed (close.ts). A tick begins a pass over the table, at most one an hour, and bounded steps go through it:
// when there is no other work, else every eighth step, since what they do is between commands what a cancel is. Times ms.

import { assert } from '../assert.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { DONE_CAPACITY } from '../errors.ts';
import { RECLAIM_EVERY, RESTED_TIME } from '../limits.ts';
import { isSmallTier } from '../tiers.ts';
import { accountCount, isCrowded } from '../accounts/accounts.ts';
import { orderAccount, slotsUsed } from '../book/pool.ts';
import { holdingOf, isPoolCrowded, orderCreatedAt, orderFlags } from '../orders/orders.ts';
import { removeOpenOrder } from '../trading/remove-order.ts';
import { closeAccount, isUnused } from './close.ts';
import type { Lifecycle } from './context.ts';
import { ACCOUNTS_FROM, NEXT_ACCOUNTS, NEXT_ORDERS, ORDERS_FROM } from './passes.ts';
import { ORDERS_A_STEP } from './work.ts';

/** Rows looked at, and accounts closed, in one step. */
const ROWS_A_STEP = 4_096;
export const CLOSED_A_STEP = 64;

/** When a pass is to begin; Infinity: no table is crowded, or it is being gone through. */
export function reclaimDue(lifecycle: Lifecycle): number {
  return Math.min(ordersDue(lifecycle), accountsDue(lifecycle));
}

function ordersDue({ orders, reclaim }: Lifecycle): number {
  return isPoolCrowded(orders) && reclaim.counters[ORDERS_FROM] === 0 ? reclaim.counters[NEXT_ORDERS] : Infinity;
}

function accountsDue({ accounts, reclaim }: Lifecycle): number {
  return isCrowded(accounts) && reclaim.counters[ACCOUNTS_FROM] === 0 ? reclaim.counters[NEXT_ACCOUNTS] : Infinity;
}

/** Begins the passes that are due. */
export function startReclaim(lifecycle: Lifecycle, time: number): void {
  const { counters } = lifecycle.reclaim;
  if (ordersDue(lifecycle) <= time) {
    counters[NEXT_ORDERS] = time + RECLAIM_EVERY;
    counters[ORDERS_FROM] = 1;
  }
  if (accountsDue(lifecycle) > time) return;
  counters[NEXT_ACCOUNTS] = time + RECLAIM_EVERY;
  counters[ACCOUNTS_FROM] = 1;
}

/** One bounded step of a pass in hand. */
export function reclaimStep(lifecycle: Lifecycle, time: number): void {
  if (lifecycle.reclaim.counters[ORDERS_FROM] !== 0) ordersStep(lifecycle, time);
  else accountsStep(lifecycle, time);
}

function ordersStep(lifecycle: Lifecycle, time: number): void {
  const { books, reclaim } = lifecycle;
  let slot = reclaim.counters[ORDERS_FROM] - 1;
  assert(slot >= 0 && slot < slotsUsed(books), 'reclaim: a pass goes on where the last step ended');
  const end = Math.min(slotsUsed(books), slot + ROWS_A_STEP);
  for (let left = ORDERS_A_STEP; slot < end && left > 0; slot++) {
    if (!hasRested(lifecycle, slot, time)) continue;
    removeOpenOrder(lifecycle, slot, DONE_CAPACITY);
    left--;
  }
  reclaim.counters[ORDERS_FROM] = slot < slotsUsed(books) ? slot + 1 : 0;
}

/** True for an open order of a small tier that has rested long enough, and does not only reduce a position. */
function hasRested({ accounts, books, orders }: Lifecycle, slot: number, time: number): boolean {
  return holdingOf(orders, slot) >= 0 && orderCreatedAt(orders, slot) + RESTED_TIME <= time
    && isSmallTier(accounts.tier[orderAccount(books, slot)]) && (orderFlags(orders, slot) & FLAG_REDUCE_ONLY) === 0;
}

function accountsStep(lifecycle: Lifecycle, time: number): void {
  const { accounts, reclaim } = lifecycle;
  let account = reclaim.counters[ACCOUNTS_FROM] - 1;
  assert(account >= 0 && account <= accountCount(accounts), 'reclaim: a pass goes on where the last step ended');
  const end = Math.min(accountCount(accounts), account + ROWS_A_STEP);
  for (let left = CLOSED_A_STEP; account < end && left > 0; account++) {
    if (!isUnused(lifecycle, account, time)) continue;
    if (!closeAccount(lifecycle, account)) break;
    left--;
  }
  reclaim.counters[ACCOUNTS_FROM] = account < accountCount(accounts) ? account + 1 : 0;
}
