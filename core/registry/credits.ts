// Remembers the operator's newest credits by id, so that the same request again gets its first answer.

import { assert } from '../assert.ts';
import { bytesOf, fixedSection, float64, type Section, uint32, uint8 } from '../columns.ts';
import { CREDIT_ID_BYTES } from '../limits.ts';
import { addToHashIndex, clearHashIndex, createHashIndex, firstInChain, removeFromHashIndex, type HashIndex } from '../math/hash-index.ts';
import { finishHash, HASH_SEED, mixWord } from '../math/hash.ts';

const COUNT = 0;

export type Credits = {
  readonly capacity: number;
  readonly counters: Float64Array;
  /** Rows by number modulo the capacity. Ids are padded with zeros. */
  readonly ids: Uint32Array;
  readonly idBytes: Uint8Array;
  readonly idLength: Uint8Array;
  readonly wallets: Uint32Array;
  readonly amount: Float64Array;
  readonly balance: Float64Array;
  readonly time: Float64Array;
  readonly chains: HashIndex;
};

const WORDS = CREDIT_ID_BYTES / 4;

export function createCredits(capacity: number): Credits {
  const ids = uint32(capacity * WORDS);
  return {
    capacity, counters: float64(1), ids, idBytes: bytesOf(ids), idLength: uint8(capacity), wallets: uint32(capacity * 5),
    amount: float64(capacity), balance: float64(capacity), time: float64(capacity),
    chains: createHashIndex(capacity, (row) => hashId(ids, row * WORDS)),
  };
}

function hashId(words: Uint32Array, at: number): number {
  let hash = HASH_SEED;
  for (let i = 0; i < WORDS; i++) hash = mixWord(hash, words[at + i]);
  return finishHash(hash);
}

/** `words[at]` is padded with zeros. -1 if the id is not known. */
export function findCredit({ chains, ids }: Credits, words: Uint32Array, at: number): number {
  let link = firstInChain(chains, hashId(words, at));
  for (; link !== 0; link = chains.next[link - 1]) {
    let same = 0;
    while (same < WORDS && ids[(link - 1) * WORDS + same] === words[at + same]) same++;
    if (same === WORDS) break;
  }
  return link - 1;
}

type NewCredit = {
  readonly words: Uint32Array; readonly id: number; readonly idLength: number; readonly wallet: number; readonly amount: number;
  readonly balance: number; readonly time: number;
};

/** Replaces the oldest when all rows are used. */
export function addCredit(credits: Credits, credit: NewCredit): number {
  const { capacity, chains, counters, ids, wallets } = credits;
  const { words } = credit;
  assert(credit.idLength > 0 && findCredit(credits, words, credit.id) < 0, 'credits: an id is used once');
  const row = counters[COUNT] % capacity;
  if (counters[COUNT] >= capacity) removeFromHashIndex(chains, row);
  counters[COUNT]++;
  for (let i = 0; i < WORDS; i++) ids[row * WORDS + i] = words[credit.id + i];
  for (let i = 0; i < 5; i++) wallets[row * 5 + i] = words[credit.wallet + i];
  credits.idLength[row] = credit.idLength;
  credits.amount[row] = credit.amount;
  credits.balance[row] = credit.balance;
  credits.time[row] = credit.time;
  addToHashIndex(chains, row);
  return row;
}

export function creditSections(credits: Credits): readonly Section[] {
  const used = (): number => Math.min(credits.counters[COUNT], credits.capacity);
  const per = (name: string, column: Section['column'], width = 1): Section => (
    { name: `credits.${name}`, column, used: () => used() * width }
  );
  return [
    fixedSection('credits.counters', credits.counters), per('ids', credits.ids, WORDS), per('idLength', credits.idLength),
    per('wallets', credits.wallets, 5), per('amount', credits.amount), per('balance', credits.balance), per('time', credits.time),
  ];
}

export function rebuildCredits(credits: Credits): void {
  clearHashIndex(credits.chains);
  for (let row = 0; row < Math.min(credits.counters[COUNT], credits.capacity); row++) addToHashIndex(credits.chains, row);
}
