// The reader's turns over real rings: nothing above `durable` is applied or sent, a read sees all that was durable when it was taken,
// full queues wait, snapshots are at the ends of frames, and the end leaves nothing behind.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PUT } from '../../../core/codec/commands.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { ReadQueue } from '../../../shell/reader/read-queue.ts';
import { CHARGE_API, CHARGE_NONE, READ_TIMED_OUT, QUERIES, type QueryName } from '../../../shell/ipc/queries.ts';
import { InstrumentBodies } from '../../../shell/reader/market/instruments.ts';
import { Medals } from '../../../shell/reader/competitions/medals.ts';
import { PortfolioBodies } from '../../../shell/reader/account/portfolio.ts';
import { Doorbell } from '../../../shell/ipc/doorbell.ts';
import type { Contract } from '../../support/records.ts';
import { FREE, ReaderLoopHarness, type Answered } from './reader-loop-harness.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const openOrdersOf = (answer: Answered | undefined): unknown => (answer?.body.pagination as { count: number } | undefined)?.count;
const PUT_100: Contract = { ...CALL_100, kind: PUT };
const PUT_100_SYMBOL = 'BTC-20260106-100000-P';
const ORDERS = { wallet: walletText(1), limit: 50, offset: 0, status: ['open'] } as const;

test('while a commit is stalled, records above durable are neither applied nor shown', async (t) => {
  const harness = new ReaderLoopHarness(t);
  const first = harness.publish();
  await harness.makeDurable(first);
  assert.equal(harness.reader.applied, first);
  harness.place(1, SELL, 1);
  harness.place(1, SELL, 2);
  const last = harness.publish();
  const before = await harness.ask('orders', ORDERS);
  assert.equal(harness.reader.applied, first);
  harness.history.run(harness.reader);
  harness.loop.fromHistory({ type: 'committed', seq: 0 });
  await harness.turns();
  assert.equal(openOrdersOf(harness.answers.get(before)), 0);
  await harness.makeDurable(last - 1);
  assert.equal(openOrdersOf(harness.answers.get(await harness.ask('orders', ORDERS))), 1);
  assert.equal(harness.counters.counter('applied').load(), last - 1);
  await harness.makeDurable(last);
  assert.equal(openOrdersOf(harness.answers.get(await harness.ask('orders', ORDERS))), 2);
  harness.end();
});

test('changes of a book within 10 ms of its last message come in one message', async (t) => {
  const harness = new ReaderLoopHarness(t);
  await harness.makeDurable(harness.publish());
  await harness.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL });
  const change = async (first: number): Promise<void> => {
    for (let nonce = first; nonce < first + 30; nonce++) harness.place(1, SELL, nonce);
    await harness.makeDurable(harness.publish());
  };
  const seqs = (): unknown => harness.streamed.map(({ prev_seq: from, seq }) => [from, seq]);
  await change(1);
  assert.deepEqual(seqs(), [[0, 30]]);
  await change(31);
  harness.time = 9;
  await change(61);
  assert.deepEqual(seqs(), [[0, 30]], 'not yet');
  harness.time = 11;
  while (harness.streamed.length < 2) await harness.turns();
  assert.deepEqual(seqs(), [[0, 30], [30, 90]]);
  harness.end();
});

test('each book has its own 10 ms, and another book\'s wait does not delay it', async (t) => {
  const harness = new ReaderLoopHarness(t);
  await harness.makeDurable(harness.publish());
  for (const key of [CALL_100_SYMBOL, PUT_100_SYMBOL]) await harness.ask('subscribe', { channel: 'book', key });
  let nonce = 0;
  const change = async (time: number, ...contracts: readonly Contract[]): Promise<unknown> => {
    harness.time = time;
    for (const contract of contracts) harness.place(1, SELL, ++nonce, contract);
    await harness.makeDurable(harness.publish());
    return harness.streamed.splice(0).map(({ symbol, seq }) => [symbol, seq]);
  };
  assert.deepEqual(await change(100, CALL_100), [[CALL_100_SYMBOL, 1]]);
  assert.deepEqual(await change(104, CALL_100, PUT_100), [[PUT_100_SYMBOL, 1]]);
  assert.deepEqual(await change(108, CALL_100, PUT_100), []);
  assert.deepEqual(await change(110, PUT_100), [[CALL_100_SYMBOL, 3]]);
  assert.deepEqual(await change(112.5), []);
  assert.deepEqual(await change(114), [[PUT_100_SYMBOL, 3]]);
  harness.end();
});

