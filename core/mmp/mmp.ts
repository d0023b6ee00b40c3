// Market-maker protection (decision 5.8): per account and underlying, limits on fills in a rolling window, and a freeze when one is
// strictly exceeded. A fill counts first and is judged then: quantity unsigned, delta and vega by the absolute net sum. Fills during a
// freeze do not count. Rows are never freed. Delta is in 1e-6, vega in 1e-6 USDC per vol point.

import { assert } from '../assert.ts';
import { float64, int32, type Section, uint16, uint8 } from '../columns.ts';
import { MAX_UNDERLYINGS, MMP_FILLS_PER_ROW, SMALL_TIER_POOL_PERCENT, type Limits } from '../limits.ts';
import { hashTwo, tableSize } from '../math/hash.ts';
import { isSmallTier } from '../tiers.ts';
import {
  addFill, clearWindow, createWindows, DELTA, dropExpired, hasWindowRoom, openWindow, QUANTITY, resizeWindow, VEGA, windowRows,
  windowSections, windowSum, type Windows,
} from './windows.ts';

export const NO_LIMIT = -1;
/** Only a reset ends the freeze (frozen time 0). */
export const UNTIL_RESET = Number.MAX_SAFE_INTEGER;

export type Mmp = {
  readonly windows: Windows;
  readonly account: Int32Array;
  readonly underlying: Int32Array;
  readonly enabled: Uint8Array;
  /** Length of a freeze, 0: until a reset. */
  readonly frozenTime: Float64Array;
  readonly qtyLimit: Float64Array;
  readonly deltaLimit: Float64Array;
  readonly vegaLimit: Float64Array;
  readonly until: Float64Array;
  readonly triggers: Float64Array;
  readonly triggeredAt: Float64Array;
  /** Per account, one bit per underlying with an enabled row (at most 16). */
  readonly protects: Uint16Array;
  readonly table: Int32Array;
  /** Index: rows of default and tier1 wallets. */
  readonly small: Int32Array;
};

/** `interval` is at least 1 ms; limits may be NO_LIMIT. */
type Protection = {
  readonly interval: number; readonly frozenTime: number; readonly quantity: number; readonly delta: number; readonly vega: number;
};

export function createMmp(limits: Pick<Limits, 'accounts' | 'mmpConfigs' | 'mmpFills'>, fillsPerRow: number = MMP_FILLS_PER_ROW): Mmp {
  const rows = limits.mmpConfigs;
  return {
    windows: createWindows(rows, limits.mmpFills, fillsPerRow), account: int32(rows), underlying: int32(rows),
    enabled: uint8(rows), frozenTime: float64(rows), qtyLimit: float64(rows),
    deltaLimit: float64(rows), vegaLimit: float64(rows), until: float64(rows),
    triggers: float64(rows), triggeredAt: float64(rows), protects: uint16(limits.accounts),
    table: int32(tableSize(rows)).fill(-1), small: int32(1),
  };
}

export function hasMmpRoom(mmp: Mmp, tier: number): boolean {
  if (!hasWindowRoom(mmp.windows)) return false;
  return !isSmallTier(tier) || mmp.small[0] < Math.ceil(mmp.account.length * SMALL_TIER_POOL_PERCENT / 100);
}

export function moveMmpRows(mmp: Mmp, account: number, before: number, after: number): void {
  const change = Number(isSmallTier(after)) - Number(isSmallTier(before));
  if (change === 0) return;
  for (let underlying = 0; underlying < MAX_UNDERLYINGS; underlying++) {
    if (findMmp(mmp, account, underlying) >= 0) mmp.small[0] += change;
  }
}

export function findMmp(mmp: Mmp, account: number, underlying: number): number {
  const { table } = mmp;
  const mask = table.length - 1;
  for (let slot = hashTwo(account, underlying) & mask; ; slot = (slot + 1) & mask) {
    const row = table[slot];
    if (row < 0 || (mmp.account[row] === account && mmp.underlying[row] === underlying)) return row;
  }
}

export function isProtected(mmp: Mmp, account: number, underlying: number): boolean {
  return (mmp.protects[account] & (1 << underlying)) !== 0;
}

/** The caller has checked for room. */
export function setMmp(
  mmp: Mmp, account: number, tier: number, underlying: number, { interval, frozenTime, quantity, delta, vega }: Protection, time: number,
): number {
  const found = findMmp(mmp, account, underlying);
  const row = found >= 0 ? found : addRow(mmp, account, tier, underlying);
  resizeWindow(mmp.windows, row, interval, time);
  mmp.frozenTime[row] = frozenTime;
  mmp.qtyLimit[row] = quantity;
  mmp.deltaLimit[row] = delta;
  mmp.vegaLimit[row] = vega;
  mmp.enabled[row] = 1;
  mmp.protects[account] |= 1 << underlying;
  return row;
}

