// When the reader's loop writes snapshots, given what the history has committed: after any end there is one to start from.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';
import { BUY, SELL } from '../../../core/units.ts';
import { listSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { ReaderLoopHarness } from './reader-loop-harness.ts';

function names({ folder }: ReaderLoopHarness): string[] {
  return fs.existsSync(`${folder}/snapshots`) ? fs.readdirSync(`${folder}/snapshots`).sort() : [];
}

/** Eleven orders, durable and applied, and the history's turn; returns the seq at which their frame ends. */
async function round(harness: ReaderLoopHarness, number: number): Promise<number> {
  for (let i = 0; i < 11; i++) harness.place(1 + (i % 2), i % 3 === 0 ? SELL : BUY, number * 100 + i + 1);
  const end = harness.publish();
  await harness.makeDurable(end);
  harness.history.run(harness.reader);
  await harness.turns();
  return end;
}

test('snapshots are at the ends of frames, and the end writes the last one once the history has closed', async (t) => {
  const harness = new ReaderLoopHarness(t, { snapshotEvery: 40 });
  await harness.makeDurable(harness.publish());
  const ends: number[] = [];
  for (let number = 0; number < 12; number++) ends.push(await round(harness, number));
  assert.equal(names(harness).length, 2);
  for (const name of names(harness)) assert.ok(ends.includes(Number(/\d+/.exec(name)![0])), name);
  harness.place(1, BUY, 9_999);
  harness.counters.counter('durable').store(harness.publish());
  let isDone = false;
  harness.loop.stop(() => { isDone = true; });
  assert.equal(isDone, false);
  harness.history.run(harness.reader);
  assert.equal(isDone, true);
  assert.equal(harness.history.store.appliedSeq, harness.venue.seq());
  assert.ok(names(harness).includes(`snapshot-${harness.venue.seq()}.bin`));
  harness.closeJournal();
});

test('rows that the history has taken but not committed do not allow a snapshot', async (t) => {
  const harness = new ReaderLoopHarness(t, { snapshotEvery: 40 });
  await harness.makeDurable(harness.publish());
  for (let number = 0; number < 5; number++) await round(harness, number);
  const [first] = names(harness);
  assert.equal(names(harness).length, 1);
  harness.history.isCommitting = false;
  for (let number = 5; number < 15; number++) await round(harness, number);
  assert.ok(harness.reader.rows.stored > harness.reader.history.committed);
  const held = names(harness);
  assert.equal(held.length, 2);
  assert.ok(held.includes(first!), 'the one that the history has committed stays');
  harness.history.isCommitting = true;
  for (let number = 15; number < 20; number++) await round(harness, number);
  assert.ok(!names(harness).includes(first!), 'once more is committed, they go on');
  harness.end();
});

test('a stop does not wait for a history far behind, and writes no snapshot ahead of it', async (t) => {
  const harness = new ReaderLoopHarness(t, { stopRows: 10 });
  await harness.makeDurable(harness.publish());
  harness.history.run(harness.reader);
  const committed = harness.history.store.appliedSeq;
  assert.ok(committed > 0);
  for (let i = 0; i < 30; i++) harness.place(1 + (i % 2), i % 3 === 0 ? SELL : BUY, i + 1);
  harness.counters.counter('durable').store(harness.publish());
  let isDone = false;
  harness.loop.stop(() => { isDone = true; });
  harness.history.run(harness.reader);
  assert.equal(isDone, true);
  assert.equal(harness.reader.applied, harness.venue.seq(), 'the reader has seen it all');
  assert.equal(harness.history.store.appliedSeq, committed, 'whole commands or none: nothing that is not in the store is said to be');
  assert.deepEqual(names(harness), []);
  harness.closeJournal();
});

type Part = { readonly seq: number; readonly high: number };

test('each snapshot keeps the marks gathered so far, as rows of its own command, and none is written where those were sent', async (t) => {
  const harness = new ReaderLoopHarness(t, { snapshotEvery: 5 });
  const parts: Part[] = [];
  const tick = async (ms: number): Promise<void> => {
    harness.venue.advance(ms);
    harness.venue.venue(harness.venue.write.index(0, (100_000 + harness.venue.now % 977) * 1e6, 1));
    harness.venue.settle();
    await harness.makeDurable(harness.publish());
    for (const message of harness.history.inbox) if (message.type === 'batch') parts.push(...message.rows.candleParts);
    harness.history.run(harness.reader);
    await harness.turns();
  };
  for (let at = 0; at < 30; at++) await tick(2_000);
  const snapshots = listSnapshots(harness.folder).map(({ seq }) => seq);
  assert.ok(snapshots.length === 2);
  for (const seq of snapshots) assert.ok(parts.filter((part) => part.seq === seq).length > 10, `the marks at ${seq}`);
  harness.end();
});

test('a clean stop hands the marks gathered so far to the history', async (t) => {
  const harness = new ReaderLoopHarness(t);
  for (let at = 0; at < 3; at++) {
    harness.venue.advance(2_000);
    harness.venue.venue(harness.venue.write.index(0, (100_000 + at) * 1e6, 1));
    harness.venue.settle();
  }
  await harness.makeDurable(harness.publish());
  harness.history.run(harness.reader);
  harness.loop.stop(() => undefined);
  const close = harness.history.inbox.find((message) => message.type === 'close');
  assert.ok(close !== undefined && close.candles.length > 10);
  assert.ok(close.candles.every(({ seq }) => seq === harness.reader.applied));
  harness.history.run(harness.reader);
  harness.closeJournal();
});
