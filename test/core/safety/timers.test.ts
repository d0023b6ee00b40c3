// The dead man's switch and cancel on disconnect in the core (decision 7.3): when deadlines fire, which orders they end and with
// which reason, what moves a deadline, and that a state loaded from a snapshot behaves the same. Times are venue time in ms.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, FOK, IOC } from '../../../core/units.ts';
import { DISCONNECTED, RECONNECTED } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER, ORDER_DONE, ORDER_REASON, SAFETY_FIRED, SAFETY_REASON } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { hashOf, TestVenue } from '../../support/venue.ts';
import { check, TradingScene } from '../trading/support.ts';

/** Deadlines that one tick can fire (core/trading/cancel-jobs). */
const TIMED = 32;
const ID = [0x89abcdef, 0x01234567];
const OTHER = [0x89abcdef, 0x01234568];

class Desk extends TradingScene {
  cancelAfter(wallet: number, timeout: number, signer = wallet): number {
    return this.send(this.write.cancelAfter(wallet, this.next(), timeout, signer));
  }

  guard(wallet: number, grace: number, connection = [0, 0], isEnabled = true): number {
    return this.send(this.write.cancelOnDisconnect(wallet, this.next(), isEnabled, grace, connection));
  }

  gone(wallet: number, connection = [0, 0]): void {
    this.venue(this.write.presence(DISCONNECTED, this.account(wallet), connection));
  }

  back(wallet: number): void {
    this.venue(this.write.presence(RECONNECTED, this.account(wallet), [0, 0]));
  }

  bids(wallet: number, count: number): void {
    for (let i = 0; i < count; i++) assert.equal(this.buy(wallet, 100 + i / 100, 0.001), C.OK);
  }

  /** Advances the clock and keeps the events of that time. */
  wait(ms: number): void {
    this.events = [];
    this.advance(ms);
  }

  count(wallet: number): number {
    return this.orders(wallet).length;
  }
}

test('cancel after: at the deadline all orders of the wallet, and only its, are cancelled once, and the switch is off', () => {
  const desk = new Desk();
  desk.bids(1, 2);
  desk.sell(1, 110_000, 0.01, { slot: desk.perp });
  desk.bids(2, 1);
  assert.equal(desk.cancelAfter(1, 5_000), C.OK);
  assert.equal(desk.number(0), desk.now + 5_000);
  desk.wait(4_999);
  assert.equal(desk.count(1), 3);
  desk.wait(1);
  assert.deepEqual([desk.count(1), desk.count(2)], [0, 1]);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_CANCEL_AFTER, C.DONE_CANCEL_AFTER, C.DONE_CANCEL_AFTER]);
  assert.deepEqual(desk.emitted(SAFETY_FIRED, SAFETY_REASON), [C.DONE_CANCEL_AFTER]);
  desk.bids(1, 1);
  desk.wait(3_600_000);
  assert.equal(desk.count(1), 1, 'it fires once');
  check(desk.state);
});

test('cancel after: before the deadline a new timeout moves it and 0 turns it off; after it, the orders are cancelled first', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  desk.cancelAfter(1, 5_000);
  desk.wait(4_000);
  assert.equal(desk.cancelAfter(1, 5_000), C.OK);
  desk.wait(4_999);
  assert.equal(desk.count(1), 1);
  assert.equal(desk.cancelAfter(1, 0), C.OK);
  assert.equal(desk.number(0), 0);
  desk.wait(60_000);
  assert.equal(desk.count(1), 1);
  desk.cancelAfter(1, 1_000);
  desk.now += 1_000;
  assert.equal(desk.cancelAfter(1, 9_000), C.OK, 'the command arrives at the deadline, before the tick');
  desk.settle();
  assert.equal(desk.count(1), 0, 'the old deadline was executed first');
  assert.equal(desk.number(0), 0);
  desk.bids(1, 1);
  desk.wait(9_000);
  assert.equal(desk.count(1), 0, 'the new deadline fires too');
});