export function disableMmp(mmp: Mmp, row: number): void {
  resetMmp(mmp, row);
  mmp.enabled[row] = 0;
  mmp.protects[mmp.account[row]] &= ~(1 << mmp.underlying[row]);
}

export function resetMmp(mmp: Mmp, row: number): void {
  clearWindow(mmp.windows, row);
  mmp.until[row] = 0;
}

export function isFrozen(mmp: Mmp, row: number, time: number): boolean {
  return time < mmp.until[row];
}

/** `qty` unsigned, delta and vega signed as the position moves. True: the fill froze the row. */
export function recordFill(mmp: Mmp, row: number, time: number, qty: number, delta: number, vega: number): boolean {
  if (mmp.enabled[row] === 0 || isFrozen(mmp, row, time)) return false;
  assert(row >= 0 && qty >= 0, 'mmp: a fill has a row and a size');
  addFill(mmp.windows, row, time, qty, delta, vega);
  if (!isExceeded(mmp, row)) return false;
  const frozenTime = mmp.frozenTime[row];
  mmp.until[row] = frozenTime === 0 ? UNTIL_RESET : Math.min(time + frozenTime, UNTIL_RESET);
  assert(mmp.until[row] > time, 'mmp: a freeze ends after it began');
  mmp.triggers[row]++;
  mmp.triggeredAt[row] = time;
  return true;
}

function isExceeded(mmp: Mmp, row: number): boolean {
  return wouldExceed(mmp, row, 0, 0, 0);
}

/** Call before `wouldExceed`. */
export function settleWindow(mmp: Mmp, row: number, time: number): void {
  dropExpired(mmp.windows, row, time);
}

export function wouldExceed(mmp: Mmp, row: number, qty: number, delta: number, vega: number): boolean {
  const { windows } = mmp;
  return exceeds(windowSum(windows, row, QUANTITY) + qty, mmp.qtyLimit[row])
    || exceeds(windowSum(windows, row, DELTA) + delta, mmp.deltaLimit[row])
    || exceeds(windowSum(windows, row, VEGA) + vega, mmp.vegaLimit[row]);
}

function exceeds(sum: number, limit: number): boolean {
  return limit !== NO_LIMIT && Math.abs(sum) > limit;
}

function addRow(mmp: Mmp, account: number, tier: number, underlying: number): number {
  const row = openWindow(mmp.windows);
  if (isSmallTier(tier)) mmp.small[0]++;
  assert(underlying >= 0 && underlying < MAX_UNDERLYINGS, 'mmp: the underlying fits the bit mask');
  assert(mmp.small[0] <= windowRows(mmp.windows), 'mmp: rows of small tiers are at most all rows');
  mmp.account[row] = account;
  mmp.underlying[row] = underlying;
  enter(mmp, row);
  return row;
}

function enter(mmp: Mmp, row: number): void {
  const { table } = mmp;
  const mask = table.length - 1;
  let slot = hashTwo(mmp.account[row], mmp.underlying[row]) & mask;
  while (table[slot] >= 0) slot = (slot + 1) & mask;
  table[slot] = row;
}

export function mmpSections(mmp: Mmp): readonly Section[] {
  const rows = () => windowRows(mmp.windows);
  const per = (name: string, column: Section['column']): Section => ({ name: `mmp.${name}`, column, used: rows });
  return [
    ...windowSections(mmp.windows), per('account', mmp.account), per('underlying', mmp.underlying), per('enabled', mmp.enabled),
    per('frozenTime', mmp.frozenTime), per('qtyLimit', mmp.qtyLimit), per('deltaLimit', mmp.deltaLimit),
    per('vegaLimit', mmp.vegaLimit), per('until', mmp.until), per('triggers', mmp.triggers), per('triggeredAt', mmp.triggeredAt),
  ];
}

export function rebuildMmp(mmp: Mmp, tiers: Uint8Array): void {
  mmp.table.fill(-1);
  mmp.protects.fill(0);
  mmp.small[0] = 0;
  for (let row = 0; row < windowRows(mmp.windows); row++) {
    enter(mmp, row);
    if (isSmallTier(tiers[mmp.account[row]])) mmp.small[0]++;
    if (mmp.enabled[row] !== 0) mmp.protects[mmp.account[row]] |= 1 << mmp.underlying[row];
  }
}
