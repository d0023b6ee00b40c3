// When the reader's loop writes snapshots, given what the history has committed: after any end there is one to start from.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';
import { BUY, SELL } from '../../../core/units.ts';
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
