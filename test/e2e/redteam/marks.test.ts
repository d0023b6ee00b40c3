// Attacks on the venue's prices: the attacker's own quotes, the perp's impact prices, a bad tick of the feed, and the seconds in which
// the venue knows less than the attacker.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, HOUR, SECOND, SELL, USDC } from '../../../core/units.ts';
import { HEALTHY, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { CALL, FLAG_INDEX_STALE } from '../../../core/codec/commands.ts';
import { FUNDING_HOURLY, FUNDING_RATE, INDEX_IS_USED, INDEX_MOVED } from '../../../core/codec/events.ts';
import { vegaOf } from '../../../core/valuation/valuation.ts';
import { balance } from '../../core/liquidation/pit.ts';
import { BALANCE, DOLLAR, figures, Raid, SEED } from './raid.ts';

/** A feed's tick each second, without a word on volatility. */
function feed(raid: Raid, price: number, seconds: number): void {
  for (let i = 0; i < seconds; i++) {
    raid.now += SECOND;
    raid.index(price, 0, 0);
  }
}

function withdraw(raid: Raid, ...wallets: number[]): void {
  for (const wallet of wallets) for (const order of raid.orders(wallet)) assert.equal(raid.cancel(wallet, order.id), C.OK);
}

/**
 * Wallet 1 buys an option of wallet 6 as far above its mark as the venue lets it; that hands the position on to wallet 7 at
 * mark, so that its profit is cash and nobody is left to be deleveraged.
 */
function handOver(raid: Raid): void {
  const [from, to, last] = [1, 6, 7];
  const slot = raid.option(CALL, 100_000, 1);
  const free = (raid.shownEquity(from) - raid.initial(from)) / USDC;
  for (let part = 1; part > 0 && raid.size(to, slot) === 0; part -= 0.005) {
    raid.trade(from, to, figures(free * part / 20 + raid.mark(slot) / USDC), 20, slot);
    withdraw(raid, to);
  }
  assert.ok(raid.equity(to) > 7n * BALANCE / 5n, 'much of it went over');
  raid.deal(to, last, raid.near(slot), 20, slot);
}

test('attack: quote both sides from one wallet; only quotes of two wallets move a mark', () => {
  const raid = new Raid().enter(1, 2);
  const slot = raid.option(CALL, 100_000, 30);
  raid.deal(1, 2, raid.near(slot), 0.001, slot);
  const theo = raid.mark(slot) / USDC;
  raid.quote(1, 1, slot, figures(theo * 1.01), figures(theo * 1.03), 5);
  raid.seconds(12);
  const alone = [raid.mark(slot), raid.state.valuation.theo[slot]!];
  withdraw(raid, 1);
  raid.quote(1, 2, slot, figures(theo * 1.01), figures(theo * 1.03), 5);
  raid.seconds(12);
  assert.ok(raid.mark(slot) > raid.state.valuation.theo[slot]! * 1.015, 'two wallets do move it');
  assert.equal(alone[0], alone[1]);
});

test('attack: quote from two wallets; age, size and spread are bounded, and so is the move', () => {
  const raid = new Raid().enter(1, 2);
  const slot = raid.option(CALL, 100_000, 30);
  raid.deal(1, 2, raid.near(slot), 0.001, slot);
  const theo = (): number => raid.state.valuation.theo[slot]! / USDC;
  const moved = (): number => raid.mark(slot) / USDC / theo() - 1;
  raid.quote(1, 2, slot, figures(theo() * 1.4), figures(theo() * 1.5), 0.1);
  raid.seconds(4);
  assert.equal(moved(), 0, 'too young');
  raid.seconds(4);
  const reach = Math.max(0.02, vegaOf(raid.state.valuation, slot) / USDC / theo());
  assert.ok(moved() > 0.015 && moved() <= reach + 1e-9, `${moved()} within ${reach}`);
  withdraw(raid, 1, 2);
  raid.quote(1, 2, slot, figures(theo() * 1.4), figures(theo() * 1.5), 0.099);
  raid.seconds(8);
  assert.equal(moved(), 0, 'too small');
  withdraw(raid, 1, 2);
  raid.quote(1, 2, slot, figures(theo() * 1.4), figures(theo() * 1.7), 5);
  raid.seconds(8);
  assert.equal(moved(), 0, 'too far apart');
});

test('attack: own quotes against standard margin; a long is no collateral, and a short\'s margin is larger', () => {
  const raid = new Raid().enter(1, 2, 4, 5).enterPortfolio(3);
  const slot = raid.option(CALL, 30_000, 270);
  raid.deal(3, 1, raid.near(slot), 500, slot);
  const before = raid.shownEquity(1);
  const theo = raid.mark(slot) / USDC;
  raid.quote(4, 5, slot, figures(theo * 0.97), figures(theo * 0.98), 0.1);
  raid.seconds(7);
  const gained = raid.shownEquity(1) - before;
  assert.ok(gained > 600_000 * USDC, 'a million dollars by quoting a tenth of a contract');
  // All that is free goes to an accomplice; when the quotes are gone the requirement is still there.
  const cheap = raid.option(CALL, 130_000, 1);
  const free = (raid.shownEquity(1) - raid.initial(1)) / USDC;
  assert.equal(raid.trade(1, 2, figures(free * 0.999), 1, cheap), C.OK);
  withdraw(raid, 4, 5);
  raid.seconds(100);
  assert.ok(raid.shownEquity(1) > raid.maintenance(1), 'margin covers many times the reach of a mark');
  assert.equal(raid.status(1), HEALTHY);
  assert.equal(raid.fund(), SEED);
});

test('attack: own quotes against portfolio margin; marks beyond theo buy nothing', () => {
  const crew = [1, 2, 3, 4, 5, 6, 7];
  const raid = new Raid().enter(4, 5, 6, 7).enterPortfolio(1, 2, 3);
  const long = raid.option(CALL, 30_000, 270);
  const short = raid.option(CALL, 35_000, 270);
  raid.deal(2, 1, raid.near(short), 490, short);
  raid.deal(1, 3, raid.near(long), 490, long);
  assert.ok(raid.initial(1) < 400_000 * USDC, 'the two legs cover each other');
  const before = raid.wealth(...crew);
  const theo = (slot: number): number => raid.state.valuation.theo[slot]! / USDC;
  raid.quote(4, 5, long, figures(theo(long) * 1.02), figures(theo(long) * 1.03), 0.1);
  raid.quote(4, 5, short, figures(theo(short) * 0.97), figures(theo(short) * 0.98), 0.1);
  raid.seconds(7);
  handOver(raid);
  withdraw(raid, 4, 5);
  raid.seconds(10);
  balance(raid.state);
  const gain = (raid.wealth(...crew) - before) / DOLLAR;
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, wallet 1 is in state ${raid.status(1)}, the fund has ${raid.fund() / DOLLAR}`);
});

test('attack: own quotes against the surface; it follows only market makers, and marks buy nothing', () => {
  const crew = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const raid = new Raid().enter(4, 5, 6, 7).enterPortfolio(1, 2, 3, 8, 9);
  const far = raid.option(CALL, 100_000, 270);
  const near = raid.option(CALL, 100_000, 170);
  feed(raid, 100_000, 2);
  for (const other of [2, 3, 8, 9]) raid.deal(other, 1, raid.near(near), 120, near);
  for (const other of [2, 3, 8, 9]) raid.deal(1, other, raid.near(far), 120, far);
  const before = raid.wealth(...crew);
  const { sigma, theo } = raid.state.valuation;
  for (let round = 0; round < 25; round++) {
    withdraw(raid, 4, 5);
    raid.quote(4, 5, far, figures(theo[far]! / USDC * 1.05), figures(theo[far]! / USDC * 1.15), 0.1);
    raid.quote(4, 5, near, figures(theo[near]! / USDC * 0.85), figures(theo[near]! / USDC * 0.95), 0.1);
    feed(raid, 100_000, 6);
  }
  assert.deepEqual([sigma[far], sigma[near]], [600_000, 600_000]);
  assert.ok(raid.mark(far) > theo[far]! && raid.mark(near) < theo[near]!);
  handOver(raid);
  withdraw(raid, 4, 5);
  feed(raid, 100_000, 720);
  balance(raid.state);
  const gain = (raid.wealth(...crew) - before) / DOLLAR;
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, wallet 1 is in state ${raid.status(1)}, the fund has ${raid.fund() / DOLLAR}`);
});

