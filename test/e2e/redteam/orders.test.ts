// Attacks by orders that are not meant to fill, or that fill otherwise than they look: lower a requirement, pass a cap, reverse a
// position, leave the range of numbers, slip past an expiry.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, IOC, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL, FLAG_REDUCE_ONLY, PUT } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_REASON, POSITION_SETTLED, SETTLEMENT_EXPIRY, SETTLEMENT_SAMPLES, SETTLEMENT_SET,
  SETTLEMENT_VALUE } from '../../../core/codec/events.ts';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { collateralOf, freshen, initialOf, reservedOf } from '../../../core/margin/account-margin.ts';
import { MAX_POSITION } from '../../../core/settings.ts';
import { DEFAULT_LIMITS, TIER1 } from '../../../core/tiers.ts';
import { balance } from '../../core/liquidation/liquidation-scene.ts';
import { BALANCE, figures, AttackedVenue, SEED } from './attacked-venue.ts';

function required(scene: AttackedVenue, wallet: number): number {
  const account = scene.account(wallet);
  freshen(scene.state, account);
  return initialOf(scene.state, account) + reservedOf(scene.state, account);
}

function free(scene: AttackedVenue, wallet: number): number {
  return collateralOf(scene.state, scene.account(wallet)) - required(scene, wallet);
}

test('attack, portfolio: bid for a hedge that never fills; an open order only adds its losing rows', () => {
  const scene = new AttackedVenue().enter(2, 3).enterPortfolio(1);
  const put = scene.option(PUT, 100_000, 30);
  scene.deal(1, 2, 100_000, 600);
  const before = required(scene, 1);
  assert.equal(scene.buy(1, 0.000001, 300, { slot: put }), C.OK);
  assert.equal(scene.orders(1).length, 1);
  assert.ok(required(scene, 1) >= before);
  scene.cancel(1, scene.orders(1)[0]!.id);
  assert.equal(scene.sell(3, scene.near(put, 1, 1), 300, { slot: put }), C.OK);
  assert.equal(scene.buy(1, scene.near(put, 1, 1), 300, { slot: put }), C.OK);
  assert.ok(required(scene, 1) < 0.8 * before, 'the same put, bought, does hedge');
});

test('attack, portfolio: bid for opposite positions; the worst subset of fills counts, row by row', () => {
  const scene = new AttackedVenue().enterPortfolio(1);
  assert.equal(scene.buy(1, 100_000, 100, { slot: scene.perp }), C.OK);
  const alone = required(scene, 1);
  assert.ok(alone >= 1_600_000 * USDC);
  const put = scene.option(PUT, 160_000, 30);
  assert.equal(scene.buy(1, scene.near(put), 50, { slot: put }), C.OK);
  assert.ok(required(scene, 1) >= alone);
});

test('attack, portfolio: ask for a hedging long; the hedge counts as if sold', () => {
  const scene = new AttackedVenue().enter(2, 3).enterPortfolio(1);
  const put = scene.option(PUT, 100_000, 30);
  scene.deal(1, 3, scene.near(put, 1, 1), 300, put);
  scene.deal(1, 2, 100_000, 400);
  const hedged = required(scene, 1);
  assert.equal(scene.sell(1, 1_000_000, 300, { slot: put }), C.OK);
  assert.ok(required(scene, 1) >= 16_000 * 400 * USDC, 'as if the perps stood alone');
  assert.ok(hedged < 16_000 * 300 * USDC);
  assert.equal(scene.buy(1, 100_000, 290, { slot: scene.perp }), C.INSUFFICIENT_MARGIN);
  scene.cancel(1, scene.orders(1)[0]!.id);
  assert.equal(scene.buy(1, 100_000, 290, { slot: scene.perp }), C.OK, 'with the hedge it does');
});

test('attack, standard: ask against a long; nothing is freed, and more than the long needs a short\'s margin', () => {
  const scene = new AttackedVenue().enter(1, 2);
  scene.deal(1, 2, scene.near(scene.atm, 1, 1), 400, scene.atm);
  const before = free(scene, 1);
  assert.equal(scene.sell(1, 1_000_000, 400), C.OK);
  assert.equal(free(scene, 1), before);
  assert.equal(scene.sell(1, 1_000_000, 800), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.sell(1, 1_000_000, 100), C.OK);
  assert.equal(free(scene, 1), before - 100 * 15_000 * USDC);
});

