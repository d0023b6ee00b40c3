// A vintage is computed beside the current one in bounded slices and switched in one step: which marks an order sees meanwhile, index
// and book changes meanwhile, a snapshot in the middle, and the events.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { DAY, MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { CALL, FLAG_INDEX_AGELESS, LIST_MARKET, PERP, PUT } from '../../../core/codec/commands.ts';
import { INDEX_VALUE, MARKS_CHECK, MARKS_COUNT, MARKS_MOVED } from '../../../core/codec/events.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { ACTIVE } from '../../../core/instruments/instruments.ts';
import { normalCdf } from '../../../core/math/elementary.ts';
import { optionPrice } from '../../../core/pricing/black76.ts';
import { apply } from '../../../core/engine/apply.ts';
import { viewsOf } from '../../../core/codec/record.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { markNew } from '../../../core/valuation/marks.ts';
import { deltaOf, isSurfaceStale, optionValue, vegaOf, vintageOf } from '../../../core/valuation/valuation.ts';
import { instrumentTotal } from '../../support/raw.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf, WIDE } from '../../support/venue.ts';

function marksOf(state: State): number[] {
  const { mark, markIndex, markedAt, sigma, stale, theo, vintage } = state.valuation;
  return [...mark, ...markIndex, ...markedAt, ...sigma, ...stale, ...theo, ...vintage].concat(vintageOf(state.valuation));
}

function setIndex(scene: Scene, usdc: number): void {
  scene.venue(scene.write.index(0, usdc * USDC, FLAG_INDEX_AGELESS));
}

/** A scene with an open order, so that slices are small. */
function opened(): Scene {
  const scene = new Scene();
  scene.sell(1, 5_000, 1);
  scene.settle();
  return scene;
}

test('switch: the current vintage stays unchanged until the last slice, then all its marks change at once', () => {
  const scene = opened();
  const before = marksOf(scene.state);
  setIndex(scene, 105_000);
  assert.deepEqual(marksOf(scene.state), before, 'an index price starts a revaluation but changes no mark');
  let slices = 0;
  while (vintageOf(scene.state.valuation) === before.at(-1)) {
    assert.deepEqual(marksOf(scene.state), before, `slice ${slices}`);
    scene.sell(2, 6_000 + slices, 1);
    assert.deepEqual(marksOf(scene.state), before, 'an order changes no mark either');
    scene.events = [];
    assert.ok(runDue(scene.sequencer, scene.now));
    slices++;
  }
  assert.ok(slices > 10, `${slices} slices`);
  const { instruments, valuation } = scene.state;
  const active = scene.slots((one) => one.underlying === 'BTC');
  assert.equal(scene.emitted(MARKS_MOVED, MARKS_COUNT)[0], active.length);
  assert.equal(scene.emitted(MARKS_MOVED, INDEX_VALUE)[0], 105_000 * USDC);
  assert.equal(scene.emitted(MARKS_MOVED, MARKS_CHECK)[0], active.reduce((sum, slot) => (sum + scene.mark(slot)) % 2 ** 32, 0));
  for (const slot of active) {
    const value = instruments.kind[slot] === PERP ? 105_000
      : optionValue(instruments, slot, 105_000, valuation.markedAt[0]!, 0, valuation.sigma[slot]! / 1e6);
    assert.equal(valuation.theo[slot], Math.round(value * USDC));
  }
});

test('slices are bounded: one step values at most 48 instruments', () => {
  const scene = opened();
  setIndex(scene, 105_000);
  const { nextMark, nextTheo } = scene.state.valuation;
  for (let busy = true; busy;) {
    nextMark.fill(-1);
    nextTheo.fill(-1);
    busy = runDue(scene.sequencer, scene.now);
    assert.ok(nextMark.filter((mark) => mark !== -1).length <= 48);
  }
});

