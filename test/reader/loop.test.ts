// The reader's turns over real rings: nothing above `durable` is applied or told, a read sees all that was durable when it
// was picked up, what is full waits behind, snapshots stand at the ends of frames, and the end leaves nothing behind.

import * as fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { PUT } from '../../core/codec/commands.ts';
import { RECORD_BYTES, SMALL } from '../../core/limits.ts';
import { createState } from '../../core/engine/state.ts';
import { BUY, SELL } from '../../core/units.ts';
import { LAW_LIMITS } from '../../core/tiers.ts';
import { ReadBudgets } from '../../shell/reader/budgets.ts';
import { Desk } from '../../shell/reader/desk.ts';
import { ReaderLoop } from '../../shell/reader/loop.ts';
import { Outbox } from '../../shell/reader/outbox.ts';
import { ANSWER_HEAD_BYTES, QUERIES, QUERY_HEAD_BYTES, STREAM, type QueryName, type QueryParameters } from '../../shell/protocol/reads.ts';
import { Reader } from '../../shell/reader/reader.ts';
import { Snapshots } from '../../shell/reader/snapshots.ts';
import { Statistics } from '../../shell/reader/statistics.ts';
import { createCounters, SharedCounters } from '../../shell/transport/counters.ts';
import { createDoorbell, Doorbell, Ringer } from '../../shell/transport/doorbell.ts';
import { createRing, ringConsumer, ringProducer } from '../../shell/transport/ring.ts';
import { openWriter } from '../journal/support.ts';
import type { Contract } from '../support/records.ts';
import { TestVenue } from '../support/venue.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXCHANGE, temporaryFolder, TestHistory, VENUE, walletText } from './support.ts';

const FREE = new ReadBudgets({ table: LAW_LIMITS, isRated: false, tierOf: () => 0, now: () => 0 });
const USDC = 1e6;
const ONE = 1e6;

type Answered = { status: number; body: Record<string, unknown> };

/** A loop with its rings; the test is main, journal, history and the one api thread. */
class Rig {
  readonly venue = new TestVenue().open();
  readonly folder: string;
  readonly history: TestHistory;
  readonly reader: Reader;
  readonly loop: ReaderLoop;
  readonly answers = new Map<number, Answered>();
  readonly streamed: Record<string, unknown>[] = [];
  /** What the loop's clock says, ms, and by how much a message that is sent moves it. */
  time = 0;
  sendMs = 0;
  readonly counters = new SharedCounters(createCounters(['durable', 'applied', 'blocked']));
  readonly mainBell = createDoorbell(1);
  mainRung = 0;
  readonly #log;
  readonly #queries;
  readonly #answerRing;
  readonly #journal;
  readonly #bell = createDoorbell(1);
  readonly #ringer;
  #published = 0;
  #request = 0;

