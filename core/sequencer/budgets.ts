// Write budgets of wallets and new-wallet budgets of network sources: main's own counters, in the UTC minute or hour.
// They are not state: nothing of them is journaled, and they are empty after a restart (decision 5.3). A wallet's row is its
// account's, or one by its address until it has an account.

import { uint32, uint8 } from '../columns.ts';
import {
  CANCEL_AFTER, CANCEL_ALL, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, PLACE_ORDER, REPLACE_ORDER, SET_CANCEL_ON_DISCONNECT, VOID_NONCES,
} from '../codec/commands.ts';
import { hashAddress } from '../math/hash.ts';
import { sameAddress } from '../accounts/accounts.ts';
import type { TierLimits } from '../tiers.ts';
import { HOUR, MINUTE } from '../units.ts';

/** Rate classes, columns of a tier's row. */
export const ORDERS = 0;
const CANCELS = 1;
const REQUESTS = 2;
const CLASSES = 3;

/**
 * Rows for wallets without an account, and how many of them one address may have. In a minute in which all of those are other
 * wallets', the first begins anew with this one: its wallet has a whole budget again, which a new wallet has anyway.
 */
const STRANGERS = 65_536;
const PROBES = 8;

/**
 * Rows for the sources of an hour. One that finds those where it may stand taken by others counts with the first of them: so many
 * sources that come to lock out the rest would need a row's new wallets each.
 */
const SOURCES = 131_072;
export const NEW_WALLETS_PER_HOUR = 20;

export type Budgets = {
  /** Per row: minute of its counts, then the counts of each class. Accounts' rows first, then STRANGERS. */
  readonly minute: Uint32Array;
  readonly used: Uint32Array;
  readonly accounts: number;
  /** Per row of STRANGERS: the wallet, 5 words. */
  readonly address: Uint32Array;
  readonly sources: Uint32Array;
  readonly newWallets: Uint8Array;
  hour: number;
};

/** The budget that a kind of command is charged to. */
export function rateClassOf(kind: number): number {
  switch (kind) {
    case PLACE_ORDER: case REPLACE_ORDER: return ORDERS;
    case CANCEL_ORDER: case CANCEL_BY_CLIENT_ID: case CANCEL_ALL: case CANCEL_AFTER: case SET_CANCEL_ON_DISCONNECT: case VOID_NONCES:
      return CANCELS;
    default: return REQUESTS;
  }
}

/** What a wallet of the tier in this row may do of the class in a minute, or UNLIMITED. */
export function allowedOf(row: TierLimits, rateClass: number): number {
  return rateClass === ORDERS ? row.orders : rateClass === CANCELS ? row.cancels : row.requests;
}

export function createBudgets(accounts: number): Budgets {
  return {
    minute: uint32(accounts + STRANGERS), used: uint32((accounts + STRANGERS) * CLASSES),
    accounts, address: uint32(STRANGERS * 5),
    sources: uint32(SOURCES), newWallets: uint8(SOURCES),
    hour: 0,
  };
}

/** The row of the wallet at `words[at]`, whose account is `account` (-1: none). */
export function budgetRow(budgets: Budgets, words: Uint32Array, at: number, account: number, time: number): number {
  if (account >= 0) return account;
  const { accounts, address } = budgets;
  const minute = minuteOf(time);
  const home = hashAddress(words, at);
  let row = accounts + (home & (STRANGERS - 1));
  for (let i = 0; i < PROBES; i++) {
    const probed = accounts + ((home + i) & (STRANGERS - 1));
    if (budgets.minute[probed] === minute) {
      if (sameAddress(address, (probed - accounts) * 5, words, at)) return probed;
    } else {
      row = probed;
      break;
    }
  }
  beginMinute(budgets, row, minute);
  for (let i = 0; i < 5; i++) address[(row - accounts) * 5 + i] = words[at + i];
  return row;
}

/** The account just opened by the wallet at `words[at]` goes on with the counts that the wallet had without it. */
export function openBudget(budgets: Budgets, words: Uint32Array, at: number, account: number, time: number): void {
  const row = budgetRow(budgets, words, at, -1, time);
  budgets.minute[account] = budgets.minute[row];
  budgets.used.copyWithin(account * CLASSES, row * CLASSES, row * CLASSES + CLASSES);
}

function beginMinute(budgets: Budgets, row: number, minute: number): void {
  budgets.minute[row] = minute;
  budgets.used.fill(0, row * CLASSES, row * CLASSES + CLASSES);
}

/** How many of the class the row has used in the minute of `time`. */
export function usedBudget(budgets: Budgets, row: number, rateClass: number, time: number): number {
  return budgets.minute[row] === minuteOf(time) ? budgets.used[row * CLASSES + rateClass] : 0;
}

export function chargeBudget(budgets: Budgets, row: number, rateClass: number, time: number, count: number): void {
  const minute = minuteOf(time);
  if (budgets.minute[row] !== minute) beginMinute(budgets, row, minute);
  budgets.used[row * CLASSES + rateClass] += count;
}

/** Gives back one that was charged in `minute`; nothing once that is over, or in a row that began anew since. */
export function refundBudget(budgets: Budgets, row: number, rateClass: number, minute: number): void {
  const at = row * CLASSES + rateClass;
  if (budgets.minute[row] === minute && budgets.used[at] > 0) budgets.used[at]--;
}

export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE);
}

/** End of the minute of `time`, seconds since the epoch. */
export function windowEnd(time: number): number {
  return (minuteOf(time) + 1) * 60;
}

/** Counts a new wallet against its source (0: loopback or the venue, never counted); false when it has had its 20 this hour. */
export function takeNewWallet(budgets: Budgets, source: number, time: number): boolean {
  if (source === 0) return true;
  const hour = Math.floor(time / HOUR);
  if (budgets.hour !== hour) {
    budgets.hour = hour;
    budgets.sources.fill(0);
    budgets.newWallets.fill(0);
  }
  const at = sourceRow(budgets.sources, source);
  if (budgets.newWallets[at] >= NEW_WALLETS_PER_HOUR) return false;
  budgets.newWallets[at]++;
  return true;
}

function sourceRow(sources: Uint32Array, source: number): number {
  // A product's high bits depend on all of the source's.
  const home = Math.imul(source, 0x9e3779b1) >>> 15;
  for (let i = 0; i < PROBES; i++) {
    const at = (home + i) & (SOURCES - 1);
    if (sources[at] === 0) sources[at] = source;
    if (sources[at] === source) return at;
  }
  return home;
}
