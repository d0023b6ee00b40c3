// Attacks by price and by rounding: an accomplice trades at a price that no stranger would, or an order is cut into so many pieces that
// each rounds the attacker's way. The crew's total wealth must not grow.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, IOC, SELL, USDC } from '../../../core/units.ts';
import { CALL } from '../../../core/codec/commands.ts';
import { TAKER_FEE } from '../../../core/settings.ts';
import { UNLIMITED } from '../../../core/tiers.ts';
import { Random } from '../../sim/random.ts';
import { balance } from '../../core/liquidation/liquidation-scene.ts';
import { BALANCE, DOLLAR, figures, AttackedVenue, SEED } from './attacked-venue.ts';

test('attack: buy an option from an accomplice far above mark; the premium is reserved', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const before = scene.wealth(1, 2);
  assert.ok(scene.near(scene.atm) < 5_000);
  assert.equal(scene.sell(2, 1_000_000, 10, { slot: scene.atm }), C.OK);
  assert.equal(scene.buy(1, 1_000_000, 10.000001), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.buy(1, 1_000_000, 10), C.OK);
  assert.equal(scene.cash(1), 0, 'all of it has gone over');
  assert.ok(scene.equity(2) > 19n * BALANCE / 10n);
  assert.equal(scene.buy(1, scene.near(scene.atm), 0.001), C.NO_FUNDS);
  scene.seconds(70);
  assert.ok(scene.equity(1) >= 0n);
  assert.deepEqual([scene.wealth(1, 2), scene.fund()], [before, SEED]);
});

test('attack: sell an option to an accomplice for nothing; the loss is reserved beside the margin', () => {
  for (const portfolio of [false, true]) {
    const scene = new AttackedVenue().enter(2);
    if (portfolio) scene.enterPortfolio(1);
    else scene.enter(1);
    let sold = 0;
    for (let size = 512; size >= 1; size /= 2) if (scene.trade(2, 1, 0.000001, size, scene.atm) === C.OK) sold += size;
    assert.ok(sold >= 256, `${sold} contracts went over`);
    assert.ok(scene.equity(1) < BALANCE, 'and with them their value');
    assert.ok(scene.shownEquity(1) >= scene.initial(1));
    assert.deepEqual([scene.wealth(1, 2), scene.fund()], [2n * BALANCE, SEED]);
  }
});

test('attack: buy a perp at twice the index; the distance to mark is reserved, and the mark stays', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const mark = scene.mark(scene.perp);
  assert.equal(scene.trade(1, 2, 200_000, 91, scene.perp), C.INSUFFICIENT_MARGIN);
  scene.deal(1, 2, 200_000, 90);
  assert.equal(scene.mark(scene.perp), mark);
  assert.equal(scene.equity(1), BALANCE - 9_000_000n * DOLLAR);
  assert.equal(scene.shownEquity(1), scene.initial(1) + 100_000 * USDC, 'no more than its margin is left');
  scene.seconds(10);
  assert.equal(scene.mark(scene.perp), mark);
  assert.deepEqual([scene.wealth(1, 2), scene.fund()], [2n * BALANCE, SEED]);
});

test('attack, portfolio: buy an option far above mark; it is worth its mark at once', () => {
  const scene = new AttackedVenue().enter(2).enterPortfolio(1);
  const price = figures(scene.mark(scene.atm) / USDC * 100);
  let bought = 0;
  for (let size = 256; size >= 1; size /= 2) if (scene.trade(1, 2, price, size, scene.atm) === C.OK) bought += size;
  assert.ok(bought >= 32 && scene.equity(1) < BALANCE / 2n, `${bought} at ${price}`);
  assert.ok(scene.shownEquity(1) >= scene.initial(1));
  assert.deepEqual([scene.wealth(1, 2), scene.fund()], [2n * BALANCE, SEED]);
});

