// Which account's deadline comes next: a binary heap of accounts, the earliest deadline first, of equal ones the lowest account.
// That order is total, so what comes first does not depend on how the heap came about: it is an index, made anew after a load.
// Times ms; 0 is no deadline.

import { assert } from '../assert.ts';
import { float64, int32 } from '../columns.ts';

export type Deadlines = {
  /** Accounts with a deadline, in the order of a heap; how many. */
  readonly heap: Int32Array;
  readonly counters: Int32Array;
  /** Per account: its place in the heap plus one, 0: it is in none; its deadline. */
  readonly place: Int32Array;
  readonly at: Float64Array;
};

const COUNT = 0;

export function createDeadlines(accounts: number): Deadlines {
  return {
    heap: int32(accounts), counters: int32(1), place: int32(accounts), at: float64(accounts),
  };
}

/** The account whose deadline comes first, -1: there is none. */
export function firstDeadline({ counters, heap }: Deadlines): number {
  return counters[COUNT] === 0 ? -1 : heap[0];
}

/** Sets, moves or (0) takes away the deadline of the account. */
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
  assert(heap[hole] === account && counters[COUNT] > 0, 'deadlines: an account is where its place says');
  const last = heap[--counters[COUNT]];
  place[account] = 0;
  if (last !== account) settle(deadlines, last, hole);
}

/** Takes away those of the first accounts, as many as there are. */
export function clearDeadlines({ at, counters, place }: Deadlines, accounts: number): void {
  counters[COUNT] = 0;
  place.fill(0, 0, accounts);
  at.fill(0, 0, accounts);
}

/** Puts the account where it belongs, up or down from place `from`, which is free. */
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
