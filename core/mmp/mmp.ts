// Market-maker protection: per (account, underlying) limits on what may be filled within a rolling window, and the
// freeze when one is exceeded (wire.md 2.5, decision 5.8). A configuration is a row that is never taken back: a deleted
// one stays listed, disabled. So default and tier1 wallets, of which anybody may have any number, have a bounded part of the rows
// together, as of the order pool (5.4). Rules: a fill counts first and is judged then, so the one that goes too far stands; a sum
// strictly greater than a limit that is set triggers (quantity unsigned, delta and vega the absolute value of the net
// sum); fills leave by age, all at once only by a reset: what led to a trigger counts on after a freeze that was shorter
// than the interval, or a wallet would be filled beyond its limits within one; an update neither starts nor ends a freeze,
// a fill during one is not counted. Units: quantity 1e-6 contracts, delta 1e-6, vega 1e-6 USDC per vol point, times ms
// that never go back. Never knows an order: who takes part and what is cancelled is trading's.

import { assert } from '../assert.ts';
import { float64, int32, type Section, uint16, uint8 } from '../columns.ts';
import { MAX_UNDERLYINGS, MMP_FILLS_PER_ROW, SMALL_TIER_POOL_PERCENT, type Limits } from '../limits.ts';
import { hashTwo, tableSize } from '../math/hash.ts';
import { isSmallTier } from '../tiers.ts';
import {
  addFill, clearWindow, createWindows, DELTA, dropExpired, hasWindowRoom, openWindow, QUANTITY, resizeWindow, VEGA, windowRows,
  windowSections, windowSum, type Windows,
} from './windows.ts';

/** A limit that is not set. */
export const NO_LIMIT = -1;
/** End of a freeze that only a reset ends (frozen time 0). */
export const UNTIL_RESET = Number.MAX_SAFE_INTEGER;

export type Mmp = {
  /** The window of a row has the row's number; its `interval` is the configuration's. */
  readonly windows: Windows;
  readonly account: Int32Array;
  readonly underlying: Int32Array;
  readonly enabled: Uint8Array;
  /** How long a trigger freezes, 0: until a reset. */
  readonly frozenTime: Float64Array;
  readonly qtyLimit: Float64Array;
  readonly deltaLimit: Float64Array;
  readonly vegaLimit: Float64Array;
  /** End of the last freeze, 0: never frozen, or reset since. */
  readonly until: Float64Array;
  readonly triggers: Float64Array;
  /** Per account one bit an underlying with an enabled row (there are at most 16): what every fill asks. */
  readonly protects: Uint16Array;
  readonly table: Int32Array;
  /** Index, one cell: rows of wallets of small tiers. */
  readonly small: Int32Array;
};

/** What a wallet asks for: length of the window, at least 1 ms; how long a trigger freezes, 0: until a reset; limits or NO_LIMIT. */
type Protection = {
  readonly interval: number; readonly frozenTime: number; readonly quantity: number; readonly delta: number; readonly vega: number;
};

export function createMmp(limits: Pick<Limits, 'accounts' | 'mmpConfigs' | 'mmpFills'>, fillsPerRow: number = MMP_FILLS_PER_ROW): Mmp {
  const rows = limits.mmpConfigs;
  return {
    windows: createWindows(rows, limits.mmpFills, fillsPerRow), account: int32(rows), underlying: int32(rows),
    enabled: uint8(rows), frozenTime: float64(rows), qtyLimit: float64(rows),
    deltaLimit: float64(rows), vegaLimit: float64(rows), until: float64(rows),
    triggers: float64(rows), protects: uint16(limits.accounts), table: int32(tableSize(rows)).fill(-1), small: int32(1),
  };
}

/** Room for a row of one more wallet of the tier. */
export function hasMmpRoom(mmp: Mmp, tier: number): boolean {
  if (!hasWindowRoom(mmp.windows)) return false;
  return !isSmallTier(tier) || mmp.small[0] < Math.ceil(mmp.account.length * SMALL_TIER_POOL_PERCENT / 100);
}

/** The rows of the account are those of a wallet of another tier. */
export function moveMmpRows(mmp: Mmp, account: number, before: number, after: number): void {
  const change = Number(isSmallTier(after)) - Number(isSmallTier(before));
  if (change === 0) return;
  for (let underlying = 0; underlying < MAX_UNDERLYINGS; underlying++) {
    if (findMmp(mmp, account, underlying) >= 0) mmp.small[0] += change;
  }
}

/** The row of (account, underlying), enabled or not, or -1. */
export function findMmp(mmp: Mmp, account: number, underlying: number): number {
  const { table } = mmp;
  const mask = table.length - 1;
  for (let slot = hashTwo(account, underlying) & mask; ; slot = (slot + 1) & mask) {
    const row = table[slot];
    if (row < 0 || (mmp.account[row] === account && mmp.underlying[row] === underlying)) return row;
  }
}

/** True when the account has an enabled configuration on the underlying; one look into a column. */
export function isProtected(mmp: Mmp, account: number, underlying: number): boolean {
  return (mmp.protects[account] & (1 << underlying)) !== 0;
}

/**
 * Sets, or updates and enables, and answers the row; for a new one, of a wallet of the tier, the caller has checked that there is
 * room. Fills that have not left the window by now stay recorded, and are judged again with the next one.
 */
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

/** Disables the row, which stays listed: no fills, no freeze. */
export function disableMmp(mmp: Mmp, row: number): void {
  resetMmp(mmp, row);
  mmp.enabled[row] = 0;
  mmp.protects[mmp.account[row]] &= ~(1 << mmp.underlying[row]);
}

/** Forgets the fills and ends a freeze. */
export function resetMmp(mmp: Mmp, row: number): void {
  clearWindow(mmp.windows, row);
  mmp.until[row] = 0;
}

export function isFrozen(mmp: Mmp, row: number, time: number): boolean {
  return time < mmp.until[row];
}

/** Counts a fill: quantity unsigned, delta and vega signed as the account's position moves. True: it has frozen the row. */
export function recordFill(mmp: Mmp, row: number, time: number, qty: number, delta: number, vega: number): boolean {
  if (mmp.enabled[row] === 0 || isFrozen(mmp, row, time)) return false;
  assert(row >= 0 && qty >= 0, 'mmp: a fill is of a row and has a size');
  addFill(mmp.windows, row, time, qty, delta, vega);
  if (!isExceeded(mmp, row)) return false;
  const frozenTime = mmp.frozenTime[row];
  mmp.until[row] = frozenTime === 0 ? UNTIL_RESET : Math.min(time + frozenTime, UNTIL_RESET);
  assert(mmp.until[row] > time, 'mmp: a freeze ends after it began');
  mmp.triggers[row]++;
  return true;
}

function isExceeded(mmp: Mmp, row: number): boolean {
  return wouldExceed(mmp, row, 0, 0, 0);
}

/** Forgets the fills that have left the window by `time`: what `wouldExceed` then speaks of. */
export function settleWindow(mmp: Mmp, row: number, time: number): void {
  dropExpired(mmp.windows, row, time);
}

/** True when fills of so much at the moment of the last `settleWindow` or fill would be too much. */
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
  assert(underlying >= 0 && underlying < MAX_UNDERLYINGS, 'mmp: an underlying has a bit');
  assert(mmp.small[0] <= windowRows(mmp.windows), 'mmp: small tiers have a part of all rows');
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
    per('vegaLimit', mmp.vegaLimit), per('until', mmp.until), per('triggers', mmp.triggers),
  ];
}

/** `tiers` by account. */
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
