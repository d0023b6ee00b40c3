// A data folder that can be read but not written is refused at the start: one line, exit code 2. File rights do not bind root, so as root
// the test starts the venue as another user.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listSegments } from '../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { slowFolder } from './slow-folder.ts';
import { refused, START } from './refused.ts';
import { FLAGS, Stopped } from './stopped.ts';

const NOBODY = 65_534;
/** Only this segment is written: old ones may be where nobody writes. */
const NEWEST = 2;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const root = temporaryFolder({ after });
const stopped = new Stopped(root);

/** The flags of the program alone: that user may be shut out of this checkout. */
const isShutOut = spawnSync(process.execPath, [START, '--help'], user).status !== 0;

before(async () => {
  chmodSync(root, 0o755);
  if (isShutOut) return;
  slowFolder(stopped.sound, 100, { segmentBytes: 30_000 });
  await stopped.run();
  assert.deepEqual(listSegments(stopped.sound), [1, NEWEST]);
});

/** A copy of the folder that belongs to who starts on it. */
function copyOfUser(): string {
  const data = stopped.copyWithout([]);
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name));
  if (user.uid !== undefined) for (const name of [data, ...names]) chownSync(name, user.uid, user.gid);
  return data;
}

const CASES: readonly (readonly [part: string, mode: number, line: RegExp])[] = [
  ['lock.db', 0o444, /lock\.db cannot be used: attempt to write a readonly database/],
  ['', 0o555, /data folder .*copy-\d+.*(EACCES|readonly database|unable to open)/],
  ['journal', 0o555, /copy-\d+\/journal cannot be written: EACCES/],
  ['snapshots', 0o555, /copy-\d+\/snapshots cannot be written: EACCES/],
  ['journal/segment-000002.db', 0o444, /journal\/segment-000002\.db cannot be written: EACCES/],
  ['history.db', 0o444, /history\.db cannot be written: EACCES/],
  // Such as of a folder that was copied back while its database was in use, by somebody else.
  ['journal/segment-000002.db-wal', 0o444, /journal\/segment-000002\.db-wal cannot be written: EACCES/],
  ['journal/segment-000002.db-shm', 0o444, /journal\/segment-000002\.db-shm cannot be written: EACCES/],
  ['history.db-shm', 0o444, /history\.db-shm cannot be written: EACCES/],
];

for (const [part, mode, line] of CASES) {
  test(`${part === '' ? 'the folder' : part} cannot be written: the start is refused in one line`, {
    skip: isShutOut && 'another user than root cannot read this checkout',
  }, () => {
    const data = copyOfUser();
    const path = join(data, part);
    if (/-(wal|shm)$/.test(part)) closeSync(openSync(path, 'a'));
    chmodSync(join(data, 'journal', 'segment-000001.db'), 0o444);
    chmodSync(path, mode);
    try {
      assert.match(refused(['--port', '0', '--data', data, ...FLAGS], { user }), line);
    } finally {
      chmodSync(path, 0o755);
    }
  });
}
