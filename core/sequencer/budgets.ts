// Write budgets of wallets and new-wallet budgets of network sources: main's own counters, in the UTC minute or hour.
// They are not state: nothing of them is journaled, and they are empty after a restart (decision 5.3). A wallet's row is its
// account's, or one by its address until it has an account.

import { uint32 } from '../columns.ts';
import { signedCommand } from '../codec/commands.ts';
import { CANCELS, ORDERS, REQUESTS } from '../codec/signed-commands.ts';
import { hashAddress } from '../math/hash.ts';
import { sameAddress } from '../accounts/accounts.ts';
import type { TierLimits } from '../tiers.ts';
import { HOUR, MINUTE } from '../units.ts';

/** Rate classes: ORDERS, CANCELS, REQUESTS. */
const CLASSES = 3;

/**
 * Rows for wallets without an account, and how many of them one address may have. In a minute in which all of those are other
 * wallets', the first begins anew with this one: its wallet has a whole budget again, which a new wallet has anyway.
 */
export const STRANGERS = 65_536;
const PROBES = 8;

/**
 * Rows for the networks of an hour, of each size. One that finds those where it may stand taken by others counts with the first of
 * them: so many networks that come to lock out the rest would need a row's new wallets each.
 */
export const NETWORKS = 131_072;
/**
 * New wallets an hour (decision 1.6): of an IPv4 address or an IPv6 /64, of a /56, of a /48, of all together. Whoever has a /48 has
 * 65,536 of the first.
 */
export const NEW_WALLETS_AN_HOUR: readonly number[] = [20, 60, 200, 2_000];
const SIZES = 3;

export type Budgets = {
  /** Per row: minute of its counts, then the counts of each class. Accounts' rows first, then STRANGERS. */
  readonly minute: Uint32Array;
  readonly used: Uint32Array;
  readonly accounts: number;
  /** Per row of STRANGERS: the wallet, 5 words. */
  readonly address: Uint32Array;
  /** New wallets of this hour: per row the network's digest and its count, the rows of one size behind those of another; and of all. */
  readonly networks: Uint32Array;
  readonly newWallets: Uint32Array;
  allNewWallets: number;
  hour: number;
};

/** The budget that a kind of command is charged to. */
export function rateClassOf(kind: number): number {
  return signedCommand(kind)?.rate ?? REQUESTS;
}

/** What a wallet of the tier in this row may do of the class in a minute, or UNLIMITED. */
export function allowedOf(row: TierLimits, rateClass: number): number {
  return rateClass === ORDERS ? row.orders : rateClass === CANCELS ? row.cancels : row.requests;
}

export function createBudgets(accounts: number): Budgets {
  return {
    minute: uint32(accounts + STRANGERS), used: uint32((accounts + STRANGERS) * CLASSES),
    accounts, address: uint32(STRANGERS * 5),
    networks: uint32(NETWORKS * SIZES), newWallets: uint32(NETWORKS * SIZES), allNewWallets: 0,
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

/** Rows that the networks around one source have, by size. */
const scratch = { rows: [0, 0, 0] };

/**
 * Counts a new wallet for its source (0: loopback or the venue, never counted), for the /48 `block` that the source is in (0: none), for
 * its /56 there, and for all. -1; or the place in `limits` of the first that is reached, and nothing is counted.
 */
export function takeNewWallet(
  budgets: Budgets, limits: readonly number[], source: number, block: number, subnet: number, time: number,
): number {
  if (source === 0) return -1;
  const { rows } = scratch;
  beginHour(budgets, Math.floor(time / HOUR));
  const sizes = block === 0 ? 1 : SIZES;
  for (let size = 0; size < sizes; size++) {
    const digest = size === 0 ? source : size === 1 ? digestOfSubnet(block, subnet) : block;
    rows[size] = networkRow(budgets.networks, size * NETWORKS, digest);
    if (budgets.newWallets[rows[size]] >= limits[size]) return size;
  }
  if (budgets.allNewWallets >= limits[SIZES]) return SIZES;
  for (let size = 0; size < sizes; size++) budgets.newWallets[rows[size]]++;
  budgets.allNewWallets++;
  return -1;
}

function beginHour(budgets: Budgets, hour: number): void {
  if (budgets.hour === hour) return;
  budgets.hour = hour;
  budgets.networks.fill(0);
  budgets.newWallets.fill(0);
  budgets.allNewWallets = 0;
}

function digestOfSubnet(block: number, subnet: number): number {
  return (Math.imul(Math.imul(block, 0x01000193) ^ subnet, 0x01000193) >>> 0) || 1;
}

function networkRow(networks: Uint32Array, first: number, digest: number): number {
  // A product's high bits depend on all of the digest's.
  const home = Math.imul(digest, 0x9e3779b1) >>> 15;
  for (let i = 0; i < PROBES; i++) {
    const at = first + ((home + i) & (NETWORKS - 1));
    if (networks[at] === 0) networks[at] = digest;
    if (networks[at] === digest) return at;
  }
  return first + home;
}
