// Approvals of agents that wait for their wallet's account (decision 1.6). Any 65 bytes recover some address, so the table is bounded. They
// are bound in order of arrival; after PENDING_TIME they are void. The agent pool always has a row for each.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint32 } from '../columns.ts';
import { PENDING_TIME } from '../limits.ts';
import { hashAddress, tableSize } from '../math/hash.ts';
import { sameAddress } from './accounts.ts';
import { isLive } from './agents.ts';

const HIGH_WATER = 0;
const FREE = 1;
const SERIAL = 2;

export type PendingApprovals = {
  readonly capacity: number;
  /** High-water mark, free list plus one, last serial number. */
  readonly counters: Float64Array;
  /** Per row: wallet (5 words), agent (5), nonce low, nonce high. */
  readonly words: Uint32Array;
  readonly expires: Float64Array;
  readonly since: Float64Array;
  /** Order of arrival, 0: a free row. */
  readonly serial: Float64Array;
  readonly free: Int32Array;
  /** Index: first row of a hash bucket and next row in it, plus one, by serial. */
  readonly buckets: Int32Array;
  readonly chain: Int32Array;
  /** Index: next older and newer row, plus one. */
  readonly older: Int32Array;
  readonly newer: Int32Array;
  /** Index: rows in use; oldest and newest row plus one. */
  readonly rows: Int32Array;
};

const USED = 0;
const OLDEST = 1;
const NEWEST = 2;

export const PENDING_WORDS = 12;
export const PENDING_AGENT = 5;
export const PENDING_NONCE = 10;

export function createPending(capacity: number): PendingApprovals {
  return {
    capacity, counters: float64(3), words: uint32(capacity * PENDING_WORDS),
    expires: float64(capacity), since: float64(capacity), serial: float64(capacity), free: int32(capacity),
    buckets: int32(tableSize(capacity)), chain: int32(capacity), older: int32(capacity), newer: int32(capacity), rows: int32(3),
  };
}

export function hasPendingRoom(pending: PendingApprovals): boolean {
  return pending.counters[FREE] !== 0 || pending.counters[HIGH_WATER] < pending.capacity;
}

export function pendingCount(pending: PendingApprovals): number {
  return pending.rows[USED];
}

export function pendingDue({ rows, since }: PendingApprovals): number {
  return rows[OLDEST] === 0 ? Infinity : since[rows[OLDEST] - 1] + PENDING_TIME;
}

/** Oldest first. */
export function dropEnded(pending: PendingApprovals, time: number, most: number): void {
  for (let dropped = 0; dropped < most && pendingDue(pending) <= time; dropped++) dropPending(pending, pending.rows[OLDEST]);
}

export function countPending(pending: PendingApprovals, words: Uint32Array, at: number, time: number): number {
  let count = 0;
  for (let link = firstPending(pending, words, at, time); link !== 0; link = nextPending(pending, link, words, at, time)) count++;
  return count;
}

/** An agent's newest approval counts. */
export function otherPendingAgents(pending: PendingApprovals, words: Uint32Array, wallet: number, agent: number, time: number): number {
  let count = 0;
  for (let link = firstPending(pending, words, wallet, time); link !== 0; link = nextPending(pending, link, words, wallet, time)) {
    const at = (link - 1) * PENDING_WORDS + PENDING_AGENT;
    if (!isLive(pending.expires[link - 1], time) || sameAddress(pending.words, at, words, agent)) continue;
    let later = nextPending(pending, link, words, wallet, time);
    while (later !== 0 && !sameAddress(pending.words, (later - 1) * PENDING_WORDS + PENDING_AGENT, pending.words, at)) {
      later = nextPending(pending, later, words, wallet, time);
    }
    if (later === 0) count++;
  }
  return count;
}

export function isPendingAgent(pending: PendingApprovals, words: Uint32Array, wallet: number, agent: number, time: number): boolean {
  let isActive = false;
  for (let link = firstPending(pending, words, wallet, time); link !== 0; link = nextPending(pending, link, words, wallet, time)) {
    const at = (link - 1) * PENDING_WORDS + PENDING_AGENT;
    if (sameAddress(pending.words, at, words, agent)) isActive = isLive(pending.expires[link - 1], time);
  }
  return isActive;
}

/** Oldest first; row plus one, or 0. */
export function firstPending(pending: PendingApprovals, words: Uint32Array, at: number, time: number): number {
  const bucket = hashAddress(words, at) & (pending.buckets.length - 1);
  return skip(pending, pending.buckets[bucket], words, at, time);
}

export function nextPending(pending: PendingApprovals, link: number, words: Uint32Array, at: number, time: number): number {
  return skip(pending, pending.chain[link - 1], words, at, time);
}

function skip(pending: PendingApprovals, from: number, words: Uint32Array, at: number, time: number): number {
  let link = from;
  while (link !== 0 && !isOf(pending, link, words, at, time)) link = pending.chain[link - 1];
  return link;
}

function isOf({ since, words: all }: PendingApprovals, link: number, words: Uint32Array, at: number, time: number): boolean {
  return since[link - 1] + PENDING_TIME > time && sameAddress(all, (link - 1) * PENDING_WORDS, words, at);
}

