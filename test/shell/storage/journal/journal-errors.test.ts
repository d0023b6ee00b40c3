// An error of SQLite or the system counts as damage only if it is about stored bytes. A full disk or missing rights are refused by the
// file's name, with no claim about its content.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { toStorageError, JournalDamage, JournalRefusal, withFileErrors } from '../../../../shell/storage/journal/journal-errors.ts';
import { journalHead, readFrames } from '../../../../shell/storage/journal/read.ts';
import { journalFolder, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter } from './support.ts';

const coded = (code: string): Error => Object.assign(new Error('what it says'), { code });
const isUnusable = (file: string) => (error: unknown): boolean => (
  error instanceof JournalRefusal && error.code === 'unusable' && error.message.startsWith(`${file} cannot be used: `)
);

test('an SQLite error about disk, rights or locks is not damage', () => {
  const codes = [
    'SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_IOERR_READ', 'SQLITE_IOERR_CORRUPTFS',
    'SQLITE_IOERR_SHMMAP', 'SQLITE_PERM', 'SQLITE_READONLY', 'SQLITE_READONLY_CANTINIT', 'SQLITE_READONLY_DIRECTORY', 'SQLITE_NOMEM',
    'SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL',
  ];
  for (const code of codes) {
    const error = toStorageError(coded(code), 7, 9);
    assert.ok(isUnusable('journal/segment-000007.db')(error), code);
    assert.ok(error.message.endsWith(`what it says (${code})`), error.message);
  }
});

test('an SQLite error about stored bytes is damage', () => {
  const codes = ['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB', 'SQLITE_ERROR', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_FORMAT'];
  for (const code of codes) assert.ok(toStorageError(coded(code), 7, 9) instanceof JournalDamage, code);
  assert.ok(toStorageError(new RangeError('bad length'), 7, 9) instanceof JournalDamage);
  assert.ok(toStorageError('a word', 7, 9) instanceof JournalDamage);
});

test('a file larger than any of the venue\'s is refused by name', (t) => {
  const folder = temporaryFolder(t);
  openWriter(folder).close();
  const head = join(journalFolder(folder), 'head.json');
  fs.truncateSync(head, 5 * 2 ** 30);
  assert.throws(() => journalHead(folder), isUnusable(head));
  assert.throws(() => withFileErrors('a/file', () => { throw coded('ERR_STRING_TOO_LONG'); }), isUnusable('a/file'));
});

test('a system error names the file; any other error is passed on unchanged', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, read'), { code: 'ENOSPC', syscall: 'read' });
  assert.throws(() => withFileErrors('a/file', () => { throw full; }), {
    message: 'a/file cannot be used: ENOSPC: no space left on device, read',
  });
  const fault = new TypeError('a fault');
  assert.throws(() => withFileErrors('a/file', () => { throw fault; }), (error) => error === fault);
});

test('a segment or head that cannot be opened is refused by name', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [2, 3]);
  writer.close();
  const head = join(journalFolder(folder), 'head.json');
  fs.renameSync(head, `${head}.kept`);
  fs.mkdirSync(head);
  assert.throws(() => journalHead(folder), isUnusable(head));
  fs.rmdirSync(head);
  fs.renameSync(`${head}.kept`, head);
  fs.rmSync(segmentPath(folder, 1));
  fs.mkdirSync(segmentPath(folder, 1));
  assert.throws(() => journalHead(folder), isUnusable('journal/segment-000001.db'));
  assert.throws(() => [...readFrames(folder, 1)], isUnusable('journal/segment-000001.db'));
});
