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
import { balance } from '../../core/liquidation/liquidation-scene.ts';
import { BALANCE, DOLLAR, figures, AttackedVenue, SEED } from './attacked-venue.ts';

/** A feed's tick each second, without a word on volatility. */
function feed(scene: AttackedVenue, price: number, seconds: number): void {
  for (let i = 0; i < seconds; i++) {
    scene.now += SECOND;
    scene.index(price, 0, 0);
  }
}

function withdraw(scene: AttackedVenue, ...wallets: number[]): void {
  for (const wallet of wallets) for (const order of scene.orders(wallet)) assert.equal(scene.cancel(wallet, order.id), C.OK);
}

/**
 * Wallet 1 buys an option of wallet 6 as far above its mark as the venue lets it; that hands the position on to wallet 7 at
 * mark, so that its profit is cash and nobody is left to be deleveraged.
 */
function handOver(scene: AttackedVenue): void {
  const [from, to, last] = [1, 6, 7];
  const slot = scene.option(CALL, 100_000, 1);
  const free = (scene.shownEquity(from) - scene.initial(from)) / USDC;
  for (let part = 1; part > 0 && scene.size(to, slot) === 0; part -= 0.005) {
    scene.trade(from, to, figures(free * part / 20 + scene.mark(slot) / USDC), 20, slot);
    withdraw(scene, to);
  }
  assert.ok(scene.equity(to) > 7n * BALANCE / 5n, 'much of it went over');
  scene.deal(to, last, scene.near(slot), 20, slot);
}

test('attack: quote both sides from one wallet; only quotes of two wallets move a mark', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const slot = scene.option(CALL, 100_000, 30);
  scene.deal(1, 2, scene.near(slot), 0.001, slot);
  const theo = scene.mark(slot) / USDC;
  scene.quote(1, 1, slot, figures(theo * 1.01), figures(theo * 1.03), 5);
  scene.seconds(12);
  const alone = [scene.mark(slot), scene.state.valuation.theo[slot]!];
  withdraw(scene, 1);
  scene.quote(1, 2, slot, figures(theo * 1.01), figures(theo * 1.03), 5);
  scene.seconds(12);
  assert.ok(scene.mark(slot) > scene.state.valuation.theo[slot]! * 1.015, 'two wallets do move it');
  assert.equal(alone[0], alone[1]);
});

test('attack: quote from two wallets; age, size and spread are bounded, and so is the move', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const slot = scene.option(CALL, 100_000, 30);
  scene.deal(1, 2, scene.near(slot), 0.001, slot);
  const theo = (): number => scene.state.valuation.theo[slot]! / USDC;
  const moved = (): number => scene.mark(slot) / USDC / theo() - 1;
  scene.quote(1, 2, slot, figures(theo() * 1.4), figures(theo() * 1.5), 0.1);
  scene.seconds(4);
  assert.equal(moved(), 0, 'too young');
  scene.seconds(4);
  const reach = Math.max(0.02, vegaOf(scene.state.valuation, slot) / USDC / theo());
  assert.ok(moved() > 0.015 && moved() <= reach + 1e-9, `${moved()} within ${reach}`);
  withdraw(scene, 1, 2);
  scene.quote(1, 2, slot, figures(theo() * 1.4), figures(theo() * 1.5), 0.099);
  scene.seconds(8);
  assert.equal(moved(), 0, 'too small');
  withdraw(scene, 1, 2);
  scene.quote(1, 2, slot, figures(theo() * 1.4), figures(theo() * 1.7), 5);
  scene.seconds(8);
  assert.equal(moved(), 0, 'too far apart');
});

test('attack: own quotes against standard margin; a long is no collateral, and a short\'s margin is larger', () => {
  const scene = new AttackedVenue().enter(1, 2, 4, 5).enterPortfolio(3);
  const slot = scene.option(CALL, 30_000, 270);
  scene.deal(3, 1, scene.near(slot), 500, slot);
  const before = scene.shownEquity(1);
  const theo = scene.mark(slot) / USDC;
  scene.quote(4, 5, slot, figures(theo * 0.97), figures(theo * 0.98), 0.1);
  scene.seconds(7);
  const gained = scene.shownEquity(1) - before;
  assert.ok(gained > 600_000 * USDC, 'a million dollars by quoting a tenth of a contract');
  // All that is free goes to an accomplice; when the quotes are gone the requirement is still there.
  const cheap = scene.option(CALL, 130_000, 1);
  const free = (scene.shownEquity(1) - scene.initial(1)) / USDC;
  assert.equal(scene.trade(1, 2, figures(free * 0.999), 1, cheap), C.OK);
  withdraw(scene, 4, 5);
  scene.seconds(100);
  assert.ok(scene.shownEquity(1) > scene.maintenance(1), 'margin covers many times the reach of a mark');
  assert.equal(scene.status(1), HEALTHY);
  assert.equal(scene.fund(), SEED);
});

