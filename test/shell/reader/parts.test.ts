// Parts of the reader by themselves: statistics of a day, digests that meet, the outbox to an api thread with its bound on waiting.

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { partsOf } from '../../../shell/http/limits.ts';
import { forwardedSource, sourceOfAddress, type Source } from '../../../shell/http/source.ts';
import { ReaderClient } from '../../../shell/api/reader-client.ts';
import { DigestCheck } from '../../../shell/reader/digest-check.ts';
import { Outbox } from '../../../shell/reader/outbox.ts';
import {
  ANSWER, ANSWER_HEAD_BYTES, CHARGE_API, LARGE, READ_TIMED_OUT, STREAM, type Answer, type Large,
} from '../../../shell/ipc/queries.ts';
import { BUCKET, Statistics } from '../../../shell/reader/market/statistics.ts';
import { createDoorbell, Ringer } from '../../../shell/ipc/doorbell.ts';
import { createCounters, HeartbeatWatch, SharedCounters, type Counter } from '../../../shell/ipc/counters.ts';
import { createRing, ringConsumer, ringProducer, type RingConsumer } from '../../../shell/ipc/ring.ts';
import { IN_FLIGHT } from '../../../shell/process/wiring.ts';

const HOUR = 3_600_000;
/** Of a tier without reads. */
const NOTHING = { limit: 0, left: 0, windowEnd: 60 };

test('statistics: volume and extremes of the last day, at most a bucket more, and the last price of any age', () => {
  const statistics = new Statistics();
  const start = 490_000 * HOUR;
  const empty = { volume: 0, turnover: 0, high: null, low: null, first: null, last: null };
  assert.deepEqual(statistics.of('A', start), empty);
  statistics.add('A', start, 5e6, 2e6);
  statistics.add('A', start + HOUR, 9e6, 1e6);
  statistics.add('A', start + HOUR + 1, 4e6, 1e6);
  statistics.add('B', start + HOUR + 2, 1e6, 1e6);
  assert.deepEqual(statistics.of('A', start + 2 * HOUR), { volume: 4e6, turnover: 23, high: 9e6, low: 4e6, first: 5e6, last: 4e6 });
  const whole = { volume: 4e6, turnover: 23, high: 9e6, low: 4e6, first: 5e6, last: 4e6 };
  assert.deepEqual(statistics.of('A', start + 24 * HOUR + BUCKET - 1), whole);
  assert.deepEqual(statistics.of('A', start + 24 * HOUR + BUCKET), {
    volume: 2e6, turnover: 13, high: 9e6, low: 4e6, first: 9e6, last: 4e6,
  });
  assert.deepEqual(statistics.of('A', start + 25 * HOUR + BUCKET), { ...empty, last: 4e6 });
  statistics.add('A', start + 48 * HOUR, 7e6, 1e6);
  assert.deepEqual(statistics.of('A', start + 48 * HOUR), { volume: 1e6, turnover: 7, high: 7e6, low: 7e6, first: 7e6, last: 7e6 });
});

test('digests: the first waits for the other, and different words are a mismatch with the seq', () => {
  const check = new DigestCheck();
  check.own(4_095, new Uint32Array([1, 2]));
  check.own(4_096, new Uint32Array([1, 2]));
  assert.equal(check.waiting, 1);
  check.other({ seq: 4_096, low: 1, high: 2 });
  check.other({ seq: 8_192, low: 1, high: 2 });
  assert.equal(check.waiting, 1);
  assert.throws(() => check.own(8_192, new Uint32Array([1, 3])), { name: 'DigestMismatch', message: /at seq 8192 differ/ });
});

type Record = { kind: number; number: number; first: number; second: number; text: string };

type Mailbox = {
  readonly outbox: Outbox; readonly take: (count?: number) => Record[]; readonly clock: { now: number }; readonly port: MessageChannel;
  readonly beat: Counter;
};

/** An outbox on a ring of 4 KiB whose largest record has 1 KiB; `take` reads what the api thread would, `beat` is its heart. */
function mailbox(t: TestContext): Mailbox {
  const ring = createRing({ bytes: 4_096, consumers: 1, largest: 1_024 });
  const port = new MessageChannel();
  const { doorbell, ringers } = createDoorbell(1);
  const clock = { now: 0 };
  const beat = new SharedCounters(createCounters(['beat'])).counter('beat');
  const outbox = new Outbox(ringProducer(ring), port.port1, new Ringer(ringers[0]!), new HeartbeatWatch(beat, 0), () => clock.now);
  t.after(() => {
    outbox.close();
    port.port2.close();
    for (const one of doorbell.ports) one.close();
  });
  const consumer = ringConsumer(ring, 0);
  return { outbox, take: (count = Infinity) => takeRecords(consumer, count), clock, port, beat };
}