  constructor(t: TestContext, options: { mostRows?: number; snapshotEvery?: number; stopRows?: number } = {}) {
    this.folder = temporaryFolder(t);
    this.history = new TestHistory(this.folder);
    this.#journal = openWriter(this.folder, { venue: VENUE });
    const logRing = createRing({ bytes: 1 << 20, consumers: 2, largest: RECORD_BYTES });
    const queryRing = createRing({ bytes: 1 << 16, consumers: 1, largest: 4_096 });
    const answerRing = createRing({ bytes: 1 << 18, consumers: 1, largest: 16_384 });
    this.#log = ringProducer(logRing);
    this.#queries = ringProducer(queryRing);
    this.#answerRing = ringConsumer(answerRing, 0);
    const journalEnd = ringConsumer(logRing, 0);
    const large = new MessageChannel();
    const apiBell = createDoorbell(1);
    const outbox = new Outbox(ringProducer(answerRing), large.port1, new Ringer(apiBell.ringers[0]!), () => 0);
    this.reader = new Reader({
      state: createState(SMALL), historySeq: 0, statistics: new Statistics(), exchange: EXCHANGE, now: () => this.venue.now,
      toHistory: (message) => this.history.inbox.push(message),
      toApi: (_, topic, seq, message) => {
        this.time += this.sendMs;
        outbox.stream(topic, seq, message);
      },
      ...(options.mostRows === undefined ? {} : { mostRows: options.mostRows }),
    });
    const durable = this.counters.counter('durable');
    const desk = new Desk({
      budgets: FREE,
      reader: this.reader, durable: () => durable.load(),
      give: (_, request, { status, body }) => outbox.answer(request, status, Buffer.from(body)),
    });
    this.#ringer = new Ringer(this.#bell.ringers[0]!);
    this.mainBell.doorbell.ports[0]!.on('message', () => { this.mainRung++; });
    this.loop = new ReaderLoop({
      reader: this.reader, desk, snapshots: new Snapshots(this.folder, assert.fail, options.snapshotEvery ?? 1e9),
      log: ringConsumer(logRing, 1),
      queries: [ringConsumer(queryRing, 0)], outboxes: [outbox], doorbell: new Doorbell(this.#bell.doorbell), durable,
      main: new Ringer(this.mainBell.ringers[0]!), applied: this.counters.counter('applied'), blocked: this.counters.counter('blocked'),
      steady: () => this.time,
      ...(options.stopRows === undefined ? {} : { stopRows: options.stopRows }),
    });
    t.after(() => {
      outbox.close();
      large.port2.close();
      for (const port of [...apiBell.doorbell.ports, ...this.mainBell.doorbell.ports, ...this.#bell.doorbell.ports]) port.close();
      while (journalEnd.next() >= 0) journalEnd.release();
    });
  }

  /** Puts what was sequenced into the log and the journal, without saying that it is durable. */
  publish(): number {
    const fresh = this.venue.log.kept.slice(this.#published);
    for (const record of fresh) {
      const at = this.#log.claim(record.length);
      assert.ok(at >= 0);
      this.#log.views.u8.set(record, at);
    }
    this.#log.publish();
    if (fresh.length > 0) this.#journal.append(Buffer.concat(fresh), this.#published + 1, this.#published + fresh.length);
    this.#published += fresh.length;
    return this.#published;
  }

  /** The journal's word, and its ring. */
  async makeDurable(seq: number): Promise<void> {
    this.counters.counter('durable').store(seq);
    this.#ringer.ring();
    await this.turns();
  }

  async ask<Q extends QueryName>(name: Q, parameters: QueryParameters[Q]): Promise<number> {
    const json = Buffer.from(JSON.stringify(parameters));
    const at = this.#queries.claim((QUERY_HEAD_BYTES + json.length + 7) & ~7);
    const { u8, u32 } = this.#queries.views;
    u32[(at >>> 2) + 1] = QUERIES.indexOf(name);
    u32[(at >>> 2) + 2] = ++this.#request;
    u32.set([json.length, 0, 0], (at >>> 2) + 3);
    u8.set(json, at + QUERY_HEAD_BYTES);
    this.#queries.publish();
    this.#ringer.ring();
    await this.turns();
    return this.#request;
  }

  /** Lets the loop run until it sleeps. */
  async turns(): Promise<void> {
    for (let i = 0; i < 20; i++) await nextTurn();
    for (let at = this.#answerRing.next(); at >= 0; at = this.#answerRing.next()) {
      const { u8, u32 } = this.#answerRing.views;
      const word = at >>> 2;
      const text = Buffer.from(u8.slice(at + ANSWER_HEAD_BYTES, at + ANSWER_HEAD_BYTES + u32[word + 3]!)).toString();
      if (u32[word + 1] === STREAM) {
        this.streamed.push(JSON.parse(text) as Record<string, unknown>);
        continue;
      }
      this.answers.set(u32[word + 2]!, { status: u32[word + 4]!, body: JSON.parse(text) as Record<string, unknown> });
    }
    this.#answerRing.release();
  }

  place(wallet: number, side: number, nonce: number, contract = CALL_100): void {
    this.venue.send(this.venue.write.place({ ...contract, wallet, nonce, side, price: 2_000 * USDC, size: ONE }));
  }

  end(): void {
    this.loop.stop(() => undefined);
    this.history.run(this.reader);
    this.closeJournal();
  }

  closeJournal(): void {
    this.#journal.close();
  }
}

const openOrdersOf = (answer: Answered | undefined): unknown => (answer?.body.pagination as { count: number } | undefined)?.count;
const PUT_100: Contract = { ...CALL_100, kind: PUT };
const PUT_100_SYMBOL = 'BTC-20260106-100000-P';
const ORDERS = { wallet: walletText(1), limit: 50, offset: 0, status: 'open' };

test('a stalled commit shows nothing: records above durable are neither applied nor told', async (t) => {
  const rig = new Rig(t);
  const first = rig.publish();
  await rig.makeDurable(first);
  assert.equal(rig.reader.applied, first);
  rig.place(1, SELL, 1);
  rig.place(1, SELL, 2);
  const last = rig.publish();
  const before = await rig.ask('orders', ORDERS);
  assert.equal(rig.reader.applied, first);
  rig.history.run(rig.reader);
  rig.loop.fromHistory({ type: 'committed', seq: 0 });
  await rig.turns();
  assert.equal(openOrdersOf(rig.answers.get(before)), 0);
  await rig.makeDurable(last - 1);
  assert.equal(openOrdersOf(rig.answers.get(await rig.ask('orders', ORDERS))), 1);
  assert.equal(rig.counters.counter('applied').load(), last - 1);
  await rig.makeDurable(last);
  assert.equal(openOrdersOf(rig.answers.get(await rig.ask('orders', ORDERS))), 2);
  rig.end();
});

test('changes of a book within 10 ms of its last message are one message', async (t) => {
  const rig = new Rig(t);
  await rig.makeDurable(rig.publish());
  await rig.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL });
  const change = async (first: number): Promise<void> => {
    for (let nonce = first; nonce < first + 30; nonce++) rig.place(1, SELL, nonce);
    await rig.makeDurable(rig.publish());
  };
  const seqs = (): unknown => rig.streamed.map(({ prev_seq: from, seq }) => [from, seq]);
  await change(1);
  assert.deepEqual(seqs(), [[0, 30]]);
  await change(31);
  rig.time = 9;
  await change(61);
  assert.deepEqual(seqs(), [[0, 30]], 'not yet');
  rig.time = 11;
  while (rig.streamed.length < 2) await rig.turns();
  assert.deepEqual(seqs(), [[0, 30], [30, 90]]);
  rig.end();
});

test('each book has its own 10 ms: what rests is nothing to the others', async (t) => {
  const rig = new Rig(t);
  await rig.makeDurable(rig.publish());
  for (const key of [CALL_100_SYMBOL, PUT_100_SYMBOL]) await rig.ask('subscribe', { channel: 'book', key });
  let nonce = 0;
  const change = async (time: number, ...contracts: readonly Contract[]): Promise<unknown> => {
    rig.time = time;
    for (const contract of contracts) rig.place(1, SELL, ++nonce, contract);
    await rig.makeDurable(rig.publish());
    return rig.streamed.splice(0).map(({ symbol, seq }) => [symbol, seq]);
  };
  assert.deepEqual(await change(100, CALL_100), [[CALL_100_SYMBOL, 1]]);
  assert.deepEqual(await change(104, CALL_100, PUT_100), [[PUT_100_SYMBOL, 1]]);
  assert.deepEqual(await change(108, CALL_100, PUT_100), []);
  assert.deepEqual(await change(110, PUT_100), [[CALL_100_SYMBOL, 3]]);
  assert.deepEqual(await change(112.5), []);
  assert.deepEqual(await change(114), [[PUT_100_SYMBOL, 3]]);
  rig.end();
});

test('a snapshot takes what rests of its book with it, so what follows it is newer', async (t) => {
  const rig = new Rig(t);
  await rig.makeDurable(rig.publish());
  await rig.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL });
  for (const nonce of [1, 2]) {
    rig.place(1, SELL, nonce);
    await rig.makeDurable(rig.publish());
  }
  assert.deepEqual(rig.streamed.map(({ seq }) => seq), [1]);
  const answer = rig.answers.get(await rig.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL }));
  assert.deepEqual(rig.streamed.map(({ seq }) => seq), [1, 2]);
  assert.equal(answer!.body['seq'], 2);
  rig.end();
});

