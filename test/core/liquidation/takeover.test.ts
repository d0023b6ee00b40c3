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
import { fallen, Pit } from './pit.ts';

const posted = (pit: Pit): [number, number][] => pit.seen(FUND_POSTED).map((slots) => [slots[POSTED_WHY]!, slots[POSTED_AMOUNT]! / USDC]);

test('fund: its address is the text "strikebook insurance"', () => {
  assert.equal(Buffer.from(FUND_ADDRESS.slice().buffer).toString('latin1'), 'strikebook insurance');
});

test('takeover: when equity is below a fifth of maintenance, positions at mark and all cash go to the fund', () => {
  assert.notEqual(fallen(90_910).status(1), LIQUIDATED, 'equity 910 is above 909.1');
  const pit = fallen(90_800);
  const account = pit.account(1);
  assert.equal(pit.status(1), LIQUIDATED);
  assert.deepEqual(pit.seen(LIQUIDATION_CHANGED).map((slots) => slots.slice(1, 6)), [
    [account, 0, 1, 800 * USDC, 4_540 * USDC], [account, 1, 2, 800 * USDC, 4_540 * USDC], [account, 2, 3, 0, 0],
  ]);
  assert.deepEqual(pit.seen(TAKEN_OVER).map((slots) => slots.slice(1, 7)), [
    [account, pit.perp, CONTRACT, 90_800 * USDC, 800 * USDC, CONTRACT],
  ]);
  assert.deepEqual(posted(pit), [[POSTED_TAKEOVER, 800]]);
  assert.equal(pit.seen(ACCOUNT_OPENED).length, 1, 'the fund is opened when it is needed');
  assert.deepEqual([pit.dollars(1), pit.position(1), pit.fundDollars(), pit.positionOf(pit.fund())], [0, 0, 1_000_800, 1]);
  assert.equal(pit.buy(1, 80_000, 0.1, { slot: pit.perp }), C.NO_FUNDS);
});

test('takeover: the fund pays a deficit of at most a fifth of its equity, without deleveraging', () => {
  const pit = fallen(88_000, { seed: 10_000 });
  assert.equal(pit.status(1), LIQUIDATED);
  assert.deepEqual(posted(pit), [[POSTED_COVER, -2_000], [POSTED_TAKEOVER, 0]]);
  assert.deepEqual(pit.seen(DELEVERAGED), []);
  assert.deepEqual([pit.dollars(1), pit.fundDollars(), pit.positionOf(pit.fund())], [0, 8_000, 1]);
  assert.equal(pit.equity(pit.fund()), 8_000);
});

test('takeover: if the deficit is a micro above a fifth of the fund, opposite holders are deleveraged', () => {
  const pit = fallen(87_999.999999, { seed: 10_000 });
  assert.deepEqual(posted(pit)[0], [POSTED_COVER, -2_000]);
  assert.equal(pit.seen(DELEVERAGED).length, 1);
});

test('takeover: the fifth of the fund is of its current equity, positions included', () => {
  const pit = new Pit({ seed: 10_000 });
  pit.trade(1, 2, 100_000, 1);
  pit.trade(3, 4, 100_000, 0.7);
  pit.seconds(1);
  pit.index(90_500);
  pit.seconds(4);
  assert.deepEqual([pit.status(1), pit.status(3)], [LIQUIDATED, HEALTHY]);
  assert.equal(pit.equity(pit.fund()), 10_500);
  // At 84,000 the fund's perp has lost 6,500 of that, and the equity of wallet 3 is -1,200.
  pit.index(84_000);
  pit.kept = [];
  pit.seconds(4);
  assert.equal(pit.status(3), LIQUIDATED);
  assert.deepEqual(posted(pit)[0], [POSTED_COVER, -800]);
});

test('takeover: in bounded steps, options go to the fund at mark and open orders are cancelled', () => {
  const pit = new Pit();
  const slots = pit.slots((one) => one.kind === CALL && one.underlying === 'BTC' && one.strike > 130_000 * USDC).slice(0, 12);
  pit.trade(1, 2, 100_000, 0.95);
  for (const slot of slots) pit.trade(1, 3, 1, 0.01, slot);
  for (let i = 0; i < 300; i++) assert.equal(pit.sell(1, 150_000 + 10 * i, 0.001, { slot: pit.perp }), C.OK);
  pit.seconds(1);
  pit.index(90_100);
  pit.seconds(3);
  pit.kept = [];
  pit.now += 1_000;
  let steps = 0;
  for (let before = 0; runDue(pit.sequencer, pit.now); steps++) {
    const done = pit.seen(ORDER_DONE).length + pit.seen(TAKEN_OVER).length;
    assert.ok(done - before <= 128 + 64);
    before = done;
  }
  assert.equal(pit.status(1), LIQUIDATED);
  assert.equal(pit.orders(1).length, 0);
  assert.equal(pit.seen(TAKEN_OVER).length, 1 + slots.length);
  assert.equal(pit.dollars(1), 0);
  for (const slot of slots) assert.equal(pit.positionOf(pit.fund(), slot), 0.01);
});

