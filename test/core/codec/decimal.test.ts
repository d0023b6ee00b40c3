// Decimal texts: the cases of decisions 2.3 and 2.4, and every parser against BigInt on random texts.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { formatDecimal, parseCanonical, parsePrice, parseSize, significantFigures } from '../../../core/codec/decimal.ts';
import {
  PRICE_DECIMALS, PRICE_FIGURES, PRICE_NOT_POSITIVE, PRICE_TOO_HIGH, SIZE_NOT_POSITIVE, SIZE_TOO_LARGE,
} from '../../../core/errors.ts';

const FORM = /^[0-9]{1,20}(\.[0-9]{1,18})?$/;
const MALFORMED = [
  '', ' ', '.', '.5', '5.', '-1', '+1', '1e3', '1E3', '0x10', 'NaN', 'Infinity', '1_000', '1,000', ' 1', '1 ', '1.2.3', '1..2',
  '١', '１', '1\n', '\u00001', '1'.repeat(21), `1.${'1'.repeat(19)}`, '1'.repeat(100_000),
];

/** The text as an integer of 1e-18, or -1 if it is not a number text. */
function atto(text: string): bigint {
  if (!FORM.test(text) || text.endsWith('\n')) return -1n;
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole! + fraction.padEnd(18, '0'));
}

function figures(value: bigint): number {
  return value <= 0n ? 0 : value.toString().replace(/0+$/, '').length;
}

const UNIT = 10n ** 12n;
const MOST = 10n ** 27n;

function expectedPrice(text: string): number {
  const value = atto(text);
  if (value <= 0n) return -PRICE_NOT_POSITIVE;
  if (figures(value) > 5) return -PRICE_FIGURES;
  if (value % UNIT !== 0n) return -PRICE_DECIMALS;
  return value > MOST ? -PRICE_TOO_HIGH : Number(value / UNIT);
}

function expectedSize(text: string): number {
  const units = atto(text) / UNIT;
  if (units <= 0n) return -SIZE_NOT_POSITIVE;
  return units > MOST / UNIT ? -SIZE_TOO_LARGE : Number(units);
}

/** Number texts of every length, many zeros among them, and damaged ones. */
const digits = (max: number) => fc.array(fc.constantFrom(...'0000123456789'), { minLength: 1, maxLength: max, size: 'max' })
  .map((list) => list.join(''));
const zeros = fc.integer({ min: 0, max: 20 }).map((n) => '0'.repeat(n));
const sparse = fc.tuple(zeros, digits(6), zeros, zeros, digits(6)).map(([a, b, c, d, e]) => `${a}${b}${c}.${d}${e}`);
const numberText = fc.oneof(
  digits(22), fc.tuple(digits(12), digits(20)).map(([a, b]) => `${a}.${b}`), sparse,
  fc.tuple(digits(5), zeros).map(([a, b]) => a + b), fc.string({ unit: fc.constantFrom(...'01.9-e ') }), fc.string(),
);

test('for random texts, price, size and significant figures agree with BigInt arithmetic, and the first failed check is returned', () => {
  fc.assert(fc.property(numberText, (text) => {
    assert.equal(significantFigures(text), figures(atto(text)));
    assert.equal(parsePrice(text), expectedPrice(text));
    assert.equal(parseSize(text), expectedSize(text));
  }), { numRuns: 20_000 });
});

test('malformed texts and zeros are refused as a price and as a size that is not positive', () => {
  for (const text of [...MALFORMED, '0', '0.0', '000', '0.000000000000000000']) {
    assert.equal(parsePrice(text), -PRICE_NOT_POSITIVE, JSON.stringify(text.slice(0, 30)));
    assert.equal(parseSize(text), -SIZE_NOT_POSITIVE, JSON.stringify(text.slice(0, 30)));
    assert.equal(significantFigures(text), 0);
  }
});

test('significant figures are counted on the value, without leading and trailing zeros', () => {
  const table: readonly (readonly [string, number])[] = [
    ['100000', 1], ['100.000', 1], ['123456', 6], ['0.00012', 2], ['100.01', 5], ['100.001', 6], ['007', 1], ['10203', 5],
    ['0.1020', 3], ['1.0', 1], ['98765000000000000000', 5],
  ];
  for (const [text, count] of table) assert.equal(significantFigures(text), count, text);
});

