// Orders that a trigger of market-maker protection has ended, but that were too many to cancel at once: per protection the
// youngest order id of its last trigger. Whoever meets an order at or below it that takes part cancels it instead of
// filling it; the rest goes in bounded steps between commands. A queue of rows of core/mmp, each in it at most once.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section } from '../columns.ts';
import type { Limits } from '../limits.ts';

const HEAD = 0;
const TAIL = 1;

export type MmpCancels = {
  /** First and last row of the queue, plus one; 0: it is empty. */
  readonly counters: Float64Array;
  /** Per protection: the row behind it in the queue, plus one; 0: none. */
  readonly next: Int32Array;
  /** Per protection: its orders up to this id have to go; 0: none. */
  readonly upTo: Float64Array;
};

export function createMmpCancels({ mmpConfigs }: Pick<Limits, 'mmpConfigs'>): MmpCancels {
  return { counters: float64(2), next: int32(mmpConfigs), upTo: float64(mmpConfigs) };
}

/** True when any order waits for its end: what every step of a sweep asks. */
export function hasMmpCancels(mmpCancels: MmpCancels): boolean {
  return mmpCancels.counters[HEAD] !== 0;
}

/** The orders of the protection in `row` up to the id have to go. */
export function queueMmpCancel(mmpCancels: MmpCancels, row: number, id: number): void {
  const { counters, next, upTo } = mmpCancels;
  assert(id > 0, 'mmp cancels: orders have ids');
  if (upTo[row] === 0) {
    if (counters[TAIL] === 0) counters[HEAD] = row + 1;
    else next[counters[TAIL] - 1] = row + 1;
    counters[TAIL] = row + 1;
  }
  upTo[row] = id;
}

/** The row whose turn it is; there is one. */
export function firstMmpCancel(mmpCancels: MmpCancels): number {
  return mmpCancels.counters[HEAD] - 1;
}

/** The orders of the first row are gone. */
export function dropMmpCancel(mmpCancels: MmpCancels): void {
  const { counters, next, upTo } = mmpCancels;
  const row = counters[HEAD] - 1;
  assert(row >= 0 && upTo[row] > 0, 'mmp cancels: the first of the queue has orders to end');
  assert((next[row] === 0) === (counters[TAIL] === row + 1), 'mmp cancels: the last of the queue has nobody behind it');
  counters[HEAD] = next[row];
  if (counters[HEAD] === 0) counters[TAIL] = 0;
  next[row] = 0;
  upTo[row] = 0;
}

/** `rows` tells how many protections there are. */
export function mmpCancelSections(mmpCancels: MmpCancels, rows: () => number): readonly Section[] {
  return [
    fixedSection('doomed.counters', mmpCancels.counters), { name: 'doomed.next', column: mmpCancels.next, used: rows },
    { name: 'doomed.upTo', column: mmpCancels.upTo, used: rows },
  ];
}
