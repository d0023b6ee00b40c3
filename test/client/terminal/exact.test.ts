// Exact sums of decimal texts, as the page totals its rows, against whole numbers of millionths.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { difference, isNegative, magnitude, sumOf } from '../../../client/terminal/exact.ts';

const MICROS = 1_000_000n;
const micros = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });

test('given any amounts of at most 6 decimals, then their sum and difference are exact', () => {
  fc.assert(fc.property(fc.array(micros), (amounts) => {
    assert.equal(microsOf(sumOf(amounts.map(textOf))), amounts.reduce((sum, one) => sum + one, 0n));
  }));
  fc.assert(fc.property(micros, micros, (one, other) => {
    assert.equal(microsOf(difference(textOf(one), textOf(other))), one - other);
  }));
});

test('given a sum, then it has no zeros at its end and no sign at zero', () => {
  assert.equal(sumOf(['0.5', '-0.5']), '0');
  assert.equal(sumOf(['1.25', '0.75']), '2');
  assert.equal(sumOf(['-0.05', '0.02']), '-0.03');
  assert.equal(sumOf([]), '0');
  assert.deepEqual([magnitude('-0.3'), magnitude('0.3'), isNegative('-0.3'), isNegative('0.3')], ['0.3', '0.3', true, false]);
});

/** Decimal text of millionths, with all six decimals. */
function textOf(amount: bigint): string {
  const whole = amount < 0n ? -amount : amount;
  return `${amount < 0n ? '-' : ''}${whole / MICROS}.${String(whole % MICROS).padStart(6, '0')}`;
}

function microsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
