// Takeovers and the insurance fund: what it receives, what it pays, how it closes, and that no wallet is left with a debt. One perp
// bought at 100,000 with 10,000 USDC: equity is 0 at 90,000 and a fifth of maintenance margin at 90,909.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, MINUTE, USDC } from '../../../core/units.ts';
import { CALL, PUT } from '../../../core/codec/commands.ts';
import { EXPIRED_PENDING_PRICE } from '../../../core/instruments/instruments.ts';
import { HEALTHY, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { ACCOUNT_OPENED, DELEVERAGED, FILL, FILL_SIZE, FUND_POSTED, LIQUIDATION_CHANGED, ORDER_ACCEPTED, ORDER_DONE, POSTED_AMOUNT,
  POSTED_COVER, POSTED_TAKEOVER, POSTED_WHY, TAKEN_OVER } from '../../../core/codec/events.ts';
import { FUND_ADDRESS } from '../../../core/lifecycle/insurance-fund.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { fallen, LiquidationScene } from './liquidation-scene.ts';

const posted = (scene: LiquidationScene): [number, number][] => (
  scene.seen(FUND_POSTED).map((slots) => [slots[POSTED_WHY]!, slots[POSTED_AMOUNT]! / USDC])
);

test('fund: its address is the text "strikebook insurance"', () => {
  assert.equal(Buffer.from(FUND_ADDRESS.slice().buffer).toString('latin1'), 'strikebook insurance');
});

test('takeover: when equity is below a fifth of maintenance, positions at mark and all cash go to the fund', () => {
  assert.notEqual(fallen(90_910).status(1), LIQUIDATED, 'equity 910 is above 909.1');
  const scene = fallen(90_800);
  const account = scene.account(1);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.deepEqual(scene.seen(LIQUIDATION_CHANGED).map((slots) => slots.slice(1, 6)), [
    [account, 0, 1, 800 * USDC, 4_540 * USDC], [account, 1, 2, 800 * USDC, 4_540 * USDC], [account, 2, 3, 0, 0],
  ]);
  assert.deepEqual(scene.seen(TAKEN_OVER).map((slots) => slots.slice(1, 7)), [
    [account, scene.perp, CONTRACT, 90_800 * USDC, 800 * USDC, CONTRACT],
  ]);
  assert.deepEqual(posted(scene), [[POSTED_TAKEOVER, 800]]);
  assert.equal(scene.seen(ACCOUNT_OPENED).length, 1, 'the fund is opened when it is needed');
  assert.deepEqual([scene.dollars(1), scene.position(1), scene.fundDollars(), scene.positionOf(scene.fund())], [0, 0, 1_000_800, 1]);
  assert.equal(scene.buy(1, 80_000, 0.1, { slot: scene.perp }), C.NO_FUNDS);
});

test('takeover: the fund pays a deficit of at most a fifth of its equity, without deleveraging', () => {
  const scene = fallen(88_000, { seed: 10_000 });
  assert.equal(scene.status(1), LIQUIDATED);
  assert.deepEqual(posted(scene), [[POSTED_COVER, -2_000], [POSTED_TAKEOVER, 0]]);
  assert.deepEqual(scene.seen(DELEVERAGED), []);
  assert.deepEqual([scene.dollars(1), scene.fundDollars(), scene.positionOf(scene.fund())], [0, 8_000, 1]);
  assert.equal(scene.equity(scene.fund()), 8_000);
});

test('takeover: if the deficit is a micro above a fifth of the fund, opposite holders are deleveraged', () => {
  const scene = fallen(87_999.999999, { seed: 10_000 });
  assert.deepEqual(posted(scene)[0], [POSTED_COVER, -2_000]);
  assert.equal(scene.seen(DELEVERAGED).length, 1);
});

test('takeover: the fifth of the fund is of its current equity, positions included', () => {
  const scene = new LiquidationScene({ seed: 10_000 });
  scene.trade(1, 2, 100_000, 1);
  scene.trade(3, 4, 100_000, 0.7);
  scene.seconds(1);
  scene.index(90_500);
  scene.seconds(4);
  assert.deepEqual([scene.status(1), scene.status(3)], [LIQUIDATED, HEALTHY]);
  assert.equal(scene.equity(scene.fund()), 10_500);
  // At 84,000 the fund's perp has lost 6,500 of that, and the equity of wallet 3 is -1,200.
  scene.index(84_000);
  scene.kept = [];
  scene.seconds(4);
  assert.equal(scene.status(3), LIQUIDATED);
  assert.deepEqual(posted(scene)[0], [POSTED_COVER, -800]);
});

test('takeover: in bounded steps, options go to the fund at mark and open orders are cancelled', () => {
  const scene = new LiquidationScene();
  const slots = scene.slots((one) => one.kind === CALL && one.underlying === 'BTC' && one.strike > 130_000 * USDC).slice(0, 12);
  scene.trade(1, 2, 100_000, 0.95);
  for (const slot of slots) scene.trade(1, 3, 1, 0.01, slot);
  for (let i = 0; i < 300; i++) assert.equal(scene.sell(1, 150_000 + 10 * i, 0.001, { slot: scene.perp }), C.OK);
  scene.seconds(1);
  scene.index(90_100);
  scene.seconds(3);
  scene.kept = [];
  scene.now += 1_000;
  let steps = 0;
  for (let before = 0; runDue(scene.sequencer, scene.now); steps++) {
    const done = scene.seen(ORDER_DONE).length + scene.seen(TAKEN_OVER).length;
    assert.ok(done - before <= 128 + 64);
    before = done;
  }
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.orders(1).length, 0);
  assert.equal(scene.seen(TAKEN_OVER).length, 1 + slots.length);
  assert.equal(scene.dollars(1), 0);
  for (const slot of slots) assert.equal(scene.positionOf(scene.fund(), slot), 0.01);
});

