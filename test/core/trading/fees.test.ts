// Fees (decision 2.7): a rate on the notional of the underlying, for an option at most an eighth of the premium, rounded up. Both
// sides pay it to the house, and it is not part of realised profit.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { CONTRACT, IOC, USDC } from '../../../core/units.ts';
import { FILL, FILL_MAKER_CASH, FILL_MAKER_FEE, FILL_TAKER_CASH, FILL_TAKER_FEE, FILL_TAKER_REALIZED, ORDER_DONE,
  ORDER_REASON } from '../../../core/codec/events.ts';
import { feeOf } from '../../../core/margin/standard.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { createSettings, DEFAULT_BALANCE, defaultSettings, MAKER_FEE, MAX_POSITION, TAKER_FEE } from '../../../core/settings.ts';
import { TradingScene, REDUCE, check, house } from './support.ts';

const BALANCE = 10_000_000 * USDC;
const FEES = 1;

function priced(): TradingScene {
  const settings = defaultSettings();
  settings[MAKER_FEE] = 200;
  settings[TAKER_FEE] = 500;
  return new TradingScene({ settings });
}

test('fees: without configured rates no fee is charged', () => {
  const scene = new TradingScene();
  scene.trade(1, 2, 1_000, 1, scene.atm);
  assert.deepEqual([scene.emitted(FILL, FILL_TAKER_FEE), scene.emitted(FILL, FILL_MAKER_FEE), house(scene.state, FEES)], [[0], [0], 0]);
});

test('fees: the fee of an option is a rate on the index, at most 12.5 % of its premium', () => {
  const scene = priced();
  scene.trade(1, 2, 1_000, 2, scene.atm);
  // 100,000 * 2 * 0.05 % and * 0.02 %; an eighth of 2,000 is more.
  assert.deepEqual([scene.emitted(FILL, FILL_TAKER_FEE), scene.emitted(FILL, FILL_MAKER_FEE)], [[100 * USDC], [40 * USDC]]);
  assert.deepEqual([scene.cash(1), scene.cash(2)], [BALANCE - 2_100 * USDC, BALANCE + 1_960 * USDC]);
  assert.deepEqual([scene.emitted(FILL, FILL_TAKER_CASH), scene.emitted(FILL, FILL_MAKER_CASH)], [[scene.cash(1)], [scene.cash(2)]]);
  scene.trade(3, 4, 100, 2, scene.atm);
  assert.deepEqual([scene.emitted(FILL, FILL_TAKER_FEE), scene.emitted(FILL, FILL_MAKER_FEE)], [[25 * USDC], [25 * USDC]]);
  assert.equal(house(scene.state, FEES), 190 * USDC);
  check(scene.state);
});

test('fees: a fee is rounded up and not part of realised profit', () => {
  const scene = priced();
  // 1e-6 contracts: a tenth of a USDC of notional, 50 and 20 micros; the premium's eighth is 125 micros.
  scene.trade(1, 2, 1_000, 0.000001, scene.atm);
  assert.deepEqual([scene.emitted(FILL, FILL_TAKER_FEE), scene.emitted(FILL, FILL_MAKER_FEE)], [[50], [20]]);
  scene.trade(1, 2, 1_100, -0.000001, scene.atm);
  assert.deepEqual(scene.emitted(FILL, FILL_TAKER_REALIZED), [100]);
  scene.trade(1, 2, 1, 0.000001, scene.atm);
  assert.deepEqual(scene.emitted(FILL, FILL_TAKER_FEE), [1], 'an eighth of a micro is a micro');
  check(scene.state);
});

