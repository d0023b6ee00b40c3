// Integer hashes for indexes. An index only finds what the sections hold, so the hash may change without a change of BEHAVIOUR.

import { assert } from '../assert.ts';

export function tableSize(rows: number): number {
  let size = 16;
  while (size < rows * 2) size *= 2;
  return size;
}

export const HASH_SEED = 0x9747b28c;

/** Constants of MurmurHash3 (A. Appleby, public domain). */
export function mixWord(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul(k << 15 | k >>> 17, 0x1b873593);
  const h = hash ^ k;
  return (Math.imul(h << 13 | h >>> 19, 5) + 0xe6546b64) | 0;
}

export function finishHash(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export function hashTwo(a: number, b: number): number {
  return finishHash(mixWord(mixWord(HASH_SEED, a), b));
}

export function hashAddress(words: Uint32Array, at: number): number {
  let h = HASH_SEED;
  for (let i = 0; i < 5; i++) h = mixWord(h, words[at + i]);
  return finishHash(h);
}

/** Moves later entries of the cluster back, so there are no tombstones. `home(value)` is the unmasked hash. */
export function removeEntry(table: Int32Array, slot: number, home: (value: number) => number, empty = -1): void {
  assert(table[slot] !== empty, 'hash: an entry is removed once');
  const mask = table.length - 1;
  let hole = slot;
  let next = (hole + 1) & mask;
  while (table[next] !== empty) {
    const ideal = home(table[next]) & mask;
    if (((next - ideal) & mask) >= ((next - hole) & mask)) {
      table[hole] = table[next];
      hole = next;
    }
    next = (next + 1) & mask;
  }
  table[hole] = empty;
}
