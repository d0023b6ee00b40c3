// core/math/exact against BigInt: extreme ranges, products next to a multiple or a half of the divisor, overflow.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { clampSafe, isSafe, mulDivCeil, mulDivFloor, mulDivHalfUp, mulDivFloorWide, mulDivCeilWide } from '../../../core/math/exact.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const RUNS = 200_000;

test('the exact range ends at 2^53 - 1 on either side', () => {
  for (const value of [0, 1, -1, MAX, -MAX]) assert.deepEqual([isSafe(value), clampSafe(value)], [true, value]);
  for (const value of [MAX + 1, 2 ** 60, Infinity]) {
    assert.deepEqual([isSafe(value), clampSafe(value), isSafe(-value), clampSafe(-value)], [false, MAX, false, -MAX]);
  }
  assert.equal(isSafe(NaN), false);
});

function limited(value: bigint): number {
  if (value > BigInt(MAX)) return Infinity;
  return value < -BigInt(MAX) ? -Infinity : Number(value);
}

function floorOf(numerator: bigint, divisor: bigint): bigint {
  const quotient = numerator / divisor;
  return numerator % divisor < 0n ? quotient - 1n : quotient;
}

function check(a: number, b: number, divisor: number): void {
  const product = BigInt(a) * BigInt(b);
  const by = BigInt(divisor);
  const magnitude = product < 0n ? -product : product;
  const nearest = (2n * magnitude + by) / (2n * by);
  const name = `${a} * ${b} / ${divisor}`;
  assert.ok(Object.is(mulDivFloor(a, b, divisor), limited(floorOf(product, by))), `floor ${name}`);
  assert.ok(Object.is(mulDivCeil(a, b, divisor), limited(-floorOf(-product, by))), `ceil ${name}`);
  assert.ok(Object.is(mulDivHalfUp(a, b, divisor), limited(product < 0n ? -nearest : nearest)), `half up ${name}`);
}

/** A non-negative safe integer of uniform bit length, so that small and huge ones are combined. */
const anyBits = fc.tuple(fc.integer({ min: 0, max: 53 }), fc.maxSafeNat()).map(([bits, value]) => value % 2 ** bits);
const signed = fc.tuple(anyBits, fc.boolean()).map(([value, negative]) => (negative ? 0 - value : value));
const divisor = fc.oneof(
  fc.constantFrom(1, 2, 3, 10, 100, 10_000, 1_000_000, 3_600_000, 1e12, 1e15, 2 ** 52, MAX - 1, MAX),
  anyBits.map((value) => Math.max(1, value)),
);

test('for any a, b and divisor, all three roundings equal BigInt', () => {
  fc.assert(fc.property(signed, anyBits, divisor, check), { numRuns: RUNS });
});

test('for 53-bit factors and any divisor, all three roundings equal BigInt', () => {
  const huge = fc.integer({ min: 2 ** 52, max: MAX });
  fc.assert(fc.property(huge, huge, fc.oneof(huge, divisor), check), { numRuns: RUNS / 4 });
});

test('for quotients next to an integer or a half, all three roundings equal BigInt', () => {
  fc.assert(fc.property(anyBits, anyBits, divisor, fc.boolean(), fc.integer({ min: -2, max: 2 }), (quotient, b, by, half, step) => {
    const target = half ? (BigInt(quotient) * BigInt(by) * 2n + BigInt(by)) / 2n : BigInt(quotient) * BigInt(by);
    const a = target / BigInt(Math.max(1, b)) + BigInt(step);
    if (a >= 0n && a <= BigInt(MAX)) check(Number(a), Math.max(1, b), by);
  }), { numRuns: RUNS / 2 });
});

test('for exact multiples of the divisor, all three roundings give the exact quotient', () => {
  const full = fc.integer({ min: 2 ** 51, max: MAX });
  fc.assert(fc.property(full, anyBits, fc.integer({ min: 1, max: 1000 }), (quotient, by, factor) => {
    const unit = Math.max(1, Math.floor(by / factor));
    check(quotient, unit, unit);
    check(quotient, unit * factor, unit * factor);
    check(Math.floor(quotient / factor), unit * factor, unit);
  }), { numRuns: RUNS / 2 });
});

test('price times size at the limits of the venue equals BigInt, and overflow is infinite', () => {
  for (const a of [1, 999_999, 1_000_001, 1e15 - 1, 1e15]) {
    for (const b of [1, 499_999, 500_000, 500_001, 1e6 + 1, 1e15 - 1, 1e15]) check(a, b, 1_000_000);
  }
  assert.equal(mulDivHalfUp(1e15, 9e6, 1e6), 9e15);
  assert.equal(mulDivHalfUp(1e15, 1e15, 1e6), Infinity);
  assert.equal(mulDivHalfUp(-1e15, 1e15, 1e6), -Infinity);
});

test('results on both sides of 2^53 - 1 equal BigInt: the last safe one is exact, larger ones are infinite', () => {
  for (const by of [1, 2, 3, 1_000_000, MAX - 1, MAX]) {
    for (const [a, b] of [[MAX, by], [MAX - 1, by], [MAX, Math.min(MAX, by + 1)]] as const) check(a, b, by);
    if (by === MAX) continue;
    // The least a with a * (by + 1) / by >= MAX: a remainder above 0 makes only the rounded-up results too large.
    const least = Number((BigInt(MAX) * BigInt(by) + BigInt(by)) / BigInt(by + 1));
    for (const step of [-1, 0, 1]) check(least + step, by + 1, by);
  }
  check(94_906_267, 94_906_267, 1);
  check(94_906_265, 94_906_267, 1);
});

test('weighUp and weighDown are exact in the safe range; beyond it they are finite, within a unit and a part in 2^48', () => {
  // Each argument may exceed the safe range, the divisor too: they are sums of requirements.
  const far = fc.tuple(anyBits, fc.integer({ min: 0, max: 30 })).map(([value, bits]) => value * 2 ** bits);
  fc.assert(fc.property(far, far, far, (a, b, by) => {
    const divisor = Math.max(1, by);
    const [up, down] = [mulDivCeilWide(a, b, divisor), mulDivFloorWide(a, b, divisor)];
    const product = BigInt(a) * BigInt(b);
    const floor = product / BigInt(divisor);
    const ceil = -floorOf(-product, BigInt(divisor));
    const isWithin = [a, b, divisor].every(isSafe);
    if (isWithin && ceil <= BigInt(MAX)) assert.deepEqual([up, down], [Number(ceil), Number(floor)]);
    const off = floor / 2n ** 48n + 1n;
    for (const [value, exact] of [[up, ceil], [down, floor]] as const) {
      assert.ok(Number.isInteger(value), `${a} * ${b} / ${divisor} is ${value}`);
      assert.ok(BigInt(value) - exact <= off && exact - BigInt(value) <= off, `${a} * ${b} / ${divisor} is ${value}`);
    }
    assert.ok(BigInt(down) <= floor, `${a} * ${b} / ${divisor} is at least ${down}`);
  }), { numRuns: RUNS / 2 });
});