test('fees: a fee is the exact product rounded up once, for any notional and rate', () => {
  const settings = createSettings();
  const rounded = (price: number, size: number, part: number): bigint => {
    const product = BigInt(price) * BigInt(size) * BigInt(part);
    return (product + 999_999_999_999n) / 1_000_000_000_000n;
  };
  settings.values[TAKER_FEE] = 150;
  // 6,666.5 micros of notional at 0.015 % are 0.999975 micros.
  assert.equal(feeOf(settings, TAKER_FEE, PERP, 6_666_500_000, 1, 1), 1);
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 10 ** 12 }), fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 1_000_000 }),
    (price, size, part) => {
      settings.values[TAKER_FEE] = part;
      assert.equal(feeOf(settings, TAKER_FEE, PERP, price, 1, size), Number(rounded(price, size, part)));
    },
  ), { numRuns: 20_000 });
  assert.equal(feeOf(settings, TAKER_FEE, PERP, 10 ** 15, 1, 10 ** 15), Infinity);
});

test('fees: the fee of a perp is a rate on the index, whatever the price, and paid in cash', () => {
  const scene = priced();
  scene.trade(1, 2, 99_000, 2);
  assert.deepEqual([scene.cash(1), scene.cash(2)], [BALANCE - 100 * USDC, BALANCE - 40 * USDC]);
  scene.trade(3, 4, 100, 2);
  assert.deepEqual([scene.cash(3), scene.cash(4)], [BALANCE - 100 * USDC, BALANCE - 40 * USDC], 'a perp has no premium');
  check(scene.state);
});

test('fees: when a fill would take a balance past 2^53, the order ends before anything is booked', () => {
  const settings = defaultSettings();
  settings[MAKER_FEE] = 500;
  settings[DEFAULT_BALANCE] = 9e15;
  settings[MAX_POSITION] = 9e15;
  const scene = new TradingScene({ settings });
  const { state } = scene;
  assert.equal(scene.sell(2, 10_000, 1, { slot: scene.atm }), C.OK);
  assert.equal(scene.cancel(1, 99), C.ORDER_NOT_FOUND);
  state.accounts.cash[scene.account(2)] = Number.MAX_SAFE_INTEGER - 9_999 * USDC;
  assert.equal(scene.buy(1, 10_000, 1, { tif: IOC }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_BALANCE_RANGE, C.DONE_IOC_REST], 'the premium alone is too much');
  assert.equal(scene.sell(2, 10_000, 1, { slot: scene.atm }), C.OK);
  state.accounts.cash[scene.account(2)] = -Number.MAX_SAFE_INTEGER;
  scene.trade(3, 4, 50_000, 1);
  assert.equal(scene.sell(3, 150_000, 1, { slot: scene.perp }), C.OK);
  state.accounts.cash[scene.account(3)] = Number.MAX_SAFE_INTEGER - 99_999 * USDC;
  assert.equal(scene.buy(1, 150_000, 1, { slot: scene.perp, tif: IOC }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_BALANCE_RANGE, C.DONE_IOC_REST], 'for a perp it is the profit');
});

test('fees: whether a maker without margin may close is decided by the maker’s fee, not the taker’s', () => {
  const settings = defaultSettings();
  settings[TAKER_FEE] = 500;
  settings[DEFAULT_BALANCE] = 12_000 * USDC;
  const scene = new TradingScene({ settings });
  assert.equal(scene.cancel(1, 1e9), C.ORDER_NOT_FOUND, 'its account has opened');
  settings[DEFAULT_BALANCE] = BALANCE;
  scene.venue(scene.write.configure(settings));
  const eth = scene.state.instruments.perpOf[1]!;
  const open = (slot: number, price: number, size: number): void => {
    assert.deepEqual([scene.buy(1, price, size, { slot }), scene.sell(2, price, size, { slot, tif: IOC })], [C.OK, C.OK]);
  };
  open(scene.perp, 100_000, 1);
  open(eth, 3_000, 5);
  assert.equal(scene.sell(1, 100_020, 1, { slot: scene.perp, ...REDUCE }), C.OK);
  // The account has lost its equity: a close at 20 above the mark gains 20, and the maker's fee is 0.
  scene.venue(scene.write.index(1, 600 * USDC, 1));
  scene.settle();
  assert.equal(scene.buy(2, 100_020, 1, { slot: scene.perp, tif: IOC }), C.OK);
  assert.deepEqual([scene.number(1), scene.held(1, scene.perp)], [CONTRACT, undefined]);
  check(scene.state);
});