test('an account with a debt and no position is also taken over', () => {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 0.1);
  scene.buy(3, 10, 0.1);
  scene.seconds(1);
  const { cash } = scene.state.accounts;
  cash[scene.account(3)]! -= 15_000 * USDC;
  cash[scene.account(2)]! += 15_000 * USDC;
  scene.seconds(5);
  assert.equal(scene.status(3), LIQUIDATED);
  assert.deepEqual([scene.dollars(3), scene.fundDollars()], [0, 995_000]);
  assert.equal(scene.orders(3).length, 0);
});

test('when no wallet holds a position any more, a debt is still taken over, and then the venue is idle', () => {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 0.1);
  scene.seconds(1);
  scene.trade(2, 1, 100_000, 0.1);
  const { cash } = scene.state.accounts;
  cash[scene.account(1)]! -= 15_000 * USDC;
  cash[scene.account(2)]! += 15_000 * USDC;
  scene.seconds(6);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.fundDollars(), 995_000);
  scene.seconds(2);
  assert.ok(nextDue(scene.state) > scene.now + 60_000);
});

test('takeover: the account pays its pending funding before its equity goes to the fund', () => {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 1);
  scene.trade(3, 4, 100_000, 0.01);
  scene.advance(50 * MINUTE);
  scene.seconds(20);
  assert.ok(scene.equity(scene.account(1)) < 10_000, 'funding of the hour is pending');
  const owed = 10_000 - scene.equity(scene.account(1));
  scene.index(90_800);
  scene.seconds(4);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.dollars(1), 0);
  assert.ok(Math.abs(scene.fundDollars() - (1_000_800 - owed)) < 1e-6);
});

test('takeover: an expired contract that waits for its price also goes to the fund and is settled there', () => {
  const scene = new LiquidationScene();
  const call = scene.nearest(CALL);
  const { expiry } = scene.contract(call);
  scene.trade(1, 2, 100_000, 0.8);
  scene.trade(2, 1, Math.ceil(scene.mark(call) / USDC / 10) * 10, 0.01, call);
  scene.seconds(1);
  scene.now = expiry - 31 * MINUTE;
  scene.goStale();
  scene.now = expiry - 1_000;
  scene.seconds(3);
  scene.index(88_000);
  assert.equal(scene.state.instruments.status[call], EXPIRED_PENDING_PRICE);
  scene.seconds(4);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.positionOf(scene.fund(), call), -0.01);
  const before = scene.fundDollars();
  scene.venue(scene.write.settlementPrice(0, expiry, scene.contract(call).strike + 1_000 * USDC));
  scene.seconds(1);
  assert.equal(scene.positionOf(scene.fund(), call), 0);
  assert.equal(scene.fundDollars(), before - 10);
});

test('the fund closes a quarter a second, at mark or better, without a fee, and is never liquidated', () => {
  const scene = fallen(90_800);
  const fund = scene.fund();
  assert.equal(scene.buy(3, 90_790, 0.5, { slot: scene.perp }), C.OK);
  scene.seconds(5);
  assert.equal(scene.positionOf(fund), 1, 'the fund does not sell below mark');
  assert.equal(scene.buy(3, 90_800, 0.5, { slot: scene.perp }), C.OK);
  scene.take(FILL);
  scene.seconds(2);
  assert.deepEqual(scene.seen(FILL).map((slots) => slots[FILL_SIZE]! / CONTRACT), [0.25, 0.1875]);
  assert.deepEqual(scene.seen(FUND_POSTED), []);
  assert.equal(scene.positionOf(fund), 0.5625);
  scene.goStale();
  scene.kept = [];
  scene.seconds(5);
  assert.deepEqual(scene.seen(ORDER_ACCEPTED), [], 'not with a stale index');
  const broke = fallen(90_100, { seed: 0 });
  broke.index(70_000);
  broke.seconds(100);
  assert.ok(broke.equity(broke.fund()) < 0);
  assert.equal(broke.state.accounts.status[broke.fund()], HEALTHY);
  assert.equal(broke.positionOf(broke.fund()), 1);
});

test('a takeover needs no new holding rows: the fund gets the rows that it frees', () => {
  const scene = new LiquidationScene();
  const put = scene.nearest(PUT);
  scene.trade(1, 2, 100_000, 0.9);
  scene.trade(1, 2, Math.ceil(scene.mark(put) / USDC / 10) * 10, 0.01, put);
  scene.seconds(1);
  const { holdings } = scene.state;
  const rows = holdings.counters[0]!;
  scene.index(88_500);
  scene.seconds(5);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(holdings.counters[0], rows);
});
