// The rate budgets of wallets in shared memory. Main alone writes them, without a lock; the reader shows them, which may be a moment old.

import { budgetWords, type BudgetCells } from '../../core/sequencer/rate-budgets.ts';

export type SharedBudgetsDescription = { readonly minute: SharedArrayBuffer; readonly used: SharedArrayBuffer };

export function createSharedBudgets(accounts: number): SharedBudgetsDescription {
  const [minute, used] = budgetWords(accounts).map((words) => new SharedArrayBuffer(words * Uint32Array.BYTES_PER_ELEMENT));
  return { minute: minute!, used: used! };
}

export function budgetCells({ minute, used }: SharedBudgetsDescription): BudgetCells {
  return { minute: new Uint32Array(minute), used: new Uint32Array(used) };
}
