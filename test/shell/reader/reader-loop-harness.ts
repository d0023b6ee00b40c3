// The reader's loop over real rings in one thread, for tests: the test is main, journal, history and the one api thread.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import type { TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { RECORD_BYTES, SMALL } from '../../../core/limits.ts';
import { createState } from '../../../core/engine/state.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { ReadBudgets } from '../../../shell/reader/budgets.ts';
import { ReadQueue } from '../../../shell/reader/read-queue.ts';
import { ReaderLoop } from '../../../shell/reader/loop.ts';
import { Outbox } from '../../../shell/reader/outbox.ts';
import {
  ANSWER_HEAD_BYTES, QUERIES, QUERY_HEAD_BYTES, STREAM, type QueryName, type QueryParameters,
} from '../../../shell/ipc/queries.ts';
import { Reader } from '../../../shell/reader/reader.ts';
import { Snapshots } from '../../../shell/reader/snapshots.ts';
import { Statistics } from '../../../shell/reader/market/statistics.ts';
import { createCounters, HeartbeatWatch, SharedCounters } from '../../../shell/ipc/counters.ts';
import { createDoorbell, Doorbell, Ringer } from '../../../shell/ipc/doorbell.ts';
import { createRing, ringConsumer, ringProducer } from '../../../shell/ipc/ring.ts';
import { openWriter } from '../storage/journal/support.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TestVenue } from '../../support/venue.ts';
import { CALL_100, EXCHANGE, TestHistory, VENUE } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
/** Nothing is counted. */
export const FREE = new ReadBudgets({ table: DEFAULT_LIMITS, isRated: false, tierOf: () => 0, now: () => 0 });

export type Answered = { status: number; body: Record<string, unknown> };

/** A loop with its rings. */
export class ReaderLoopHarness {
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
  /** Called when a read is answered. */
  onAnswer = (): void => undefined;
  /** Called when a read throws. */
  onFault = (_: string, error: unknown): void => { throw error; };
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
    const watch = new HeartbeatWatch(new SharedCounters(createCounters(['beat'])).counter('beat'), 0);
    const outbox = new Outbox(ringProducer(answerRing), large.port1, new Ringer(apiBell.ringers[0]!), watch, () => 0);
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
    const reads = new ReadQueue({
      budgets: FREE,
      reader: this.reader, durable: () => durable.load(), steady: () => this.time,
      give: (_, request, { status, body }) => {
        outbox.answer(request, status, Buffer.from(body));
        this.onAnswer();
      },
      fault: (name, error) => this.onFault(name, error),
    });
    this.#ringer = new Ringer(this.#bell.ringers[0]!);
    this.mainBell.doorbell.ports[0]!.on('message', () => { this.mainRung++; });
    this.loop = new ReaderLoop({
      reader: this.reader, reads, snapshots: new Snapshots(this.folder, assert.fail, options.snapshotEvery ?? 1e9),
      log: ringConsumer(logRing, 1),
      queries: [ringConsumer(queryRing, 0)], outboxes: [outbox], doorbell: new Doorbell(this.#bell.doorbell), durable,
      main: new Ringer(this.mainBell.ringers[0]!),
      applied: this.counters.counter('applied'), blocked: this.counters.counter('blocked'), steady: () => this.time,
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
    const request = this.put(name, parameters);
    this.#ringer.ring();
    await this.turns();
    return request;
  }

  /** Into the ring, without the bell. */
  put<Q extends QueryName>(name: Q, parameters: QueryParameters[Q]): number {
    const json = Buffer.from(JSON.stringify(parameters));
    const at = this.#queries.claim((QUERY_HEAD_BYTES + json.length + 7) & ~7);
    const { u8, u32 } = this.#queries.views;
    u32[(at >>> 2) + 1] = QUERIES.indexOf(name);
    u32[(at >>> 2) + 2] = ++this.#request;
    u32.set([json.length, 0, 0], (at >>> 2) + 3);
    u8.set(json, at + QUERY_HEAD_BYTES);
    this.#queries.publish();
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