test('attack: push the perp\'s mark by own quotes; it stays within 0.5 % of the index', () => {
  const raid = new Raid().enter(1, 2, 3, 4);
  raid.deal(3, 4, 100_000, 900);
  raid.quote(1, 2, raid.perp, 120_000, 130_000, 0.2);
  raid.seconds(300);
  assert.ok(raid.mark(raid.perp) > 100_490 * USDC && raid.mark(raid.perp) <= 100_500 * USDC, 'all that can be had');
  assert.ok(raid.shownEquity(4) < Number(BALANCE) && raid.shownEquity(4) > 2 * raid.maintenance(4) * 0.99);
  assert.equal(raid.status(4), HEALTHY);
  withdraw(raid, 1, 2);
  raid.index(100_000);
  assert.deepEqual([raid.wealth(1, 2), raid.fund()], [2n * BALANCE, SEED]);
});

test('attack: one far ask in a thin book; the perp\'s mark forgets a quote within its 30 s mean', () => {
  const raid = new Raid().enter(1, 2);
  raid.quote(1, 2, raid.perp, 99_990, 1e9, 0.00002);
  assert.equal(raid.buy(1, 99_980, 0.3, { slot: raid.perp }), C.OK);
  raid.seconds(5);
  assert.ok(raid.mark(raid.perp) > 100_050 * USDC, 'it has moved the mark');
  withdraw(raid, 1, 2);
  assert.equal(raid.buy(1, 99_000, 0.001, { slot: raid.perp }), C.OK);
  raid.seconds(120);
  assert.ok(raid.mark(raid.perp) < 100_100 * USDC, `${raid.mark(raid.perp) / USDC} four half-lives later`);
});

