// After a kill, the end of the journal may exist only in the kernel's memory. A start flushes it to disk before anybody reads what it
// says.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { journalHead } from '../../../shell/storage/journal/read.ts';
import { journalFolder, segmentPath } from '../../../shell/storage/journal/segment.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('after a kill the next start checkpoints the WAL, and head.json covers the whole journal', async (t) => {
  const data = temporaryFolder(t);
  const walBytes = (): number => statSync(`${segmentPath(data, 1)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const flags = ['--feed', 'manual'];
  await (await runningVenue(t, { data, flags })).venue.kill();
  const { seq } = journalHead(data)!;
  assert.ok(seq > 0 && walBytes() > 0);
  await (await runningVenue(t, { data, flags })).venue.kill();
  assert.equal(journalHead(data)!.seq, seq, 'nothing was asked of it');
  assert.equal(walBytes(), 0);
  assert.equal(JSON.parse(readFileSync(join(journalFolder(data), 'head.json'), 'utf8')).seq, seq);
});
