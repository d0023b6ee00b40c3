// A clock faster than the venue: the steps that are always due then may not fill the log, in which clients' commands need room.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERP } from '../../core/codec/commands.ts';
import { OK } from '../../core/errors.ts';
import { CONTRACT, DAY, USDC } from '../../core/units.ts';
import { followClock, startClock } from '../../shell/clock.ts';
import { readConfig, type Config } from '../../shell/config.ts';
import { rulesOf } from '../../shell/market.ts';
import { createMeters, Meters } from '../../shell/observability/meters.ts';
import { MainLoop } from '../../shell/threads/main-loop.ts';
import { SharedCounters } from '../../shell/transport/counters.ts';
import { ringConsumer, ringDepth } from '../../shell/transport/ring.ts';
import { createWiring, LOG_JOURNAL, LOG_READER } from '../../shell/wiring.ts';
import { START, TestVenue } from '../support/venue.ts';

const MOST_BYTES = 2_097_152;
const LOOK_FOR_MS = 4_000;

test('while nobody reads the log, steps that are due come once a millisecond, and most of it stays free', async (t) => {
  const venue = new TestVenue().open(100_000);
  const [option] = venue.slots(({ kind, expiry }) => kind !== PERP && expiry > START + 30 * DAY);
  // While somebody holds an option its marks are made anew every second.
  for (const side of [0, 1]) {
    const order = { ...venue.contract(option!), wallet: side, nonce: 1, side, price: venue.mark(option!) + USDC, size: CONTRACT };
    assert.equal(venue.send(venue.write.place(order)), OK);
  }
  const { state } = venue;
  followClock(startClock(START, 100_000));
  t.after(() => followClock(null));
  const wiring = createWiring(1);
  const { log } = wiring.main;
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state, rules: rulesOf(readConfig([], {}) as Config),
    meters: new Meters(createMeters(['main']), 'main'), onDigest: () => undefined,
  });
  const before = loop.seq;
  loop.start();
  const waiting = (): number => Math.max(ringDepth(log, LOG_JOURNAL), ringDepth(log, LOG_READER));
  for (const until = performance.now() + LOOK_FOR_MS; performance.now() < until && waiting() <= MOST_BYTES;) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.diagnostic(`${loop.seq - before} steps, ${waiting()} bytes`);
  assert.ok(waiting() <= MOST_BYTES, `${waiting()} bytes wait`);
  // Once they are read the steps follow each other again.
  const held = loop.seq;
  assert.ok(held - before > 10_000, 'there was much to do');
  const readers = [LOG_JOURNAL, LOG_READER].map((consumer) => ringConsumer(log, consumer));
  for (const until = performance.now() + LOOK_FOR_MS; performance.now() < until && loop.seq < held + 10_000;) {
    for (const reader of readers) {
      while (reader.next() >= 0) { /* read and left */ }
      reader.release();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(loop.seq >= held + 10_000, `${loop.seq - held} steps more`);
  // It ends although more is due than could ever be done.
  loop.stop();
  assert.ok(waiting() <= MOST_BYTES, `${waiting()} bytes wait`);
});
