// When the reader's loop writes snapshots, given what the history has committed: after any end there is one to start from.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';
import { BUY, SELL } from '../../../core/units.ts';
import { listSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { Rig } from './rig.ts';

function names({ folder }: Rig): string[] {
  return fs.existsSync(`${folder}/snapshots`) ? fs.readdirSync(`${folder}/snapshots`).sort() : [];
}

/** Eleven orders, durable and applied, and the history's turn; returns the seq at which their frame ends. */
async function round(rig: Rig, number: number): Promise<number> {
  for (let i = 0; i < 11; i++) rig.place(1 + (i % 2), i % 3 === 0 ? SELL : BUY, number * 100 + i + 1);
  const end = rig.publish();
  await rig.makeDurable(end);
  rig.history.run(rig.reader);
  await rig.turns();
  return end;
}

test('snapshots are at the ends of frames, and the end writes the last one once the history has closed', async (t) => {
  const rig = new Rig(t, { snapshotEvery: 40 });
  await rig.makeDurable(rig.publish());
  const ends: number[] = [];
  for (let number = 0; number < 12; number++) ends.push(await round(rig, number));
  assert.equal(names(rig).length, 2);
  for (const name of names(rig)) assert.ok(ends.includes(Number(/\d+/.exec(name)![0])), name);
  rig.place(1, BUY, 9_999);
  rig.counters.counter('durable').store(rig.publish());
  let isDone = false;
  rig.loop.stop(() => { isDone = true; });
  assert.equal(isDone, false);
  rig.history.run(rig.reader);
  assert.equal(isDone, true);
  assert.equal(rig.history.store.appliedSeq, rig.venue.seq());
  assert.ok(names(rig).includes(`snapshot-${rig.venue.seq()}.bin`));
  rig.closeJournal();
});

test('rows that the history has taken but not committed do not allow a snapshot', async (t) => {
  const rig = new Rig(t, { snapshotEvery: 40 });
  await rig.makeDurable(rig.publish());
  for (let number = 0; number < 5; number++) await round(rig, number);
  const [first] = names(rig);
  assert.equal(names(rig).length, 1);
  rig.history.isCommitting = false;
  for (let number = 5; number < 15; number++) await round(rig, number);
  assert.ok(rig.reader.rows.stored > rig.reader.history.committed);
  const held = names(rig);
  assert.equal(held.length, 2);
  assert.ok(held.includes(first!), 'the one that the history has committed stays');
  rig.history.isCommitting = true;
  for (let number = 15; number < 20; number++) await round(rig, number);
  assert.ok(!names(rig).includes(first!), 'once more is committed, they go on');
  rig.end();
});

test('a stop does not wait for a history far behind, and writes no snapshot ahead of it', async (t) => {
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
  assert.deepEqual(names(rig), []);
  rig.closeJournal();
});

type Part = { readonly seq: number; readonly high: number };

test('each snapshot keeps the marks gathered so far, as rows of its own command, and none is written where those were sent', async (t) => {
  const rig = new Rig(t, { snapshotEvery: 5 });
  const parts: Part[] = [];
  const tick = async (ms: number): Promise<void> => {
    rig.venue.advance(ms);
    rig.venue.venue(rig.venue.write.index(0, (100_000 + rig.venue.now % 977) * 1e6, 1));
    rig.venue.settle();
    await rig.makeDurable(rig.publish());
    for (const message of rig.history.inbox) if (message.type === 'batch') parts.push(...message.rows.candleParts);
    rig.history.run(rig.reader);
    await rig.turns();
  };
  for (let at = 0; at < 30; at++) await tick(2_000);
  const snapshots = listSnapshots(rig.folder).map(({ seq }) => seq);
  assert.ok(snapshots.length === 2);
  for (const seq of snapshots) assert.ok(parts.filter((part) => part.seq === seq).length > 10, `the marks at ${seq}`);
  rig.end();
});

test('a clean stop hands the marks gathered so far to the history', async (t) => {
  const rig = new Rig(t);
  for (let at = 0; at < 3; at++) {
    rig.venue.advance(2_000);
    rig.venue.venue(rig.venue.write.index(0, (100_000 + at) * 1e6, 1));
    rig.venue.settle();
  }
  await rig.makeDurable(rig.publish());
  rig.history.run(rig.reader);
  rig.loop.stop(() => undefined);
  const close = rig.history.inbox.find((message) => message.type === 'close');
  assert.ok(close !== undefined && close.candles.length > 10);
  assert.ok(close.candles.every(({ seq }) => seq === rig.reader.applied));
  rig.history.run(rig.reader);
  rig.closeJournal();
});
