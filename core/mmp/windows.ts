// Rolling windows of fills: per row the fills of (time - interval, time] and the exact sums of their quantity, delta and
// vega (decision 5.8). A record holds a moment with fills and the running sums of its row up to it, so the sum of a
// window is its youngest record minus what the row had counted before its oldest one: a record leaves or is merged by
// being unlinked, and nothing is added up twice. Units: quantity 1e-6 contracts, delta 1e-6, vega 1e-6 USDC per vol
// point, times ms that never go back. Sums are two-limb: a fill of 1e15 and one of 1e-6 are both kept to the unit.
//
// Bounds: a row remembers `perRow` moments, all rows together `capacity`. A row always has its share of the pool (half of
// it, split evenly) and borrows the rest. Without room a row thins itself: moments in one cell of a grid of 2^n ms become
// one, at the time of the youngest. So no fill is ever lost, none leaves early, and late by less than 4 / k of the interval,
// k the moments it had: a thousandth with `perRow` of 4,096, less than half if all the pool is taken. Because cells of
// powers of two nest, thinning again adds nothing to that. Never decides what a sum means: the rules are mmp's.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section } from '../columns.ts';
import { addWide, WIDE_LIMBS, wideDifference } from '../ledger/wide.ts';

export const QUANTITY = 0;
export const DELTA = 1;
export const VEGA = 2;
const MEASURES = 3;
/** Elements of the sums of one record or row. */
const SUMS = MEASURES * WIDE_LIMBS;

/** Below this many moments a thinned row would not be sure to have room for one more. */
const LEAST_SHARE = 8;

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

export function createWindows(rows: number, capacity: number, perRow: number): Windows {
  const share = Math.min(perRow, Math.floor(capacity / rows / 2));
  if (share < LEAST_SHARE) throw new RangeError(`windows: a share of ${share}`);
  return {
    rows, capacity, perRow, share, counters: float64(5),
    interval: float64(rows), head: int32(rows), tail: int32(rows), count: int32(rows),
    base: float64(rows * SUMS), filledAt: float64(capacity), sums: float64(capacity * SUMS),
    next: int32(capacity),
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
  assert(hasWindowRoom(windows), 'windows: room was checked');
  return windows.counters[ROWS]++;
}

/** Sets the length, at least 1 ms. What has left the window under the old length by now stays out of the new one. */
export function resizeWindow(windows: Windows, row: number, interval: number, time: number): void {
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

/** Sum of a measure over the window as of its last fill: exact up to 2^53, on the right side of every limit beyond. */
export function windowSum(windows: Windows, row: number, measure: number): number {
  const tail = windows.tail[row];
  if (tail === 0) return 0;
  return wideDifference(windows.sums, (tail - 1) * MEASURES + measure, windows.base, row * MEASURES + measure);
}

/** Forgets the fills: the row goes on from the sums it had before the oldest. */
export function clearWindow(windows: Windows, row: number): void {
  const { counters, head, tail, count } = windows;
  if (tail[row] === 0) return;
  windows.next[tail[row] - 1] = counters[FREE];
  counters[FREE] = head[row];
  counters[BORROWED] -= Math.max(0, count[row] - windows.share);
  head[row] = 0;
  tail[row] = 0;
  count[row] = 0;
}

/** Drops the records that are out of (time - interval, time]: all of them together are bounded by `perRow`. */
export function dropExpired(windows: Windows, row: number, time: number): void {
  const end = time - windows.interval[row];
  for (let link = windows.head[row]; link !== 0 && windows.filledAt[link - 1] <= end; link = windows.head[row]) {
    copySums(windows.base, row, windows.sums, link - 1);
    release(windows, row, 0, link);
  }
}

/** The youngest record of the row, at `time`, with the row's sums so far. What is filled at one moment shares a record. */
function recordOf(windows: Windows, row: number, time: number): number {
  const { sums } = windows;
  const last = windows.tail[row] - 1;
  assert(last < 0 || windows.filledAt[last] <= time, 'windows: time does not go back');
  if (last >= 0 && windows.filledAt[last] === time) return last;
  if (!mayTake(windows, row, time)) thin(windows, row);
  const record = append(windows, row);
  windows.filledAt[record] = time;
  if (last >= 0) copySums(sums, record, sums, last);
  else copySums(sums, record, windows.base, row);
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

/**
 * Leaves the youngest record of each cell of the grid; its running sums hold those of the others. The interval meets at
 * most half as many cells as there were records, and two cut at its ends. The youngest record of the row always stays.
 */
function thin(windows: Windows, row: number): void {
  const { filledAt, next } = windows;
  let width = 1;
  while (width * windows.count[row] < 2 * windows.interval[row]) width *= 2;
  let kept = 0;
  for (let link = windows.head[row]; next[link - 1] !== 0;) {
    const younger = next[link - 1];
    if (Math.floor(filledAt[link - 1] / width) === Math.floor(filledAt[younger - 1] / width)) release(windows, row, kept, link);
    else kept = link;
    link = younger;
  }
}

/** A new youngest record, off the free list or never used before; `mayTake` and `thin` see to it that there is one. */
function append(windows: Windows, row: number): number {
  const { counters, head, tail, next, count } = windows;
  let record = counters[FREE] - 1;
  if (record >= 0) counters[FREE] = next[record];
  else record = counters[HIGH_WATER]++;
  assert(record < windows.capacity, 'windows: a new record lies within the pool');
  assert(tail[row] === 0 || next[tail[row] - 1] === 0, 'windows: nothing is younger than the youngest');
  next[record] = 0;
  if (tail[row] === 0) head[row] = record + 1;
  else next[tail[row] - 1] = record + 1;
  tail[row] = record + 1;
  count[row]++;
  if (count[row] > windows.share) counters[BORROWED]++;
  return record;
}

/** Frees record `link` of the row; `before` is the link to it, 0 for the oldest. */
function release(windows: Windows, row: number, before: number, link: number): void {
  const { counters, head, tail, next, count } = windows;
  assert((before === 0 ? head[row] : next[before - 1]) === link, 'windows: the record before leads to this one');
  if (before === 0) head[row] = next[link - 1];
  else next[before - 1] = next[link - 1];
  if (head[row] === 0) tail[row] = 0;
  if (count[row] > windows.share) counters[BORROWED]--;
  count[row]--;
  assert(counters[BORROWED] >= 0 && count[row] >= 0, 'windows: no more records leave than came');
  assert((count[row] === 0) === (head[row] === 0), 'windows: a row without records has no oldest');
  next[link - 1] = counters[FREE];
  counters[FREE] = link;
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
