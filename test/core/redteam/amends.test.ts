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
import { above, Den, REDUCE } from './den.ts';

const CANCEL_ONLY = 1;

test('attack: amend an order that was filled, cancelled or amended to its end, and twice', () => {
  const den = new Den();
  const filled = den.order(1, BUY, 100_000, 2);
  den.order(2, SELL, 100_000, 2, { tif: IOC });
  const cancelled = den.order(1, BUY, 90_000, 2);
  den.cancel(1, cancelled);
  const partly = den.order(1, BUY, 90_000, 3);
  den.order(2, SELL, 90_000, 1, { tif: IOC });
  assert.equal(den.amend(1, partly, 90_000, 1), C.OK, 'to what was filled');
  const before = image(den.state);
  for (const id of [filled, cancelled, partly]) {
    for (const [price, size] of [[95_000, 5], [90_000, 1]] as const) assert.equal(den.amend(1, id, price, size), C.NOT_OPEN);
  }
  assert.ok(image(den.state) === before, 'nothing has moved');
  const twice = den.order(1, BUY, 90_000, 3);
  assert.deepEqual([den.amend(1, twice, 90_000, 5), den.amend(1, twice, 90_000, 5)], [C.OK, C.OK]);
  assert.equal(den.left(twice), 5, 'a total, not a sum');
  assert.equal(den.orders(1).length, 1);
  check(den.state);
});

test('attack: a fill comes between reading an order and amending it; the total counts, never what is left', () => {
  const den = new Den();
  const id = den.order(1, BUY, 90_000, 5);
  den.order(2, SELL, 90_000, 4, { tif: IOC });
  assert.equal(den.amend(1, id, 91_000, 5), C.OK);
  den.order(2, SELL, 80_000, 50, { tif: IOC });
  assert.equal(den.size(1), 5, 'as many as the order was for');
});

test('attack: shrink and grow in place to keep the place in line', () => {
  const den = new Den();
  const id = den.order(1, SELL, 100_000, 5);
  den.order(2, SELL, 100_000, 5);
  assert.deepEqual([den.amend(1, id, 100_000, 1), den.amend(1, id, 100_000, 5)], [C.OK, C.OK]);
  den.order(3, BUY, 100_000, 0.1, { tif: IOC });
  assert.deepEqual(den.heard(FILL, FILL_MAKER), [den.account(2)]);
});

test('attack: place within the band, then amend, trigger or quote beyond it, also after it has moved', () => {
  const settings = defaultSettings();
  settings[PRICE_BAND] = 100_000;
  const den = new Den({ settings });
  const id = den.order(1, BUY, 100_000, 1);
  const before = image(den.state);
  assert.equal(den.amend(1, id, 120_000, 1), C.OUTSIDE_BAND);
  assert.ok(image(den.state) === before, 'nothing has moved');
  assert.equal(den.amend(1, id, 109_000, 1), C.OK);
  den.quote(1, [{ slot: den.perp, bid: [1, 120_000], ask: [1, 80_000] }], { set: 'wide' });
  assert.deepEqual(den.statuses(), [`REJECTED ${C.OUTSIDE_BAND}`, `REJECTED ${C.OUTSIDE_BAND}`]);
  const waits = den.order(1, BUY, 500_000, 1, above(100_500));
  den.index(101_000);
  assert.ok(den.orders(1).find((order) => order.id === waits)!.price <= 1.1 * den.mark(den.perp));
});

test('attack: grow, move or quote in a market that takes no orders; only what ends or shrinks passes', () => {
  const den = new Den();
  const id = den.order(1, BUY, 90_000, 5);
  den.quote(1, [{ slot: den.perp, bid: [5, 90_000] }]);
  den.venue(den.write.tradingMode(CANCEL_ONLY, 0));
  const before = image(den.state);
  assert.equal(den.amend(1, id, 90_000, 6), C.MARKET_CANCEL_ONLY);
  assert.equal(den.amend(1, id, 89_000, 5), C.MARKET_CANCEL_ONLY);
  assert.equal(den.replace(1, id, BUY, 90_000, 1, { slot: den.perp }), C.MARKET_CANCEL_ONLY);
  assert.equal(den.place(1, BUY, 90_000, 1, { slot: den.perp, ...above(100_001) }), C.MARKET_CANCEL_ONLY);
  assert.ok(image(den.state) === before, 'nothing has moved');
  assert.equal(den.amend(1, id, 90_000, 1), C.OK);
  den.quote(1, [{ slot: den.perp, bid: [1, null] }]);
  assert.deepEqual(den.statuses(), ['REDUCED']);
  den.quote(1, [{ slot: den.perp, bid: [9, 90_000], ask: [9, 110_000] }]);
  assert.deepEqual(den.statuses(), [`REJECTED ${C.MARKET_CANCEL_ONLY}`, `REJECTED ${C.MARKET_CANCEL_ONLY}`]);
  assert.equal(den.cancel(1, id), C.OK);
  check(den.state);
});

