// Attacks on the closing of positions: the margin exemption of closing orders, the wait before a liquidation, the venue's own orders, the
// fund that sells what it took over. The target is a short put deep in the money: its margin follows the index, its price does not.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { CALL, PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_PRICE } from '../../../core/codec/events.ts';
import { balance } from '../../core/liquidation/liquidation-scene.ts';
import { BALANCE, DOLLAR, figures, AttackedVenue, SEED } from './attacked-venue.ts';

/** Wallet 1 is long 990 perps from 100,000, wallet 2 short; then the index is `price`, for so long. */
function fallen(price: number, seconds: number): AttackedVenue {
  const scene = new AttackedVenue().enter(1, 2, 3, 4);
  scene.deal(1, 2, 100_000, 990);
  scene.seconds(1);
  scene.index(price);
  scene.seconds(seconds);
  return scene;
}

/** Wallet 1 is short 660 puts at 170,000 that wallets 2 and 3 hold; then the index drifts to `price`. */
function deep(price: number): { scene: AttackedVenue; put: number } {
  const scene = new AttackedVenue().enter(1, 4, 5).enterPortfolio(2, 3);
  const put = scene.option(PUT, 170_000, 270);
  scene.deal(2, 1, scene.near(put), 330, put);
  scene.deal(3, 1, scene.near(put), 330, put);
  for (let index = 98_000; index > price; index -= 2_000) {
    scene.index(index);
    scene.seconds(5);
  }
  scene.index(price);
  scene.seconds(5);
  return { scene, put };
}

test('attack: close with an accomplice far from mark; the exemption ends at 1 % of the index for a perp', () => {
  const scene = fallen(94_000, 1);
  assert.ok(scene.shownEquity(1) < scene.initial(1));
  const before = scene.wealth(1, 2, 3);
  assert.equal(scene.trade(3, 1, 93_059, 100), C.INSUFFICIENT_MARGIN);
  scene.cancel(3, 0);
  assert.equal(scene.buy(3, 93_060, 990, { slot: scene.perp }), C.OK);
  assert.equal(scene.sell(1, 93_060, 990, { slot: scene.perp }), C.OK, 'at the distance it may, with less than its margin');
  assert.equal(scene.size(1), 0);
  assert.ok(scene.equity(1) > 0n, 'and keeps the rest');
  assert.equal(scene.wealth(1, 2, 3), before);
});

test('attack: closing orders larger together than the position; open ones count, and so do replaces', () => {
  const scene = fallen(94_000, 1);
  const slot = scene.perp;
  assert.equal(scene.sell(1, 93_500, 600, { slot }), C.OK);
  assert.equal(scene.sell(1, 93_500, 390.000001, { slot }), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.sell(1, 93_500, 390, { slot }), C.OK);
  assert.equal(scene.sell(1, 93_500, 0.000001, { slot }), C.INSUFFICIENT_MARGIN);
  const [first] = scene.orders(1);
  assert.equal(scene.replace(1, first!.id, 1, 93_500, 600.000001), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.replace(1, first!.id, 0, 90_000, 1), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.orders(1).length, 2, 'refused, it leaves all as it was');
});

test('attack: close one leg of a hedge; an order that raises the requirement is not exempt', () => {
  const scene = new AttackedVenue().enter(2, 3).enterPortfolio(1);
  const call = scene.option(CALL, 60_000, 270);
  scene.deal(2, 1, 100_000, 400);
  scene.deal(1, 3, scene.near(call), 400, call);
  assert.ok(scene.state.accounts.cash[scene.account(1)]! <= 0, 'nothing in cash');
  assert.ok(scene.initial(1) < 4_000_000 * USDC);
  assert.equal(scene.sell(1, scene.near(call, 0.95), 400, { slot: call }), C.NO_FUNDS);
  assert.equal(scene.buy(1, 100_500, 400, { slot: scene.perp }), C.NO_FUNDS);
  assert.equal(scene.sell(1, scene.near(call, 0.999), 1, { slot: call }), C.NO_FUNDS);
});

