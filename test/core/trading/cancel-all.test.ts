// Cancelling many orders by one command (decision 7.3): scopes, orders placed later, work in bounded steps, and that no order
// trades any more once the command was answered.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, FOK, IOC } from '../../../core/units.ts';
import { PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER_ORDER, ORDER_DONE, ORDER_ID, ORDER_REASON } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { hashOf, TestVenue } from '../../support/venue.ts';
import { TradingScene, REDUCE, check } from './support.ts';

/** Orders that one step cancels (core/trading/cancel-all). */
const A_STEP = 32;

class Desk extends TradingScene {
  cancelAll(wallet: number, of: Parameters<TestVenue['write']['cancelAll']>[2] = {}): number {
    return this.send(this.write.cancelAll(wallet, this.next(), of));
  }

  /** Bids of a wallet, a cent apart from `low` up, with consecutive ids. */
  bids(wallet: number, count: number, low = 100, slot = this.atm): void {
    for (let i = 0; i < count; i++) assert.equal(this.buy(wallet, low + i / 100, 0.001, { slot }), C.OK);
  }

  /** One step of work. */
  step(): boolean {
    this.events = [];
    return runDue(this.sequencer, this.now);
  }

  ids(wallet: number): number[] {
    return this.orders(wallet).map(({ id }) => id);
  }
}

test('cancel-all: a few orders are cancelled within the command, in all contracts, only those of the wallet', () => {
  const desk = new Desk();
  desk.bids(1, 3);
  desk.sell(1, 110_000, 0.01, { slot: desk.perp });
  desk.bids(2, 2);
  assert.equal(desk.cancelAll(1), C.OK);
  assert.deepEqual([desk.number(0), desk.number(1)], [4, 0]);
  assert.deepEqual([...desk.emitted(ORDER_DONE, ORDER_ID)].sort((a, b) => a - b), [1, 2, 3, 4]);
  assert.deepEqual(new Set(desk.emitted(ORDER_DONE, ORDER_REASON)), new Set([C.DONE_CANCELLED]));
  assert.deepEqual([desk.ids(1), desk.ids(2)], [[], [5, 6]]);
  assert.equal(desk.cancelAll(1), C.OK, 'without orders the command is accepted');
  assert.deepEqual([desk.number(0), desk.number(1)], [0, 0]);
  check(desk.state);
});

test('cancel-all: with a contract or an underlying as scope, only the orders of that scope are cancelled', () => {
  const desk = new Desk();
  const put = desk.nearest(PUT);
  const ether = desk.nearest(PUT, 'ETH');
  for (const slot of [desk.atm, put, ether, desk.atm]) desk.bids(1, 1, slot === ether ? 10 : 100, slot);
  assert.equal(desk.cancelAll(1, { contract: desk.contract(put) }), C.OK);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_ID), [2]);
  assert.equal(desk.cancelAll(1, { underlying: 'BTC' }), C.OK);
  assert.deepEqual([desk.number(0), desk.ids(1)], [2, [3]]);
  assert.equal(desk.cancelAll(1, { underlying: 'ETH' }), C.OK);
  assert.deepEqual(desk.ids(1), []);
});

test('cancel-all: an unknown contract or underlying as scope is refused, and nothing is cancelled', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  assert.equal(desk.cancelAll(1, { underlying: 'SOL' }), C.UNKNOWN_UNDERLYING);
  assert.equal(desk.cancelAll(1, { contract: { ...desk.contract(desk.atm), underlying: 'SOL' } }), C.UNKNOWN_UNDERLYING);
  assert.equal(desk.cancelAll(1, { contract: { ...desk.contract(desk.atm), strike: 12_345 } }), C.NOT_LISTED);
  assert.deepEqual(desk.ids(1), [1]);
});

test('cancel-all: many orders are cancelled in steps of 32; orders placed meanwhile stay', () => {
  const desk = new Desk();
  desk.bids(1, 2 * A_STEP + 5);
  assert.equal(desk.cancelAll(1), C.OK);
  assert.deepEqual([desk.number(0), desk.number(1)], [A_STEP, 1]);
  assert.equal(desk.ids(1).length, A_STEP + 5);
  desk.bids(1, 2, 90);
  const mine = desk.ids(1).slice(-2);
  assert.ok(desk.step());
  assert.equal(desk.emitted(ORDER_DONE, ORDER_ID).length, A_STEP);
  desk.settle();
  assert.deepEqual(desk.ids(1), mine);
  check(desk.state);
});