test('a snapshot includes the held changes of its book, so that what follows is newer', async (t) => {
  const harness = new ReaderLoopHarness(t);
  await harness.makeDurable(harness.publish());
  await harness.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL });
  for (const nonce of [1, 2]) {
    harness.place(1, SELL, nonce);
    await harness.makeDurable(harness.publish());
  }
  assert.deepEqual(harness.streamed.map(({ seq }) => seq), [1]);
  const answer = harness.answers.get(await harness.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL }));
  assert.deepEqual(harness.streamed.map(({ seq }) => seq), [1, 2]);
  assert.equal(answer!.body['seq'], 2);
  harness.end();
});

test('the 10 ms count from the start of sending; after a long send the loop still gets some time', async (t) => {
  const harness = new ReaderLoopHarness(t);
  await harness.makeDurable(harness.publish());
  await harness.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL });
  let nonce = 0;
  const sentAt = async (time: number): Promise<number> => {
    harness.time = time;
    harness.place(1, SELL, ++nonce);
    await harness.makeDurable(harness.publish());
    return harness.streamed.length;
  };
  harness.sendMs = 4;
  assert.equal(await sentAt(100), 1);
  assert.equal(harness.time, 104);
  assert.equal(await sentAt(108), 1);
  harness.sendMs = 30;
  assert.equal(await sentAt(110), 2);
  assert.equal(harness.time, 140);
  assert.equal(await sentAt(140.5), 2);
  assert.equal(await sentAt(140.75), 3);
  harness.sendMs = 0;
  harness.end();
});

test('a read and those behind it wait for what was durable when it was taken; beyond the bound they are 503', (t) => {
  const bench = new Bench(t);
  const given: [number, string][] = [];
  let durable = bench.reader.applied;
  const reads = new ReadQueue({
    budgets: FREE, reader: bench.reader, steady: () => 0, durable: () => durable,
    give: (_, request, { status, body }) => given.push([request, `${status} ${body}`]), fault: assert.fail,
  });
  const book = (request: number): void => (
    reads.take(0, request, QUERIES.indexOf('orders'), JSON.stringify({ ...ORDERS, limit: 1 }), { charge: 0, source: 0, isLoopback: true })
  );
  const serve = (): void => assert.equal(reads.serve(() => false), false);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  durable = bench.reader.applied;
  book(1);
  serve();
  assert.equal(given.length, 1);
  durable += 1;
  book(2);
  book(3);
  assert.equal(reads.waiting, 2);
  serve();
  assert.equal(given.length, 1);
  bench.cancel(1, 1);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  serve();
  assert.deepEqual(given.map(([request]) => request), [1, 2, 3]);
  assert.match(given[1]![1], /"order_id":2/);
  assert.equal(reads.waiting, 0);
  durable = bench.reader.applied + 1;
  for (let request = 10; request < 10 + 8_193; request++) book(request);
  assert.deepEqual(given.slice(3).map(([request, text]) => [request, text.slice(0, 3)]), [[10 + 8_192, '503']]);
});

test('the end of a stream is done at once, however many reads wait', (t) => {
  const bench = new Bench(t);
  const given: [number, number][] = [];
  const reads = new ReadQueue({
    budgets: FREE, reader: bench.reader, steady: () => 0, durable: () => bench.reader.applied + 1,
    give: (_, request, { status }) => given.push([request, status]), fault: assert.fail,
  });
  const put = (request: number, name: QueryName, parameters: object): void => (
    reads.take(0, request, QUERIES.indexOf(name), JSON.stringify(parameters), { charge: CHARGE_NONE, source: 0, isLoopback: false })
  );
  const { topic } = JSON.parse(bench.answer('subscribe', { channel: 'book', key: CALL_100_SYMBOL }).body) as { topic: number };
  for (let request = 0; request < 8_193; request++) put(request, 'exchange', {});
  assert.deepEqual(given.splice(0), [[8_192, 503]]);
  put(9_000, 'unsubscribe', { topic, count: 1 });
  assert.deepEqual(given, [[9_000, 200]]);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  assert.deepEqual(bench.sent, []);
});

