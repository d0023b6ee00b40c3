// How the page writes figures: the venue's digits stay as they are, whatever is grouped or moved.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { ABSENT, percent, plainText, price, priceOrNone, rounded, signed, timeLeft } from '../../../client/terminal/format.ts';

const digitsOf = (text: string): string => text.replace(/[^0-9]/g, '').replace(/^0+/, '').replace(/0+$/, '');

test('given any number of the venue, then its price text has the same digits and reads back as the same number', () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), (value) => {
    assert.ok(Number(price(value).replaceAll(',', '').replace('−', '-')) === value);
    assert.ok(Number(plainText(value)) === value);
    assert.doesNotMatch(plainText(value), /e/i);
  }));
});

test('given any decimal, then percent moves the point by two places and keeps the digits', () => {
  fc.assert(fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 8 }), (whole, places) => {
    const text = (whole / 10 ** places).toFixed(places);
    const shown = percent(text).replaceAll(',', '').replace('−', '-');
    assert.equal(digitsOf(shown), digitsOf(text));
    assert.ok(Math.abs(Number(shown) - Number(text) * 100) <= 1e-9 * Math.abs(whole) + 1e-9);
  }));
});

test('given the figures of a chain, then they are written as people read them', () => {
  assert.deepEqual([price(33657), price('1234567.50'), price(-0.5), price(4.2e-7), price(null)], [
    '33,657', '1,234,567.50', '−0.5', '0.00000042', ABSENT,
  ]);
  assert.deepEqual([0.600178, '0.6', 5.136156, 0.00005, 0].map(percent), ['60.0178', '60', '513.6156', '0.005', '0']);
  assert.deepEqual([signed(0.53), signed(-0.47), signed(0), signed(undefined)], ['+0.53', '−0.47', '0', ABSENT]);
  assert.deepEqual([priceOrNone(0), priceOrNone(0.5)], [ABSENT, '0.5']);
});

test('given a time left, then its two largest units are told, and never less than nothing', () => {
  assert.deepEqual([90_000_000, 11_520_000, 65_000, -5].map(timeLeft), ['1 d 1 h', '3 h 12 min', '1 min 05 s', '0 min 00 s']);
});

test('given a figure with too many digits, then it is rounded half away from zero, and nothing rounds to minus zero', () => {
  const cases = [[0.99999, '1.000'], [-0.4995, '-0.500'], ['-0.0004', '0.000'], [12, '12.000'], ['0.1235', '0.124'], [1e-9, '0.000']];
  for (const [value, text] of cases) assert.equal(rounded(value!, 3), text);
  assert.deepEqual([rounded('2.5', 0), rounded('-999.999', 2), rounded(null, 3)], ['3', '-1000.00', null]);
});
