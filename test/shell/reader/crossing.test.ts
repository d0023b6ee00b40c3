// The search for a change of sign on curves with known zeros: narrow dips between far points, several curves, both directions, none, and
// curves that are nearly zero everywhere, which must have a bounded cost.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { nearestCrossing, type Curve } from '../../../shell/reader/account/crossing.ts';

const LOWEST = 0.01;
const HIGHEST = 10;

/** `slope` times the distance of the index from `tip`, less `depth`: below zero between two zeros only. */
function dip(tip: number, slope: number, depth: number): Curve {
  return (ratio) => ({ convex: slope * Math.abs(ratio - tip), concave: -depth });
}

function close(actual: number | null, expected: number): void {
  assert.ok(actual !== null && Math.abs(actual / expected - 1) < 1e-9, `${actual} is not ${expected}`);
}

test('a dip of any width down to a hundred-thousandth is found, and from within it its nearer end', () => {
  const tips = fc.double({ min: LOWEST * 1.01, max: HIGHEST / 1.01, noNaN: true });
  const halves = fc.integer({ min: -17, max: -8 });
  fc.assert(fc.property(tips, halves, fc.double({ min: 1, max: 1e6, noNaN: true }), (tip, power, slope) => {
    const half = 2 ** power * tip;
    const ends = [tip - half, tip + half].sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
    close(nearestCrossing([dip(tip, slope, slope * half)], LOWEST, HIGHEST), ends[0]!);
  }), { numRuns: 500 });
});

test('of several curves and both sides the nearest counts; below zero, where the last of them rises', () => {
  const [far, near] = [dip(1.5, 1, 0.01), dip(0.9, 1, 0.01)];
  close(nearestCrossing([far, near], LOWEST, HIGHEST), 0.91);
  close(nearestCrossing([near, far], LOWEST, HIGHEST), 0.91);
  // From 0.7 to 1.1 the first is below zero, from 1.05 to 1.45 the second.
  const [first, second] = [dip(0.9, 1, 0.2), dip(1.25, 1, 0.2)];
  close(nearestCrossing([first, second], LOWEST, HIGHEST), 0.7);
  close(nearestCrossing([first, second], 0.8, HIGHEST), 1.45);
  assert.equal(nearestCrossing([first, second], 0.8, 1.4), null);
  assert.equal(nearestCrossing([dip(20, 1, 0.01)], LOWEST, HIGHEST), null);
  assert.equal(nearestCrossing([dip(1, 1, 20)], LOWEST, HIGHEST), null);
  assert.equal(nearestCrossing([dip(0.5, 2, 1)], LOWEST, HIGHEST), 1);
});

test('a curve that is not a number, everywhere or from some point on, has no change of sign there', () => {
  const none: Curve = () => ({ convex: Infinity, concave: -Infinity });
  const upTo = (end: number, curve: Curve): Curve => (ratio) => (ratio < end ? curve(ratio) : { convex: NaN, concave: 0 });
  for (const curves of [[none], [none, dip(0.9, 1, 0.01)], [dip(0.9, 1, 0.2), none]]) {
    assert.doesNotThrow(() => nearestCrossing(curves, LOWEST, HIGHEST));
  }
  assert.equal(nearestCrossing([none], LOWEST, HIGHEST), null);
  assert.equal(nearestCrossing([upTo(1.2, dip(1.5, 1, 0.01))], LOWEST, HIGHEST), null);
  assert.equal(nearestCrossing([upTo(1.2, dip(1, 1, 0.5))], 0.9, HIGHEST), null);
  close(nearestCrossing([upTo(1.2, dip(0.9, 1, 0.01))], LOWEST, HIGHEST), 0.91);
});

test('large terms that cancel cost a bounded number of points, and the change of sign is still found', () => {
  for (const fall of [0, 1e-9]) {
    let points = 0;
    const curve: Curve = (ratio) => {
      points++;
      return { convex: 1e6 * ratio ** 2, concave: 1e-3 - 1e6 * ratio ** 2 - (ratio > 2 ? fall * 1e9 * (ratio - 2) : 0) };
    };
    const found = nearestCrossing(Array.from({ length: 36 }, () => curve), LOWEST, HIGHEST);
    if (fall === 0) assert.equal(found, null);
    else assert.ok(Math.abs(found! - 2.001) < 1e-6, `${found}`);
    assert.ok(points < 8_000, `${points}`);
  }
});
