// Real processes that are killed with SIGKILL at random moments (in commits, checkpoints, new segments, snapshots), or that run out of
// space. Every acknowledged append is found again. (A kill leaves the page cache: fsync is not tested here.)

import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderInUse, lockFolder, renewLock, unlockFolder } from '../../../../shell/storage/journal/lock.ts';
import { readFrames } from '../../../../shell/storage/journal/read.ts';
import { listSegments } from '../../../../shell/storage/journal/segment.ts';
import { loadSnapshot, readSnapshots } from '../../../../shell/storage/journal/snapshot-read.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { generator, readAndCheck, records } from './support.ts';

const CYCLES = process.env['STRIKEBOOK_LONG'] === '1' ? 1_000 : 10;
const CHILD = join(import.meta.dirname, 'child.ts');

/** `line` waits for the first line that starts with a word, `lines` collects all. */
type Started = { child: ChildProcess; lines: string[]; line: (word: string) => Promise<string> };

function start(work: string, folder: string, seed: number): Started {
  const child = spawn(process.execPath, [CHILD, work, folder, String(seed)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout! });
  const waiting: { word: string; resolve: (line: string) => void }[] = [];
  reader.on('line', (line) => {
    lines.push(line);
    for (const { word, resolve } of waiting) if (line.startsWith(word)) resolve(line);
  });
  const line = (word: string): Promise<string> => new Promise((resolve, reject) => {
    waiting.push({ word, resolve });
    reader.on('close', () => reject(new Error(`the child ended without a line '${word}': ${lines.join('; ')}`)));
  });
  return { child, lines, line };
}

/** The highest number that a line of this word carries; 0 without one. */
function highest(lines: readonly string[], word: string): number {
  return lines.filter((line) => line.startsWith(word)).reduce((most, line) => Math.max(most, Number(line.split(' ')[1])), 0);
}

test(`${CYCLES} kills: every acknowledged append is found, and every snapshot is sound`, { timeout: CYCLES * 10_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const random = generator(CYCLES);
  let acked = 0;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const { child, lines, line } = start('append', folder, cycle);
    const ended = once(child, 'close');
    await line('ready');
    await sleep(30 + random() * 250);
    const [live] = [...readFrames(folder, 1)].slice(-1);
    child.kill('SIGKILL');
    await ended;
    assert.ok(highest(lines, 'ready') >= acked, `cycle ${cycle}: the next process found what was acknowledged`);
    assert.deepEqual(lines.filter((text) => /^(damage|failed|refused)/.test(text)), []);
    acked = Math.max(acked, highest(lines, 'acked'));
    const end = readAndCheck(folder).at(-1) ?? 0;
    assert.ok(end >= acked, `cycle ${cycle}: acknowledged ${acked}, found ${end}`);
    assert.ok(end >= (live?.lastSeq ?? 0), `cycle ${cycle}: a reader saw ${live?.lastSeq}, found ${end}`);
    checkSnapshots(folder, highest(lines, 'snapshot'));
  }
  assert.ok(listSegments(folder).length > 1 && acked > 100, `only ${acked} records`);
});

function checkSnapshots(folder: string, acked: number): void {
  const found = [...readSnapshots(folder, (damage) => assert.fail(damage.message))];
  assert.ok((found[0]?.seq ?? 0) >= acked);
  for (const snapshot of found) {
    const rows = new Uint8Array(snapshot.sections[0]!.bytes);
    loadSnapshot(snapshot, () => rows);
    assert.ok(Buffer.compare(rows, records(snapshot.seq, 400)) === 0);
    const known = [{ name: 'snapshot', seq: snapshot.seq, hash: snapshot.headHash }];
    assert.doesNotThrow(() => [...readFrames(folder, snapshot.seq + 1, { known })]);
  }
}

test(`${CYCLES} kills while segments begin: every segment that has its name can be read`, { timeout: CYCLES * 10_000 }, async (t) => {
  const random = generator(CYCLES + 1);
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const folder = temporaryFolder(t);
    const { child, lines, line } = start('segments', folder, cycle);
    const ended = once(child, 'close');
    await line('acked');
    await sleep(random() * 60);
    child.kill('SIGKILL');
    await ended;
    const end = readAndCheck(folder).at(-1) ?? 0;
    assert.ok(end >= highest(lines, 'acked'), `cycle ${cycle}: acknowledged ${highest(lines, 'acked')}, found ${end}`);
  }
});

test('on a full file system the writer reports it and is out of use, and no acknowledged record is lost', (t) => {
  for (const blocks of [300, 420, 500, 560]) {
    const folder = temporaryFolder(t);
    // A limit on the size of any one file; Node ignores the signal, so writes fail as on a full disk.
    const limited = ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, CHILD, 'append', folder, '5'];
    const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' });
    const lines = stdout.split('\n');
    assert.ok(lines.some((line) => line.startsWith('failed')), stdout.slice(-300));
    assert.ok(lines.some((line) => /^refused JournalRefusal.*out of use/.test(line)), stdout.slice(-300));
    const acked = highest(lines, 'acked');
    assert.ok(acked > 0);
    assert.ok(readAndCheck(folder).at(-1)! >= acked);
  }
});

test('a folder is free again once its process is killed, and not before', async (t) => {
  const folder = temporaryFolder(t);
  const { child, line } = start('lock', folder, 0);
  const ended = once(child, 'close');
  await line('locked');
  await assert.rejects(lockFolder(folder), (error) => error instanceof FolderInUse && /in use by another process/.test(error.message));
  const second = spawnSync(process.execPath, [CHILD, 'append', folder, '1'], { encoding: 'utf8' });
  assert.match(second.stderr, /FolderInUse/);
  child.kill('SIGKILL');
  await ended;
  await lockFolder(folder);
  await assert.rejects(lockFolder(folder), FolderInUse);
  unlockFolder(folder);
  await lockFolder(folder);
  unlockFolder(folder);
});

test('a folder stays locked although its lock file is removed or replaced, and the file is restored', {
  skip: process.platform !== 'linux' && 'only Linux has names that nobody can remove',
}, async (t) => {
  const folder = temporaryFolder(t);
  const link = join(temporaryFolder(t), 'link');
  fs.symlinkSync(folder, link);
  const { child, line } = start('lock', folder, 0);
  const ended = once(child, 'close');
  await line('locked');
  const lock = join(folder, 'lock.db');
  for (const change of [() => fs.rmSync(lock), () => fs.writeFileSync(lock, ''), () => fs.rmSync(lock)]) {
    change();
    await assert.rejects(lockFolder(folder), FolderInUse);
    await assert.rejects(lockFolder(link), FolderInUse);
  }
  child.kill('SIGKILL');
  await ended;
  await lockFolder(folder);
  assert.equal(renewLock(folder), false, 'the file is there');
  fs.rmSync(lock);
  assert.equal(renewLock(folder), true);
  const lockIt = `new (require('better-sqlite3'))(${JSON.stringify(lock)}, { timeout: 0 }).exec('BEGIN EXCLUSIVE')`;
  const other = spawnSync(process.execPath, ['-e', lockIt], { encoding: 'utf8' });
  assert.match(other.stderr, /database is locked/, 'what was made anew is locked for those that the name does not keep out');
  fs.rmSync(lock);
  const thief = new Database(lock);
  thief.exec('BEGIN EXCLUSIVE');
  assert.throws(() => renewLock(folder), FolderInUse);
  thief.close();
  unlockFolder(folder);
});
