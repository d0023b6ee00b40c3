// Frames before the snapshot that main skips and the reader needs. A start that finds them damaged or missing is refused; nothing is
// sequenced, and no thread leaves a file open.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { listSegments, segmentPath } from '../../../shell/storage/journal/segment.ts';
import { listSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { slowFolder } from './slow-folder.ts';
import { FLAGS, refusedUnchanged, runOnce, Stopped } from './stopped.ts';

const root = temporaryFolder({ after });
const stopped = new Stopped(root);

before(async () => {
  slowFolder(stopped.sound, 500, { segmentBytes: 30_000 });
  await stopped.run();
  assert.ok(listSegments(stopped.sound).length > 2);
});

/** Flips a bit of the last record of the segment's first frame. */
function spoilFirstFrame(data: string): void {
  const db = new Database(segmentPath(data, 1));
  const { first_seq: seq, bytes } = db.prepare('SELECT first_seq, bytes FROM frames ORDER BY first_seq LIMIT 1').get() as {
    first_seq: number; bytes: Buffer;
  };
  bytes[bytes.length - 1]! ^= 1;
  db.prepare('UPDATE frames SET bytes = ? WHERE first_seq = ?').run(bytes, seq);
  db.close();
}

function isOpen(data: string, name: string): boolean {
  return ['-wal', '-shm'].some((suffix) => existsSync(join(data, name + suffix)));
}

test('a damaged frame before the snapshot is found, and stops a start that must rebuild the history', () => {
  const data = stopped.copyWithout(['history.db']);
  spoilFirstFrame(data);
  for (let attempt = 0; attempt < 2; attempt++) {
    assert.match(refusedUnchanged(data, 'journal'), /journal damaged: segment 1, frame 1, seq 1: /);
    assert.ok(!isOpen(data, 'history.db'));
  }
});

test('with history and old segments missing no history is made; put back, the venue continues', async () => {
  const data = stopped.copyWithout(['history.db']);
  rmSync(segmentPath(data, 1));
  assert.match(refusedUnchanged(data), /segment 1 is missing: history\.db is to be made from seq 1, segment 2 starts at [0-9]+\n/);
  assert.ok(!existsSync(join(data, 'history.db')) && !isOpen(data, 'history.db'));
  copyFileSync(join(stopped.sound, 'history.db'), join(data, 'history.db'));
  await runOnce(data);
});

test('with history and a middle segment missing no history is made either', () => {
  const data = stopped.copyWithout(['history.db']);
  rmSync(segmentPath(data, 2));
  assert.match(refusedUnchanged(data), /segment 2 is missing: history\.db is to be made from seq 1, segment 3 starts at [0-9]+\n/);
  assert.ok(!existsSync(join(data, 'history.db')) && !isOpen(data, 'history.db'));
});

test('a history of another version whose old segments are missing is refused and left in place', () => {
  const data = stopped.copyWithout([]);
  const db = new Database(join(data, 'history.db'));
  const { venue, applied_seq: seq } = db.prepare('SELECT venue, applied_seq FROM meta').get() as { venue: string; applied_seq: number };
  db.prepare('UPDATE meta SET hash = ?').run(createHash('sha256').update(`history 3 ${venue} ${seq}`).digest());
  db.pragma('user_version=3');
  db.close();
  rmSync(segmentPath(data, 1));
  const reason = 'history\\.db cannot be used by this version and is to be made from seq 1, segment 2 starts at [0-9]+\n';
  assert.match(refusedUnchanged(data), new RegExp(`segment 1 is missing: ${reason}`));
});

test('with its only snapshot damaged, the start recovers from the journal and mentions no older snapshot', async () => {
  const data = stopped.copyWithout([]);
  const [newest, ...older] = listSnapshots(data);
  for (const { path } of older) rmSync(path);
  truncateSync(newest!.path, statSync(newest!.path).size - 1);
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  await venue.ready();
  const { code, err } = await venue.stop();
  assert.equal(code, 0);
  assert.match(err, /snapshot damaged: .*; recovery goes on without it/);
  assert.doesNotMatch(err, /older snapshot/);
});
