// Text that is built as bytes equals the text that everything else makes of the same numbers: the core's formatDecimal and the language's
// own strings.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { Ascii } from '../../../shell/reader/ascii.ts';

const MOST = Number.MAX_SAFE_INTEGER;
/** Numbers of every length alike. */
const number = fc.tuple(fc.integer({ min: 0, max: 15 }), fc.maxSafeNat()).map(([digits, value]) => Math.floor(value / 10 ** digits));
const EDGES = [0, 9, 10, 99, 100, 9_999_999, 10_000_000, 10_000_001, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, MOST];

test('property: whole numbers and amounts equal those of formatDecimal', () => {
  const text = new Ascii();
  const check = (value: number): void => {
    assert.equal(text.begin().whole(value).toString(), `${value}`);
    for (const amount of [value, -value]) assert.equal(text.begin().micro(amount).toString(), formatDecimal(amount, DECIMALS));
  };
  EDGES.forEach(check);
  for (const unit of [1, 10, 100_000, 999_999, 1_000_000, 1_000_001, 1_100_000]) check(unit);
  fc.assert(fc.property(number, check));
});

test('property: a text of any length is whole, and the next begins empty', () => {
  const text = new Ascii();
  fc.assert(fc.property(fc.array(fc.string({ unit: 'binary-ascii', maxLength: 3_000 }), { maxLength: 8 }), (parts) => {
    text.begin();
    for (const part of parts) text.text(part).whole(7);
    const whole = parts.map((part) => `${part}7`).join('');
    assert.deepEqual([text.toString(), Buffer.from(text.bytes()).toString('latin1'), text.isEmpty], [whole, whole, whole === '']);
  }));
});
