// What a wallet has asked to happen when it falls silent (decision 7.3): its dead man's switch (CancelAfter) and its cancel on
// disconnect, one row an account, and which deadline comes next. Times ms. Holds and finds; what a deadline does is the business
// of core/trading/timers.

import { float64, type Section, uint32, uint8 } from '../columns.ts';
import { clearDeadlines, createDeadlines, setDeadline, type Deadlines } from './deadlines.ts';

export type Safety = {
  /** The switch: when all orders are cancelled (0: it is off), and the timeout it was set with. */
  readonly cancelAt: Float64Array;
  readonly timeout: Float64Array;
  /** Cancel on disconnect: whether, how long after, and of which connection, 2 words (0: of the wallet's last one). */
  readonly enabled: Uint8Array;
  readonly grace: Float64Array;
  readonly connection: Uint32Array;
  /** When all orders are cancelled since the connection is gone; 0: it is not. */
  readonly goneAt: Float64Array;
  /** Index: the earlier of both moments of each account. */
  readonly deadlines: Deadlines;
};

export function createSafety(accounts: number): Safety {
  return {
    cancelAt: float64(accounts), timeout: float64(accounts), enabled: uint8(accounts),
    grace: float64(accounts), connection: uint32(accounts * 2), goneAt: float64(accounts),
    deadlines: createDeadlines(accounts),
  };
}

/** True when the account's cancel on disconnect is of the connection, 0 and 0: of its last one. */
export function isOfConnection({ connection, enabled }: Safety, account: number, low: number, high: number): boolean {
  return enabled[account] !== 0 && connection[account * 2] === low && connection[account * 2 + 1] === high;
}

/** True from the account's earlier deadline on until it is met: what every step of a sweep asks. */
export function isOverdue({ deadlines }: Safety, account: number, time: number): boolean {
  const at = deadlines.at[account];
  return at !== 0 && at <= time;
}

/** True when the earlier of the account's deadlines is the switch's; of equal ones it is. */
export function isSwitchNext({ cancelAt, deadlines }: Safety, account: number): boolean {
  return deadlines.at[account] === cancelAt[account];
}

/** The earlier of both moments of the account, 0: neither is set. */
function dueOf({ cancelAt, goneAt }: Safety, account: number): number {
  if (cancelAt[account] === 0 || goneAt[account] === 0) return cancelAt[account] + goneAt[account];
  return Math.min(cancelAt[account], goneAt[account]);
}

/** Brings the index in line with a change of the account's moments. */
export function updateDeadline(safety: Safety, account: number): void {
  setDeadline(safety.deadlines, account, dueOf(safety, account));
}

/** The account gives its row back: nothing happens any more. */
export function forgetSafety(safety: Safety, account: number): void {
  const { cancelAt, connection, enabled, goneAt, grace, timeout } = safety;
  cancelAt[account] = timeout[account] = enabled[account] = grace[account] = goneAt[account] = 0;
  connection[account * 2] = connection[account * 2 + 1] = 0;
  updateDeadline(safety, account);
}

/** `accounts` tells how many rows are in use. */
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