test('property: any trades at any prices between six wallets at fixed marks leave nobody below zero', () => {
  const random = new Random(11);
  const free = {
    orders: UNLIMITED, cancels: UNLIMITED, requests: UNLIMITED, quotes: UNLIMITED, openOrders: UNLIMITED, positions: UNLIMITED,
  };
  const scene = new AttackedVenue({ rules: { table: [free, free, free, free] } }).enter(1, 2, 3).enterPortfolio(4, 5, 6);
  const crew = [1, 2, 3, 4, 5, 6];
  const slots = [scene.perp, scene.atm, scene.option(CALL, 30_000, 270), scene.option(0, 170_000, 270), scene.option(CALL, 130_000, 30)];
  const told = { yes: 0, no: 0 };
  for (let step = 0; step < 2_000; step++) {
    const slot = random.pick(slots);
    const factor = 2 ** (6 * random.fraction() ** 3 * random.pick([-1, 1]));
    const price = Math.max(0.000001, figures(scene.mark(slot) / USDC * factor));
    const size = Math.ceil(CONTRACT * 900 * random.fraction() ** 3) / CONTRACT;
    // Two of them mostly get the worse of it.
    const one = random.chance(0.6) ? random.pick([1, 4]) : random.pick(crew);
    const isWorse = factor > 1;
    const other = random.pick(crew);
    const code = random.chance(0.2) ? scene.place(one, random.pick([BUY, SELL]), price, size, { slot, tif: random.pick([0, IOC, FOK]) })
      : scene.trade(isWorse ? one : other, isWorse ? other : one, price, size, slot);
    for (const order of random.chance(0.5) ? scene.orders() : []) {
      scene.cancel(scene.state.accounts.address[order.account * 5]! - 1, order.id);
    }
    told[code === C.OK ? 'yes' : 'no']++;
    if (code === C.OK) for (const wallet of crew) assert.ok(scene.equity(wallet) >= 0n, `step ${step}: wallet ${wallet}`);
  }
  assert.ok(told.yes > 200 && told.no > 500, `${told.yes} passed, ${told.no} did not`);
  const poorest = crew.reduce((least, wallet) => (scene.equity(wallet) < least ? scene.equity(wallet) : least), BALANCE);
  assert.ok(poorest < BALANCE / 5n, `somebody has given much away: ${poorest}`);
  // A value at mark is rounded for each holding; money is not.
  const gain = scene.wealth(...crew) - 6n * BALANCE;
  assert.ok(gain * gain <= BigInt((crew.length * slots.length) ** 2), `${gain}`);
  assert.equal(scene.fund(), SEED);
  balance(scene.state);
});

test('attack: fok and ioc at absurd prices; marks move at a tick, never within an order', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const marks = (): number[] => [scene.mark(scene.atm), scene.mark(scene.perp)];
  const before = marks();
  assert.equal(scene.sell(2, 50_000, 1), C.OK);
  assert.equal(scene.buy(1, 50_000, 1, { tif: FOK }), C.OK);
  assert.equal(scene.size(1, scene.atm), CONTRACT);
  scene.deal(1, 2, 150_000, 1);
  scene.deal(2, 1, 60_000, 1);
  assert.deepEqual(marks(), before);
});

test('attack: orders of one unit; rounding gives at most half a micro an order, 60 orders a minute', () => {
  const scene = new AttackedVenue({ rules: { rated: true } }).enter(1, 9);
  const slot = scene.option(CALL, 160_000, 30);
  const value = scene.mark(slot);
  const price = 0.49;
  scene.sell(9, price, 1, { slot });
  let orders = 0;
  scene.advance(60_000);
  while (scene.place(1, BUY, price, 1, { slot, size: 1, tif: IOC }) === C.OK) orders++;
  assert.equal(
    scene.send(scene.write.place({ ...scene.contract(slot), wallet: 1, nonce: scene.next(), side: BUY, price: 490_000, size: 1 })),
    C.RATE_LIMITED);
  assert.equal(orders, 60);
  assert.equal(scene.size(1, slot), 60, 'sixty units for nothing');
  assert.equal(scene.cash(1), Number(BALANCE));
  const worth = 0.49 * 60;
  assert.ok(worth <= orders / 2, 'half a micro each');
  assert.ok(value > 0);
});