test('attack: own quotes against portfolio margin; marks beyond theo buy nothing', () => {
  const crew = [1, 2, 3, 4, 5, 6, 7];
  const scene = new AttackedVenue().enter(4, 5, 6, 7).enterPortfolio(1, 2, 3);
  const long = scene.option(CALL, 30_000, 270);
  const short = scene.option(CALL, 35_000, 270);
  scene.deal(2, 1, scene.near(short), 490, short);
  scene.deal(1, 3, scene.near(long), 490, long);
  assert.ok(scene.initial(1) < 400_000 * USDC, 'the two legs cover each other');
  const before = scene.wealth(...crew);
  const theo = (slot: number): number => scene.state.valuation.theo[slot]! / USDC;
  scene.quote(4, 5, long, figures(theo(long) * 1.02), figures(theo(long) * 1.03), 0.1);
  scene.quote(4, 5, short, figures(theo(short) * 0.97), figures(theo(short) * 0.98), 0.1);
  scene.seconds(7);
  handOver(scene);
  withdraw(scene, 4, 5);
  scene.seconds(10);
  balance(scene.state);
  const gain = (scene.wealth(...crew) - before) / DOLLAR;
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, wallet 1 is in state ${scene.status(1)}, the fund has ${scene.fund() / DOLLAR}`);
});

test('attack: own quotes against the surface; it follows only market makers, and marks buy nothing', () => {
  const crew = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const scene = new AttackedVenue().enter(4, 5, 6, 7).enterPortfolio(1, 2, 3, 8, 9);
  const far = scene.option(CALL, 100_000, 270);
  const near = scene.option(CALL, 100_000, 170);
  feed(scene, 100_000, 2);
  for (const other of [2, 3, 8, 9]) scene.deal(other, 1, scene.near(near), 120, near);
  for (const other of [2, 3, 8, 9]) scene.deal(1, other, scene.near(far), 120, far);
  const before = scene.wealth(...crew);
  const { sigma, theo } = scene.state.valuation;
  for (let round = 0; round < 25; round++) {
    withdraw(scene, 4, 5);
    scene.quote(4, 5, far, figures(theo[far]! / USDC * 1.05), figures(theo[far]! / USDC * 1.15), 0.1);
    scene.quote(4, 5, near, figures(theo[near]! / USDC * 0.85), figures(theo[near]! / USDC * 0.95), 0.1);
    feed(scene, 100_000, 6);
  }
  assert.deepEqual([sigma[far], sigma[near]], [600_000, 600_000]);
  assert.ok(scene.mark(far) > theo[far]! && scene.mark(near) < theo[near]!);
  handOver(scene);
  withdraw(scene, 4, 5);
  feed(scene, 100_000, 720);
  balance(scene.state);
  const gain = (scene.wealth(...crew) - before) / DOLLAR;
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, wallet 1 is in state ${scene.status(1)}, the fund has ${scene.fund() / DOLLAR}`);
});

test('attack: push the perp\'s mark by own quotes; it stays within 0.5 % of the index', () => {
  const scene = new AttackedVenue().enter(1, 2, 3, 4);
  scene.deal(3, 4, 100_000, 900);
  scene.quote(1, 2, scene.perp, 120_000, 130_000, 0.2);
  scene.seconds(300);
  assert.ok(scene.mark(scene.perp) > 100_490 * USDC && scene.mark(scene.perp) <= 100_500 * USDC, 'all that can be had');
  assert.ok(scene.shownEquity(4) < Number(BALANCE) && scene.shownEquity(4) > 2 * scene.maintenance(4) * 0.99);
  assert.equal(scene.status(4), HEALTHY);
  withdraw(scene, 1, 2);
  scene.index(100_000);
  assert.deepEqual([scene.wealth(1, 2), scene.fund()], [2n * BALANCE, SEED]);
});

test('attack: one far ask in a thin book; the perp\'s mark forgets a quote within its 30 s mean', () => {
  const scene = new AttackedVenue().enter(1, 2);
  scene.quote(1, 2, scene.perp, 99_990, 1e9, 0.00002);
  assert.equal(scene.buy(1, 99_980, 0.3, { slot: scene.perp }), C.OK);
  scene.seconds(5);
  assert.ok(scene.mark(scene.perp) > 100_050 * USDC, 'it has moved the mark');
  withdraw(scene, 1, 2);
  assert.equal(scene.buy(1, 99_000, 0.001, { slot: scene.perp }), C.OK);
  scene.seconds(120);
  assert.ok(scene.mark(scene.perp) < 100_100 * USDC, `${scene.mark(scene.perp) / USDC} four half-lives later`);
});

