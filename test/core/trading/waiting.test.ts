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
import { at, below, Pit, REDUCE } from './trigger-scene.ts';
import { check } from './support.ts';

test('a reduce-only trigger waits before its position, is cut to it, and ends when the position is gone or turns', () => {
  const pit = new Pit();
  const stop = pit.order(1, SELL, 90_000, 5, { ...below(95_000), ...REDUCE });
  pit.trade(1, 2, 100_000, 2);
  pit.trade(1, 2, 100_000, -1);
  assert.ok(pit.waits(stop), 'the position is smaller, not gone');
  pit.order(3, BUY, 90_000, 9);
  pit.index(95_000);
  assert.deepEqual([pit.of(FILL, FILL_SIZE), pit.ended().at(-1)], [[CONTRACT], [stop, C.DONE_FILLED]]);
  const other = pit.order(1, SELL, 90_000, 5, { ...below(90_000), ...REDUCE });
  const cover = pit.order(1, BUY, 100_000, 5, { ...at(100_000), ...REDUCE });
  pit.trade(1, 2, 95_000, 2);
  pit.trade(1, 2, 95_000, -3);
  assert.ok(!pit.waits(other) && pit.waits(cover), 'the long one ended when the position turned short');
  pit.trade(1, 2, 95_000, 1);
  assert.ok(!pit.waits(cover));
  check(pit.state);
});

test('an order in the place of one that waits has no more room below the position limit than any other', () => {
  const settings = defaultSettings();
  settings[MAX_POSITION] = 300_000 * USDC;
  const pit = new Pit({ settings });
  const waiting = pit.order(1, SELL, 100_000, 1_000, at(120_000));
  assert.equal(pit.place(1, BUY, 90_000, 4, { slot: pit.perp }), C.POSITION_LIMIT);
  assert.equal(pit.replace(1, waiting, BUY, 90_000, 4), C.POSITION_LIMIT);
  const same = pit.order(1, BUY, 90_000, 1_000, below(80_000));
  assert.equal(pit.replace(1, same, BUY, 90_000, 4), C.POSITION_LIMIT);
  assert.equal(pit.replace(1, same, BUY, 90_000, 3), C.OK);
});

test('a stop that closes the position by itself ends other waiting reduce-only orders, not itself', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 2);
  const target = pit.order(1, SELL, 110_000, 2, REDUCE);
  const other = pit.order(1, SELL, 90_000, 2, { ...below(80_000), ...REDUCE });
  const stop = pit.order(1, SELL, 90_000, 2, { ...below(95_000), ...REDUCE });
  pit.order(3, BUY, 94_000, 9);
  pit.index(95_000);
  const reasons = new Map(pit.ended());
  assert.deepEqual([reasons.get(stop), reasons.get(target), reasons.get(other)],
    [C.DONE_FILLED, C.DONE_NOTHING_TO_REDUCE, C.DONE_NOTHING_TO_REDUCE]);
});

test('resting and waiting reduce-only orders of a holding are at most sixteen together', () => {
  const pit = new Pit({ rules: FREE });
  pit.trade(1, 2, 100_000, 20);
  for (let i = 0; i < REDUCE_ONLY_PER_HOLDING / 2; i++) {
    pit.order(1, SELL, 110_000, 1, REDUCE);
    pit.order(1, SELL, 90_000, 1, { ...below(90_000), ...REDUCE });
  }
  const more = { slot: pit.perp, ...REDUCE };
  assert.equal(pit.place(1, SELL, 110_000, 1, more), C.TOO_MANY_REDUCE_ONLY);
  assert.equal(pit.place(1, SELL, 110_000, 1, { ...below(90_000), ...more }), C.TOO_MANY_REDUCE_ONLY);
});

test('a wallet has as many waiting orders as its tier says; a replace of one needs no other place', () => {
  const pit = new Pit();
  const most = TRIGGERS_A_WALLET[0]!;
  let id = 0;
  for (let i = 0; i < most; i++) id = pit.order(1, BUY, 1, 1, at(200_000));
  assert.equal(pit.place(1, BUY, 1, 1, { slot: pit.perp, ...at(200_000) }), C.TOO_MANY_TRIGGERS);
  assert.equal(pit.replace(1, id, BUY, 2, 1, { slot: pit.perp, ...at(150_000) }), C.OK);
  assert.equal(pit.replace(1, pit.number(0), BUY, 2, 1, { slot: pit.perp }), C.OK, 'by an order that rests');
  assert.equal(pit.place(1, BUY, 1, 1, { slot: pit.perp, ...at(200_000) }), C.OK);
  check(pit.state);
});

