// Rolling windows of fills: per row the fills of (time - interval, time] and the exact sums of their quantity, delta and
// vega (decision 5.8). A record holds a moment with fills and the running sums of its row up to it, so the sum of a
// window is its youngest record minus what the row had counted before its oldest one: a record leaves or is merged by
// being unlinked, and nothing is added up twice. Units: quantity 1e-6 contracts, delta 1e-6, vega 1e-6 USDC per vol
// point, times ms that never go back. Sums are two-limb: a fill of 1e15 and one of 1e-6 are both kept to the unit.
//
// Bounds: a row remembers `perRow` moments, all rows together `capacity`. A row always has its share of the pool (a
// quarter of it, split evenly) and borrows the rest. Without room its two oldest moments become one at the time of the
// younger: no fill is lost, the older ones only leave later. So a quantity is never understated; a net sum of delta or
// vega may for that while miss that an old fill no longer offsets a young one. Never decides what a sum means: rules are mmp's.

import { addWide, WIDE_LIMBS, wideDifference } from '../ledger/wide.ts';
import { fixedSection, type Section } from '../store.ts';

export const QUANTITY = 0;
export const DELTA = 1;
export const VEGA = 2;
const MEASURES = 3;
/** Elements of the sums of one record or row. */
const SUMS = MEASURES * WIDE_LIMBS;

const ROWS = 0;
const HIGH_WATER = 1;
const FREE = 2;
/** Records beyond the shares of their rows. */
const BORROWED = 3;
/** The row that is looked at next when the pool is full. */
const TURN = 4;

export type Windows = {
  readonly rows: number;
  readonly capacity: number;
  readonly perRow: number;
  readonly share: number;
  /** Rows opened; high-water mark of the records; head of the free list plus one; borrowed records; turn. */
  readonly counters: Float64Array;
  /** Per row: length of the window; records, oldest first, plus one; how many; sums up to before the oldest. */
  readonly interval: Float64Array;
  readonly head: Int32Array;
  readonly tail: Int32Array;
  readonly count: Int32Array;
  readonly base: Float64Array;
  /** Per record: its moment; sums of the row up to it; next younger of the row, or next in the free list, plus one. */
  readonly filledAt: Float64Array;
  readonly sums: Float64Array;
  readonly next: Int32Array;
};

/** `capacity` is at least four records a row, so that every row has a share. */
export function createWindows(rows: number, capacity: number, perRow: number): Windows {
  return {
    rows, capacity, perRow, share: Math.min(perRow, Math.floor(capacity / rows / 4)), counters: new Float64Array(5),
    interval: new Float64Array(rows), head: new Int32Array(rows), tail: new Int32Array(rows), count: new Int32Array(rows),
    base: new Float64Array(rows * SUMS), filledAt: new Float64Array(capacity), sums: new Float64Array(capacity * SUMS),
    next: new Int32Array(capacity),
  };
}

export function windowRows(windows: Windows): number {
  return windows.counters[ROWS];
}

export function hasWindowRoom(windows: Windows): boolean {
  return windows.counters[ROWS] < windows.rows;
}

/** A new empty window; the caller has checked that there is room. */
export function openWindow(windows: Windows): number {
  if (!hasWindowRoom(windows)) throw new RangeError('windows: no room was checked');
  return windows.counters[ROWS]++;
}

/** Sets the length, at least 1 ms. What has left the window under the old length by now stays out of the new one. */
export function setInterval(windows: Windows, row: number, interval: number, time: number): void {
  dropExpired(windows, row, time);
  windows.interval[row] = interval;
}

/** Moves the window to `time` and adds a fill to it. */
export function addFill(windows: Windows, row: number, time: number, quantity: number, delta: number, vega: number): void {
  dropExpired(windows, row, time);
  const at = recordOf(windows, row, time) * MEASURES;
  addWide(windows.sums, at + QUANTITY, quantity);
  addWide(windows.sums, at + DELTA, delta);
  addWide(windows.sums, at + VEGA, vega);
}

/** Sum of a measure over the window as of its last fill: exact up to 2^53, on the right side of every safe integer beyond. */
export function windowSum(windows: Windows, row: number, measure: number): number {
  const tail = windows.tail[row];
  if (tail === 0) return 0;
  return wideDifference(windows.sums, (tail - 1) * MEASURES + measure, windows.base, row * MEASURES + measure);
}

