// Which rounds of a bench count: by what the hypervisor took during them, told here in ticks of a machine that the test has.
import assert from 'node:assert/strict';
import test from 'node:test';
import { undisturbed } from '../../bench/undisturbed.ts';

const TICKS = 800;

/** A machine whose n-th round loses `taken[n]` of 800 ticks; a round's result is its number. */
function machine(taken: readonly number[]): { round: () => Promise<number>; times: () => { all: number; taken: number } } {
  let rounds = 0;
  return {
    round: () => Promise.resolve(rounds++),
    times: () => ({ all: rounds * TICKS, taken: taken.slice(0, rounds).reduce((sum, one) => sum + one, 0) }),
  };
}

function taken(shares: readonly number[], count: number): ReturnType<typeof undisturbed<number>> {
  const { round, times } = machine(shares);
  return undisturbed(count, round, times);
}

test('rounds up to the bound all count, and no more are taken', async () => {
  assert.deepEqual(await taken([0, 8, 1, 500], 3), { results: [0, 1, 2], note: '' });
});

test('a round above the bound is put aside for one more, whatever it measured', async () => {
  const { results, note } = await taken([0, 9, 8, 80, 2, 500], 3);
  assert.deepEqual(results, [0, 2, 4]);
  assert.equal(note, ', of 5 that were taken those with the least time taken by others, up to 1.0 %');
});

test('when too many are above it, those with the least count', async () => {
  const { results, note } = await taken([90, 60, 50, 80, 0], 2);
  assert.deepEqual(results, [1, 2]);
  assert.equal(note, ', of 4 that were taken those with the least time taken by others, up to 7.5 %');
});

test('where no time is told, no round is put aside', async () => {
  let rounds = 0;
  const { results, note } = await undisturbed(3, () => Promise.resolve(rounds++), () => ({ all: 0, taken: 0 }));
  assert.deepEqual([results, note], [[0, 1, 2], '']);
});

test('on this machine a round counts with what it gave', async () => {
  const { results } = await undisturbed(1, () => Promise.resolve('given'));
  assert.deepEqual(results, ['given']);
});
