// Trigger orders while they wait (extensions 2): reduce-only ones and their position, what bounds their number, what ends them.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, IOC, SELL, USDC } from '../../../core/units.ts';
import { DELETE_MARKET, DISCONNECTED } from '../../../core/codec/commands.ts';
import { FILL, FILL_SIZE, ORDER_DONE, ORDER_ID, ORDER_SHRUNK } from '../../../core/codec/events.ts';
import { checked, REDUCE_ONLY_PER_HOLDING, SMALL, TRIGGERS_A_WALLET } from '../../../core/limits.ts';
import { defaultSettings, MAX_POSITION } from '../../../core/settings.ts';
import { MARKET_MAKER } from '../../../core/tiers.ts';
import { IN_LIQUIDATION, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { FREE } from '../../support/venue.ts';
import { at, below, TriggerScene, REDUCE } from './trigger-scene.ts';
import { check } from './support.ts';

test('a reduce-only trigger waits before its position, is cut to it, and ends when the position is gone or turns', () => {
  const scene = new TriggerScene();
  const stop = scene.order(1, SELL, 90_000, 5, { ...below(95_000), ...REDUCE });
  scene.trade(1, 2, 100_000, 2);
  scene.trade(1, 2, 100_000, -1);
  assert.ok(scene.waits(stop), 'the position is smaller, not gone');
  scene.order(3, BUY, 90_000, 9);
  scene.index(95_000);
  assert.deepEqual([scene.of(FILL, FILL_SIZE), scene.ended().at(-1)], [[CONTRACT], [stop, C.DONE_FILLED]]);
  const other = scene.order(1, SELL, 90_000, 5, { ...below(90_000), ...REDUCE });
  const cover = scene.order(1, BUY, 100_000, 5, { ...at(100_000), ...REDUCE });
  scene.trade(1, 2, 95_000, 2);
  scene.trade(1, 2, 95_000, -3);
  assert.ok(!scene.waits(other) && scene.waits(cover), 'the long one ended when the position turned short');
  scene.trade(1, 2, 95_000, 1);
  assert.ok(!scene.waits(cover));
  check(scene.state);
});

test('an order in the place of one that waits has no more room below the position limit than any other', () => {
  const settings = defaultSettings();
  settings[MAX_POSITION] = 300_000 * USDC;
  const scene = new TriggerScene({ settings });
  const waiting = scene.order(1, SELL, 100_000, 1_000, at(120_000));
  assert.equal(scene.place(1, BUY, 90_000, 4, { slot: scene.perp }), C.POSITION_LIMIT);
  assert.equal(scene.replace(1, waiting, BUY, 90_000, 4), C.POSITION_LIMIT);
  const same = scene.order(1, BUY, 90_000, 1_000, below(80_000));
  assert.equal(scene.replace(1, same, BUY, 90_000, 4), C.POSITION_LIMIT);
  assert.equal(scene.replace(1, same, BUY, 90_000, 3), C.OK);
});

test('a stop that closes the position by itself ends other waiting reduce-only orders, not itself', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 2);
  const target = scene.order(1, SELL, 110_000, 2, REDUCE);
  const other = scene.order(1, SELL, 90_000, 2, { ...below(80_000), ...REDUCE });
  const stop = scene.order(1, SELL, 90_000, 2, { ...below(95_000), ...REDUCE });
  scene.order(3, BUY, 94_000, 9);
  scene.index(95_000);
  const reasons = new Map(scene.ended());
  assert.deepEqual([reasons.get(stop), reasons.get(target), reasons.get(other)],
    [C.DONE_FILLED, C.DONE_NOTHING_TO_REDUCE, C.DONE_NOTHING_TO_REDUCE]);
});

test('resting and waiting reduce-only orders of a holding are at most sixteen together', () => {
  const scene = new TriggerScene({ rules: FREE });
  scene.trade(1, 2, 100_000, 20);
  for (let i = 0; i < REDUCE_ONLY_PER_HOLDING / 2; i++) {
    scene.order(1, SELL, 110_000, 1, REDUCE);
    scene.order(1, SELL, 90_000, 1, { ...below(90_000), ...REDUCE });
  }
  const more = { slot: scene.perp, ...REDUCE };
  assert.equal(scene.place(1, SELL, 110_000, 1, more), C.TOO_MANY_REDUCE_ONLY);
  assert.equal(scene.place(1, SELL, 110_000, 1, { ...below(90_000), ...more }), C.TOO_MANY_REDUCE_ONLY);
});