test('attack: make funding by own quotes; an hour costs at most 0.1 %, and both sides pay the rounding', () => {
  const raid = new Raid().enter(1, 2, 3, 4, 5, 6);
  raid.deal(5, 6, 100_000, 900.000001);
  raid.deal(1, 2, 100_000, 0.333333);
  raid.quote(3, 4, raid.perp, 110_000, 120_000, 1);
  const rates: number[] = [];
  raid.state.events.listener = (kind, slots) => {
    if (kind === FUNDING_RATE) rates.push(slots[FUNDING_HOURLY]!);
  };
  const end = Math.ceil(raid.now / HOUR) * HOUR + HOUR;
  while (raid.now < end) raid.advance(5 * SECOND);
  assert.ok(rates.length >= 2 && rates.at(-1)! > 500_000, `${rates}`);
  assert.ok(rates.every((rate) => Math.abs(rate) <= 1_000_000), 'a thousandth');
  raid.enter(1, 2, 5, 6);
  const together = raid.wealth(1, 2);
  assert.ok(together < 2n * BALANCE && together >= 2n * BALANCE - 2n * BigInt(rates.length), `${together}`);
  const paid = (Number(BALANCE) - raid.cash(5)) / USDC;
  assert.ok(paid > 40_000 && paid < rates.length * 90_000, `the honest long paid ${paid}`);
  balance(raid.state);
});

