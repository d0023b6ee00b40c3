// The growing hash index against a plain set: after any insertions and removals a row is found under its hash only, and chains
// stay short if hashes are spread.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { clearHashIndex, createHashIndex, addToHashIndex, firstInChain, removeFromHashIndex,
  type HashIndex } from '../../../core/math/hash-index.ts';
import { hashTwo } from '../../../core/math/hash.ts';

const ROWS = 500;

function chainFor(chains: HashIndex, hash: number): number[] {
  const rows: number[] = [];
  for (let link = firstInChain(chains, hash); link !== 0; link = chains.next[link - 1]!) rows.push(link - 1);
  return rows;
}

test('a row is in the chain of its hash from its insertion to its removal, for few hashes and for many', () => {
  const moves = fc.array(fc.nat(ROWS - 1), { maxLength: 1_500 });
  fc.assert(fc.property(moves, fc.constantFrom(0, 1, 7, 0xffffffff), (order, mask) => {
    const hashOf = (row: number): number => (hashTwo(row, 3) & mask) >>> 0;
    const chains = createHashIndex(ROWS, hashOf);
    const entered = new Set<number>();
    for (const row of order) {
      if (entered.delete(row)) removeFromHashIndex(chains, row);
      else {
        entered.add(row);
        addToHashIndex(chains, row);
      }
    }
    for (let row = 0; row < ROWS; row++) {
      const found = chainFor(chains, hashOf(row)).filter((one) => one === row).length;
      assert.equal(found, entered.has(row) ? 1 : 0);
    }
    clearHashIndex(chains);
    assert.ok(Array.from({ length: 64 }, (_, hash) => chainFor(chains, hash)).every((rows) => rows.length === 0));
  }), { numRuns: 200 });
});

test('the index grows with the rows, so chains stay short and a small index uses few heads', () => {
  const capacity = 65_536;
  const chains = createHashIndex(capacity, (row) => hashTwo(row, 5));
  for (let row = 0; row < 40_000; row++) {
    addToHashIndex(chains, row);
    if (row === 999) assert.ok(chains.heads.subarray(1_024).every((head) => head === 0));
  }
  const lengths = Array.from({ length: 40_000 }, (_, row) => chainFor(chains, hashTwo(row, 5)).length);
  assert.ok(Math.max(...lengths) < 16, `${Math.max(...lengths)}`);
});