test('a wallet has as many waiting orders as its tier says; a replace of one needs no other place', () => {
  const scene = new TriggerScene();
  const most = TRIGGERS_A_WALLET[0]!;
  let id = 0;
  for (let i = 0; i < most; i++) id = scene.order(1, BUY, 1, 1, at(200_000));
  assert.equal(scene.place(1, BUY, 1, 1, { slot: scene.perp, ...at(200_000) }), C.TOO_MANY_TRIGGERS);
  assert.equal(scene.replace(1, id, BUY, 2, 1, { slot: scene.perp, ...at(150_000) }), C.OK);
  assert.equal(scene.replace(1, scene.number(0), BUY, 2, 1, { slot: scene.perp }), C.OK, 'by an order that rests');
  assert.equal(scene.place(1, BUY, 1, 1, { slot: scene.perp, ...at(200_000) }), C.OK);
  check(scene.state);
});

test('waiting orders count towards the cap of open orders', () => {
  const table = FREE.table.map((row) => ({ ...row, openOrders: 2 }));
  const scene = new TriggerScene({ rules: { table } });
  scene.order(1, BUY, 1, 1, { ...at(200_000), tif: IOC });
  scene.order(1, BUY, 1, 1);
  assert.equal(scene.place(1, BUY, 1, 1, { slot: scene.perp, ...at(200_000), tif: IOC }), C.MAX_OPEN_ORDERS);
});

test('a cap on positions is that of the time of placing', () => {
  const table = FREE.table.map((row) => ({ ...row, positions: 1 }));
  const scene = new TriggerScene({ rules: { table } });
  scene.order(2, SELL, 100_000, 9);
  const second = scene.order(1, BUY, 100_000, 1, { ...at(100_100), tif: IOC });
  scene.trade(1, 3, 1_000, 1, scene.atm);
  scene.index(100_100);
  assert.deepEqual(scene.ended(), [[second, C.MAX_POSITIONS]]);
});

test('cancels, cancel-all and the expiry of an order end one that waits', () => {
  const scene = new TriggerScene();
  const byId = scene.order(1, BUY, 1, 1, at(200_000));
  const expires = scene.order(1, BUY, 1, 1, { ...at(200_000), expiresAt: scene.now + 500 });
  assert.equal(scene.cancel(1, byId), C.OK);
  assert.equal(scene.cancel(1, byId), C.NOT_OPEN);
  scene.index(100_000);
  assert.deepEqual(scene.ended(), [[expires, C.DONE_ORDER_EXPIRED]]);
  const all = scene.order(1, BUY, 1, 1, at(200_000));
  const reducing = scene.order(1, SELL, 1, 1, { ...at(200_000), ...REDUCE });
  assert.equal(scene.send(scene.write.cancelAll(1, scene.next())), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_ID), [all, reducing]);
  check(scene.state);
});

test('from a cancel-all on none of its waiting orders fires, and one that came later does', () => {
  const scene = new TriggerScene({ rules: FREE });
  for (let i = 0; i < 40; i++) scene.order(1, BUY, 1, 1);
  const old = scene.order(1, BUY, 1, 1, at(100_100));
  scene.send(scene.write.cancelAll(1, scene.next()));
  const young = scene.order(1, BUY, 1, 1, at(100_100));
  assert.ok(scene.waits(old), 'its step has not come');
  scene.index(100_100);
  scene.index(100_100);
  assert.ok(scene.stands(young));
  assert.equal(scene.orders(1).length, 1);
});

test('the dead man’s switch and a lost connection leave waiting reduce-only orders, also when they fire later', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 2);
  const stop = scene.order(1, SELL, 90_000, 1, { ...below(95_000), ...REDUCE });
  const plain = scene.order(1, BUY, 1, 1, below(95_000));
  scene.send(scene.write.cancelAfter(1, scene.next(), 5_000));
  scene.advance(6_000);
  assert.ok(scene.waits(stop) && !scene.waits(plain));
  scene.send(scene.write.cancelOnDisconnect(1, scene.next(), true, 0, []));
  scene.venue(scene.write.presence(DISCONNECTED, scene.account(1)));
  scene.advance(1_000);
  assert.ok(scene.waits(stop));
  scene.index(95_000);
  assert.ok(scene.stands(stop));
  check(scene.state);
});

