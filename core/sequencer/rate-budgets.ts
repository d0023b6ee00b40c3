// Rate budgets of wallets per UTC minute, and new wallets per network source and hour (decision 5.3). The main thread's counters, not
// state: empty after a restart.

import { uint32 } from '../columns.ts';
import { signedCommand } from '../codec/commands.ts';
import { CANCELS, ORDERS, QUOTES, REQUESTS } from '../codec/signed-commands.ts';
import { hashAddress } from '../math/hash.ts';
import { sameAddress } from '../accounts/accounts.ts';
import type { TierLimits } from '../tiers.ts';
import { HOUR, MINUTE } from '../units.ts';

const CLASSES = 4;

/**
 * Places for the budgets of wallets without an account. If others hold all places of an address this minute, the first is reused, and its
 * wallet gets a full budget again.
 */
export const UNKNOWN_WALLETS = 65_536;
const PROBES = 8;

/**
 * Rows per size of network. A network that finds its places taken shares the first one, so flooding the table costs a row's new wallets for
 * each place.
 */
export const NETWORKS = 131_072;
/** New wallets an hour (decision 1.6): of an IPv4 address or IPv6 /64, of a /56, of a /48, of all. A /48 has 65,536 /64s. */
export const NEW_WALLETS_AN_HOUR: readonly number[] = [20, 60, 200, 2_000];
const SIZES = 3;

/** By account, then by place of a wallet without one: the minute, and what was used in it of each class. Others may read them. */
export type BudgetCells = { readonly minute: Uint32Array; readonly used: Uint32Array };

export type Budgets = BudgetCells & {
  readonly accounts: number;
  readonly address: Uint32Array;
  /** Of this hour. Per row, grouped by size: the network's digest and its count. */
  readonly networks: Uint32Array;
  readonly newWallets: Uint32Array;
  allNewWallets: number;
  hour: number;
};

export function rateClassOf(kind: number): number {
  return signedCommand(kind)?.rate ?? REQUESTS;
}

export function allowedOf(row: TierLimits, rateClass: number): number {
  if (rateClass === QUOTES) return row.quotes;
  return rateClass === ORDERS ? row.orders : rateClass === CANCELS ? row.cancels : row.requests;
}

/** Words of `minute` and `used`. */
export function budgetWords(accounts: number): readonly [minute: number, used: number] {
  return [accounts + UNKNOWN_WALLETS, (accounts + UNKNOWN_WALLETS) * CLASSES];
}

export function createBudgets(accounts: number, cells: BudgetCells | null = null): Budgets {
  const [minutes, uses] = budgetWords(accounts);
  return {
    minute: cells?.minute ?? uint32(minutes), used: cells?.used ?? uint32(uses),
    accounts, address: uint32(UNKNOWN_WALLETS * 5),
    networks: uint32(NETWORKS * SIZES), newWallets: uint32(NETWORKS * SIZES), allNewWallets: 0,
    hour: 0,
  };
}

export function budgetRow(budgets: Budgets, words: Uint32Array, at: number, account: number, time: number): number {
  if (account >= 0) return account;
  const { accounts, address } = budgets;
  const minute = minuteOf(time);
  const home = hashAddress(words, at);
  let row = accounts + (home & (UNKNOWN_WALLETS - 1));
  for (let i = 0; i < PROBES; i++) {
    const probed = accounts + ((home + i) & (UNKNOWN_WALLETS - 1));
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

export function openBudget(budgets: Budgets, words: Uint32Array, at: number, account: number, time: number): void {
  const row = budgetRow(budgets, words, at, -1, time);
  budgets.minute[account] = budgets.minute[row];
  budgets.used.copyWithin(account * CLASSES, row * CLASSES, row * CLASSES + CLASSES);
}

function beginMinute(budgets: Budgets, row: number, minute: number): void {
  budgets.minute[row] = minute;
  budgets.used.fill(0, row * CLASSES, row * CLASSES + CLASSES);
}

export function usedBudget(budgets: BudgetCells, row: number, rateClass: number, time: number): number {
  return budgets.minute[row] === minuteOf(time) ? budgets.used[row * CLASSES + rateClass] : 0;
}

export function chargeBudget(budgets: Budgets, row: number, rateClass: number, time: number, count: number): void {
  const minute = minuteOf(time);
  if (budgets.minute[row] !== minute) beginMinute(budgets, row, minute);
  budgets.used[row * CLASSES + rateClass] += count;
}

/** Refunds nothing if the minute is over or the row was reused. */
export function refundBudget(budgets: Budgets, row: number, rateClass: number, minute: number): void {
  const at = row * CLASSES + rateClass;
  if (budgets.minute[row] === minute && budgets.used[at] > 0) budgets.used[at]--;
}

export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE);
}

export function windowEnd(time: number): number {
  return (minuteOf(time) + 1) * 60;
}

const scratch = { rows: [0, 0, 0] };

/**
 * Counted for its source (0: never counted), the /56 and /48 around it (`block` 0: none), and for all. Returns -1, or the index of the
 * first limit reached; then nothing is counted.
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
  // The high bits of the product depend on all bits of the digest.
  const home = Math.imul(digest, 0x9e3779b1) >>> 15;
  for (let i = 0; i < PROBES; i++) {
    const at = first + ((home + i) & (NETWORKS - 1));
    if (networks[at] === 0) networks[at] = digest;
    if (networks[at] === digest) return at;
  }
  return first + home;
}
