// The checkpoint from beside the writer: what stands in its way for a moment at a change of segment does not end the venue.

import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { checkpointPassively } from '../../../../shell/storage/journal/checkpoint.ts';
import { segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter, readAndCheck } from './support.ts';

test('a checkpoint of a segment that its writer is just closing waits for that', async (t) => {
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