test('attack: switch the margin mode with orders and positions; positions forbid it, orders must fit', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const mode = (to: number): number => scene.send(scene.write.marginMode(1, scene.next(), to));
  assert.equal(scene.buy(1, 100_000, 900, { slot: scene.perp }), C.OK);
  assert.equal(mode(PORTFOLIO), C.ORDERS_DO_NOT_FIT, '900 perps need 10 % here and 16 % there');
  assert.equal(scene.sell(2, 100_000, 0.001, { slot: scene.perp, tif: IOC }), C.OK);
  assert.equal(mode(PORTFOLIO), C.POSITIONS_OPEN);
  assert.equal(scene.state.accounts.mode[scene.account(1)], STANDARD);
});

test('attack: replace instead of place; every check is made without the old order, and no cap is passed', () => {
  const scene = new AttackedVenue().enter(1, 2);
  for (let i = 0; i < DEFAULT_LIMITS[0]!.openOrders; i++) assert.equal(scene.buy(1, 50_000 + i, 0.001, { slot: scene.perp }), C.OK);
  assert.equal(scene.buy(1, 60_000, 0.001, { slot: scene.perp }), C.MAX_OPEN_ORDERS);
  const id = scene.orders(1)[0]!.id;
  assert.equal(scene.replace(1, id, BUY, 60_000, 0.001), C.OK);
  assert.equal(scene.orders(1).length, DEFAULT_LIMITS[0]!.openOrders);
  const other = scene.orders(1)[0]!.id;
  assert.equal(scene.replace(1, other, BUY, 60_000, 1_000), C.POSITION_LIMIT);
  assert.equal(scene.replace(1, other, SELL, 200_000, 999), C.OK, 'on the other side only the larger of the two counts');
  assert.equal(scene.replace(1, scene.orders(1)[5]!.id, SELL, 200_000, 10), C.POSITION_LIMIT);
  assert.equal(scene.replace(2, scene.orders(1)[0]!.id, BUY, 60_000, 0.001), C.ORDER_NOT_FOUND, 'another wallet’s');
});

test('attack: split the position limit over contracts; notional of all counts, with open orders', () => {
  const scene = new AttackedVenue().enter(1);
  const slots = scene.slots((one) => one.underlying === 'BTC' && one.kind === CALL);
  let total = 0;
  let refused = 0;
  for (const slot of slots) {
    const code = scene.buy(1, 0.000001, 120, { slot });
    if (code === C.OK) total += 120;
    else {
      assert.equal(code, C.POSITION_LIMIT);
      refused++;
    }
  }
  assert.deepEqual([total, refused > 20], [960, true], '100 million at 100,000 are 1,000');
  assert.equal(scene.buy(1, 0.000001, 40, { slot: scene.perp }), C.OK);
  assert.equal(scene.sell(1, 1_000_000, 40.000001, { slot: scene.perp }), C.POSITION_LIMIT);
});

test('attack: go short in tier1 by perps, replaces or many asks; all open asks count together', () => {
  const scene = new AttackedVenue().enter(1, 2);
  assert.equal(scene.send(scene.write.tier(1, TIER1)), C.OK);
  assert.equal(scene.sell(1, 100_000, 0.001, { slot: scene.perp }), C.TIER1_SHORT);
  scene.deal(1, 2, 100_000, 2);
  assert.equal(scene.sell(1, 120_000, 1, { slot: scene.perp }), C.OK);
  assert.equal(scene.sell(1, 120_000, 1.000001, { slot: scene.perp }), C.TIER1_SHORT);
  assert.equal(scene.sell(1, 120_000, 1, { slot: scene.perp }), C.OK);
  const [first] = scene.orders(1);
  assert.equal(scene.replace(1, first!.id, SELL, 100_000, 1.5), C.TIER1_SHORT);
  assert.equal(scene.replace(1, first!.id, SELL, 100_000, 0.1, { slot: scene.atm }), C.TIER1_SHORT);
  assert.equal(scene.buy(2, 120_000, 5, { slot: scene.perp }), C.OK);
  assert.equal(scene.size(1), 0, 'all sold, and not one more');
  assert.equal(scene.sell(1, 100_000, 0.000001, { slot: scene.perp }), C.TIER1_SHORT);
});

