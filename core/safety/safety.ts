// The dead man's switch (CancelAfter) and cancel on disconnect of each wallet, and the next deadline (decision 7.3). Times ms.
// core/trading/timers acts on the deadlines.

import { float64, type Section, uint32, uint8 } from '../columns.ts';
import { clearDeadlines, createDeadlines, setDeadline, type Deadlines } from './deadlines.ts';

export type Safety = {
  /** Its time (0: off) and the timeout it was set with. */
  readonly cancelAt: Float64Array;
  readonly timeout: Float64Array;
  /** Connection: 2 words, 0: the wallet's last one. */
  readonly enabled: Uint8Array;
  readonly grace: Float64Array;
  readonly connection: Uint32Array;
  /** Deadline of a lost connection, 0 while connected. */
  readonly goneAt: Float64Array;
  readonly deadlines: Deadlines;
};

export function createSafety(accounts: number): Safety {
  return {
    cancelAt: float64(accounts), timeout: float64(accounts), enabled: uint8(accounts),
    grace: float64(accounts), connection: uint32(accounts * 2), goneAt: float64(accounts),
    deadlines: createDeadlines(accounts),
  };
}

export function isOfConnection({ connection, enabled }: Safety, account: number, low: number, high: number): boolean {
  return enabled[account] !== 0 && connection[account * 2] === low && connection[account * 2 + 1] === high;
}

/** Asked for every order that a taker meets. */
export function isOverdue({ deadlines }: Safety, account: number, time: number): boolean {
  const at = deadlines.at[account];
  return at !== 0 && at <= time;
}

/** The switch wins a tie. */
export function isSwitchNext({ cancelAt, deadlines }: Safety, account: number): boolean {
  return deadlines.at[account] === cancelAt[account];
}

function dueOf({ cancelAt, goneAt }: Safety, account: number): number {
  if (cancelAt[account] === 0 || goneAt[account] === 0) return cancelAt[account] + goneAt[account];
  return Math.min(cancelAt[account], goneAt[account]);
}

/** Call after every change of `cancelAt` or `goneAt`. */
export function updateDeadline(safety: Safety, account: number): void {
  setDeadline(safety.deadlines, account, dueOf(safety, account));
}

export function forgetSafety(safety: Safety, account: number): void {
  const { cancelAt, connection, enabled, goneAt, grace, timeout } = safety;
  cancelAt[account] = timeout[account] = enabled[account] = grace[account] = goneAt[account] = 0;
  connection[account * 2] = connection[account * 2 + 1] = 0;
  updateDeadline(safety, account);
}

export function safetySections(safety: Safety, accounts: () => number): readonly Section[] {
  const per = (name: string, column: Section['column']): Section => ({ name: `safety.${name}`, column, used: accounts });
  return [
    per('cancelAt', safety.cancelAt), per('timeout', safety.timeout), per('enabled', safety.enabled), per('grace', safety.grace),
    { name: 'safety.connection', column: safety.connection, used: () => accounts() * 2 }, per('goneAt', safety.goneAt),
  ];
}

export function rebuildSafety(safety: Safety, accounts: number): void {
  clearDeadlines(safety.deadlines, accounts);
  for (let account = 0; account < accounts; account++) if (dueOf(safety, account) !== 0) updateDeadline(safety, account);
}
