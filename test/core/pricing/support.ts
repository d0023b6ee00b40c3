// Shared by the pricing tests: ranges of floats, comparison, and numeric derivatives to compare greeks with.
// Floats in the units of core/pricing.
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';

export function assertWithin(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected} +- ${tolerance}`);
}

/** Uniform over [min, max]. */
export function floats(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 2 ** 31 - 1 }).map((i) => min + (max - min) * (i / (2 ** 31 - 1)));
}

/** 10^low to 10^high, uniform in the exponent. */
export function powers(low: number, high: number): fc.Arbitrary<number> {
  return floats(low, high).map((power) => 10 ** power);
}

/** (f(x + h) - f(x - h)) / 2h, extrapolated once (Richardson), so its own error is of order h^4. */
export function slope(f: (x: number) => number, x: number, h: number): number {
  const central = (step: number): number => (f(x + step) - f(x - step)) / (2 * step);
  return (4 * central(h / 2) - central(h)) / 3;
}
