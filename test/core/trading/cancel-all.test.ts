// Cancelling many orders by one command (decision 7.3): scopes, orders placed later, work in bounded steps, and that no order
// of a command that was answered trades any more, whoever comes first.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as C from '../../../core/errors.ts';
import { BUY, FOK, IOC } from '../../../core/units.ts';
import { PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER_ORDER, ORDER_DONE, ORDER_ID, ORDER_REASON } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { hashOf, TestVenue } from '../../support/venue.ts';
import { Floor, REDUCE, check } from './support.ts';

/** Orders that one step cancels (core/trading/cancel-all). */
const A_STEP = 32;

class Desk extends Floor {
  cancelAll(wallet: number, of: Parameters<TestVenue['write']['cancelAll']>[2] = {}): number {
    return this.send(this.write.cancelAll(wallet, this.next(), of));
  }

  /** Bids of a wallet, a cent apart from `low` up; their ids are in a row. */
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

test('cancel-all: a few orders are gone with the command, of the wallet alone, wherever they stand', () => {
  const desk = new Desk();
  desk.bids(1, 3);
  desk.sell(1, 110_000, 0.01, { slot: desk.perp });
  desk.bids(2, 2);
  assert.equal(desk.cancelAll(1), C.OK);
  assert.deepEqual([desk.number(0), desk.number(1)], [4, 0]);
  assert.deepEqual([...desk.told(ORDER_DONE, ORDER_ID)].sort((a, b) => a - b), [1, 2, 3, 4]);
  assert.deepEqual(new Set(desk.told(ORDER_DONE, ORDER_REASON)), new Set([C.DONE_CANCELLED]));
  assert.deepEqual([desk.ids(1), desk.ids(2)], [[], [5, 6]]);
  assert.equal(desk.cancelAll(1), C.OK, 'nothing to cancel is no mistake');
  assert.deepEqual([desk.number(0), desk.number(1)], [0, 0]);
  check(desk.state);
});

test('cancel-all: of one contract, of one underlying', () => {
  const desk = new Desk();
  const put = desk.nearest(PUT);
  const ether = desk.nearest(PUT, 'ETH');
  for (const slot of [desk.atm, put, ether, desk.atm]) desk.bids(1, 1, slot === ether ? 10 : 100, slot);
  assert.equal(desk.cancelAll(1, { contract: desk.contract(put) }), C.OK);
  assert.deepEqual(desk.told(ORDER_DONE, ORDER_ID), [2]);
  assert.equal(desk.cancelAll(1, { underlying: 'BTC' }), C.OK);
  assert.deepEqual([desk.number(0), desk.ids(1)], [2, [3]]);
  assert.equal(desk.cancelAll(1, { underlying: 'ETH' }), C.OK);
  assert.deepEqual(desk.ids(1), []);
});

test('cancel-all: a scope that names nothing is refused and cancels nothing', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  assert.equal(desk.cancelAll(1, { underlying: 'SOL' }), C.UNKNOWN_UNDERLYING);
  assert.equal(desk.cancelAll(1, { contract: { ...desk.contract(desk.atm), underlying: 'SOL' } }), C.UNKNOWN_UNDERLYING);
  assert.equal(desk.cancelAll(1, { contract: { ...desk.contract(desk.atm), strike: 12_345 } }), C.NOT_LISTED);
  assert.deepEqual(desk.ids(1), [1]);
});

test('cancel-all: many orders go a step at a time; what is placed meanwhile stays', () => {
  const desk = new Desk();
  desk.bids(1, 2 * A_STEP + 5);
  assert.equal(desk.cancelAll(1), C.OK);
  assert.deepEqual([desk.number(0), desk.number(1)], [A_STEP, 1]);
  assert.equal(desk.ids(1).length, A_STEP + 5);
  desk.bids(1, 2, 90);
  const mine = desk.ids(1).slice(-2);
  assert.ok(desk.step());
  assert.equal(desk.told(ORDER_DONE, ORDER_ID).length, A_STEP);
  desk.settle();
  assert.deepEqual(desk.ids(1), mine);
  check(desk.state);
});

test('cancel-all: an order that waits to be cancelled is cancelled by whoever meets it, and fills nobody', () => {
  for (const tif of [IOC, FOK]) {
    const desk = new Desk();
    desk.bids(3, 1, 50);
    desk.bids(1, A_STEP + 4);
    desk.cancelAll(1);
    assert.equal(desk.ids(1).length, 4);
    assert.equal(desk.sell(2, 50, 0.003, { tif }), C.OK);
    assert.deepEqual(desk.told(FILL, FILL_MAKER_ORDER), tif === IOC ? [1] : [], 'fok does not count them');
    if (tif === IOC) assert.deepEqual(desk.ids(1), []);
    desk.settle();
    assert.deepEqual(desk.ids(1), []);
    check(desk.state);
  }
});

