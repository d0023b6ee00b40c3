// Short-lived entries leave the heap when they end: a collection of the young generation frees them. A Set, which these lists used to be,
// keeps most of them, which shows that the tests can fail.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, MessageChannel, parentPort, Worker, workerData } from 'node:worker_threads';
import { OrderEntryClient } from '../../../../client/src/order-entry.ts';
import { MessageBuffer } from '../../../../client/src/stream.ts';
import { FILL, FILL_INSTRUMENT, FILL_MAKER, FILL_TAKER, FUNDING_PAID } from '../../../../core/codec/events.ts';
import { createState } from '../../../../core/engine/state.ts';
import { SMALL } from '../../../../core/limits.ts';
import { PendingRequests } from '../../../../shell/api/pending-requests.ts';
import { ReaderClient } from '../../../../shell/api/reader-client.ts';
import { ActiveList, type ActiveItem } from '../../../../shell/http/server/active-list.ts';
import { Quota } from '../../../../shell/http/quota.ts';
import { FairQueue } from '../../../../shell/process/fair-queue.ts';
import type { Db } from '../../../../shell/storage/history/history-file.ts';
import { MessagePages } from '../../../../shell/storage/history/message-pages.ts';
import type { LookupTable, WalletEntry } from '../../../../shell/storage/history/lookup-tables.ts';
import { PortfolioChanges } from '../../../../shell/reader/channels/portfolio.ts';
import type { SourceParts } from '../../../../shell/reader/channels/source.ts';
import { PeriodicRows } from '../../../../shell/reader/periodic.ts';
import type { CurrentRecord } from '../../../../shell/reader/history/rows.ts';
import { ANSWER, ANSWER_HEAD_BYTES, CHARGE_API } from '../../../../shell/ipc/queries.ts';
import type { Ringer } from '../../../../shell/ipc/doorbell.ts';
import { createRing, ringConsumer, ringProducer } from '../../../../shell/ipc/ring.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const ITEMS = 20_000;
const PAYLOAD = 200;
const HERE_AT_ONCE = 40;
const ITEMS_A_TURN = 100;

type Item = ActiveItem & { next: Item | null; readonly payload: number[]; number: number };
type Row = { add(item: Item): void; remove(item: Item): void };

const itemOf = (): Item => ({
  place: -1, next: null, payload: new Array<number>(PAYLOAD).fill(0.5), number: 0, onTick: () => undefined, onClose: () => undefined,
});

/** Bytes that are still held once all of the items have come and gone, and only young objects have been collected. */
async function heldAfter(row: Row): Promise<number> {
  // Its own objects have got old, as those of a venue that has run for a while.
  const here: Item[] = [];
  for (let i = 0; i < HERE_AT_ONCE; i++) here.push(itemOf());
  for (const item of here) row.add(item);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < ITEMS; i++) {
    // What goes on when something is answered has its turn, not after each: a test's own waiting keeps a little, too.
    if (i % ITEMS_A_TURN === 0) await turn();
    row.remove(here[i % HERE_AT_ONCE]!);
    const item = here[i % HERE_AT_ONCE] = itemOf();
    row.add(item);
  }
  for (const item of here) row.remove(item);
  here.length = 0;
  await turn();
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}

function asSet(): Row {
  const items = new Set<Item>();
  return { add: (item) => void items.add(item), remove: (item) => void items.delete(item) };
}

function asPending(): Row {
  const pending = new PendingRequests<string>(64, 1_000);
  return {
    add: (item) => { item.number = pending.add(0, { settle: () => void item.payload, expire: () => void item.payload }); },
    remove: ({ number }) => pending.settle(number, ''),
  };
}

/** Each item in one of a few lines: what is taken out is the first of the next line in turn, so each line runs empty now and then. */
function asQueue(): Row {
  const queue = new FairQueue<number, Item>();
  let line = 0;
  let left = 0;
  return {
    add: (item) => queue.add(line++ % 60, item),
    remove: () => {
      left = 1;
      queue.serve(() => true, () => left === 0, () => left--);
    },
  };
}

/** One read of a source after the other. */
function asReads(): Row {
  const ring = { bytes: 65_536, consumers: 1, largest: 4_096 };
  const [queries, answers] = [createRing(ring), createRing(ring)];
  const [asked, answering] = [ringConsumer(queries, 0), ringProducer(answers)];
  const reads = new ReaderClient({
    queries: ringProducer(queries), answers: ringConsumer(answers, 0), large: new MessageChannel().port1,
    ringReader: { ringSoon: () => undefined } as Ringer, steady: () => 0, onStream: () => undefined,
  });
  const charged = { charge: CHARGE_API, source: { network: '192.0.2.1', digest: 1, loopback: false } };
  const read = (): void => {
    reads.ask('exchange', {}, () => undefined, () => undefined, charged);
    const { u32 } = asked.views;
    const request = u32[(asked.next() >>> 2) + 2]!;
    asked.release();
    const at = answering.claim(ANSWER_HEAD_BYTES) >>> 2;
    answering.views.u32.set([ANSWER, request, 0, 200, 0, 0, 0], at + 1);
    answering.publish();
    reads.drain(1, 1);
  };
  return { add: read, remove: read };
}