test('cancel after: an order that arrives at the deadline, before the tick, is not cancelled', () => {
  const desk = new Desk();
  desk.bids(1, 2);
  desk.cancelAfter(1, 1_000);
  desk.now += 1_000;
  desk.bids(1, 1);
  desk.settle();
  assert.equal(desk.count(1), 1);
});

test('cancel after: from the deadline on none of the wallet’s orders trades, however many wait to be cancelled', () => {
  const desk = new Desk();
  desk.bids(1, 100);
  desk.cancelAfter(1, 1_000);
  desk.now += 1_000;
  assert.ok(runDue(desk.sequencer, desk.now));
  assert.equal(desk.count(1), 100, 'nothing is cancelled by the tick itself');
  assert.equal(desk.sell(2, 1, 0.05, { tif: IOC }), C.OK);
  assert.equal(desk.emitted(FILL, 1).length, 0);
  desk.settle();
  assert.equal(desk.count(1), 0);
  check(desk.state);
});

test('cancel after: an agent may sign it, another key may not; it is charged to the budget of cancels', () => {
  const desk = new Desk({
    rules: { rated: true, table: DEFAULT_LIMITS.map((row) => ({ ...row, cancels: 2, openOrders: -1, orders: -1 })) },
  });
  desk.bids(1, 1);
  assert.equal(desk.cancelAfter(1, 1_000, 5), C.UNAUTHORIZED);
  desk.send(desk.write.agent('approve', 1, desk.next(), 5, 0, 1));
  assert.equal(desk.cancelAfter(1, 1_000, 5), C.OK);
  assert.equal(desk.guard(1, 0), C.OK);
  assert.equal(desk.cancelAfter(1, 2_000), C.RATE_LIMITED);
  desk.wait(1_000);
  assert.equal(desk.count(1), 0);
});

test('cancel after: a command with a used nonce is refused and does not move the deadline', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  const nonce = desk.next();
  assert.equal(desk.send(desk.write.cancelAfter(1, nonce, 1_000)), C.OK);
  assert.equal(desk.send(desk.write.cancelAfter(1, nonce, 9_000)), C.NONCE_USED);
  desk.wait(1_000);
  assert.equal(desk.count(1), 0);
});

test('disconnect: when the grace period after a disconnect ends, all orders are cancelled, once for each disconnect', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  assert.equal(desk.guard(1, 2_000), C.OK);
  desk.wait(60_000);
  assert.equal(desk.count(1), 1, 'no connection is lost');
  desk.gone(1);
  desk.wait(1_500);
  desk.gone(1);
  assert.equal(desk.count(1), 1);
  desk.wait(500);
  assert.equal(desk.count(1), 0, 'a second notice does not move the deadline');
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_DISCONNECTED]);
  desk.bids(1, 1);
  desk.wait(60_000);
  assert.equal(desk.count(1), 1);
  desk.gone(1);
  desk.wait(2_000);
  assert.equal(desk.count(1), 0, 'it is still on');
  check(desk.state);
});

test('disconnect: a wallet that reconnects within the grace period keeps its orders; one that reconnects at its end does not', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  desk.guard(1, 2_000);
  desk.gone(1);
  desk.wait(1_999);
  desk.back(1);
  desk.wait(60_000);
  assert.equal(desk.count(1), 1);
  desk.gone(1);
  desk.now += 2_000;
  desk.back(1);
  desk.settle();
  assert.equal(desk.count(1), 0);
});

test('disconnect: with a grace of 0 orders end at once; wallets that never set it or turned it off keep their orders', () => {
  const desk = new Desk();
  for (const wallet of [1, 2, 3]) desk.bids(wallet, 1);
  desk.guard(1, 0);
  desk.guard(2, 0);
  desk.guard(2, 0, [0, 0], false);
  for (const wallet of [1, 2, 3]) desk.gone(wallet);
  desk.settle();
  assert.deepEqual([1, 2, 3].map((wallet) => desk.count(wallet)), [0, 1, 1]);
});