test('cancel-all: an order that waits to be cancelled ends for that, also where its own wallet meets it', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP + 4);
  desk.cancelAll(1);
  const waiting = desk.ids(1);
  assert.equal(desk.buy(1, 100, 0.001), C.OK);
  const fresh = desk.number(0);
  assert.equal(desk.sell(1, 50, 0.003, { tif: IOC }), C.OK);
  const ends = desk.told(ORDER_DONE, ORDER_ID).map((id, i) => [id, desk.told(ORDER_DONE, ORDER_REASON)[i]]);
  assert.deepEqual(ends, [
    ...waiting.toReversed().map((id) => [id, C.DONE_CANCELLED]), [fresh, C.DONE_SELF_TRADE], [desk.number(0), C.DONE_IOC_REST],
  ]);
  desk.settle();
  check(desk.state);
});

test('cancel-all: an order that waits to be cancelled cannot be replaced: it would live on in the new one', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP + 4);
  desk.cancelAll(1);
  const last = desk.ids(1).at(-1)!;
  assert.equal(desk.replace(1, last, BUY, 101, 0.001), C.NOT_OPEN);
  assert.equal(desk.number(0), last);
  assert.deepEqual([desk.told(ORDER_DONE, ORDER_ID), desk.told(ORDER_DONE, ORDER_REASON)], [[last], [C.DONE_CANCELLED]]);
  desk.settle();
  assert.deepEqual(desk.ids(1), []);
  check(desk.state);
});

test('cancel-all: an order that waits to be cancelled does not keep its client id', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP);
  for (const clientId of ['mine', 'other']) assert.equal(desk.buy(1, 200, 0.001, { clientId }), C.OK);
  desk.cancelAll(1);
  const [mine, other] = desk.ids(1);
  assert.equal(desk.ids(1).length, 2);
  assert.equal(desk.buy(1, 300, 0.001, { clientId: 'mine' }), C.OK);
  assert.deepEqual([desk.told(ORDER_DONE, ORDER_ID), desk.told(ORDER_DONE, ORDER_REASON)], [[mine], [C.DONE_CANCELLED]]);
  const fresh = desk.number(0);
  assert.equal(desk.buy(1, 300, 0.001, { clientId: 'mine' }), C.DUPLICATE_CLIENT_ID, 'the new one keeps it');
  assert.equal(desk.replace(1, fresh, BUY, 301, 0.001, { clientId: 'other' }), C.OK);
  assert.deepEqual(desk.told(ORDER_DONE, ORDER_ID), [other, fresh]);
  const last = desk.number(0);
  desk.settle();
  assert.deepEqual(desk.ids(1), [last]);
  check(desk.state);
});

test('cancel-all: a refused order takes nothing but what was ended already', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP);
  for (const clientId of ['mine', 'other']) assert.equal(desk.buy(1, 200, 0.001, { clientId }), C.OK);
  desk.cancelAll(1);
  const [mine, other] = desk.ids(1);
  assert.equal(desk.buy(1, 300, 0.001, { clientId: 'mine', ...REDUCE }), C.REDUCE_ONLY_INCREASES);
  assert.deepEqual(desk.told(ORDER_DONE, ORDER_ID), [mine]);
  assert.deepEqual(desk.ids(1), [other]);
  check(desk.state);
});

test('cancel after: a replacement that comes before the tick finds its order ended', () => {
  const desk = new Desk();
  desk.bids(1, 1);
  assert.equal(desk.send(desk.write.cancelAfter(1, desk.next(), 5_000)), C.OK);
  desk.now += 6_000;
  assert.equal(desk.replace(1, 1, BUY, 101, 0.001), C.NOT_OPEN);
  assert.deepEqual(desk.told(ORDER_DONE, ORDER_REASON), [C.DONE_CANCEL_AFTER]);
  desk.settle();
  assert.deepEqual(desk.ids(1), []);
  check(desk.state);
});

test('cancel-all: what the wallet places while others of its orders wait trades as ever', () => {
  const desk = new Desk();
  desk.bids(1, A_STEP + 4);
  desk.cancelAll(1);
  desk.bids(1, 1, 500);
  const fresh = desk.ids(1).at(-1)!;
  assert.equal(desk.sell(2, 500, 0.001, { tif: IOC }), C.OK);
  assert.deepEqual(desk.told(FILL, FILL_MAKER_ORDER), [fresh]);
});

test('cancel-all: the scope of what waits is kept: others of the wallet trade', () => {
  const desk = new Desk();
  const put = desk.nearest(PUT);
  desk.bids(1, A_STEP + 2);
  desk.bids(1, 1, 100, put);
  const [other] = desk.ids(1).slice(-1);
  desk.cancelAll(1, { contract: desk.contract(desk.atm) });
  assert.equal(desk.number(1), 1);
  assert.equal(desk.sell(2, 1, 0.001, { tif: IOC }), C.OK);
  assert.deepEqual(desk.told(FILL, FILL_MAKER_ORDER), []);
  assert.equal(desk.sell(2, 1, 0.001, { tif: IOC, slot: put }), C.OK);
  assert.deepEqual(desk.told(FILL, FILL_MAKER_ORDER), [other]);
});

test('cancel-all: it has every other step while there is other work, and takes its budget from cancels', () => {
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

test('cancel-all: with no room for one more in hand it is refused, nothing cancelled, the nonce not used', () => {
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

test('cancel-all: in the middle of it a state that was loaded goes on the same', () => {
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