test('waiting orders count towards the cap of open orders', () => {
  const table = FREE.table.map((row) => ({ ...row, openOrders: 2 }));
  const pit = new Pit({ rules: { table } });
  pit.order(1, BUY, 1, 1, { ...at(200_000), tif: IOC });
  pit.order(1, BUY, 1, 1);
  assert.equal(pit.place(1, BUY, 1, 1, { slot: pit.perp, ...at(200_000), tif: IOC }), C.MAX_OPEN_ORDERS);
});

test('a cap on positions is that of the time of placing', () => {
  const table = FREE.table.map((row) => ({ ...row, positions: 1 }));
  const pit = new Pit({ rules: { table } });
  pit.order(2, SELL, 100_000, 9);
  const second = pit.order(1, BUY, 100_000, 1, { ...at(100_100), tif: IOC });
  pit.trade(1, 3, 1_000, 1, pit.atm);
  pit.index(100_100);
  assert.deepEqual(pit.ended(), [[second, C.MAX_POSITIONS]]);
});

test('cancels, cancel-all and the expiry of an order end one that waits', () => {
  const pit = new Pit();
  const byId = pit.order(1, BUY, 1, 1, at(200_000));
  const expires = pit.order(1, BUY, 1, 1, { ...at(200_000), expiresAt: pit.now + 500 });
  assert.equal(pit.cancel(1, byId), C.OK);
  assert.equal(pit.cancel(1, byId), C.NOT_OPEN);
  pit.index(100_000);
  assert.deepEqual(pit.ended(), [[expires, C.DONE_ORDER_EXPIRED]]);
  const all = pit.order(1, BUY, 1, 1, at(200_000));
  const reducing = pit.order(1, SELL, 1, 1, { ...at(200_000), ...REDUCE });
  assert.equal(pit.send(pit.write.cancelAll(1, pit.next())), C.OK);
  assert.deepEqual(pit.told(ORDER_DONE, ORDER_ID), [all, reducing]);
  check(pit.state);
});

test('from a cancel-all on none of its waiting orders fires, and one that came later does', () => {
  const pit = new Pit({ rules: FREE });
  for (let i = 0; i < 40; i++) pit.order(1, BUY, 1, 1);
  const old = pit.order(1, BUY, 1, 1, at(100_100));
  pit.send(pit.write.cancelAll(1, pit.next()));
  const young = pit.order(1, BUY, 1, 1, at(100_100));
  assert.ok(pit.waits(old), 'its step has not come');
  pit.index(100_100);
  pit.index(100_100);
  assert.ok(pit.stands(young));
  assert.equal(pit.orders(1).length, 1);
});

test('the dead man’s switch and a lost connection leave waiting reduce-only orders, also when they fire later', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 2);
  const stop = pit.order(1, SELL, 90_000, 1, { ...below(95_000), ...REDUCE });
  const plain = pit.order(1, BUY, 1, 1, below(95_000));
  pit.send(pit.write.cancelAfter(1, pit.next(), 5_000));
  pit.advance(6_000);
  assert.ok(pit.waits(stop) && !pit.waits(plain));
  pit.send(pit.write.cancelOnDisconnect(1, pit.next(), true, 0, []));
  pit.venue(pit.write.presence(DISCONNECTED, pit.account(1)));
  pit.advance(1_000);
  assert.ok(pit.waits(stop));
  pit.index(95_000);
  assert.ok(pit.stands(stop));
  check(pit.state);
});

test('a deadline that is due comes before the firing of its wallet’s orders', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 1, 1, at(100_100));
  pit.send(pit.write.cancelAfter(1, pit.next(), 1_000));
  pit.now += 1_000;
  pit.venue(pit.write.index(0, 100_100 * USDC, 1));
  pit.settle();
  assert.ok(!pit.waits(id) && !pit.stands(id));
});

