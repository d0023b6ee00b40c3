// npm run backup: a copy of a venue that trades on. The copy starts as a venue, has every answer given up to its head, the whole hash
// chain and the history; an interrupted copy goes on; what cannot be copied is refused by name and leaves nothing that would start.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Strikebook } from '../../../../client/src/main.ts';
import type { VenueProcess } from '../../../../scripts/venue-process.ts';
import { BackupCopy, CopyRefused } from '../../../../shell/storage/backup/copy.ts';
import type { AnswerTo } from '../../../../shell/http/shapes/answers.ts';
import { option, startVenue, trader } from '../../../client/venue.ts';
import { assertSound } from '../../../support/audit.ts';
import { lastFirst, temporaryFolder, type Ends } from '../../../support/temporary.ts';

const BACKUP = fileURLToPath(new URL('../../../../scripts/backup.ts', import.meta.url));
/** As the venues of test/client have it. */
const TOKEN = 'token-of-the-tests-of-the-client';

/** Loaded into the command: its disk is full once it writes the files of a copy. */
const FULL_DISK = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { openSync, writeSync } = fs;
  let isPart = false;
  fs.openSync = (path, ...rest) => { isPart = String(path).endsWith('.part'); return openSync(path, ...rest); };
  fs.writeSync = (...given) => {
    if (isPart) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    return writeSync(...given);
  };
  syncBuiltinESMExports();
`)}`;

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

async function backup(t: Ends, url: string, to: string, more: { token?: string; imports?: readonly string[] } = {}): Promise<Ended> {
  const file = join(temporaryFolder(t), 'token');
  writeFileSync(file, more.token ?? TOKEN);
  const imports = (more.imports ?? []).flatMap((one) => ['--import', one]);
  const child = spawn(process.execPath, [...imports, BACKUP, '--url', url, '--token', file, '--to', to], { stdio: 'pipe' });
  t.after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => { out += text; });
  child.stderr.on('data', (text) => { err += text; });
  const [code] = await once(child, 'close') as [number | null];
  return { code, out, err };
}

type Answered = { readonly order_id: number; readonly status: string; readonly filled_size: number };

/** Crosses orders of two wallets until `end`, which returns what was answered. */
async function trade(venue: VenueProcess): Promise<{ taker: Strikebook; answered: Answered[]; end: () => Promise<void> }> {
  const [maker, taker] = [await trader(venue.url), await trader(venue.url)];
  const { symbol, middle } = await option(maker);
  const answered: Answered[] = [];
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      await maker.placeOrder({ symbol, side: 'Sell', size: '0.01', price: middle });
      answered.push(await taker.placeOrder({ symbol, side: 'Buy', size: '0.01', price: middle }) as Answered);
    }
  })();
  return { taker, answered, end: async () => { isOver = true; await running; } };
}

function getter(url: string, token = TOKEN): <T>(path: string) => Promise<T> {
  return async (path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200, path);
    return await answer.json() as never;
  };
}

