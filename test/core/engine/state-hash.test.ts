// The hash of a state: whatever is in use counts, the words and bytes at the end of a section too, and nothing that is not.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { hashSections } from '../../../core/snapshot/hash.ts';
import type { Section } from '../../../core/columns.ts';

/** Lanes take four words at a time: lengths on both sides of that, with and without bytes that make no word. */
const LENGTHS = [0, 1, 3, 4, 7, 8, 15, 16, 17, 20, 31, 32, 35];
const ROOM = 40;

function section(name: string, bytes: Uint8Array, used: number): Section {
  return { name, column: bytes, used: () => used };
}

function hash(...sections: readonly Section[]): string {
  return hashSections(sections).join(' ');
}

/** No bit of it is a repetition of its neighbours'. */
function filled(): Uint8Array {
  return Uint8Array.from({ length: ROOM }, (_, at) => (at * 37 + 11) & 0xff);
}

test('every bit in use changes the hash, and none beyond', () => {
  for (const used of LENGTHS) {
    const bytes = filled();
    const before = hash(section('one', bytes, used));
    for (let bit = 0; bit < ROOM * 8; bit++) {
      bytes[bit >>> 3]! ^= 1 << (bit & 7);
      const after = hash(section('one', bytes, used));
      if (bit < used * 8) assert.notEqual(after, before, `bit ${bit} of ${used} bytes`);
      else assert.equal(after, before, `bit ${bit} beyond ${used} bytes`);
      bytes[bit >>> 3]! ^= 1 << (bit & 7);
    }
  }
});

test('the lengths of sections and their names change the hash', () => {
  const zeros = (): Uint8Array => new Uint8Array(ROOM);
  const seen = new Set(LENGTHS.map((used) => hash(section('one', zeros(), used))));
  assert.equal(seen.size, LENGTHS.length, 'zeros of different lengths');
  const split = (first: number): string => hash(section('one', zeros(), first), section('two', zeros(), 32 - first));
  assert.notEqual(split(16), split(32), 'the same zeros, cut elsewhere');
  assert.notEqual(hash(section('one', filled(), 16)), hash(section('two', filled(), 16)));
});