test('a read that has waited for too long is given up without computing it', (t) => {
  const bench = new Bench(t);
  const given: [number, number][] = [];
  let [time, durable] = [0, bench.reader.applied];
  const reads = new ReadQueue({
    budgets: FREE, reader: bench.reader, steady: () => time, durable: () => durable,
    give: (_, request, { status }) => given.push([request, status]), fault: assert.fail,
  });
  const ask = (request: number, source: number): void => (
    reads.take(0, request, QUERIES.indexOf('exchange'), '{}', { charge: CHARGE_API, source, isLoopback: true })
  );
  const answered = t.mock.method(bench.reader, 'answer');
  ask(1, 1);
  ask(2, 1);
  time = BOUNDS.readWaitMs - 1;
  ask(3, 1);
  // What the others wait for has not been applied yet.
  durable++;
  ask(4, 2);
  let left = 1;
  assert.equal(reads.serve(() => left-- === 0), true);
  assert.deepEqual(given.splice(0), [[1, 200]]);
  time = BOUNDS.readWaitMs;
  assert.equal(reads.serve(() => false), false);
  assert.deepEqual(given.splice(0), [[2, READ_TIMED_OUT], [3, 200]]);
  assert.equal(answered.mock.callCount(), 2);
  time += BOUNDS.readWaitMs;
  reads.serve(() => false);
  assert.deepEqual([given, answered.mock.callCount(), reads.waiting], [[[4, READ_TIMED_OUT]], 2, 0]);
});

test('sources take turns, so that one with a thousand reads delays no other; each line has a bound', (t) => {
  const bench = new Bench(t);
  const given: [number, number][] = [];
  const reads = new ReadQueue({
    budgets: FREE, reader: bench.reader, steady: () => 0, durable: () => bench.reader.applied,
    give: (_, request, { status }) => given.push([request, status]), fault: assert.fail,
  });
  const ask = (request: number, source: number, isLoopback = false): void => (
    reads.take(0, request, QUERIES.indexOf('exchange'), '{}', { charge: CHARGE_API, source, isLoopback })
  );
  for (let request = 0; request < 258; request++) ask(request, 1);
  assert.deepEqual(given.splice(0), [[256, 503], [257, 503]]);
  ask(1_000, 2);
  ask(1_001, 2);
  for (let request = 2_000; request < 2_300; request++) ask(request, 3, true);
  assert.deepEqual([given, reads.waiting], [[], 558]);
  let left = 7;
  assert.equal(reads.serve(() => left-- === 0), true);
  assert.deepEqual(given.splice(0).map(([request]) => request), [0, 1_000, 2_000, 1, 1_001, 2_001, 2]);
  assert.equal(reads.serve(() => false), false);
  assert.deepEqual([given.length, reads.waiting], [551, 0]);
  assert.deepEqual(given.slice(0, 3), [[2_002, 200], [3, 200], [2_003, 200]]);
});

test('between long reads the log is applied, and the event loop gets its turn', async (t) => {
  const harness = new ReaderLoopHarness(t);
  await harness.makeDurable(harness.publish());
  const durable = harness.counters.counter('durable');
  const applied: number[] = [];
  let passes = 0;
  const passed: number[] = [];
  const count = (): void => { passes++; };
  harness.onAnswer = () => {
    applied.push(harness.reader.applied - harness.venue.seq());
    passed.push(passes);
    setImmediate(count);
    harness.time += 10;
    harness.place(1, SELL, applied.length);
    durable.store(harness.publish());
  };
  for (let i = 0; i < 3; i++) harness.put('exchange', {});
  await harness.ask('exchange', {});
  assert.deepEqual(applied, [0, 0, 0, 0], 'each with everything that was durable when it was taken up');
  assert.deepEqual(passed, [0, 1, 2, 3]);
  harness.onAnswer = () => undefined;
  await harness.turns();
  harness.end();
});

test('when the rows for the history are full, nothing more is applied until it has taken some', async (t) => {
  const harness = new ReaderLoopHarness(t, { mostRows: 10 });
  await harness.makeDurable(harness.publish());
  for (let nonce = 1; nonce <= 30; nonce++) harness.place(1, BUY, nonce);
  const last = harness.publish();
  await harness.makeDurable(last);
  assert.ok(harness.reader.applied < last);
  assert.equal(harness.reader.rows.isFull, true);
  for (let i = 0; i < 40 && harness.reader.applied < last; i++) {
    harness.history.run(harness.reader, 1);
    harness.loop.fromHistory({ type: 'taken', seq: harness.history.store.appliedSeq });
    await harness.turns();
  }
  assert.equal(harness.reader.applied, last);
  harness.end();
});