test('attack: reduce-only orders beyond the position; each shrinks with it, and none reverses it', () => {
  const scene = new AttackedVenue().enter(1, 2, 3);
  scene.deal(1, 2, 100_000, 1);
  for (let i = 0; i < 5; i++) assert.equal(scene.sell(1, 100_010 + 10 * i, 7, { slot: scene.perp, flags: FLAG_REDUCE_ONLY }), C.OK);
  assert.ok(scene.orders(1).every((order) => order.remaining === CONTRACT));
  const [first] = scene.orders(1);
  assert.equal(scene.replace(1, first!.id, SELL, 100_000, 50, { flags: FLAG_REDUCE_ONLY }), C.OK);
  assert.equal(scene.buy(3, 110_000, 20, { slot: scene.perp }), C.OK);
  assert.deepEqual([scene.size(1), scene.size(3), scene.orders(1).length], [0, CONTRACT, 0]);
  assert.equal(scene.sell(1, 100_000, 1, { slot: scene.perp, flags: FLAG_REDUCE_ONLY }), C.REDUCE_ONLY_INCREASES);
  balance(scene.state);
});

test('attack: orders at the ends of the number range; sums beyond 2^53 pass no check', () => {
  const scene = new AttackedVenue({ settings: { [MAX_POSITION]: 9e15 } }).enter(1, 2).enterPortfolio(3);
  const call = scene.option(CALL, 160_000, 1);
  for (const wallet of [1, 3]) {
    assert.equal(scene.sell(wallet, 0.000001, 9e4, { slot: call }), C.INSUFFICIENT_MARGIN);
    assert.ok(scene.number(2) > 0 && Number.isSafeInteger(scene.number(2)));
    assert.equal(scene.place(wallet, SELL, 1e9, 9, { slot: scene.perp, size: 9_000_000 }), C.OK, 'nobody has to give 9e9 for nine');
    scene.cancel(wallet, scene.orders(wallet)[0]!.id);
    for (const [price, size] of [[1e9, 9], [0.000001, 9e9], [100_000, 9e4], [9, 1e9]] as const) {
      const code = scene.place(wallet, BUY, price, 1, { slot: scene.perp, size: size * CONTRACT });
      assert.ok(code === C.INSUFFICIENT_MARGIN || code === C.POSITION_LIMIT, `${price}, ${size}: ${code}`);
    }
    const code = scene.place(wallet, SELL, 0.000001, 1, { slot: call, size: Number.MAX_SAFE_INTEGER - 1 });
    assert.ok(code === C.INSUFFICIENT_MARGIN || code === C.POSITION_LIMIT, `${code}`);
  }
  // Bids at nothing for as much as there is: 2^53 of open size on one side, and never more.
  let open = 0;
  for (let i = 0; i < 12; i++) if (scene.place(1, BUY, 0.000001, 1, { slot: call, size: 1e15 }) === C.OK) open++;
  assert.ok(open <= 9, `${open}`);
  assert.deepEqual([scene.equity(1), scene.equity(3), scene.fund()], [BALANCE, BALANCE, SEED]);
});

test('attack: an order in the millisecond of the expiry; it is refused, even before the expiry\'s work', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const { expiry } = scene.contract(scene.atm);
  scene.now = expiry - 1;
  scene.settle();
  assert.equal(scene.sell(2, 1, 1), C.OK, 'a millisecond before');
  scene.now = expiry;
  assert.equal(scene.buy(1, 1, 1), C.EXPIRED);
  assert.equal(scene.replace(2, scene.orders(2)[0]!.id, SELL, 2, 1, { slot: scene.atm }), C.EXPIRED);
  assert.equal(scene.orders(2).length, 1, 'the work is not done');
  scene.settle();
  assert.equal(scene.orders(2).length, 0);
});