test('a deadline that is due comes before the firing of its wallet’s orders', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 1, 1, at(100_100));
  scene.send(scene.write.cancelAfter(1, scene.next(), 1_000));
  scene.now += 1_000;
  scene.venue(scene.write.index(0, 100_100 * USDC, 1));
  scene.settle();
  assert.ok(!scene.waits(id) && !scene.stands(id));
});

test('a market that is deleted or expires ends its waiting orders', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 1, 1, { ...at(200_000), slot: scene.atm });
  const { expiry, strike, kind } = scene.contract(scene.atm);
  const other = scene.slots((one) => one.expiry === expiry && one.underlying === 'BTC').find((slot) => slot !== scene.atm)!;
  const late = scene.order(1, BUY, 1, 1, { ...at(200_000), slot: other });
  scene.venue(scene.write.market(DELETE_MARKET, 0, expiry, strike, kind));
  scene.settle();
  assert.ok(!scene.waits(id));
  scene.now = expiry;
  scene.settle();
  assert.ok(!scene.waits(late));
  check(scene.state);
});

test('pre-liquidation ends waiting orders that are not reduce-only', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 300);
  const plain = scene.order(1, BUY, 1, 1, below(50_000));
  const stop = scene.order(1, SELL, 1, 1, { ...below(50_000), ...REDUCE });
  // Equity of 10 million less the loss, maintenance of 5 % of the notional: below it, but above 60 % of it.
  for (let i = 0; i < 8 && scene.status(1) !== PRE_LIQUIDATION; i++) scene.index(69_800);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  assert.ok(!scene.waits(plain) && scene.waits(stop));
  for (let i = 0; i < 20 && scene.status(1) === PRE_LIQUIDATION; i++) scene.index(66_000 - i * 10);
  assert.equal(scene.waits(stop), scene.status(1) === IN_LIQUIDATION || scene.status(1) === PRE_LIQUIDATION, 'a takeover ends all');
});

test('linked orders share what one of them fills, a waiting one too', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 3);
  const target = scene.order(1, SELL, 101_000, 3, { ...REDUCE, linkId: 'pair' });
  const stop = scene.order(1, SELL, 90_000, 3, { ...below(95_000), ...REDUCE, linkId: 'pair' });
  scene.order(3, BUY, 101_000, 1);
  assert.deepEqual(scene.emitted(ORDER_SHRUNK, ORDER_ID), [stop]);
  assert.equal(scene.orders(1).find((order) => order.id === stop)!.remaining, 2 * CONTRACT);
  scene.order(3, BUY, 95_000, 1);
  scene.index(95_000);
  assert.deepEqual([scene.of(FILL, FILL_SIZE), scene.of(ORDER_SHRUNK, ORDER_ID)], [[CONTRACT], [target]]);
  assert.ok(scene.stands(stop), 'the rest of the stop rests');
  check(scene.state);
});

test('a market-maker protection ends waiting orders only if they take part', () => {
  const scene = new TriggerScene();
  scene.protect(1, { quantity: 1 });
  const out = scene.order(1, BUY, 1, 1, at(200_000));
  const takesPart = scene.order(1, BUY, 1, 1, { ...at(200_000), flags: 0 });
  scene.trade(2, 1, 100_000, 2);
  assert.ok(scene.waits(out) && !scene.waits(takesPart));
});

test('an order that waits finds room when it fires: placing, amending and quoting leave it', () => {
  const [orders, levelPages] = [2_048, 1_024];
  const scene = new TriggerScene({ limits: checked({ ...SMALL, orders, levelPages }), rules: FREE });
  const id = scene.order(1, BUY, 9_000, 1, at(100_100));
  scene.send(scene.write.tier(2, MARKET_MAKER));
  const moved = scene.order(2, BUY, 10_000, 0.001);
  let code = C.OK;
  // Each at a price far from the others: a page of the book each.
  for (let i = 0; i < orders && code === C.OK; i++) code = scene.place(2, BUY, 10_000 + i * 80, 0.001, { slot: scene.perp });
  assert.equal(code, C.ENGINE_BUSY);
  assert.equal(scene.amend(2, moved, 9_100, 0.001), C.ENGINE_BUSY);
  const line = { ...scene.contract(scene.atm), bid: [CONTRACT, USDC] as const };
  assert.equal(
    scene.send(scene.write.massQuote({ wallet: 2, nonce: scene.next(), until: scene.now + 10_000, lines: [line] })), C.ENGINE_BUSY,
  );
  scene.index(100_100);
  assert.ok(scene.stands(id));
});
