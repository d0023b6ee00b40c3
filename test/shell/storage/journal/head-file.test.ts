// `head.json` has one writer at a time: the thread that keeps the head. A journal that was killed between naming a new segment and the
// head that names it opens, and many segments begun beside a real checkpointer thread cause no fault.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { writeHeadFile } from '../../../../shell/storage/journal/head-file.ts';
import type { Head } from '../../../../shell/storage/journal/chain.ts';
import { DISK } from '../../../../shell/storage/journal/files.ts';
import { journalHead } from '../../../../shell/storage/journal/read.ts';
import { journalFolder, listSegments, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter, readAndCheck } from './support.ts';

const CHECKPOINTER = new URL('../../../../shell/process/threads/checkpointer.ts', import.meta.url);
/** With two writers most runs of so many segments ended in a fault. */
const SEGMENTS = 120;

test('a writer with a separate head keeper never writes head.json and announces a new segment last', (t) => {
  const folder = temporaryFolder(t);
  const told: { segment: number; seq: number }[] = [];
  const writer = openWriter(folder, { segmentBytes: 9_000, saveHead: (segment, { seq }) => told.push({ segment, seq }) });
  const anchor = join(journalFolder(folder), 'head.json');
  const before = fs.readFileSync(anchor, 'utf8');
  for (let segment = 2; segment <= 4; segment++) {
    while (writer.segment.segment < segment) appendFrames(writer, [5]);
    assert.deepEqual(told.at(-1), { segment, seq: writer.segment.firstSeq - 1 });
  }
  writer.close();
  assert.equal(fs.readFileSync(anchor, 'utf8'), before);
  assert.deepEqual(told, [...told].sort((a, b) => a.segment - b.segment || a.seq - b.seq));
});

test('after a kill around the start of a segment the journal opens at its end, with the head before or after', (t) => {
  const folder = temporaryFolder(t);
  const kept: [number, Head][] = [];
  const writer = openWriter(folder, { segmentBytes: 9_000, saveHead: (...head) => kept.push(head) });
  while (writer.segment.segment < 3) appendFrames(writer, [5]);
  const end = writer.head.seq;
  writer.close();
  assert.ok(kept.some(([segment]) => segment === 2) && kept.some(([segment]) => segment === 3));
  for (const [segment, head] of kept) {
    writeHeadFile(folder, segment, head, DISK);
    assert.equal(journalHead(folder)?.seq, end);
    assert.equal(readAndCheck(folder).at(-1), end);
    openWriter(folder, { saveHead: () => undefined }).close();
  }
});

test(`${SEGMENTS} segments begun while a checkpointer thread works: no fault, and head.json names the last`, async (t) => {
  const folder = temporaryFolder(t);
  // A fault in it ends this process.
  const checkpointer = new Worker(CHECKPOINTER);
  t.after(() => checkpointer.terminate());
  const exit = once(checkpointer, 'exit');
  let isBusy = false;
  const writer = openWriter(folder, {
    segmentBytes: 60_000, saveHead: (segment, head) => checkpointer.postMessage({ type: 'head', dataFolder: folder, segment, ...head }),
  });
  checkpointer.on('message', () => {
    isBusy = false;
    writer.checkpointIfIdle();
  });
  while (writer.segment.segment < SEGMENTS) {
    appendFrames(writer, [20, 40, 60]);
    if (!isBusy && writer.walBytes >= 20_000) {
      isBusy = true;
      checkpointer.postMessage({ type: 'checkpoint', path: segmentPath(folder, writer.segment.segment) });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  checkpointer.postMessage({ type: 'stop' });
  assert.deepEqual(await exit, [0]);
  const { segment } = JSON.parse(fs.readFileSync(join(journalFolder(folder), 'head.json'), 'utf8')) as { segment: number };
  assert.equal(segment, listSegments(folder).at(-1));
  writer.close();
  assert.equal(readAndCheck(folder).at(-1), writer.head.seq);
});
