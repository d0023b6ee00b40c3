// The attacker's aim: with an amend, revive an order, get more than it was judged for, pass a band, a halt or a cap, or stand before
// others; and fill the tables of the venue so that others find no room.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, IOC, SELL, USDC } from '../../../core/units.ts';
import { FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER } from '../../../core/codec/events.ts';
import { checked, LINKED_ORDERS, MAX_BALANCE, REDUCE_ONLY_PER_HOLDING, SMALL, TRIGGERS_A_WALLET } from '../../../core/limits.ts';
import { defaultSettings, PRICE_BAND } from '../../../core/settings.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { check, image } from '../trading/support.ts';
import { above, AttackScene, REDUCE } from './attack-scene.ts';

const CANCEL_ONLY = 1;

test('attack: amend an order that was filled, cancelled or amended to its end, and twice', () => {
  const scene = new AttackScene();
  const filled = scene.order(1, BUY, 100_000, 2);
  scene.order(2, SELL, 100_000, 2, { tif: IOC });
  const cancelled = scene.order(1, BUY, 90_000, 2);
  scene.cancel(1, cancelled);
  const partly = scene.order(1, BUY, 90_000, 3);
  scene.order(2, SELL, 90_000, 1, { tif: IOC });
  assert.equal(scene.amend(1, partly, 90_000, 1), C.OK, 'to what was filled');
  const before = image(scene.state);
  for (const id of [filled, cancelled, partly]) {
    for (const [price, size] of [[95_000, 5], [90_000, 1]] as const) assert.equal(scene.amend(1, id, price, size), C.NOT_OPEN);
  }
  assert.ok(image(scene.state) === before, 'nothing has moved');
  const twice = scene.order(1, BUY, 90_000, 3);
  assert.deepEqual([scene.amend(1, twice, 90_000, 5), scene.amend(1, twice, 90_000, 5)], [C.OK, C.OK]);
  assert.equal(scene.left(twice), 5, 'a total, not a sum');
  assert.equal(scene.orders(1).length, 1);
  check(scene.state);
});

test('attack: a fill comes between reading an order and amending it; the total counts, never what is left', () => {
  const scene = new AttackScene();
  const id = scene.order(1, BUY, 90_000, 5);
  scene.order(2, SELL, 90_000, 4, { tif: IOC });
  assert.equal(scene.amend(1, id, 91_000, 5), C.OK);
  scene.order(2, SELL, 80_000, 50, { tif: IOC });
  assert.equal(scene.size(1), 5, 'as many as the order was for');
});

test('attack: shrink and grow in place to keep the place in line', () => {
  const scene = new AttackScene();
  const id = scene.order(1, SELL, 100_000, 5);
  scene.order(2, SELL, 100_000, 5);
  assert.deepEqual([scene.amend(1, id, 100_000, 1), scene.amend(1, id, 100_000, 5)], [C.OK, C.OK]);
  scene.order(3, BUY, 100_000, 0.1, { tif: IOC });
  assert.deepEqual(scene.heard(FILL, FILL_MAKER), [scene.account(2)]);
});

test('attack: place within the band, then amend, trigger or quote beyond it, also after it has moved', () => {
  const settings = defaultSettings();
  settings[PRICE_BAND] = 100_000;
  const scene = new AttackScene({ settings });
  const id = scene.order(1, BUY, 100_000, 1);
  const before = image(scene.state);
  assert.equal(scene.amend(1, id, 120_000, 1), C.OUTSIDE_BAND);
  assert.ok(image(scene.state) === before, 'nothing has moved');
  assert.equal(scene.amend(1, id, 109_000, 1), C.OK);
  scene.quote(1, [{ slot: scene.perp, bid: [1, 120_000], ask: [1, 80_000] }], { set: 'wide' });
  assert.deepEqual(scene.statuses(), [`REJECTED ${C.OUTSIDE_BAND}`, `REJECTED ${C.OUTSIDE_BAND}`]);
  const waits = scene.order(1, BUY, 500_000, 1, above(100_500));
  scene.index(101_000);
  assert.ok(scene.orders(1).find((order) => order.id === waits)!.price <= 1.1 * scene.mark(scene.perp));
});

test('attack: grow, move or quote in a market that takes no orders; only what ends or shrinks passes', () => {
  const scene = new AttackScene();
  const id = scene.order(1, BUY, 90_000, 5);
  scene.quote(1, [{ slot: scene.perp, bid: [5, 90_000] }]);
  scene.venue(scene.write.tradingMode(CANCEL_ONLY, 0));
  const before = image(scene.state);
  assert.equal(scene.amend(1, id, 90_000, 6), C.MARKET_CANCEL_ONLY);
  assert.equal(scene.amend(1, id, 89_000, 5), C.MARKET_CANCEL_ONLY);
  assert.equal(scene.replace(1, id, BUY, 90_000, 1, { slot: scene.perp }), C.MARKET_CANCEL_ONLY);
  assert.equal(scene.place(1, BUY, 90_000, 1, { slot: scene.perp, ...above(100_001) }), C.MARKET_CANCEL_ONLY);
  assert.ok(image(scene.state) === before, 'nothing has moved');
  assert.equal(scene.amend(1, id, 90_000, 1), C.OK);
  scene.quote(1, [{ slot: scene.perp, bid: [1, null] }]);
  assert.deepEqual(scene.statuses(), ['REDUCED']);
  scene.quote(1, [{ slot: scene.perp, bid: [9, 90_000], ask: [9, 110_000] }]);
  assert.deepEqual(scene.statuses(), [`REJECTED ${C.MARKET_CANCEL_ONLY}`, `REJECTED ${C.MARKET_CANCEL_ONLY}`]);
  assert.equal(scene.cancel(1, id), C.OK);
  check(scene.state);
});

