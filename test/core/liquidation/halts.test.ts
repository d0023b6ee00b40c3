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
import { fallen, Pit } from './pit.ts';

function halt(pit: Pit, mode: number, slot = pit.perp): void {
  pit.venue(pit.write.tradingMode(mode, 0, pit.contract(slot)));
  assert.equal(pit.state.result.code, C.OK);
}

for (const [name, mode] of [['cancel-only', CANCEL_ONLY], ['halted', HALTED]] as const) {
  test(`a wait stands still while the market is ${name}, and goes on where it was`, () => {
    const pit = fallen(94_000);
    assert.equal(pit.status(1), PRE_LIQUIDATION);
    const left = pit.state.risk.waitEnd[pit.account(1)]! - pit.now;
    halt(pit, mode);
    pit.seconds(300);
    assert.equal(pit.status(1), PRE_LIQUIDATION);
    halt(pit, MARKET_OPEN);
    pit.seconds(Math.floor(left / SECOND) - 2);
    assert.equal(pit.status(1), PRE_LIQUIDATION);
    pit.seconds(4);
    assert.equal(pit.status(1), IN_LIQUIDATION);
    assert.equal(hashOf(pit.replay(createState(pit.state.limits))), pit.hash());
  });

  test(`nobody is taken over while the market is ${name}, neither after 30 s nor without equity`, () => {
    for (const price of [92_700, 90_500]) {
      const pit = new Pit({ set: [[LIQUIDATION_WAIT, 0]] });
      pit.trade(1, 2, 100_000, 1);
      pit.seconds(1);
      halt(pit, mode);
      pit.index(price);
      pit.seconds(120);
      assert.deepEqual([pit.status(1), pit.seen(TAKEN_OVER).length], [IN_LIQUIDATION, 0]);
      halt(pit, MARKET_OPEN);
      pit.seconds(price === 90_500 ? 2 : 20);
      assert.equal(pit.status(1), price === 90_500 ? LIQUIDATED : IN_LIQUIDATION, 'the 30 s had stood still');
      pit.seconds(15);
      assert.equal(pit.status(1), LIQUIDATED);
    }
  });
}

test('a market of another contract that the account does not hold stops nothing', () => {
  const pit = fallen(92_700);
  halt(pit, HALTED, pit.nearest(CALL));
  pit.seconds(40);
  assert.equal(pit.status(1), LIQUIDATED);
});

test('closing orders of the venue go on in a cancel-only market, and into no halted one', () => {
  for (const [mode, isClosed] of [[CANCEL_ONLY, true], [HALTED, false]] as const) {
    const pit = fallen(92_700);
    assert.equal(pit.status(1), IN_LIQUIDATION);
    assert.equal(pit.buy(3, 92_600, 1, { slot: pit.perp }), C.OK);
    halt(pit, mode);
    pit.kept = [];
    pit.seconds(3);
    assert.equal(pit.seen(FILL).length > 0, isClosed);
    assert.equal(pit.seen(ORDER_ACCEPTED).length > 0, isClosed);
  }
});

test('a second fall waits anew, whatever stood still in the first', () => {
  const pit = fallen(94_000);
  halt(pit, HALTED);
  pit.seconds(10);
  pit.index(101_000);
  pit.seconds(2);
  halt(pit, MARKET_OPEN);
  pit.seconds(HOUR / SECOND / 4);
  pit.index(94_000);
  pit.seconds(5);
  assert.equal(pit.status(1), PRE_LIQUIDATION);
  const left = pit.state.risk.waitEnd[pit.account(1)]! - pit.now;
  assert.ok(left <= MINUTE, `${left} ms of the wait are left`);
  pit.seconds(MINUTE / SECOND);
  assert.equal(pit.status(1), IN_LIQUIDATION);
});

/** Mark, theo and volatility of a call after 12 s of quotes above theo. An index set by hand leaves the surface alone. */
function quoted(mode: number, isByHand: boolean): { mark: number; theo: number; sigma: number } {
  const pit = new Pit({ balance: 10_000_000 });
  const slot = pit.nearest(CALL);
  const tick = (): void => {
    pit.venue(pit.write.index(0, 100_000_000_000, isByHand ? FLAG_INDEX_AGELESS : 0));
    pit.settle();
  };
  for (const wallet of [1, 2, 3, 4, 5, 6]) pit.send(pit.write.tier(wallet, MARKET_MAKER));
  tick();
  const price = (part: number): number => Number((pit.state.valuation.theo[slot]! / 1e6 * part).toPrecision(4));
  for (const wallet of [1, 2, 3]) {
    assert.equal(pit.buy(wallet, price(1.02), 10, { slot }), C.OK);
    assert.equal(pit.sell(wallet + 3, price(1.1), 10, { slot }), C.OK);
  }
  halt(pit, mode, slot);
  for (let i = 0; i < 12; i++) {
    pit.advance(SECOND);
    tick();
  }
  const { mark, theo, sigma } = pit.state.valuation;
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
    const pit = new Pit({ balance: 10_000_000 });
    pit.trade(1, 2, 100_000, 1);
    assert.equal(pit.buy(1, 100_400, 5, { slot: pit.perp }), C.OK);
    assert.equal(pit.sell(2, 100_500, 5, { slot: pit.perp }), C.OK);
    halt(pit, mode);
    pit.seconds(60);
    return pit.state.perps.premium[0]!;
  };
  assert.ok(premiumOf(MARKET_OPEN) > 0);
  assert.deepEqual([premiumOf(CANCEL_ONLY), premiumOf(HALTED)], [0, 0]);
});