test('the 10 ms count from when sending began; however long that took, some is left to the loop before the next', async (t) => {
  const rig = new Rig(t);
  await rig.makeDurable(rig.publish());
  await rig.ask('subscribe', { channel: 'book', key: CALL_100_SYMBOL });
  let nonce = 0;
  const sentAt = async (time: number): Promise<number> => {
    rig.time = time;
    rig.place(1, SELL, ++nonce);
    await rig.makeDurable(rig.publish());
    return rig.streamed.length;
  };
  rig.sendMs = 4;
  assert.equal(await sentAt(100), 1);
  assert.equal(rig.time, 104);
  assert.equal(await sentAt(108), 1);
  rig.sendMs = 30;
  assert.equal(await sentAt(110), 2);
  assert.equal(rig.time, 140);
  assert.equal(await sentAt(140.5), 2);
  assert.equal(await sentAt(140.75), 3);
  rig.sendMs = 0;
  rig.end();
});

test('a read waits for what was durable when it was picked up; the others behind it too; beyond the bound 503', (t) => {
  const bench = new Bench(t);
  const given: [number, string][] = [];
  let durable = bench.reader.applied;
  const desk = new Desk({
    budgets: FREE, reader: bench.reader, durable: () => durable,
    give: (_, request, { status, body }) => given.push([request, `${status} ${body}`]),
  });
  const book = (request: number): void => (
    desk.take(0, request, QUERIES.indexOf('orders'), JSON.stringify({ ...ORDERS, limit: 1 }), { charge: 0, source: 0, isLoopback: true })
  );
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  durable = bench.reader.applied;
  book(1);
  assert.equal(given.length, 1);
  durable += 1;
  book(2);
  book(3);
  assert.equal(desk.waiting, 2);
  desk.settle();
  assert.equal(given.length, 1);
  bench.cancel(1, 1);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  desk.settle();
  assert.deepEqual(given.map(([request]) => request), [1, 2, 3]);
  assert.match(given[1]![1], /"order_id":2/);
  assert.equal(desk.waiting, 0);
  durable = bench.reader.applied + 1;
  for (let request = 10; request < 10 + 8_193; request++) book(request);
  assert.deepEqual(given.slice(3).map(([request, text]) => [request, text.slice(0, 3)]), [[10 + 8_192, '503']]);
});

