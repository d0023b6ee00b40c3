// What a start does with the end of the journal before it builds on it: frames that a kill left in the WAL, perhaps only in the kernel's
// memory, are moved to the main file and the WAL is reset, whatever was synced before.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { journalHead } from '../../../../shell/storage/journal/read.ts';
import { journalFolder, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { syncJournal } from '../../../../shell/storage/journal/sync-journal.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter, readAndCheck } from './support.ts';

/** The folder of a writer as a kill would leave it, which has written the frames and moved none of them. */
function killed(t: TestContext): string {
  const [folder, left] = [temporaryFolder(t), temporaryFolder(t)];
  const writer = openWriter(folder);
  appendFrames(writer, [3, 1, 20]);
  fs.cpSync(journalFolder(folder), journalFolder(left), { recursive: true });
  writer.close();
  return left;
}

const walBytes = (folder: string): number => fs.statSync(`${segmentPath(folder, 1)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
const keptSeq = (folder: string): number => JSON.parse(fs.readFileSync(join(journalFolder(folder), 'head.json'), 'utf8')).seq;

test('after a sync all frames are in the main file, and head.json covers them', (t) => {
  const folder = killed(t);
  const before = journalHead(folder)!;
  assert.ok(before.seq === 24 && walBytes(folder) > 0 && keptSeq(folder) === 0);
  assert.equal(syncJournal(folder, before), true);
  assert.deepEqual([walBytes(folder), keptSeq(folder)], [0, 24]);
  fs.rmSync(`${segmentPath(folder, 1)}-wal`, { force: true });
  fs.rmSync(`${segmentPath(folder, 1)}-shm`, { force: true });
  assert.deepEqual(journalHead(folder), before);
  const writer = openWriter(folder);
  appendFrames(writer, [2]);
  assert.deepEqual(readAndCheck(folder), [3, 4, 24, 26]);
  writer.close();
  assert.equal(syncJournal(folder, journalHead(folder)!), true, 'after a clean stop there is nothing to do');
});

test('while another process reads, the sync moves the frames and reports that the WAL was not reset', (t) => {
  const folder = killed(t);
  const reader = new Database(segmentPath(folder, 1), { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM frames').get();
  assert.equal(syncJournal(folder, journalHead(folder)!), false);
  assert.equal(keptSeq(folder), 0);
  reader.exec('COMMIT');
  reader.close();
  assert.deepEqual(readAndCheck(folder), [3, 4, 24]);
});
