// Market-maker protection in trading (decision 5.8). On a trigger the order being filled loses its remainder; other protected orders of the
// wallet and underlying are cancelled at once or in steps (core/trading/mmp-cancels).

import { assert } from '../assert.ts';
import { DONE_MMP, DONE_MMP_SELF, OK, TOO_MANY_MMP_CONFIGS, UNKNOWN_UNDERLYING } from '../errors.ts';
import { DELETE_MMP, DOUBLE_MMP_DELTA, DOUBLE_MMP_FROZEN, DOUBLE_MMP_INTERVAL, DOUBLE_MMP_QUANTITY, DOUBLE_MMP_VEGA,
  FLAG_MMP_OPT_OUT, SET_MMP, WORD_MMP_UNDERLYING } from '../codec/commands.ts';
import { ACCOUNT, emit, MMP_CHANGED, MMP_CHANGED_SLOTS, MMP_COMMAND, MMP_TRIGGERED, MMP_TRIGGERED_SLOTS, MMP_UNDERLYING,
  MMP_UNTIL } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { CONTRACT } from '../units.ts';
import { clampSafe, mulDivHalfUp } from '../math/exact.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { closeIfEmpty } from '../positions/holdings.ts';
import { orderAccount, orderInstrument } from '../book/pool.ts';
import { ENTRIES, olderOrder, orderEntry, orderFlags, orderSince, youngerOrder } from '../orders/orders.ts';
import { stillOlder } from '../orders/untriggered.ts';
import { updateHolding } from '../margin/account-margin.ts';
import { disableMmp, findMmp, hasMmpRoom, isFrozen, isProtected, recordFill, resetMmp, setMmp, UNTIL_RESET } from '../mmp/mmp.ts';
import { deltaOf, vegaOf } from '../valuation/valuation.ts';
import { queueMmpCancel, dropMmpCancel, firstMmpCancel } from './mmp-cancels.ts';
import { withdrawOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

export const MMP_CANCEL_BATCH = 256;

export function setProtection(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { accounts, mmp, result } = trading;
  const underlying = underlyingOf(trading, views, at);
  const tier = accounts.tier[account];
  if (underlying < 0) result.code = UNKNOWN_UNDERLYING;
  else if (findMmp(mmp, account, underlying) < 0 && !hasMmpRoom(mmp, tier)) result.code = TOO_MANY_MMP_CONFIGS;
  if (result.code !== OK) return;
  const { f64 } = views;
  const double = at >>> 3;
  const wanted = {
    interval: f64[double + DOUBLE_MMP_INTERVAL], frozenTime: f64[double + DOUBLE_MMP_FROZEN],
    quantity: f64[double + DOUBLE_MMP_QUANTITY], delta: f64[double + DOUBLE_MMP_DELTA], vega: f64[double + DOUBLE_MMP_VEGA],
  };
  setMmp(mmp, account, tier, underlying, wanted, time);
  writeChange(trading, account, underlying, SET_MMP);
}

/** OK even without a configuration. */
export function endProtection(trading: Trading, views: Views, at: number, account: number, kind: number): void {
  const { mmp, result } = trading;
  const underlying = underlyingOf(trading, views, at);
  if (underlying < 0) {
    result.code = UNKNOWN_UNDERLYING;
    return;
  }
  const row = findMmp(mmp, account, underlying);
  if (row < 0) return;
  if (kind === DELETE_MMP) disableMmp(mmp, row);
  else resetMmp(mmp, row);
  writeChange(trading, account, underlying, kind);
}

function underlyingOf(trading: Trading, views: Views, at: number): number {
  const word = (at >>> 2) + WORD_MMP_UNDERLYING;
  return findUnderlying(trading.underlyings, views.u32[word], views.u32[word + 1]);
}

function writeChange(trading: Trading, account: number, underlying: number, kind: number): void {
  const f = trading.events.slots;
  f[ACCOUNT] = account;
  f[MMP_UNDERLYING] = underlying;
  f[MMP_COMMAND] = kind;
  emit(trading.events, MMP_CHANGED, MMP_CHANGED_SLOTS);
}

export function isFrozenOut(trading: Trading, account: number, underlying: number, flags: number, time: number): boolean {
  const { mmp } = trading;
  if (!takesPartInMmp(trading, account, underlying, flags)) return false;
  return isFrozen(mmp, findMmp(mmp, account, underlying), time);
}

export function takesPartInMmp(trading: Trading, account: number, underlying: number, flags: number): boolean {
  return isProtected(trading.mmp, account, underlying) && (flags & FLAG_MMP_OPT_OUT) === 0;
}

/**
 * `size` is signed as the position moves. On a trigger (true) cancels the order in `slot` (0: none) and the other protected orders. Keeps
 * `holding`; the caller updates its sums.
 */
export function recordProtected(
  trading: Trading, account: number, instrument: number, size: number, time: number, holding: number, slot: number,
): boolean {
  const { mmpCancels, events, instruments, mmp, orders, valuation } = trading;
  const underlying = instruments.underlying[instrument];
  const row = findMmp(mmp, account, underlying);
  assert(row >= 0, 'protection: a protected order has a configuration');
  const delta = greekOf(size, deltaOf(valuation, instrument));
  const vega = greekOf(size, vegaOf(valuation, instrument));
  if (!recordFill(mmp, row, time, Math.abs(size), delta, vega)) return false;
  const f = events.slots;
  f[ACCOUNT] = account;
  f[MMP_UNDERLYING] = underlying;
  f[MMP_UNTIL] = mmp.until[row] === UNTIL_RESET ? 0 : mmp.until[row];
  emit(events, MMP_TRIGGERED, MMP_TRIGGERED_SLOTS);
  if (slot !== 0) withdrawOrder(trading, slot, DONE_MMP_SELF);
  const last = orders.counters[ENTRIES];
  if (cancelProtected(trading, row, last, holding) === MMP_CANCEL_BATCH) queueMmpCancel(mmpCancels, row, last);
  return true;
}

/** Rounded half away from zero and clamped to the exact range, so that windows can sum it. */
export function greekOf(size: number, perContract: number): number {
  return clampSafe(perContract < 0 ? mulDivHalfUp(-size, -perContract, CONTRACT) : mulDivHalfUp(size, perContract, CONTRACT));
}

function cancelProtected(trading: Trading, row: number, last: number, kept: number): number {
  const { accounts, holdings, instruments, mmp } = trading;
  const account = mmp.account[row];
  let count = 0;
  let link = accounts.holdingHead[account];
  while (link !== 0 && count < MMP_CANCEL_BATCH) {
    const holding = link - 1;
    link = holdings.next[holding];
    if (instruments.underlying[holdings.instrument[holding]] !== mmp.underlying[row]) continue;
    const cancelled = cancelOf(trading, holding, last, MMP_CANCEL_BATCH - count);
    count += cancelled;
    if (cancelled === 0 || holding === kept) continue;
    updateHolding(trading, account, holding);
    closeIfEmpty(holdings, accounts, holding);
  }
  return count;
}

function cancelOf(trading: Trading, holding: number, last: number, most: number): number {
  const { holdings, orders } = trading;
  let count = 0;
  let slot = holdings.orderHead[holding];
  while (slot !== 0 && count < most) {
    const next = youngerOrder(orders, slot);
    if ((orderFlags(orders, slot) & FLAG_MMP_OPT_OUT) === 0 && orderEntry(orders, slot) <= last) {
      withdrawOrder(trading, slot, DONE_MMP);
      count++;
    }
    slot = next;
  }
  for (let waiting = holdings.triggers[holding]; waiting !== 0 && count < most;) {
    const older = olderOrder(orders, waiting);
    if ((orderFlags(orders, waiting) & FLAG_MMP_OPT_OUT) === 0 && orderSince(orders, waiting) <= last) {
      withdrawOrder(trading, waiting, DONE_MMP);
      count++;
    }
    waiting = stillOlder(orders, holdings, holding, older);
  }
  return count;
}

export function awaitsMmpCancel(trading: Trading, slot: number): boolean {
  const { books, mmpCancels, instruments, mmp, orders } = trading;
  if ((orderFlags(orders, slot) & FLAG_MMP_OPT_OUT) !== 0) return false;
  const row = findMmp(mmp, orderAccount(books, slot), instruments.underlying[orderInstrument(books, slot)]);
  return row >= 0 && orderSince(orders, slot) <= mmpCancels.upTo[row];
}

export function mmpCancelStep(trading: Trading): void {
  const row = firstMmpCancel(trading.mmpCancels);
  if (cancelProtected(trading, row, trading.mmpCancels.upTo[row], -1) < MMP_CANCEL_BATCH) dropMmpCancel(trading.mmpCancels);
}
