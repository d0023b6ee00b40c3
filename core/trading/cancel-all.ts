// Cancels all open orders of a wallet, an underlying or a contract (decision 7.3). The command cancels what one step may, a cancel job
// the rest (core/trading/cancel-jobs). Only orders that stood before the command are cancelled. The cursor is an instrument slot, because
// holdings come and go between steps.

import { DONE_CANCEL_AFTER, DONE_CANCELLED, DONE_DISCONNECTED, DONE_MMP, DONE_ORDER_EXPIRED, ENGINE_BUSY, NOT_LISTED,
  UNKNOWN_UNDERLYING } from '../errors.ts';
import { DOUBLE_SCOPE_EXPIRY, DOUBLE_SCOPE_STRIKE, SCOPE_UNDERLYING, SCOPE_WALLET, WORD_SCOPE, WORD_SCOPE_KIND,
  WORD_SCOPE_UNDERLYING } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { findInstrument, instrumentCount } from '../instruments/instruments.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { findHolding } from '../positions/holdings.ts';
import { orderAccount, orderInstrument } from '../book/pool.ts';
import { hasExpired, isPastExpiry } from '../orders/extended.ts';
import { ENTRIES, isExtended, olderOrder, orderEntry, orderSince } from '../orders/orders.ts';
import { isReduceOnlyTrigger } from '../orders/untriggered.ts';
import { firstDeadline } from '../safety/deadlines.ts';
import { isOverdue, isSwitchNext, type Safety } from '../safety/safety.ts';
import { hasMmpCancels } from './mmp-cancels.ts';
import { ACCOUNT, cancelJobReason, EVERY_CONTRACT, firstCancelJob, hasCancelJobRoom, hasCancelJobs, LAST, leavesReduceOnly, NEXT,
  ONE_CONTRACT, popCancelJob, pushCancelJob, REASON, SCOPE } from './cancel-jobs.ts';