export function clearWindow(windows: Windows, row: number): void {
  const { counters, head, tail, count } = windows;
  if (tail[row] === 0) return;
  windows.next[tail[row] - 1] = counters[FREE];
  counters[FREE] = head[row];
  counters[BORROWED] -= Math.max(0, count[row] - windows.share);
  head[row] = 0;
  tail[row] = 0;
  count[row] = 0;
  windows.base.fill(0, row * SUMS, (row + 1) * SUMS);
}

/** Drops the records that are out of (time - interval, time]: all of them together are bounded by `perRow`. */
function dropExpired(windows: Windows, row: number, time: number): void {
  const { counters, next } = windows;
  const end = time - windows.interval[row];
  for (let link = windows.head[row]; link !== 0 && windows.filledAt[link - 1] <= end; link = windows.head[row]) {
    copySums(windows.base, row, windows.sums, link - 1);
    unlinkOldest(windows, row);
    next[link - 1] = counters[FREE];
    counters[FREE] = link;
  }
}

/** The youngest record of the row, at `time`, with the row's sums so far: what fills at one moment share is exact. */
function recordOf(windows: Windows, row: number, time: number): number {
  const { sums, tail } = windows;
  const last = tail[row] - 1;
  if (last >= 0 && windows.filledAt[last] === time) return last;
  // Without room the oldest becomes the youngest: its fills stay counted, now as those of the one after it.
  const record = mayTake(windows, row, time) ? takeRecord(windows) : unlinkOldest(windows, row);
  if (last >= 0) copySums(sums, record, sums, last);
  else copySums(sums, record, windows.base, row);
  windows.filledAt[record] = time;
  append(windows, row, record);
  return record;
}

/** True when the row may have one more record. A full pool is asked back, one row a time, for what has expired unnoticed. */
function mayTake(windows: Windows, row: number, time: number): boolean {
  const { count, counters, share } = windows;
  if (count[row] >= windows.perRow) return false;
  if (count[row] < share) return true;
  const loans = windows.capacity - windows.rows * share;
  if (counters[BORROWED] < loans) return true;
  dropExpired(windows, counters[TURN], time);
  counters[TURN] = (counters[TURN] + 1) % counters[ROWS];
  return counters[BORROWED] < loans;
}

function takeRecord(windows: Windows): number {
  const { counters } = windows;
  const record = counters[FREE] - 1;
  if (record < 0) return counters[HIGH_WATER]++;
  counters[FREE] = windows.next[record];
  return record;
}

function append(windows: Windows, row: number, record: number): void {
  const { head, tail, next, count } = windows;
  next[record] = 0;
  if (tail[row] === 0) head[row] = record + 1;
  else next[tail[row] - 1] = record + 1;
  tail[row] = record + 1;
  count[row]++;
  if (count[row] > windows.share) windows.counters[BORROWED]++;
}

function unlinkOldest(windows: Windows, row: number): number {
  const { head, tail, count } = windows;
  const record = head[row] - 1;
  if (count[row] > windows.share) windows.counters[BORROWED]--;
  count[row]--;
  head[row] = windows.next[record];
  if (head[row] === 0) tail[row] = 0;
  return record;
}

function copySums(into: Float64Array, row: number, from: Float64Array, record: number): void {
  for (let i = 0; i < SUMS; i++) into[row * SUMS + i] = from[record * SUMS + i];
}

export function windowSections(windows: Windows): readonly Section[] {
  const rows = () => windows.counters[ROWS];
  const records = () => windows.counters[HIGH_WATER];
  return [
    fixedSection('windows.counters', windows.counters),
    { name: 'windows.interval', column: windows.interval, used: rows },
    { name: 'windows.head', column: windows.head, used: rows },
    { name: 'windows.tail', column: windows.tail, used: rows },
    { name: 'windows.count', column: windows.count, used: rows },
    { name: 'windows.base', column: windows.base, used: () => rows() * SUMS },
    { name: 'windows.filledAt', column: windows.filledAt, used: records },
    { name: 'windows.sums', column: windows.sums, used: () => records() * SUMS },
    { name: 'windows.next', column: windows.next, used: records },
  ];
}
