// Wallets whose account was closed (core/lifecycle/reclaim). When a wallet comes back, nonces up to its highest stay used and its streams
// continue. While this bounded table is full, no account closes.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint32 } from '../columns.ts';
import { clearHashIndex, createHashIndex, addToHashIndex, firstInChain, removeFromHashIndex, type HashIndex } from '../math/hash-index.ts';
import { hashAddress } from '../math/hash.ts';
import { sameAddress } from './accounts.ts';

/** Rows ever used; first free row plus one; rows in use. */
const HIGH_WATER = 0;
const FREE = 1;
const USED = 2;

/** Words of a row: wallet, highest used nonce (low, high), state. */
const WORDS = 8;
const NONCE = 5;
const KIND = 7;
const NOBODY = 0;
const WITHOUT_NONCE = 1;
const WITH_NONCE = 2;
const COUNTERS = 4;

/** Numbers of the newest messages. */
type ClosedCounters = { readonly orderUpdates: number; readonly portfolio: number; readonly ledger: number; readonly quotes: number };

export type ClosedAccounts = {
  readonly capacity: number;
  readonly counters: Float64Array;
  readonly words: Uint32Array;
  readonly streamCounters: Float64Array;
  readonly free: Int32Array;
  readonly chains: HashIndex;
};

export function createClosed(capacity: number): ClosedAccounts {
  const words = uint32(capacity * WORDS);
  return {
    capacity, counters: float64(3), words, streamCounters: float64(capacity * COUNTERS), free: int32(capacity),
    chains: createHashIndex(capacity, (row) => hashAddress(words, row * WORDS)),
  };
}

export function hasClosedRoom({ capacity, counters }: ClosedAccounts): boolean {
  return counters[USED] < capacity;
}

export function closedCount({ counters }: ClosedAccounts): number {
  return counters[USED];
}

export function findClosed({ chains, words: all }: ClosedAccounts, words: Uint32Array, at: number): number {
  let link = firstInChain(chains, hashAddress(words, at));
  while (link !== 0 && !sameAddress(all, (link - 1) * WORDS, words, at)) link = chains.next[link - 1];
  return link - 1;
}

export function hasClosedNonce({ words }: ClosedAccounts, row: number): boolean {
  return words[row * WORDS + KIND] === WITH_NONCE;
}

export function closedNonceAt(row: number): number {
  return row * WORDS + NONCE;
}

/** True if the wallet is closed and had used this nonce or a higher one. */
export function isClosedNonce(closed: ClosedAccounts, words: Uint32Array, at: number, lo: number, hi: number): boolean {
  const row = findClosed(closed, words, at);
  if (row < 0 || !hasClosedNonce(closed, row)) return false;
  const nonce = closedNonceAt(row);
  return hi < closed.words[nonce + 1] || (hi === closed.words[nonce + 1] && lo <= closed.words[nonce]);
}

export function closedOrderUpdates({ streamCounters }: ClosedAccounts, row: number): number {
  return streamCounters[row * COUNTERS];
}

export function closedPortfolio({ streamCounters }: ClosedAccounts, row: number): number {
  return streamCounters[row * COUNTERS + 1];
}

export function closedLedger({ streamCounters }: ClosedAccounts, row: number): number {
  return streamCounters[row * COUNTERS + 2];
}

export function closedQuotes({ streamCounters }: ClosedAccounts, row: number): number {
  return streamCounters[row * COUNTERS + 3];
}

/** `nonce`: highest used one (low, high), if any. */
export function addClosed(
  closed: ClosedAccounts, words: Uint32Array, at: number, hasNonce: boolean, nonce: Uint32Array, last: ClosedCounters,
): void {
  const { chains, counters, free, streamCounters } = closed;
  let row = counters[FREE] - 1;
  if (row >= 0) counters[FREE] = free[row];
  else row = counters[HIGH_WATER]++;
  assert(row < closed.capacity, 'closed accounts: room was checked');
  assert(closed.words[row * WORDS + KIND] === NOBODY, 'closed accounts: the free list holds free rows');
  counters[USED]++;
  for (let i = 0; i < 5; i++) closed.words[row * WORDS + i] = words[at + i];
  closed.words[closedNonceAt(row)] = nonce[0];
  closed.words[closedNonceAt(row) + 1] = nonce[1];
  closed.words[row * WORDS + KIND] = hasNonce ? WITH_NONCE : WITHOUT_NONCE;
  streamCounters[row * COUNTERS] = last.orderUpdates;
  streamCounters[row * COUNTERS + 1] = last.portfolio;
  streamCounters[row * COUNTERS + 2] = last.ledger;
  streamCounters[row * COUNTERS + 3] = last.quotes;
  free[row] = 0;
  addToHashIndex(chains, row);
}

export function dropClosed({ chains, counters, free, streamCounters, words }: ClosedAccounts, row: number): void {
  assert(words[row * WORDS + KIND] !== NOBODY, 'closed accounts: a row is freed once');
  removeFromHashIndex(chains, row);
  words.fill(0, row * WORDS, (row + 1) * WORDS);
  streamCounters.fill(0, row * COUNTERS, (row + 1) * COUNTERS);
  free[row] = counters[FREE];
  counters[FREE] = row + 1;
  counters[USED]--;
  assert(counters[USED] >= 0, 'closed accounts: no more rows are freed than taken');
}

export function closedSections(closed: ClosedAccounts): readonly Section[] {
  const rows = () => closed.counters[HIGH_WATER];
  return [
    fixedSection('closed.counters', closed.counters),
    { name: 'closed.words', column: closed.words, used: () => rows() * WORDS },
    { name: 'closed.streams', column: closed.streamCounters, used: () => rows() * COUNTERS },
    { name: 'closed.free', column: closed.free, used: rows },
  ];
}

export function rebuildClosed(closed: ClosedAccounts): void {
  clearHashIndex(closed.chains);
  for (let row = 0; row < closed.counters[HIGH_WATER]; row++) {
    if (closed.words[row * WORDS + KIND] !== NOBODY) addToHashIndex(closed.chains, row);
  }
}