test('queries to the history beyond a bound are 503, and the others are answered', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: BUY, price: USDC, size: ONE });
  const statuses: number[] = [];
  for (let i = 0; i < 1_030; i++) bench.reader.answer(0, 'trades', { limit: 10, offset: 0 }, ({ status }) => statuses.push(status));
  assert.deepEqual(statuses, Array.from({ length: 6 }, () => 503));
  // What the answer to a command waits for has places of its own.
  const standing = { wallet: walletText(1), order_id: '77', as_of: 2 };
  bench.reader.answer(0, 'order', standing, ({ status }) => statuses.push(status));
  assert.equal(statuses.length, 6);
  bench.history.run(bench.reader);
  assert.equal(statuses.pop(), 200);
  assert.equal(statuses.filter((status) => status === 200).length, 1_024);
});

test('releasing log records wakes main only while it is blocked', async (t) => {
  const harness = new ReaderLoopHarness(t);
  await harness.makeDurable(harness.publish());
  new Doorbell(harness.mainBell.doorbell).sleep();
  harness.place(1, BUY, 1);
  await harness.makeDurable(harness.publish());
  assert.equal(harness.mainRung, 0);
  harness.counters.counter('blocked').store(1);
  harness.place(1, BUY, 2);
  await harness.makeDurable(harness.publish());
  assert.equal(harness.mainRung, 1);
  harness.end();
});

test('a read that throws, at once or after the history\'s answer, is a 500 and a fault; all else continues', async (t) => {
  const harness = new ReaderLoopHarness(t);
  const faults: string[] = [];
  harness.onFault = (name, error) => void faults.push(`${name}: ${(error as Error).message}`);
  harness.place(1, SELL, 1);
  await harness.makeDurable(harness.publish());
  const planted = (): never => { throw new Error('planted'); };
  const internal = { status: 500, body: { error: 'internal_error', message: 'Internal error' } };
  t.mock.method(PortfolioBodies.prototype, 'body', planted);
  t.mock.method(Medals.prototype, 'of', planted);
  // The first of two that wait for the same answer of the history.
  t.mock.method(InstrumentBodies.prototype, 'markets', planted, { times: 1 });
  const wallet = walletText(1);
  const asked = [
    harness.put('portfolio', { wallet }), harness.put('profile', { wallet }), harness.put('markets', { include_instruments: false }),
    harness.put('markets', { include_instruments: false }), harness.put('subscribe', { channel: 'portfolio', key: wallet }),
  ];
  const last = await harness.ask('orders', ORDERS);
  harness.history.run(harness.reader);
  harness.loop.fromHistory({ type: 'committed', seq: 0 });
  await harness.turns();
  const [portfolio, profile, first, second, subscription] = asked.map((request) => harness.answers.get(request));
  for (const answer of [portfolio, profile, first, subscription]) assert.deepEqual(answer, internal);
  assert.equal(second?.status, 200);
  assert.equal(openOrdersOf(harness.answers.get(last)), 1);
  assert.deepEqual(faults.toSorted(), ['markets: planted', 'portfolio: planted', 'profile: planted', 'subscribe: planted']);
  harness.place(1, SELL, 2);
  await harness.makeDurable(harness.publish());
  assert.equal(openOrdersOf(harness.answers.get(await harness.ask('orders', ORDERS))), 2);
  harness.end();
});

test('an exception while giving an answer is thrown on and not charged to the read', async (t) => {
  const harness = new ReaderLoopHarness(t);
  const reads = new ReadQueue({
    budgets: FREE, reader: harness.reader, steady: () => 0, durable: () => harness.reader.applied, fault: assert.fail,
    give: () => { throw new Error('no way out'); },
  });
  reads.take(0, 1, QUERIES.indexOf('exchange'), '{}', { charge: CHARGE_API, source: 1, isLoopback: true });
  assert.throws(() => reads.serve(() => false), /no way out/);
  harness.end();
});
