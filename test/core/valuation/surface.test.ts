// The volatility surface: the effect of inputs, no arbitrage on the listed strikes for any input, interpolation between expiries,
// staleness, and refused inputs of the operator. Tested by the volatilities of a whole venue.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { DAY, MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { CALL, FLAG_SURFACE_AGELESS } from '../../../core/codec/commands.ts';
import { SURFACE_ATM, SURFACE_CHANGED, SURFACE_CURVATURE, SURFACE_EXPIRY, SURFACE_SKEW } from '../../../core/codec/events.ts';
import { isIndexStale, isSurfaceStale } from '../../../core/valuation/valuation.ts';
import { Scene } from '../../support/scene.ts';
import { WIDE } from '../../support/venue.ts';
import { checkCalls, expiries } from '../../support/surfaces.ts';

/** Volatilities of the calls of an expiry by strike, as fractions. */
function smile(scene: Scene, expiry: number): Map<number, number> {
  const calls = scene.slots((one) => one.underlying === 'BTC' && one.expiry === expiry && one.kind === CALL);
  return new Map(calls.map((slot) => [scene.contract(slot).strike / USDC, scene.state.valuation.sigma[slot]! / 1e6]));
}

function set(scene: Scene, expiry: number, atm: number, skew = 0, curvature = 0, flags = FLAG_SURFACE_AGELESS): number {
  const units = (fraction: number): number => Math.round(fraction * 1e6);
  scene.venue(scene.write.surface(0, expiry, units(atm), units(skew), units(curvature), flags));
  const { code } = scene.state.result;
  scene.settle();
  return code;
}

function variance(scene: Scene, expiry: number, strike: number): number {
  return smile(scene, expiry).get(strike)! ** 2 * (expiry - scene.state.valuation.markedAt[0]!);
}

test('flat: volatilities are the default curve until the operator sets one, then exactly the one set', () => {
  const scene = new Scene({ limits: WIDE });
  for (const expiry of expiries(scene)) assert.deepEqual(new Set(smile(scene, expiry).values()), new Set([0.6]));
  assert.equal(set(scene, 0, 0.543_217), C.OK);
  for (const expiry of expiries(scene)) assert.deepEqual(new Set(smile(scene, expiry).values()), new Set([0.543_217]));
  assert.equal(scene.state.valuation.volatility[0], 543_217);
  assert.deepEqual(new Set(smile(scene, expiries(scene)[0]!).values()), new Set([0.543_217]));
});

test('skew is the slope of the smile at the money, and curvature is half its second derivative', () => {
  const scene = new Scene({ limits: WIDE });
  set(scene, 0, 0.6, -0.25, 0.4);
  const curve = smile(scene, expiries(scene).at(-1)!);
  const at = (k: number): [number, number] => {
    const away = (strike: number): number => Math.abs(Math.log(strike / 1e5) - k);
    const strike = [...curve.keys()].reduce((best, one) => (away(one) < away(best) ? one : best));
    return [Math.log(strike / 1e5), curve.get(strike)!];
  };
  const [[down, low], [up, high]] = [at(-0.05), at(0.05)];
  assert.ok(Math.abs(curve.get(100_000)! - 0.6) < 2e-6);
  assert.ok(Math.abs((high - low) / (up - down) + 0.25) < 0.02, `slope ${(high - low) / (up - down)}`);
  const bend = ((high - 0.6) / up - (low - 0.6) / down) / (up - down);
  assert.ok(Math.abs(bend - 0.4) < 0.05, `bend ${bend}`);
});

test('given the lowest volatility at the money, 1 %, and a skew, no strike has less than 1 %', () => {
  const scene = new Scene({ limits: WIDE });
  set(scene, 0, 0.01, -0.2);
  for (const expiry of expiries(scene)) assert.equal(Math.min(...smile(scene, expiry).values()), 0.01);
});

test('a surface for one expiry changes that expiry only; expiries listed later take the surface set for all', () => {
  const scene = new Scene({ limits: WIDE });
  const [first, second, ...rest] = expiries(scene);
  set(scene, 0, 0.7);
  assert.equal(set(scene, first!, 0.5), C.OK);
  assert.equal(smile(scene, first!).get(100_000), 0.5);
  assert.ok(rest.concat(second!).every((expiry) => smile(scene, expiry).get(100_000) === 0.7));
  const before = new Set(expiries(scene));
  scene.advance(DAY);
  scene.venue(scene.write.index(0, 100_000 * USDC, 1));
  scene.settle();
  const added = expiries(scene).filter((expiry) => !before.has(expiry));
  assert.ok(added.length > 0);
  for (const expiry of added) assert.deepEqual(new Set(smile(scene, expiry).values()), new Set([0.7]));
});

