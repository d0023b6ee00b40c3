// Agents: keys that a wallet has approved to sign for it, until an expiry (ms, 0: none); at most 64 active (decision 1.6). The wallet's
// next approval or revocation frees expired rows. Default and tier1 wallets share a bounded part of the rows.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint32 } from '../columns.ts';
import { AGENT_NAME_CHARS, AGENTS_PER_WALLET, SMALL_TIER_POOL_PERCENT } from '../limits.ts';
import { DEFAULT_TIER, isSmallTier } from '../tiers.ts';
import { accountCount, sameAddress, type Accounts } from './accounts.ts';

export const AGENT_NAME_WORDS = AGENT_NAME_CHARS / 4;
const HIGH_WATER = 0;
const FREE = 1;

export type Agents = {
  readonly capacity: number;
  /** High-water mark, free list plus one. */
  readonly counters: Float64Array;
  readonly address: Uint32Array;
  readonly expires: Float64Array;
  /** AGENT_NAME_WORDS each, ASCII, zeros up to the end; zeros: it has none. */
  readonly names: Uint32Array;
  /** Next row of the account, or next free row, plus one. */
  readonly next: Int32Array;
  /** Index: rows in use, those of default and tier1 wallets. */
  readonly rows: Int32Array;
};

const USED = 0;
const SMALL_TIER = 1;

export function createAgents(capacity: number): Agents {
  return {
    capacity, counters: float64(2), address: uint32(capacity * 5),
    expires: float64(capacity), names: uint32(capacity * AGENT_NAME_WORDS), next: int32(capacity), rows: int32(2),
  };
}

/** Keeps the `promised` rows of waiting approvals. Account -1: not opened yet. */
export function hasAgentRoom(
  agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, time: number, promised: number,
): boolean {
  const share = Math.floor(agents.capacity * SMALL_TIER_POOL_PERCENT / 100);
  const isWithinShare = !isSmallTier(account < 0 ? DEFAULT_TIER : accounts.tier[account]) || agents.rows[SMALL_TIER] + promised < share;
  if (isWithinShare && agents.capacity - agents.rows[USED] > promised) return true;
  for (let link = account < 0 ? 0 : accounts.agentHead[account]; link !== 0; link = agents.next[link - 1]) {
    if (!isLive(agents.expires[link - 1], time) || sameAddress(agents.address, (link - 1) * 5, words, at)) return true;
  }
  return false;
}

export function moveAgentRows(agents: Agents, accounts: Accounts, account: number, before: number): void {
  const change = Number(isSmallTier(accounts.tier[account])) - Number(isSmallTier(before));
  if (change === 0) return;
  for (let link = accounts.agentHead[account]; link !== 0; link = agents.next[link - 1]) agents.rows[SMALL_TIER] += change;
}

export function agentRows({ rows }: Agents): number {
  return rows[USED];
}

export function smallTierAgents({ rows }: Agents): number {
  return rows[SMALL_TIER];
}

function hasFreeRow(agents: Agents): boolean {
  return agents.counters[FREE] !== 0 || agents.counters[HIGH_WATER] < agents.capacity;
}

/** `expires` 0: never. */
export function isLive(expires: number, time: number): boolean {
  return expires === 0 || expires > time;
}

export function isAgent(agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, time: number): boolean {
  for (let link = accounts.agentHead[account]; link !== 0; link = agents.next[link - 1]) {
    if (sameAddress(agents.address, (link - 1) * 5, words, at)) return isLive(agents.expires[link - 1], time);
  }
  return false;
}

/** Also changes the expiry of an approved agent. */
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
  assert(row < agents.capacity, 'agents: a new row lies within the table');
  assert(account >= 0, 'agents: an agent is of an account');
  count(agents, accounts, account, 1);
  for (let i = 0; i < 5; i++) agents.address[row * 5 + i] = words[at + i];
  agents.expires[row] = expires;
  for (let i = 0; i < AGENT_NAME_WORDS; i++) agents.names[row * AGENT_NAME_WORDS + i] = 0;
  agents.next[row] = accounts.agentHead[account];
  accounts.agentHead[account] = row + 1;
  return true;
}

export function rowOfAgent({ address, next }: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number): number {
  let link = accounts.agentHead[account];
  while (link !== 0 && !sameAddress(address, (link - 1) * 5, words, at)) link = next[link - 1];
  return link - 1;
}

export function rowOfName(agents: Agents, accounts: Accounts, account: number, words: Uint32Array, at: number, time: number): number {
  const { expires, names, next } = agents;
  for (let link = accounts.agentHead[account]; link !== 0; link = next[link - 1]) {
    if (isLive(expires[link - 1], time) && isName(names, (link - 1) * AGENT_NAME_WORDS, words, at)) return link - 1;
  }
  return -1;
}

function isName(names: Uint32Array, a: number, words: Uint32Array, b: number): boolean {
  for (let i = 0; i < AGENT_NAME_WORDS; i++) if (names[a + i] !== words[b + i]) return false;
  return true;
}

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

/** Returns the agent's row, which keeps the address, or -1 without one. */
export function revokeFirst(agents: Agents, accounts: Accounts, account: number, time: number): number {
  dropExpired(agents, accounts, account, time);
  const link = accounts.agentHead[account];
  if (link !== 0) unlink(agents, accounts, account, 0, link);
  return link - 1;
}

export function revokeAllRows(agents: Agents, accounts: Accounts, account: number): void {
  while (accounts.agentHead[account] !== 0) unlink(agents, accounts, account, 0, accounts.agentHead[account]);
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
  assert((before === 0 ? accounts.agentHead[account] : next[before - 1]) === link, 'agents: the row before leads to this one');
  if (before === 0) accounts.agentHead[account] = next[link - 1];
  else next[before - 1] = next[link - 1];
  next[link - 1] = counters[FREE];
  counters[FREE] = link;
  count(agents, accounts, account, -1);
}

function count(agents: Agents, accounts: Accounts, account: number, change: number): void {
  agents.rows[USED] += change;
  if (isSmallTier(accounts.tier[account])) agents.rows[SMALL_TIER] += change;
  assert(agents.rows[USED] >= 0 && agents.rows[USED] <= agents.counters[HIGH_WATER], 'agents: rows in use are rows');
  assert(agents.rows[SMALL_TIER] >= 0 && agents.rows[SMALL_TIER] <= agents.rows[USED], 'agents: small tiers have a part of all rows');
}

export function agentSections(agents: Agents): readonly Section[] {
  const rows = () => agents.counters[HIGH_WATER];
  return [
    fixedSection('agents.counters', agents.counters),
    { name: 'agents.address', column: agents.address, used: () => rows() * 5 },
    { name: 'agents.names', column: agents.names, used: () => rows() * AGENT_NAME_WORDS },
    { name: 'agents.expires', column: agents.expires, used: rows },
    { name: 'agents.next', column: agents.next, used: rows },
  ];
}

export function rebuildAgents(agents: Agents, accounts: Accounts): void {
  agents.rows.fill(0);
  for (let account = 0; account < accountCount(accounts); account++) {
    for (let link = accounts.agentHead[account]; link !== 0; link = agents.next[link - 1]) count(agents, accounts, account, 1);
  }
}
