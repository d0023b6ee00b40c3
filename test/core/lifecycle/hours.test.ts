// The hours of funding where samples are taken at an interval that does not divide one: an hour still ends when it is over, once,
// for those who hold the perp then, and the clock asks for it once.

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

/** A full hour; 7 s and 59 s lead past it. */
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

/** Meets everything in its time until `end`: the clock never asks for more than a moment's work. */
function through(scene: Scene, end: number): void {
  while (scene.now < end) {
    let steps = 0;
    while (runDue(scene.sequencer, scene.now)) assert.ok(++steps < 1_000, 'the clock asks without end');
    scene.now = Math.min(end, Math.max(scene.now + 1, nextDue(scene.state)));
  }
}

/** Hourly rates told and when, while time passes as above. */
function rates(scene: Scene, end: number): { rate: number; time: number }[] {
  const told: { rate: number; time: number }[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind === FUNDING_RATE) told.push({ rate: slots[2]!, time: scene.now });
  };
  through(scene, end);
  return told;
}

test('hours: one that ends between two samples of a perp that nobody uses any more ends once', () => {
  for (const interval of ODD) {
    const { scene, slot } = open(interval);
    assert.equal(scene.buy(1, 90_000, 1, { slot }), OK);
    through(scene, H - 3 * MINUTE);
    assert.equal(scene.state.perps.hour[0], H);
    assert.equal(scene.cancel(1, scene.orders(1)[0]!.id), OK);
    through(scene, H + 1);
    assert.equal(scene.state.perps.hour[0], 0);
  }
});

test('hours: who holds the perp at the hour is paid then, and not who comes before the next sample', () => {
  for (const interval of ODD) {
    const { scene, slot } = open(interval);
    for (const [wallet, side] of [[1, SELL], [2, BUY]] as const) assert.equal(scene.place(wallet, side, 100_000, 1, { slot }), OK);
    const [told, ...more] = rates(scene, H + MINUTE);
    assert.deepEqual(more, [], 'once an hour');
    assert.equal(told!.time, H);
    assert.equal(told!.rate, hourlyRate(scene.state.settings, 0));
  }
});

test('hours: each has the premiums of its own samples', () => {
  const { scene, slot } = open(7 * SECOND);
  for (const [wallet, side] of [[1, SELL], [2, BUY]] as const) assert.equal(scene.place(wallet, side, 100_000, 1, { slot }), OK);
  assert.equal(scene.place(3, BUY, 100_400, 1, { slot }), OK);
  const told = rates(scene, H + 2 * HOUR + 1);
  assert.deepEqual(told.map(({ time }) => time), [H, H + HOUR, H + 2 * HOUR]);
  // 514 or 515 samples of 7 s, each of 0.4 %: 3,598 or 3,605 s of 3,600.
  for (const { rate } of told.slice(1)) {
    assert.ok([3_598, 3_605].some((seconds) => rate === hourlyRate(scene.state.settings, 4_000_000 * seconds * SECOND)), String(rate));
  }
});