import { awaitsMmpCancel } from './protection.ts';
import { removeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

/** Most orders cancelled, and instruments looked at, in one step. */
export const ORDERS_PER_STEP = 32;
const ROWS_PER_STEP = 2_048;

/**
 * Result: OK with the orders cancelled so far, and 1 if a job follows; UNKNOWN_UNDERLYING; NOT_LISTED; ENGINE_BUSY, nothing cancelled.
 */
export function cancelAll(trading: Trading, views: Views, at: number, account: number): void {
  const { instruments, result, underlyings } = trading;
  const { f64, u32 } = views;
  const word = at >>> 2;
  const double = at >>> 3;
  const kind = u32[word + WORD_SCOPE];
  if (kind === SCOPE_WALLET) return cancelWithin(trading, account, EVERY_CONTRACT, 0);
  const underlying = findUnderlying(underlyings, u32[word + WORD_SCOPE_UNDERLYING], u32[word + WORD_SCOPE_UNDERLYING + 1]);
  if (underlying < 0) {
    result.code = UNKNOWN_UNDERLYING;
    return;
  }
  if (kind === SCOPE_UNDERLYING) return cancelWithin(trading, account, underlying, 0);
  const slot = findInstrument(
    instruments, underlying, f64[double + DOUBLE_SCOPE_EXPIRY], f64[double + DOUBLE_SCOPE_STRIKE], u32[word + WORD_SCOPE_KIND],
  );
  if (slot < 0) result.code = NOT_LISTED;
  else cancelWithin(trading, account, ONE_CONTRACT, slot);
}

function cancelWithin(trading: Trading, account: number, scope: number, first: number): void {
  const { accounts, cancelJobs, orders, result } = trading;
  if (!hasCancelJobRoom(cancelJobs)) {
    result.code = ENGINE_BUSY;
    return;
  }
  const last = orders.counters[ENTRIES];
  const open = accounts.openOrders[account];
  const next = sweep(trading, account, last, scope, first, DONE_CANCELLED);
  result.numbers[0] = open - accounts.openOrders[account];
  if (next < 0) return;
  result.numbers[1] = 1;
  pushCancelJob(cancelJobs, account, last, scope, next, DONE_CANCELLED);
}

/** Cancels every open order of the account by a job. The caller has checked for room. */
export function cancelInSteps({ accounts, cancelJobs, orders }: Trading, account: number, reason: number): void {
  if (accounts.openOrders[account] !== 0) pushCancelJob(cancelJobs, account, orders.counters[ENTRIES], EVERY_CONTRACT, 0, reason);
}

export function cancelJobStep(trading: Trading): void {
  const { cancelJobs } = trading;
  const { jobs } = cancelJobs;
  const item = firstCancelJob(cancelJobs);
  const next = sweep(trading, jobs[item + ACCOUNT], jobs[item + LAST], jobs[item + SCOPE], jobs[item + NEXT], jobs[item + REASON]);
  if (next < 0) popCancelJob(cancelJobs);
  else jobs[item + NEXT] = next;
}

/** Why the open order must not trade any more: an MMP trigger, a cancel job, a deadline that is due, or its own time. 0: it may trade. */
export function pendingCancelReason(trading: Trading, slot: number, time: number): number {
  const { books, mmpCancels, cancelJobs, orders, safety } = trading;
  if (hasMmpCancels(mmpCancels) && awaitsMmpCancel(trading, slot)) return DONE_MMP;
  const account = orderAccount(books, slot);
  const reason = hasCancelJobs(cancelJobs) ? reasonOfItem(trading, account, slot) : 0;
  if (reason !== 0) return reason;
  if (isOverdue(safety, account, time) && !isReduceOnlyTrigger(orders, slot)) return deadlineReason(safety, account);
  return isExtended(orders, slot) && isPastExpiry(orders.extended, slot, time) ? DONE_ORDER_EXPIRED : 0;
}

/** `pendingCancelReason` as a test, or null if no order of the venue waits for its cancel. */
export function pendingCancelTest(trading: Trading, time: number): ((slot: number) => boolean) | null {
  const first = firstDeadline(trading.safety.deadlines);
  if (!hasEnded(trading, time) && (first < 0 || !isOverdue(trading.safety, first, time))) return null;
  return (slot) => pendingCancelReason(trading, slot, time) !== 0;
}

/** True if an order may have ended without being removed. A due deadline without room for its job implies that there are jobs. */
export function hasEnded({ cancelJobs, mmpCancels, orders }: Trading, time: number): boolean {
  return hasCancelJobs(cancelJobs) || hasMmpCancels(mmpCancels) || hasExpired(orders.extended, time);
}

function reasonOfItem(trading: Trading, account: number, slot: number): number {
  const { books, cancelJobs, instruments, orders } = trading;
  const instrument = orderInstrument(books, slot);
  return cancelJobReason(cancelJobs, {
    account, entry: orderSince(orders, slot), instrument, underlying: instruments.underlying[instrument],
    stays: isReduceOnlyTrigger(orders, slot),
  });
}

export function deadlineReason(safety: Safety, account: number): number {
  return isSwitchNext(safety, account) ? DONE_CANCEL_AFTER : DONE_DISCONNECTED;
}

/** Cancels orders up to entry `last` from slot `first` on. Returns the next slot, -1 when done. */
function sweep(trading: Trading, account: number, last: number, scope: number, first: number, reason: number): number {
  const { accounts, instruments } = trading;
  const rows = scope === ONE_CONTRACT ? first + 1 : instrumentCount(instruments);
  const end = Math.min(rows, first + ROWS_PER_STEP);
  let left = ORDERS_PER_STEP;
  for (let slot = first; slot < end; slot++) {
    if (accounts.openOrders[account] === 0) return -1;
    if (scope >= 0 && instruments.underlying[slot] !== scope) continue;
    for (let order = nextOrder(trading, account, slot, last, reason); order !== 0;) {
      if (left-- === 0) return slot;
      removeOpenOrder(trading, order, reason);
      order = nextOrder(trading, account, slot, last, reason);
    }
  }
  return end < rows ? end : -1;
}

/** The oldest order up to entry `last`, then the oldest that waits; 0 if there is none. */
function nextOrder(trading: Trading, account: number, instrument: number, last: number, reason: number): number {
  const { holdings, orders } = trading;
  const row = findHolding(holdings, account, instrument);
  if (row < 0) return 0;
  const oldest = holdings.orderHead[row];
  if (oldest !== 0 && orderEntry(orders, oldest) <= last) return oldest;
  let found = 0;
  for (let slot = holdings.triggers[row]; slot !== 0; slot = olderOrder(orders, slot)) {
    if (orderSince(orders, slot) <= last && !(leavesReduceOnly(reason) && isReduceOnlyTrigger(orders, slot))) found = slot;
  }
  return found;
}
