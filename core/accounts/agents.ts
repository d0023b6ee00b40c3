// Agents: who besides the wallet may sign for it. Rows of a pool, linked per account. An agent counts while its row
// exists and its expiry (ms, 0: none) lies ahead of the command's own time. At most 64 active a wallet (decision 1.6).

import { float64, int32, uint32 } from '../columns.ts';
import { AGENTS_PER_WALLET } from '../limits.ts';
import { fixedSection, type Section } from '../store.ts';
import { sameAddress, type Accounts } from './accounts.ts';

const HIGH_WATER = 0;
const FREE = 1;

export type Agents = {
  readonly capacity: number;
  /** High-water mark; head of the free list plus one. */
  readonly counters: Float64Array;
  readonly address: Uint32Array;
  readonly expires: Float64Array;
  /** Next row of the account, or of the free list, plus one. */
  readonly next: Int32Array;
  /** Index: rows in use. */
  readonly rows: Int32Array;
};

export function createAgents(capacity: number): Agents {
  return {
    capacity, counters: float64(2), address: uint32(capacity * 5),
    expires: float64(capacity), next: int32(capacity), rows: int32(1),
  };
}

/**
 * Whether the pool has a row for an agent of the account (-1: one that waits or is about to open) beside the `promised` ones of
 * approvals that wait. An account always has one for an agent it has, and for another in the place of one that expired.
 */
export function hasAgentRoom(
  agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, time: number, promised: number,
): boolean {
  if (agents.capacity - agents.rows[0] > promised) return true;
  for (let link = account < 0 ? 0 : accounts.agentHead[account]; link !== 0; link = agents.next[link - 1]) {
    if (!isLive(agents.expires[link - 1], time) || sameAddress(agents.address, (link - 1) * 5, words, at)) return true;
  }
  return false;
}

function hasFreeRow(agents: Agents): boolean {
  return agents.counters[FREE] !== 0 || agents.counters[HIGH_WATER] < agents.capacity;
}

/** An authorisation that expires at `expires` (ms, 0: never) is in force at `time`. */
export function isLive(expires: number, time: number): boolean {
  return expires === 0 || expires > time;
}

/** True when the address is an active, unexpired agent of the account at `time`. */
export function isAgent(agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, time: number): boolean {
  for (let link = accounts.agentHead[account]; link !== 0; link = agents.next[link - 1]) {
    if (sameAddress(agents.address, (link - 1) * 5, words, at)) return isLive(agents.expires[link - 1], time);
  }
  return false;
}

/**
 * Authorises, or sets the expiry of one that is. False: the wallet has its 64 active ones; or the pool is full, which
 * `hasAgentRoom` tells before.
 */
export function approveAgent(
  agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, expires: number, time: number,
): boolean {
  dropExpired(agents, accounts, account, time);
  let active = 0;
  for (let link = accounts.agentHead[account]; link !== 0; link = agents.next[link - 1], active++) {
    if (sameAddress(agents.address, (link - 1) * 5, words, at)) {
      agents.expires[link - 1] = expires;
      return true;
    }
  }
  if (active >= AGENTS_PER_WALLET || !hasFreeRow(agents)) return false;
  const { counters } = agents;
  let row = counters[FREE] - 1;
  if (row >= 0) counters[FREE] = agents.next[row];
  else row = counters[HIGH_WATER]++;
  agents.rows[0] += 1;
  for (let i = 0; i < 5; i++) agents.address[row * 5 + i] = words[at + i];
  agents.expires[row] = expires;
  agents.next[row] = accounts.agentHead[account];
  accounts.agentHead[account] = row + 1;
  return true;
}

/** Removes the authorisation; false when the address is no active agent of the account. */
export function revokeAgent(agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, time: number): boolean {
  dropExpired(agents, accounts, account, time);
  let before = 0;
  for (let link = accounts.agentHead[account]; link !== 0; before = link, link = agents.next[link - 1]) {
    if (!sameAddress(agents.address, (link - 1) * 5, words, at)) continue;
    unlink(agents, accounts, account, before, link);
    return true;
  }
  return false;
}

/** Removes the first active authorisation of the account; answers its row, which still has its address, or -1: there is none. */
export function revokeFirst(agents: Agents, accounts: Accounts, account: number, time: number): number {
  dropExpired(agents, accounts, account, time);
  const link = accounts.agentHead[account];
  if (link !== 0) unlink(agents, accounts, account, 0, link);
  return link - 1;
}

function dropExpired(agents: Agents, accounts: Accounts, account: number, time: number): void {
  let before = 0;
  let link = accounts.agentHead[account];
  while (link !== 0) {
    const next = agents.next[link - 1];
    if (isLive(agents.expires[link - 1], time)) before = link;
    else unlink(agents, accounts, account, before, link);
    link = next;
  }
}

function unlink(agents: Agents, accounts: Accounts, account: number, before: number, link: number): void {
  const { next, counters } = agents;
  if (before === 0) accounts.agentHead[account] = next[link - 1];
  else next[before - 1] = next[link - 1];
  next[link - 1] = counters[FREE];
  counters[FREE] = link;
  agents.rows[0] -= 1;
}

export function agentSections(agents: Agents): readonly Section[] {
  const rows = () => agents.counters[HIGH_WATER];
  return [
    fixedSection('agents.counters', agents.counters),
    { name: 'agents.address', column: agents.address, used: () => rows() * 5 },
    { name: 'agents.expires', column: agents.expires, used: rows },
    { name: 'agents.next', column: agents.next, used: rows },
  ];
}

export function rebuildAgents(agents: Agents): void {
  agents.rows[0] = agents.counters[HIGH_WATER];
  for (let link = agents.counters[FREE]; link !== 0; link = agents.next[link - 1]) agents.rows[0] -= 1;
}
