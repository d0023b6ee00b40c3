// Attacks on the closing of positions: the margin exemption of closing orders, the wait before a liquidation, the venue's own orders, the
// fund that sells what it took over. The target is a short put deep in the money: its margin follows the index, its price does not.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { CALL, PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_PRICE } from '../../../core/codec/events.ts';
import { balance } from '../../core/liquidation/pit.ts';
import { BALANCE, DOLLAR, figures, Raid, SEED } from './raid.ts';

/** Wallet 1 is long 990 perps from 100,000, wallet 2 short; then the index is `price`, for so long. */
function fallen(price: number, seconds: number): Raid {
  const raid = new Raid().enter(1, 2, 3, 4);
  raid.deal(1, 2, 100_000, 990);
  raid.seconds(1);
  raid.index(price);
  raid.seconds(seconds);
  return raid;
}

/** Wallet 1 is short 660 puts at 170,000 that wallets 2 and 3 hold; then the index drifts to `price`. */
function deep(price: number): { raid: Raid; put: number } {
  const raid = new Raid().enter(1, 4, 5).enterPortfolio(2, 3);
  const put = raid.option(PUT, 170_000, 270);
  raid.deal(2, 1, raid.near(put), 330, put);
  raid.deal(3, 1, raid.near(put), 330, put);
  for (let index = 98_000; index > price; index -= 2_000) {
    raid.index(index);
    raid.seconds(5);
  }
  raid.index(price);
  raid.seconds(5);
  return { raid, put };
}

test('attack: close with an accomplice far from mark; the exemption ends at 1 % of the index for a perp', () => {
  const raid = fallen(94_000, 1);
  assert.ok(raid.shownEquity(1) < raid.initial(1));
  const before = raid.wealth(1, 2, 3);
  assert.equal(raid.trade(3, 1, 93_059, 100), C.INSUFFICIENT_MARGIN);
  raid.cancel(3, 0);
  assert.equal(raid.buy(3, 93_060, 990, { slot: raid.perp }), C.OK);
  assert.equal(raid.sell(1, 93_060, 990, { slot: raid.perp }), C.OK, 'at the distance it may, with less than its margin');
  assert.equal(raid.size(1), 0);
  assert.ok(raid.equity(1) > 0n, 'and keeps the rest');
  assert.equal(raid.wealth(1, 2, 3), before);
});

test('attack: closing orders larger together than the position; open ones count, and so do replaces', () => {
  const raid = fallen(94_000, 1);
  const slot = raid.perp;
  assert.equal(raid.sell(1, 93_500, 600, { slot }), C.OK);
  assert.equal(raid.sell(1, 93_500, 390.000001, { slot }), C.INSUFFICIENT_MARGIN);
  assert.equal(raid.sell(1, 93_500, 390, { slot }), C.OK);
  assert.equal(raid.sell(1, 93_500, 0.000001, { slot }), C.INSUFFICIENT_MARGIN);
  const [first] = raid.orders(1);
  assert.equal(raid.replace(1, first!.id, 1, 93_500, 600.000001), C.INSUFFICIENT_MARGIN);
  assert.equal(raid.replace(1, first!.id, 0, 90_000, 1), C.INSUFFICIENT_MARGIN);
  assert.equal(raid.orders(1).length, 2, 'refused, it leaves all as it was');
});

test('attack: close one leg of a hedge; an order that raises the requirement is not exempt', () => {
  const raid = new Raid().enter(2, 3).enterPortfolio(1);
  const call = raid.option(CALL, 60_000, 270);
  raid.deal(2, 1, 100_000, 400);
  raid.deal(1, 3, raid.near(call), 400, call);
  assert.ok(raid.state.accounts.cash[raid.account(1)]! <= 0, 'nothing in cash');
  assert.ok(raid.initial(1) < 4_000_000 * USDC);
  assert.equal(raid.sell(1, raid.near(call, 0.95), 400, { slot: call }), C.NO_FUNDS);
  assert.equal(raid.buy(1, 100_500, 400, { slot: raid.perp }), C.NO_FUNDS);
  assert.equal(raid.sell(1, raid.near(call, 0.999), 1, { slot: call }), C.NO_FUNDS);
});