test('an expiry without input: total variance is linear in time between neighbours; outside, the nearest volatility holds', () => {
  const scene = new Scene({ limits: WIDE });
  const all = expiries(scene);
  set(scene, all[2]!, 0.5, -0.2, 0.2);
  set(scene, all[6]!, 0.8, 0.1, 0.5);
  for (const strike of [90_000, 100_000, 120_000]) {
    const [early, late] = [variance(scene, all[2]!, strike), variance(scene, all[6]!, strike)];
    for (const expiry of all.slice(3, 6)) {
      const share = (expiry - all[2]!) / (all[6]! - all[2]!);
      const linear = early + (late - early) * share;
      const mixed = variance(scene, expiry, strike);
      assert.ok(!(mixed > 0) || Math.abs(mixed / linear - 1) < 1e-5, `${strike}: ${mixed} against ${linear}`);
    }
  }
  assert.ok(Math.abs(smile(scene, all[0]!).get(100_000)! - 0.5) < 2e-6);
  assert.ok(Math.abs(smile(scene, all.at(-1)!).get(100_000)! - 0.8) < 2e-6);
});

test('there is no arbitrage on the listed strikes, whatever surface the operator sets', () => {
  const scene = new Scene({ limits: WIDE });
  const all = expiries(scene);
  const shape = fc.record({
    row: fc.integer({ min: -1, max: all.length - 1 }), atm: fc.double({ min: 0.01, max: 5, noNaN: true }),
    skew: fc.double({ min: -5, max: 5, noNaN: true }), curvature: fc.double({ min: -25, max: 25, noNaN: true }),
    isTame: fc.boolean(),
  });
  const run = fc.record({ shapes: fc.array(shape, { minLength: 1, maxLength: 8 }), spot: fc.integer({ min: 60_000, max: 160_000 }) });
  fc.assert(fc.property(run, ({ shapes, spot }) => {
    for (const { row, atm, skew, curvature, isTame } of shapes) {
      const tame = isTame ? 0.05 : 1;
      assert.equal(set(scene, row < 0 ? 0 : all[row]!, Math.max(0.01, isTame ? atm / 5 : atm), skew * tame, curvature * tame), C.OK);
    }
    scene.venue(scene.write.index(0, spot * USDC, 1));
    scene.settle();
    checkCalls(scene);
    set(scene, 0, 0.6);
  }), { numRuns: 60 });
});

test('stale: after a minute without input; ten minutes later the surface returns to the default curve; by hand it never ages', () => {
  const scene = new Scene({ limits: WIDE });
  const last = scene.slots((one) => one.underlying === 'BTC' && one.expiry === expiries(scene).at(-1)!)[0]!;
  const feed = (volatility = 0): void => {
    scene.venue(scene.write.index(0, 100_000 * USDC, 0, volatility));
    scene.settle();
  };
  const sigma = (): number => scene.state.valuation.sigma[last]! / 1e6;
  scene.advance(MINUTE);
  feed();
  assert.equal(isSurfaceStale(scene.state.valuation, last), true, 'no input yet');
  feed(800_000);
  assert.deepEqual([isSurfaceStale(scene.state.valuation, last), sigma()], [false, 0.8]);
  scene.now += MINUTE;
  feed();
  assert.equal(isSurfaceStale(scene.state.valuation, last), false, 'a minute is not too long');
  scene.now += 1;
  assert.equal(isSurfaceStale(scene.state.valuation, last), false, 'staleness is as of the last marks');
  feed();
  assert.deepEqual([isSurfaceStale(scene.state.valuation, last), sigma()], [true, 0.8], 'the last surface is kept');
  scene.now += 10 * MINUTE - 1;
  feed();
  assert.equal(sigma(), 0.8);
  scene.now += 1;
  feed();
  assert.deepEqual([isSurfaceStale(scene.state.valuation, last), sigma()], [true, 0.7955], 'a step towards the default curve');
  for (let i = 0; i < 60; i++) feed();
  assert.deepEqual([isSurfaceStale(scene.state.valuation, last), sigma()], [true, 0.6]);
  assert.equal(set(scene, 0, 0.9, 0, 0, 0), C.OK);
  scene.now += 20 * MINUTE;
  scene.venue(scene.write.index(0, 100_000 * USDC, 1));
  scene.settle();
  assert.equal(isSurfaceStale(scene.state.valuation, last), false, 'an index by hand');
  set(scene, 0, 0.9);
  scene.now += 20 * MINUTE;
  feed();
  assert.deepEqual([isSurfaceStale(scene.state.valuation, last), sigma()], [false, 0.9], 'a surface by hand');
  assert.equal(isSurfaceStale(scene.state.valuation, scene.state.instruments.perpOf[0]!), false, 'a perp has no surface');
});

