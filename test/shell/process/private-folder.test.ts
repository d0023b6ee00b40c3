// Only the owner can read what a venue stores, such as the admin token and the signed orders, whatever the umask and whoever made the
// folder.

import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { restrictPermissions } from '../../../shell/storage/journal/permissions.ts';
import { temporaryFolder, type Ends } from '../../support/temporary.ts';

const FLAGS = ['--feed', 'manual', '--workers', '1'];

/** The folder and all that is in it, with the rights that others than the owner have: '' where nobody else has any. */
function openToOthers(data: string): string[] {
  const names = ['.', ...readdirSync(data, { recursive: true, encoding: 'utf8' })];
  return names.filter((name) => (lstatSync(join(data, name)).mode & 0o077) !== 0 && !lstatSync(join(data, name)).isSymbolicLink());
}

/** Runs a venue in the folder: what others may open while it runs and when it has stopped, and what it said. */
async function run(t: Ends, data: string): Promise<{ running: string[]; stopped: string[]; names: string[]; err: string }> {
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  t.after(() => venue.kill());
  await venue.ready();
  const running = openToOthers(data);
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
  const { code, err } = await venue.stop();
  assert.equal(code, 0, err);
  return { running, stopped: openToOthers(data), names: [...names, ...readdirSync(data, { recursive: true, encoding: 'utf8' })], err };
}

test('only the owner can read the data folder and its files, while the venue runs and after', async (t) => {
  const before = process.umask(0o022);
  t.after(() => process.umask(before));
  const data = join(temporaryFolder(t), 'data');
  const { running, stopped, names, err } = await run(t, data);
  assert.deepEqual([running, stopped, err], [[], [], '']);
  for (const part of ['admin-token', 'venue.json', 'lock.db', 'history.db', 'history.db-wal', 'history.db-shm', 'journal/head.json']) {
    assert.ok(names.includes(part), part);
  }
  const parts = [/^journal\/segment-\d+\.db$/, /^journal\/segment-\d+\.db-wal$/, /^journal\/segment-\d+\.db-shm$/, /^snapshots\/snapshot-/];
  for (const part of parts) assert.ok(names.some((name) => part.test(name)), String(part));
  const made = (name: string): number => lstatSync(join(data, name)).mode & 0o777;
  assert.deepEqual([made('.'), made('journal'), made('snapshots'), made('venue.json')], [0o700, 0o700, 0o700, 0o600]);

  // As an older version left it, or a copy.
  for (const name of ['.', ...readdirSync(data, { recursive: true, encoding: 'utf8' })]) {
    chmodSync(join(data, name), lstatSync(join(data, name)).isDirectory() ? 0o755 : 0o644);
  }
  const outside = join(data, '../..', 'outside');
  writeFileSync(outside, 'of another', { mode: 0o644 });
  symlinkSync(outside, join(data, 'link'));
  const again = await run(t, data);
  assert.deepEqual([again.running, again.stopped, again.err], [[], [], '']);
  assert.deepEqual([lstatSync(outside).mode & 0o777, readFileSync(outside, 'utf8')], [0o644, 'of another'], 'no link is followed');
});

test('a folder that others can write keeps its rights, and a warning says so; a read-only file stays read-only', (t) => {
  const folder = temporaryFolder(t);
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  assert.match(restrictPermissions(shared)!, /shared is a folder of everybody's: others can read what is in it$/);
  assert.equal(lstatSync(shared).mode & 0o7777, 0o1777);
  const data = join(folder, 'data');
  mkdirSync(join(data, 'journal'), { recursive: true });
  writeFileSync(join(data, 'journal', 'segment-000001.db'), '');
  chmodSync(join(data, 'journal', 'segment-000001.db'), 0o444);
  symlinkSync(data, join(folder, 'by-name'));
  assert.equal(restrictPermissions(join(folder, 'by-name')), null);
  assert.deepEqual([openToOthers(data), lstatSync(join(data, 'journal', 'segment-000001.db')).mode & 0o777], [[], 0o400]);
});