test('attack: close with an accomplice, deep in the money; an exempt order leaves nobody below zero', () => {
  const { raid, put } = deep(90_500);
  const crew = [1, 2, 3];
  const before = raid.wealth(...crew);
  assert.equal(raid.status(1), HEALTHY, 'it has its maintenance');
  assert.ok(raid.shownEquity(1) < raid.initial(1));
  for (const other of [2, 3]) raid.trade(1, other, raid.near(put, 1.0999), 330, put);
  const after = raid.equity(1) / DOLLAR;
  raid.seconds(10);
  balance(raid.state);
  assert.equal(before, 3n * BALANCE);
  const gain = (raid.wealth(...crew) - before) / DOLLAR;
  assert.ok(after >= 0n && gain <= 0n, `equity ${after}, the crew has ${gain} more, the fund ${raid.fund() / DOLLAR}`);
});

test('attack: close while quotes hold another mark down; equity at theo also bounds the loss', () => {
  const raid = new Raid().enter(1, 4, 5).enterPortfolio(2, 3, 6);
  const kept = raid.option(PUT, 170_000, 270);
  const put = raid.option(PUT, 160_000, 270);
  raid.deal(6, 1, raid.near(kept), 220, kept);
  for (const other of [2, 3]) raid.deal(other, 1, raid.near(put), 220, put);
  for (let index = 98_000; index > 89_000; index -= 2_000) {
    raid.index(index);
    raid.seconds(1);
  }
  const theo = raid.state.valuation.theo[kept]! / USDC;
  raid.quote(4, 5, kept, figures(theo * 0.9), figures(theo * 1.02), 0.1);
  raid.seconds(6);
  raid.index(86_700);
  assert.ok(raid.mark(kept) < 0.985 * raid.state.valuation.theo[kept]!);
  for (let size = 1; size <= 20 && raid.size(1, put) < 0; size++) {
    for (const other of [2, 3]) {
      raid.trade(1, other, raid.near(put, 1.0999), 22, put);
      for (const order of raid.orders(other)) raid.cancel(other, order.id);
    }
  }
  for (const wallet of [4, 5]) for (const order of raid.orders(wallet)) raid.cancel(wallet, order.id);
  assert.ok(raid.size(1, put) > -440 * CONTRACT, 'some of it was closed');
  raid.index(86_700);
  assert.equal(raid.mark(kept), raid.state.valuation.theo[kept]);
  assert.ok(raid.equity(1) >= 0n, `equity ${raid.equity(1) / DOLLAR}`);
  raid.seconds(10);
  balance(raid.state);
  assert.ok(raid.wealth(1, 2, 3, 6) <= 4n * BALANCE && raid.fund() >= SEED);
});