test('disconnect: when a wallet has named a connection, only the loss of that one counts, and only once', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  assert.equal(desk.guard(1, 1_000, ID), C.OK);
  desk.gone(1);
  desk.gone(1, OTHER);
  desk.wait(5_000);
  assert.equal(desk.count(1), 1);
  desk.gone(1, ID);
  desk.back(1);
  desk.wait(999);
  assert.equal(desk.count(1), 1);
  desk.wait(1);
  assert.equal(desk.count(1), 0);
  desk.bids(1, 1);
  desk.gone(1, ID);
  desk.wait(5_000);
  assert.equal(desk.count(1), 1, 'it is off');
});

test('disconnect: a new setting stops a grace period that is running', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  desk.guard(1, 2_000);
  desk.gone(1);
  desk.wait(1_000);
  desk.guard(1, 2_000, ID);
  desk.wait(60_000);
  assert.equal(desk.count(1), 1);
});

test('disconnect: a notice about an unknown account is refused', () => {
  const desk = new Desk();
  desk.venue(desk.write.presence(DISCONNECTED, 1_000_000));
  assert.equal(desk.state.result.code, C.UNKNOWN_WALLET);
});

test('both: cancel after and disconnect have separate deadlines, and the earlier one fires first', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  desk.cancelAfter(1, 3_000);
  desk.guard(1, 1_000);
  desk.gone(1);
  desk.wait(1_000);
  assert.deepEqual(desk.emitted(SAFETY_FIRED, SAFETY_REASON), [C.DONE_DISCONNECTED]);
  desk.bids(1, 1);
  desk.wait(2_000);
  assert.deepEqual(desk.emitted(SAFETY_FIRED, SAFETY_REASON), [C.DONE_CANCEL_AFTER]);
  assert.equal(desk.count(1), 0);
});

test('many deadlines at once: one tick fires 32 of them in account order and leaves room for a client’s cancel-all', () => {
  const desk = new Desk();
  const wallets = Array.from({ length: TIMED + 20 }, (_, wallet) => wallet);
  for (const wallet of wallets) {
    desk.bids(wallet, 1);
    desk.cancelAfter(wallet, 10_000 - desk.now % 10_000);
  }
  desk.bids(90, 1);
  desk.now += 10_000;
  desk.events = [];
  runDue(desk.sequencer, desk.now);
  assert.deepEqual(desk.emitted(SAFETY_FIRED, 1), wallets.slice(0, TIMED).map((wallet) => desk.account(wallet)));
  assert.equal(desk.send(desk.write.cancelAll(90, desk.next())), C.OK, 'a client command has room');
  desk.settle();
  assert.deepEqual(desk.orders(), []);
  check(desk.state);
});

test('a wallet whose passed deadline has not fired yet cannot move it: engine_busy', () => {
  const desk = new Desk();
  const wallets = Array.from({ length: TIMED + 1 }, (_, wallet) => wallet);
  for (const wallet of wallets) {
    desk.bids(wallet, 1);
    desk.cancelAfter(wallet, 5_000);
  }
  desk.now += 5_000;
  runDue(desk.sequencer, desk.now);
  assert.equal(desk.cancelAfter(TIMED, 5_000), C.ENGINE_BUSY);
  assert.equal(desk.guard(TIMED, 5_000), C.ENGINE_BUSY);
  desk.settle();
  assert.equal(desk.count(TIMED), 0);
});

