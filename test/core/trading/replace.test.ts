// Replacing an order (decision 3.8): cancel and place in one command, checked as if the old order were gone. A refusal leaves
// the whole state as it was, to the last byte.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { BOOK_CHANGED, FILL, FILL_MAKER_ORDER, ORDER_ACCEPTED, ORDER_DONE, ORDER_ID, ORDER_REASON,
  ORDER_RESTED } from '../../../core/codec/events.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { CALL, FLAG_INDEX_AGELESS, LIST_MARKET } from '../../../core/codec/commands.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { freshen } from '../../../core/margin/account-margin.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../../../core/settings.ts';
import { DEFAULT_LIMITS, TIER1 } from '../../../core/tiers.ts';
import { TradingScene, check, image, REDUCE, refusesUnfitOrders } from './support.ts';
import { WIDE } from '../../support/venue.ts';

test('replace: the new order has a new id and no time priority, and the old one ends with reason replaced', () => {
  const scene = new TradingScene();
  scene.sell(1, 1_000, 1);
  scene.sell(2, 1_000, 1);
  assert.equal(scene.replace(1, 1, SELL, 1_000, 1), C.OK);
  assert.deepEqual([0, 1, 2, 3].map((i) => scene.number(i)), [3, 0, CONTRACT, 0]);
  assert.deepEqual(scene.events.map((event) => event.kind).slice(0, 3), [ORDER_DONE, ORDER_ACCEPTED, ORDER_RESTED]);
  assert.deepEqual([scene.emitted(ORDER_DONE, ORDER_ID), scene.emitted(ORDER_DONE, ORDER_REASON)], [[1], [C.DONE_REPLACED]]);
  assert.equal(scene.emitted(BOOK_CHANGED, 1).length, 1);
  scene.buy(3, 1_000, 1);
  assert.deepEqual(scene.emitted(FILL, FILL_MAKER_ORDER), [2]);
  check(scene.state);
});

test('replace: when the old order is unknown, done or another wallet’s, nothing is placed and the code is that of a cancel', () => {
  refusesUnfitOrders((scene, wallet, id) => scene.replace(wallet, id, SELL, 2_000, 1));
});

test('replace: the new order may have another side or contract, and does not meet the order it replaces', () => {
  const scene = new TradingScene();
  scene.sell(1, 1_000, 1);
  assert.equal(scene.replace(1, 1, BUY, 1_200, 1), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_REPLACED], 'no self-trade with what it replaces');
  assert.equal(scene.replace(1, 2, SELL, 95_000, 1, { slot: scene.perp }), C.OK);
  assert.equal(scene.held(1), undefined, 'the old row is gone');
  scene.buy(2, 95_000, 0.4, { slot: scene.perp });
  assert.equal(scene.replace(1, 3, SELL, 1_000, 1), C.OK);
  assert.deepEqual(scene.held(1, scene.perp)!.position, -0.4 * CONTRACT);
  check(scene.state);
});

test('replace: a replacement with ioc or fok does not rest, and leaves no empty holding row', () => {
  for (const tif of [IOC, FOK]) {
    const scene = new TradingScene();
    scene.buy(1, 1_000, 1);
    assert.equal(scene.replace(1, 1, BUY, 1_000, 1, { tif }), C.OK);
    assert.deepEqual([scene.orders().length, scene.held(1)], [0, undefined]);
    check(scene.state);
  }
});

test('replace: the new order may have the client id of the old one, but not that of another open order', () => {
  const scene = new TradingScene();
  scene.sell(1, 1_000, 1, { clientId: 'a' });
  scene.sell(1, 1_001, 1, { clientId: 'b' });
  assert.equal(scene.replace(1, 1, SELL, 1_002, 1, { clientId: 'b' }), C.DUPLICATE_CLIENT_ID);
  assert.equal(scene.replace(1, 1, SELL, 1_002, 1, { clientId: 'a' }), C.OK);
  assert.equal(scene.send(scene.write.cancelByClientId(1, scene.next(), 'a')), C.OK);
});

test('replace: margin is checked without the old order, to the micro', () => {
  const scene = new TradingScene();
  // The whole balance: 10,000,000 for 100 contracts at 100,000.
  assert.equal(scene.buy(1, 100_000, 100), C.OK);
  const before = image(scene.state);
  assert.equal(scene.replace(1, 1, BUY, 100_000, 100.000001), C.INSUFFICIENT_MARGIN);
  assert.deepEqual([0, 1, 2].map((i) => scene.number(i)), [10_000_000 * USDC + 100_000, 10_000_000 * USDC, 100_000]);
  assert.equal(image(scene.state), before);
  assert.equal(scene.replace(1, 1, BUY, 99_999, 100), C.OK);
  assert.equal(scene.replace(1, 2, BUY, 100_000, 100), C.OK);
  check(scene.state);
});

