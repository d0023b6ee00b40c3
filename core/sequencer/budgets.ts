// Write budgets of wallets and new-wallet budgets of network sources: main's own counters, in the UTC minute or hour.
// They are not state: nothing of them is journaled, and they are empty after a restart (decision 5.3).

import { uint32, uint8 } from '../columns.ts';
import { HOUR, MINUTE } from '../units.ts';

/** Rate classes, columns of a tier's row. */
export const ORDERS = 0;
export const CANCELS = 1;
export const REQUESTS = 2;
const CLASSES = 3;

/** Sources counted in one hour; a source beyond them is refused new wallets until the hour ends. */
const SOURCES = 65_536;
export const NEW_WALLETS_PER_HOUR = 20;

export type Budgets = {
  /** Per account: minute of its counts, then the counts of each class. */
  readonly minute: Uint32Array;
  readonly used: Uint32Array;
  readonly sources: Uint32Array;
  readonly newWallets: Uint8Array;
  /** Per account: the bulk request judged last (producer, its number of the request), and whether it was let through. */
  readonly bulkOrigin: Uint8Array;
  readonly bulkRequest: Uint32Array;
  readonly bulkVerdict: Uint8Array;
  hour: number;
  sourceCount: number;
};

/** No bulk request yet; one that fits the budget; one that does not. */
export const UNJUDGED = 0;
export const FITS = 1;
export const EXCEEDS = 2;

export function createBudgets(accounts: number): Budgets {
  return {
    minute: uint32(accounts), used: uint32(accounts * CLASSES),
    sources: uint32(SOURCES * 2), newWallets: uint8(SOURCES * 2),
    bulkOrigin: uint8(accounts), bulkRequest: uint32(accounts), bulkVerdict: uint8(accounts),
    hour: 0, sourceCount: 0,
  };
}

/** How many of the class the account has used in the minute of `time`. */
export function usedBudget(budgets: Budgets, account: number, rateClass: number, time: number): number {
  return budgets.minute[account] === Math.floor(time / MINUTE) ? budgets.used[account * CLASSES + rateClass] : 0;
}

export function chargeBudget(budgets: Budgets, account: number, rateClass: number, time: number, count: number): void {
  const minute = Math.floor(time / MINUTE);
  if (budgets.minute[account] !== minute) {
    budgets.minute[account] = minute;
    budgets.used.fill(0, account * CLASSES, account * CLASSES + CLASSES);
  }
  budgets.used[account * CLASSES + rateClass] += count;
}

/** What was decided of the account's part of this bulk request: UNJUDGED when its first item comes. */
export function bulkVerdict(budgets: Budgets, account: number, origin: number, request: number): number {
  const isSame = budgets.bulkOrigin[account] === origin && budgets.bulkRequest[account] === request;
  return isSame ? budgets.bulkVerdict[account] : UNJUDGED;
}

/** Keeps the verdict for the items that follow: they come one behind the other from their producer. */
export function judgeBulk(budgets: Budgets, account: number, origin: number, request: number, verdict: number): void {
  budgets.bulkOrigin[account] = origin;
  budgets.bulkRequest[account] = request;
  budgets.bulkVerdict[account] = verdict;
}

/** End of the minute of `time`, seconds since the epoch. */
export function windowEnd(time: number): number {
  return (Math.floor(time / MINUTE) + 1) * 60;
}

/** Counts a new wallet against its source (0: loopback or the venue, never counted); false when it has had its 20 this hour. */
export function takeNewWallet(budgets: Budgets, source: number, time: number): boolean {
  if (source === 0) return true;
  const hour = Math.floor(time / HOUR);
  if (budgets.hour !== hour) {
    budgets.hour = hour;
    budgets.sourceCount = 0;
    budgets.sources.fill(0);
    budgets.newWallets.fill(0);
  }
  const mask = budgets.sources.length - 1;
  let at = Math.imul(source, 0x9e3779b1) >>> 0 & mask;
  while (budgets.sources[at] !== 0 && budgets.sources[at] !== source) at = (at + 1) & mask;
  if (budgets.sources[at] === 0) {
    if (budgets.sourceCount >= SOURCES) return false;
    budgets.sourceCount++;
    budgets.sources[at] = source;
  }
  if (budgets.newWallets[at] >= NEW_WALLETS_PER_HOUR) return false;
  budgets.newWallets[at]++;
  return true;
}