test('attack: fill every table that a wallet may use; each says so by its name, and others have theirs', () => {
  const scene = new AttackScene({ rules: { table: DEFAULT_LIMITS } });
  const [waiting] = TRIGGERS_A_WALLET;
  for (let i = 0; i < waiting!; i++) scene.order(1, BUY, 1_000, 0.001, above(200_000));
  const free = scene.order(1, BUY, 1_000, 0.001);
  const before = image(scene.state);
  assert.equal(scene.place(1, BUY, 1_000, 0.001, { slot: scene.perp, ...above(200_000) }), C.TOO_MANY_TRIGGERS);
  assert.equal(scene.replace(1, free, BUY, 1_000, 0.001, { slot: scene.perp, ...above(200_000) }), C.TOO_MANY_TRIGGERS);
  assert.ok(image(scene.state) === before, 'nothing has moved');
  for (let i = 0; i < LINKED_ORDERS; i++) scene.order(1, BUY, 1_000, 0.001, { linkId: 'l' });
  assert.equal(scene.place(1, BUY, 1_000, 0.001, { slot: scene.perp, linkId: 'l' }), C.TOO_MANY_LINKED);
  assert.equal(scene.place(1, BUY, 1_000, 0.001, { slot: scene.perp, linkId: 'l', tif: IOC }), C.OK, 'one that does not rest');
  for (let i = scene.orders(1).length; i < DEFAULT_LIMITS[0]!.openOrders; i++) scene.order(1, BUY, 1_000, 0.001);
  assert.equal(scene.place(1, BUY, 1_000, 0.001), C.MAX_OPEN_ORDERS);
  scene.quote(1, [{ bid: [0.001, 1] }]);
  assert.deepEqual(scene.statuses(), [`REJECTED ${C.MAX_OPEN_ORDERS}`]);
  scene.trade(3, 4, 100_000, 1);
  for (let i = 0; i < REDUCE_ONLY_PER_HOLDING; i++) {
    scene.order(3, SELL, 110_000 + 10 * i, 0.01, i % 2 === 0 ? { flags: FLAG_REDUCE_ONLY } : above(200_000, REDUCE));
  }
  for (const more of [{ flags: FLAG_REDUCE_ONLY }, above(200_000, REDUCE)]) {
    assert.equal(scene.place(3, SELL, 110_000, 0.01, { slot: scene.perp, ...more }), C.TOO_MANY_REDUCE_ONLY);
  }
  assert.equal(scene.place(5, BUY, 1_000, 0.001, { slot: scene.perp, ...above(200_000), linkId: 'l' }), C.OK);
  check(scene.state);
});

test('attack: fill the order pool with orders that wait; other tiers keep their part, and what waits still fires', () => {
  const limits = checked({ ...SMALL, orders: 100, holdings: 1_024 });
  const scene = new AttackScene({ limits });
  scene.send(scene.write.tier(8, 3));
  scene.order(9, SELL, 100_000, 5);
  let [code, wallet] = [C.OK as number, 20];
  for (; code === C.OK; wallet++) {
    const more = { slot: scene.perp, ...above(100_050), tif: IOC };
    for (let i = 0; i < 10 && code === C.OK; i++) code = scene.place(wallet, BUY, 100_100, 0.001, more);
  }
  assert.equal(code, C.ENGINE_BUSY);
  assert.equal(scene.place(60, BUY, 1_000, 0.001), C.ENGINE_BUSY, 'the part of small tiers');
  assert.equal(scene.place(60, BUY, 100_000, 0.001, { slot: scene.perp, tif: IOC }), C.OK, 'what does not rest needs no room');
  assert.equal(scene.place(8, BUY, 1_000, 0.001, { slot: scene.perp }), C.OK, 'a market maker has room');
  const waiting = scene.orders().filter(({ entry }) => entry === 0).map(({ id }) => id);
  assert.ok(waiting.length >= 60);
  scene.index(100_060);
  assert.deepEqual(scene.fired(), waiting, 'each of them');
});

test('attack: credits up to the bound of a balance, below what orders need, with an id of old, and of an unknown wallet', () => {
  const scene = new AttackScene();
  scene.order(1, BUY, 100_000, 100);
  const credit = (wallet: number, micros: number, id: string): number => {
    scene.venue(scene.write.credit(wallet, micros, id));
    return scene.state.result.code;
  };
  assert.equal(credit(1, MAX_BALANCE, 'a'), C.BALANCE_TOO_LARGE);
  assert.equal(credit(1, MAX_BALANCE - scene.cash(1), 'a'), C.OK, 'to the unit');
  assert.equal(credit(1, 1, 'b'), C.BALANCE_TOO_LARGE);
  assert.equal(credit(1, -scene.free(1) - USDC, 'b'), C.DEBIT_TOO_LARGE);
  assert.equal(credit(77, 5, 'b'), C.UNKNOWN_WALLET);
  const cash = scene.cash(1);
  assert.equal(credit(1, -5 * USDC, 'a'), C.OK, 'the answer of the first');
  assert.equal(scene.cash(1), cash);
  assert.ok(scene.free(1) >= 0);
  check(scene.state);
});
