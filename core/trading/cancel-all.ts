// Cancelling all open orders of a wallet, or those of one underlying or contract (decision 7.3). The command itself cancels as
// many as one step may, the rest follows in bounded steps (core/trading/ended). An order placed after the command is not its
// business: only ids up to the last one given by then are cancelled. The cursor is an instrument slot, which stands still while
// holdings come and go.

import { DONE_CANCEL_AFTER, DONE_CANCELLED, DONE_DISCONNECTED, DONE_MMP, ENGINE_BUSY, NOT_LISTED, UNKNOWN_UNDERLYING } from '../errors.ts';
import { DOUBLE_SCOPE_EXPIRY, DOUBLE_SCOPE_STRIKE, SCOPE_UNDERLYING, SCOPE_WALLET, WORD_SCOPE, WORD_SCOPE_KIND,
  WORD_SCOPE_UNDERLYING } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { findInstrument, instrumentCount } from '../instruments/instruments.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { findHolding } from '../positions/holdings.ts';
import { orderAccount, orderId, orderInstrument } from '../book/pool.ts';
import { ORDER_IDS } from '../orders/orders.ts';
import { firstDeadline } from '../safety/deadlines.ts';
import { isOverdue, isSwitchNext, type Safety } from '../safety/safety.ts';
import { hasDoomed } from './doomed.ts';
import { ACCOUNT, endedReason, EVERY_CONTRACT, firstEnded, hasEnded, hasEndedRoom, LAST, NEXT, ONE_CONTRACT, popEnded, pushEnded, REASON,
  SCOPE } from './ended.ts';
import { isDoomed } from './protection.ts';
import { removeOpenOrder } from './remove.ts';
import type { Trading } from './context.ts';

/** Orders cancelled, and instruments looked at, in one step. */
export const ORDERS_A_STEP = 32;
const ROWS_A_STEP = 2_048;

/**
 * CANCEL_ALL. Outcome: OK with how many orders are cancelled already, and 1 when the rest follows in steps; UNKNOWN_UNDERLYING;
 * NOT_LISTED; ENGINE_BUSY, with nothing cancelled.
 */
export function cancelAll(trading: Trading, views: Views, at: number, account: number): void {
  const { instruments, outcome, underlyings } = trading;
  const { f64, u32 } = views;
  const word = at >>> 2;
  const double = at >>> 3;
  const kind = u32[word + WORD_SCOPE];
  if (kind === SCOPE_WALLET) return cancelWithin(trading, account, EVERY_CONTRACT, 0);
  const underlying = findUnderlying(underlyings, u32[word + WORD_SCOPE_UNDERLYING], u32[word + WORD_SCOPE_UNDERLYING + 1]);
  if (underlying < 0) {
    outcome.code = UNKNOWN_UNDERLYING;
    return;
  }
  if (kind === SCOPE_UNDERLYING) return cancelWithin(trading, account, underlying, 0);
  const slot = findInstrument(
    instruments, underlying, f64[double + DOUBLE_SCOPE_EXPIRY], f64[double + DOUBLE_SCOPE_STRIKE], u32[word + WORD_SCOPE_KIND],
  );
  if (slot < 0) outcome.code = NOT_LISTED;
  else cancelWithin(trading, account, ONE_CONTRACT, slot);
}

/** Cancels what one step may of the scope, from instrument slot `first` on, and keeps the rest for the steps that follow. */
function cancelWithin(trading: Trading, account: number, scope: number, first: number): void {
  const { accounts, ended, orders, outcome } = trading;
  if (!hasEndedRoom(ended)) {
    outcome.code = ENGINE_BUSY;
    return;
  }
  const last = orders.counters[ORDER_IDS];
  const open = accounts.openOrders[account];
  const next = sweep(trading, account, last, scope, first, DONE_CANCELLED);
  outcome.numbers[0] = open - accounts.openOrders[account];
  if (next < 0) return;
  outcome.numbers[1] = 1;
  pushEnded(ended, account, last, scope, next, DONE_CANCELLED);
}

