// A hash index that grows with its rows: each added row opens one more chain, split from another (W. Litwin, "Linear hashing", VLDB 1980).
// Order within a chain depends on history and must not decide a result.

import { assert } from '../assert.ts';
import { int32 } from '../columns.ts';

const FIRST_CHAINS = 16;

const CHAINS = 0;
const ROWS = 1;
const MASK = 2;

export type HashIndex = {
  /** First row plus one, 0 if empty. */
  readonly heads: Int32Array;
  /** Per row: next in its chain plus one, 0 if last. */
  readonly next: Int32Array;
  /** Chains, rows, and the mask of hash bits; its highest bit counts only where that chain exists. */
  readonly counters: Int32Array;
  readonly hashOf: (row: number) => number;
};

export function createHashIndex(capacity: number, hashOf: (row: number) => number): HashIndex {
  let most = FIRST_CHAINS;
  while (most < capacity) most *= 2;
  const counters = new Int32Array([FIRST_CHAINS, 0, FIRST_CHAINS - 1]);
  return { heads: int32(most), next: int32(capacity), counters, hashOf };
}

/** The row may have another hash. Follow `next` for more. */
export function firstInChain({ counters, heads }: HashIndex, hash: number): number {
  return heads[chainOf(counters, hash)];
}

function chainOf(counters: Int32Array, hash: number): number {
  const chain = hash & counters[MASK];
  return chain < counters[CHAINS] ? chain : chain & (counters[MASK] >> 1);
}

export function addToHashIndex(chains: HashIndex, row: number): void {
  const { counters, heads, next } = chains;
  if (++counters[ROWS] > counters[CHAINS] && counters[CHAINS] < heads.length) splitChain(chains);
  assert(row >= 0 && row < next.length, 'hash index: the row is within the capacity');
  const chain = chainOf(counters, chains.hashOf(row));
  assert(heads[chain] !== row + 1, 'hash index: a row is added once');
  next[row] = heads[chain];
  heads[chain] = row + 1;
}

function splitChain({ counters, hashOf, heads, next }: HashIndex): void {
  const opened = counters[CHAINS]++;
  if (opened > counters[MASK]) counters[MASK] = counters[MASK] * 2 + 1;
  const split = opened & (counters[MASK] >> 1);
  let link = heads[split];
  heads[split] = 0;
  while (link !== 0) {
    const row = link - 1;
    link = next[row];
    const chain = (hashOf(row) & counters[MASK]) === opened ? opened : split;
    next[row] = heads[chain];
    heads[chain] = row + 1;
  }
}

export function removeFromHashIndex({ counters, hashOf, heads, next }: HashIndex, row: number): void {
  const chain = chainOf(counters, hashOf(row));
  counters[ROWS]--;
  assert(counters[ROWS] >= 0, 'hash index: the number of rows is not negative');
  if (heads[chain] === row + 1) {
    heads[chain] = next[row];
    return;
  }
  let before = heads[chain] - 1;
  while (next[before] !== row + 1) {
    assert(before >= 0, 'hash index: a removed row is in its chain');
    before = next[before] - 1;
  }
  next[before] = next[row];
}

export function clearHashIndex({ counters, heads }: HashIndex): void {
  heads.fill(0);
  counters[CHAINS] = FIRST_CHAINS;
  counters[ROWS] = 0;
  counters[MASK] = FIRST_CHAINS - 1;
}
