// kill -9 of a real venue under a signed fleet (evidence F1): no answered request is lost or acts twice, and the folder passes the audit
// until one bit of it is changed.

import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import { journalFolder, segmentPath } from '../../../shell/storage/journal/segment.ts';
import { runAudit } from '../../support/audit.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { crashRun, type CrashReport } from './fleet.ts';

/** At least: further ones follow until each kind of kill and each bucket was there. `npm run crash` takes more. */
const CYCLES = 6;
const folder = temporaryFolder({ after });
const data = join(folder, 'data');

function audit(...args: string[]): { status: number | null; out: string } {
  const { status, stdout, stderr } = runAudit(data, ...args);
  return { status, out: `${stdout}${stderr}` };
}

/** What must have happened: a generator that never made it proves nothing about it. */
const BUCKETS = [
  'place ACKED', 'rested', 'gtc filled', 'ioc filled', 'ioc canceled', 'fok filled', 'fok canceled', 'cancel CANCELED',
  'cancelByCloid CANCELED', 'cancel REJECTED', 'approve true', 'unknown, had acted', 'replays', 'reads', 'orders checked',
  'waits', 'waiting orders checked', 'fired orders checked',
  'quotes checked', 'quote OPEN', 'quote UNCHANGED', 'quote REDUCED', 'quote REMOVED',
];

/** What has not happened yet. */
function missing({ kills, ledger: { counts }, orders }: CrashReport): string[] {
  const done = new Map([...counts, ...Object.entries(kills), ['orders by the hundred', Math.floor(orders / 100)] as const]);
  return [...BUCKETS, ...Object.keys(kills), 'orders by the hundred'].filter((what) => (done.get(what) ?? 0) === 0);
}

test('kills under load, in a stop and in recovery: no answer is lost and none acts twice', async (t) => {
  const report = await crashRun({
    folder, cycles: CYCLES, isEnough: (sofar) => missing(sofar).length === 0, traders: 10, seed: 20_261_121, loadMs: [80, 700],
    fullEvery: 3, ledgerFile: null, say: (line) => t.diagnostic(line),
  });
  const { lost, doubled, counts } = report.ledger;
  t.diagnostic([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  assert.deepEqual({ lost: lost.slice(0, 5), doubled: doubled.slice(0, 5) }, { lost: [], doubled: [] });
  assert.deepEqual(missing(report), []);
});

test('control: the check notices a venue that lost its last commits', async (t) => {
  const own = temporaryFolder(t);
  const { ledger } = await crashRun({
    folder: own, cycles: 2, traders: 4, seed: 3, loadMs: [300, 400], fullEvery: 1, ledgerFile: null, say: () => undefined,
    whileDown: forget,
  });
  assert.ok(ledger.lost.length > 0, 'forgotten answers were not missed');
});

/** Takes the last commits from the journal, and everything that would know of them. */
function forget(dataFolder: string): void {
  const db = new Database(segmentPath(dataFolder, 1));
  db.exec('DELETE FROM frames WHERE first_seq IN (SELECT first_seq FROM frames ORDER BY first_seq DESC LIMIT 20)');
  db.close();
  const readModels = readdirSync(dataFolder).filter((name) => name.startsWith('history') || name === 'snapshots');
  for (const name of readModels) rmSync(join(dataFolder, name), { recursive: true });
  rmSync(join(journalFolder(dataFolder), 'head.json'), { force: true });
}

test('the folder passes the audit, from the beginning and from its oldest snapshot', () => {
  const { status, out } = audit();
  assert.equal(status, 0, out);
  const [, head] = /head ([0-9a-f]{64})/.exec(out)!;
  assert.match(out, /sound: seq 1 to [0-9]+.* [1-9][0-9]* signatures.* [1-9][0-9]* snapshots.*sums zero/);
  const again = audit('--head', head!, '--from-snapshot');
  assert.equal(again.status, 0, again.out);
  assert.match(again.out, /as given/);
  const other = audit('--head', '0'.repeat(64));
  assert.equal(other.status, 1, other.out);
});

test('with one bit of a stored frame changed the audit names it and fails', () => {
  const db = new Database(segmentPath(data, 1));
  const select = db.prepare('SELECT first_seq, last_seq, bytes FROM frames ORDER BY first_seq');
  const rows = select.all() as { first_seq: number; last_seq: number; bytes: Buffer }[];
  const row = rows[Math.floor(rows.length * 0.6)]!;
  const update = db.prepare('UPDATE frames SET bytes = ? WHERE first_seq = ?');
  const damaged = Buffer.from(row.bytes);
  damaged[Math.floor(damaged.length / 2)]! ^= 0x10;
  update.run(damaged, row.first_seq);
  const { status, out } = audit();
  assert.equal(status, 1, out);
  assert.equal(Number(/first bad seq ([0-9]+)/.exec(out)?.[1]), row.first_seq, out);
  update.run(row.bytes, row.first_seq);
  db.close();
  assert.equal(audit('--from-snapshot').status, 0);
});
