// Counters shared by two views of one description, watermarks across the wraps of 32 bits, and heartbeats with their watch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { HeartbeatWatch, SharedCounters, createCounters, reached, startHeartbeat } from '../../../shell/ipc/counters.ts';

test('counters are independent, shared by description, and wrap at 2^32', () => {
  const description = createCounters(['durable', 'applied', 'beats']);
  const mine = new SharedCounters(description);
  const theirs = new SharedCounters(description);
  mine.counter('durable').store(2 ** 32 + 7);
  mine.counter('beats').store(2 ** 32 - 1);
  assert.equal(theirs.counter('durable').load(), 7);
  theirs.counter('beats').add(3);
  assert.deepEqual(mine.read(), [['durable', 7], ['applied', 0], ['beats', 2]]);
  assert.throws(() => mine.counter('other' as 'beats'), /no counter/);
  assert.throws(() => createCounters(['a', 'b', 'a']), /named twice/);
});

test('a watermark covers exactly the seqs up to it, near 2^31, 2^32 and 2^52', () => {
  const near = fc.integer({ min: -100, max: 100 });
  const base = fc.tuple(fc.constantFrom(100, 2 ** 31, 2 ** 32, 2 ** 52), near).map(([around, offset]) => around + offset);
  const distance = fc.oneof(near, fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }));
  fc.assert(
    fc.property(base, distance, (mark, ahead) => {
      fc.pre(mark + ahead >= 0);
      assert.equal(reached(mark >>> 0, mark + ahead), ahead <= 0);
      assert.equal(reached(mark >>> 0, (mark + ahead) >>> 0), ahead <= 0);
    }),
    { numRuns: 2000 },
  );
});

test('a heartbeat counts event-loop turns until stopped, and its watch tells for how long it has been silent', async () => {
  const beats = new SharedCounters(createCounters(['beats'])).counter('beats');
  beats.store(2 ** 32 - 2);
  const watch = new HeartbeatWatch(beats, 1000);
  assert.equal(watch.silentMs(1400), 400);
  const stop = startHeartbeat(beats, 1);
  const held = setInterval(() => undefined, 1000);
  for (let turns = 0; beats.load() !== 1; turns++) {
    assert.ok(turns < 1_000_000, 'no beats');
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop();
  clearInterval(held);
  assert.equal(watch.silentMs(2000), 0);
  assert.equal(watch.silentMs(7000), 5000);
  beats.add(1);
  assert.equal(watch.silentMs(8000), 0);
});