function takeRecords(consumer: RingConsumer, count: number): Record[] {
  const records: Record[] = [];
  for (let at = 0; records.length < count && (at = consumer.next()) >= 0;) {
    const { u8, u32 } = consumer.views;
    const word = at >>> 2;
    const kind = u32[word + 1]!;
    const length = kind === LARGE ? 0 : u32[word + 3]!;
    records.push({
      kind, number: u32[word + 2]!, first: kind === LARGE ? 0 : u32[word + 4]!, second: kind === LARGE ? 0 : u32[word + 5]!,
      text: Buffer.from(u8.slice(at + ANSWER_HEAD_BYTES, at + ANSWER_HEAD_BYTES + length)).toString(),
    });
  }
  consumer.release();
  return records;
}

test('outbox: answers and messages come in order, and large ones by port before their record', (t) => {
  const { outbox, take, port } = mailbox(t);
  outbox.answer(7, 404, Buffer.from('{"error":"not_found"}'));
  outbox.stream(3, 2 ** 33 + 5, Buffer.from('message'));
  outbox.answer(8, 200, Buffer.from('x'.repeat(5_000)));
  outbox.stream(3, 6, Buffer.from('y'.repeat(6_000)), 9);
  outbox.stream(3, 7, Buffer.from('after'));
  assert.deepEqual(take(), [], 'nothing is seen before the flush');
  outbox.flush();
  assert.deepEqual(take(), [
    { kind: ANSWER, number: 7, first: 404, second: 0, text: '{"error":"not_found"}' },
    { kind: STREAM, number: 3, first: 5, second: 2, text: 'message' },
    { kind: LARGE, number: 8, first: 0, second: 0, text: '' },
    { kind: LARGE, number: 3, first: 0, second: 0, text: '' },
    { kind: STREAM, number: 3, first: 7, second: 0, text: 'after' },
  ]);
  const bodies = { answer: new Uint8Array(Buffer.from('x'.repeat(5_000))), message: new Uint8Array(Buffer.from('y'.repeat(6_000))) };
  assert.deepEqual([posted(port), posted(port)], [
    { request: 8, answer: { status: 200, body: bodies.answer, budget: null, seq: 0 } }, { topic: 3, also: 9, body: bodies.message },
  ]);
});

function posted(port: MessageChannel): Large | undefined {
  return (receiveMessageOnPort(port.port2) as { message: Large } | undefined)?.message;
}

test('outbox: no more large messages are in the port than the ring has room for', (t) => {
  const { outbox, take, port } = mailbox(t);
  for (let i = 0; i < 6; i++) outbox.stream(i, i, Buffer.alloc(3_000, 65 + i));
  outbox.flush();
  for (let i = 0; i < 4; i++) assert.equal((posted(port) as { topic: number }).topic, i);
  assert.equal(posted(port), undefined, 'four records of 1 KiB fill the ring');
  assert.equal(take().length, 4);
  outbox.flush();
  assert.deepEqual([posted(port), posted(port)], [4, 5].map((topic) => ({ topic, also: 0, body: new Uint8Array(3_000).fill(65 + topic) })));
});

test('outbox: a body that waits or goes by port is copied, because its buffer is reused', (t) => {
  const { outbox, take, port } = mailbox(t);
  const lent = Buffer.alloc(900);
  for (let i = 0; i < 20; i++) outbox.answer(i, 200, lent.fill(65 + i));
  const texts: string[] = [];
  while (texts.length < 20) {
    outbox.flush();
    texts.push(...take().map(({ text }) => text));
  }
  assert.deepEqual(texts, Array.from({ length: 20 }, (_, i) => String.fromCharCode(65 + i).repeat(900)));
  const room = Buffer.alloc(9_000, 'x');
  outbox.answer(20, 200, room.subarray(0, 5_000));
  room.fill('y');
  const { body } = (posted(port) as { answer: Answer }).answer;
  assert.deepEqual([Buffer.from(body).toString(), body.buffer.byteLength], ['x'.repeat(5_000), 5_000]);
});

