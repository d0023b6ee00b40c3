// Streams about a protection that an order's own fills trigger: the order's end with its reason and filled size; the counterparty gets
// only its fill.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { OK } from '../../../core/errors.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { Bench, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;

test('an order filled by its own trigger is FILLED on the stream; the counterparty sees only its fill', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  const terms = { interval: 60_000, frozen: 60_000, quantity: ONE / 2, delta: -1, vega: -1 };
  assert.equal(venue.send(venue.write.mmp(2, ++bench.nonce, 'BTC', terms)), OK);
  bench.feed();
  const topics = [1, 2].map((wallet) => (
    bench.body<{ topic: number }>('subscribe', { channel: 'order_updates', key: walletText(wallet) }).topic
  ));
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE });
  const told = (at: number): unknown[] => bench.sent.filter(({ topic }) => topic === topics[at]).map(({ message }) => (
    [message['status'], message['filled_size'], message['reason']]
  ));
  assert.deepEqual(told(1), [['ACKED', '0', null], ['FILLED', '1', null]]);
  assert.deepEqual(told(0), [['ACKED', '0', null], ['OPEN', '0', null], ['PARTIALLY_FILLED', '1', null]]);
});

test('the unfilled rest of an order that triggers protection is CANCELED with the reason', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  const terms = { interval: 60_000, frozen: 60_000, quantity: ONE / 2, delta: -1, vega: -1 };
  assert.equal(venue.send(venue.write.mmp(2, ++bench.nonce, 'BTC', terms)), OK);
  bench.feed();
  const { topic } = bench.body<{ topic: number }>('subscribe', { channel: 'order_updates', key: walletText(2) });
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 3 * ONE });
  const told = bench.sent.filter((one) => one.topic === topic).map(({ message }) => (
    [message['status'], message['filled_size'], message['reason']]
  ));
  assert.deepEqual(told, [['ACKED', '0', null], ['CANCELED', '1', 'MMP triggered during fill processing']]);
});