/** Ends every open order of the account for `reason`: all are cancelled in steps, and none trades any more. There is room. */
export function endOrders({ accounts, ended, orders }: Trading, account: number, reason: number): void {
  if (accounts.openOrders[account] !== 0) pushEnded(ended, account, orders.counters[ORDER_IDS], EVERY_CONTRACT, 0, reason);
}

/** One bounded step of the first command in hand. */
export function endedStep(trading: Trading): void {
  const { ended } = trading;
  const { items } = ended;
  const item = firstEnded(ended);
  const next = sweep(trading, items[item + ACCOUNT], items[item + LAST], items[item + SCOPE], items[item + NEXT], items[item + REASON]);
  if (next < 0) popEnded(ended);
  else items[item + NEXT] = next;
}

/**
 * Why the open order in `slot` only waits to be cancelled: a trigger has ended it, its wallet has, or a deadline of its wallet has
 * come that waits for its tick; 0: nothing.
 */
export function reasonOfEnd(trading: Trading, slot: number, time: number): number {
  const { books, doomed, ended, safety } = trading;
  if (hasDoomed(doomed) && isDoomed(trading, slot)) return DONE_MMP;
  const account = orderAccount(books, slot);
  const reason = hasEnded(ended) ? reasonOfItem(trading, account, slot) : 0;
  return reason === 0 && isOverdue(safety, account, time) ? reasonOfDeadline(safety, account) : reason;
}

/** Whether the open order in a slot has ended by `time` and only waits to be cancelled; null: no order of the venue has. */
export function hasEndedAt(trading: Trading, time: number): ((slot: number) => boolean) | null {
  const { doomed, ended, safety } = trading;
  const first = firstDeadline(safety.deadlines);
  if (!hasDoomed(doomed) && !hasEnded(ended) && (first < 0 || !isOverdue(safety, first, time))) return null;
  return (slot) => reasonOfEnd(trading, slot, time) !== 0;
}

function reasonOfItem(trading: Trading, account: number, slot: number): number {
  const { books, ended, instruments } = trading;
  const instrument = orderInstrument(books, slot);
  return endedReason(ended, account, orderId(books, slot), instrument, instruments.underlying[instrument]);
}

/** Why orders end at the earlier of the account's deadlines. */
export function reasonOfDeadline(safety: Safety, account: number): number {
  return isSwitchNext(safety, account) ? DONE_CANCEL_AFTER : DONE_DISCONNECTED;
}

/** Cancels orders of the account up to id `last`, from slot `first` on; answers the slot to go on with, -1: none is left. */
function sweep(trading: Trading, account: number, last: number, scope: number, first: number, reason: number): number {
  const { accounts, instruments } = trading;
  const rows = scope === ONE_CONTRACT ? first + 1 : instrumentCount(instruments);
  const end = Math.min(rows, first + ROWS_A_STEP);
  let left = ORDERS_A_STEP;
  for (let slot = first; slot < end; slot++) {
    if (accounts.openOrders[account] === 0) return -1;
    if (scope >= 0 && instruments.underlying[slot] !== scope) continue;
    for (let order = oldestOrder(trading, account, slot, last); order !== 0; order = oldestOrder(trading, account, slot, last)) {
      if (left-- === 0) return slot;
      removeOpenOrder(trading, order, reason);
    }
  }
  return end < rows ? end : -1;
}

/** Pool slot of the account's oldest order in a contract, 0: it has none up to id `last`. */
function oldestOrder(trading: Trading, account: number, instrument: number, last: number): number {
  const { holdings } = trading;
  const row = findHolding(holdings, account, instrument);
  const oldest = row < 0 ? 0 : holdings.orderHead[row];
  return oldest !== 0 && orderId(trading.books, oldest) <= last ? oldest : 0;
}