test('attack: fill every table that a wallet may use; each says so by its name, and others have theirs', () => {
  const den = new Den({ rules: { table: DEFAULT_LIMITS } });
  const [waiting] = TRIGGERS_A_WALLET;
  for (let i = 0; i < waiting!; i++) den.order(1, BUY, 1_000, 0.001, above(200_000));
  const free = den.order(1, BUY, 1_000, 0.001);
  const before = image(den.state);
  assert.equal(den.place(1, BUY, 1_000, 0.001, { slot: den.perp, ...above(200_000) }), C.TOO_MANY_TRIGGERS);
  assert.equal(den.replace(1, free, BUY, 1_000, 0.001, { slot: den.perp, ...above(200_000) }), C.TOO_MANY_TRIGGERS);
  assert.ok(image(den.state) === before, 'nothing has moved');
  for (let i = 0; i < LINKED_ORDERS; i++) den.order(1, BUY, 1_000, 0.001, { linkId: 'l' });
  assert.equal(den.place(1, BUY, 1_000, 0.001, { slot: den.perp, linkId: 'l' }), C.TOO_MANY_LINKED);
  assert.equal(den.place(1, BUY, 1_000, 0.001, { slot: den.perp, linkId: 'l', tif: IOC }), C.OK, 'one that does not rest');
  for (let i = den.orders(1).length; i < DEFAULT_LIMITS[0]!.openOrders; i++) den.order(1, BUY, 1_000, 0.001);
  assert.equal(den.place(1, BUY, 1_000, 0.001), C.MAX_OPEN_ORDERS);
  den.quote(1, [{ bid: [0.001, 1] }]);
  assert.deepEqual(den.statuses(), [`REJECTED ${C.MAX_OPEN_ORDERS}`]);
  den.trade(3, 4, 100_000, 1);
  for (let i = 0; i < REDUCE_ONLY_PER_HOLDING; i++) {
    den.order(3, SELL, 110_000 + 10 * i, 0.01, i % 2 === 0 ? { flags: FLAG_REDUCE_ONLY } : above(200_000, REDUCE));
  }
  for (const more of [{ flags: FLAG_REDUCE_ONLY }, above(200_000, REDUCE)]) {
    assert.equal(den.place(3, SELL, 110_000, 0.01, { slot: den.perp, ...more }), C.TOO_MANY_REDUCE_ONLY);
  }
  assert.equal(den.place(5, BUY, 1_000, 0.001, { slot: den.perp, ...above(200_000), linkId: 'l' }), C.OK);
  check(den.state);
});

test('attack: fill the order pool with orders that wait; other tiers keep their part, and what waits still fires', () => {
  const limits = checked({ ...SMALL, orders: 100, holdings: 1_024 });
  const den = new Den({ limits });
  den.send(den.write.tier(8, 3));
  den.order(9, SELL, 100_000, 5);
  let [code, wallet] = [C.OK as number, 20];
  for (; code === C.OK; wallet++) {
    const more = { slot: den.perp, ...above(100_050), tif: IOC };
    for (let i = 0; i < 10 && code === C.OK; i++) code = den.place(wallet, BUY, 100_100, 0.001, more);
  }
  assert.equal(code, C.ENGINE_BUSY);
  assert.equal(den.place(60, BUY, 1_000, 0.001), C.ENGINE_BUSY, 'the part of small tiers');
  assert.equal(den.place(60, BUY, 100_000, 0.001, { slot: den.perp, tif: IOC }), C.OK, 'what does not rest needs no room');
  assert.equal(den.place(8, BUY, 1_000, 0.001, { slot: den.perp }), C.OK, 'a market maker has room');
  const waiting = den.orders().filter(({ entry }) => entry === 0).map(({ id }) => id);
  assert.ok(waiting.length >= 60);
  den.index(100_060);
  assert.deepEqual(den.fired(), waiting, 'each of them');
});

test('attack: credits up to the bound of a balance, below what orders need, with an id of old, and of an unknown wallet', () => {
  const den = new Den();
  den.order(1, BUY, 100_000, 100);
  const credit = (wallet: number, micros: number, id: string): number => {
    den.venue(den.write.credit(wallet, micros, id));
    return den.state.result.code;
  };
  assert.equal(credit(1, MAX_BALANCE, 'a'), C.BALANCE_TOO_LARGE);
  assert.equal(credit(1, MAX_BALANCE - den.cash(1), 'a'), C.OK, 'to the unit');
  assert.equal(credit(1, 1, 'b'), C.BALANCE_TOO_LARGE);
  assert.equal(credit(1, -den.free(1) - USDC, 'b'), C.DEBIT_TOO_LARGE);
  assert.equal(credit(77, 5, 'b'), C.UNKNOWN_WALLET);
  const cash = den.cash(1);
  assert.equal(credit(1, -5 * USDC, 'a'), C.OK, 'the answer of the first');
  assert.equal(den.cash(1), cash);
  assert.ok(den.free(1) >= 0);
  check(den.state);
});
