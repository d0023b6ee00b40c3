// in_liquidation: the venue's closing orders for an account, their price, sequence and fee, and when the fund takes over
// instead. Most tests have one perp at 92,700: equity 2,700, maintenance margin 4,635, closing distance 927.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL } from '../../../core/codec/commands.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { FILL, FILL_PRICE, FILL_SIZE, FILL_TAKER, FILL_TAKER_FEE, FUND_POSTED, ORDER_ACCEPTED, ORDER_DONE, ORDER_INSTRUMENT,
  ORDER_PRICE, ORDER_REASON, ORDER_SIDE, ORDER_SIZE, POSTED_AMOUNT, POSTED_FEE, POSTED_FUND_CASH,
  POSTED_WHY } from '../../../core/codec/events.ts';
import { CLOSING_PERP_PART, MAKER_FEE, TAKER_FEE } from '../../../core/settings.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { LiquidationScene, type LiquidationSceneOptions } from './liquidation-scene.ts';

/** Wallet 1 long perps, wallet 2 short; closing begins in the next second. */
function closing(options: LiquidationSceneOptions = {}, size = 1): LiquidationScene {
  const scene = new LiquidationScene(options);
  scene.trade(1, 2, 100_000, size);
  scene.seconds(1);
  scene.index(92_700);
  scene.seconds(3);
  scene.kept = [];
  return scene;
}

const sizes = (rows: number[][]): number[] => rows.map((slots) => slots[FILL_SIZE]! / CONTRACT);

test('closing: each second the venue closes a quarter of the position; the fund gets a fee of 1 % at mark', () => {
  const scene = closing();
  assert.equal(scene.buy(3, 92_000, 1, { slot: scene.perp }), C.OK);
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  assert.deepEqual(sizes(scene.seen(FILL)), [0.25]);
  assert.equal(scene.position(1), 0.75);
  assert.equal(scene.dollars(1), 10_000 - 0.25 * 8_000 - 231.75);
  assert.equal(scene.fundDollars(), 1_000_231.75);
  scene.seconds(1);
  assert.deepEqual(sizes(scene.seen(FILL)), [0.25, 0.1875]);
  const fees = scene.take(FUND_POSTED);
  assert.deepEqual(fees.map((slots) => slots[POSTED_WHY]), [POSTED_FEE, POSTED_FEE]);
  assert.deepEqual(fees.map((slots) => slots[POSTED_AMOUNT]! / USDC), [231.75, 173.8125]);
  assert.deepEqual(fees.map((slots) => slots[POSTED_FUND_CASH]! / USDC), [1_000_231.75, 1_000_405.5625]);
  assert.equal(scene.position(3), 0.4375);
});

test('closing: orders stop once equity covers maintenance margin; the owner has to close further to be healthy', () => {
  const scene = closing({ fee: 0 });
  scene.buy(3, 92_700, 1, { slot: scene.perp });
  scene.seconds(20);
  // Closing at mark without a fee keeps equity at 2,700: maintenance margin of 0.5825 contracts, initial margin of 0.2912.
  assert.deepEqual([scene.position(1), scene.status(1)], [0.5625, IN_LIQUIDATION]);
  assert.equal(scene.equity(scene.account(1)), 2_700);
  assert.equal(scene.sell(1, 92_700, 0.2712, { slot: scene.perp }), C.OK);
  scene.seconds(1);
  assert.deepEqual([scene.position(1), scene.status(1)], [0.2913, IN_LIQUIDATION]);
  assert.equal(scene.sell(1, 92_700, 0.0001, { slot: scene.perp }), C.OK);
  scene.seconds(1);
  assert.deepEqual([scene.position(1), scene.status(1)], [0.2912, HEALTHY]);
});

