// A binary heap of rows. `comesBefore` must be a total order, so that the first row does not depend on history.

import { assert } from '../assert.ts';
import { int32 } from '../columns.ts';

const COUNT = 0;

export type Heap = {
  readonly heap: Int32Array;
  readonly counters: Int32Array;
  /** Per row: heap position plus one, 0 if it is not in the heap. */
  readonly place: Int32Array;
  readonly comesBefore: (row: number, other: number) => boolean;
};

export function createHeap(capacity: number, comesBefore: (row: number, other: number) => boolean): Heap {
  return { heap: int32(capacity), counters: int32(1), place: int32(capacity), comesBefore };
}

export function firstInHeap({ counters, heap }: Heap): number {
  return counters[COUNT] === 0 ? -1 : heap[0];
}

/** Also moves a row whose order has changed. */
export function putInHeap(rows: Heap, row: number): void {
  const { counters, place } = rows;
  settle(rows, row, place[row] === 0 ? counters[COUNT]++ : place[row] - 1);
}

export function removeFromHeap(rows: Heap, row: number): void {
  const { counters, heap, place } = rows;
  if (place[row] === 0) return;
  const hole = place[row] - 1;
  assert(heap[hole] === row && counters[COUNT] > 0, 'heap: rows and places agree');
  const last = heap[--counters[COUNT]];
  place[row] = 0;
  if (last !== row) settle(rows, last, hole);
}

export function clearHeap({ counters, place }: Heap, rows: number): void {
  counters[COUNT] = 0;
  place.fill(0, 0, rows);
}

function settle(rows: Heap, row: number, from: number): void {
  const { comesBefore, counters, heap } = rows;
  let at = from;
  for (let above = (at - 1) >> 1; at > 0 && comesBefore(row, heap[above]); above = (at - 1) >> 1) {
    put(rows, heap[above], at);
    at = above;
  }
  for (let below = 2 * at + 1; below < counters[COUNT]; below = 2 * at + 1) {
    if (below + 1 < counters[COUNT] && comesBefore(heap[below + 1], heap[below])) below++;
    if (!comesBefore(heap[below], row)) break;
    put(rows, heap[below], at);
    at = below;
  }
  put(rows, row, at);
  assert(counters[COUNT] <= heap.length, 'heap: every row has one place');
}

function put({ heap, place }: Heap, row: number, at: number): void {
  heap[at] = row;
  place[row] = at + 1;
}
