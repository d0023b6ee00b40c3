// The judge of what clients saw: each kind of answer that must not be is named, and what merely looks odd is not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Observations, type Observed } from './observed.ts';

const READ: Observed = { by: 'one', isLeading: true, sent: 0, came: 1, seq: 10, epoch: 1, isWrite: false };

function faultsOf(...all: readonly Partial<Observed>[]): string[] {
  const observations = new Observations();
  for (const each of all) observations.add({ ...READ, ...each });
  return observations.faults;
}

test('a read that was asked after a newer answer had come, by whichever node, is not of now', () => {
  const [fault] = faultsOf({ by: 'two', seq: 11, epoch: 1 }, { sent: 2, came: 3, seq: 10 });
  assert.match(fault!, /^not of now: one answered .* with seq 10 .* two had answered with 11/);
});

test('a read that was under way when a newer answer came may be of either', () => {
  assert.deepEqual(faultsOf({ by: 'two', came: 2, seq: 11 }, { sent: 1, came: 3, seq: 10 }), []);
});

test('a node that follows may be ahead of the leader, or behind it, and not behind itself', () => {
  assert.deepEqual(faultsOf({ by: 'two', isLeading: false, seq: 11 }, { sent: 2, came: 3, seq: 10 }), []);
  assert.deepEqual(faultsOf({ seq: 11 }, { by: 'two', isLeading: false, sent: 2, came: 3, seq: 5 }), []);
  const [fault] = faultsOf({ isLeading: false, seq: 11 }, { isLeading: false, sent: 2, came: 3, seq: 10 });
  assert.match(fault!, /^behind itself/);
});

test('who leads no more must not answer as a leader after the next one has', () => {
  const [fault] = faultsOf({ by: 'two', epoch: 2, seq: 10 }, { sent: 2, came: 3, seq: 10, epoch: 1 });
  assert.match(fault!, /^of an earlier leader/);
});

test('a write that is sent again may tell its first seq, and what it tells binds later reads', () => {
  assert.deepEqual(faultsOf({ seq: 11 }, { sent: 2, came: 3, seq: 4, isWrite: true }), []);
  assert.equal(faultsOf({ seq: 12, isWrite: true }, { sent: 2, came: 3, seq: 11 }).length, 2);
});