test('outbox: messages wait in order for a slow thread; five seconds without a heartbeat are fatal', (t) => {
  const { outbox, take, clock, beat } = mailbox(t);
  for (let i = 0; i < 20; i++) outbox.stream(1, i, Buffer.alloc(900, i));
  outbox.flush();
  assert.equal(outbox.isEmpty, false);
  const seqs: number[] = [];
  while (!outbox.isEmpty) {
    clock.now += 4_000;
    beat.add(1);
    seqs.push(...take(1).map((record) => record.first));
    outbox.flush();
  }
  seqs.push(...take().map((record) => record.first));
  assert.deepEqual(seqs, Array.from({ length: 20 }, (_, i) => i));
  clock.now += 60_000;
  beat.add(1);
  for (let i = 0; i < 20; i++) outbox.answer(i, 200, Buffer.alloc(900));
  for (let seconds = 0; seconds < 20; seconds++) {
    clock.now += 1_000;
    beat.add(1);
    outbox.flush();
  }
  assert.equal(outbox.isEmpty, false, 'a slow thread, which took nothing for 20 s, is no dead one');
  clock.now += 5_000;
  outbox.flush();
  clock.now += 1;
  assert.throws(() => outbox.flush(), /an api thread made no progress for 5000 ms/);
});

test('a zero budget is passed on as a budget, with a small or a large answer', (t) => {
  const ring = createRing({ bytes: 4_096, consumers: 1, largest: 1_024 });
  const [port, bell] = [new MessageChannel(), createDoorbell(1)];
  const beat = new SharedCounters(createCounters(['beat'])).counter('beat');
  const outbox = new Outbox(ringProducer(ring), port.port1, new Ringer(bell.ringers[0]!), new HeartbeatWatch(beat, 0), () => 0);
  t.after(() => {
    outbox.close();
    port.port2.close();
    for (const one of bell.doorbell.ports) one.close();
  });
  const queries = createRing({ bytes: 4_096, consumers: 1, largest: 1_024 });
  const reads = new ReaderClient({
    queries: ringProducer(queries), answers: ringConsumer(ring, 0), large: port.port2, ringReader: { ringSoon: () => undefined } as never,
    steady: () => 0, onStream: () => assert.fail(),
  });
  const budgets: (object | null)[] = [];
  for (const [bytes, budget] of [[10, null], [10, NOTHING], [2_000, null], [2_000, NOTHING]] as const) {
    assert.ok(reads.ask('exchange', {}, (answer) => budgets.push(answer.budget), assert.fail));
    outbox.answer(budgets.length + 1, 429, Buffer.alloc(bytes), { budget });
    outbox.flush();
    reads.drain(10, 1);
  }
  assert.deepEqual(budgets, [null, NOTHING, null, NOTHING]);
});

test('a source has a share of the reads in flight, freed by an answer or when none will come', (t) => {
  const [ring, queries] = [4_096, 1 << 20].map((bytes) => createRing({ bytes, consumers: 1, largest: 1_024 }));
  const { port1, port2 } = new MessageChannel();
  t.after(() => [port1, port2].forEach((port) => port.close()));
  const answers = ringProducer(ring!);
  const reads = new ReaderClient({
    queries: ringProducer(queries!), answers: ringConsumer(ring!, 0), large: port2, ringReader: { ringSoon: () => undefined } as never,
    steady: () => 0, onStream: () => assert.fail(),
  });
  const [one, other] = ['203.0.113.1', '203.0.113.2'].map((address) => forwardedSource(address));
  const local = sourceOfAddress(Uint8Array.of(127, 0, 0, 1));
  const nothing = (): void => undefined;
  const ask = (source: Source | undefined): boolean => (
    reads.ask('exchange', {}, nothing, nothing, source === undefined ? null : { charge: CHARGE_API, source })
  );
  const fill = (source: Source): number => {
    let count = 0;
    while (ask(source)) count++;
    return count;
  };
  const answer = (request: number, status: number): void => {
    const at = answers.claim(ANSWER_HEAD_BYTES);
    answers.views.u32.set([ANSWER, request, 0, status, 0, 0, 0], (at >>> 2) + 1);
    answers.publish();
    reads.drain(10, 1);
  };
  assert.equal(fill(one!), partsOf(IN_FLIGHT).amount);
  assert.deepEqual([ask(other), ask(undefined)], [true, true], 'there is room for others, and for what the thread itself asks');
  answer(1, 200);
  assert.deepEqual([ask(one), ask(one)], [true, false]);
  reads.sweep(Infinity);
  assert.equal(ask(one), false, 'the answers are still to come');
  answer(2, 200);
  answer(3, READ_TIMED_OUT);
  assert.deepEqual([ask(one), ask(one), ask(one)], [true, true, false]);
  assert.equal(fill(local), IN_FLIGHT - partsOf(IN_FLIGHT).amount - 2);
});
