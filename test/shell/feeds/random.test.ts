// The random numbers of the simulated feed: determined by their seed, and with the right moments.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../shell/feeds/random.ts';

const COUNT = 200_000;

function draw(make: () => number): number[] {
  return Array.from({ length: COUNT }, make);
}

/** Mean of a power. */
function moment(values: readonly number[], power: number): number {
  return values.reduce((sum, value) => sum + value ** power, 0) / values.length;
}

test('the same seed gives the same numbers, another seed others', () => {
  const first = (seed: number): number[] => Array.from({ length: 8 }, createRandom(seed).uniform);
  assert.deepEqual(first(7), first(7));
  const all = new Set([0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff].flatMap(first));
  assert.equal(all.size, 7 * 8);
});

for (const seed of [0, 1, 2]) {
  test(`seed ${seed}: uniform numbers are uniform, normal ones normal, neighbours independent`, () => {
    const random = createRandom(seed);
    const uniform = draw(random.uniform);
    assert.ok(uniform.every((value) => value >= 0 && value < 1));
    // Bounds of five standard errors.
    const within = (value: number, expected: number, variance: number): void => {
      assert.ok(Math.abs(value - expected) < 5 * Math.sqrt(variance / COUNT), `${value}, expected ${expected}`);
    };
    within(moment(uniform, 1), 1 / 2, 1 / 12);
    within(moment(uniform, 2), 1 / 3, 4 / 45);
    const normal = draw(random.normal);
    within(moment(normal, 1), 0, 1);
    within(moment(normal, 2), 1, 2);
    within(moment(normal, 3), 0, 15);
    within(moment(normal, 4), 3, 96);
    within(moment(normal.slice(1).map((value, at) => value * normal[at]!), 1), 0, 1);
  });
}