test('attack: close with an accomplice, deep in the money; an exempt order leaves nobody below zero', () => {
  const { scene, put } = deep(90_500);
  const crew = [1, 2, 3];
  const before = scene.wealth(...crew);
  assert.equal(scene.status(1), HEALTHY, 'it has its maintenance');
  assert.ok(scene.shownEquity(1) < scene.initial(1));
  for (const other of [2, 3]) scene.trade(1, other, scene.near(put, 1.0999), 330, put);
  const after = scene.equity(1) / DOLLAR;
  scene.seconds(10);
  balance(scene.state);
  assert.equal(before, 3n * BALANCE);
  const gain = (scene.wealth(...crew) - before) / DOLLAR;
  assert.ok(after >= 0n && gain <= 0n, `equity ${after}, the crew has ${gain} more, the fund ${scene.fund() / DOLLAR}`);
});

test('attack: close while quotes hold another mark down; equity at theo also bounds the loss', () => {
  const scene = new AttackedVenue().enter(1, 4, 5).enterPortfolio(2, 3, 6);
  const kept = scene.option(PUT, 170_000, 270);
  const put = scene.option(PUT, 160_000, 270);
  scene.deal(6, 1, scene.near(kept), 220, kept);
  for (const other of [2, 3]) scene.deal(other, 1, scene.near(put), 220, put);
  for (let index = 98_000; index > 89_000; index -= 2_000) {
    scene.index(index);
    scene.seconds(1);
  }
  const theo = scene.state.valuation.theo[kept]! / USDC;
  scene.quote(4, 5, kept, figures(theo * 0.9), figures(theo * 1.02), 0.1);
  scene.seconds(6);
  scene.index(86_700);
  assert.ok(scene.mark(kept) < 0.985 * scene.state.valuation.theo[kept]!);
  for (let size = 1; size <= 20 && scene.size(1, put) < 0; size++) {
    for (const other of [2, 3]) {
      scene.trade(1, other, scene.near(put, 1.0999), 22, put);
      for (const order of scene.orders(other)) scene.cancel(other, order.id);
    }
  }
  for (const wallet of [4, 5]) for (const order of scene.orders(wallet)) scene.cancel(wallet, order.id);
  assert.ok(scene.size(1, put) > -440 * CONTRACT, 'some of it was closed');
  scene.index(86_700);
  assert.equal(scene.mark(kept), scene.state.valuation.theo[kept]);
  assert.ok(scene.equity(1) >= 0n, `equity ${scene.equity(1) / DOLLAR}`);
  scene.seconds(10);
  balance(scene.state);
  assert.ok(scene.wealth(1, 2, 3, 6) <= 4n * BALANCE && scene.fund() >= SEED);
});

