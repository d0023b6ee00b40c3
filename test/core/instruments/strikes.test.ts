// The strike grid of decision 2.2: known spots, then the bounds of every grid for every spot.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { strikeGrid } from '../../../core/instruments/strikes.ts';
import { formatDecimal, significantFigures } from '../../../core/codec/decimal.ts';

const USDC = 1_000_000;
const MIN_STRIKES = 15;
const MAX_STRIKES = 80;

function gridOf(spot: number, days: number, held = 0): { step: number; low: number; high: number } {
  const grid = { step: 0, low: 0, high: 0 };
  strikeGrid(spot, days, held, grid);
  return grid;
}

const strikesOf = ({ step, low, high }: { step: number; low: number; high: number }): number => (high - low) / step + 1;

test('for known spots, step and range of the strike grid equal the values worked out by hand', () => {
  const table: readonly (readonly [number, number, number, number, number])[] = [
    [100_000, 1, 2_000, 66_000, 134_000], [100_000, 21, 2_500, 50_000, 150_000], [100_000, 200, 5_000, 30_000, 170_000],
    [65_432, 3, 2_000, 44_000, 88_000], [3_000, 1, 50, 1_950, 4_050], [3_000, 300, 100, 900, 5_100], [20, 1, 0.5, 13, 27],
    [0.5, 200, 0.02, 0.16, 0.84],
  ];
  for (const [spot, days, step, low, high] of table) {
    const grid = gridOf(Math.round(spot * USDC), days);
    assert.deepEqual([grid.step / USDC, grid.low / USDC, grid.high / USDC], [step, low, high], `${spot} at ${days} days`);
  }
});

const spot = fc.oneof(
  fc.integer({ min: 1, max: 1e15 }), fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1e15 - 1_000, max: 1e15 }),
  fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 0, max: 11 })).map(([head, zeros]) => Number(`${head}e${zeros}`)),
);
const days = fc.constantFrom(0, 1, 3, 8, 9, 21, 35, 36, 100, 400);
const reachOf = (d: number): bigint => (d <= 8 ? 35n : d <= 35 ? 50n : 70n);

function checkGrid(s: number, d: number, held: number): number {
  const grid = gridOf(s, d, held);
  const { step, low, high } = grid;
  const strikes = strikesOf(grid);
  assert.match(String(step), /^(1|2|25|5)0*$/, 'a round step');
  assert.ok(low > 0 && high <= 1e15 && low % step === 0 && high % step === 0, 'multiples of the step in the range of prices');
  assert.ok(strikes >= MIN_STRIKES && strikes <= MAX_STRIKES, `${strikes} strikes`);
  for (let strike = low; strike <= high; strike += step) assert.ok(significantFigures(formatDecimal(strike, 6)) <= 5);
  if (s < 100) return step;
  const reach = (BigInt(s) * reachOf(d)) / 100n;
  assert.ok(BigInt(low) >= BigInt(s) - reach && BigInt(low) - BigInt(step) < BigInt(s) - reach, 'low is the first within reach');
  const top = BigInt(s) + reach > 10n ** 15n ? 10n ** 15n : BigInt(s) + reach;
  assert.ok(BigInt(high) <= top && BigInt(high) + BigInt(step) > top, 'high is the last within reach');
  if (held === 0) assert.ok(strikes >= 18 && strikes <= 45, `a new expiry has ${strikes} strikes`);
  return step;
}

test('every grid has a round step, 15 to 80 strikes, and covers its range around spot', () => {
  fc.assert(fc.property(spot, days, (s, d) => void checkGrid(s, d, 0)), { numRuns: 5_000 });
});

test('a step is kept while it gives 15 to 80 strikes; otherwise the new step divides it or is a multiple of it', () => {
  fc.assert(fc.property(spot, days, fc.integer({ min: 20, max: 300 }), days, (s, d, percent, later) => {
    const held = checkGrid(s, d, 0);
    const moved = Math.max(1, Math.min(1e15, Math.floor((s / 100) * percent)));
    const next = checkGrid(moved, later, held);
    assert.equal(gridOf(moved, later, next).step, next, 'a step is stable');
    if (s > 1_000 && moved > 1_000) assert.ok(next % held === 0 || held % next === 0, `${held} then ${next}`);
  }), { numRuns: 5_000 });
});

test('when spot drifts, strikes are only added, on the same grid', () => {
  const first = gridOf(100_000 * USDC, 100);
  const listed = new Set<number>();
  for (let s = 100_000; s <= 130_000; s += 500) {
    const grid = gridOf(s * USDC, 100, first.step);
    assert.equal(grid.step, first.step);
    for (let strike = grid.low; strike <= grid.high; strike += grid.step) listed.add(strike);
  }
  const all = [...listed].sort((a, b) => a - b);
  all.forEach((strike, i) => assert.equal(strike, first.low + i * first.step));
});

test('when an expiry comes nearer, its new step is a divisor of the old one', () => {
  assert.equal(gridOf(98_000 * USDC, 200).step, 5_000 * USDC);
  assert.equal(gridOf(98_000 * USDC, 3, 5_000 * USDC).step, 2_500 * USDC);
  assert.equal(gridOf(98_000 * USDC, 3).step, 2_000 * USDC);
});