test('with the history a full memory behind, nothing more is applied until it has committed', async (t) => {
  const rig = new Rig(t, { mostRows: 10 });
  await rig.makeDurable(rig.publish());
  for (let nonce = 1; nonce <= 30; nonce++) rig.place(1, BUY, nonce);
  const last = rig.publish();
  await rig.makeDurable(last);
  assert.ok(rig.reader.applied < last);
  assert.equal(rig.reader.rows.isFull, true);
  for (let i = 0; i < 40 && rig.reader.applied < last; i++) {
    rig.history.run(rig.reader, 1);
    rig.loop.fromHistory({ type: 'committed', seq: rig.history.store.appliedSeq });
    await rig.turns();
  }
  assert.equal(rig.reader.applied, last);
  rig.end();
});

test('too many questions to the history: 503, and the others are answered', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: BUY, price: USDC, size: ONE });
  const statuses: number[] = [];
  for (let i = 0; i < 1_030; i++) bench.reader.answer(0, 'trades', { limit: 10, offset: 0 }, ({ status }) => statuses.push(status));
  assert.deepEqual(statuses, Array.from({ length: 6 }, () => 503));
  bench.history.run(bench.reader);
  assert.equal(statuses.filter((status) => status === 200).length, 1_024);
});

test('a release of log records rings main only while it is blocked', async (t) => {
  const rig = new Rig(t);
  await rig.makeDurable(rig.publish());
  new Doorbell(rig.mainBell.doorbell).sleep();
  rig.place(1, BUY, 1);
  await rig.makeDurable(rig.publish());
  assert.equal(rig.mainRung, 0);
  rig.counters.counter('blocked').store(1);
  rig.place(1, BUY, 2);
  await rig.makeDurable(rig.publish());
  assert.equal(rig.mainRung, 1);
  rig.end();
});

test('snapshots stand where a frame ends; the end writes the last one when the history has closed', async (t) => {
  const rig = new Rig(t, { snapshotEvery: 40 });
  const names = (): string[] => (fs.existsSync(`${rig.folder}/snapshots`) ? fs.readdirSync(`${rig.folder}/snapshots`).sort() : []);
  await rig.makeDurable(rig.publish());
  const ends: number[] = [];
  for (let round = 0; round < 12; round++) {
    for (let i = 0; i < 11; i++) rig.place(1 + (i % 2), i % 3 === 0 ? SELL : BUY, round * 100 + i + 1);
    ends.push(rig.publish());
    await rig.makeDurable(ends.at(-1)!);
    rig.history.run(rig.reader);
    await rig.turns();
  }
  assert.equal(names().length, 2);
  for (const name of names()) assert.ok(ends.includes(Number(/\d+/.exec(name)![0])), name);
  rig.place(1, BUY, 9_999);
  rig.counters.counter('durable').store(rig.publish());
  let isDone = false;
  rig.loop.stop(() => { isDone = true; });
  assert.equal(isDone, false);
  rig.history.run(rig.reader);
  assert.equal(isDone, true);
  assert.equal(rig.history.store.appliedSeq, rig.venue.seq());
  assert.ok(names().includes(`snapshot-${rig.venue.seq()}.bin`));
  rig.closeJournal();
});

test('a stop leaves a history behind that is far behind, and writes no snapshot ahead of it', async (t) => {
  const rig = new Rig(t, { stopRows: 10 });
  await rig.makeDurable(rig.publish());
  rig.history.run(rig.reader);
  const committed = rig.history.store.appliedSeq;
  assert.ok(committed > 0);
  for (let i = 0; i < 30; i++) rig.place(1 + (i % 2), i % 3 === 0 ? SELL : BUY, i + 1);
  rig.counters.counter('durable').store(rig.publish());
  let isDone = false;
  rig.loop.stop(() => { isDone = true; });
  rig.history.run(rig.reader);
  assert.equal(isDone, true);
  assert.equal(rig.reader.applied, rig.venue.seq(), 'the reader has seen it all');
  assert.equal(rig.history.store.appliedSeq, committed, 'whole commands or none: nothing that is not in the store is said to be');
  assert.ok(!fs.existsSync(`${rig.folder}/snapshots`) || fs.readdirSync(`${rig.folder}/snapshots`).length === 0);
  rig.closeJournal();
});