test('attack: buy a contract sure to expire worthless; it is margined at its mark', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const { expiry, strike } = scene.contract(scene.atm);
  scene.deal(2, 1, 100_000, 0.001);
  scene.now = expiry - 30 * MINUTE;
  scene.index(strike / USDC - 500);
  scene.advance(30 * MINUTE - SECOND);
  assert.ok(scene.mark(scene.atm) < USDC, 'worth nothing');
  assert.equal(scene.trade(1, 2, 5_000, 2_000, scene.atm), C.POSITION_LIMIT);
  assert.equal(scene.trade(1, 2, 50_000, 199, scene.atm), C.OK, 'all it has, for nothing');
  scene.seconds(3);
  assert.equal(scene.size(1, scene.atm), 0, 'settled');
  assert.ok(scene.equity(1) >= 0n && scene.equity(1) < BALANCE / 100n);
  // Funding of the perp has left its rounding to the house.
  assert.ok(scene.wealth(1, 2) <= 2n * BALANCE && scene.wealth(1, 2) > 2n * BALANCE - 20n);
  assert.equal(scene.fund(), SEED);
});

test('attack: move the settlement average by one tick; it is one sample of 1,800', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const slot = scene.option(CALL, 90_000, 1);
  const { expiry } = scene.contract(slot);
  scene.deal(1, 2, scene.near(slot, 1, 1), 1, slot);
  scene.now = expiry - 30 * MINUTE - 40 * SECOND;
  const told: number[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind === SETTLEMENT_SET && slots[SETTLEMENT_EXPIRY] === expiry) told.push(slots[SETTLEMENT_VALUE]!, slots[SETTLEMENT_SAMPLES]!);
  };
  while (scene.now < expiry + SECOND) {
    scene.now += SECOND;
    scene.index(scene.now === expiry - SECOND ? 104_900 : scene.now === expiry ? 140_000 : 100_000, 0, 0);
  }
  // The tick of 4.9 % counts once, and again for the second in which the worse one was not believed.
  assert.deepEqual(told.slice(0, 2), [Math.round((1_798 * 100_000 + 2 * 104_900) / 1_800 * 1e6), 1_800]);
  assert.ok(told[0]! / USDC - 100_000 < 6);
});

test('attack: stall the feed in the settlement window; with half the samples missing the operator decides', () => {
  const scene = new AttackedVenue().enter(1, 2);
  scene.deal(1, 2, scene.near(scene.atm, 1, 1), 1, scene.atm);
  const { expiry } = scene.contract(scene.atm);
  const paid: number[] = [];
  scene.state.events.listener = (kind) => {
    if (kind === POSITION_SETTLED) paid.push(kind);
  };
  scene.now = expiry - 30 * MINUTE;
  scene.index(200_000, 0, 0);
  scene.index(200_000, 0, 0);
  scene.index(200_000, 0, 0);
  scene.now = expiry - 20 * MINUTE;
  scene.settle();
  scene.now = expiry + SECOND;
  scene.settle();
  assert.equal(paid.length, 0);
  assert.equal(scene.size(1, scene.atm), CONTRACT, 'still held');
  assert.equal(scene.sell(1, figures(1), 1), C.EXPIRED);
  scene.venue(scene.write.settlementPrice(0, expiry, 100_000 * USDC));
  scene.settle();
  assert.equal(paid.length, 2);
  assert.equal(scene.size(1, scene.atm), 0);
  balance(scene.state);
});

test('attack: leave a closing order behind the index; an accomplice gets no more than the wallet has', () => {
  const scene = new AttackedVenue().enter(2, 3, 5).enterPortfolio(1, 4);
  const crew = [1, 2, 3, 4, 5];
  const call = scene.option(CALL, 60_000, 270);
  for (const other of [2, 5]) scene.deal(1, other, 100_000, 100);
  scene.deal(4, 1, scene.near(call), 200, call);
  assert.equal(scene.sell(1, 100_000, 200, { slot: scene.perp }), C.OK, 'one leg of a hedge, offered at today’s price');
  for (let index = 104_000; index <= 160_000; index += 4_000) {
    scene.index(index);
    scene.seconds(5);
  }
  const before = scene.equity(1);
  assert.ok(before > 0n, 'the two legs gain and lose the same');
  assert.equal(scene.buy(3, 100_000, 200, { slot: scene.perp, tif: IOC }), C.OK);
  assert.deepEqual([scene.size(3), scene.orders(1).length], [0, 0], 'cancelled instead of filled');
  assert.equal(scene.emitted(ORDER_DONE, ORDER_REASON)[0], C.DONE_MARGIN);
  scene.seconds(5);
  assert.ok(scene.equity(1) > 0n);
  assert.deepEqual([scene.fund(), scene.wealth(...crew)], [SEED, 5n * BALANCE]);
});

