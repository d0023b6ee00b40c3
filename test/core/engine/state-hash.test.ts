// The state hash covers every used byte of every section, up to the last partial word, and no byte after the used length.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { hashSections } from '../../../core/snapshot/hash.ts';
import type { Section } from '../../../core/columns.ts';

/** The hash takes four words (16 bytes) at a time: lengths around multiples of that, with and without a partial last word. */
const LENGTHS = [0, 1, 3, 4, 7, 8, 15, 16, 17, 20, 31, 32, 35];
const ROOM = 40;

function section(name: string, bytes: Uint8Array, used: number): Section {
  return { name, column: bytes, used: () => used };
}

function hash(...sections: readonly Section[]): string {
  return hashSections(sections).join(' ');
}

/** Bytes without a repeating pattern. */
function filled(): Uint8Array {
  return Uint8Array.from({ length: ROOM }, (_, at) => (at * 37 + 11) & 0xff);
}

test('a change of any used bit changes the hash; a change after the used length does not', () => {
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

test('sections that differ only in length, in name or in where they are split have different hashes', () => {
  const zeros = (): Uint8Array => new Uint8Array(ROOM);
  const seen = new Set(LENGTHS.map((used) => hash(section('one', zeros(), used))));
  assert.equal(seen.size, LENGTHS.length, 'zeros of different lengths');
  const split = (first: number): string => hash(section('one', zeros(), first), section('two', zeros(), 32 - first));
  assert.notEqual(split(16), split(32), 'the same zeros, split elsewhere');
  assert.notEqual(hash(section('one', filled(), 16)), hash(section('two', filled(), 16)));
});
