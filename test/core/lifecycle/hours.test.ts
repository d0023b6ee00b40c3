// Funding hours with a sample interval that does not divide an hour: each hour still ends on time and once, for the holders at that
// moment, and the clock is due once for it.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, HOUR, MINUTE, SECOND, SELL } from '../../../core/units.ts';
import { FUNDING_RATE } from '../../../core/codec/events.ts';
import { OK } from '../../../core/errors.ts';
import { defaultSettings, LIQUIDATION_INTERVAL, MARK_INTERVAL, PREMIUM_INTERVAL } from '../../../core/settings.ts';
import { hourlyRate } from '../../../core/lifecycle/funding-rate.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { Scene } from '../../support/scene.ts';

/** A full hour; samples every 7 s or 59 s do not meet it. */
const H = Date.UTC(2026, 0, 5, 12);
const ODD = [7 * SECOND, 59 * SECOND];

/** A venue at ten minutes before the hour. */
function open(interval: number): { scene: Scene; slot: number } {
  const settings = defaultSettings();
  settings[PREMIUM_INTERVAL] = interval;
  settings[MARK_INTERVAL] = settings[LIQUIDATION_INTERVAL] = MINUTE;
  const scene = new Scene({ settings });
  scene.advance(H - 10 * MINUTE - scene.now);
  return { scene, slot: scene.state.instruments.perpOf[0]! };
}

/** Runs all work when it is due, until `end`; the work due at one moment must be bounded. */
function runUntil(scene: Scene, end: number): void {
  while (scene.now < end) {
    let steps = 0;
    while (runDue(scene.sequencer, scene.now)) assert.ok(++steps < 1_000, 'unbounded work at one moment');
    scene.now = Math.min(end, Math.max(scene.now + 1, nextDue(scene.state)));
  }
}

/** Hourly rates and their times until `end`. */
function rates(scene: Scene, end: number): { rate: number; time: number }[] {
  const fundings: { rate: number; time: number }[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind === FUNDING_RATE) fundings.push({ rate: slots[2]!, time: scene.now });
  };
  runUntil(scene, end);
  return fundings;
}

test('hours: an hour that ends between two samples of an idle perp ends once', () => {
  for (const interval of ODD) {
    const { scene, slot } = open(interval);
    assert.equal(scene.buy(1, 90_000, 1, { slot }), OK);
    runUntil(scene, H - 3 * MINUTE);
    assert.equal(scene.state.perps.hour[0], H);
    assert.equal(scene.cancel(1, scene.orders(1)[0]!.id), OK);
    runUntil(scene, H + 1);
    assert.equal(scene.state.perps.hour[0], 0);
  }
});

test('hours: funding is paid once, at the full hour and not at the next sample', () => {
  for (const interval of ODD) {
    const { scene, slot } = open(interval);
    for (const [wallet, side] of [[1, SELL], [2, BUY]] as const) assert.equal(scene.place(wallet, side, 100_000, 1, { slot }), OK);
    const [first, ...more] = rates(scene, H + MINUTE);
    assert.deepEqual(more, [], 'once an hour');
    assert.equal(first!.time, H);
    assert.equal(first!.rate, hourlyRate(scene.state.settings, 0));
  }
});

test('hours: the rate of each hour comes from the premiums of its own samples', () => {
  const { scene, slot } = open(7 * SECOND);
  for (const [wallet, side] of [[1, SELL], [2, BUY]] as const) assert.equal(scene.place(wallet, side, 100_000, 1, { slot }), OK);
  assert.equal(scene.place(3, BUY, 100_400, 1, { slot }), OK);
  const fundings = rates(scene, H + 2 * HOUR + 1);
  assert.deepEqual(fundings.map(({ time }) => time), [H, H + HOUR, H + 2 * HOUR]);
  // 514 or 515 samples of 7 s, each of 0.4 %: 3,598 or 3,605 s of 3,600.
  for (const { rate } of fundings.slice(1)) {
    assert.ok([3_598, 3_605].some((seconds) => rate === hourlyRate(scene.state.settings, 4_000_000 * seconds * SECOND)), String(rate));
  }
});
