// One row per account: address, cash (micros, a safe integer), mode, tier and the heads of its lists. A closed account's row is reused.
// Only the ledger moves cash.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint32, uint8 } from '../columns.ts';
import { CROWDED_PERCENT } from '../limits.ts';
import { hashAddress, removeEntry, tableSize } from '../math/hash.ts';

/** Rows ever used; first free row plus one; free rows; accounts ever opened; row of the last one. */
const COUNT = 0;
const FREE = 1;
const FREED = 2;
const OPENED = 3;
const LAST = 4;
/** In `free`: the row is the last of the free list. */
const END = -1;

export const STANDARD = 0;
export const PORTFOLIO = 1;

/** MARGIN.md, "Liquidation". */
export const HEALTHY = 0;
export const PRE_LIQUIDATION = 1;
export const IN_LIQUIDATION = 2;
export const LIQUIDATED = 3;

/** Set by the operator (docs/spec, extensions 7). */
export const WALLET_OPEN = 0;
export const CLOSE_ONLY = 1;
export const BLOCKED = 2;

export type Accounts = {
  readonly capacity: number;
  readonly counters: Float64Array;
  /** 5 words per account. */
  readonly address: Uint32Array;
  readonly cash: Float64Array;
  /** Number of the wallet's newest ledger row, kept across its accounts. */
  readonly movements: Float64Array;
  /** What the operator has given, less what it has taken. */
  readonly credited: Float64Array;
  readonly mode: Uint8Array;
  readonly tier: Uint8Array;
  readonly status: Uint8Array;
  readonly walletMode: Uint8Array;
  readonly openedAt: Float64Array;
  /** Time of the last command signed by the wallet or its agents. */
  readonly usedAt: Float64Array;
  /** The round of perp funding paid up to (core/positions/funding), 0: unknown. */
  readonly fundedAt: Float64Array;
  readonly openOrders: Int32Array;
  /** Counted in `openOrders` too. */
  readonly triggers: Int32Array;
  readonly positions: Int32Array;
  /** Row plus one, 0 if the list is empty. */
  readonly holdingHead: Int32Array;
  readonly holdingTail: Int32Array;
  readonly agentHead: Int32Array;
  /** Of a free row: next free row plus one, or END. 0: in use. */
  readonly free: Int32Array;
  /** By hash of the address: row plus one, 0 if empty. */
  readonly table: Int32Array;
  readonly home: (link: number) => number;
};

export function createAccounts(capacity: number): Accounts {
  const address = uint32(capacity * 5);
  return {
    capacity, counters: float64(5),
    address, cash: float64(capacity), movements: float64(capacity), credited: float64(capacity), mode: uint8(capacity),
    tier: uint8(capacity), status: uint8(capacity), walletMode: uint8(capacity),
    openedAt: float64(capacity), usedAt: float64(capacity),
    fundedAt: float64(capacity), openOrders: int32(capacity), triggers: int32(capacity), positions: int32(capacity),
    holdingHead: int32(capacity), holdingTail: int32(capacity),
    agentHead: int32(capacity), free: int32(capacity), table: int32(tableSize(capacity)),
    home: (link) => hashAddress(address, (link - 1) * 5),
  };
}

export function accountCount(accounts: Accounts): number {
  return accounts.counters[COUNT];
}

export function openAccounts({ counters }: Accounts): number {
  return counters[COUNT] - counters[FREED];
}

/** If true, unused accounts close (decision 1.6). */
export function isCrowded(accounts: Accounts): boolean {
  return openAccounts(accounts) * 100 >= accounts.capacity * CROWDED_PERCENT;
}

export function accountsOpened({ counters }: Accounts): number {
  return counters[OPENED];
}

export function lastOpened({ counters }: Accounts): number {
  return counters[LAST];
}

export function isOpen({ counters, free }: Accounts, account: number): boolean {
  return account < counters[COUNT] && free[account] === 0;
}

export function nextAccount({ counters }: Accounts): number {
  return counters[FREE] === 0 ? counters[COUNT] : counters[FREE] - 1;
}

/** -1 if the wallet has no account. An address is 5 words. */
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

export function addAccount(accounts: Accounts, words: Uint32Array, at: number, time: number): number {
  const { counters, free } = accounts;
  const account = nextAccount(accounts);
  assert(account < accounts.capacity, 'accounts: room was checked');
  assert(accounts.cash[account] === 0 && accounts.holdingHead[account] === 0 && accounts.agentHead[account] === 0,
    'accounts: a new row is empty');
  if (counters[FREE] === 0) counters[COUNT] = account + 1;
  else {
    assert(free[account] !== 0, 'accounts: the free list holds free rows');
    counters[FREE] = free[account] === END ? 0 : free[account];
    counters[FREED]--;
    assert(counters[FREED] >= 0, 'accounts: no more rows are taken again than were given back');
    free[account] = 0;
  }
  counters[OPENED]++;
  counters[LAST] = account;
  for (let i = 0; i < 5; i++) accounts.address[account * 5 + i] = words[at + i];
  accounts.openedAt[account] = time;
  accounts.usedAt[account] = time;
  enter(accounts, account);
  return account;
}

/** The account must have no cash, lists or anything open. */
export function removeAccount(accounts: Accounts, account: number): void {
  const { address, counters, free, home, table } = accounts;
  assert(isOpen(accounts, account), 'accounts: a row is given back once');
  assert(accounts.cash[account] === 0 && accounts.credited[account] === 0, 'accounts: a row that is given back has no cash');
  assert(accounts.holdingHead[account] === 0 && accounts.positions[account] === 0 && accounts.openOrders[account] === 0,
    'accounts: a row that is given back holds nothing');
  assert(accounts.agentHead[account] === 0, 'accounts: a row that is given back has no agents');
  assert(accounts.walletMode[account] === WALLET_OPEN, 'accounts: a row that is given back has no restriction');
  const mask = table.length - 1;
  let slot = home(account + 1) & mask;
  while (table[slot] !== account + 1) {
    assert(table[slot] !== 0, 'accounts: an account is in the index');
    slot = (slot + 1) & mask;
  }
  removeEntry(table, slot, home, 0);
  address.fill(0, account * 5, account * 5 + 5);
  accounts.mode[account] = accounts.tier[account] = accounts.status[account] = 0;
  accounts.openedAt[account] = accounts.usedAt[account] = accounts.fundedAt[account] = 0;
  accounts.movements[account] = 0;
  free[account] = counters[FREE] === 0 ? END : counters[FREE];
  counters[FREE] = account + 1;
  counters[FREED]++;
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
    per('cash', accounts.cash), per('movements', accounts.movements), per('credited', accounts.credited),
    per('mode', accounts.mode), per('tier', accounts.tier),
    per('status', accounts.status), per('walletMode', accounts.walletMode),
    per('fundedAt', accounts.fundedAt), per('openedAt', accounts.openedAt),
    per('usedAt', accounts.usedAt), per('free', accounts.free),
    per('openOrders', accounts.openOrders), per('triggers', accounts.triggers), per('positions', accounts.positions),
    per('holdingHead', accounts.holdingHead),
    per('holdingTail', accounts.holdingTail), per('agentHead', accounts.agentHead),
  ];
}

export function rebuildAccounts(accounts: Accounts): void {
  for (let account = 0; account < accounts.counters[COUNT]; account++) if (accounts.free[account] === 0) enter(accounts, account);
}