test('closing: the limit price is the mark less the closing distance, and no order is sent if no bid reaches it', () => {
  const within = closing();
  within.buy(3, 91_773, 1, { slot: within.perp });
  within.seconds(1);
  assert.deepEqual(within.seen(FILL).map((slots) => slots[FILL_PRICE]), [91_773 * USDC]);
  const beyond = closing();
  beyond.buy(3, 91_772, 1, { slot: beyond.perp });
  beyond.seconds(5);
  assert.deepEqual(beyond.seen(FILL), []);
  assert.equal(beyond.seen(ORDER_ACCEPTED).length, 1, 'the bid; the venue sends no order without a match');
  const [order] = within.seen(ORDER_ACCEPTED).filter((slots) => slots[1] === within.account(1));
  assert.deepEqual([order![ORDER_PRICE], order![ORDER_SIDE], order![ORDER_SIZE]], [91_773 * USDC, SELL, 0.25 * CONTRACT]);
});

test('closing: no order loses more than the remaining equity, its taker fee included', () => {
  const rest = (price: number): number => {
    const scene = closing({ balance: 10_100, set: [[CLOSING_PERP_PART, 100_000], [MAKER_FEE, 0], [TAKER_FEE, 1_000]] });
    scene.index(91_200);
    const equity = scene.equity(scene.account(1));
    assert.equal(equity, 1_200, 'a fee of 100 was paid to open');
    scene.buy(3, price, 1, { slot: scene.perp });
    scene.seconds(1);
    const sold = scene.seen(FILL).filter((slots) => slots[FILL_TAKER] === scene.account(1));
    assert.ok(scene.equity(scene.account(1)) >= 0);
    return sold.length === 0 ? NaN : equity - 0.25 * (91_200 - price) - sold[0]![FILL_TAKER_FEE]! / USDC;
  };
  // The fee of a quarter is 22.80, so the order may lose 4,708.80 a contract.
  assert.ok(Number.isNaN(rest(86_491)));
  assert.ok(Math.abs(rest(86_492) - 0.2) < 1e-6);
});

test('closing: an order is for at least one lot, and for the whole position if that is smaller than a lot', () => {
  const scene = closing({ balance: 25 }, 0.0025);
  scene.buy(3, 92_700, 0.0025, { slot: scene.perp });
  scene.seconds(4);
  assert.deepEqual(sizes(scene.seen(FILL)), [0.001, 0.001]);
  assert.equal(scene.status(1), HEALTHY, 'equity covers the remaining position');
  const poor = closing({ balance: 25 }, 0.0025);
  poor.index(91_000);
  poor.buy(3, 91_000, 0.0025, { slot: poor.perp });
  poor.seconds(4);
  assert.deepEqual(sizes(poor.seen(FILL)), [0.001, 0.001, 0.0005]);
});

test('closing: the wallet’s own closing orders are cancelled, youngest first, as far as the venue’s order needs it', () => {
  const scene = closing();
  const slot = scene.perp;
  // As far above the index as the bid is below it: the perp's mark stays where it is.
  assert.equal(scene.sell(1, 93_400, 0.5, { slot }), C.OK);
  assert.equal(scene.sell(1, 93_401, 0.25, { slot }), C.OK);
  assert.equal(scene.sell(1, 93_402, 0.25, { slot }), C.OK);
  scene.buy(3, 92_000, 1, { slot });
  scene.now += SECOND;
  while (runDue(scene.sequencer, scene.now)) {
    const held = scene.held(1, slot)!;
    assert.ok(held.askSize <= held.position, 'open asks must never exceed the position');
  }
  assert.deepEqual(scene.orders(1).map((order) => order.remaining / CONTRACT), [0.5, 0.25]);
  scene.seconds(1);
  assert.deepEqual(scene.orders(1).map((order) => order.remaining / CONTRACT), [0.5]);
  const done = scene.seen(ORDER_DONE).filter((slots) => slots[ORDER_REASON] === C.DONE_LIQUIDATION);
  assert.deepEqual(done.map((slots) => slots[1]), [scene.account(1), scene.account(1)]);
});