async function begun(url: string): Promise<AnswerTo<'POST /admin/backup'>['data']> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/admin/backup`, { method: 'POST', headers, body: '{"action":"begin"}' });
  return (await answer.json() as AnswerTo<'POST /admin/backup'>).data;
}

test('a venue under load is copied, and the copy is a sound venue with all answers and the history', { timeout: 180_000 }, async (t) => {
  const venue = await startVenue(t);
  const { taker, answered, end } = await trade(venue);
  while (answered.length < 200) await new Promise((resolve) => setTimeout(resolve, 10));
  const before = answered.slice();
  const to = join(temporaryFolder(t), 'copy');
  const { code, out, err } = await backup(t, venue.url, to);
  assert.equal(code, 0, err);
  const during = answered.length;
  assert.ok(during > before.length, 'trading went on');
  await end();
  const [, seq, head] = /up to seq (\d+), head ([0-9a-f]{64})/.exec(out)!;
  assert.match(assertSound(to, '--head', head!), new RegExp(`\\b${seq}\\b`));
  assert.deepEqual(readdirSync(to).sort(), ['history.db', 'journal', 'lock.db', 'snapshots', 'venue.json']);

  const copy = await startVenue(t, to);
  const [original, copied] = [getter(venue.url), getter(copy.url)];
  for (const { order_id: id } of before) {
    const path = `/orders/status?wallet=${taker.wallet}&order_id=${id}`;
    assert.deepEqual(await copied(path), await original(path));
  }
  type Fills = { readonly data: readonly { readonly trade_id: number }[] };
  const fills = `/fills?wallet=${taker.wallet}&limit=1000`;
  const [theirs, ours] = [(await original<Fills>(fills)).data, (await copied<Fills>(fills)).data];
  assert.ok(ours.length >= before.length);
  assert.deepEqual(ours, theirs.slice(theirs.length - ours.length), 'fills end where the copy does, and none is missing before');
  const status = await original<AnswerTo<'GET /admin/backup'>>('/admin/backup');
  assert.equal(status.data.state, 'none', 'the venue keeps no copy');
});

test('an interrupted copy goes on where it ended, also after the venue was started anew', { timeout: 180_000 }, async (t) => {
  const data = temporaryFolder(t);
  const venue = await startVenue(t, data);
  const { answered, end } = await trade(venue);
  while (answered.length < 100) await new Promise((resolve) => setTimeout(resolve, 10));
  await end();
  const to = join(temporaryFolder(t), 'copy');
  const get = getter(venue.url);
  const status = (await get<AnswerTo<'GET /admin/backup'>>('/admin/backup')).data;
  const part = BackupCopy.open(to, status.venue_id);
  part.startFiles('an earlier copy');
  part.addBytes('snapshot-1.bin', { offset: 0, bytes: 'AAAA', size: 9 });
  const page = (await get<AnswerTo<'GET /admin/backup/journal'>>('/admin/backup/journal?from_seq=1')).data;
  const frames = page.frames.slice(0, 20);
  part.addFrames({ ...page, frames });
  const reached = part.head.seq;
  part.close();
  assert.ok(reached > 0 && reached < page.frames.at(-1)!.last_seq);

  await venue.stop();
  const again = await startVenue(t, data);
  const { code, err } = await backup(t, again.url, to);
  assert.equal(code, 0, err);
  assertSound(to);
  assert.deepEqual(readdirSync(join(to, 'snapshots')), readdirSync(join(data, 'snapshots')), 'no file of the earlier copy is left');
});

test('a folder in use, a whole copy, another venue\'s part and a wrong token are refused by name', { timeout: 120_000 }, async (t) => {
  const { url } = await startVenue(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'used'));
  writeFileSync(join(folder, 'used', 'mine'), 'text');
  const used = await backup(t, url, join(folder, 'used'));
  assert.deepEqual([used.code, used.err], [1, `backup: ${join(folder, 'used')} is not empty: give a new folder\n`]);
  assert.equal((await backup(t, url, join(folder, 'whole'))).code, 0);
  const whole = await backup(t, url, join(folder, 'whole'));
  assert.deepEqual([whole.code, whole.err], [1, `backup: ${join(folder, 'whole')} holds a venue: give a new folder\n`]);
  BackupCopy.open(join(folder, 'other'), '0123456789abcdef').close();
  const other = await backup(t, url, join(folder, 'other'));
  assert.equal(other.code, 1);
  assert.match(other.err, /holds a part of venue 0123456789abcdef, this is venue [0-9a-f]{16}: give another folder/);
  const token = await backup(t, url, join(folder, 'token'), { token: 'not-the-token-of-the-venue' });
  assert.equal(token.code, 2);
  assert.match(token.err, /The admin token is missing or wrong/);
  assert.equal(existsSync(join(folder, 'token')), false);
});

test('a full disk of the copy is named, and the same command goes on once there is room', { timeout: 120_000 }, async (t) => {
  const { url } = await startVenue(t);
  const to = join(temporaryFolder(t), 'copy');
  const { code, err } = await backup(t, url, to, { imports: [FULL_DISK] });
  assert.equal(code, 2, err);
  assert.match(err, /the disk is full \(no space left on device\): make room and give the same command again/);
  assert.equal(existsSync(join(to, 'venue.json')), false, 'what is not whole does not start');
  assert.equal((await backup(t, url, to)).code, 0);
});

test('a frame that does not continue the chain, or of another venue, is refused', { timeout: 120_000 }, async (t) => {
  const { url } = await startVenue(t);
  const get = getter(url);
  const { venue_id: id } = (await get<AnswerTo<'GET /admin/backup'>>('/admin/backup')).data;
  const page = (await get<AnswerTo<'GET /admin/backup/journal'>>('/admin/backup/journal?from_seq=1')).data;
  const [first, second] = page.frames;
  const ends = lastFirst(t);
  const open = (): BackupCopy => {
    const copy = BackupCopy.open(join(temporaryFolder(ends), 'copy'), id);
    ends.after(() => copy.close());
    return copy;
  };
  const refused = (more: object, text: RegExp): void => assert.throws(() => open().addFrames({ ...page, ...more }), (error) => {
    assert.ok(error instanceof CopyRefused);
    assert.match(error.message, text);
    return true;
  });
  const changed = Buffer.from(first!.bytes, 'base64');
  changed[40]! ^= 1;
  refused({ frames: [{ ...first!, bytes: changed.toString('base64') }] }, /^the frame at seq 1 does not continue the copy/);
  refused({ frames: [second!] }, /does not continue the copy, which ends at seq 0$/);
  refused({ frames: [first!, { ...second!, hash: first!.hash }] }, /does not continue the copy, which ends at seq \d+$/);
  refused({ segment: { ...page.segment!, venue: '0123456789abcdef' } }, /is of venue 0123456789abcdef/);
  refused({ segment: { ...page.segment!, previous_hash: 'ff'.repeat(32) } }, /does not continue the chain/);
});

test('questions about a copy that has ended, and beyond the end of the journal, are answered 404', { timeout: 120_000 }, async (t) => {
  const { url } = await startVenue(t);
  const first = await begun(url);
  const second = await begun(url);
  assert.notEqual(first.id, second.id);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const ask = async (path: string): Promise<number> => (await fetch(url + path, { headers })).status;
  assert.equal(await ask(`/admin/backup/file?id=${first.id}&name=history.db`), 404);
  assert.equal(await ask(`/admin/backup/file?id=${second.id}&name=../admin-token`), 404);
  assert.equal(await ask('/admin/backup/journal?from_seq=1000000000'), 404);
  assert.equal((await fetch(`${url}/admin/backup/journal?from_seq=1`)).status, 401);
});
