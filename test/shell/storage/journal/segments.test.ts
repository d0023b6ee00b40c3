// When a new segment begins, and what must be on the disk before it: the end of the old one, which it names.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BEHAVIOUR } from '../../../../core/version.ts';
import { DISK } from '../../../../shell/storage/journal/files.ts';
import { readFrames } from '../../../../shell/storage/journal/read.ts';
import { listSegments, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter, readAndCheck } from './support.ts';

test('with durability normal a new segment waits for a reader that holds the old WAL; with full it does not', (t) => {
  for (const durability of ['normal', 'full'] as const) {
    const folder = temporaryFolder(t);
    const writer = openWriter(folder, { segmentBytes: 60_000, durability });
    appendFrames(writer, [1, 1]);
    const reader = readFrames(folder, 1);
    reader.next();
    appendFrames(writer, Array.from({ length: 400 }, () => 1));
    if (durability === 'full') assert.ok(listSegments(folder).length > 1);
    else assert.deepEqual(listSegments(folder), [1]);
    reader.return(undefined);
    appendFrames(writer, [1]);
    if (durability === 'normal') assert.deepEqual(listSegments(folder), [1, 2]);
    writer.close();
    readAndCheck(folder);
  }
});

test('the bytes of a segment from before an opening count towards its size', (t) => {
  const folder = temporaryFolder(t);
  for (let opening = 0; opening < 12 && listSegments(folder).length < 2; opening++) {
    const writer = openWriter(folder, { segmentBytes: 60_000 });
    appendFrames(writer, Array.from({ length: 20 }, () => 1));
    writer.close();
  }
  assert.deepEqual(listSegments(folder), [1, 2]);
});

test('the end of a segment is in its main file before another behaviour begins the next', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [3, 2]);
  // What a kill leaves.
  const killed = temporaryFolder(t);
  fs.cpSync(join(folder, 'journal'), join(killed, 'journal'), { recursive: true });
  writer.close();
  const wal = `${segmentPath(killed, 1)}-wal`;
  assert.ok(fs.statSync(wal).size > 0);
  let left: number | null = null;
  const files = {
    ...DISK,
    rename: (from: string, to: string): void => {
      if (to === segmentPath(killed, 2)) left = fs.statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
      DISK.rename(from, to);
    },
  };
  openWriter(killed, { behaviour: BEHAVIOUR + 1, files }).close();
  assert.equal(left, 0);
  readAndCheck(killed);
});
