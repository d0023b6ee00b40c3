// Price keys: every price of at most 5 significant figures has one, in order and without gaps; no other number has one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { priceKeyOf, priceOfKey } from '../../../core/book/price-key.ts';
import { MAX_PRICE } from '../../../core/limits.ts';

const MAX_KEY = 1_000_000;

/** Significant figures of an integer, by its decimal text. */
function figuresOf(price: number): number {
  return BigInt(price).toString().replace(/0+$/, '').length;
}

test('every key has a price above that of the key before, and converts back to the same key', () => {
  let before = 0;
  for (let key = 1; key <= MAX_KEY; key++) {
    const price = priceOfKey(key);
    if (!(price > before) || priceKeyOf(price) !== key) assert.fail(`key ${key}, price ${price}, before ${before}`);
    before = price;
  }
  assert.equal(before, MAX_PRICE);
});

test('every mantissa of 5 figures has a key in every decade', () => {
  let count = 0;
  for (let exponent = 0; exponent <= 10; exponent++) {
    for (let mantissa = 1; mantissa <= 99_999; mantissa++) {
      const price = mantissa * 10 ** exponent;
      if (price > MAX_PRICE) break;
      if (priceOfKey(priceKeyOf(price)) !== price) assert.fail(`price ${price}`);
      count++;
    }
  }
  assert.equal(count, 11 * 99_999);
});

test('a price has a key if and only if it has at most 5 significant figures', () => {
  const prices = fc.oneof(
    fc.integer({ min: 1, max: MAX_PRICE }),
    fc.tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 8 })).map(([m, e]) => m * 10 ** e),
    fc.tuple(fc.integer({ min: 1, max: MAX_KEY }), fc.integer({ min: -1, max: 1 })).map(([key, by]) => priceOfKey(key) + by),
  ).filter((price) => price >= 1 && price <= MAX_PRICE);
  fc.assert(fc.property(prices, (price) => (priceKeyOf(price) !== -1) === figuresOf(price) <= 5), { numRuns: 20_000 });
});

test('keys keep the order of prices', () => {
  const keys = fc.integer({ min: 1, max: MAX_KEY });
  fc.assert(fc.property(keys, keys, (a, b) => Math.sign(a - b) === Math.sign(priceOfKey(a) - priceOfKey(b))), { numRuns: 5_000 });
});

test('a number that is not a valid price has no key', () => {
  const bad = [0, -0, -1, 0.5, 1.5, 99_999.5, 123_456, 1_000_001, 1e15 + 1, 1e16, 1.0001e15, -1e15, NaN, Infinity, -Infinity];
  for (const price of bad) assert.equal(priceKeyOf(price), -1, String(price));
});
