// The file that says where a node takes the log up again, and what it has heard of others.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyResume, readResume, resumeText, writeResume } from '../../../../shell/storage/replication/resume-file.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const POINT = { position: 7, hash: 'ab', seq: 70, epoch: 2, owner: { node: 'one', instance: '00' } };
const RESUME = { incarnation: '0123456789abcdef', point: POINT, heard: 9 };

test('what a node knew of the log is known after a restart, also by a copy that ends before', (t) => {
  const [folder, copy] = [temporaryFolder(t), temporaryFolder(t)];
  assert.equal(readResume(folder), null);
  writeResume(folder, RESUME);
  assert.deepEqual(readResume(folder), RESUME);
  copyResume(copy, resumeText(folder)!, 70);
  assert.deepEqual(readResume(copy), RESUME);
  copyResume(copy, resumeText(folder)!, 69);
  assert.deepEqual(readResume(copy), { ...RESUME, point: null });
});

test('a file of an earlier version, without what others said, is read; one that was changed is refused', (t) => {
  const folder = temporaryFolder(t);
  const { heard, ...earlier } = RESUME;
  writeResume(folder, earlier);
  assert.deepEqual(readResume(folder), earlier);
  writeResume(folder, { ...earlier, heard });
  const file = join(folder, 'journal/log.json');
  for (const [text, other] of [['"heard":9', '"heard":8'], ['"position":7', '"position":8']] as const) {
    const good = readFileSync(file, 'utf8');
    assert.ok(good.includes(text));
    writeFileSync(file, good.replace(text, other));
    assert.throws(() => readResume(folder), /journal\/log\.json is damaged/);
    writeFileSync(file, good);
  }
});
