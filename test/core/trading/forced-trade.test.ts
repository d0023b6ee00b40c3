// What the liquidation engine needs from trading: an account in liquidation may only close positions, and the venue can trade
// for it without a signed command.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, SELL, USDC } from '../../../core/units.ts';
import { FILL, FILL_PRICE, FILL_TAKER_ORDER, MMP_TRIGGERED, ORDER_ACCEPTED, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_PRICE,
  ORDER_REASON, ORDER_SHRUNK } from '../../../core/codec/events.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { limitKeyOf, priceOfKey } from '../../../core/book/price-key.ts';
import { forceTrade } from '../../../core/trading/forced-trade.ts';
import { TradingScene, check, REDUCE } from './support.ts';

test('liquidation: an account in liquidation can only place orders that, with its open orders, only close', () => {
  const scene = new TradingScene();
  const { perp, state } = scene;
  scene.trade(1, 2, 90_000, 3);
  scene.sell(1, 95_000, 1, { slot: perp });
  for (const status of [PRE_LIQUIDATION, IN_LIQUIDATION]) {
    state.accounts.status[scene.account(1)] = status;
    assert.equal(scene.buy(1, 90_000, 1, { slot: perp }), C.IN_LIQUIDATION);
    assert.equal(scene.sell(1, 99_900, 2.1, { slot: perp }), C.IN_LIQUIDATION);
    assert.equal(scene.buy(1, 1_000, 1), C.IN_LIQUIDATION);
    assert.equal(scene.sell(1, 99_900, 2, { slot: perp }), C.OK);
    assert.equal(scene.cancel(1, scene.orders(1).at(-1)!.id), C.OK);
    assert.equal(scene.buy(1, 90_000, 1, { slot: perp, ...REDUCE }), C.REDUCE_ONLY_INCREASES, 'reduce-only comes first');
  }
  for (const status of [HEALTHY, LIQUIDATED]) {
    state.accounts.status[scene.account(1)] = status;
    assert.equal(scene.buy(1, 80_000, 1, { slot: perp }), C.OK);
  }
});

test('force: a forced trade fills what is within its limit, with its own order id and events, and never rests', () => {
  const scene = new TradingScene();
  const { perp, state } = scene;
  scene.trade(1, 2, 90_000, 3);
  scene.sell(1, 95_000, 3, { slot: perp, ...REDUCE });
  scene.buy(3, 89_000, 1, { slot: perp });
  scene.buy(4, 88_000, 1, { slot: perp });
  scene.buy(4, 87_000, 1, { slot: perp });
  scene.protect(1, { quantity: 0.1 });
  scene.events = [];
  const account = scene.account(1);
  const charged: [number, boolean][] = [];
  const note = (filled: number): void => void charged.push([filled, scene.emitted(ORDER_DONE, ORDER_REASON).includes(C.DONE_LIQUIDATION)]);
  // 87,999.5 has more than five figures: a sale at no less than that is a sale at 88,000.
  const sale = { instrument: perp, side: SELL, price: 87_999.5 * USDC, size: 2.5 * CONTRACT };
  assert.equal(forceTrade(state, account, sale, scene.now, note), 2 * CONTRACT);
  assert.deepEqual(scene.emitted(FILL, FILL_PRICE), [89_000 * USDC, 88_000 * USDC]);
  assert.deepEqual([scene.emitted(ORDER_ACCEPTED, ORDER_PRICE), scene.emitted(ORDER_ACCEPTED, ORDER_ID)], [[88_000 * USDC], [7]]);
  assert.deepEqual(scene.emitted(FILL, FILL_TAKER_ORDER), [7, 7]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_FILLED, C.DONE_LIQUIDATION]);
  assert.equal(scene.emitted(ORDER_DONE, ORDER_FILLED).at(-1), 2 * CONTRACT);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0);
  assert.equal(scene.emitted(ORDER_SHRUNK, ORDER_ID).length, 2);
  assert.equal(scene.held(1, perp)!.position, CONTRACT);
  check(state);
  const rest = { instrument: perp, side: SELL, price: 1, size: 5 * CONTRACT };
  assert.equal(forceTrade(state, account, rest, scene.now, note), CONTRACT, 'filled at a limit of one unit');
  const bid = { instrument: scene.atm, side: BUY, price: 5 * USDC, size: CONTRACT };
  assert.equal(forceTrade(state, scene.account(2), bid, scene.now, note), 0);
  assert.equal(scene.held(2), undefined, 'no row is left behind');
  assert.deepEqual(charged.map(([filled]) => filled), [2 * CONTRACT, CONTRACT], 'called with the filled size, and not without a fill');
  assert.equal(charged[0]![1], false, 'before the order ends');
  check(state);
});

test('limit prices: a limit is rounded to the nearest price of five figures that is not worse for the order', () => {
  const decimal = (price: number, side: number): number => priceOfKey(limitKeyOf(price, side));
  assert.deepEqual([decimal(123_456, BUY), decimal(123_456, SELL)], [123_450, 123_460]);
  assert.deepEqual([decimal(999_999, BUY), decimal(999_999, SELL)], [999_990, 1_000_000]);
  assert.deepEqual([decimal(99_999, BUY), decimal(99_999, SELL), decimal(1, BUY), decimal(1e15, SELL)], [99_999, 99_999, 1, 1e15]);
  fc.assert(fc.property(fc.integer({ min: 1, max: 1e15 }), (price) => {
    const scale = 10 ** Math.max(0, `${price}`.length - 5);
    assert.equal(decimal(price, BUY), Math.floor(price / scale) * scale);
    assert.equal(decimal(price, SELL), Math.ceil(price / scale) * scale);
  }));
});