test('frozen: index prices that arrive during a revaluation go into the next one, which covers them all', () => {
  const scene = opened();
  setIndex(scene, 101_000);
  assert.ok(runDue(scene.sequencer, scene.now));
  for (const usdc of [102_000, 103_000, 104_000]) setIndex(scene, usdc);
  scene.events = [];
  const seen: number[] = [];
  scene.state.events.listener = (kind, slots) => { if (kind === MARKS_MOVED) seen.push(slots[INDEX_VALUE]! / USDC); };
  scene.settle();
  assert.deepEqual(seen, [101_000, 104_000]);
  assert.equal(scene.state.valuation.pending[0], 0);
});

test('with an open order, each underlying is revalued once a second, and only once after a late clock', () => {
  const scene = opened();
  const seen: number[] = [];
  scene.state.events.listener = (kind, slots) => { if (kind === MARKS_MOVED) seen.push(slots[1]!); };
  scene.advance(SECOND);
  assert.deepEqual(seen, [0, 1]);
  scene.advance(10 * SECOND);
  assert.deepEqual(seen, [0, 1, 0, 1], 'a late clock catches up in one');
});

test('a new option has a mark as soon as it is listed; the perp’s mark is the index times one plus its basis', () => {
  const scene = new Scene({ limits: WIDE });
  const { valuation, instruments } = scene.state;
  const before = instrumentTotal(scene.state);
  scene.now += 61 * SECOND;
  setIndex(scene, 120_000);
  while (instrumentTotal(scene.state) === before) assert.ok(runDue(scene.sequencer, scene.now));
  for (let slot = before; slot < instrumentTotal(scene.state); slot++) {
    const value = optionValue(instruments, slot, 120_000, valuation.markedAt[0]!, 0, 0.6);
    assert.deepEqual([scene.mark(slot), valuation.sigma[slot]], [Math.round(value * USDC), 600_000]);
  }
  const perp = instruments.perpOf[0]!;
  assert.equal(scene.mark(perp), 120_000 * USDC);
  valuation.basis[0] = 1_234_567;
  scene.state.perps.next[0] = scene.now + SECOND;
  setIndex(scene, 100_000);
  scene.settle();
  assert.equal(scene.mark(perp), Math.round(100_000 * USDC * (1 + 1_234_567 / 1e9)));
});

test('given a snapshot in the middle of a revaluation, a restored core reaches the same state, events and marks', () => {
  const scene = opened();
  for (const [round, stop] of [1, 3, 9, 14].entries()) {
    scene.now += 700;
    setIndex(scene, 100_000 + 900 * round);
    for (let slice = 0; slice < stop; slice++) runDue(scene.sequencer, scene.now);
    const loaded = createState(scene.state.limits);
    restoreState(loaded, copyOf(scene.state));
    const from = scene.log.kept.length;
    scene.venue(scene.write.surface(0, 0, 500_000 + round, -100_000));
    scene.buy(3, 4_000 + round, 1);
    scene.advance(SECOND);
    for (const record of scene.log.kept.slice(from)) apply(loaded, viewsOf(record.buffer as ArrayBuffer), 0);
    assert.equal(hashOf(loaded), scene.hash(), `after ${stop} slices`);
    assert.deepEqual(loaded.events.digest, scene.state.events.digest);
    assert.deepEqual(marksOf(loaded), marksOf(scene.state));
  }
});

test('greeks agree with bumped prices and stay those of the vintage until the switch', () => {
  const scene = opened();
  const { instruments, valuation } = scene.state;
  const bumped = (slot: number, spot: number, sigma: number): number => (
    optionValue(instruments, slot, spot, valuation.markedAt[0]!, 0, sigma)
  );
  const put = scene.nearest(PUT);
  for (const slot of [scene.atm, put]) {
    const spot = valuation.markIndex[0]! / USDC;
    const delta = (bumped(slot, spot + 1, 0.6) - bumped(slot, spot - 1, 0.6)) / 2;
    const vega = (bumped(slot, spot, 0.601) - bumped(slot, spot, 0.599)) * 5;
    assert.ok(Math.abs(deltaOf(valuation, slot) / 1e6 - delta) < 1e-5, `${deltaOf(valuation, slot)} ${delta}`);
    assert.ok(Math.abs(vegaOf(valuation, slot) / 1e6 - vega) < 1e-3);
    assert.ok(Number.isInteger(deltaOf(valuation, slot)) && Number.isInteger(vegaOf(valuation, slot)));
  }
  const before = deltaOf(valuation, scene.atm);
  setIndex(scene, 103_000);
  runDue(scene.sequencer, scene.now);
  assert.equal(deltaOf(valuation, scene.atm), before);
  scene.settle();
  assert.ok(deltaOf(valuation, scene.atm) > before);
  assert.deepEqual([deltaOf(valuation, instruments.perpOf[0]!), vegaOf(valuation, instruments.perpOf[0]!)], [1_000_000, 0]);
  assert.ok(scene.contract(scene.atm).kind === CALL);
});

