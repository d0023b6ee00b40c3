// Price bands around the mark: which orders they refuse, with which bounds, and that they are never narrower than the distance at which a
// liquidation closes. Bounds are computed again with exact fractions.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { CALL, FLAG_REDUCE_ONLY, PERP } from '../../../core/codec/commands.ts';
import { defaultSettings, PRICE_BAND, PRICE_BAND_VOL } from '../../../core/settings.ts';
import { IOC, USDC } from '../../../core/units.ts';
import { vegaOf } from '../../../core/valuation/valuation.ts';
import { bandOf, inward } from '../../support/band.ts';
import { Scene } from '../../support/scene.ts';
import { FREE } from '../../support/venue.ts';

function banded(band: number, vol = 0, set: readonly (readonly [number, number])[] = []): Scene {
  const settings = defaultSettings();
  settings[PRICE_BAND] = band;
  settings[PRICE_BAND_VOL] = vol;
  for (const [at, value] of set) settings[at] = value;
  return new Scene({ settings, rules: FREE });
}

const perpOf = (scene: Scene): number => scene.slots((one) => one.kind === PERP && one.underlying === 'BTC')[0]!;

const boundsOf = ({ state }: Scene, slot: number): readonly [min: number, max: number] => (
  bandOf(state, slot, vegaOf(state.valuation, slot))
);

test('band: off by default, any valid price is taken', () => {
  const scene = new Scene({ rules: FREE });
  assert.equal(scene.buy(1, 99_000, 0.1), C.OK);
  assert.equal(scene.sell(2, 100_000, 0.1), C.OK);
});

test('must hold: a bid above or an ask below the band is refused with its bounds, and at the bounds both are taken', () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 400_000 }), fc.integer({ min: 0, max: 200_000 }), fc.boolean(), fc.nat(40), (band, vol, isPerp, pick) => {
      const scene = banded(band, vol);
      const calls = scene.slots((one) => one.kind === CALL && one.underlying === 'BTC');
      const slot = isPerp ? perpOf(scene) : calls[pick % calls.length]!;
      const [min, max] = boundsOf(scene, slot);
      const step = (price: number): number => Math.max(1, 10 ** (String(price).length - 5));
      const [above, below] = [(max + step(max)) / USDC, (min - step(min)) / USDC];
      const size = 0.000001;
      assert.equal(scene.buy(1, above, size, { slot }), C.OUTSIDE_BAND);
      assert.deepEqual([scene.number(0), scene.number(1)], [min, max]);
      assert.equal(scene.buy(1, above, size, { slot, tif: IOC }), C.OUTSIDE_BAND, 'crossing or not');
      assert.equal(scene.buy(1, max / USDC, size, { slot, tif: IOC }), C.OK);
      if (min > 1) assert.equal(scene.sell(2, below, size, { slot }), C.OUTSIDE_BAND);
      assert.equal(scene.sell(2, min / USDC, size, { slot, tif: IOC }), C.OK);
      assert.equal(scene.buy(3, 0.000001, size, { slot }), C.OK, 'a low bid harms nobody');
      assert.equal(scene.sell(3, 900_000, size, { slot }), C.OK, 'nor does a high ask');
    },
  ), { numRuns: 30 });
});

test('band: volatility points widen the band of an option, not that of a perp', () => {
  const [narrow, wide] = [banded(100_000), banded(100_000, 500_000)];
  const perp = perpOf(narrow);
  assert.ok(boundsOf(wide, wide.atm)[1] > boundsOf(narrow, narrow.atm)[1]);
  assert.equal(wide.buy(1, boundsOf(wide, wide.atm)[1] / USDC, 0.1), C.OK);
  assert.deepEqual(boundsOf(wide, perp), boundsOf(narrow, perp));
  assert.equal(wide.buy(1, 111_000, 0.1, { slot: perp }), C.OUTSIDE_BAND);
});

test('band: never narrower than the closing distance, whatever an option is worth', () => {
  const scene = banded(100_000);
  const calls = scene.slots((one) => one.kind === CALL && one.underlying === 'BTC');
  const cheap = calls.reduce((a, b) => (scene.mark(b) < scene.mark(a) ? b : a));
  const spot = scene.state.valuation.markIndex[0]!;
  assert.ok(scene.mark(cheap) * 0.1 < spot * 0.001);
  assert.equal(scene.buy(1, inward(BigInt(scene.mark(cheap) + Math.floor(spot / 1_000)), true) / USDC, 0.1, { slot: cheap }), C.OK);
});

test('band: after margin, so an order that fails both is refused for margin; closing orders obey it too', () => {
  const scene = banded(100_000);
  const perp = perpOf(scene);
  assert.equal(scene.buy(1, 200_000, 100_000, { slot: perp }), C.POSITION_LIMIT);
  assert.equal(scene.buy(1, 200_000, 900, { slot: perp }), C.INSUFFICIENT_MARGIN);
  scene.sell(2, 100_000, 1, { slot: perp });
  scene.buy(1, 100_000, 1, { slot: perp });
  assert.equal(scene.sell(1, 50_000, 1, { slot: perp, flags: FLAG_REDUCE_ONLY }), C.OUTSIDE_BAND);
  assert.equal(scene.orders(1).length, 0);
});
