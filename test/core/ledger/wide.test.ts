// core/ledger/wide against BigInt: any sequence of postings, values to +-2^90, canonical bytes, differences.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { WIDE_LIMBS, addWide, wideDifference, wideToBigInt } from '../../../core/ledger/wide.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const amount = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, -1, MAX, -MAX, 2 ** 40, -(2 ** 40), 2 ** 40 - 1, 1 - 2 ** 40, 1e13, -1e13),
  fc.integer({ min: -5, max: 5 }),
);

function fresh(): Float64Array {
  return new Float64Array(WIDE_LIMBS);
}

/** The row that holds this value. */
function fromBigInt(value: bigint): Float64Array {
  const low = BigInt.asUintN(40, value);
  return Float64Array.of(Number((value - low) / (1n << 40n)), Number(low));
}

function bytes(row: Float64Array): string {
  return Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('hex');
}

const wideValue = fc.oneof(
  fc.bigInt({ min: -(1n << 90n), max: 1n << 90n }),
  fc.tuple(fc.integer({ min: 38, max: 90 }), fc.bigInt({ min: -3n, max: 3n }), fc.boolean())
    .map(([bits, step, negative]) => (negative ? -1n : 1n) * ((1n << BigInt(bits)) + step)),
);

test('after any postings the value is their exact sum in canonical limbs, and the rows beside it are unchanged', () => {
  fc.assert(fc.property(fc.array(amount, { maxLength: 60 }), (amounts) => {
    const rows = new Float64Array(3 * WIDE_LIMBS);
    let sum = 0n;
    for (const micros of amounts) {
      addWide(rows, 1, micros);
      sum += BigInt(micros);
      const [high, low] = [rows[2]!, rows[3]!];
      assert.ok(Number.isSafeInteger(high) && Number.isSafeInteger(low) && low >= 0 && low < 2 ** 40);
      assert.ok(!Object.is(high, -0) && !Object.is(low, -0));
      assert.equal(wideToBigInt(rows, 1), sum);
    }
    assert.deepEqual([rows[0], rows[1], rows[4], rows[5]], [0, 0, 0, 0]);
  }), { numRuns: 5_000 });
});

test('equal values have equal bytes, whatever postings led to them', () => {
  fc.assert(fc.property(wideValue, fc.array(amount, { maxLength: 20 }), (value, detour) => {
    const straight = fromBigInt(value);
    const other = fromBigInt(value);
    for (const micros of detour) addWide(other, 0, micros);
    for (const micros of detour.toReversed()) addWide(other, 0, 0 - micros);
    assert.equal(wideToBigInt(straight, 0), value);
    assert.equal(bytes(other), bytes(straight));
  }), { numRuns: 5_000 });
});

test('the difference of two rows compares with any safe integer as the exact difference does', () => {
  fc.assert(fc.property(wideValue, fc.oneof(wideValue, amount.map(BigInt)), amount, fc.boolean(), (a, b, bound, near) => {
    const left = fromBigInt(a);
    const right = fromBigInt(near ? a + b : b);
    const exact = wideToBigInt(left, 0) - wideToBigInt(right, 0);
    const difference = wideDifference(left, 0, right, 0);
    assert.deepEqual([difference < bound, difference > bound], [exact < BigInt(bound), exact > BigInt(bound)]);
    if (Number.isSafeInteger(difference)) assert.equal(BigInt(difference), exact);
  }), { numRuns: 5_000 });
});

test('four million postings of 1e13 and their reversal are exact and end in zero bytes', () => {
  const row = fresh();
  for (let i = 0; i < 4_000_000; i++) addWide(row, 0, 1e13 + (i & 7));
  assert.equal(wideToBigInt(row, 0), 4_000_000n * 10n ** 13n + 4_000_000n / 8n * 28n);
  for (let i = 0; i < 4_000_000; i++) addWide(row, 0, -1e13 - (i & 7));
  assert.equal(bytes(row), bytes(fresh()));
});
