// A journal that ends before the seq of its history, snapshot or head.json. The start is refused, names the file that is ahead and writes
// nothing. Once that file is moved aside, the venue continues from the journal.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { journalHead } from '../../../shell/storage/journal/read.ts';
import { listSegments, segmentPath } from '../../../shell/storage/journal/segment.ts';
import { runAudit } from '../../support/audit.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { slowFolder } from './slow-folder.ts';
import { FLAGS, refusedUnchanged, Stopped } from './stopped.ts';

const root = temporaryFolder({ after });
const stopped = new Stopped(root);
const copyWithout = stopped.copyWithout.bind(stopped);
let end = 0;

before(async () => {
  slowFolder(stopped.sound, 500);
  end = await stopped.run();
});

test('a journal that ends before its history or snapshot is refused, naming that file, and nothing is written', () => {
  const head = 'journal/head.json';
  const early = (name: string, seq = '\\d+'): RegExp => (
    new RegExp(`journal ends at seq ${seq}, ${name} is at ${end} \\(docs/OPERATIONS.md: A lost end\\)`)
  );
  assert.match(refusedUnchanged(copyWithout([head, 'snapshots'], 2)), early('history\\.db'));
  assert.match(refusedUnchanged(copyWithout([head, 'history.db'], 2)), early(`snapshot-${end}\\.bin`));
  assert.match(refusedUnchanged(copyWithout([head], 2)), early(`snapshot-${end}\\.bin`));
  assert.match(refusedUnchanged(copyWithout(['journal'])), early(`snapshot-${end}\\.bin`, '0'));
  assert.match(refusedUnchanged(copyWithout(['journal', 'snapshots'])), early('history\\.db', '0'));
  assert.match(refusedUnchanged(copyWithout(['journal', 'history.db'])), early(`snapshot-${end}\\.bin`, '0'));
  assert.match(refusedUnchanged(copyWithout(['journal', 'history.db', 'venue.json'])), /venue\.json is missing/);
});

test('the audit reports the same as the start', () => {
  for (const lost of [['journal/head.json', 'snapshots'], ['journal/head.json', 'history.db']]) {
    const data = copyWithout(lost, 2);
    const { status, stdout } = runAudit(data);
    assert.equal(status, 1);
    assert.match(stdout, new RegExp(`^audit: NOT sound: journal ends at seq \\d+, [a-z]+[-.]\\S* is at ${end}\n$`));
  }
});

test('once the files ahead of the journal are moved aside, the venue continues and rebuilds its history', async () => {
  const data = copyWithout(['journal/head.json', 'snapshots', 'history.db'], 2);
  const { seq } = journalHead(data)!;
  assert.ok(seq < end);
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  await venue.ready();
  const info = await (await fetch(`${venue.url}/exchange-info`)).json() as { head_seq: number };
  assert.ok(info.head_seq >= seq);
  assert.equal((await venue.stop()).code, 0);
});

test('a folder without its segments is refused, because head.json names them', () => {
  const data = copyWithout(['snapshots', 'history.db']);
  rmSync(segmentPath(data, 1));
  assert.match(refusedUnchanged(data), /segment 1 is missing: head\.json names it/);
  assert.deepEqual(listSegments(data), []);
});