test('attack: make funding by own quotes; an hour costs at most 0.1 %, and both sides pay the rounding', () => {
  const scene = new AttackedVenue().enter(1, 2, 3, 4, 5, 6);
  scene.deal(5, 6, 100_000, 900.000001);
  scene.deal(1, 2, 100_000, 0.333333);
  scene.quote(3, 4, scene.perp, 110_000, 120_000, 1);
  const rates: number[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind === FUNDING_RATE) rates.push(slots[FUNDING_HOURLY]!);
  };
  const end = Math.ceil(scene.now / HOUR) * HOUR + HOUR;
  while (scene.now < end) scene.advance(5 * SECOND);
  assert.ok(rates.length >= 2 && rates.at(-1)! > 500_000, `${rates}`);
  assert.ok(rates.every((rate) => Math.abs(rate) <= 1_000_000), 'a thousandth');
  scene.enter(1, 2, 5, 6);
  const together = scene.wealth(1, 2);
  assert.ok(together < 2n * BALANCE && together >= 2n * BALANCE - 2n * BigInt(rates.length), `${together}`);
  const paid = (Number(BALANCE) - scene.cash(5)) / USDC;
  assert.ok(paid > 40_000 && paid < rates.length * 90_000, `the honest long paid ${paid}`);
  balance(scene.state);
});

test('attack: one bad tick of the feed; beyond 5 % of the median it is not used', () => {
  const scene = new AttackedVenue().enter(1, 2, 3);
  feed(scene, 100_000, 30);
  scene.deal(1, 2, 100_000, 990);
  scene.now += SECOND;
  scene.index(60_000, 0, 0);
  assert.deepEqual(scene.emitted(INDEX_MOVED, INDEX_IS_USED), [0]);
  assert.equal(scene.mark(scene.perp), 100_000 * USDC);
  assert.equal(scene.trade(3, 1, 60_000, 5), C.INSUFFICIENT_MARGIN, 'a sale at the bad price is a loss of 40 %');
  feed(scene, 100_000, 5);
  scene.now += SECOND;
  scene.index(60_000, 0, 0);
  feed(scene, 100_000, 10);
  assert.equal(scene.status(1), HEALTHY);
  assert.deepEqual([scene.wealth(1, 2), scene.fund()], [2n * BALANCE, SEED]);
});

test('attack: one tick of 4.9 %, then back; a breach counts on three mark ticks in a row over 3 s', () => {
  const scene = new AttackedVenue().enter(1, 2);
  feed(scene, 100_000, 30);
  scene.deal(1, 2, 100_000, 990);
  feed(scene, 95_001, 1);
  assert.ok(scene.shownEquity(1) < 1.1 * scene.maintenance(1));
  for (let i = 0; i < 5; i++) {
    feed(scene, 95_001, 2);
    feed(scene, 100_000, 1);
  }
  assert.equal(scene.status(1), HEALTHY);
  assert.equal(scene.wealth(1, 2), 2n * BALANCE);
});

test('attack: trade on a stale index; opening is refused, and liquidation waits', () => {
  const scene = new AttackedVenue().enter(1, 2, 3);
  feed(scene, 100_000, 5);
  scene.deal(1, 2, 100_000, 990);
  feed(scene, 95_500, 1);
  scene.now += 11 * SECOND;
  scene.settle();
  assert.equal(scene.sell(3, 95_000, 10, { slot: scene.perp }), C.NO_SPOT_PRICE);
  assert.equal(scene.buy(3, scene.near(scene.atm), 1), C.NO_SPOT_PRICE);
  scene.seconds(30);
  assert.ok(scene.shownEquity(1) < scene.initial(1));
  assert.equal(scene.status(1), HEALTHY);
  feed(scene, 95_500, 1);
  assert.equal(scene.sell(3, 95_600, 10, { slot: scene.perp }), C.OK, 'fresh again');
  assert.deepEqual([scene.wealth(1, 2, 3), scene.fund()], [3n * BALANCE, SEED]);
});

test('attack: open while the feed is declared stale; opening is refused, also in portfolio mode', () => {
  const scene = new AttackedVenue().enter(2).enterPortfolio(1);
  scene.venue(scene.write.index(0, 0, FLAG_INDEX_STALE));
  scene.settle();
  assert.equal(scene.place(1, SELL, scene.near(scene.atm), 1), C.NO_SPOT_PRICE);
  assert.equal(scene.place(2, BUY, 99_000, 1, { slot: scene.perp }), C.NO_SPOT_PRICE);
});

test('attack: trade between an index and its marks; portfolio waits, and a perp\'s margin is twice a tick', () => {
  const scene = new AttackedVenue().enter(1, 2).enterPortfolio(3);
  feed(scene, 100_000, 30);
  scene.deal(1, 2, 100_000, 0.001);
  scene.now += SECOND;
  scene.venue(scene.write.index(0, 95_001 * USDC));
  assert.deepEqual([scene.mark(scene.perp), scene.state.valuation.index[0]], [100_000 * USDC, 95_001 * USDC], 'not marked yet');
  assert.equal(scene.sell(3, 100_000, 1, { slot: scene.perp }), C.NO_SPOT_PRICE);
  scene.deal(1, 2, 100_000, 990);
  scene.settle();
  assert.equal(scene.mark(scene.perp), 95_001 * USDC);
  assert.ok(scene.equity(1) > 50n * BALANCE / 100n, 'half of the margin is left');
  assert.notEqual(scene.status(1), LIQUIDATED);
  assert.deepEqual([scene.wealth(1, 2), scene.fund()], [2n * BALANCE, SEED]);
  assert.equal(scene.size(1), 990.001 * CONTRACT);
});
