// The next deadline of any account: a binary heap, earliest first, then by account number. The order is total, so it does not depend on
// history: an index. Times ms, 0 is no deadline.

import { assert } from '../assert.ts';
import { float64, int32 } from '../columns.ts';

export type Deadlines = {
  /** Accounts in heap order; their number. */
  readonly heap: Int32Array;
  readonly counters: Int32Array;
  /** Per account: heap position plus one (0: none), and deadline. */
  readonly place: Int32Array;
  readonly at: Float64Array;
};

const COUNT = 0;

export function createDeadlines(accounts: number): Deadlines {
  return {
    heap: int32(accounts), counters: int32(1), place: int32(accounts), at: float64(accounts),
  };
}

/** The account, -1 if no deadline is set. */
export function firstDeadline({ counters, heap }: Deadlines): number {
  return counters[COUNT] === 0 ? -1 : heap[0];
}

/** Sets, moves or (0) removes a deadline. */
export function setDeadline(deadlines: Deadlines, account: number, at: number): void {
  const { counters, heap, place } = deadlines;
  deadlines.at[account] = at;
  if (at !== 0) {
    const from = place[account] === 0 ? counters[COUNT]++ : place[account] - 1;
    settle(deadlines, account, from);
    return;
  }
  if (place[account] === 0) return;
  const hole = place[account] - 1;
  assert(heap[hole] === account && counters[COUNT] > 0, 'deadlines: the heap and the places agree');
  const last = heap[--counters[COUNT]];
  place[account] = 0;
  if (last !== account) settle(deadlines, last, hole);
}

/** Clears the first `accounts` accounts. */
export function clearDeadlines({ at, counters, place }: Deadlines, accounts: number): void {
  counters[COUNT] = 0;
  place.fill(0, 0, accounts);
  at.fill(0, 0, accounts);
}

/** Moves an account up or down from the free position `from`. */
function settle(deadlines: Deadlines, account: number, from: number): void {
  const { counters, heap } = deadlines;
  let at = from;
  for (let above = (at - 1) >> 1; at > 0 && comesBefore(deadlines, account, heap[above]); above = (at - 1) >> 1) {
    put(deadlines, heap[above], at);
    at = above;
  }
  for (let below = 2 * at + 1; below < counters[COUNT]; below = 2 * at + 1) {
    if (below + 1 < counters[COUNT] && comesBefore(deadlines, heap[below + 1], heap[below])) below++;
    if (!comesBefore(deadlines, heap[below], account)) break;
    put(deadlines, heap[below], at);
    at = below;
  }
  put(deadlines, account, at);
  assert(counters[COUNT] <= heap.length, 'deadlines: every account has one place');
}

function put({ heap, place }: Deadlines, account: number, at: number): void {
  heap[at] = account;
  place[account] = at + 1;
}

function comesBefore({ at }: Deadlines, account: number, other: number): boolean {
  return at[account] < at[other] || (at[account] === at[other] && account < other);
}
