// The one race behind the doorbell, tried directly: a producer publishes and looks at the flag while the consumer raises the flag and
// looks at the ring. With a plain store in place of either atomic one this test fails on x86.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import { SharedCounters, createCounters } from '../../../shell/ipc/counters.ts';
import { Ringer } from '../../../shell/ipc/doorbell.ts';
import { createRing, ringProducer } from '../../../shell/ipc/ring.ts';
import { ROUND_NAMES, awaitRound, jitter } from './rounds.ts';
import type { SleepWorkerData, SleepWorkerReport } from './sleep-worker.ts';
import { startWorker } from './threads.ts';

const ROUNDS = 150_000;

test('a producer rings while a consumer falls asleep; allowed: found, rung for, or both; forbidden: neither', async () => {
  const ring = createRing({ bytes: 1024, consumers: 1, largest: 16, start: 2 ** 32 - 512 });
  const counters = createCounters(ROUND_NAMES);
  const flag = new SharedArrayBuffer(4);
  const data: SleepWorkerData = { ring, counters, flag, rounds: ROUNDS };
  const worker = startWorker<SleepWorkerReport>('./sleep-worker.ts', data);
  const shared = new SharedCounters(counters);
  const [ready, done] = [shared.counter('producerReady'), shared.counter('producerDone')];
  const [theirReady, theirDone] = [shared.counter('consumerReady'), shared.counter('consumerDone')];
  const rings = shared.counter('rings');
  // Messages are counted instead of sent: a real one takes longer than a round.
  const port = { unref: () => undefined, postMessage: () => rings.add(1) } as unknown as MessagePort;
  const ringer = new Ringer({ flag, port });
  const producer = ringProducer(ring);
  for (let round = 1; round <= ROUNDS; round++) {
    assert.notEqual(producer.claim(16), -1);
    ready.store(round);
    awaitRound(theirReady, round);
    jitter(round);
    producer.publish();
    ringer.ring();
    done.store(round);
    awaitRound(theirDone, round);
  }
  const report = await worker.answer;
  assert.equal(report.neither, 0, JSON.stringify(report));
  assert.equal(report.found + report.rung + report.both, ROUNDS);
});