test('replace: caps and the position limit are checked without the old order', () => {
  const table = DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 2, positions: 1 }));
  const settings = defaultSettings();
  settings[MAX_POSITION] = 200_000 * USDC;
  const scene = new TradingScene({ rules: { table }, settings });
  scene.sell(1, 1_000, 1);
  assert.equal(scene.sell(1, 1_001, 1.000001), C.POSITION_LIMIT);
  assert.equal(scene.sell(1, 1_001, 1), C.OK);
  assert.equal(scene.sell(1, 1_002, 0.1), C.MAX_OPEN_ORDERS);
  const before = image(scene.state);
  assert.equal(scene.replace(1, 1, SELL, 1_000, 1.000001), C.POSITION_LIMIT);
  assert.equal(scene.replace(1, 1, SELL, 90_000, 1.000001, { slot: scene.perp }), C.POSITION_LIMIT);
  assert.equal(image(scene.state), before);
  assert.equal(scene.replace(1, 1, SELL, 90_000, 1, { slot: scene.perp }), C.OK);
  assert.equal(scene.replace(1, 2, SELL, 1_000, 1), C.OK, 'from one contract to another and within one');
  assert.equal(scene.replace(1, scene.orders(1)[0]!.id, BUY, 1_000, 1), C.OK, 'a bid instead of an ask');
  check(scene.state);
});

test('replace: it is charged to the budget of orders, and a refusal by admission gets no seq', () => {
  const table = DEFAULT_LIMITS.map((row) => ({ ...row, orders: 3 }));
  const scene = new TradingScene({ rules: { table, rated: true } });
  scene.sell(1, 1_000, 1);
  assert.equal(scene.replace(1, 1, SELL, 1_001, 1), C.OK);
  assert.equal(scene.replace(1, 1, SELL, 1_001, 1), C.NOT_OPEN);
  const seq = scene.seq();
  assert.equal(scene.replace(1, 2, SELL, 1_001, 1), C.RATE_LIMITED);
  assert.equal(scene.seq(), seq);
  assert.equal(scene.cancel(1, 2), C.OK, 'cancels have a budget of their own');
});

test('replace: when the order pool is full, a replacement is still accepted', () => {
  const scene = new TradingScene({ limits: checked({ ...SMALL, orders: 8 }), rules: { table: DEFAULT_LIMITS } });
  for (const wallet of [1, 2]) scene.send(scene.write.cancel(wallet, scene.next(), 99));
  for (const wallet of [1, 2]) scene.send(scene.write.tier(wallet, 2));
  for (let i = 0; i < 7; i++) assert.equal(scene.sell(1, 1_000 + i, 0.1), C.OK);
  assert.equal(scene.sell(1, 2_000, 0.1), C.ENGINE_BUSY);
  assert.equal(scene.replace(1, 3, SELL, 2_000, 0.1), C.OK);
  check(scene.state);
});

test('tier1: an ask placed before the wallet was tier1 fills from its position and is cancelled when it would sell short', () => {
  for (const tif of [IOC, FOK]) {
    const scene = new TradingScene();
    scene.trade(1, 2, 1_000, 1, scene.atm);
    assert.deepEqual([scene.sell(1, 2_000, 1), scene.sell(1, 2_001, 1), scene.sell(3, 2_002, 1)], [C.OK, C.OK, C.OK]);
    scene.send(scene.write.tier(1, TIER1));
    assert.equal(scene.buy(4, 2_002, 3, { tif }), C.OK);
    assert.equal(scene.number(1), tif === IOC ? 2 * CONTRACT : 0, 'a fok does not count the second');
    if (tif === IOC) {
      assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_MARGIN, C.DONE_FILLED, C.DONE_IOC_REST]);
    }
    assert.equal(scene.held(1)?.position ?? 0, tif === IOC ? 0 : CONTRACT);
    check(scene.state);
  }
});