test('attack: orders of one unit with fees; fees round up, so pieces cost no less than the whole', () => {
  const fees = (pieces: number): number => {
    const scene = new AttackedVenue({ settings: { [TAKER_FEE]: 500 } }).enter(1, 9);
    assert.equal(scene.sell(9, 100_000, 1, { slot: scene.perp }), C.OK);
    for (let i = 0; i < pieces; i++) scene.place(1, BUY, 100_000, 1, { slot: scene.perp, size: 1_020 / pieces, tif: IOC });
    assert.equal(scene.size(1), 1_020);
    return Number(BALANCE) - scene.cash(1);
  };
  assert.deepEqual([fees(1), fees(60), fees(340)], [51_000, 51_000, 51_000]);
  const odd = (pieces: number): number => {
    const scene = new AttackedVenue({ settings: { [TAKER_FEE]: 500 }, spot: 99_999.999 }).enter(1, 9);
    assert.equal(scene.sell(9, 100_000, 1, { slot: scene.perp }), C.OK);
    for (let i = 0; i < pieces; i++) scene.place(1, BUY, 100_000, 1, { slot: scene.perp, size: 60 / pieces, tif: IOC });
    assert.equal(scene.size(1), 60);
    return Number(BALANCE) - scene.cash(1);
  };
  assert.ok(odd(60) >= odd(1), `${odd(60)} and ${odd(1)}`);
});

test('attack: close a perp unit by unit; the pieces cost as much as the whole', () => {
  const left = (pieces: number): bigint[] => {
    const scene = new AttackedVenue().enter(1, 9);
    scene.deal(1, 9, 99_999, 0.000001);
    scene.deal(1, 9, 100_010, 0.000239);
    assert.equal(scene.place(9, BUY, 99_993, 1, { slot: scene.perp }), C.OK);
    for (let i = 0; i < pieces; i++) scene.place(1, SELL, 99_993, 1, { slot: scene.perp, size: 240 / pieces, tif: IOC });
    assert.equal(scene.size(1), 0);
    balance(scene.state);
    return [scene.equity(1), scene.equity(9)];
  };
  assert.deepEqual(left(240), left(1));
  assert.ok(left(1)[0]! < BALANCE, 'it did cost something');
});

test('attack: split an expiry over wallets; payouts sum to zero, each within a micro of its value', () => {
  const scene = new AttackedVenue();
  const slot = scene.option(CALL, 95_000, 1);
  const crew = Array.from({ length: 24 }, (_, i) => i + 1);
  const each = 98_765.5 - scene.contract(slot).strike / USDC;
  scene.enter(90, ...crew);
  const ask = figures(scene.mark(slot) / USDC) + 1;
  assert.equal(scene.sell(90, ask, 1, { slot }), C.OK);
  for (const wallet of crew) assert.equal(scene.place(wallet, BUY, ask, 1, { slot, size: 1 }), C.OK);
  scene.index(98_765.5);
  scene.now = scene.contract(slot).expiry - 30 * 60_000;
  scene.settle();
  while (scene.now < scene.contract(slot).expiry + 1_000) scene.advance(1_000);
  const paid = Math.round(ask) * crew.length;
  const gain = crew.reduce((sum, wallet) => sum + scene.cash(wallet) - Number(BALANCE), paid);
  assert.equal(scene.size(1, slot), 0, 'settled');
  assert.ok(Number.isInteger(each * 2) && !Number.isInteger(each), 'half a micro for each to be had');
  assert.ok(Math.abs(gain - each * crew.length) <= 1, `${gain} of ${each * crew.length}`);
  balance(scene.state);
});
