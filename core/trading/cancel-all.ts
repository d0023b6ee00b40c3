// Cancels open orders, or quotes, of a wallet, an underlying or a contract (decision 7.3, extensions 4): some at once, the rest by a cancel
// job. Only earlier orders are cancelled. The cursor is an instrument slot, because holdings come and go between steps.

import { BUY, SELL } from '../units.ts';
import { DONE_CANCEL_AFTER, DONE_CANCELLED, DONE_DISCONNECTED, DONE_MMP, DONE_ORDER_EXPIRED, DONE_QUOTE_REMOVED, ENGINE_BUSY,
  NOT_LISTED, OK, UNKNOWN_UNDERLYING } from '../errors.ts';
import { BYTE_CANCELLED_SET, DOUBLE_SCOPE_EXPIRY, DOUBLE_SCOPE_STRIKE, SCOPE_CONTRACT, SCOPE_WALLET, WORD_NONCE,
  WORD_SCOPE, WORD_SCOPE_KIND, WORD_SCOPE_UNDERLYING } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { findInstrument, instrumentCount } from '../instruments/instruments.ts';
import { noteQuoteNonce } from '../accounts/quote-nonces.ts';
import { findUnderlying, underlyingCount } from '../instruments/underlyings.ts';
import { findHolding } from '../positions/holdings.ts';
import { orderAccount, orderInstrument } from '../book/pool.ts';
import { hasExpired, isPastExpiry } from '../orders/extended.ts';
import { findQuote, isQuote } from '../orders/names.ts';
import { ENTRIES, isExtended, olderOrder, orderEntry, orderSince, youngerOrder, type Orders } from '../orders/orders.ts';
import { isReduceOnlyTrigger } from '../orders/untriggered.ts';
import { firstDeadline } from '../safety/deadlines.ts';
import { isOverdue, isSwitchNext, type Safety } from '../safety/safety.ts';
import { hasMmpCancels } from './mmp-cancels.ts';
import { ACCOUNT, ALL_ORDERS, ALL_QUOTES, cancelJobReason, EVERY_CONTRACT, EVERY_ORDER, filterOf, firstCancelJob, hasCancelJobRoom,
  hasCancelJobs, LAST, leavesReduceOnly, NEXT, ONE_CONTRACT, popCancelJob, pushCancelJob, QUOTES_OF_SET, REASON, SCOPE,
  type OrderFilter } from './cancel-jobs.ts';