test('when an index and a surface by hand end, their age counts from when they were set, also for expiries listed later', () => {
  const scene = new Scene({ limits: WIDE });
  const { settings, valuation } = scene.state;
  const last = scene.slots((one) => one.underlying === 'BTC' && one.expiry === expiries(scene).at(-1)!)[0]!;
  const facts = (): (boolean | number)[] => (
    [isIndexStale(valuation, settings, 0, scene.now), isSurfaceStale(valuation, last), valuation.sigma[last]! / 1e6]
  );
  assert.equal(set(scene, 0, 0.9), C.OK);
  scene.advance(30 * SECOND);
  assert.deepEqual(facts(), [false, false, 0.9]);
  scene.venue(scene.write.surface(0, 0, 0));
  assert.deepEqual([scene.state.result.code, scene.emitted(SURFACE_CHANGED, SURFACE_ATM)], [C.OK, []]);
  scene.venue(scene.write.index(0, 0, 0));
  scene.settle();
  assert.deepEqual(facts(), [true, false, 0.9], 'a price is stale after 10 s, a surface after 60');
  const feed = (): void => {
    scene.venue(scene.write.index(0, 100_000 * USDC, 0));
    scene.settle();
  };
  scene.now += 30 * SECOND + 1;
  feed();
  assert.deepEqual(facts(), [false, true, 0.9]);
  scene.now += 10 * MINUTE;
  feed();
  assert.deepEqual(facts(), [false, true, 0.8955], 'a step towards the default curve');
  for (let i = 0; i < 80; i++) feed();
  assert.deepEqual(facts(), [false, true, 0.6]);
  const before = new Set(expiries(scene));
  scene.advance(DAY);
  feed();
  const added = expiries(scene).filter((expiry) => !before.has(expiry));
  assert.ok(added.length > 0);
  for (const expiry of added) assert.deepEqual(new Set(smile(scene, expiry).values()), new Set([0.6]));
});

test('a feed’s price may carry volatility, skew and curvature for all expiries; an invalid surface is ignored', () => {
  const scene = new Scene({ limits: WIDE });
  const give = (...shape: [number, number, number]): void => {
    scene.venue(scene.write.index(0, 100_000 * USDC, 1, ...shape));
    scene.settle();
  };
  give(700_000, -200_000, 300_000);
  const curve = smile(scene, expiries(scene)[5]!);
  assert.ok(Math.abs(curve.get(100_000)! - 0.7) < 2e-6);
  assert.ok(curve.get(90_000)! > 0.71 && curve.get(90_000)! < 0.74, String(curve.get(90_000)));
  give(9_000_000, 0, 0);
  assert.deepEqual(smile(scene, expiries(scene)[5]!), curve);
});

test('the surface command refuses unlisted expiries, invalid shapes and unknown underlyings; its event names its inputs', () => {
  const scene = new Scene({ limits: WIDE });
  const expiry = expiries(scene)[1]!;
  const hash = scene.state.valuation.surface.rows.slice();
  assert.equal(set(scene, expiry + 1, 0.5), C.EXPIRY_NOT_LISTED);
  for (const shape of [[0.009], [5.1], [0.5, -5.1], [0.5, 0, 26], [NaN]] as [number, number?, number?][]) {
    assert.equal(set(scene, 0, ...shape), C.INVALID_SURFACE, String(shape));
  }
  scene.venue(scene.write.surface(7, 0, 600_000));
  assert.equal(scene.state.result.code, C.UNKNOWN_UNDERLYING);
  assert.deepEqual(scene.state.valuation.surface.rows, hash);
  scene.now += SECOND;
  scene.venue(scene.write.surface(0, expiry, 500_000, -10_000, 20_000));
  const fields = [SURFACE_EXPIRY, SURFACE_ATM, SURFACE_SKEW, SURFACE_CURVATURE].map((slot) => scene.emitted(SURFACE_CHANGED, slot)[0]);
  assert.deepEqual(fields, [expiry, 500_000, -10_000, 20_000]);
  assert.equal(scene.state.valuation.sigma[scene.atm], 600_000, 'marks do not change inside the command');
});
