// What SQLite silently skips in a write-ahead log: one changed bit drops every later commit. The check finds it wherever two or more
// commits follow, and finds nothing in what a kill, a power cut or a log that was reset leaves.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { JournalDamage } from '../../../../shell/storage/journal/journal-errors.ts';
import { journalHead } from '../../../../shell/storage/journal/read.ts';
import { PAGE_BYTES, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { findWalDamage } from '../../../../shell/storage/journal/wal-check.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, generator, openWriter } from './support.ts';

const HEAD = 32;
const FRAME = 24 + PAGE_BYTES;
const COMMIT_AT = 4;

/** The log of a file to which so many commits were made, begun again after the first of them where `again` says so. */
function logOf(folder: string, commits: number, again = 0): Buffer {
  const path = join(folder, 'some.db');
  const db = new Database(path);
  db.pragma(`page_size=${PAGE_BYTES}`);
  db.pragma('journal_mode=wal');
  db.pragma('wal_autocheckpoint=0');
  db.exec('CREATE TABLE one (of BLOB)');
  const insert = db.prepare('INSERT INTO one VALUES (zeroblob(3000))');
  for (let i = 0; i < again; i++) insert.run();
  if (again > 0) db.pragma('wal_checkpoint(RESTART)');
  for (let i = 0; i < commits; i++) insert.run();
  const bytes = fs.readFileSync(`${path}-wal`);
  db.close();
  fs.rmSync(path);
  return bytes;
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << bit;
  return copy;
}

/** By frame of the log, how many commits end in it or behind it. */
function commitsFrom(bytes: Buffer, frames: number): number[] {
  const counts = Array.from({ length: frames + 1 }, () => 0);
  for (let i = frames - 1; i >= 0; i--) counts[i] = counts[i + 1]! + (bytes.readUInt32BE(HEAD + i * FRAME + COMMIT_AT) === 0 ? 0 : 1);
  return counts;
}

test('a changed bit in the log is damage if two commits follow it, wherever it is', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'log');
  const found = (bytes: Buffer) => {
    fs.writeFileSync(path, bytes);
    return findWalDamage(path);
  };
  const bytes = logOf(folder, 12);
  const frames = (bytes.length - HEAD) / FRAME;
  const behind = commitsFrom(bytes, frames);
  assert.equal(found(bytes), null);
  const random = generator(5);
  for (let frame = 0; frame < frames; frame++) {
    // Of the head of a frame all but the sums, which are another matter for the frame behind; of the page some bits.
    const places = [0, 4, 8, 12, ...Array.from({ length: 6 }, () => 24 + Math.floor(random() * PAGE_BYTES))];
    for (const place of places) {
      const at = HEAD + frame * FRAME;
      const told = found(flipped(bytes, at + place, Math.floor(random() * 8)));
      const commits = behind[frame + 1]!;
      assert.deepEqual(told, commits > 1 ? { at, commits } : null, `frame ${frame} of ${frames}, byte ${place}`);
    }
  }
  // Of the sums: the frame behind follows from another number then, so one less is whole.
  assert.deepEqual(found(flipped(bytes, HEAD + 16, 0)), { at: HEAD, commits: behind[2] });
  for (let byte = 0; byte < HEAD; byte++) assert.ok(found(flipped(bytes, byte, 3)) !== null, `byte ${byte} of the head`);
  for (let cut = 0; cut < 200; cut++) assert.equal(found(bytes.subarray(0, Math.floor(random() * bytes.length))), null);
});

test('old bytes after the end of a reset log are not commits of it', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'log');
  const bytes = logOf(folder, 4, 20);
  assert.ok(bytes.length > HEAD + 20 * FRAME);
  fs.writeFileSync(path, bytes);
  assert.equal(findWalDamage(path), null);
  fs.writeFileSync(path, flipped(bytes, HEAD + 100, 0));
  assert.ok((findWalDamage(path)?.commits ?? 0) >= 3);
  assert.equal(findWalDamage(join(folder, 'none')), null);
});

test('a journal with commits after a changed bit of its log is refused, and opens once it is cut there', (t) => {
  const live = temporaryFolder(t);
  const copy = join(temporaryFolder(t), 'copy');
  const writer = openWriter(live);
  appendFrames(writer, Array.from({ length: 12 }, () => 2));
  fs.cpSync(live, copy, { recursive: true });
  writer.close();
  const log = `${segmentPath(copy, 1)}-wal`;
  assert.equal(journalHead(copy)?.seq, 24);
  const bytes = fs.readFileSync(log);
  const at = HEAD + FRAME * 5;
  fs.writeFileSync(log, flipped(bytes, at + 100, 2));
  const told = new RegExp(`^journal damaged: segment 1, frame [0-9]+, .* damaged from byte ${at} on, and [0-9]+ commits after`);
  assert.throws(() => journalHead(copy), (error) => error instanceof JournalDamage && told.test(error.message));
  fs.truncateSync(log, at);
  assert.ok(journalHead(copy)!.seq < 24);
});
