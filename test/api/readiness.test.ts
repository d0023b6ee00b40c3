// /ready by the counters of the other threads: how long a thread has stood still counts from when the venue is ready.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness } from '../../shell/api/readiness.ts';
import { STILL_FOR } from '../../shell/bounds/api.ts';
import { SharedCounters } from '../../shell/transport/counters.ts';
import { createWiring } from '../../shell/wiring.ts';

const BEATS = ['beatMain', 'beatJournal', 'beatReader', 'beatHistory'] as const;

test('a start that took long is ready at once and stays so: main and the journal have had nothing to say before it', () => {
  const counters = new SharedCounters(createWiring(1).counters);
  const readiness = new Readiness(counters, 0);
  const notReady = (): string[] => readiness.components().filter(({ ready }) => !ready).map(({ name, detail }) => `${name}: ${detail}`);
  const ready = 2 * STILL_FOR;
  for (let now = 0; now <= ready; now += 250) readiness.watch(now);
  counters.counter('readerReady').store(1);
  assert.deepEqual(notReady(), ['engine: recovered 0 of 0 commands']);
  counters.counter('mainReady').store(1);
  assert.deepEqual(notReady(), []);
  readiness.watch(ready + 250);
  assert.deepEqual(notReady(), [], 'before the first beat of each');
  for (const beat of BEATS) counters.counter(beat).add(1);
  readiness.watch(ready + 500);
  for (const beat of BEATS.slice(1)) counters.counter(beat).add(1);
  readiness.watch(ready + 1_000);
  readiness.watch(ready + 500 + STILL_FOR);
  assert.deepEqual(notReady(), ['main thread: has stood still for 5 s']);
  counters.counter('beatMain').add(1);
  assert.deepEqual(notReady(), []);
});