test('attack: buy from the fund what it took over; it sells at no loss against what it received', () => {
  const { scene, put } = deep(88_500);
  const crew = [1, 2, 3];
  assert.ok(scene.status(1) !== HEALTHY);
  scene.seconds(100);
  assert.equal(scene.status(1), LIQUIDATED, 'nobody wanted it, so the fund has it');
  assert.equal(scene.sizeOf(scene.fundAccount(), put), -660 * CONTRACT);
  const got = scene.fund();
  assert.ok(got > SEED);
  for (const other of [2, 3]) assert.equal(scene.sell(other, scene.near(put, 1.0999), 330, { slot: put }), C.OK);
  scene.seconds(60);
  balance(scene.state);
  const gain = (scene.wealth(...crew) - 3n * BALANCE) / DOLLAR;
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, the fund ${scene.fund() / DOLLAR} after ${got / DOLLAR}`);
});

test('attack: bid far from mark into a liquidation; it sells no worse than mark less the closing distance', () => {
  const scene = fallen(92_600, 3);
  assert.equal(scene.buy(3, 80_000, 99, { slot: scene.perp }), C.OK);
  scene.seconds(5);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  assert.equal(scene.size(3), 0, 'nothing for the stranger’s bid');
  const prices: number[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind === FILL) prices.push(slots[FILL_PRICE]! / USDC);
  };
  const before = scene.equity(4);
  assert.equal(scene.buy(4, 91_680, 90, { slot: scene.perp }), C.OK);
  scene.seconds(3);
  assert.ok(prices.length > 0 && prices.every((price) => price >= 92_600 * 0.99));
  assert.ok(scene.equity(4) - before <= 90n * 926n * DOLLAR);
  assert.ok(scene.equity(1) > 0n);
});

test('attack: trade with one\'s own liquidated wallet; the crew gains nothing, and the fund gets a fee', () => {
  const scene = fallen(92_600, 3);
  const crew = [1, 2, 3];
  assert.equal(scene.buy(3, 91_680, 900, { slot: scene.perp }), C.OK);
  scene.seconds(40);
  assert.ok(scene.size(3) > 0, 'it has bought');
  assert.ok(scene.wealth(...crew) <= 3n * BALANCE);
  assert.ok(scene.fund() >= SEED);
  balance(scene.state);
});

test('attack: open or replace endlessly in pre_liquidation; only closing orders pass, and the wait runs on', () => {
  const scene = fallen(93_500, 1);
  assert.equal(scene.sell(1, 95_000, 400, { slot: scene.perp }), C.OK);
  scene.seconds(5);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  assert.equal(scene.orders(1).length, 1, 'what only closes has stayed');
  assert.equal(scene.buy(1, 80_000, 0.001, { slot: scene.perp }), C.IN_LIQUIDATION);
  assert.equal(scene.buy(1, 0.000001, 1), C.IN_LIQUIDATION);
  assert.equal(scene.sell(1, 95_000, 591, { slot: scene.perp }), C.IN_LIQUIDATION);
  for (let i = 0; i < 60; i++) {
    const [order] = scene.orders(1);
    assert.equal(scene.replace(1, order!.id, 1, 95_000 + 10 * (i % 7), 400), C.OK);
    scene.seconds(1);
  }
  assert.equal(scene.status(1), IN_LIQUIDATION);
});

test('attack: recover without new funds; initial margin is needed, and a second fall has no wait', () => {
  const scene = fallen(93_500, 6);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  scene.index(95_500);
  scene.seconds(2);
  assert.ok(scene.shownEquity(1) > scene.maintenance(1) && scene.shownEquity(1) < scene.initial(1));
  assert.equal(scene.status(1), PRE_LIQUIDATION, 'maintenance is not enough to come back');
  scene.index(100_000);
  scene.seconds(2);
  assert.equal(scene.status(1), HEALTHY);
  scene.index(93_500);
  scene.seconds(5);
  assert.equal(scene.status(1), IN_LIQUIDATION, 'at once');
});

test('attack: tiny closes as progress; they do not keep the fund away', () => {
  const scene = fallen(92_700, 4);
  for (let i = 0; i < 5; i++) {
    assert.equal(scene.place(3, 0, 92_700, 1, { slot: scene.perp, size: 1 }), C.OK);
    scene.seconds(20);
  }
  assert.equal(scene.status(1), LIQUIDATED);
  assert.ok(scene.wealth(1, 2, 3) <= 3n * BALANCE && scene.fund() >= SEED);
});

test('attack: hold a unit without a price; a stale index protects no position in another underlying', () => {
  const scene = new AttackedVenue().enter(1, 2);
  scene.deal(1, 2, 3_000, 0.000001, scene.perpOf(1));
  scene.deal(1, 2, 100_000, 990);
  scene.venue(scene.write.index(1, 0, 2));
  scene.settle();
  for (const price of [96_000, 93_000, 91_500, 89_500]) {
    scene.index(price);
    scene.seconds(70);
  }
  assert.ok(scene.now > 5 * MINUTE + SECOND);
  assert.notEqual(scene.status(1), HEALTHY, `equity ${scene.equity(1) / DOLLAR} with a fresh index of all it has`);
});

test('attack: act again with a wallet that was taken over; no order passes', () => {
  const scene = fallen(90_500, 5);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.deepEqual([scene.equity(1), scene.size(1), scene.orders(1).length], [0n, 0, 0]);
  assert.equal(scene.buy(1, 90_000, 0.000001, { slot: scene.perp }), C.NO_FUNDS);
  assert.equal(scene.sell(1, figures(1), 0.000001), C.NO_FUNDS);
});
