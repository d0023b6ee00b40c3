// How an order stands and why it ended (decision 3.1), in rows and, for a replace of an ended order, on the streams (decision 3.8).

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { viewsOf } from '../../../core/codec/record.ts';
import * as errors from '../../../core/errors.ts';
import { BUY, IOC, SELL } from '../../../core/units.ts';
import { endedStatus } from '../../../shell/http/bodies/order-status.ts';
import type { OrderFilter, OrderStanding } from '../../../shell/ipc/queries.ts';
import { OrderEnds } from '../../../shell/reader/history/order-ends.ts';
import { Bench, CALL_100, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ALICE = walletText(1);

test('status=open lists partly filled orders too', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 1, side: SELL, price: 2_100 * USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE, tif: IOC });
  const listed = (...status: OrderFilter): unknown[] => (
    bench.body<{ data: Record<string, unknown>[] }>('orders', { wallet: ALICE, limit: 50, offset: 0, status }).data
      .map(({ order_id: id, status: of, order_status: same, end_reason: reason }) => [id, of, same, reason])
  );
  const [whole, partly] = [[2, 'open', 'open', null], [1, 'partially_filled', 'partially_filled', null]];
  assert.deepEqual(listed('open'), [whole, partly]);
  assert.deepEqual(listed('working'), [whole, partly]);
  assert.deepEqual(listed('partially_filled'), [partly]);
});

test('every end of an order has its own text', () => {
  const ends = Object.entries(errors).filter(([name]) => name.startsWith('DONE_')).map(([, code]) => endedStatus(code as number));
  assert.equal(new Set(ends.map(({ endReason }) => endReason)).size, ends.length);
  for (const { status, endReason } of ends) {
    assert.equal(status, endReason === 'Filled' ? 'filled' : 'canceled');
    assert.doesNotMatch(endReason!, /^Reason \d/);
  }
});

/** Alice's order 1 is filled, her order 3 is cancelled; Bob's order 2 filled the first, his order 4 is cancelled. */
function ended(t: TestContext, folder?: string): Bench {
  const bench = new Bench(t, folder === undefined ? {} : { folder });
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE });
  for (const wallet of [1, 2]) bench.place({ wallet, side: BUY, price: 100 * USDC, size: ONE });
  bench.cancel(1, 3);
  bench.cancel(2, 4);
  return bench;
}

function replaceTooLate(bench: Bench, ids: readonly number[]): void {
  const { venue } = bench;
  for (const id of ids) {
    const order = { ...CALL_100, wallet: 1, side: BUY, price: 100 * USDC, size: ONE, nonce: ++bench.nonce };
    assert.notEqual(venue.send(venue.write.replace(order, id)), errors.OK);
  }
}

const REASONS = [
  'Order 1 is already filled and cannot be cancelled', 'Order not found for cancellation: 2', 'Order 3 was already cancelled',
  'Order not found for cancellation: 4', 'Order not found for cancellation: 99',
];

test('a late replace has the same reason on the stream as in its answer, and again when resumed', (t) => {
  const bench = ended(t);
  const { body } = bench.answer('subscribe', { channel: 'order_updates', key: ALICE });
  const { seq } = JSON.parse(body) as { seq: number };
  replaceTooLate(bench, [1, 2, 3, 4, 99]);
  bench.feed();
  const live = bench.sent.map(({ message }) => [message.status, message.order_id, message.reason]);
  assert.deepEqual(live, REASONS.map((reason) => ['REJECTED', null, reason]));
  const answers = [1, 2, 3, 4].map((id) => (
    bench.body<OrderStanding>('order', { wallet: ALICE, as_of: bench.reader.applied, order_id: String(id) }).state
  ));
  assert.deepEqual(answers, ['filled', 'unknown', 'cancelled', 'unknown']);
  const resumed = (): unknown[] => {
    const answer = bench.answer('subscribe', { channel: 'order_updates', key: ALICE, from_seq: seq });
    return (JSON.parse(answer.body) as { messages: Record<string, unknown>[] }).messages;
  };
  assert.deepEqual(resumed(), bench.sent.map(({ message }) => message), 'from memory');
  bench.commit();
  assert.deepEqual(resumed(), bench.sent.map(({ message }) => message), 'from the history');
});

test('for an order that ended before the start, its record waits until the history says how it ended', (t) => {
  const before = ended(t);
  before.commit();
  before.history.store.close();
  // A reader that begins behind all of it knows these orders from the history alone.
  const bench = new Bench(t, { venue: before.venue, folder: before.folder });
  bench.nonce = before.nonce;
  const fresh = new OrderEnds(bench.reader.state, {
    standing: (wallet, which, take) => {
      assert.ok('orderId' in which);
      take(bench.body<OrderStanding>('order', { wallet, as_of: bench.reader.applied, order_id: String(which.orderId) }));
    },
  });
  for (const [at, id] of [1, 2, 3, 4].entries()) {
    replaceTooLate(bench, [id]);
    assert.equal(fresh.isReady(viewsOf(bench.venue.log.kept.at(-1)!.buffer as ArrayBuffer), 0), true);
    assert.equal(fresh.reasonOf(ALICE, id), REASONS[at]);
    bench.feed();
  }
});

test('a record that names an ended order waits only for its answer; one that names an open order does not wait', (t) => {
  const bench = ended(t);
  bench.place({ wallet: 1, side: BUY, price: 100 * USDC, size: ONE });
  const asked: (() => void)[] = [];
  const fresh = new OrderEnds(bench.reader.state, {
    standing: (_, __, take) => void asked.push(() => take({ state: 'cancelled', order: null, reason: errors.DONE_CANCELLED })),
  });
  const isReady = (id: number): boolean => {
    const order = { ...CALL_100, wallet: 1, side: BUY, price: 100 * USDC, size: ONE, nonce: ++bench.nonce };
    return fresh.isReady(bench.venue.write.replace(order, id), 0);
  };
  assert.equal(isReady(5), true, 'it is open');
  assert.equal(isReady(99), true, 'there is none');
  assert.deepEqual([isReady(3), isReady(3), asked.length], [false, false, 1], 'asked once');
  asked[0]!();
  assert.equal(isReady(3), true);
  assert.equal(fresh.reasonOf(ALICE, 3), REASONS[2]);
});
