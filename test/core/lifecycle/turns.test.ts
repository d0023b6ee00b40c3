// Which work runs next: marks before other long work, but not for ever and not before an expiry; ticks between steps; a revaluation or
// takeover that has begun is not interrupted. Also the time that commands get.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { HOUR, MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_AGELESS } from '../../../core/codec/commands.ts';
import { INSTRUMENT_LISTED, MARKS_MOVED } from '../../../core/codec/events.ts';
import { TIME } from '../../../core/engine/state.ts';
import { OK } from '../../../core/errors.ts';
import { hasWork } from '../../../core/lifecycle/work-steps.ts';
import { requestRevaluation } from '../../../core/lifecycle/revaluation.ts';
import { CREDIT, isIdle, LIQUIDATE, LIST, popWork, pushWork } from '../../../core/lifecycle/work-queue.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { PREMIUM_INTERVAL } from '../../../core/settings.ts';
import { Scene } from '../../support/scene.ts';
import { WIDE } from '../../support/venue.ts';

/** Upper bound on the credit of the queue of marks plus the steps of one revaluation. */
const AHEAD = 1_024 + 128;
/** Place of the number of items among a queue's counters. */
const LENGTH = 1;

/** A venue with an open order and `listings` queued listings of many steps each. */
function busy(listings: number): Scene {
  const scene = new Scene({ limits: WIDE });
  scene.sell(1, 5_000, 1);
  scene.settle();
  for (let i = 0; i < listings; i++) assert.ok(pushWork(scene.state.work, LIST, 0, (100_000 + i) * USDC));
  return scene;
}

test('when the index moves, new marks are made before queued listings', () => {
  const scene = busy(50);
  scene.venue(scene.write.index(0, 101_000 * USDC, FLAG_INDEX_AGELESS));
  const kinds: number[] = [];
  scene.state.events.listener = (kind) => { if (kind === MARKS_MOVED || kind === INSTRUMENT_LISTED) kinds.push(kind); };
  while (kinds.length === 0) assert.ok(runDue(scene.sequencer, scene.now));
  assert.equal(kinds[0], MARKS_MOVED);
  assert.ok(!isIdle(scene.state.work));
});

test('a revaluation that has begun is finished before other work, even when other work is due', () => {
  const scene = busy(50);
  const { events, marks, work } = scene.state;
  let isSwitched = false;
  events.listener = (kind) => { isSwitched = isSwitched || kind === MARKS_MOVED; };
  requestRevaluation(scene.state, 0);
  marks.counters[CREDIT] = 1;
  const before = work.items.slice();
  let steps = 0;
  for (; !isSwitched; steps++) {
    assert.deepEqual(work.items, before, `after ${steps} steps`);
    assert.ok(runDue(scene.sequencer, scene.now));
  }
  assert.ok(steps > 2, `${steps} steps`);
});

test('repeated requests queue at most one revaluation for each underlying', () => {
  const { state } = new Scene();
  for (let i = 0; i < 100; i++) requestRevaluation(state, i % 2);
  assert.equal(state.marks.counters[LENGTH], 2);
  const forget = (): void => {
    for (let i = 0; i < state.limits.underlyings; i++) {
      state.valuation.pending.fill(0);
      requestRevaluation(state, 0);
    }
  };
  assert.throws(forget, /revaluation: an underlying is queued at most once/, 'the queue has room for one of each underlying only');
});

test('under endless revaluations about half of the steps go to other work', () => {
  const scene = busy(400);
  const { marks, work } = scene.state;
  let forMarks = 0;
  let forWork = 0;
  while (!isIdle(work)) {
    requestRevaluation(scene.state, 0);
    const before = marks.counters[CREDIT]!;
    assert.ok(runDue(scene.sequencer, scene.now));
    if (marks.counters[CREDIT]! < before) forMarks++;
    else forWork++;
  }
  assert.ok(forWork > 1_000 && forMarks > 1_000, `${forMarks} for marks, ${forWork} for work`);
  assert.ok(forMarks <= forWork + AHEAD, `${forMarks} for marks, ${forWork} for work`);
});

