// Accounts: one row a wallet, numbered from 0 in the order of opening and never removed. Holds the address, cash,
// mode, tier and the heads of the lists that other stores keep per account. Cash is micros, a safe integer.
// Never moves cash itself: that is the ledger's.

import { float64, int32, uint32, uint8 } from '../columns.ts';
import { hashAddress, tableSize } from '../math/hash.ts';
import { fixedSection, type Section } from '../store.ts';

const COUNT = 0;

/** Margin modes of an account. */
export const STANDARD = 0;
export const PORTFOLIO = 1;

/** How an account stands with the liquidation engine (margin.md, "Liquidation"). */
export const HEALTHY = 0;
export const PRE_LIQUIDATION = 1;
export const IN_LIQUIDATION = 2;
export const LIQUIDATED = 3;

export type Accounts = {
  readonly capacity: number;
  readonly counters: Float64Array;
  /** 5 words an account. */
  readonly address: Uint32Array;
  readonly cash: Float64Array;
  readonly mode: Uint8Array;
  readonly tier: Uint8Array;
  readonly status: Uint8Array;
  readonly openedAt: Float64Array;
  /** Round of funding up to which the account has paid (core/positions/funding); 0: not known. */
  readonly fundedAt: Float64Array;
  /** Open orders and nonzero positions. */
  readonly openOrders: Int32Array;
  readonly positions: Int32Array;
  /** Heads and tails of the account's holdings, head of its agents; the row plus one, 0: none. */
  readonly holdingHead: Int32Array;
  readonly holdingTail: Int32Array;
  readonly agentHead: Int32Array;
  /** By hash of the address: the row plus one, 0: empty, so that a fresh table needs no writing. */
  readonly table: Int32Array;
};

export function createAccounts(capacity: number): Accounts {
  return {
    capacity, counters: float64(1),
    address: uint32(capacity * 5), cash: float64(capacity), mode: uint8(capacity),
    tier: uint8(capacity), status: uint8(capacity), openedAt: float64(capacity),
    fundedAt: float64(capacity), openOrders: int32(capacity), positions: int32(capacity),
    holdingHead: int32(capacity), holdingTail: int32(capacity),
    agentHead: int32(capacity), table: int32(tableSize(capacity)),
  };
}

export function accountCount(accounts: Accounts): number {
  return accounts.counters[COUNT];
}

/** The account of the address in `words[at .. at + 5)`, or -1. */
export function findAccount(accounts: Accounts, words: Uint32Array, at: number): number {
  const { table, address } = accounts;
  const mask = table.length - 1;
  for (let slot = hashAddress(words, at) & mask; ; slot = (slot + 1) & mask) {
    const account = table[slot] - 1;
    if (account < 0) return -1;
    if (sameAddress(address, account * 5, words, at)) return account;
  }
}

export function sameAddress(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2] && a[i + 3] === b[j + 3] && a[i + 4] === b[j + 4];
}

/** Adds a row without cash; the caller has checked that there is room. */
export function addAccount(accounts: Accounts, words: Uint32Array, at: number, time: number): number {
  const account = accounts.counters[COUNT];
  if (account >= accounts.capacity) throw new RangeError('accounts: no room was checked');
  accounts.counters[COUNT] = account + 1;
  for (let i = 0; i < 5; i++) accounts.address[account * 5 + i] = words[at + i];
  accounts.openedAt[account] = time;
  enter(accounts, account);
  return account;
}

function enter(accounts: Accounts, account: number): void {
  const { table, address } = accounts;
  const mask = table.length - 1;
  let slot = hashAddress(address, account * 5) & mask;
  while (table[slot] !== 0) slot = (slot + 1) & mask;
  table[slot] = account + 1;
}

export function accountSections(accounts: Accounts): readonly Section[] {
  const count = () => accounts.counters[COUNT];
  const per = (name: string, column: Section['column']): Section => ({ name: `accounts.${name}`, column, used: count });
  return [
    fixedSection('accounts.counters', accounts.counters),
    { name: 'accounts.address', column: accounts.address, used: () => count() * 5 },
    per('cash', accounts.cash), per('mode', accounts.mode), per('tier', accounts.tier),
    per('status', accounts.status), per('fundedAt', accounts.fundedAt), per('openedAt', accounts.openedAt),
    per('openOrders', accounts.openOrders), per('positions', accounts.positions), per('holdingHead', accounts.holdingHead),
    per('holdingTail', accounts.holdingTail), per('agentHead', accounts.agentHead),
  ];
}

export function rebuildAccounts(accounts: Accounts): void {
  for (let account = 0; account < accounts.counters[COUNT]; account++) enter(accounts, account);
}
