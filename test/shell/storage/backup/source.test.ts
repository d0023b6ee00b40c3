// The venue's side of a copy: one moment of the history while rows are added, snapshots that go on being readable after they were removed,
// a disk without room, and one copy at a time.

import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { existsSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LOW_DISK_BYTES } from '../../../../shell/storage/journal/disk-space.ts';
import { venueId } from '../../../../shell/storage/journal/venue-identity.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { emptyRows, type TradeRow } from '../../../../shell/storage/history/protocol.ts';
import { BackupSource } from '../../../../shell/storage/backup/source.ts';
import type { BackupFilePage, BackupStatus } from '../../../../shell/ipc/backup.ts';
import { temporaryFolder, type Ends } from '../../../support/temporary.ts';

const FREE = LOW_DISK_BYTES * 8;
const ROWS = 20_000;

function tradesFrom(seq: number, count: number): TradeRow[] {
  return Array.from({ length: count }, (_, i) => ({
    seq: seq + i, tradeId: seq + i, symbol: 'BTC-PERP', underlying: 'BTC', price: 1, size: 1, maker: '0x1', taker: '0x2', makerFee: 0,
    takerFee: 0, takerSide: 0, time: 1,
  }));
}

/** A folder with a history, and its store. */
function historyFolder(t: Ends): { data: string; venue: string; store: HistoryStore; add: (count: number) => number } {
  const data = temporaryFolder(t);
  const venue = venueId(data);
  const store = HistoryStore.open(data, venue);
  let seq = 0;
  const add = (count: number): number => {
    const rows = { ...emptyRows(), trades: tradesFrom(seq + 1, count) };
    return (seq = store.commit([{ type: 'batch', seq: seq + count, rows }]));
  };
  return { data, venue, store, add };
}

async function ended(source: BackupSource, between: () => void = () => undefined): Promise<BackupStatus> {
  for (;;) {
    const status = source.answer({ name: 'backup' }) as BackupStatus;
    if (status.state !== 'copying') return status;
    between();
    await turn();
  }
}

function fileOf(source: BackupSource, id: string, file: string): Buffer {
  const parts: Buffer[] = [];
  for (let offset = 0; ;) {
    const page = source.answer({ name: 'backupFile', id, file, offset }) as BackupFilePage;
    assert.ok(!('error' in page), JSON.stringify(page));
    parts.push(Buffer.from(page.bytes, 'base64'));
    offset += parts.at(-1)!.length;
    if (offset >= page.size) return Buffer.concat(parts);
  }
}

test('the history is copied as of one moment while rows are added', async (t) => {
  const { data, venue, add } = historyFolder(t);
  const moment = add(ROWS);
  const source = new BackupSource(data, venue, () => FREE);
  t.after(() => source.end());
  const { id } = source.answer({ name: 'backup', action: 'begin' }) as BackupStatus;
  let added = 0;
  const { state, reason, files } = await ended(source, () => {
    if (added < moment + 5) added = add(1);
  });
  assert.equal(state, 'ready', reason ?? '');
  assert.ok(added > moment + 1, 'rows were added in between');
  assert.deepEqual(files.map(({ name }) => name), ['history.db']);
  const path = join(temporaryFolder(t), 'history.db');
  writeFileSync(path, fileOf(source, id, 'history.db'));
  const copy = new Database(path);
  assert.deepEqual(copy.pragma('integrity_check(1)', { simple: true }), 'ok');
  assert.deepEqual(copy.prepare('SELECT applied_seq, (SELECT max(seq) FROM trades) FROM meta').raw().get(), [moment, moment]);
  copy.close();
});

test('a snapshot that was removed during a copy is read to its end', async (t) => {
  const { data, venue, add } = historyFolder(t);
  add(1);
  const path = join(data, 'snapshots', 'snapshot-1.bin');
  mkdirSync(join(data, 'snapshots'));
  const bytes = Buffer.alloc(300_000, 7);
  writeFileSync(path, bytes);
  const source = new BackupSource(data, venue, () => FREE);
  t.after(() => source.end());
  const { id } = source.answer({ name: 'backup', action: 'begin' }) as BackupStatus;
  await ended(source);
  unlinkSync(path);
  assert.ok(fileOf(source, id, 'snapshot-1.bin').equals(bytes));
});

test('without room on the venue\'s disk the copy fails with both numbers, and leaves nothing', async (t) => {
  const { data, venue, add } = historyFolder(t);
  add(ROWS);
  let free = FREE;
  const source = new BackupSource(data, venue, () => free);
  t.after(() => source.end());
  source.answer({ name: 'backup', action: 'begin' });
  await turn();
  free = LOW_DISK_BYTES - 1;
  const { state, reason, files } = await ended(source);
  assert.equal(state, 'failed');
  assert.match(reason!, new RegExp(`has ${free} bytes free, a copy of the history needs \\d{10}`));
  assert.deepEqual(files, []);
  assert.equal(existsSync(join(data, 'backup', 'history.db')), false);
});

test('a second copy ends the first, and a start removes what was left', async (t) => {
  const { data, venue, add } = historyFolder(t);
  add(1);
  const source = new BackupSource(data, venue, () => FREE);
  const first = source.answer({ name: 'backup', action: 'begin' }) as BackupStatus;
  await ended(source);
  const second = source.answer({ name: 'backup', action: 'begin' }) as BackupStatus;
  await ended(source);
  assert.deepEqual(source.answer({ name: 'backupFile', id: first.id, file: 'history.db', offset: 0 }), {
    error: `No file history.db in copy ${first.id}: it has ended, or is not ready`,
  });
  assert.ok(fileOf(source, second.id, 'history.db').length > 0);
  source.end();
  assert.equal(existsSync(join(data, 'backup')), false);
  mkdirSync(join(data, 'backup'));
  assert.equal((new BackupSource(data, venue, () => FREE).answer({ name: 'backup' }) as BackupStatus).state, 'none');
  assert.equal(existsSync(join(data, 'backup')), false);
});
