// Rolling windows (decision 5.8): per row the fills of (time - interval, time] and their exact sums. A record holds one moment and the
// row's running sums, so records can be dropped or merged without adding again. Half the pool is shared evenly; rows borrow the rest, up to
// `perRow` each. A row without room thins itself: records in one cell of a grid of 2^n ms become one, at the time of the youngest. No fill
// leaves early. It leaves late by less than 4 / k of the interval, k its records: a thousandth at 4,096, less than half if the pool is
// full.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section } from '../columns.ts';
import { addWide, WIDE_LIMBS, wideDifference } from '../ledger/wide.ts';

export const QUANTITY = 0;
export const DELTA = 1;
export const VEGA = 2;
const MEASURES = 3;
const SUMS = MEASURES * WIDE_LIMBS;

/** With fewer records, thinning could not be sure to make room. */
const LEAST_SHARE = 8;

const ROWS = 0;
const HIGH_WATER = 1;
const FREE = 2;
/** Records beyond their rows' shares. */
const BORROWED = 3;
const TURN = 4;

export type Windows = {
  readonly rows: number;
  readonly capacity: number;
  readonly perRow: number;
  readonly share: number;
  /** Rows, high-water mark of records, free list plus one, borrowed records, turn. */
  readonly counters: Float64Array;
  /** Per row: interval, first and last record plus one, number of records, sums before the oldest. */
  readonly interval: Float64Array;
  readonly head: Int32Array;
  readonly tail: Int32Array;
  readonly count: Int32Array;
  readonly base: Float64Array;
  /** Per record: time, running sums, next younger (or next free) record plus one. */
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

export function openWindow(windows: Windows): number {
  assert(hasWindowRoom(windows), 'windows: room was checked');
  return windows.counters[ROWS]++;
}

/** `interval` is at least 1 ms. Fills that have left under the old interval stay out. */
export function resizeWindow(windows: Windows, row: number, interval: number, time: number): void {
  dropExpired(windows, row, time);
  windows.interval[row] = interval;
}

export function addFill(windows: Windows, row: number, time: number, quantity: number, delta: number, vega: number): void {
  dropExpired(windows, row, time);
  const at = recordOf(windows, row, time) * MEASURES;
  addWide(windows.sums, at + QUANTITY, quantity);
  addWide(windows.sums, at + DELTA, delta);
  addWide(windows.sums, at + VEGA, vega);
}

/** Sum as of the last fill. Exact up to 2^53; beyond, on the right side of every limit. */
export function windowSum(windows: Windows, row: number, measure: number): number {
  const tail = windows.tail[row];
  if (tail === 0) return 0;
  return wideDifference(windows.sums, (tail - 1) * MEASURES + measure, windows.base, row * MEASURES + measure);
}

/** Fills that are too old at `time` stay, but do not count. */
export function windowUse(windows: Windows, row: number, measure: number, time: number): number {
  const { base, filledAt, head, interval, next, sums, tail } = windows;
  let [from, at] = [base, row * MEASURES + measure];
  for (let link = head[row]; link !== 0 && filledAt[link - 1] <= time - interval[row]; link = next[link - 1]) {
    [from, at] = [sums, (link - 1) * MEASURES + measure];
  }
  return tail[row] === 0 ? 0 : wideDifference(sums, (tail[row] - 1) * MEASURES + measure, from, at);
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
}

export function dropExpired(windows: Windows, row: number, time: number): void {
  const end = time - windows.interval[row];
  for (let link = windows.head[row]; link !== 0 && windows.filledAt[link - 1] <= end; link = windows.head[row]) {
    copySums(windows.base, row, windows.sums, link - 1);
    release(windows, row, 0, link);
  }
}

/** Fills of one moment share a record. */
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

/** In a full pool, each call drops the expired records of one row in turn. */
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

/** Keeps the youngest record of each grid cell: at most half as many as there were, plus two. The row's youngest always stays. */
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

function append(windows: Windows, row: number): number {
  const { counters, head, tail, next, count } = windows;
  let record = counters[FREE] - 1;
  if (record >= 0) counters[FREE] = next[record];
  else record = counters[HIGH_WATER]++;
  assert(record < windows.capacity, 'windows: a new record lies within the pool');
  assert(tail[row] === 0 || next[tail[row] - 1] === 0, 'windows: the youngest record has no next');
  next[record] = 0;
  if (tail[row] === 0) head[row] = record + 1;
  else next[tail[row] - 1] = record + 1;
  tail[row] = record + 1;
  count[row]++;
  if (count[row] > windows.share) counters[BORROWED]++;
  return record;
}

function release(windows: Windows, row: number, before: number, link: number): void {
  const { counters, head, tail, next, count } = windows;
  assert((before === 0 ? head[row] : next[before - 1]) === link, 'windows: the previous record links to this one');
  if (before === 0) head[row] = next[link - 1];
  else next[before - 1] = next[link - 1];
  if (head[row] === 0) tail[row] = 0;
  if (count[row] > windows.share) counters[BORROWED]--;
  count[row]--;
  assert(counters[BORROWED] >= 0 && count[row] >= 0, 'windows: counts stay at 0 or above');
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