test('in the settlement window the mark and greeks of a new contract use the index mean of the vintage', () => {
  const scene = new Scene({ limits: WIDE });
  const { instruments, valuation } = scene.state;
  const { expiry } = scene.contract(scene.atm);
  const set = (usdc: number, left: number): void => {
    scene.now = expiry - left;
    setIndex(scene, usdc);
    scene.settle();
  };
  set(100_000, 40 * MINUTE);
  set(101_000, 10 * MINUTE);
  // Of 1,200 samples the last is 101,000: a third of the price is to come, and has to exceed about 101,500 on average.
  const strike = 100_500;
  const mean = 100_000.833_333;
  scene.venue(scene.write.market(LIST_MARKET, 0, expiry, strike * USDC, CALL));
  scene.settle();
  const slot = scene.slots((one) => one.strike === strike * USDC)[0]!;
  const rest = (strike - 2 / 3 * mean) * 3;
  const years = 10 * MINUTE / (365 * DAY);
  const d1 = Math.log(101_000 / rest) / (0.6 * Math.sqrt(years)) + 0.3 * Math.sqrt(years);
  assert.equal(valuation.average[0], mean * USDC);
  assert.equal(scene.mark(slot), Math.round(optionPrice(true, 101_000, rest, years, 0.6, 1) / 3 * USDC));
  assert.ok(Math.abs(deltaOf(valuation, slot) / 1e6 - normalCdf(d1) / 3) < 1e-6, `${deltaOf(valuation, slot)}`);
  const vega = 101_000 * Math.sqrt(years) * Math.exp(-d1 * d1 / 2) / Math.sqrt(2 * Math.PI) * 0.01 / 3;
  assert.ok(Math.abs(vegaOf(valuation, slot) / 1e6 - vega) < 1e-5, `${vegaOf(valuation, slot)} ${vega}`);
  assert.equal(instruments.status[slot], ACTIVE);
});

test('a contract is stale from its first mark on exactly if the surface is stale when it is listed', () => {
  for (const isStale of [true, false]) {
    const scene = new Scene({ limits: WIDE });
    const { expiry } = scene.contract(scene.atm);
    scene.now += SECOND;
    scene.venue(scene.write.index(0, 100_000 * USDC, isStale ? 0 : FLAG_INDEX_AGELESS));
    scene.settle();
    scene.venue(scene.write.market(LIST_MARKET, 0, expiry, 100_700 * USDC, CALL));
    const slot = instrumentTotal(scene.state);
    while (instrumentTotal(scene.state) === slot) assert.ok(runDue(scene.sequencer, scene.now));
    assert.equal(isSurfaceStale(scene.state.valuation, slot), isStale);
  }
});

test('when a slot is reused within one vintage, its greeks are those of the new contract', () => {
  const scene = new Scene();
  const { instruments, settings, valuation } = scene.state;
  const [slot, other] = [scene.atm, scene.nearest(PUT)];
  const wanted = [deltaOf(valuation, other), vegaOf(valuation, other)];
  assert.notDeepEqual([deltaOf(valuation, slot), vegaOf(valuation, slot)], wanted);
  // A listing writes these columns when it reuses the slot of a settled contract.
  for (const column of [instruments.expiry, instruments.kind, instruments.strike]) column[slot] = column[other]!;
  markNew(valuation, settings, slot, scene.now);
  assert.deepEqual([deltaOf(valuation, slot), vegaOf(valuation, slot)], wanted);
});
