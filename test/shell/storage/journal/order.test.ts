// What a power cut would leave, which no kill shows: a file gets its name once its bytes are on the disk, and the name is on the disk
// before the writer goes on.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BEHAVIOUR, CODEC } from '../../../../core/version.ts';
import { writeHeadFile } from '../../../../shell/storage/journal/head-file.ts';
import { genesisHash } from '../../../../shell/storage/journal/chain.ts';
import { DISK, writeTextAtomically, type Files } from '../../../../shell/storage/journal/files.ts';
import { adminToken, recordSigningDomain, venueId } from '../../../../shell/storage/journal/venue-identity.ts';
import { journalFolder, makeSegment } from '../../../../shell/storage/journal/segment.ts';
import { writeSnapshot } from '../../../../shell/storage/journal/snapshot-write.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { TIME, VENUE } from './support.ts';

/** The disk, which tells of each path what has been done to it, in order; of a file of SQLite only its new name. */
function watched(): { files: Files; done: () => string[] } {
  const paths = new Map<number, string>();
  const done: string[] = [];
  const tell = (what: string, path: string): void => {
    const line = `${what} ${path.split('/').at(-1)}`;
    if (done.at(-1) !== line) done.push(line);
  };
  const files: Files = {
    open: (path, flags, mode) => {
      const fd = DISK.open(path, flags, mode);
      paths.set(fd, path);
      return fd;
    },
    write: (fd, bytes, offset, length) => {
      tell('write', paths.get(fd)!);
      return DISK.write(fd, bytes, offset, length);
    },
    fsync: (fd) => {
      tell('fsync', paths.get(fd)!);
      DISK.fsync(fd);
    },
    close: (fd) => DISK.close(fd),
    rename: (from, to) => {
      tell('name', to);
      DISK.rename(from, to);
    },
    unlink: (path) => DISK.unlink(path),
  };
  return { files, done: () => done.splice(0) };
}

function steps(file: string, folder: string): string[] {
  return [`write ${file}.tmp`, `fsync ${file}.tmp`, `name ${file}`, `fsync ${folder.split('/').at(-1)}`];
}

test('every file of the folder is written in order: its bytes, its name, then the folder', (t) => {
  const folder = temporaryFolder(t);
  const { files, done } = watched();
  writeTextAtomically(files, join(folder, 'a'), 'text');
  assert.deepEqual(done(), steps('a', folder));
  venueId(folder, files);
  assert.deepEqual(done(), steps('venue.json', folder));
  recordSigningDomain(folder, { fromSeq: 1, name: 'Strikebook', chainId: 998 }, files);
  assert.deepEqual(done(), steps('venue.json', folder));
  adminToken(folder, files);
  assert.deepEqual(done(), steps('admin-token', folder));
  fs.mkdirSync(journalFolder(folder));
  writeHeadFile(folder, 1, { seq: 0, hash: genesisHash(VENUE) }, files);
  assert.deepEqual(done(), steps('head.json', 'journal'));
});

test('snapshots and segments are written in the same order; SQLite syncs the bytes of a segment', (t) => {
  const folder = temporaryFolder(t);
  const { files, done } = watched();
  const head = { seq: 7, headHash: genesisHash(VENUE), behaviour: BEHAVIOUR, codec: CODEC, digest: [0, 0] as const, meta: {} };
  writeSnapshot(folder, head, [{ name: 'some', type: 'u8', elements: 3, bytes: Uint8Array.of(1, 2, 3) }], files);
  assert.deepEqual(done(), steps('snapshot-7.bin', 'snapshots'));
  fs.mkdirSync(journalFolder(folder));
  const meta = {
    segment: 1, behaviour: BEHAVIOUR, codec: CODEC, firstSeq: 1, previousHash: genesisHash(VENUE), venue: VENUE, created: TIME,
  };
  makeSegment(folder, meta, files);
  assert.deepEqual(done(), ['name segment-000001.db', 'fsync journal']);
});