test('attack: buy from the fund what it took over; it sells at no loss against what it received', () => {
  const { raid, put } = deep(88_500);
  const crew = [1, 2, 3];
  assert.ok(raid.status(1) !== HEALTHY);
  raid.seconds(100);
  assert.equal(raid.status(1), LIQUIDATED, 'nobody wanted it, so the fund has it');
  assert.equal(raid.sizeOf(raid.fundAccount(), put), -660 * CONTRACT);
  const got = raid.fund();
  assert.ok(got > SEED);
  for (const other of [2, 3]) assert.equal(raid.sell(other, raid.near(put, 1.0999), 330, { slot: put }), C.OK);
  raid.seconds(60);
  balance(raid.state);
  const gain = (raid.wealth(...crew) - 3n * BALANCE) / DOLLAR;
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, the fund ${raid.fund() / DOLLAR} after ${got / DOLLAR}`);
});

test('attack: bid far from mark into a liquidation; it sells no worse than mark less the closing distance', () => {
  const raid = fallen(92_600, 3);
  assert.equal(raid.buy(3, 80_000, 99, { slot: raid.perp }), C.OK);
  raid.seconds(5);
  assert.equal(raid.status(1), IN_LIQUIDATION);
  assert.equal(raid.size(3), 0, 'nothing for the stranger’s bid');
  const prices: number[] = [];
  raid.state.events.listener = (kind, slots) => {
    if (kind === FILL) prices.push(slots[FILL_PRICE]! / USDC);
  };
  const before = raid.equity(4);
  assert.equal(raid.buy(4, 91_680, 90, { slot: raid.perp }), C.OK);
  raid.seconds(3);
  assert.ok(prices.length > 0 && prices.every((price) => price >= 92_600 * 0.99));
  assert.ok(raid.equity(4) - before <= 90n * 926n * DOLLAR);
  assert.ok(raid.equity(1) > 0n);
});

test('attack: trade with one\'s own liquidated wallet; the crew gains nothing, and the fund gets a fee', () => {
  const raid = fallen(92_600, 3);
  const crew = [1, 2, 3];
  assert.equal(raid.buy(3, 91_680, 900, { slot: raid.perp }), C.OK);
  raid.seconds(40);
  assert.ok(raid.size(3) > 0, 'it has bought');
  assert.ok(raid.wealth(...crew) <= 3n * BALANCE);
  assert.ok(raid.fund() >= SEED);
  balance(raid.state);
});

test('attack: open or replace endlessly in pre_liquidation; only closing orders pass, and the wait runs on', () => {
  const raid = fallen(93_500, 1);
  assert.equal(raid.sell(1, 95_000, 400, { slot: raid.perp }), C.OK);
  raid.seconds(5);
  assert.equal(raid.status(1), PRE_LIQUIDATION);
  assert.equal(raid.orders(1).length, 1, 'what only closes has stayed');
  assert.equal(raid.buy(1, 80_000, 0.001, { slot: raid.perp }), C.IN_LIQUIDATION);
  assert.equal(raid.buy(1, 0.000001, 1), C.IN_LIQUIDATION);
  assert.equal(raid.sell(1, 95_000, 591, { slot: raid.perp }), C.IN_LIQUIDATION);
  for (let i = 0; i < 60; i++) {
    const [order] = raid.orders(1);
    assert.equal(raid.replace(1, order!.id, 1, 95_000 + 10 * (i % 7), 400), C.OK);
    raid.seconds(1);
  }
  assert.equal(raid.status(1), IN_LIQUIDATION);
});

test('attack: recover without new funds; initial margin is needed, and a second fall has no wait', () => {
  const raid = fallen(93_500, 6);
  assert.equal(raid.status(1), PRE_LIQUIDATION);
  raid.index(95_500);
  raid.seconds(2);
  assert.ok(raid.shownEquity(1) > raid.maintenance(1) && raid.shownEquity(1) < raid.initial(1));
  assert.equal(raid.status(1), PRE_LIQUIDATION, 'maintenance is not enough to come back');
  raid.index(100_000);
  raid.seconds(2);
  assert.equal(raid.status(1), HEALTHY);
  raid.index(93_500);
  raid.seconds(5);
  assert.equal(raid.status(1), IN_LIQUIDATION, 'at once');
});

test('attack: tiny closes as progress; they do not keep the fund away', () => {
  const raid = fallen(92_700, 4);
  for (let i = 0; i < 5; i++) {
    assert.equal(raid.place(3, 0, 92_700, 1, { slot: raid.perp, size: 1 }), C.OK);
    raid.seconds(20);
  }
  assert.equal(raid.status(1), LIQUIDATED);
  assert.ok(raid.wealth(1, 2, 3) <= 3n * BALANCE && raid.fund() >= SEED);
});

test('attack: hold a unit without a price; a stale index protects no position in another underlying', () => {
  const raid = new Raid().enter(1, 2);
  raid.deal(1, 2, 3_000, 0.000001, raid.perpOf(1));
  raid.deal(1, 2, 100_000, 990);
  raid.venue(raid.write.index(1, 0, 2));
  raid.settle();
  for (const price of [96_000, 93_000, 91_500, 89_500]) {
    raid.index(price);
    raid.seconds(70);
  }
  assert.ok(raid.now > 5 * MINUTE + SECOND);
  assert.notEqual(raid.status(1), HEALTHY, `equity ${raid.equity(1) / DOLLAR} with a fresh index of all it has`);
});

test('attack: act again with a wallet that was taken over; no order passes', () => {
  const raid = fallen(90_500, 5);
  assert.equal(raid.status(1), LIQUIDATED);
  assert.deepEqual([raid.equity(1), raid.size(1), raid.orders(1).length], [0n, 0, 0]);
  assert.equal(raid.buy(1, 90_000, 0.000001, { slot: raid.perp }), C.NO_FUNDS);
  assert.equal(raid.sell(1, figures(1), 0.000001), C.NO_FUNDS);
});
