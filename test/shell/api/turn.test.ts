// How many answers an api thread takes from the ring in one event-loop turn: bounded in number and time. A command's reply comes before
// its stream messages.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { ReaderClient } from '../../../shell/api/reader-client.ts';
import { STREAM, ANSWER_HEAD_BYTES } from '../../../shell/ipc/queries.ts';
import { createRing, ringConsumer, ringDepth, ringProducer } from '../../../shell/ipc/ring.ts';
import { SocketClient } from '../../support/socket.ts';
import { Harness, topicOf, until } from './harness.ts';
import { order } from './requests.ts';
import { nobleSigner } from './wallets.ts';

const RECORDS = 20;
const COST_MS = 6;

/** A ring of answers with some records, each of which costs the thread COST_MS of `clock`. */
function answering(t: TestContext): { reads: ReaderClient; clock: { now: number }; taken: number[]; depth: () => number } {
  const ring = createRing({ bytes: 4_096, consumers: 1, largest: 1_024 });
  const { port1, port2 } = new MessageChannel();
  t.after(() => [port1, port2].forEach((port) => port.close()));
  const clock = { now: 1_000 };
  const taken: number[] = [];
  const reads = new ReaderClient({
    queries: {} as never, answers: ringConsumer(ring, 0), large: port1 as never, ringReader: {} as never, steady: () => clock.now,
    onStream: (topic) => {
      taken.push(topic);
      clock.now += COST_MS;
    },
  });
  const producer = ringProducer(ring);
  for (let topic = 0; topic < RECORDS; topic++) {
    const at = producer.claim(ANSWER_HEAD_BYTES);
    producer.views.u32.set([STREAM, topic, 0, 0, 0], (at >>> 2) + 1);
  }
  producer.publish();
  return { reads, clock, taken, depth: () => ringDepth(ring, 0) };
}

test('expensive answers end a turn by time, at least one is taken, and all arrive in order', (t) => {
  const { reads, clock, taken, depth } = answering(t);
  assert.equal(reads.drain(100, clock.now + 15), 100, 'the turn is over');
  assert.deepEqual([taken.length, depth()], [3, (RECORDS - 3) * ANSWER_HEAD_BYTES], 'what was taken is given back to the reader');
  assert.equal(reads.drain(100, clock.now - 1), 100);
  assert.equal(taken.length, 4);
  while (depth() > 0) reads.drain(100, clock.now + 15);
  assert.deepEqual(taken, Array.from({ length: RECORDS }, (_, topic) => topic));
});

test('cheap answers end a turn by their number', (t) => {
  const { reads, taken, depth } = answering(t);
  assert.equal(reads.drain(7, Infinity), 7);
  assert.equal(reads.drain(100, Infinity), RECORDS - 7);
  assert.deepEqual([taken.length, depth()], [RECORDS, 0]);
});

test('an order is answered before its stream message, even if it becomes durable during a read', async (t) => {
  const venue = new Harness();
  t.after(() => venue.close());
  const signer = nobleSigner(1);
  const client = await SocketClient.open(venue.url, `?wallet=${signer.address}`);
  client.send({ type: 'Subscribe', channel: 'order_updates' });
  await client.until(({ type }) => type === 'Subscribed');
  const seq = venue.core.seq();
  venue.isStalled = true;
  client.send({ type: 'PlaceOrder', ...order(signer, { symbol: venue.calls()[0]! }) });
  await until(() => venue.core.seq() > seq);
  const headers = {
    accept: '', authorization: '', 'content-encoding': '', 'content-type': '', host: '', origin: '',
    'accept-encoding': '', 'if-none-match': '',
  };
  const source = { network: '127.0.0.1', digest: 1, loopback: true };
  venue.service.route({ method: 'GET', path: '/markets', query: '', headers, body: null, source }, {
    aborted: false,
    send: () => {
      venue.makeDurable();
      venue.stream(topicOf(`order_updates ${signer.address}`), { type: 'OrderUpdate', seq: 1 });
    },
  });
  assert.deepEqual([(await client.next()).type, (await client.next()).type], ['OrderResult', 'OrderUpdate']);
});