/** One request of a source after the other, each from its beginning to its end. */
function asQuota(): Row {
  const quota = new Quota<string>({ amount: 1 });
  const request = (): void => {
    quota.take('192.0.2.1', false);
    quota.give('192.0.2.1');
  };
  return { add: request, remove: request };
}

/** Messages of one stream, each written with the commit that it came in. */
function asPages(): Row {
  const db = { prepare: () => ({ run: () => ({ lastInsertRowid: 1 }) }) } as unknown as Db;
  const wallets = { findOrAdd: () => ({ id: 1 }) } as unknown as LookupTable<WalletEntry>;
  const pages = new MessagePages(db, wallets);
  let number = 0;
  return {
    add: () => pages.add({
      seq: ++number, wallet: '0x1', channel: 'order_updates', number, text: Buffer.alloc(PAYLOAD * 8, String(number)).toString('latin1'),
    }),
    remove: () => pages.flush(),
  };
}

/** What a fill changes of two portfolios that somebody listens to. */
function asChanges(): Row {
  const changes = new PortfolioChanges({ topics: { hasSubscribers: () => true } } as unknown as SourceParts);
  const fill = new Float64Array(Math.max(FILL_TAKER, FILL_MAKER, FILL_INSTRUMENT) + 1);
  fill[FILL_MAKER] = 1;
  return { add: () => changes.onEvent(FILL, fill, 0), remove: () => changes.finish(() => undefined) };
}

/** Two commands, each of which touches the account that has a position. */
function asTouched(): Row {
  const state = createState(SMALL);
  state.accounts.positions[0] = 1;
  const periodic = new PeriodicRows({ state } as ConstructorParameters<typeof PeriodicRows>[0]);
  const record = {} as CurrentRecord;
  const command = (): void => {
    periodic.begin(record);
    periodic.onEvent(FUNDING_PAID, new Float64Array(8), record);
    periodic.finish(record);
  };
  return { add: command, remove: command };
}

/** Requests of a client, some in flight at once. */
function asEntry(): Row {
  const sent: number[] = [];
  const say = (text: string): void => void sent.push(Number(/"id":([0-9]+)/.exec(text)![1]));
  const nodes = { retries: {}, moved: () => undefined, note: () => undefined };
  const entry = new OrderEntryClient(say, nodes, {}, (error) => assert.fail(String(error)));
  entry.up();
  return {
    add: ({ payload }) => void entry.send({ method: 'POST', path: '/order', body: JSON.stringify({ payload }) }, {}),
    remove: () => void entry.take({ type: 'OrderResult', id: sent.shift()!, info: {} }),
  };
}

/** Messages of a stream that is read as fast as they come, some later. */
function asBuffer(): Row {
  const buffer = new MessageBuffer<Item>(ITEMS, () => undefined);
  const reader = buffer[Symbol.asyncIterator]();
  return { add: (item) => buffer.push(item, null), remove: () => void reader.next() };
}

const ALL = ITEMS * PAYLOAD * 8;

const ROWS: Readonly<Record<string, () => Row>> = {
  'requests and sockets of an edge': () => new ActiveList(), 'requests that wait': asPending, 'a fair queue': asQueue,
  'requests of a source': asQuota, 'reads of a source': asReads,
  'messages of a commit': asPages, 'portfolios that a command changes': asChanges, 'accounts that a command touches': asTouched,
  'requests of a client': asEntry, 'messages that a client has not read': asBuffer,
};

/** In a thread of its own: the runner of tests watches every promise of this one, and holds what they hold. */
async function heldAside(name: string): Promise<number> {
  const [held] = await once(new Worker(new URL(import.meta.url), { workerData: name }), 'message') as [number];
  return held;
}

if (isMainThread) {
  for (const name of Object.keys(ROWS)) {
    test(`${name}: a minor collection frees the entries that have ended`, async () => {
      const held = await heldAside(name);
      assert.ok(held < ALL / 10, `${held} of ${ALL} bytes are held`);
    });
  }

  test('control: a Set keeps most of the entries that have ended', async () => {
    const held = await heldAside('');
    assert.ok(held > ALL / 10, `${held} of ${ALL} bytes are held`);
  });
} else {
  const rowOf = ROWS[workerData as string] ?? asSet;
  parentPort!.postMessage(await heldAfter(rowOf()));
}
