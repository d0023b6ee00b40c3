// The checkpoint that runs beside the writer: a lock held for a moment at a change of segment does not end the venue.

import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { checkpointPassively } from '../../../../shell/storage/journal/checkpoint.ts';
import { segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter, readAndCheck } from './support.ts';

test('a checkpoint waits while the writer closes its segment', async (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [3, 2]);
  writer.close();
  const path = segmentPath(folder, 1);
  const holder = new Worker(new URL('./holder.ts', import.meta.url), { workerData: { path, ms: 300 } });
  await once(holder, 'message');
  checkpointPassively(path);
  await once(holder, 'exit');
  readAndCheck(folder);
});
