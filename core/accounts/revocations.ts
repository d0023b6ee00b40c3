// Which agent approvals are void. Revoking an agent with nonce n voids its approvals up to n, so a delayed approval cannot bring it back.
// Without a free row, the wallet's lowest nonce applies to all agents: too much is void, never too little.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint32 } from '../columns.ts';
import { REVOCATIONS_PER_WALLET } from '../limits.ts';
import { raiseNonce } from '../nonces.ts';
import { sameAddress } from './accounts.ts';

const HIGH_WATER = 0;
const FREE = 1;
const ACCOUNTS = 2;

/** Words of a row: agent (5), first nonce that is not void (low, high). */
const WORDS = 7;
const BOUND = 5;
const MOST = 0xffff_ffff;

export type Revocations = {
  readonly capacity: number;
  /** High-water mark, free list plus one, accounts in `head` and `all`. */
  readonly counters: Float64Array;
  /** Per account: first row plus one; first nonce that is not void for all agents (low, high). */
  readonly head: Int32Array;
  readonly all: Uint32Array;
  readonly words: Uint32Array;
  /** Next row of the account, or next free row, plus one. */
  readonly next: Int32Array;
};

export function createRevocations(capacity: number, accounts: number): Revocations {
  return {
    capacity, counters: float64(3), head: int32(accounts), all: uint32(accounts * 2), words: uint32(capacity * WORDS),
    next: int32(capacity),
  };
}

export function isApprovalVoid(r: Revocations, account: number, words: Uint32Array, agent: number, lo: number, hi: number): boolean {
  if (isBelow(lo, hi, r.all[account * 2], r.all[account * 2 + 1])) return true;
  const link = rowOf(r, account, words, agent);
  return link !== 0 && isBelow(lo, hi, boundLo(r, link), boundHi(r, link));
}

export function voidApprovals(r: Revocations, account: number, words: Uint32Array, agent: number, lo: number, hi: number): void {
  if (isBelow(lo, hi, r.all[account * 2], r.all[account * 2 + 1])) return;
  let link = rowOf(r, account, words, agent);
  if (link !== 0 && isBelow(lo, hi, boundLo(r, link), boundHi(r, link))) return;
  if (link === 0) link = newRow(r, account, lo, hi);
  if (link === 0) return;
  const at = (link - 1) * WORDS;
  for (let i = 0; i < 5; i++) r.words[at + i] = words[agent + i];
  r.words[at + BOUND] = lowAfter(lo, hi);
  r.words[at + BOUND + 1] = highAfter(lo, hi);
}

export function voidAllApprovals(r: Revocations, account: number, lo: number, hi: number): void {
  assert(account >= 0, 'revocations: a revocation is of an account');
  raiseAll(r, account, lowAfter(lo, hi), highAfter(lo, hi));
}

function raiseAll(r: Revocations, account: number, lo: number, hi: number): void {
  if (account >= r.counters[ACCOUNTS]) r.counters[ACCOUNTS] = account + 1;
  if (isBelow(lo, hi, r.all[account * 2], r.all[account * 2 + 1])) return;
  r.all[account * 2] = lo;
  r.all[account * 2 + 1] = hi;
  let before = 0;
  for (let link = r.head[account]; link !== 0;) {
    const next = r.next[link - 1];
    if (isBelow(lo, hi, boundLo(r, link), boundHi(r, link))) before = link;
    else {
      if (before === 0) r.head[account] = next;
      else r.next[before - 1] = next;
      r.next[link - 1] = r.counters[FREE];
      r.counters[FREE] = link;
    }
    link = next;
  }
}

/** Row plus one. 0: no room, and this nonce, the lowest, applies to all agents. */
function newRow(r: Revocations, account: number, lo: number, hi: number): number {
  if (account >= r.counters[ACCOUNTS]) r.counters[ACCOUNTS] = account + 1;
  let rows = 0;
  let lowest = 0;
  for (let link = r.head[account]; link !== 0; link = r.next[link - 1], rows++) {
    if (lowest === 0 || isBelow(boundLo(r, link), boundHi(r, link), boundLo(r, lowest), boundHi(r, lowest))) lowest = link;
  }
  const hasRow = r.counters[FREE] !== 0 || r.counters[HIGH_WATER] < r.capacity;
  if (rows >= REVOCATIONS_PER_WALLET || !hasRow) {
    if (lowest === 0 || isBelow(lo, hi, boundLo(r, lowest), boundHi(r, lowest))) {
      voidAllApprovals(r, account, lo, hi);
      return 0;
    }
    raiseAll(r, account, boundLo(r, lowest), boundHi(r, lowest));
  }
  let row = r.counters[FREE] - 1;
  if (row >= 0) r.counters[FREE] = r.next[row];
  else row = r.counters[HIGH_WATER]++;
  assert(row < r.capacity, 'revocations: a new row lies within the table');
  r.next[row] = r.head[account];
  r.head[account] = row + 1;
  return row + 1;
}

function rowOf(r: Revocations, account: number, words: Uint32Array, agent: number): number {
  let link = r.head[account];
  while (link !== 0 && !sameAddress(r.words, (link - 1) * WORDS, words, agent)) link = r.next[link - 1];
  return link;
}

function boundLo(r: Revocations, link: number): number {
  return r.words[(link - 1) * WORDS + BOUND];
}

function boundHi(r: Revocations, link: number): number {
  return r.words[(link - 1) * WORDS + BOUND + 1];
}

/** The last nonce is its own successor. */
function lowAfter(lo: number, hi: number): number {
  return lo === MOST && hi === MOST ? lo : (lo + 1) >>> 0;
}

function highAfter(lo: number, hi: number): number {
  return lo === MOST && hi < MOST ? hi + 1 : hi;
}

function isBelow(lo: number, hi: number, otherLo: number, otherHi: number): boolean {
  return hi < otherHi || (hi === otherHi && lo < otherLo);
}

/** Raises `out` to the highest void nonce. False if the account had no revocations. */
export function forgetRevocations(r: Revocations, account: number, out: Uint32Array): boolean {
  const isAny = r.head[account] !== 0 || r.all[account * 2] !== 0 || r.all[account * 2 + 1] !== 0;
  raiseBelow(out, r.all[account * 2], r.all[account * 2 + 1]);
  for (let link = r.head[account]; link !== 0;) {
    const next = r.next[link - 1];
    raiseBelow(out, boundLo(r, link), boundHi(r, link));
    r.next[link - 1] = r.counters[FREE];
    r.counters[FREE] = link;
    link = next;
  }
  r.head[account] = r.all[account * 2] = r.all[account * 2 + 1] = 0;
  return isAny;
}

function raiseBelow(out: Uint32Array, lo: number, hi: number): void {
  if (lo !== 0 || hi !== 0) raiseNonce(out, (lo - 1) >>> 0, lo === 0 ? hi - 1 : hi);
}

export function revocationSections(r: Revocations): readonly Section[] {
  const rows = () => r.counters[HIGH_WATER];
  return [
    fixedSection('revocations.counters', r.counters),
    { name: 'revocations.head', column: r.head, used: () => r.counters[ACCOUNTS] },
    { name: 'revocations.all', column: r.all, used: () => r.counters[ACCOUNTS] * 2 },
    { name: 'revocations.words', column: r.words, used: () => rows() * WORDS },
    { name: 'revocations.next', column: r.next, used: rows },
  ];
}