test('cancel-all: a taker that meets an order which waits to be cancelled cancels it and does not fill it', () => {
  for (const tif of [IOC, FOK]) {
    const desk = new Desk();
    desk.bids(3, 1, 50);
    desk.bids(1, A_STEP + 4);
    desk.cancelAll(1);
    assert.equal(desk.ids(1).length, 4);
    assert.equal(desk.sell(2, 50, 0.003, { tif }), C.OK);
    assert.deepEqual(desk.emitted(FILL, FILL_MAKER_ORDER), tif === IOC ? [1] : [], 'fok does not count them');
    if (tif === IOC) assert.deepEqual(desk.ids(1), []);
    desk.settle();
    assert.deepEqual(desk.ids(1), []);
    check(desk.state);
  }
});

test('cancel-all: when its own wallet meets an order that waits to be cancelled, it ends as cancelled, not as a self-trade', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP + 4);
  desk.cancelAll(1);
  const waiting = desk.ids(1);
  assert.equal(desk.buy(1, 100, 0.001), C.OK);
  const fresh = desk.number(0);
  assert.equal(desk.sell(1, 50, 0.003, { tif: IOC }), C.OK);
  const ends = desk.emitted(ORDER_DONE, ORDER_ID).map((id, i) => [id, desk.emitted(ORDER_DONE, ORDER_REASON)[i]]);
  assert.deepEqual(ends, [
    ...waiting.toReversed().map((id) => [id, C.DONE_CANCELLED]), [fresh, C.DONE_SELF_TRADE], [desk.number(0), C.DONE_IOC_REST],
  ]);
  desk.settle();
  check(desk.state);
});

test('cancel-all: an order that waits to be cancelled cannot be replaced', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP + 4);
  desk.cancelAll(1);
  const last = desk.ids(1).at(-1)!;
  assert.equal(desk.replace(1, last, BUY, 101, 0.001), C.NOT_OPEN);
  assert.equal(desk.number(0), last);
  assert.deepEqual([desk.emitted(ORDER_DONE, ORDER_ID), desk.emitted(ORDER_DONE, ORDER_REASON)], [[last], [C.DONE_CANCELLED]]);
  desk.settle();
  assert.deepEqual(desk.ids(1), []);
  check(desk.state);
});

test('cancel-all: the client id of an order that waits to be cancelled can be used again', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP);
  for (const clientId of ['mine', 'other']) assert.equal(desk.buy(1, 200, 0.001, { clientId }), C.OK);
  desk.cancelAll(1);
  const [mine, other] = desk.ids(1);
  assert.equal(desk.ids(1).length, 2);
  assert.equal(desk.buy(1, 300, 0.001, { clientId: 'mine' }), C.OK);
  assert.deepEqual([desk.emitted(ORDER_DONE, ORDER_ID), desk.emitted(ORDER_DONE, ORDER_REASON)], [[mine], [C.DONE_CANCELLED]]);
  const fresh = desk.number(0);
  assert.equal(desk.buy(1, 300, 0.001, { clientId: 'mine' }), C.DUPLICATE_CLIENT_ID, 'the new one keeps it');
  assert.equal(desk.replace(1, fresh, BUY, 301, 0.001, { clientId: 'other' }), C.OK);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_ID), [other, fresh]);
  const last = desk.number(0);
  desk.settle();
  assert.deepEqual(desk.ids(1), [last]);
  check(desk.state);
});

test('cancel-all: a refused order cancels only the waiting order with its client id', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP);
  for (const clientId of ['mine', 'other']) assert.equal(desk.buy(1, 200, 0.001, { clientId }), C.OK);
  desk.cancelAll(1);
  const [mine, other] = desk.ids(1);
  assert.equal(desk.buy(1, 300, 0.001, { clientId: 'mine', ...REDUCE }), C.REDUCE_ONLY_INCREASES);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_ID), [mine]);
  assert.deepEqual(desk.ids(1), [other]);
  check(desk.state);
});