test('a market that is deleted or expires ends its waiting orders', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 1, 1, { ...at(200_000), slot: pit.atm });
  const { expiry, strike, kind } = pit.contract(pit.atm);
  const other = pit.slots((one) => one.expiry === expiry && one.underlying === 'BTC').find((slot) => slot !== pit.atm)!;
  const late = pit.order(1, BUY, 1, 1, { ...at(200_000), slot: other });
  pit.venue(pit.write.market(DELETE_MARKET, 0, expiry, strike, kind));
  pit.settle();
  assert.ok(!pit.waits(id));
  pit.now = expiry;
  pit.settle();
  assert.ok(!pit.waits(late));
  check(pit.state);
});

test('pre-liquidation ends waiting orders that are not reduce-only', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 300);
  const plain = pit.order(1, BUY, 1, 1, below(50_000));
  const stop = pit.order(1, SELL, 1, 1, { ...below(50_000), ...REDUCE });
  // Equity of 10 million less the loss, maintenance of 5 % of the notional: below it, but above 60 % of it.
  for (let i = 0; i < 8 && pit.status(1) !== PRE_LIQUIDATION; i++) pit.index(69_800);
  assert.equal(pit.status(1), PRE_LIQUIDATION);
  assert.ok(!pit.waits(plain) && pit.waits(stop));
  for (let i = 0; i < 20 && pit.status(1) === PRE_LIQUIDATION; i++) pit.index(66_000 - i * 10);
  assert.equal(pit.waits(stop), pit.status(1) === IN_LIQUIDATION || pit.status(1) === PRE_LIQUIDATION, 'a takeover ends all');
});

test('linked orders share what one of them fills, a waiting one too', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 3);
  const target = pit.order(1, SELL, 101_000, 3, { ...REDUCE, linkId: 'pair' });
  const stop = pit.order(1, SELL, 90_000, 3, { ...below(95_000), ...REDUCE, linkId: 'pair' });
  pit.order(3, BUY, 101_000, 1);
  assert.deepEqual(pit.told(ORDER_SHRUNK, ORDER_ID), [stop]);
  assert.equal(pit.orders(1).find((order) => order.id === stop)!.remaining, 2 * CONTRACT);
  pit.order(3, BUY, 95_000, 1);
  pit.index(95_000);
  assert.deepEqual([pit.of(FILL, FILL_SIZE), pit.of(ORDER_SHRUNK, ORDER_ID)], [[CONTRACT], [target]]);
  assert.ok(pit.stands(stop), 'the rest of the stop rests');
  check(pit.state);
});

test('a market-maker protection ends waiting orders only if they take part', () => {
  const pit = new Pit();
  pit.protect(1, { quantity: 1 });
  const out = pit.order(1, BUY, 1, 1, at(200_000));
  const takesPart = pit.order(1, BUY, 1, 1, { ...at(200_000), flags: 0 });
  pit.trade(2, 1, 100_000, 2);
  assert.ok(pit.waits(out) && !pit.waits(takesPart));
});

test('an order that waits finds room when it fires: placing, amending and quoting leave it', () => {
  const [orders, levelPages] = [2_048, 1_024];
  const pit = new Pit({ limits: checked({ ...SMALL, orders, levelPages }), rules: FREE });
  const id = pit.order(1, BUY, 9_000, 1, at(100_100));
  pit.send(pit.write.tier(2, MARKET_MAKER));
  const moved = pit.order(2, BUY, 10_000, 0.001);
  let code = C.OK;
  // Each at a price far from the others: a page of the book each.
  for (let i = 0; i < orders && code === C.OK; i++) code = pit.place(2, BUY, 10_000 + i * 80, 0.001, { slot: pit.perp });
  assert.equal(code, C.ENGINE_BUSY);
  assert.equal(pit.amend(2, moved, 9_100, 0.001), C.ENGINE_BUSY);
  const line = { ...pit.contract(pit.atm), bid: [CONTRACT, USDC] as const };
  assert.equal(pit.send(pit.write.massQuote({ wallet: 2, nonce: pit.next(), until: pit.now + 10_000, lines: [line] })), C.ENGINE_BUSY);
  pit.index(100_100);
  assert.ok(pit.stands(id));
});
