// The pace of the simulated feed: one step per second, however the turns fall; a few of them are shown, always with the newest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTurn } from '../../../shell/feeds/sim-timer.ts';

/** Takes a turn; answers its end, the steps made and the times shown. */
function turn(last: number, time: number): { end: number; steps: number; shown: number[]; rests: number } {
  const seen = { steps: 0, shown: [] as number[], rests: 0 };
  const end = runTurn(last, time, {
    step: () => { seen.steps++; }, show: (at) => seen.shown.push(at), rest: () => { seen.rests++; },
  });
  return { end, ...seen };
}

test('a second that is not over is not made yet', () => {
  assert.deepEqual(turn(5_000, 5_999), { end: 5_000, steps: 0, shown: [], rests: 0 });
  assert.deepEqual(turn(5_000, 6_000), { end: 6_000, steps: 1, shown: [6_000], rests: 1 });
});

test('a few late seconds are all shown, in order', () => {
  assert.deepEqual(turn(5_000, 8_250), { end: 8_000, steps: 3, shown: [6_000, 7_000, 8_000], rests: 1 });
});

test('many late seconds are all made, and some shown evenly, with the newest', () => {
  for (const count of [5, 17, 40, 3_600]) {
    const { end, steps, shown } = turn(0, count * 1_000 + 7);
    assert.equal(end, count * 1_000);
    assert.equal(steps, count);
    assert.equal(shown.length, 4);
    assert.equal(shown.at(-1), end);
    const gaps = shown.map((at, i) => at - (shown[i - 1] ?? 0));
    assert.ok(Math.max(...gaps) - Math.min(...gaps) <= 1_000);
  }
});

test('up to 40 seconds late, shown prices are at most 10 s apart, the age at which an index is stale', () => {
  for (let count = 1; count <= 40; count++) {
    const { shown } = turn(0, count * 1_000);
    for (const [i, at] of shown.entries()) assert.ok(at - (shown[i - 1] ?? 0) <= 10_000);
  }
});

test('far behind, a turn has a bound and ends at the newest second', () => {
  const { end, steps, shown } = turn(0, 86_400_000);
  assert.deepEqual({ end, steps, newest: shown.at(-1) }, { end: 86_400_000, steps: 10_000, newest: 86_400_000 });
});

test('after a clock is set back the next price comes at once, and the feed continues from there', () => {
  assert.deepEqual(turn(9_000_000, 5_000), { end: 5_000, steps: 1, shown: [5_000], rests: 1 });
});