test('cancel after: a replacement after the deadline but before its tick is refused, and the order ends', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  assert.equal(desk.send(desk.write.cancelAfter(1, desk.next(), 5_000)), C.OK);
  desk.now += 6_000;
  assert.equal(desk.replace(1, 1, BUY, 101, 0.001), C.NOT_OPEN);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_CANCEL_AFTER]);
  desk.settle();
  assert.deepEqual(desk.ids(1), []);
  check(desk.state);
});

test('cancel-all: an order placed while older ones wait to be cancelled trades normally', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP + 4);
  desk.cancelAll(1);
  desk.bids(1, 1, 500);
  const fresh = desk.ids(1).at(-1)!;
  assert.equal(desk.sell(2, 500, 0.001, { tif: IOC }), C.OK);
  assert.deepEqual(desk.emitted(FILL, FILL_MAKER_ORDER), [fresh]);
});

test('cancel-all: while orders of one contract wait to be cancelled, those of another contract still trade', () => {
  const desk = new Desk();
  const put = desk.nearest(PUT);
  desk.bids(1, A_STEP + 2);
  desk.bids(1, 1, 100, put);
  const [other] = desk.ids(1).slice(-1);
  desk.cancelAll(1, { contract: desk.contract(desk.atm) });
  assert.equal(desk.number(1), 1);
  assert.equal(desk.sell(2, 1, 0.001, { tif: IOC }), C.OK);
  assert.deepEqual(desk.emitted(FILL, FILL_MAKER_ORDER), []);
  assert.equal(desk.sell(2, 1, 0.001, { tif: IOC, slot: put }), C.OK);
  assert.deepEqual(desk.emitted(FILL, FILL_MAKER_ORDER), [other]);
});

test('cancel-all: with other work due it gets every other step; the command is charged to the budget of cancels', () => {
  const desk = new Desk({
    rules: { rated: true, table: DEFAULT_LIMITS.map((row) => ({ ...row, cancels: 2, openOrders: -1, orders: -1 })) },
  });
  desk.bids(1, 3 * A_STEP);
  desk.cancelAll(1);
  desk.venue(desk.write.index(0, 101_000_000_000, 1));
  const left: number[] = [];
  for (let step = 0; step < 4; step++) {
    desk.step();
    left.push(desk.ids(1).length);
  }
  assert.deepEqual(left, [A_STEP, A_STEP, 0, 0]);
  assert.equal(desk.cancelAll(1), C.OK);
  assert.equal(desk.cancelAll(1), C.RATE_LIMITED);
});

test('cancel-all: when 64 are in progress, another is refused with engine_busy, cancels nothing and leaves its nonce unused', () => {
  const desk = new Desk();
  const wallets = Array.from({ length: 64 }, (_, wallet) => wallet);
  for (const wallet of wallets) desk.bids(wallet, A_STEP + 1, 10);
  for (const wallet of wallets) assert.equal(desk.cancelAll(wallet), C.OK);
  desk.bids(80, 1, 10);
  const nonce = desk.next();
  assert.equal(desk.send(desk.write.cancelAll(80, nonce)), C.ENGINE_BUSY);
  assert.equal(desk.ids(80).length, 1);
  desk.settle();
  assert.equal(desk.send(desk.write.cancelAll(80, nonce)), C.OK);
  assert.deepEqual(desk.orders(), []);
});

test('cancel-all: a state loaded from a snapshot in the middle of the work ends in the same state', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 5 }), fc.integer({ min: A_STEP, max: 90 }), (steps, count) => {
    const desk = new Desk();
    desk.bids(1, count);
    desk.cancelAll(1, { underlying: 'BTC' });
    for (let step = 0; step < steps; step++) desk.step();
    const loaded = createState(desk.state.limits);
    restoreState(loaded, copyOf(desk.state));
    assert.equal(hashOf(loaded), hashOf(desk.state));
    const other = new TestVenue({ state: loaded });
    other.now = desk.now;
    desk.settle();
    other.settle();
    assert.equal(hashOf(loaded), hashOf(desk.state));
    assert.deepEqual(desk.orders(), []);
  }), { numRuns: 12 });
});
