// A journal whose files are removed or changed while it is written: the next commit is not acknowledged, and acknowledged records are
// saved where possible. No file that a start writes follows a symbolic link.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { adminToken } from '../../../../shell/storage/journal/venue-identity.ts';
import { lockFolder } from '../../../../shell/storage/journal/lock.ts';
import { journalFolder, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { requireWritable } from '../../../../shell/storage/journal/writable-check.ts';
import { historyPath } from '../../../../shell/storage/history/history-file.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, openWriter, readAndCheck } from './support.ts';

/** Takes a file away, and puts one of the same bytes in its place. */
function replace(path: string): void {
  fs.copyFileSync(path, `${path}.copy`);
  fs.renameSync(`${path}.copy`, path);
}

/** By what is done to the folder `data` and the newest segment of it. */
const CHANGES: Record<string, (segment: string, data: string) => void> = {
  'the segment is removed': (segment) => fs.rmSync(segment),
  'the segment is replaced by a copy': replace,
  'the segment is cut': (segment) => fs.truncateSync(segment, 100),
  'its -wal is removed': (segment) => fs.rmSync(`${segment}-wal`),
  'its -wal is replaced by a copy': (segment) => replace(`${segment}-wal`),
  'its -wal is emptied': (segment) => fs.truncateSync(`${segment}-wal`, 0),
  'its -shm is removed': (segment) => fs.rmSync(`${segment}-shm`),
  'the journal folder is moved': (_, data) => fs.renameSync(journalFolder(data), join(data, 'away')),
  'the data folder is moved': (_, data) => fs.renameSync(data, `${data}-moved`),
  'the data folder is replaced': (_, data) => {
    fs.renameSync(data, `${data}-moved`);
    fs.cpSync(`${data}-moved`, data, { recursive: true });
  },
  'the data folder is a link that leads elsewhere now': (_, data) => {
    fs.renameSync(data, `${data}-moved`);
    fs.cpSync(`${data}-moved`, `${data}-copy`, { recursive: true });
    fs.symlinkSync(`${data}-copy`, data);
  },
};
const DISPLACED = /while the venue wrote it: nothing more is acknowledged/;
const SAVED = ['its -wal is removed', 'its -shm is removed', 'the data folder is moved'];

for (const [what, change] of Object.entries(CHANGES)) {
  test(`${what} under a running venue: nothing more is acknowledged`, (t) => {
    for (const segments of [1, 3]) {
      const data = join(temporaryFolder(t), 'data');
      fs.mkdirSync(data);
      const writer = openWriter(data, { segmentBytes: segments === 1 ? 1e9 : 1 });
      for (let i = 0; i < segments; i++) appendFrames(writer, [5]);
      const { seq } = writer.head;
      change(segmentPath(data, segments), data);
      // In the turn of a second, and where it cannot be seen in the folder then alone; else with the next commit.
      const isSeenLater = segments === 3 || what.endsWith('cut') || what.endsWith('emptied');
      assert.throws(() => (isSeenLater ? writer.checkFiles() : appendFrames(writer, [5])), DISPLACED);
      assert.equal(writer.head.seq, seq);
      assert.throws(() => appendFrames(writer, [5]), /out of use/);
      writer.close();
      if (!SAVED.includes(what)) continue;
      const kept = what === 'the data folder is moved' ? `${data}-moved` : data;
      assert.ok(readAndCheck(kept).at(-1)! >= seq, 'what was acknowledged is in the journal');
    }
  });
}

test('an untouched journal is written on through checkpoints, new segments, a linked folder and a stop', (t) => {
  const root = temporaryFolder(t);
  fs.mkdirSync(join(root, 'real'));
  fs.symlinkSync(join(root, 'real'), join(root, 'data'));
  const writer = openWriter(join(root, 'data'), { segmentBytes: 50_000, walBytes: 20_000 });
  for (let i = 0; i < 60; i++) {
    appendFrames(writer, [20]);
    if (i % 7 === 0) writer.checkpointIfIdle();
    if (i % 5 === 0) writer.checkFiles();
  }
  writer.close();
  assert.equal(readAndCheck(join(root, 'real')).at(-1), 1_200);
});

test('a stop whose journal was removed fails', (t) => {
  const data = temporaryFolder(t);
  const writer = openWriter(data);
  appendFrames(writer, [5]);
  fs.rmSync(segmentPath(data, 1));
  assert.throws(() => writer.close(), /was removed or moved while the venue wrote it/);
});

/** What a start writes, below the data folder. */
const WRITTEN = ['lock.db', 'lock.db-journal', 'admin-token', 'write-probe', 'journal/write-probe', 'snapshots/write-probe',
  ...['history.db', 'journal/segment-000001.db'].flatMap((name) => ['', '-wal', '-shm', '-journal'].map((end) => `${name}${end}`))];
const SECRET = 'of somebody else, who keeps it here';
const FOLLOWED = WRITTEN.filter((name) => !name.endsWith('write-probe'));

test('no file that a start writes goes through a symbolic link, whether or not its target exists', async (t) => {
  for (const name of WRITTEN) {
    for (const exists of [true, false]) {
      const root = temporaryFolder(t);
      const data = join(root, 'data');
      for (const folder of [data, join(data, 'journal'), join(data, 'snapshots')]) fs.mkdirSync(folder);
      const writer = openWriter(data);
      appendFrames(writer, [5]);
      writer.close();
      const victim = join(root, 'victim');
      if (exists) fs.writeFileSync(victim, SECRET, { mode: 0o644 });
      fs.rmSync(join(data, name), { force: true });
      fs.symlinkSync(victim, join(data, name));
      const begin = async (): Promise<void> => {
        await lockFolder(data);
        requireWritable(data, [historyPath(data)]);
        adminToken(data);
      };
      if (FOLLOWED.includes(name)) await assert.rejects(begin, new RegExp(`${name} is a symbolic link`), name);
      else await begin();
      assert.equal(fs.existsSync(victim), exists, name);
      if (!exists) continue;
      assert.equal(fs.readFileSync(victim, 'utf8'), SECRET, name);
      assert.equal(fs.statSync(victim).mode & 0o777, 0o644, name);
    }
  }
});

test('a symbolic link in place of a new segment is not followed', (t) => {
  const root = temporaryFolder(t);
  const data = join(root, 'data');
  fs.mkdirSync(data);
  const writer = openWriter(data, { segmentBytes: 1 });
  appendFrames(writer, [5]);
  const victim = join(root, 'victim');
  for (const end of ['', '-journal', '-wal']) fs.symlinkSync(victim, `${segmentPath(data, 2)}.new${end}`);
  appendFrames(writer, [5]);
  assert.equal(fs.existsSync(victim), false);
  writer.close();
  assert.equal(readAndCheck(data).at(-1), 10);
});