test('a due tick runs between two steps of work, so marks follow the clock during long work', () => {
  const scene = busy(200);
  let steps = 0;
  let vintage = scene.state.valuation.vintage[0]!;
  let inTime = 0;
  while (!isIdle(scene.state.work)) {
    scene.now += SECOND / 50;
    assert.ok(runDue(scene.sequencer, scene.now));
    steps++;
    if (scene.state.valuation.vintage[0]! !== vintage) inTime++;
    vintage = scene.state.valuation.vintage[0]!;
    assert.ok(scene.now - scene.state.valuation.markedAt[0]! < 3 * SECOND, 'marks follow the clock');
  }
  assert.ok(steps > 200 && inTime > 2, `${steps} steps, ${inTime} vintages`);
});

test('when a tick is due at every step, every other step goes to the work', () => {
  const scene = busy(0);
  const { state } = scene;
  for (const wallet of [1, 2]) {
    assert.equal(scene.place(wallet, wallet - 1, 100_000, 1, { slot: state.instruments.perpOf[0]! }), OK);
  }
  scene.settle();
  assert.ok(pushWork(state.work, LIST, 0, 100_000 * USDC));
  for (let step = 0; step < 20; step++) {
    scene.now += state.settings.values[PREMIUM_INTERVAL]!;
    assert.ok(runDue(scene.sequencer, scene.now));
    assert.equal(scene.sequencer.ticked, step % 2 === 0, `step ${step}`);
    assert.ok(hasWork(state));
  }
});

test('when the clock is set back, commands get the time of the last command until the clock has caught up', () => {
  const scene = busy(0);
  const { clock } = scene.state;
  const last = clock[TIME]!;
  scene.now -= HOUR;
  assert.equal(scene.sell(1, 5_000, 1), OK);
  scene.venue(scene.write.index(0, 101_000 * USDC, FLAG_INDEX_AGELESS));
  scene.settle();
  assert.equal(clock[TIME], last);
  scene.now = last + 1;
  assert.equal(scene.sell(1, 5_000, 1), OK);
  assert.equal(clock[TIME], last + 1);
});

test('a takeover that has begun runs before new marks; one that has not begun waits for them', () => {
  for (const part of [0, 1]) {
    const scene = busy(0);
    const { items } = scene.state.work;
    assert.ok(pushWork(scene.state.work, LIQUIDATE, 0, part));
    const before = items.slice();
    scene.state.marks.counters[CREDIT] = 10;
    requestRevaluation(scene.state, 0);
    assert.ok(runDue(scene.sequencer, scene.now));
    const isWorkDone = items.some((item, i) => item !== before[i]);
    assert.equal(isWorkDone, part === 1);
    if (!isIdle(scene.state.work)) popWork(scene.state.work);
  }
});

test('a due expiry runs before marks, so no vintage values its contracts at the index instead of their settlement mean', () => {
  const scene = new Scene();
  const { valuation } = scene.state;
  const { expiry } = scene.contract(scene.atm);
  scene.now = expiry - 31 * MINUTE;
  assert.equal(scene.sell(1, 1_000, 1), 0);
  assert.equal(scene.buy(2, 1_000, 1), 0);
  scene.advance(28 * MINUTE);
  // The mean so far is the strike; two minutes and a half at 120,000 move it to 101,667.
  for (let i = 0; i < 3; i++) {
    scene.venue(scene.write.index(0, 120_000 * USDC, FLAG_INDEX_AGELESS));
    scene.advance(50 * SECOND);
  }
  while (scene.now < expiry - SECOND) scene.advance(SECOND);
  const ours = scene.slots((one) => one.underlying === 'BTC' && one.expiry === expiry);
  const before = ours.map((slot) => scene.mark(slot));
  const vintage = valuation.vintage[0]!;
  scene.now = expiry;
  while (runDue(scene.sequencer, scene.now)) {
    ours.forEach((slot, i) => assert.ok(Math.abs(scene.mark(slot) - before[i]!) < 20 * USDC, `${before[i]} to ${scene.mark(slot)}`));
  }
  assert.ok(valuation.vintage[0]! > vintage, 'there were new marks');
  assert.ok(scene.mark(scene.atm) > 1_600 * USDC && scene.mark(scene.atm) < 2_100 * USDC, `${scene.mark(scene.atm)}`);
});