test('an account with a debt and no position is also taken over', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 0.1);
  pit.buy(3, 10, 0.1);
  pit.seconds(1);
  const { cash } = pit.state.accounts;
  cash[pit.account(3)]! -= 15_000 * USDC;
  cash[pit.account(2)]! += 15_000 * USDC;
  pit.seconds(5);
  assert.equal(pit.status(3), LIQUIDATED);
  assert.deepEqual([pit.dollars(3), pit.fundDollars()], [0, 995_000]);
  assert.equal(pit.orders(3).length, 0);
});

test('when no wallet holds a position any more, a debt is still taken over, and then the venue is idle', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 0.1);
  pit.seconds(1);
  pit.trade(2, 1, 100_000, 0.1);
  const { cash } = pit.state.accounts;
  cash[pit.account(1)]! -= 15_000 * USDC;
  cash[pit.account(2)]! += 15_000 * USDC;
  pit.seconds(6);
  assert.equal(pit.status(1), LIQUIDATED);
  assert.equal(pit.fundDollars(), 995_000);
  pit.seconds(2);
  assert.ok(nextDue(pit.state) > pit.now + 60_000);
});

test('takeover: the account pays its pending funding before its equity goes to the fund', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 1);
  pit.trade(3, 4, 100_000, 0.01);
  pit.advance(50 * MINUTE);
  pit.seconds(20);
  assert.ok(pit.equity(pit.account(1)) < 10_000, 'funding of the hour is pending');
  const owed = 10_000 - pit.equity(pit.account(1));
  pit.index(90_800);
  pit.seconds(4);
  assert.equal(pit.status(1), LIQUIDATED);
  assert.equal(pit.dollars(1), 0);
  assert.ok(Math.abs(pit.fundDollars() - (1_000_800 - owed)) < 1e-6);
});

test('takeover: an expired contract that waits for its price also goes to the fund and is settled there', () => {
  const pit = new Pit();
  const call = pit.nearest(CALL);
  const { expiry } = pit.contract(call);
  pit.trade(1, 2, 100_000, 0.8);
  pit.trade(2, 1, Math.ceil(pit.mark(call) / USDC / 10) * 10, 0.01, call);
  pit.seconds(1);
  pit.now = expiry - 31 * MINUTE;
  pit.goStale();
  pit.now = expiry - 1_000;
  pit.seconds(3);
  pit.index(88_000);
  assert.equal(pit.state.instruments.status[call], EXPIRED_PENDING_PRICE);
  pit.seconds(4);
  assert.equal(pit.status(1), LIQUIDATED);
  assert.equal(pit.positionOf(pit.fund(), call), -0.01);
  const before = pit.fundDollars();
  pit.venue(pit.write.settlementPrice(0, expiry, pit.contract(call).strike + 1_000 * USDC));
  pit.seconds(1);
  assert.equal(pit.positionOf(pit.fund(), call), 0);
  assert.equal(pit.fundDollars(), before - 10);
});

test('the fund closes a quarter a second, at mark or better, without a fee, and is never liquidated', () => {
  const pit = fallen(90_800);
  const fund = pit.fund();
  assert.equal(pit.buy(3, 90_790, 0.5, { slot: pit.perp }), C.OK);
  pit.seconds(5);
  assert.equal(pit.positionOf(fund), 1, 'the fund does not sell below mark');
  assert.equal(pit.buy(3, 90_800, 0.5, { slot: pit.perp }), C.OK);
  pit.take(FILL);
  pit.seconds(2);
  assert.deepEqual(pit.seen(FILL).map((slots) => slots[FILL_SIZE]! / CONTRACT), [0.25, 0.1875]);
  assert.deepEqual(pit.seen(FUND_POSTED), []);
  assert.equal(pit.positionOf(fund), 0.5625);
  pit.goStale();
  pit.kept = [];
  pit.seconds(5);
  assert.deepEqual(pit.seen(ORDER_ACCEPTED), [], 'not with a stale index');
  const broke = fallen(90_100, { seed: 0 });
  broke.index(70_000);
  broke.seconds(100);
  assert.ok(broke.equity(broke.fund()) < 0);
  assert.equal(broke.state.accounts.status[broke.fund()], HEALTHY);
  assert.equal(broke.positionOf(broke.fund()), 1);
});

test('a takeover needs no new holding rows: the fund gets the rows that it frees', () => {
  const pit = new Pit();
  const put = pit.nearest(PUT);
  pit.trade(1, 2, 100_000, 0.9);
  pit.trade(1, 2, Math.ceil(pit.mark(put) / USDC / 10) * 10, 0.01, put);
  pit.seconds(1);
  const { holdings } = pit.state;
  const rows = holdings.counters[0]!;
  pit.index(88_500);
  pit.seconds(5);
  assert.equal(pit.status(1), LIQUIDATED);
  assert.equal(holdings.counters[0], rows);
});