test('replace: a tier1 wallet cannot sell short by a replacement; the size of the old order is not counted twice', () => {
  const scene = new TradingScene();
  scene.trade(1, 2, 1_000, 1, scene.atm);
  scene.send(scene.write.tier(1, TIER1));
  assert.equal(scene.sell(1, 5_000, 1), C.OK);
  const [old] = scene.orders(1);
  assert.equal(scene.replace(1, old!.id, SELL, 5_100, 1.1), C.TIER1_SHORT);
  assert.equal(scene.replace(1, old!.id, SELL, 5_100, 1), C.OK);
  check(scene.state);
});

test('replace: a reduce-only replacement is cut to the position, without the old order counted', () => {
  const scene = new TradingScene();
  scene.trade(1, 2, 90_000, 2);
  scene.sell(1, 95_000, 1, { slot: scene.perp, ...REDUCE });
  const [old] = scene.orders(1);
  assert.equal(scene.replace(1, old!.id, SELL, 96_000, 9, { slot: scene.perp, ...REDUCE }), C.OK);
  assert.equal(scene.orders(1)[0]!.remaining, 2 * CONTRACT);
  assert.equal(scene.replace(1, scene.orders(1)[0]!.id, BUY, 90_000, 9, { slot: scene.perp, ...REDUCE }), C.REDUCE_ONLY_INCREASES);
  check(scene.state);
});

type Step = { wallet: number; sells: boolean; size: number; tick: number; tif: number; which: number; perp: boolean; flags: number };
const step: fc.Arbitrary<Step> = fc.record({
  wallet: fc.nat(2), sells: fc.boolean(), size: fc.constantFrom(1, 2, 3, 40, 700), tick: fc.nat(6),
  tif: fc.constantFrom(GTC, GTC, IOC, FOK), which: fc.nat(12), perp: fc.boolean(), flags: fc.constantFrom(0, 0, 4),
});

test('replace: when refused it changes nothing; when accepted it has the effect of a cancel and a place', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
    const scene = new TradingScene();
    const twin = new TradingScene();
    for (const one of steps) {
      const side = one.sells ? SELL : BUY;
      const price = one.perp ? 95_000 + one.tick * 10 : 2_000 + one.tick;
      const more = { slot: one.perp ? scene.perp : scene.atm, tif: one.tif, flags: one.flags };
      const old = scene.orders(one.wallet)[one.which];
      if (old === undefined) {
        assert.equal(scene.place(one.wallet, side, price, one.size, more), twin.place(one.wallet, side, price, one.size, more));
        continue;
      }
      const before = image(scene.state);
      const code = scene.replace(one.wallet, old.id, side, price, one.size, more);
      if (code !== C.OK) {
        assert.equal(image(scene.state), before);
        continue;
      }
      const sent = twin.orders(one.wallet)[one.which]!;
      assert.equal(twin.cancel(one.wallet, sent.id), C.OK);
      assert.equal(twin.place(one.wallet, side, price, one.size, more), C.OK);
      check(scene.state);
      const view = (of: TradingScene): unknown => of.orders().map(({ account, instrument, side: of2, price: at, remaining, size }) => (
        [account, instrument, of2, at, remaining, size]
      ));
      assert.deepEqual(view(scene), view(twin));
      assert.deepEqual([0, 1, 2].map((wallet) => scene.cash(wallet)), [0, 1, 2].map((wallet) => twin.cash(wallet)));
    }
  }), { numRuns: 40 });
});

test('replace: an order whose stress loss is too large for exact sums can be replaced, with and without a cached margin', () => {
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 1_000_000_000 * USDC;
  settings[MAX_POSITION] = 9_000_000_000 * USDC;
  for (const isFilled of [false, true]) {
    const scene = new TradingScene({ settings, limits: WIDE }, 1);
    const expiry = Math.min(...scene.slots(({ kind }) => kind === CALL).map((slot) => scene.contract(slot).expiry));
    scene.venue(scene.write.market(LIST_MARKET, 0, expiry, 2_000_000 * USDC, CALL));
    scene.settle();
    const slot = scene.slots(({ strike }) => strike === 2_000_000 * USDC)[0]!;
    assert.equal(scene.send(scene.write.marginMode(1, scene.next(), PORTFOLIO)), C.OK);
    assert.equal(scene.sell(1, 1e-6, 1e9, { slot }), C.OK);
    const { id } = scene.orders(1)[0]!;
    scene.venue(scene.write.index(0, 100_000 * USDC, FLAG_INDEX_AGELESS));
    scene.settle();
    if (isFilled) freshen(scene.state, scene.account(1));
    assert.equal(scene.replace(1, id, SELL, 1, 1, { slot }), C.OK);
    check(scene.state);
  }
});
