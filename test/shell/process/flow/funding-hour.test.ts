// An order sent at the full hour or later does not count for that hour's funding (main-loop.ts): the tick that ends the hour comes first,
// even while the core has work queued and has just had a tick.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT, FUNDING_PAID, PAID_AMOUNT } from '../../../../core/codec/events.ts';
import { SEQ } from '../../../../core/engine/state.ts';
import { OK } from '../../../../core/errors.ts';
import { LIST, pushWork } from '../../../../core/lifecycle/work-queue.ts';
import { BUY, CONTRACT, HOUR, IOC, MINUTE, SECOND, SELL, USDC } from '../../../../core/units.ts';
import { followClock, startClock } from '../../../../shell/process/clock.ts';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { rulesOf } from '../../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../../shell/process/threads/main-loop.ts';
import { SharedCounters } from '../../../../shell/ipc/counters.ts';
import { ringProducer } from '../../../../shell/ipc/ring.ts';
import { createWiring } from '../../../../shell/process/wiring.ts';
import { Scene } from '../../../support/scene.ts';
import { WIDE } from '../../../support/venue.ts';

/** A clock that as good as stands still. */
const STANDING = 1e-6;

test('a wallet that sells a perp at the full hour pays that hour\'s funding, and its buyer pays nothing', async (t) => {
  t.after(() => followClock(null));
  const scene = new Scene({ limits: WIDE });
  const { state } = scene;
  const [slot, hour] = [state.instruments.perpOf[0]!, (Math.floor(scene.now / HOUR) + 1) * HOUR];
  for (const [wallet, side] of [[1, SELL], [2, BUY]] as const) assert.equal(scene.place(wallet, side, 100_000, 1, { slot }), OK);
  // The first look at a perp takes no sample between two full intervals.
  for (const before of [MINUTE, 30 * SECOND, 2 * SECOND]) scene.advance(hour - before - scene.now);
  assert.equal(state.perps.hour[0], hour);
  assert.equal(scene.buy(3, 100_000, 1, { slot }), OK);
  for (let i = 0; i < 50; i++) assert.ok(pushWork(state.work, LIST, 0, (100_000 + i) * USDC));

  const wiring = createWiring(1);
  const meters = new Meters(createMeters(['main']), 'main');
  const ring = ringProducer(wiring.main.commands[0]!);
  const from = state.clock[SEQ]!;
  // After a first tick the hour is over; the order comes with the next command of the venue's own.
  meters.set = (gauge, value) => {
    if (gauge !== 'seq') return;
    if (value === from + 1) followClock(startClock(hour, STANDING));
    if (value !== from + 2) return;
    const order = { ...scene.contract(slot), wallet: 2, nonce: scene.next(), side: SELL, price: 100_000 * USDC, size: CONTRACT, tif: IOC };
    const record = scene.write.place(order);
    ring.views.u8.set(record.u8.subarray(0, record.u32[0]), ring.claim(record.u32[0]!));
    ring.publish();
  };
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state, rules: rulesOf(readConfig([], {}) as Config), meters,
    onDigest: () => undefined,
  });
  t.after(() => loop.stop());
  const paid: [number, number][] = [];
  state.events.listener = (kind, f) => { if (kind === FUNDING_PAID) paid.push([f[ACCOUNT]!, f[PAID_AMOUNT]!]); };
  followClock(startClock(hour - 1, STANDING));
  loop.start();
  for (let turn = 0; state.clock[SEQ]! < from + 10; turn++) {
    assert.ok(turn < 10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(scene.held(3, slot)?.position, CONTRACT, 'sold at the hour');
  assert.deepEqual(paid.map(([account, amount]) => [account, amount > 0]), [[scene.account(2), true]]);
});