test('attack: close in pieces, each within the equity; after every fill the next is checked again', () => {
  const scene = new AttackedVenue().enter(1, 2, 3);
  scene.deal(1, 2, 100_000, 990);
  scene.index(90_600);
  const slot = scene.perp;
  for (let i = 0; i < 10; i++) assert.equal(scene.sell(1, 89_800, 99, { slot }), C.OK);
  assert.equal(scene.buy(3, 89_800, 990, { slot, tif: IOC }), C.OK);
  assert.equal(scene.size(3), 8 * 99 * CONTRACT, 'the ninth would leave a debt');
  assert.equal(scene.equity(1), 60_400_000_000n);
  assert.ok(scene.wealth(1, 2, 3) === 3n * BALANCE && scene.fund() === SEED);
});

test('attack: fok against orders whose wallets cannot carry them any more; all or nothing', () => {
  const scene = new AttackedVenue().enter(1, 2, 3, 4);
  const slot = scene.perp;
  assert.equal(scene.buy(1, 99_000, 990, { slot }), C.OK);
  assert.equal(scene.buy(2, 98_900, 10, { slot }), C.OK);
  scene.index(90_000);
  assert.equal(scene.sell(3, 98_900, 20, { slot, tif: FOK }), C.OK);
  assert.deepEqual([scene.size(3), scene.number(1), scene.orders(1).length], [0, 0, 1], 'what cannot be had does not count, and stays');
  assert.equal(scene.sell(3, 98_900, 10, { slot, tif: FOK }), C.OK);
  assert.deepEqual([scene.size(3), scene.size(2), scene.size(1)], [-10 * CONTRACT, 10 * CONTRACT, 0]);
  assert.equal(scene.orders(1).length, 0, 'the sweep met it and went on');
});

test('attack: fok against two orders of one wallet that cannot both fill; all or nothing', () => {
  const closing = new AttackedVenue().enter(1, 2, 3);
  const { perp } = closing;
  closing.deal(1, 2, 100_000, 990);
  closing.index(90_600);
  for (let i = 0; i < 2; i++) assert.equal(closing.sell(1, 89_800, 495, { slot: perp }), C.OK);
  assert.equal(closing.buy(3, 89_800, 990, { slot: perp, tif: FOK }), C.OK);
  assert.equal(closing.size(3), 0, 'the two together would leave a debt');
  assert.equal(closing.buy(3, 89_800, 495, { slot: perp, tif: FOK }), C.OK);
  assert.equal(closing.size(3), 495 * CONTRACT);

  const scene = new AttackedVenue().enter(2, 3, 4, 5).enterPortfolio(1);
  const slot = scene.option(CALL, 30_000, 270);
  scene.deal(2, 3, scene.near(slot), 0.1, slot);
  const bid = scene.near(slot, 1.02);
  scene.quote(4, 5, slot, bid, scene.near(slot, 1.03), 0.1);
  scene.seconds(7);
  assert.ok(scene.mark(slot) > 1.015 * scene.state.valuation.theo[slot]!);
  assert.equal(scene.buy(1, bid, 300, { slot }), C.OK);
  let size = 400;
  while (scene.buy(1, bid, size, { slot }) !== C.OK) size--;
  assert.ok(size > 100, 'what it buys counts at theo, so the second does not fit after the first');
  assert.equal(scene.sell(3, bid, 0.1 + 300 + size, { slot, tif: FOK }), C.OK);
  assert.deepEqual([scene.size(1, slot), scene.orders(1).length], [0, 2]);
  assert.equal(scene.sell(3, bid, 0.1 + 300, { slot, tif: FOK }), C.OK);
  assert.equal(scene.size(1, slot), 300 * CONTRACT);
});
