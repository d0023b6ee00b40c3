// A clock faster than the venue: due steps and feed prices must not fill the log ahead of its readers, because clients' commands need
// room in it, and reads and a stop wait for the reader.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { PERP } from '../../../../core/codec/commands.ts';
import { OK } from '../../../../core/errors.ts';
import { nextDue } from '../../../../core/lifecycle/ticks.ts';
import { CONTRACT, DAY, USDC } from '../../../../core/units.ts';
import { followClock, startClock } from '../../../../shell/process/clock.ts';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { rulesOf } from '../../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../../shell/process/threads/main-loop.ts';
import { SharedCounters } from '../../../../shell/ipc/counters.ts';
import { ringConsumer, ringDepth } from '../../../../shell/ipc/ring.ts';
import { settlementRecord } from '../../../../shell/process/venue-commands.ts';
import { createWiring, LOG_JOURNAL, LOG_READER } from '../../../../shell/process/wiring.ts';
import { START, TestVenue } from '../../../support/venue.ts';

const MOST_BYTES = 20_480;
const LOOK_FOR_MS = 400;
/** Venue time that passes with each look at the clock where it outruns the work, and how many looks a price may take at most. */
const LOOK_SECONDS = 10;
const MOST_LOOKS = 2_000;
/** By far enough for what comes soon, on a machine that others use. */
const WITHIN_MS = 30_000;
/** Turns without a step after which none is to come. */
const STILL = 500;

/** A venue in which somebody holds an option, so that its marks are made anew every second; and who reads its log, by hand. */
function loopAt(t: TestContext, speed: number) {
  const venue = new TestVenue().open(100_000);
  const [option] = venue.slots(({ kind, expiry }) => kind !== PERP && expiry > START + 30 * DAY);
  // An order's price has at most five significant figures.
  const price = Number((venue.mark(option!) + USDC).toPrecision(5));
  for (const side of [0, 1]) {
    const order = { ...venue.contract(option!), wallet: side, nonce: 1, side, price, size: CONTRACT };
    assert.equal(venue.send(venue.write.place(order)), OK);
  }
  followClock(startClock(START, speed));
  t.after(() => followClock(null));
  const wiring = createWiring(1);
  const { log } = wiring.main;
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state: venue.state, rules: rulesOf(readConfig([], {}) as Config),
    meters: new Meters(createMeters(['main']), 'main'), onDigest: () => undefined,
  });
  t.after(() => loop.stop());
  const setPrice = (change: number): void => {
    const tick = { price: (100_000 + change) * USDC, volatility: 0, skew: 0, curvature: 0 };
    loop.setIndex(0, tick, { isAgeless: true, isStale: false });
  };
  const readers = [LOG_JOURNAL, LOG_READER].map((consumer) => ringConsumer(log, consumer));
  return {
    loop,
    setPrice,
    waiting: (): number => Math.max(ringDepth(log, LOG_JOURNAL), ringDepth(log, LOG_READER)),
    read: (records: number): void => {
      for (const reader of readers) {
        for (let count = 0; count < records && reader.next() >= 0; count++) { /* read and left */ }
        reader.release();
      }
    },
    /** Others write, and nobody reads. */
    load: (bytes: number): void => {
      while (ringDepth(log, LOG_READER) < bytes) loop.send(settlementRecord(0, 1, USDC));
    },
    /** Prices come without end; `each` turn for so long, or until it says that it is enough. */
    feed: async (ms: number, each = (): boolean => false): Promise<void> => {
      for (const until = performance.now() + ms; performance.now() < until && !each();) {
        setPrice(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('due steps wait while nobody reads the log, resume as it is read, and get their share under load', async (t) => {
  const { loop, waiting, read, load, feed } = loopAt(t, 100_000);
  const before = loop.seq;
  loop.start();
  let [last, still] = [before, 0];
  await feed(WITHIN_MS, () => {
    still = loop.seq === last ? still + 1 : 0;
    last = loop.seq;
    return last > before && still > STILL;
  });
  assert.ok(waiting() <= MOST_BYTES, `${waiting()} bytes wait`);
  const held = loop.seq;
  assert.ok(held - before > 100, 'there was something to do');
  await feed(LOOK_FOR_MS);
  assert.equal(loop.seq, held, 'nothing more until somebody reads');
  await feed(WITHIN_MS, () => {
    read(10);
    return loop.seq >= held + 2_000;
  });
  assert.ok(loop.seq >= held + 2_000, `${loop.seq - held} steps as it is read`);
  assert.ok(waiting() <= MOST_BYTES, `${waiting()} bytes wait`);

  load(10 * MOST_BYTES);
  const [loaded, from] = [waiting(), loop.seq];
  await feed(WITHIN_MS, () => {
    read(20);
    return waiting() < loaded / 2;
  });
  assert.ok(waiting() < loaded / 2, `${waiting()} of ${loaded} bytes wait still: the steps that come may not be as much as is read`);
  assert.ok(loop.seq > from + 200, `${loop.seq - from} steps meanwhile`);
  // It ends although more is due than could ever be done.
  loop.stop();
  assert.ok(waiting() < loaded, `${waiting()} bytes wait`);
});

test('at real speed, prices and steps continue under load although the reader stands still', async (t) => {
  const { loop, load, feed } = loopAt(t, 1);
  loop.start();
  load(10 * MOST_BYTES);
  const [from, marked] = [loop.seq, loop.state.valuation.vintage[0]!];
  await feed(WITHIN_MS, () => loop.state.valuation.vintage[0]! > marked);
  assert.ok(loop.state.valuation.vintage[0]! > marked, 'there are new marks');
  assert.ok(loop.seq - from < 4_000, `${loop.seq - from} steps for them`);
});

test('where more falls due at each step than a step can do, each price is taken and marked within a bounded number of steps', async (t) => {
  const { loop, read, setPrice } = loopAt(t, 1);
  let looks = 0;
  const [started, nanos] = process.hrtime();
  t.mock.method(process, 'hrtime', () => [started + ++looks * LOOK_SECONDS, nanos]);
  loop.start();
  const { markedAt } = loop.state.valuation;
  for (let i = 1; i <= 20; i++) {
    const [from, marked] = [looks, markedAt[0]!];
    setPrice(i);
    while (!loop.isIndexTaken(0) || markedAt[0] === marked) {
      read(256);
      assert.ok(looks - from < MOST_LOOKS, `price ${i} waits for ${looks - from} steps`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  assert.ok(nextDue(loop.state) <= loop.time, 'there was more to do than was done');
});
