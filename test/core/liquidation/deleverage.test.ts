// Auto-deleveraging: which opposite holders are deleveraged, at what price, and how far. The fund is empty unless a test gives it
// money, so opposite holders cover the whole deficit.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CONTRACT, USDC } from '../../../core/units.ts';
import { CALL, FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { TIER1 } from '../../../core/tiers.ts';
import { LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_INSTRUMENT, DELEVERAGED_PRICE, DELEVERAGED_SIZE, FUND_POSTED, POSTED_AMOUNT,
  TAKEN_OVER } from '../../../core/codec/events.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { LiquidationScene } from './liquidation-scene.ts';

type Deal = { against: number; size: number; price: number };

function deals(scene: LiquidationScene): Deal[] {
  return scene.seen(DELEVERAGED).map((slots) => ({
    against: slots[DELEVERAGED_AGAINST]!, size: slots[DELEVERAGED_SIZE]! / CONTRACT, price: slots[DELEVERAGED_PRICE]! / USDC,
  }));
}

/** Wallet 1 is long `size` perps against `shorts`, [wallet, size, price]; wallet 9 holds the remaining longs. */
function book(size: number, shorts: readonly (readonly [number, number, number])[], seed = 0): LiquidationScene {
  const scene = new LiquidationScene({ seed });
  let left = size;
  for (const [wallet, amount, price] of shorts) {
    const first = Math.min(left, amount);
    if (first > 0) scene.trade(1, wallet, price, first);
    if (amount > first) scene.trade(9, wallet, price, Math.round((amount - first) * 1e6) / 1e6);
    left = Math.round((left - first) * 1e6) / 1e6;
  }
  scene.seconds(1);
  scene.kept = [];
  return scene;
}

function fall(scene: LiquidationScene, price: number): void {
  scene.index(price);
  scene.seconds(4);
  assert.equal(scene.status(1), LIQUIDATED);
}

test('price: the mark is moved by the deficit, so the bankrupt account ends with zero', () => {
  const scene = book(1, [[2, 1, 100_000]]);
  fall(scene, 88_000);
  assert.deepEqual(deals(scene), [{ against: scene.account(2), size: 1, price: 90_000 }]);
  assert.deepEqual([scene.dollars(1), scene.dollars(2), scene.position(2)], [0, 20_000, 0]);
  assert.deepEqual(scene.seen(TAKEN_OVER), []);
  assert.equal(scene.fundDollars(), 0);
});

test('price: the fund’s payment is first subtracted from the deficit', () => {
  const scene = book(1, [[2, 1, 100_000]], 5_000);
  fall(scene, 88_000);
  assert.deepEqual(deals(scene), [{ against: scene.account(2), size: 1, price: 89_000 }]);
  assert.deepEqual([scene.dollars(1), scene.dollars(2), scene.fundDollars()], [0, 21_000, 4_000]);
});

test('order: holders are ranked by profit over requirement times value over equity, and only the needed size is taken', () => {
  // All have the same profit over requirement; values over equity of wallets 2, 3 and 4 are 1.94, 3.35 and 2.38.
  const scene = book(1, [[2, 0.3, 100_000], [3, 0.7, 100_000], [4, 0.4, 100_000]]);
  fall(scene, 88_000);
  assert.deepEqual(deals(scene).map(({ against, size }) => [against, size]), [[scene.account(3), 0.7], [scene.account(4), 0.3]]);
  assert.deepEqual([scene.position(2), scene.position(3), scene.position(4)], [-0.3, 0, -0.1]);
  assert.ok(deals(scene).every(({ price }) => price === 90_000), 'one price for all');
});

test('order: a holder with more profit comes before one with more leverage if the product of both is larger', () => {
  const scene = new LiquidationScene({ seed: 0 });
  scene.cancel(3, 1);
  scene.trade(1, 2, 100_000, 0.4);
  scene.index(97_000);
  scene.trade(1, 3, 97_000, 0.5);
  scene.seconds(1);
  scene.kept = [];
  fall(scene, 86_000);
  // Wallet 2: 5,600/3,440 * 34,400/15,600 = 3.590; wallet 3, of a lower number: 5,500/4,300 * 43,000/15,500 = 3.548.
  assert.ok(scene.account(3) < scene.account(2));
  assert.deepEqual(deals(scene).map(({ against, size }) => [against, size]), [[scene.account(2), 0.4], [scene.account(3), 0.5]]);
});

test('ties: the holder with the lower account number comes first', () => {
  const scene = book(0.5, [[4, 0.4, 100_000], [3, 0.4, 100_000]]);
  fall(scene, 79_000);
  const first = Math.min(scene.account(3), scene.account(4));
  assert.deepEqual(
    deals(scene).map(({ against, size }) => [against, size]), [[first, 0.4], [scene.account(3) + scene.account(4) - first, 0.1]],
  );
});

test('ranks and ties hold also for more holders than one scan keeps', () => {
  const wallets = Array.from({ length: 150 }, (_, i) => 10 + i);
  const scene = new LiquidationScene({ seed: 0 });
  for (const [i, wallet] of wallets.entries()) scene.trade(1, wallet, 100_000, i % 3 === 0 ? 0.006 : 0.005);
  scene.seconds(1);
  scene.kept = [];
  fall(scene, 80_000);
  const found = deals(scene).map(({ against }) => against);
  const large = wallets.filter((_, i) => i % 3 === 0).map((wallet) => scene.account(wallet));
  const small = wallets.filter((_, i) => i % 3 !== 0).map((wallet) => scene.account(wallet));
  assert.deepEqual(found, [...large, ...small]);
  assert.equal(scene.dollars(1), 0);
});

test('the price takes at most a counterparty’s profit; the fund pays the rest', () => {
  const scene = book(1, [[2, 1, 100_000]], 1_000);
  scene.index(88_600);
  scene.trade(2, 3, 88_500, 1);
  fall(scene, 88_000);
  // The fund pays 200; the zero-equity price would be 89,800, but wallet 3 sold at 88,500.
  assert.deepEqual(deals(scene), [{ against: scene.account(3), size: 1, price: 88_500 }]);
  assert.equal(scene.dollars(3), 10_000, 'wallet 3 loses no money of its own');
  assert.deepEqual(scene.seen(FUND_POSTED).map((slots) => slots[POSTED_AMOUNT]! / USDC), [-200, -1_300]);
  assert.equal(scene.fundDollars(), -500);
});

test('the price takes at most a counterparty’s equity, whatever its profit; the fund pays the rest', () => {
  const scene = new LiquidationScene({ seed: 0, balance: 30_000 });
  const eth = scene.slots((one) => one.kind === 2 && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 100_000, 1.5);
  scene.trade(1, 3, 100_000, 1.5);
  scene.trade(3, 4, 3_000, 45, eth);
  scene.seconds(1);
  scene.kept = [];
  scene.index(1_940, 1);
  // The deficit is 30,000, so 10,000 a contract; wallet 3 has a profit of 30,000, and with its loss of 47,700 an equity of 12,300.
  fall(scene, 80_000);
  assert.deepEqual(
    deals(scene).filter(({ against }) => against === scene.account(2)), [{ against: scene.account(2), size: 1.5, price: 90_000 }],
  );
  assert.deepEqual(
    deals(scene).filter(({ against }) => against === scene.account(3)), [{ against: scene.account(3), size: 1.5, price: 88_200 }],
  );
  assert.equal(scene.dollars(2), 45_000);
  assert.equal(scene.seen(FUND_POSTED)[0]![POSTED_AMOUNT]! / USDC, -2_700);
});

test('a holder without profit is not deleveraged: the fund takes the position', () => {
  const scene = book(1, [[2, 1, 100_000]]);
  scene.index(88_600);
  scene.trade(2, 3, 88_000, 1);
  fall(scene, 88_000);
  assert.deepEqual(deals(scene), []);
  assert.deepEqual([scene.positionOf(scene.fund()), scene.fundDollars()], [1, -2_000]);
  assert.equal(scene.position(3), -1);
});

test('rounding: the amount of a deleveraging is rounded in the holder’s favour', () => {
  for (const isLong of [true, false]) {
    const scene = new LiquidationScene({ seed: 0 });
    if (isLong) scene.trade(1, 2, 100_000, 0.999_999);
    else scene.trade(2, 1, 100_000, 0.999_999);
    fall(scene, isLong ? 88_000 : 112_000);
    const [deal] = scene.seen(DELEVERAGED);
    const [size, price] = [BigInt(deal![DELEVERAGED_SIZE]!), BigInt(deal![DELEVERAGED_PRICE]!)];
    const amount = price * size / BigInt(CONTRACT);
    assert.notEqual(price * size % BigInt(CONTRACT), 0n, 'there is something to round');
    // Opened for 99,999.9 USDC. Rounding lets a short buy back for less and a long sell for more.
    const gain = isLong ? 99_999_900_000n - amount : amount + 1n - 99_999_900_000n;
    assert.equal(BigInt(scene.cash(2)), BigInt(10_000 * USDC) + gain);
  }
});

test('a holder without equity is not deleveraged, whatever its profit', () => {
  const scene = new LiquidationScene({ seed: 0 });
  const eth = scene.slots((one) => one.kind === 2 && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 100_000, 0.25);
  scene.trade(1, 3, 100_000, 0.25);
  scene.trade(3, 4, 3_000, 20, eth);
  scene.seconds(1);
  scene.kept = [];
  scene.index(2_000, 1);
  fall(scene, 79_000);
  const asked = scene.seen(DELEVERAGED).filter((slots) => slots[1] === scene.account(1)).map((slots) => slots[DELEVERAGED_AGAINST]);
  assert.deepEqual(asked, [scene.account(2)]);
});

test('the fund is not deleveraged: it pays up to a fifth of its current equity and takes over', () => {
  const scene = new LiquidationScene({ seed: 0 });
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  fall(scene, 90_800);
  assert.deepEqual([scene.fundDollars(), scene.positionOf(scene.fund())], [800, 1]);
  scene.kept = [];
  scene.index(116_000);
  scene.seconds(4);
  assert.equal(scene.status(2), LIQUIDATED);
  assert.deepEqual(deals(scene), []);
  // With its perp the fund is worth 26,000, so it pays 5,200 of 6,000; it takes over the other 800, and both positions net out.
  assert.deepEqual(scene.seen(FUND_POSTED).map((slots) => slots[POSTED_AMOUNT]! / USDC), [-5_200, -800]);
  assert.deepEqual([scene.fundDollars(), scene.positionOf(scene.fund())], [20_000, 0]);
});

test('spread: a deficit is divided over the positions by their requirement, the largest first', () => {
  const scene = new LiquidationScene({ seed: 0 });
  const eth = scene.slots((one) => one.kind === 2 && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 100_000, 0.5);
  scene.trade(1, 2, 3_000, 10, eth);
  scene.seconds(1);
  scene.kept = [];
  scene.index(2_400, 1);
  fall(scene, 88_000);
  // Requirements 4,400 and 2,400: 1,294.117647 and 705.882353 of the deficit of 2,000, 2,588.235294 and 70.588235 a contract.
  const found = scene.seen(DELEVERAGED).map((slots) => [slots[DELEVERAGED_INSTRUMENT], slots[DELEVERAGED_PRICE]! / USDC]);
  assert.deepEqual(found.map(([slot]) => slot), [scene.perp, eth]);
  assert.ok(Math.abs(found[0]![1]! - 90_588.235294) < 0.000005, String(found[0]![1]));
  assert.ok(Math.abs(found[1]![1]! - 2_470.588235) < 0.000002, String(found[1]![1]));
  assert.equal(scene.dollars(1), 0);
  const rounding = scene.state.accounts.cash[scene.fund()]!;
  assert.ok(rounding >= 0 && rounding < 20, 'prices round in favour of zero equity, by less than a unit a contract');
});

/**
 * Wallet 1 is short two calls, wallet 2 is long them; wallet 3 buys a third of the first call slightly above its later value `quoted`,
 * and quotes of wallets 5 and 6 raise its mark above that.
 */
function quotedUp(quoted: number): { scene: LiquidationScene; calls: readonly [number, number] } {
  const scene = new LiquidationScene({ seed: 0 });
  const call = scene.nearest(CALL);
  const { expiry, strike } = scene.contract(call);
  const higher = scene.slots((one) => one.kind === CALL && one.underlying === 'BTC' && one.expiry === expiry && one.strike > strike);
  const calls = [call, higher[0]!] as const;
  for (const slot of calls) scene.trade(2, 1, fiveFigures(scene.mark(slot)) / USDC, 0.3, slot);
  scene.trade(3, 2, fiveFigures(quoted * 1.01) / USDC, 0.1, call);
  assert.equal(scene.buy(5, fiveFigures(quoted * 1.01) / USDC, 0.1, { slot: call }), 0);
  assert.equal(scene.sell(6, fiveFigures(quoted * 1.1) / USDC, 0.1, { slot: call }), 0);
  scene.seconds(6);
  scene.kept = [];
  fall(scene, 150_000);
  return { scene, calls };
}

test('options: quotes move neither the price of a deleveraging nor the choice of holders', () => {
  const probe = quotedUp(50_000 * USDC);
  const { scene, calls: [call, other] } = quotedUp(probe.scene.state.valuation.theo[probe.calls[0]]!);
  const { mark, theo } = scene.state.valuation;
  assert.ok(mark[call]! > theo[call]! * 1.015 && mark[other] === theo[other]);
  // Wallet 3 bought at a price between theo and mark.
  assert.deepEqual(deals(scene).map(({ against }) => against), [scene.account(2), scene.account(2)]);
  const below = scene.seen(DELEVERAGED).map((slots) => theo[slots[DELEVERAGED_INSTRUMENT]!]! - slots[DELEVERAGED_PRICE]!);
  // Half of the deficit goes over 0.3 contracts, of which a third stays; so 0.3 of the other have two thirds of it.
  assert.ok(below[0]! > 0 && Math.abs(4 * below[0]! - 3 * below[1]!) <= 40, `${below}`);
  assert.equal(scene.dollars(1), 0);
});

test('options: a bankrupt short call is closed against the longs at a price below mark', () => {
  const scene = new LiquidationScene({ seed: 0 });
  const call = scene.nearest(CALL);
  const premium = Math.ceil(scene.mark(call) / USDC / 10) * 10;
  scene.trade(2, 1, premium, 0.5, call);
  scene.seconds(1);
  scene.kept = [];
  fall(scene, 130_000);
  const mark = scene.mark(call) / USDC;
  const deficit = 0.5 * (mark - premium) - 10_000;
  const [deal] = deals(scene);
  assert.ok(Math.abs(deal!.price - (mark - deficit / 0.5)) < 0.00001);
  assert.equal(scene.dollars(1), 0);
  assert.ok(Math.abs(scene.dollars(2) - 20_000) < 0.00001, 'the other side gets all the cash of the bankrupt one');
  assert.deepEqual(scene.seen(TAKEN_OVER), []);
});

test('reduce-only orders of a counterparty shrink with its position', () => {
  const scene = book(1, [[2, 0.7, 100_000], [3, 0.4, 100_000]]);
  assert.equal(scene.buy(3, 80_000, 0.4, { slot: scene.perp, flags: FLAG_REDUCE_ONLY }), 0);
  fall(scene, 88_000);
  assert.ok(Math.abs(scene.position(3) + 0.1) < 1e-9);
  assert.deepEqual(scene.orders(3).map((order) => order.remaining / CONTRACT), [0.1]);
});

test('when a tier1 wallet’s long is deleveraged, its uncovered asks are cancelled and its bid stays', () => {
  const scene = new LiquidationScene({ seed: 0 });
  const call = scene.nearest(CALL);
  const premium = Math.ceil(scene.mark(call) / USDC / 10) * 10;
  scene.trade(2, 1, premium, 0.4, call);
  scene.trade(3, 1, premium, 0.1, call);
  scene.send(scene.write.tier(2, TIER1));
  scene.seconds(1);
  assert.equal(scene.sell(2, 90_000, 0.25, { slot: call }), 0);
  assert.equal(scene.sell(2, 90_000, 0.15, { slot: call }), 0);
  assert.equal(scene.buy(2, 1, 0.1, { slot: call }), 0);
  fall(scene, 130_000);
  assert.equal(scene.position(2, call), 0);
  assert.deepEqual(scene.orders(2).map((order) => order.price), [1 * USDC], 'its bid stays');
});