test('prices: each rule at its limits; a price that breaks two rules is refused by the first', () => {
  const table: readonly (readonly [string, number])[] = [
    ['100.0', 100_000_000], ['0100.0', 100_000_000], ['0.000001', 1], ['12345', 12_345_000_000], ['1.2345', 1_234_500],
    ['123456', -PRICE_FIGURES], ['1.23456', -PRICE_FIGURES], ['0.0000001', -PRICE_DECIMALS], ['0.00000100', 1],
    ['0.012345', 12_345], ['0.0012345', -PRICE_DECIMALS], ['1000000000', 1e15], ['1000000000.000000', 1e15],
    ['1000100000', -PRICE_TOO_HIGH], ['99999999999999999999', -PRICE_FIGURES], ['90000000000000000000', -PRICE_TOO_HIGH],
    ['1000000000.0000001', -PRICE_FIGURES], ['0.0000001234567', -PRICE_FIGURES],
  ];
  for (const [text, expected] of table) assert.equal(parsePrice(text), expected, text);
});

test('sizes: decimals after the sixth are cut, and the limit applies to the size that is left', () => {
  const table: readonly (readonly [string, number])[] = [
    ['0.1', 100_000], ['1', 1_000_000], ['0.0000019', 1], ['0.0000009', -SIZE_NOT_POSITIVE], ['123456.7654321', 123_456_765_432],
    ['1000000000', 1e15], ['1000000000.0000009', 1e15], ['1000000000.000001', -SIZE_TOO_LARGE], ['99999999999999999999', -SIZE_TOO_LARGE],
    ['999999999.999999999999999999', 999_999_999_999_999],
  ];
  for (const [text, expected] of table) assert.equal(parseSize(text), expected, text);
});

test('formatDecimal writes no exponent and no trailing zeros, and is exact up to 2^53 - 1', () => {
  assert.equal(formatDecimal(0, 6), '0');
  assert.equal(formatDecimal(-0, 6), '0');
  assert.equal(formatDecimal(1, 6), '0.000001');
  assert.equal(formatDecimal(-1_500_000, 6), '-1.5');
  assert.equal(formatDecimal(Number.MAX_SAFE_INTEGER, 6), '9007199254.740991');
  assert.equal(formatDecimal(Number.MIN_SAFE_INTEGER, 0), '-9007199254740991');
  assert.equal(formatDecimal(Number.MAX_SAFE_INTEGER, 15), '9.007199254740991');
  for (const value of [NaN, Infinity, -Infinity]) assert.throws(() => formatDecimal(value, 6), /no decimal text/);
  fc.assert(fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 15 }), (value, decimals) => {
    const text = formatDecimal(value, decimals);
    assert.match(text, /^(0|-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?)$/);
    const [whole, fraction = ''] = text.replace('-', '').split('.');
    const back = BigInt(whole! + fraction.padEnd(decimals, '0'));
    assert.equal(text.startsWith('-') ? -back : back, BigInt(value));
  }), { numRuns: 5_000 });
});

test('parseCanonical accepts the output of formatDecimal and no other text', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1e15 }), fc.string(), fc.string(), (value, before, after) => {
    const text = formatDecimal(value, 6);
    assert.equal(parseCanonical(before + text + after, before.length, before.length + text.length), value);
  }));
  fc.assert(fc.property(numberText, (text) => {
    const value = parseCanonical(text, 0, text.length);
    if (value === 0) assert.ok(expectedPrice(text) < 0 || formatDecimal(expectedPrice(text), 6) !== text, text);
    else assert.equal(formatDecimal(value, 6), text);
  }), { numRuns: 10_000 });
  for (const text of ['0', '0.0', '00.5', '05', '5.0', '5.50', '5.', '.5', '1000000000.000001', '0.0000001', ...MALFORMED]) {
    assert.equal(parseCanonical(text, 0, text.length), 0, JSON.stringify(text.slice(0, 30)));
  }
});