import { awaitsMmpCancel } from './protection.ts';
import { removeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

export const ORDERS_PER_STEP = 32;
const ROWS_PER_STEP = 2_048;

/** Result: OK with the orders cancelled so far, and 1 if a job follows; UNKNOWN_UNDERLYING; NOT_LISTED; ENGINE_BUSY, nothing cancelled. */
export function cancelAll(trading: Trading, views: Views, at: number, account: number, time: number): void {
  cancelScope(trading, views, at, { account, filter: EVERY_ORDER, time });
}

/** Quotes of the set, or of all sets if its name is empty. Result as of `cancelAll`. */
export function cancelQuotes(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const length = views.u8[at + BYTE_CANCELLED_SET];
  const which = length === 0 ? ALL_QUOTES : QUOTES_OF_SET;
  const filter = { which, words: views.u32, at: (at + BYTE_CANCELLED_SET + 4) >>> 2, length };
  cancelScope(trading, views, at, { account, filter, time });
}

function cancelScope(trading: Trading, views: Views, at: number, whose: Pick<Sweep, 'account' | 'filter' | 'time'>): void {
  const { instruments, result, underlyings } = trading;
  const { f64, u32 } = views;
  const word = at >>> 2;
  const double = at >>> 3;
  const kind = u32[word + WORD_SCOPE];
  const isAll = kind === SCOPE_WALLET;
  const underlying = isAll ? EVERY_CONTRACT
    : findUnderlying(underlyings, u32[word + WORD_SCOPE_UNDERLYING], u32[word + WORD_SCOPE_UNDERLYING + 1]);
  if (!isAll && underlying < 0) {
    result.code = UNKNOWN_UNDERLYING;
    return;
  }
  const slot = kind !== SCOPE_CONTRACT ? 0 : findInstrument(
    instruments, underlying, f64[double + DOUBLE_SCOPE_EXPIRY], f64[double + DOUBLE_SCOPE_STRIKE], u32[word + WORD_SCOPE_KIND],
  );
  if (slot < 0) {
    result.code = NOT_LISTED;
    return;
  }
  cancelWithin(trading, whose, kind === SCOPE_CONTRACT ? ONE_CONTRACT : underlying, slot);
  if (result.code === OK) noteNonce(trading, views, word, whose.account, underlying);
}

/** Mass quotes with a lower nonce are too late for the underlyings of this command. */
function noteNonce({ quoteNonces, underlyings }: Trading, { u32 }: Views, word: number, account: number, underlying: number): void {
  const last = underlying < 0 ? underlyingCount(underlyings) - 1 : underlying;
  const low = u32[word + WORD_NONCE];
  const high = u32[word + WORD_NONCE + 1];
  for (let i = Math.max(0, underlying); i <= last; i++) noteQuoteNonce(quoteNonces, account, i, low, high);
}

function cancelWithin(trading: Trading, whose: Pick<Sweep, 'account' | 'filter' | 'time'>, scope: number, first: number): void {
  const { cancelJobs, orders, result } = trading;
  const { account, filter, time } = whose;
  if (!hasCancelJobRoom(cancelJobs)) {
    result.code = ENGINE_BUSY;
    return;
  }
  const reason = filter.which === ALL_ORDERS ? DONE_CANCELLED : DONE_QUOTE_REMOVED;
  const last = orders.counters[ENTRIES];
  const work = { account, last, scope, first, reason, filter, time, ended: 0 };
  const next = sweep(trading, work);
  result.numbers[0] = work.ended;
  if (next < 0) return;
  result.numbers[1] = 1;
  pushCancelJob(cancelJobs, account, last, scope, next, reason, filter);
}

export function cancelInSteps({ accounts, cancelJobs, orders }: Trading, account: number, reason: number): void {
  if (accounts.openOrders[account] !== 0) pushCancelJob(cancelJobs, account, orders.counters[ENTRIES], EVERY_CONTRACT, 0, reason);
}

export function cancelJobStep(trading: Trading): void {
  const { cancelJobs } = trading;
  const { jobs } = cancelJobs;
  const item = firstCancelJob(cancelJobs);
  const next = sweep(trading, {
    account: jobs[item + ACCOUNT], last: jobs[item + LAST], scope: jobs[item + SCOPE], first: jobs[item + NEXT],
    reason: jobs[item + REASON], filter: filterOf(cancelJobs, item), time: 0, ended: 0,
  });
  if (next < 0) popCancelJob(cancelJobs);
  else jobs[item + NEXT] = next;
}

/** Why the open order must not trade any more, a DONE_ code. 0: it may trade. */
export function pendingCancelReason(trading: Trading, slot: number, time: number): number {
  const { books, mmpCancels, cancelJobs, orders, safety } = trading;
  if (hasMmpCancels(mmpCancels) && awaitsMmpCancel(trading, slot)) return DONE_MMP;
  const account = orderAccount(books, slot);
  const reason = hasCancelJobs(cancelJobs) ? reasonOfItem(trading, slot) : 0;
  if (reason !== 0) return reason;
  if (isOverdue(safety, account, time) && !isReduceOnlyTrigger(orders, slot)) return deadlineReason(safety, account);
  return isExtended(orders, slot) && isPastExpiry(orders.extended, slot, time) ? DONE_ORDER_EXPIRED : 0;
}

export function pendingCancelTest(trading: Trading, time: number): ((slot: number) => boolean) | null {
  const first = firstDeadline(trading.safety.deadlines);
  if (!hasEnded(trading, time) && (first < 0 || !isOverdue(trading.safety, first, time))) return null;
  return (slot) => pendingCancelReason(trading, slot, time) !== 0;
}

/** A due deadline without room for its job implies that there are jobs. */
export function hasEnded({ cancelJobs, mmpCancels, orders }: Trading, time: number): boolean {
  return hasCancelJobs(cancelJobs) || hasMmpCancels(mmpCancels) || hasExpired(orders.extended, time);
}

function reasonOfItem(trading: Trading, slot: number): number {
  const { books, cancelJobs, instruments, orders } = trading;
  return cancelJobReason(cancelJobs, orders, slot, instruments.underlying[orderInstrument(books, slot)]);
}

export function deadlineReason(safety: Safety, account: number): number {
  return isSwitchNext(safety, account) ? DONE_CANCEL_AFTER : DONE_DISCONNECTED;
}

/** `time`: orders that expired by then are left out; 0: none is. `ended`: orders that end for the reason, or with an entry that does. */
type Sweep = {
  readonly account: number; readonly last: number; readonly scope: number; readonly first: number; readonly reason: number;
  readonly filter: OrderFilter; readonly time: number; ended: number;
};

function sweep(trading: Trading, work: Sweep): number {
  const { accounts, instruments, orders } = trading;
  const { account, filter, first, last, reason, scope, time } = work;
  const rows = scope === ONE_CONTRACT ? first + 1 : instrumentCount(instruments);
  const end = Math.min(rows, first + ROWS_PER_STEP);
  let left = ORDERS_PER_STEP;
  for (let slot = first; slot < end; slot++) {
    if (accounts.openOrders[account] === 0) return -1;
    if (scope >= 0 && instruments.underlying[slot] !== scope) continue;
    for (let order = firstMeant(trading, work, slot); order !== 0;) {
      if (left-- === 0) return slot;
      const following = filter.which === ALL_QUOTES ? quoteFrom(orders, youngerOrder(orders, order), last) : -1;
      const isPast = isExtended(orders, order) && isPastExpiry(orders.extended, order, time);
      const open = accounts.openOrders[account];
      removeOpenOrder(trading, order, isPast ? DONE_ORDER_EXPIRED : reason);
      work.ended += open - accounts.openOrders[account] - (isPast ? 1 : 0);
      order = following >= 0 ? following : firstMeant(trading, work, slot);
    }
  }
  return end < rows ? end : -1;
}

function firstMeant(trading: Trading, { account, filter, last, reason }: Sweep, instrument: number): number {
  const { holdings, orders } = trading;
  switch (filter.which) {
    case ALL_ORDERS: return nextOrder(trading, account, instrument, last, reason);
    case QUOTES_OF_SET: return quoteOfSet(orders, account, instrument, last, filter);
    default: {
      const row = findHolding(holdings, account, instrument);
      return row < 0 ? 0 : quoteFrom(orders, holdings.orderHead[row], last);
    }
  }
}

function quoteFrom(orders: Orders, first: number, last: number): number {
  let slot = first;
  while (slot !== 0 && orderEntry(orders, slot) <= last && !isQuote(orders, slot)) slot = youngerOrder(orders, slot);
  return slot !== 0 && orderEntry(orders, slot) <= last ? slot : 0;
}

function quoteOfSet(orders: Orders, account: number, instrument: number, last: number, { at, length, words }: OrderFilter): number {
  const bid = findQuote(orders, account, (instrument << 1) | BUY, words, at, length);
  const ask = findQuote(orders, account, (instrument << 1) | SELL, words, at, length);
  const isBid = bid !== 0 && (ask === 0 || orderEntry(orders, bid) < orderEntry(orders, ask));
  const older = isBid ? bid : ask;
  return older !== 0 && orderEntry(orders, older) <= last ? older : 0;
}

/** The oldest order, then the oldest that waits; 0 if there is none. */
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
