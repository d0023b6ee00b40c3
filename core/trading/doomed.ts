// Orders that a trigger of market-maker protection has ended, but that were too many to cancel at once: per protection the
// youngest order id of its last trigger. Whoever meets an order at or below it that takes part cancels it instead of
// filling it; the rest goes in bounded steps between commands. A queue of rows of core/mmp, each in it at most once.

import type { Limits } from '../limits.ts';
import { fixedSection, type Section } from '../store.ts';

const HEAD = 0;
const LENGTH = 1;

export type Doomed = {
  /** Head and length of the queue. */
  readonly counters: Float64Array;
  readonly queue: Int32Array;
  /** Per protection: its orders up to this id have to go; 0: none. */
  readonly upTo: Float64Array;
};

export function createDoomed(limits: Pick<Limits, 'mmpConfigs'>): Doomed {
  const rows = limits.mmpConfigs;
  return { counters: new Float64Array(2), queue: new Int32Array(rows), upTo: new Float64Array(rows) };
}

/** True when any order waits for its end: what every step of a sweep asks. */
export function hasDoomed(doomed: Doomed): boolean {
  return doomed.counters[LENGTH] !== 0;
}

/** The orders of the protection in `row` up to the id have to go. */
export function doom(doomed: Doomed, row: number, id: number): void {
  const { counters, queue, upTo } = doomed;
  if (upTo[row] === 0) queue[(counters[HEAD] + counters[LENGTH]++) % queue.length] = row;
  upTo[row] = id;
}

/** The row whose turn it is; there is one. */
export function firstDoomed(doomed: Doomed): number {
  return doomed.queue[doomed.counters[HEAD]];
}

/** The orders of the first row are gone. */
export function dropFirst(doomed: Doomed): void {
  const { counters, queue, upTo } = doomed;
  upTo[queue[counters[HEAD]]] = 0;
  queue[counters[HEAD]] = 0;
  counters[HEAD] = --counters[LENGTH] === 0 ? 0 : (counters[HEAD] + 1) % queue.length;
}

export function doomedSections(doomed: Doomed): readonly Section[] {
  return [
    fixedSection('doomed.counters', doomed.counters), fixedSection('doomed.queue', doomed.queue),
    fixedSection('doomed.upTo', doomed.upTo),
  ];
}
