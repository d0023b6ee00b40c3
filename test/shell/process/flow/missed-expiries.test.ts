// Expiries that pass while the venue is down: each settles with the samples of its own window before main takes a new index.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  INDEX_UNDERLYING, SETTLEMENT_EXPIRY, SETTLEMENT_SAMPLES, SETTLEMENT_SET, SETTLEMENT_VALUE,
} from '../../../../core/codec/events.ts';
import { expiryOfDay, dayOfTime } from '../../../../core/instruments/calendar.ts';
import { DAY, HOUR, USDC } from '../../../../core/units.ts';
import { followClock, startClock } from '../../../../shell/process/clock.ts';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { rulesOf } from '../../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../../shell/process/threads/main-loop.ts';
import { SharedCounters } from '../../../../shell/ipc/counters.ts';
import { createWiring } from '../../../../shell/process/wiring.ts';
import { START, TestVenue, WIDE } from '../../../support/venue.ts';

test('three expiries missed while down settle at the operator\'s earlier price, although a new price waits', async (t) => {
  const { state } = new TestVenue({ limits: WIDE }).open(100_000);
  followClock(startClock(START + 2 * DAY + 9 * HOUR, 1));
  t.after(() => followClock(null));
  const wiring = createWiring(1);
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state, rules: rulesOf(readConfig([], {}) as Config),
    meters: new Meters(createMeters(['main']), 'main'), onDigest: () => undefined,
  });
  t.after(() => loop.stop());
  // Behind main's own, which hears of closed accounts only.
  const settled: number[][] = [];
  state.events.listener = (kind, f) => {
    if (kind !== SETTLEMENT_SET || f[INDEX_UNDERLYING] !== 0) return;
    settled.push([SETTLEMENT_EXPIRY, SETTLEMENT_VALUE, SETTLEMENT_SAMPLES].map((slot) => f[slot]!));
  };
  loop.setIndex(0, { price: 120_000 * USDC, volatility: 0, skew: 0, curvature: 0 }, { isAgeless: true, isStale: false });
  loop.start();
  for (let turn = 0; !loop.isIndexTaken(0); turn++) {
    assert.ok(turn < 10_000, 'the price is taken');
    await new Promise((resolve) => setImmediate(resolve));
  }
  const expected = [0, 1, 2].map((day) => [expiryOfDay(dayOfTime(START) + day), 100_000 * USDC, 1_800]);
  assert.deepEqual(settled, expected);
  assert.equal(state.valuation.index[0], 120_000 * USDC);
});
