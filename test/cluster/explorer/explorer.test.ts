// The rules of replication in every order of events of two nodes, and in random orders of three. What must hold: world.ts.
// STRIKEBOOK_LONG=1 tries larger worlds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../random.ts';
import { exploreAll, walk } from './explore.ts';
import { NOTHING, settle, type Bounds } from './world.ts';

/** What the largest of these takes; each is complete below it. */
const MOST_STATES = 200_000;
const IS_LONG = process.env['STRIKEBOOK_LONG'] === '1';
const LONGER_STATES = 2_000_000;
const WALKS = IS_LONG ? 10_000 : 300;

/** `longer`: what more may happen in a long run. */
function holds(bounds: Partial<Bounds>, longer: Partial<Bounds> = {}): void {
  const whole = { ...NOTHING, ...bounds, ...(IS_LONG && longer) };
  const { isComplete, finding } = exploreAll(whole, IS_LONG ? LONGER_STATES : MOST_STATES);
  assert.equal(finding, null, `${finding?.broken}:\n  ${finding?.steps.join('\n  ')}`);
  assert.ok(isComplete, 'every state was reached');
}

test('no order of first takeovers, lost answers and late appends breaks an invariant', () => {
  holds({ frames: 1, unknowns: 1, positions: 3 });
});

test('no order of frames, takeovers, lost answers and late appends breaks an invariant', () => {
  holds({ isLed: true, frames: 2, unknowns: 1, positions: 4 });
});

test('no order with a log that has no room for a while breaks an invariant', () => {
  holds({ isLed: true, frames: 1, fulls: 1, unknowns: 1, positions: 3 }, { frames: 2, fulls: 2 });
});

test('no node that starts again in between breaks an invariant', () => {
  holds({ isLed: true, frames: 2, crashes: 1, positions: 4 }, { unknowns: 1 });
});

test('no order with a leader that resigns breaks an invariant', () => {
  holds({ isLed: true, frames: 2, resigns: 1, positions: 5 });
});

test('no order of events with reads breaks an invariant', () => {
  holds({ isLed: true, frames: 1, asks: 1, unknowns: 1, positions: 4 });
});

test('reads that go through the log hold although the clock of a leader stands still', () => {
  holds({ isLed: true, frames: 2, asks: 1, unknowns: 1, positions: 4, isClockHeld: true });
});

test('bytes of somebody else in the log break no invariant', () => {
  holds({ isLed: true, frames: 2, rogues: 1, positions: 4 });
});

test('a read that comes wrong once breaks no invariant', () => {
  holds({ isLed: true, frames: 2, misreads: 1, positions: 4 });
});

test('an append that lands at another position than it was sent for breaks no invariant', () => {
  holds({ isLed: true, frames: 2, unchecked: 1, positions: 4 });
});

test('a hole in the log breaks no invariant', () => {
  holds({ frames: 1, holes: 1, positions: 4 });
});

test('a log whose oldest messages leave it breaks no invariant', () => {
  holds({ isLed: true, frames: 1, crashes: 1, cuts: 1, positions: 3 }, { cuts: 2, positions: 4 });
});

function walks(bounds: Partial<Bounds>, count: number): { halts: Set<string>; longest: number } {
  const whole = { ...NOTHING, nodes: 3, positions: 12, frames: 6, asks: 3, ...bounds };
  const halts = new Set<string>();
  let longest = 0;
  for (let seed = 1; seed <= count; seed++) {
    const { world, finding } = walk(whole, 200, randomFrom(seed));
    const broken = finding?.broken ?? settle(world, whole);
    assert.equal(broken, null, `seed ${seed}: ${broken}\n  ${finding?.steps.join('\n  ') ?? 'after all steps'}`);
    for (const { replica } of world.nodes) if (replica.halted !== null) halts.add(replica.halted.name);
    longest = Math.max(longest, world.chain.length);
  }
  return { halts, longest };
}

test('three nodes on random paths agree, and go on when the faults end', () => {
  const { halts, longest } = walks({ crashes: 2, unknowns: 4, resigns: 2, rogues: 1 }, WALKS);
  assert.deepEqual([...halts], []);
  assert.ok(longest >= 8, 'the paths are long enough to matter');
});

test('three nodes on random paths with a log that misbehaves agree, or halt by name', () => {
  const { halts } = walks({ crashes: 1, unknowns: 2, misreads: 2, unchecked: 2, holes: 1, cuts: 1 }, WALKS);
  assert.ok(halts.has('log_gap'));
});

test('three nodes on random paths with a log that loses its end halt by name', () => {
  const { halts } = walks({ unknowns: 1, losses: 2 }, WALKS);
  assert.ok(halts.has('log_lost') && halts.has('log_rewritten'));
});
