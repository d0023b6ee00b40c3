// What gives a crowded table its rows back (decision 1.6). While the part of the order pool for default and tier1 wallets is
// crowded, their orders that rested for seven days end, unless they are reduce-only. A tick begins a pass over the table, at most
// one an hour, and bounded steps go through it: when there is no other work, else every eighth step, since what they do is
// between commands what a cancel is. Times ms.

import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { DONE_CAPACITY } from '../errors.ts';
import { RECLAIM_EVERY, RESTED_TIME } from '../limits.ts';
import { isSmallTier } from '../tiers.ts';
import { orderAccount, slotsUsed } from '../book/pool.ts';
import { holdingOf, isCrowded, orderCreatedAt, orderFlags } from '../orders/orders.ts';
import { removeOpenOrder } from '../trading/remove.ts';
import type { Lifecycle } from './context.ts';
import { NEXT_ORDERS, ORDERS_FROM } from './passes.ts';
import { ORDERS_A_STEP } from './work.ts';

/** Rows looked at in one step. */
const ROWS_A_STEP = 4_096;

/** When a pass is to begin; Infinity: no table is crowded, or it is being gone through. */
export function reclaimDue({ orders, reclaim }: Lifecycle): number {
  return isCrowded(orders) && reclaim.counters[ORDERS_FROM] === 0 ? reclaim.counters[NEXT_ORDERS] : Infinity;
}

/** Begins the pass that is due. */
export function startReclaim(lifecycle: Lifecycle, time: number): void {
  if (reclaimDue(lifecycle) > time) return;
  const { counters } = lifecycle.reclaim;
  counters[NEXT_ORDERS] = time + RECLAIM_EVERY;
  counters[ORDERS_FROM] = 1;
}

/** One bounded step of the pass in hand. */
export function reclaimStep(lifecycle: Lifecycle, time: number): void {
  const { books, reclaim } = lifecycle;
  const first = reclaim.counters[ORDERS_FROM] - 1;
  const end = Math.min(slotsUsed(books), first + ROWS_A_STEP);
  let slot = first;
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