test('closing: instruments are closed in the order of the requirement that is freed, largest first', () => {
  const scene = new LiquidationScene();
  const eth = scene.slots((one) => one.kind === 2 && one.underlying === 'ETH')[0]!;
  const call = scene.nearest(CALL);
  scene.trade(1, 2, 100_000, 0.05);
  scene.trade(1, 2, 3_000, 10, eth);
  scene.trade(2, 1, Math.ceil(scene.mark(call) / USDC / 10) * 10, 0.1, call);
  scene.seconds(1);
  // Requirements: 500 for the perp of BTC, about 2,080 for that of ETH, about 1,500 for the call.
  scene.index(2_080, 1);
  scene.seconds(3);
  assert.equal(scene.buy(3, 100_000, 0.001, { slot: scene.perp }), C.OK);
  assert.equal(scene.buy(3, 2_080, 0.001, { slot: eth }), C.OK);
  assert.equal(scene.sell(3, Math.ceil(scene.mark(call) / USDC / 10) * 10, 0.001, { slot: call }), C.OK);
  scene.kept = [];
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  const orders = scene.seen(ORDER_ACCEPTED).filter((slots) => slots[1] === scene.account(1));
  assert.deepEqual(orders.map((slots) => [slots[ORDER_INSTRUMENT], slots[ORDER_SIDE], slots[ORDER_SIZE]! / CONTRACT]), [
    [eth, SELL, 2.5], [call, BUY, 0.025], [scene.perp, SELL, 0.0125],
  ]);
});

test('fee: at most the remaining equity', () => {
  const scene = closing({ fee: 500_000 });
  scene.buy(3, 92_700, 1, { slot: scene.perp });
  scene.seconds(1);
  const fees = scene.seen(FUND_POSTED).filter((slots) => slots[POSTED_WHY] === POSTED_FEE);
  assert.deepEqual(fees.map((slots) => slots[POSTED_AMOUNT]! / USDC), [2_700]);
  assert.equal(scene.status(1), LIQUIDATED, 'no equity remains, so the fund takes over');
});

test('fee: for an option it is 1 % of the premium at mark', () => {
  const scene = new LiquidationScene();
  const call = scene.nearest(CALL);
  scene.trade(2, 1, Math.ceil(scene.mark(call) / USDC / 10) * 10, 0.5, call);
  scene.seconds(1);
  scene.index(116_500);
  scene.seconds(3);
  scene.kept = [];
  const ask = Math.ceil(scene.mark(call) / USDC / 10) * 10;
  assert.equal(scene.sell(2, ask, 0.5, { slot: call }), C.OK);
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  assert.deepEqual(sizes(scene.seen(FILL)), [0.125]);
  const premium = Math.round(scene.mark(call) * 0.125);
  assert.deepEqual(scene.seen(FUND_POSTED).map((slots) => slots[POSTED_AMOUNT]), [Math.ceil(premium / 100)]);
});

test('progress: after thirty seconds without a fill the fund takes over', () => {
  const scene = closing();
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.seconds(20);
  scene.buy(3, 92_000, 0.1, { slot: scene.perp });
  scene.seconds(1);
  assert.equal(scene.position(1), 0.9);
  scene.seconds(29);
  assert.equal(scene.status(1), IN_LIQUIDATION, 'the fill restarted the 30 s');
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.position(1), 0);
});

test('progress: a stale index stops the 30 s without a fill but does not restart them', () => {
  const scene = closing();
  scene.seconds(21);
  scene.goStale(92_700);
  scene.seconds(50);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.index(92_700);
  scene.seconds(9);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.seconds(2);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('progress: a fill restarts the 30 s only if it frees at least a tenth of what the whole order frees', () => {
  for (const [size, status] of [[0.025, IN_LIQUIDATION], [0.024999, LIQUIDATED]] as const) {
    const scene = closing();
    scene.seconds(21);
    assert.equal(scene.status(1), IN_LIQUIDATION);
    scene.buy(3, 92_000, size, { slot: scene.perp });
    scene.seconds(1);
    assert.equal(scene.position(1), Math.round((1 - size) * 1e6) / 1e6);
    scene.seconds(20);
    assert.equal(scene.status(1), status, `${size} contracts`);
  }
});
