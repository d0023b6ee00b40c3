// Cancelling all open orders of a wallet, or those of one underlying or contract (decision 7.3). The command itself cancels as
// many as one step may, the rest follows in bounded steps (core/trading/ended). An order placed after the command is not its
// business: only ids up to the last one given by then are cancelled. The cursor is an instrument slot, which stands still while
// holdings come and go.

import { DONE_CANCELLED, ENGINE_BUSY, NOT_LISTED, OK, UNKNOWN_UNDERLYING } from '../errors.ts';
import { DOUBLE_SCOPE_EXPIRY, DOUBLE_SCOPE_STRIKE, SCOPE_CONTRACT, SCOPE_WALLET, WORD_SCOPE, WORD_SCOPE_KIND,
  WORD_SCOPE_UNDERLYING } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { findInstrument, instrumentCount } from '../instruments/instruments.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { findHolding } from '../positions/holdings.ts';
import { orderAccount, orderInstrument } from '../book/pool.ts';
import { ORDER_IDS } from '../orders/orders.ts';
import { ACCOUNT, EVERY_CONTRACT, firstEnded, hasEndedRoom, isEndedOrder, LAST, NEXT, ONE_CONTRACT, popEnded, pushEnded,
  SCOPE } from './ended.ts';
import { orderIdOf, removeOpenOrder } from './remove.ts';
import type { Trading } from './context.ts';

/** Orders cancelled, and instruments looked at, in one step. */
const ORDERS_A_STEP = 32;
const ROWS_A_STEP = 2_048;

/** Scope of the record in hand, and how many orders the step in hand may still cancel. */
let scope = EVERY_CONTRACT;
let left = 0;

/**
 * CANCEL_ALL. Outcome: OK with how many orders are cancelled already, and 1 when the rest follows in steps; UNKNOWN_UNDERLYING;
 * NOT_LISTED; ENGINE_BUSY, with nothing cancelled.
 */
export function cancelAll(trading: Trading, views: Views, at: number, account: number): void {
  const { ended, orders, outcome } = trading;
  const first = readScope(trading, views, at);
  if (outcome.code === OK && !hasEndedRoom(ended)) outcome.code = ENGINE_BUSY;
  if (outcome.code !== OK) return;
  const last = orders.counters[ORDER_IDS];
  const next = sweep(trading, account, last, scope, first);
  outcome.numbers[0] = ORDERS_A_STEP - left;
  if (next < 0) return;
  outcome.numbers[1] = 1;
  pushEnded(ended, account, last, scope, next);
}

/** Sets `scope` and answers the first slot of it, or sets the code. */
function readScope({ instruments, outcome, underlyings }: Trading, views: Views, at: number): number {
  const word = at >>> 2;
  const double = at >>> 3;
  scope = EVERY_CONTRACT;
  if (views.u32[word + WORD_SCOPE] === SCOPE_WALLET) return 0;
  scope = findUnderlying(underlyings, views.u32[word + WORD_SCOPE_UNDERLYING], views.u32[word + WORD_SCOPE_UNDERLYING + 1]);
  if (scope < 0) outcome.code = UNKNOWN_UNDERLYING;
  if (scope < 0 || views.u32[word + WORD_SCOPE] !== SCOPE_CONTRACT) return 0;
  const { f64, u32 } = views;
  const slot = findInstrument(
    instruments, scope, f64[double + DOUBLE_SCOPE_EXPIRY], f64[double + DOUBLE_SCOPE_STRIKE], u32[word + WORD_SCOPE_KIND],
  );
  if (slot < 0) outcome.code = NOT_LISTED;
  scope = ONE_CONTRACT;
  return slot;
}

/** One bounded step of the first command in hand. */
export function endedStep(trading: Trading): void {
  const { ended } = trading;
  const { items } = ended;
  const item = firstEnded(ended);
  const next = sweep(trading, items[item + ACCOUNT], items[item + LAST], items[item + SCOPE], items[item + NEXT]);
  if (next < 0) popEnded(ended);
  else items[item + NEXT] = next;
}

/** True when its wallet has ended the open order in `slot` and it only waits to be cancelled. */
export function isEnded(trading: Trading, slot: number): boolean {
  const { books, ended, instruments } = trading;
  const instrument = orderInstrument(books, slot);
  return isEndedOrder(ended, orderAccount(books, slot), orderIdOf(trading, slot), instrument, instruments.underlying[instrument]);
}

/** Cancels orders of the account up to id `last`, from slot `first` on; answers the slot to go on with, -1: none is left. */
function sweep(trading: Trading, account: number, last: number, within: number, first: number): number {
  const { accounts, instruments } = trading;
  const rows = within === ONE_CONTRACT ? first + 1 : instrumentCount(instruments);
  const end = Math.min(rows, first + ROWS_A_STEP);
  left = ORDERS_A_STEP;
  for (let slot = first; slot < end; slot++) {
    if (accounts.openOrders[account] === 0) return -1;
    if (within >= 0 && instruments.underlying[slot] !== within) continue;
    if (!cancelOf(trading, account, slot, last)) return slot;
  }
  return end < rows ? end : -1;
}

/** Cancels orders of the account in one contract, oldest first; false: the step ended before they did. */
function cancelOf(trading: Trading, account: number, instrument: number, last: number): boolean {
  const { holdings } = trading;
  const row = findHolding(holdings, account, instrument);
  if (row < 0) return true;
  // A row that closes with its last order has an empty list.
  for (let oldest = holdings.orderHead[row]; oldest !== 0 && orderIdOf(trading, oldest) <= last; oldest = holdings.orderHead[row]) {
    if (left === 0) return false;
    removeOpenOrder(trading, oldest, DONE_CANCELLED);
    left--;
  }
  return true;
}
