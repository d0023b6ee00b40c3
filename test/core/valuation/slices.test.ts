// There is no butterfly arbitrage in a slice or in a mixture of two, on a dense grid of log-moneyness and for every allowed shape: the
// density that total variance w implies is nowhere below 0 (J. Gatheral, A. Jacquier, "Arbitrage-free SVI volatility surfaces", lemma 2.2),
//   g = (1 - k w' / 2w)^2 - w'^2 / 4 (1 / w + 1 / 4) + w'' / 2 >= 0.
// The derivatives come from the formula in the head of core/valuation/slices; its code only computes w.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { CHI, PSI, sliceVariance, stretchSlice, THETA, writeSlice } from '../../../core/valuation/slices.ts';
import { floats, powers } from '../pricing/support.ts';

/** Log-moneyness on both sides of the money, up to 20 times the forward. */
const GRID = Array.from({ length: 60 }, (_, i) => 3 * 10 ** (-i / 12)).flatMap((k) => [k, -k]);

type Jet = readonly [w: number, slope: number, bend: number];

function jet(slices: Float64Array, at: number, k: number): Jet {
  const [theta, psi, chi] = [slices[at + THETA]!, slices[at + PSI]!, slices[at + CHI]!];
  const root = Math.sqrt(psi * psi * k * k + 2 * chi * theta * k + theta * theta);
  const w = (theta + chi * k + root) / 2;
  assert.ok(Math.abs(sliceVariance(slices, at, k) / w - 1) < 1e-9, `${sliceVariance(slices, at, k)}, expected ${w}`);
  const inner = psi * psi * k + chi * theta;
  return [w, (chi + inner / root) / 2, theta * theta * (psi * psi - chi * chi) / (2 * root ** 3)];
}

function density([w, slope, bend]: Jet, k: number): number {
  return (1 - k * slope / (2 * w)) ** 2 - slope * slope / 4 * (1 / w + 0.25) + bend / 2;
}

const level = fc.oneof(powers(-2, Math.log10(5)), floats(0.3, 1));
const skew = fc.oneof(floats(-5, 5), floats(-0.5, 0.5), fc.constantFrom(-5, 5));
const curvature = fc.oneof(floats(-25, 25), floats(-1, 1), fc.constantFrom(-25, 25));
const shape = fc.tuple(level, skew, curvature);

test('there is no butterfly arbitrage in a slice, in a slice stretched to another time or in a mixture of two', () => {
  const slices = new Float64Array(9);
  const later = fc.oneof(floats(1, 2), powers(0, 4));
  fc.assert(fc.property(shape, shape, powers(-6, 0.3), later, floats(0, 1), (early, late, years, ratio, share) => {
    writeSlice(slices, 0, ...early, years);
    writeSlice(slices, 3, ...late, Math.min(2, years * ratio));
    stretchSlice(slices, 6, 0, ratio);
    for (const k of GRID) {
      const [one, other, stretched] = [jet(slices, 0, k), jet(slices, 3, k), jet(slices, 6, k)];
      const mixed = one.map((word, i) => word * (1 - share) + other[i]! * share) as unknown as Jet;
      for (const each of [one, other, stretched, mixed]) assert.ok(density(each, k) > -1e-9, `${density(each, k)} at ${k}`);
    }
  }), { numRuns: 4_000 });
});
