// Frees rows of crowded tables (decision 1.6): ends orders of small tiers that rested for seven days, unless reduce-only, and closes unused
// accounts. A pass begins at most hourly.

import { assert } from '../assert.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { DONE_CAPACITY } from '../errors.ts';
import { RECLAIM_EVERY, RESTED_TIME } from '../limits.ts';
import { isSmallTier } from '../tiers.ts';
import { accountCount, isCrowded } from '../accounts/accounts.ts';
import { orderAccount, slotsUsed } from '../book/pool.ts';
import { holdingOf, isPoolCrowded, orderCreatedAt, orderEnteredAt, orderFlags, type Orders } from '../orders/orders.ts';
import { isUntriggered } from '../orders/untriggered.ts';
import { removeOpenOrder } from '../trading/remove-order.ts';
import { closeAccount, isUnused } from './account-closing.ts';
import type { Lifecycle } from './lifecycle.ts';
import { ACCOUNTS_FROM, NEXT_ACCOUNTS, NEXT_ORDERS, ORDERS_FROM } from './reclaim-state.ts';
import { ORDERS_A_STEP } from './work-queue.ts';

const ROWS_A_STEP = 4_096;
export const CLOSED_A_STEP = 64;

/** Infinity: nothing is crowded, or a pass is running. */
export function reclaimDue(lifecycle: Lifecycle): number {
  return Math.min(ordersDue(lifecycle), accountsDue(lifecycle));
}

function ordersDue({ orders, reclaim }: Lifecycle): number {
  return isPoolCrowded(orders) && reclaim.counters[ORDERS_FROM] === 0 ? reclaim.counters[NEXT_ORDERS] : Infinity;
}

function accountsDue({ accounts, reclaim }: Lifecycle): number {
  return isCrowded(accounts) && reclaim.counters[ACCOUNTS_FROM] === 0 ? reclaim.counters[NEXT_ACCOUNTS] : Infinity;
}

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

export function reclaimStep(lifecycle: Lifecycle, time: number): void {
  if (lifecycle.reclaim.counters[ORDERS_FROM] !== 0) ordersStep(lifecycle, time);
  else accountsStep(lifecycle, time);
}

function ordersStep(lifecycle: Lifecycle, time: number): void {
  const { books, reclaim } = lifecycle;
  let slot = reclaim.counters[ORDERS_FROM] - 1;
  assert(slot >= 0 && slot < slotsUsed(books), 'reclaim: a pass continues where the last step ended');
  const end = Math.min(slotsUsed(books), slot + ROWS_A_STEP);
  for (let left = ORDERS_A_STEP; slot < end && left > 0; slot++) {
    if (!hasRested(lifecycle, slot, time)) continue;
    removeOpenOrder(lifecycle, slot, DONE_CAPACITY);
    left--;
  }
  reclaim.counters[ORDERS_FROM] = slot < slotsUsed(books) ? slot + 1 : 0;
}

function hasRested({ accounts, books, orders }: Lifecycle, slot: number, time: number): boolean {
  return holdingOf(orders, slot) >= 0 && standsSince(orders, slot) + RESTED_TIME <= time
    && isSmallTier(accounts.tier[orderAccount(books, slot)]) && (orderFlags(orders, slot) & FLAG_REDUCE_ONLY) === 0;
}

function standsSince(orders: Orders, slot: number): number {
  return isUntriggered(orders, slot) ? orderCreatedAt(orders, slot) : orderEnteredAt(orders, slot);
}

function accountsStep(lifecycle: Lifecycle, time: number): void {
  const { accounts, reclaim } = lifecycle;
  let account = reclaim.counters[ACCOUNTS_FROM] - 1;
  assert(account >= 0 && account <= accountCount(accounts), 'reclaim: a pass continues where the last step ended');
  const end = Math.min(accountCount(accounts), account + ROWS_A_STEP);
  for (let left = CLOSED_A_STEP; account < end && left > 0; account++) {
    if (!isUnused(lifecycle, account, time)) continue;
    if (!closeAccount(lifecycle, account)) break;
    left--;
  }
  reclaim.counters[ACCOUNTS_FROM] = account < accountCount(accounts) ? account + 1 : 0;
}
