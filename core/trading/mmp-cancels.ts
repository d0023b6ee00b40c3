// Protections whose orders could not all be cancelled at once, each with the highest entry number to cancel. The orders never trade again:
// whoever meets one cancels it. Bounded steps cancel the rest.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section } from '../columns.ts';
import type { Limits } from '../limits.ts';

const HEAD = 0;
const TAIL = 1;

export type MmpCancels = {
  readonly counters: Float64Array;
  /** Per protection: the next in the queue plus one, 0 if none. */
  readonly next: Int32Array;
  /** Per protection: highest entry number to cancel, 0 if none. */
  readonly upTo: Float64Array;
};

export function createMmpCancels({ mmpConfigs }: Pick<Limits, 'mmpConfigs'>): MmpCancels {
  return { counters: float64(2), next: int32(mmpConfigs), upTo: float64(mmpConfigs) };
}

export function hasMmpCancels(mmpCancels: MmpCancels): boolean {
  return mmpCancels.counters[HEAD] !== 0;
}

export function queueMmpCancel(mmpCancels: MmpCancels, row: number, entry: number): void {
  const { counters, next, upTo } = mmpCancels;
  assert(entry > 0, 'mmp cancels: standing orders have entry numbers');
  if (upTo[row] === 0) {
    if (counters[TAIL] === 0) counters[HEAD] = row + 1;
    else next[counters[TAIL] - 1] = row + 1;
    counters[TAIL] = row + 1;
  }
  upTo[row] = entry;
}

export function firstMmpCancel(mmpCancels: MmpCancels): number {
  return mmpCancels.counters[HEAD] - 1;
}

export function dropMmpCancel(mmpCancels: MmpCancels): void {
  const { counters, next, upTo } = mmpCancels;
  const row = counters[HEAD] - 1;
  assert(row >= 0 && upTo[row] > 0, 'mmp cancels: the first row of the queue has orders to cancel');
  assert((next[row] === 0) === (counters[TAIL] === row + 1), 'mmp cancels: only the last row of the queue has no next');
  counters[HEAD] = next[row];
  if (counters[HEAD] === 0) counters[TAIL] = 0;
  next[row] = 0;
  upTo[row] = 0;
}

export function mmpCancelSections(mmpCancels: MmpCancels, rows: () => number): readonly Section[] {
  return [
    fixedSection('mmpCancels.counters', mmpCancels.counters), { name: 'mmpCancels.next', column: mmpCancels.next, used: rows },
    { name: 'mmpCancels.upTo', column: mmpCancels.upTo, used: rows },
  ];
}