test('attack: one bad tick of the feed; beyond 5 % of the median it is not used', () => {
  const raid = new Raid().enter(1, 2, 3);
  feed(raid, 100_000, 30);
  raid.deal(1, 2, 100_000, 990);
  raid.now += SECOND;
  raid.index(60_000, 0, 0);
  assert.deepEqual(raid.told(INDEX_MOVED, INDEX_IS_USED), [0]);
  assert.equal(raid.mark(raid.perp), 100_000 * USDC);
  assert.equal(raid.trade(3, 1, 60_000, 5), C.INSUFFICIENT_MARGIN, 'a sale at the bad price is a loss of 40 %');
  feed(raid, 100_000, 5);
  raid.now += SECOND;
  raid.index(60_000, 0, 0);
  feed(raid, 100_000, 10);
  assert.equal(raid.status(1), HEALTHY);
  assert.deepEqual([raid.wealth(1, 2), raid.fund()], [2n * BALANCE, SEED]);
});

test('attack: one tick of 4.9 %, then back; a breach counts on three mark ticks in a row over 3 s', () => {
  const raid = new Raid().enter(1, 2);
  feed(raid, 100_000, 30);
  raid.deal(1, 2, 100_000, 990);
  feed(raid, 95_001, 1);
  assert.ok(raid.shownEquity(1) < 1.1 * raid.maintenance(1));
  for (let i = 0; i < 5; i++) {
    feed(raid, 95_001, 2);
    feed(raid, 100_000, 1);
  }
  assert.equal(raid.status(1), HEALTHY);
  assert.equal(raid.wealth(1, 2), 2n * BALANCE);
});

test('attack: trade on a stale index; opening is refused, and liquidation waits', () => {
  const raid = new Raid().enter(1, 2, 3);
  feed(raid, 100_000, 5);
  raid.deal(1, 2, 100_000, 990);
  feed(raid, 95_500, 1);
  raid.now += 11 * SECOND;
  raid.settle();
  assert.equal(raid.sell(3, 95_000, 10, { slot: raid.perp }), C.NO_SPOT_PRICE);
  assert.equal(raid.buy(3, raid.near(raid.atm), 1), C.NO_SPOT_PRICE);
  raid.seconds(30);
  assert.ok(raid.shownEquity(1) < raid.initial(1));
  assert.equal(raid.status(1), HEALTHY);
  feed(raid, 95_500, 1);
  assert.equal(raid.sell(3, 95_600, 10, { slot: raid.perp }), C.OK, 'fresh again');
  assert.deepEqual([raid.wealth(1, 2, 3), raid.fund()], [3n * BALANCE, SEED]);
});

test('attack: open while the feed is declared stale; opening is refused, also in portfolio mode', () => {
  const raid = new Raid().enter(2).enterPortfolio(1);
  raid.venue(raid.write.index(0, 0, FLAG_INDEX_STALE));
  raid.settle();
  assert.equal(raid.place(1, SELL, raid.near(raid.atm), 1), C.NO_SPOT_PRICE);
  assert.equal(raid.place(2, BUY, 99_000, 1, { slot: raid.perp }), C.NO_SPOT_PRICE);
});

test('attack: trade between an index and its marks; portfolio waits, and a perp\'s margin is twice a tick', () => {
  const raid = new Raid().enter(1, 2).enterPortfolio(3);
  feed(raid, 100_000, 30);
  raid.deal(1, 2, 100_000, 0.001);
  raid.now += SECOND;
  raid.venue(raid.write.index(0, 95_001 * USDC));
  assert.deepEqual([raid.mark(raid.perp), raid.state.valuation.index[0]], [100_000 * USDC, 95_001 * USDC], 'not marked yet');
  assert.equal(raid.sell(3, 100_000, 1, { slot: raid.perp }), C.NO_SPOT_PRICE);
  raid.deal(1, 2, 100_000, 990);
  raid.settle();
  assert.equal(raid.mark(raid.perp), 95_001 * USDC);
  assert.ok(raid.equity(1) > 50n * BALANCE / 100n, 'half of the margin is left');
  assert.notEqual(raid.status(1), LIQUIDATED);
  assert.deepEqual([raid.wealth(1, 2), raid.fund()], [2n * BALANCE, SEED]);
  assert.equal(raid.size(1), 990.001 * CONTRACT);
});