test('cancel after: a taker that arrives after the deadline but before its tick does not fill the wallet’s orders', () => {
  for (const tif of [IOC, FOK]) {
    const desk = new Desk();
    desk.bids(1, 3);
    desk.bids(3, 1);
    desk.cancelAfter(1, 1_000);
    desk.now += 1_000;
    assert.equal(desk.sell(2, 1, 0.003, { tif }), C.OK);
    assert.deepEqual(desk.emitted(FILL, FILL_MAKER), tif === IOC ? [desk.account(3)] : [], 'fok does not count them');
    const met = tif === IOC ? desk.emitted(ORDER_DONE, ORDER_REASON).filter((reason) => reason === C.DONE_CANCEL_AFTER).length : 0;
    assert.equal(met, tif === IOC ? 3 : 0);
    assert.deepEqual(desk.emitted(SAFETY_FIRED, SAFETY_REASON), [], 'the tick fires it');
    desk.events = [];
    desk.settle();
    assert.deepEqual(desk.emitted(SAFETY_FIRED, SAFETY_REASON), [C.DONE_CANCEL_AFTER]);
    assert.equal(
      desk.emitted(ORDER_DONE, ORDER_REASON).filter((reason) => reason === C.DONE_CANCEL_AFTER).length, 3 - met, 'each goes once',
    );
    assert.deepEqual([desk.count(1), desk.state.safety.cancelAt[desk.account(1)]], [0, 0]);
    check(desk.state);
  }
});

test('both: before the earlier deadline an order trades; after it a taker cancels the order with that deadline’s reason', () => {
  const desk = new Desk();
  desk.bids(1, 2);
  desk.cancelAfter(1, 2_000);
  desk.guard(1, 1_000);
  desk.gone(1);
  desk.now += 999;
  assert.equal(desk.sell(2, 1, 0.001, { tif: IOC }), C.OK);
  assert.deepEqual(desk.emitted(FILL, FILL_MAKER), [desk.account(1)]);
  desk.now += 5_000;
  assert.equal(desk.sell(2, 1, 0.001, { tif: IOC }), C.OK);
  assert.deepEqual(desk.emitted(FILL, FILL_MAKER), []);
  assert.ok(desk.emitted(ORDER_DONE, ORDER_REASON).includes(C.DONE_DISCONNECTED));
  desk.events = [];
  desk.settle();
  assert.deepEqual(desk.emitted(SAFETY_FIRED, SAFETY_REASON), [C.DONE_DISCONNECTED, C.DONE_CANCEL_AFTER]);
  check(desk.state);
});

test('when a passed deadline has not fired yet, the wallet’s orders neither trade nor can be replaced', () => {
  const desk = new Desk();
  const wallets = Array.from({ length: TIMED + 1 }, (_, wallet) => wallet);
  for (const wallet of wallets) {
    desk.bids(wallet, 2);
    desk.cancelAfter(wallet, 5_000);
  }
  desk.now += 5_000;
  runDue(desk.sequencer, desk.now);
  const [first] = desk.orders(TIMED);
  assert.equal(desk.replace(TIMED, first!.id, BUY, 101, 0.001), C.NOT_OPEN);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_CANCEL_AFTER]);
  assert.equal(desk.sell(90, 1, 1, { tif: IOC }), C.OK);
  assert.deepEqual(desk.emitted(FILL, FILL_MAKER), []);
  desk.settle();
  assert.deepEqual(desk.orders(), []);
  check(desk.state);
});

test('a state loaded from a snapshot fires the same deadlines as the original', () => {
  const desk = new Desk();
  for (let wallet = 0; wallet < 40; wallet++) {
    desk.bids(wallet, 1);
    if (wallet % 3 !== 0) desk.cancelAfter(wallet, 1_000 + (wallet * 37) % 500);
    if (wallet % 2 === 0) desk.guard(wallet, 1_200, wallet % 4 === 0 ? ID : [0, 0]);
    if (wallet % 4 === 0) desk.gone(wallet, ID);
  }
  const loaded = createState(desk.state.limits);
  restoreState(loaded, copyOf(desk.state));
  const other = new TestVenue({ state: loaded });
  other.now = desk.now;
  for (const ms of [900, 150, 200, 400, 1_000]) {
    desk.advance(ms);
    other.advance(ms);
    assert.equal(hashOf(loaded), hashOf(desk.state));
  }
  const left = Array.from({ length: 40 }, (_, wallet) => wallet).filter((wallet) => desk.count(wallet) > 0);
  assert.deepEqual(left, [3, 6, 9, 15, 18, 21, 27, 30, 33, 39]);
});
