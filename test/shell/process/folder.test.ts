// A data folder that cannot be used, as a whole or in a part, is refused in one line with exit code 2, never with a stack trace.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../shell/process/config.ts';
import { HistoryStore } from '../../../shell/storage/history/history-store.ts';
import { STOP_DISK_BYTES } from '../../../shell/storage/journal/disk-space.ts';
import { makeFolder } from '../../../shell/storage/journal/files.ts';
import { venueId } from '../../../shell/storage/journal/venue-identity.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { refused, START } from './refused.ts';

const GARBAGE = 'no database, and long enough to be looked at as one'.repeat(100);

const start = (data: string): string => refused(['--port', '0', '--workers', '1', '--feed', 'manual', '--data', data]);

test('a path that cannot be a data folder is refused', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  assert.match(refused(['--port', '0', '--data=']), /--data must not be empty/);
  assert.match(start(file), /data folder .*file: EEXIST/);
  assert.match(start(join(file, 'x')), /data folder .*x: ENOTDIR/);
  // No room is left on what is no disk.
  assert.match(start('/proc/strikebook'), /data folder \/proc\/strikebook: 0 bytes are free/);
  for (const none of ['/proc/strikebook', '/proc/strikebook/data']) {
    assert.throws(() => makeFolder(none), { code: 'ENOENT', path: '/proc/strikebook' });
  }
});

test('making a folder makes its parents, and making it again changes nothing', (t) => {
  const data = join(temporaryFolder(t), 'a', 'b', 'data');
  makeFolder(data);
  writeFileSync(join(data, 'file'), '');
  makeFolder(`${data}/`);
  assert.deepEqual(readdirSync(data), ['file']);
});

test('a start in a removed working folder is refused in one line, wherever the data is', (t) => {
  const folder = temporaryFolder(t);
  for (const [at, data] of [[], ['--data', join(folder, 'data')]].entries()) {
    const gone = join(folder, `gone-${at}`);
    mkdirSync(gone);
    const command = ['-c', 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, START, '--port', '0', ...data];
    const run = spawnSync('sh', command, { cwd: gone, encoding: 'utf8', timeout: 120_000 });
    assert.deepEqual([run.status, run.stdout], [2, ''], run.stderr);
    assert.match(run.stderr, /^strikebook cannot use its working folder[^\n]+\n$/);
  }
  assert.deepEqual(readdirSync(folder), []);
});

const SPOILED: readonly (readonly [string, (data: string) => void, RegExp])[] = [
  ['lock.db is garbage', (data) => writeFileSync(join(data, 'lock.db'), GARBAGE), /lock\.db cannot be used: file is not a database/],
  ['lock.db is a folder', (data) => mkdirSync(join(data, 'lock.db')), /lock\.db cannot be used: unable to open/],
  ['venue.json is a folder', (data) => mkdirSync(join(data, 'venue.json')), /venue\.json cannot be read: EISDIR/],
  ['admin-token is a folder', (data) => mkdirSync(join(data, 'admin-token')), /admin-token cannot be read: EISDIR/],
  ['journal is a file', (data) => writeFileSync(join(data, 'journal'), ''), /data folder .*ENOTDIR.*journal/],
  ['a segment is a folder', (data) => mkdirSync(join(data, 'journal', 'segment-000001.db'), { recursive: true }),
    /journal\/segment-000001\.db cannot be used: .* \(SQLITE_[A-Z_]+\)/],
  ['head.json is a folder', (data) => mkdirSync(join(data, 'journal', 'head.json'), { recursive: true }),
    /journal\/head\.json cannot be used: EISDIR/],
  ['a snapshot is a folder', (data) => mkdirSync(join(data, 'snapshots', 'snapshot-7.bin'), { recursive: true }),
    /snapshots\/snapshot-7\.bin cannot be used: EISDIR/],
  ['snapshots is a file', (data) => writeFileSync(join(data, 'snapshots'), ''), /data folder .*ENOTDIR.*snapshots/],
  ['history.db is a folder', (data) => mkdirSync(join(data, 'history.db')), /history\.db is not a file/],
  ['history.db leads to a disk that is not there', (data) => symlinkSync(join(data, 'away', 'history.db'), join(data, 'history.db')),
    /history\.db is a symbolic link, and the venue would write its target: put the file itself there/],
  ['history.db-wal is a folder', (data) => {
    HistoryStore.open(data, venueId(data)).close();
    mkdirSync(join(data, 'history.db-wal'));
  }, /history\.db cannot be used: unable to open .* \(SQLITE_CANTOPEN\)/],
  [
    'history.db is of another venue', (data) => HistoryStore.open(data, 'ffffffffffffffff').close(),
    /history\.db is of venue ffffffffffffffff, this folder of [0-9a-f]{16}/,
  ],
  // Main has no business with it: the journal thread meets it.
  ['a new segment has no place', (data) => mkdirSync(join(data, 'journal', 'segment-000001.db.new'), { recursive: true }),
    /data folder .*: unable to open database file/],
];

for (const [what, spoil, line] of SPOILED) {
  test(`${what}: the start is refused in one line`, (t) => {
    const data = join(temporaryFolder(t), 'data');
    mkdirSync(data);
    if (!what.startsWith('venue.json')) venueId(data);
    spoil(data);
    assert.match(start(data), line);
  });
}

test('a start on a disk with too little space is refused with the free bytes, before anything is written', (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'new', 'data');
  const free = STOP_DISK_BYTES - 1_024;
  const code = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const { statfsSync } = fs;
    fs.statfsSync = (path) => statfsSync(path) && ({ bavail: ${free / 1_024}, bsize: 1024 }); syncBuiltinESMExports();`;
  const imports = `data:text/javascript,${encodeURIComponent(code)}`;
  const line = refused(['--port', '0', '--workers', '1', '--feed', 'manual', '--data', data], { imports });
  assert.match(line, new RegExp(`data folder .*data: ${free} bytes are free on its disk, a venue needs ${STOP_DISK_BYTES}`));
  assert.deepEqual(readdirSync(folder), []);
});

test('a file of rate limits that is not an object of objects is refused', (t) => {
  const file = join(temporaryFolder(t), 'limits.json');
  for (const text of ['null', '5', '[]', '"on"', '{"tier1":null}', '{"tier1":5}', '{"tier1":[1]}']) {
    writeFileSync(file, text);
    const message = /limits\.json.* (must hold an object by tier|tier1 must be an object of)/;
    assert.throws(() => readConfig(['--rate-limits', file], {}), { name: 'BadSetting', message }, text);
  }
});
