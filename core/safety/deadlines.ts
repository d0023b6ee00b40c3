// The next deadline of any account, earliest first, then by account number. Times ms, 0 is no deadline.

import { float64 } from '../columns.ts';
import { clearHeap, createHeap, firstInHeap, putInHeap, removeFromHeap, type Heap } from '../math/heap.ts';

export type Deadlines = { readonly heap: Heap; readonly at: Float64Array };

export function createDeadlines(accounts: number): Deadlines {
  const at = float64(accounts);
  return { heap: createHeap(accounts, (one, other) => at[one] < at[other] || (at[one] === at[other] && one < other)), at };
}

export function firstDeadline({ heap }: Deadlines): number {
  return firstInHeap(heap);
}

export function setDeadline({ at, heap }: Deadlines, account: number, time: number): void {
  at[account] = time;
  if (time !== 0) putInHeap(heap, account);
  else removeFromHeap(heap, account);
}

export function clearDeadlines({ at, heap }: Deadlines, accounts: number): void {
  clearHeap(heap, accounts);
  at.fill(0, 0, accounts);
}
