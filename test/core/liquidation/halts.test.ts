// Liquidation while markets are not open: waits and the time without progress stand still, nobody is taken over, closing orders go on in a
// cancel-only market and not in a halted one; quotes move no mark and no surface, and premium samples are missing.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { CALL, FLAG_INDEX_AGELESS } from '../../../core/codec/commands.ts';
import { FILL, ORDER_ACCEPTED, TAKEN_OVER } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { CANCEL_ONLY, HALTED, MARKET_OPEN } from '../../../core/instruments/trading-mode.ts';
import { LIQUIDATION_WAIT } from '../../../core/settings.ts';
import { MARKET_MAKER } from '../../../core/tiers.ts';
import { HOUR, MINUTE, SECOND } from '../../../core/units.ts';
import { hashOf } from '../../support/venue.ts';
import { fallen, LiquidationScene } from './liquidation-scene.ts';

function halt(scene: LiquidationScene, mode: number, slot = scene.perp): void {
  scene.venue(scene.write.tradingMode(mode, 0, scene.contract(slot)));
  assert.equal(scene.state.result.code, C.OK);
}

for (const [name, mode] of [['cancel-only', CANCEL_ONLY], ['halted', HALTED]] as const) {
  test(`a wait stands still while the market is ${name}, and goes on where it was`, () => {
    const scene = fallen(94_000);
    assert.equal(scene.status(1), PRE_LIQUIDATION);
    const left = scene.state.risk.waitEnd[scene.account(1)]! - scene.now;
    halt(scene, mode);
    scene.seconds(300);
    assert.equal(scene.status(1), PRE_LIQUIDATION);
    halt(scene, MARKET_OPEN);
    scene.seconds(Math.floor(left / SECOND) - 2);
    assert.equal(scene.status(1), PRE_LIQUIDATION);
    scene.seconds(4);
    assert.equal(scene.status(1), IN_LIQUIDATION);
    assert.equal(hashOf(scene.replay(createState(scene.state.limits))), scene.hash());
  });

  test(`nobody is taken over while the market is ${name}, neither after 30 s nor without equity`, () => {
    for (const price of [92_700, 90_500]) {
      const scene = new LiquidationScene({ set: [[LIQUIDATION_WAIT, 0]] });
      scene.trade(1, 2, 100_000, 1);
      scene.seconds(1);
      halt(scene, mode);
      scene.index(price);
      scene.seconds(120);
      assert.deepEqual([scene.status(1), scene.seen(TAKEN_OVER).length], [IN_LIQUIDATION, 0]);
      halt(scene, MARKET_OPEN);
      scene.seconds(price === 90_500 ? 2 : 20);
      assert.equal(scene.status(1), price === 90_500 ? LIQUIDATED : IN_LIQUIDATION, 'the 30 s had stood still');
      scene.seconds(15);
      assert.equal(scene.status(1), LIQUIDATED);
    }
  });
}

test('a market of another contract that the account does not hold stops nothing', () => {
  const scene = fallen(92_700);
  halt(scene, HALTED, scene.nearest(CALL));
  scene.seconds(40);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('closing orders of the venue go on in a cancel-only market, and into no halted one', () => {
  for (const [mode, isClosed] of [[CANCEL_ONLY, true], [HALTED, false]] as const) {
    const scene = fallen(92_700);
    assert.equal(scene.status(1), IN_LIQUIDATION);
    assert.equal(scene.buy(3, 92_600, 1, { slot: scene.perp }), C.OK);
    halt(scene, mode);
    scene.kept = [];
    scene.seconds(3);
    assert.equal(scene.seen(FILL).length > 0, isClosed);
    assert.equal(scene.seen(ORDER_ACCEPTED).length > 0, isClosed);
  }
});

test('a second fall waits anew, whatever stood still in the first', () => {
  const scene = fallen(94_000);
  halt(scene, HALTED);
  scene.seconds(10);
  scene.index(101_000);
  scene.seconds(2);
  halt(scene, MARKET_OPEN);
  scene.seconds(HOUR / SECOND / 4);
  scene.index(94_000);
  scene.seconds(5);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  const left = scene.state.risk.waitEnd[scene.account(1)]! - scene.now;
  assert.ok(left <= MINUTE, `${left} ms of the wait are left`);
  scene.seconds(MINUTE / SECOND);
  assert.equal(scene.status(1), IN_LIQUIDATION);
});

/** Mark, theo and volatility of a call after 12 s of quotes above theo. An index set by hand leaves the surface alone. */
function quoted(mode: number, isByHand: boolean): { mark: number; theo: number; sigma: number } {
  const scene = new LiquidationScene({ balance: 10_000_000 });
  const slot = scene.nearest(CALL);
  const tick = (): void => {
    scene.venue(scene.write.index(0, 100_000_000_000, isByHand ? FLAG_INDEX_AGELESS : 0));
    scene.settle();
  };
  for (const wallet of [1, 2, 3, 4, 5, 6]) scene.send(scene.write.tier(wallet, MARKET_MAKER));
  tick();
  const price = (part: number): number => Number((scene.state.valuation.theo[slot]! / 1e6 * part).toPrecision(4));
  for (const wallet of [1, 2, 3]) {
    assert.equal(scene.buy(wallet, price(1.02), 10, { slot }), C.OK);
    assert.equal(scene.sell(wallet + 3, price(1.1), 10, { slot }), C.OK);
  }
  halt(scene, mode, slot);
  for (let i = 0; i < 12; i++) {
    scene.advance(SECOND);
    tick();
  }
  const { mark, theo, sigma } = scene.state.valuation;
  return { mark: mark[slot]!, theo: theo[slot]!, sigma: sigma[slot]! };
}

test('quotes in a market that is not open move no mark and no surface', () => {
  const [open, fitted] = [quoted(MARKET_OPEN, true), quoted(MARKET_OPEN, false)];
  assert.ok(open.mark > open.theo, 'while open, the quotes move the mark');
  assert.ok(fitted.sigma > 600_000, 'and the surface');
  for (const mode of [CANCEL_ONLY, HALTED]) {
    const closed = quoted(mode, true);
    assert.equal(closed.mark, closed.theo);
    assert.equal(quoted(mode, false).sigma, 600_000);
  }
});

test('premium samples are missing while the perp is not open', () => {
  const premiumOf = (mode: number): number => {
    const scene = new LiquidationScene({ balance: 10_000_000 });
    scene.trade(1, 2, 100_000, 1);
    assert.equal(scene.buy(1, 100_400, 5, { slot: scene.perp }), C.OK);
    assert.equal(scene.sell(2, 100_500, 5, { slot: scene.perp }), C.OK);
    halt(scene, mode);
    scene.seconds(60);
    return scene.state.perps.premium[0]!;
  };
  assert.ok(premiumOf(MARKET_OPEN) > 0);
  assert.deepEqual([premiumOf(CANCEL_ONLY), premiumOf(HALTED)], [0, 0]);
});