export function isPendingNonce(
  pending: PendingApprovals, words: Uint32Array, at: number, low: number, high: number, time: number,
): boolean {
  for (let link = firstPending(pending, words, at, time); link !== 0; link = nextPending(pending, link, words, at, time)) {
    const base = (link - 1) * PENDING_WORDS + PENDING_NONCE;
    if (pending.words[base] === low && pending.words[base + 1] === high) return true;
  }
  return false;
}

export function addPending(
  pending: PendingApprovals, words: Uint32Array, wallet: number, agent: number, nonce: number, expires: number, time: number,
): void {
  const { counters } = pending;
  let row = counters[FREE] - 1;
  if (row >= 0) counters[FREE] = pending.free[row];
  else row = counters[HIGH_WATER]++;
  assert(row < pending.capacity, 'pending approvals: room was checked');
  assert(pending.serial[row] === 0, 'pending approvals: the free list holds free rows');
  const base = row * PENDING_WORDS;
  for (let i = 0; i < 5; i++) {
    pending.words[base + i] = words[wallet + i];
    pending.words[base + PENDING_AGENT + i] = words[agent + i];
  }
  pending.words[base + PENDING_NONCE] = words[nonce];
  pending.words[base + PENDING_NONCE + 1] = words[nonce + 1];
  pending.expires[row] = expires;
  pending.since[row] = time;
  pending.serial[row] = ++counters[SERIAL];
  pending.free[row] = 0;
  enter(pending, row);
  append(pending, row);
}

export function dropPending(pending: PendingApprovals, link: number): void {
  const row = link - 1;
  assert(row >= 0 && pending.serial[row] !== 0, 'pending approvals: a row is freed once');
  const bucket = hashAddress(pending.words, row * PENDING_WORDS) & (pending.buckets.length - 1);
  if (pending.buckets[bucket] === link) {
    pending.buckets[bucket] = pending.chain[row];
  } else {
    let before = pending.buckets[bucket];
    while (pending.chain[before - 1] !== link) {
      assert(before !== 0, 'pending approvals: a row is in its bucket');
      before = pending.chain[before - 1];
    }
    pending.chain[before - 1] = pending.chain[row];
  }
  pending.rows[USED] -= 1;
  assert(pending.rows[USED] >= 0, 'pending approvals: no more rows are freed than taken');
  leaveLine(pending, row);
  pending.serial[row] = 0;
  pending.free[row] = pending.counters[FREE];
  pending.counters[FREE] = link;
}

function enter(pending: PendingApprovals, row: number): void {
  const bucket = hashAddress(pending.words, row * PENDING_WORDS) & (pending.buckets.length - 1);
  let before = 0;
  let after = pending.buckets[bucket];
  while (after !== 0 && pending.serial[after - 1] < pending.serial[row]) {
    before = after;
    after = pending.chain[after - 1];
  }
  pending.rows[USED] += 1;
  pending.chain[row] = after;
  if (before === 0) pending.buckets[bucket] = row + 1;
  else pending.chain[before - 1] = row + 1;
}

function append({ newer, older, rows }: PendingApprovals, row: number): void {
  older[row] = rows[NEWEST];
  newer[row] = 0;
  if (rows[NEWEST] === 0) rows[OLDEST] = row + 1;
  else newer[rows[NEWEST] - 1] = row + 1;
  rows[NEWEST] = row + 1;
}

function leaveLine({ newer, older, rows }: PendingApprovals, row: number): void {
  assert((older[row] === 0 ? rows[OLDEST] : newer[older[row] - 1]) === row + 1, 'pending approvals: the older neighbour links to this row');
  assert((newer[row] === 0 ? rows[NEWEST] : older[newer[row] - 1]) === row + 1, 'pending approvals: the newer neighbour links to this row');
  if (older[row] === 0) rows[OLDEST] = newer[row];
  else newer[older[row] - 1] = newer[row];
  if (newer[row] === 0) rows[NEWEST] = older[row];
  else older[newer[row] - 1] = older[row];
}

export function pendingSections(pending: PendingApprovals): readonly Section[] {
  const rows = () => pending.counters[HIGH_WATER];
  return [
    fixedSection('pending.counters', pending.counters),
    { name: 'pending.words', column: pending.words, used: () => rows() * PENDING_WORDS },
    { name: 'pending.expires', column: pending.expires, used: rows },
    { name: 'pending.since', column: pending.since, used: rows },
    { name: 'pending.serial', column: pending.serial, used: rows },
    { name: 'pending.free', column: pending.free, used: rows },
  ];
}

export function rebuildPending(pending: PendingApprovals): void {
  pending.buckets.fill(0);
  pending.rows.fill(0);
  const { serial } = pending;
  const used: number[] = [];
  for (let row = 0; row < pending.counters[HIGH_WATER]; row++) if (serial[row] !== 0) used.push(row);
  for (const row of used.sort((a, b) => serial[a] - serial[b])) {
    enter(pending, row);
    append(pending, row);
  }
}
