// What the audit must notice: any changed bit of a frame, a checkpoint or a snapshot, and a forged journal whose chain is
// right but whose records are not what their signers signed. It names the first bad seq each time.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import {
  APPROVE_AGENT, DOUBLE_PRICE, MASS_QUOTE, PLACE_ORDER, proofOffset, REPLACE_ORDER, RESET_MMP, REVOKE_AGENT, SET_MARGIN_MODE, SET_MMP,
  WORD_DIGEST, WORD_NONCE, WORD_SIGNER, WORD_WALLET,
} from '../../../core/codec/commands.ts';
import { LINE_BYTES, LINE_KEYS, LINE_SIZES } from '../../../core/codec/quote-lines.ts';
import { recordKind, stampRecord, recordTime, viewsOf } from '../../../core/codec/record.ts';
import { BEHAVIOUR } from '../../../core/version.ts';
import { auditFolder, CannotAudit, Unsound, type AuditReport } from '../../../scripts/audit/replay.ts';
import { digestHash } from '../../../shell/storage/journal/digests.ts';
import { JournalRefusal } from '../../../shell/storage/journal/journal-errors.ts';
import { lockFolder, unlockFolder } from '../../../shell/storage/journal/lock.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { listSegments, readMetaOf, segmentPath } from '../../../shell/storage/journal/segment.ts';
import { listSnapshots, loadSnapshot, readSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { writeSnapshot } from '../../../shell/storage/journal/snapshot-write.ts';
import { runAudit } from '../../support/audit.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { chainAnew, makeFolder, openWriter, type Folder } from './folder.ts';

const root = temporaryFolder({ after });
const sound = join(root, 'sound');
let made: Folder;
let copies = 0;

before(() => { made = makeFolder(sound); });

function copy(): string {
  const folder = join(root, `copy-${++copies}`);
  cpSync(sound, folder, { recursive: true });
  return folder;
}

function audit(dataFolder: string, options: { fromSnapshot?: boolean; knownHead?: string } = {}): AuditReport {
  const { fromSnapshot = false, knownHead = null } = options;
  return auditFolder({ dataFolder, name: 'Strikebook', chainId: 998, fromSnapshot, knownHead, onProgress: () => undefined });
}

/** The first bad seq. */
function badSeq(dataFolder: string, reason?: RegExp): number {
  try {
    audit(dataFolder);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    if (reason !== undefined) assert.match(error.message, reason);
    return error.seq;
  }
  assert.fail('the audit found nothing');
}

test('a sound folder: every signature, checkpoint and snapshot is compared, from the beginning and from a snapshot', () => {
  const { records, lastSeq, digests, snapshots } = made;
  const report = audit(sound);
  const signed = records.filter((record) => recordKind(viewsOf(record.buffer as ArrayBuffer), 0) >= APPROVE_AGENT).length;
  assert.ok(signed > 60 && digests.length > 3 && snapshots.length === 2);
  const kinds = new Set(records.map((record) => recordKind(viewsOf(record.buffer as ArrayBuffer), 0)));
  const wanted = [PLACE_ORDER, REPLACE_ORDER, SET_MARGIN_MODE, SET_MMP, RESET_MMP];
  assert.deepEqual(wanted.filter((kind) => !kinds.has(kind)), []);
  assert.equal(report.lastSeq, lastSeq);
  assert.equal(report.signatures, signed);
  assert.equal(report.checkpoints, digests.length);
  assert.equal(report.snapshots, 2);
  const later = audit(sound, { fromSnapshot: true, knownHead: report.head });
  assert.equal(later.stateHash, report.stateHash);
  assert.equal(later.appliedFrom, snapshots[0]! + 1);
  assert.equal(later.knownAt, lastSeq);
  assert.throws(() => audit(sound, { knownHead: 'ab'.repeat(32) }), Unsound);
});

test('a head noted elsewhere: at the beginning, in the segments that are here, or perhaps in those moved away', () => {
  const data = join(root, 'segments');
  const { lastSeq, snapshots } = makeFolder(data, 20_000);
  const heads = [...readFrames(data, 1)].map(({ lastSeq: seq, hash }) => ({ seq, head: Buffer.from(hash).toString('hex') }));
  const starts = listSegments(data).map((segment) => readMetaOf(data, segment));
  assert.equal(audit(data, { knownHead: Buffer.from(starts[0]!.previousHash).toString('hex') }).knownAt, 0);
  const moved = starts.findLastIndex(({ firstSeq }) => firstSeq <= snapshots[0]!);
  assert.ok(moved > 0);
  for (const { segment } of starts.slice(0, moved)) rmSync(segmentPath(data, segment));
  const { firstSeq } = starts[moved]!;
  const known = (head: string): number | null => audit(data, { fromSnapshot: true, knownHead: head }).knownAt;
  for (const { seq, head } of heads) {
    if (seq >= firstSeq - 1) assert.equal(known(head), seq);
    else assert.throws(() => known(head), new CannotAudit(`the head given may lie before seq ${firstSeq}, whose segments are not here`));
  }
  assert.equal(heads.at(-1)!.seq, lastSeq);
});

test('an audit verifies records of another BEHAVIOUR without replaying them, and replays from the first record of its own', () => {
  const frames = [...readFrames(sound, 1)];
  const [, later] = made.snapshots;
  const upgradedAfter = (seq: number): string => {
    const data = copy();
    rmSync(join(data, 'journal'), { recursive: true });
    for (const [behaviour, part] of [
      [BEHAVIOUR - 1, frames.filter(({ lastSeq }) => lastSeq <= seq)], [BEHAVIOUR, frames.filter(({ lastSeq }) => lastSeq > seq)],
    ] as const) {
      const writer = openWriter(data, 1 << 30, behaviour);
      for (const { bytes, firstSeq, lastSeq } of part) writer.append(bytes, firstSeq, lastSeq);
      writer.close();
    }
    return data;
  };
  const upgraded = upgradedAfter(later!);
  assert.throws(() => audit(upgraded), /^Error: segment 1 was written by behaviour [0-9]+, this is [0-9]+: try --from-snapshot$/);
  const { appliedFrom, signatures, stateHash } = audit(upgraded, { fromSnapshot: true });
  const whole = audit(sound);
  assert.deepEqual([appliedFrom, signatures, stateHash], [later! + 1, whole.signatures, whole.stateHash]);
  const end = upgradedAfter(made.lastSeq);
  const none = new CannotAudit(`there is no snapshot of seq ${made.lastSeq} or later to start from`);
  assert.throws(() => audit(end, { fromSnapshot: true }), none);
});

test('a journal without a frame has the head it begins with', () => {
  const data = join(root, 'frameless');
  mkdirSync(data);
  openWriter(data).close();
  const head = Buffer.from(readMetaOf(data, 1).previousHash).toString('hex');
  const report = audit(data, { knownHead: head });
  assert.deepEqual([report.head, report.knownAt, report.lastSeq], [head, 0, 0]);
  assert.throws(() => audit(data, { knownHead: 'ab'.repeat(32) }), Unsound);
});

test('a changed bit of any frame is found at its frame', () => {
  const folder = copy();
  const db = new Database(segmentPath(folder, 1));
  const select = db.prepare('SELECT first_seq, last_seq, bytes FROM frames');
  const rows = select.all() as { first_seq: number; last_seq: number; bytes: Buffer }[];
  const update = db.prepare('UPDATE frames SET bytes = ? WHERE first_seq = ?');
  rows.forEach((row, at) => {
    const bytes = Buffer.from(row.bytes);
    bytes[(at * 7_919) % bytes.length]! ^= 1 << (at % 8);
    update.run(bytes, row.first_seq);
    const seq = badSeq(folder);
    assert.ok(seq >= row.first_seq && seq <= row.last_seq, `frame ${row.first_seq} to ${row.last_seq}: ${seq}`);
    update.run(row.bytes, row.first_seq);
  });
  db.close();
  assert.equal(audit(folder).lastSeq, made.lastSeq);
});

test('a changed checkpoint is found, with its own hash right or not', () => {
  const [, seq] = made.digests;
  for (const isHashed of [true, false]) {
    const folder = copy();
    const db = new Database(segmentPath(folder, 1));
    const { low, high } = db.prepare('SELECT low, high FROM digests WHERE seq = ?').get(seq) as { low: number; high: number };
    const forged = { seq: seq!, low: low ^ 1, high };
    const hash = digestHash(isHashed ? forged : { ...forged, low });
    db.prepare('UPDATE digests SET low = ?, hash = ? WHERE seq = ?').run(forged.low, hash, seq);
    db.close();
    assert.equal(badSeq(folder, isHashed ? /another output digest/ : /wrong hash/), seq);
  }
});

test('a changed bit of a snapshot file is found, and one made anew with right checksums too', () => {
  const folder = copy();
  const [newest, oldest] = listSnapshots(folder);
  for (const { path, seq } of [newest!, oldest!]) {
    const file = readFileSync(path);
    const damaged = Buffer.from(file);
    damaged[Math.floor(file.length * 0.7)]! ^= 4;
    writeFileSync(path, damaged);
    assert.equal(badSeq(folder, /snapshot damaged/), seq);
    writeFileSync(path, file);
  }
  const [snapshot] = [...readSnapshots(folder, () => undefined)];
  const sections = snapshot!.sections.map((section) => ({ ...section, bytes: new Uint8Array(section.bytes) }));
  loadSnapshot(snapshot!, ({ name }) => sections.find((section) => section.name === name)!.bytes);
  sections.find(({ name }) => name === 'accounts.cash')!.bytes[2]! ^= 1;
  writeSnapshot(folder, snapshot!, sections);
  assert.equal(badSeq(folder, /section accounts\.cash .*not what the replay gives/), snapshot!.seq);
});

test('a forged journal with a right chain: each record must be what its signer signed, once, with authority', () => {
  const { records } = made;
  const kindAt = (at: number): number => recordKind(viewsOf(records[at]!.buffer as ArrayBuffer), 0);
  const orders = records.flatMap((_, at) => (kindAt(at) === PLACE_ORDER ? [at] : []));
  const [first, second] = [orders[10]!, orders[11]!];
  const changed = (change: (views: ReturnType<typeof viewsOf>, record: Uint8Array) => void): [readonly Uint8Array[], number] => {
    const record = records[second]!.slice();
    change(viewsOf(record.buffer), record);
    return [records.with(second, record), second + 1];
  };
  const proof = proofOffset(PLACE_ORDER);
  const cases: Record<string, [readonly Uint8Array[], number]> = {
    'a price that the texts do not say': changed(({ f64 }) => { f64[DOUBLE_PRICE]! += 1e6; }),
    'another nonce': changed(({ u32 }) => { u32[WORD_NONCE]! += 1_000; }),
    'another wallet': changed(({ u32 }) => { u32[WORD_WALLET]! ^= 1; }),
    'another signer': changed(({ u32 }) => { u32[WORD_SIGNER]! ^= 1; }),
    'another digest': changed(({ u32 }) => { u32[WORD_DIGEST]! ^= 1; }),
    'another text': changed((_, record) => { record[record.length - 20]! ^= 1; }),
    'a signature of another order': changed((_, record) => record.set(records[first]!.subarray(proof + 4, proof + 69), proof + 4)),
  };
  const quoted = records.findIndex((_, at) => kindAt(at) === MASS_QUOTE);
  const page = (change: (record: Buffer) => void): [readonly Uint8Array[], number] => {
    const record = Buffer.from(records[quoted]!.slice().buffer);
    change(record);
    return [records.with(quoted, record), quoted + 1];
  };
  cases['a price of a quote that the text does not say'] = page((record) => {
    record[record.length - LINE_BYTES + (LINE_KEYS + 1) * 4]! ^= 1;
  });
  cases['a size of a quote that the text does not say'] = page((record) => {
    record.writeDoubleLE(300_000, record.length - LINE_BYTES + (LINE_SIZES + 1) * 8);
  });
  cases['another text of quotes'] = page((record) => { record[record.indexOf(' - - 0.2') + 7] = 0x33; });
  cases['another set of quotes'] = page((record) => { record[record.indexOf('main')]! ^= 1; });
  const again = records[first]!.slice();
  stampRecord(viewsOf(again.buffer), 0, records.length + 1, recordTime(viewsOf(records.at(-1)!.buffer as ArrayBuffer), 0));
  cases['an order a second time'] = [[...records, again], records.length + 1];
  const revoked = records.findIndex((_, at) => kindAt(at) === REVOKE_AGENT);
  const late = records.findIndex((record, at) => at > revoked && kindAt(at) === PLACE_ORDER && isByAgent(record));
  const without = records.filter((_, at) => at < revoked || kindAt(at) !== APPROVE_AGENT);
  const lateNow = without.indexOf(records[late]!);
  cases['an order by an agent that was revoked'] = [restamped(without), lateNow + 1];
  for (const [name, [forged, seq]] of Object.entries(cases)) {
    const folder = join(root, `forged ${name}`);
    chainAnew(folder, forged);
    assert.equal(badSeq(folder), seq, name);
  }
});

function isByAgent(record: Uint8Array): boolean {
  const { u32 } = viewsOf(record.buffer as ArrayBuffer);
  return [0, 1, 2, 3, 4].some((word) => u32[WORD_WALLET + word] !== u32[WORD_SIGNER + word]);
}

function restamped(records: readonly Uint8Array[]): Uint8Array[] {
  return records.map((record, at) => {
    const again = record.slice();
    stampRecord(viewsOf(again.buffer), 0, at + 1, recordTime(viewsOf(again.buffer), 0));
    return again;
  });
}

test('a journal that lost its end is refused', () => {
  const folder = copy();
  const db = new Database(segmentPath(folder, 1));
  db.exec('DELETE FROM frames WHERE first_seq = (SELECT max(first_seq) FROM frames)');
  db.close();
  assert.throws(() => audit(folder), (error) => error instanceof JournalRefusal && /ends at seq/.test(error.message));
});

test('commits behind a changed bit of the -wal are found, though the chain ends whole before them', () => {
  const [folder, damaged] = [copy(), copy()];
  const db = new Database(segmentPath(folder, 1));
  db.pragma('wal_autocheckpoint=0');
  db.exec('CREATE TABLE more (i INTEGER)');
  for (let i = 0; i < 3; i++) db.exec('INSERT INTO more VALUES (1)');
  const log = readFileSync(`${segmentPath(folder, 1)}-wal`);
  db.close();
  writeFileSync(`${segmentPath(damaged, 1)}-wal`, log);
  audit(damaged);
  log[100]! ^= 1;
  writeFileSync(`${segmentPath(damaged, 1)}-wal`, log);
  assert.equal(badSeq(damaged, /its -wal is damaged from byte 32 on, and 4 commits after that are lost/), made.lastSeq + 1);
});

test('the command: 0 sound, 1 not, 2 when it cannot be audited', async () => {
  const good = runAudit(sound);
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /^audit: sound: [^\n]+\n$/);
  const other = runAudit(sound, '--service-name', 'Another');
  assert.equal(other.status, 1);
  assert.match(other.stdout, /^audit: NOT sound: first bad seq [0-9]+: [^\n]+\n$/);
  for (const args of [[], [join(root, 'nowhere')], [sound, '--head', 'xyz'], [sound, '--chain-id', '0']]) {
    const bad = runAudit(...args);
    assert.equal(bad.status, 2, bad.stdout);
    assert.match(bad.stderr, /^audit: [^\n]+\n$/);
  }
  await lockFolder(sound);
  try {
    assert.deepEqual(runAudit(sound), { status: 2, stdout: '', stderr: `audit: data folder ${sound} is in use by another process\n` });
  } finally {
    unlockFolder(sound);
  }
});

test('the command: what cannot be locked or read is not a finding, what is gone is one', () => {
  const run = (folder: string) => {
    const { status, stdout, stderr } = runAudit(folder);
    return { status, said: stdout + stderr };
  };
  const garbage = copy();
  writeFileSync(join(garbage, 'lock.db'), 'no database, and long enough that it is looked at as one'.repeat(100));
  assert.deepEqual(run(garbage), { status: 2, said: `audit: data folder ${garbage}: lock.db cannot be used: file is not a database\n` });
  const taken = copy();
  rmSync(join(taken, 'lock.db'), { force: true });
  mkdirSync(join(taken, 'lock.db'));
  assert.deepEqual(run(taken), { status: 2, said: `audit: data folder ${taken}: lock.db cannot be used: unable to open database file\n` });
  const barred = copy();
  for (const path of [segmentPath(barred, 1), listSnapshots(barred)[0]!.path]) {
    renameSync(path, `${path}.kept`);
    mkdirSync(path);
    const { status, said } = run(barred);
    assert.equal(status, 2, said);
    assert.match(said, new RegExp(`^audit: [^\n]*${basename(path)} cannot be used: [^\n]+\n$`));
    rmSync(path, { recursive: true });
    renameSync(`${path}.kept`, path);
  }
  const gone = copy();
  rmSync(segmentPath(gone, 1));
  const segment = `segment 1 is missing: head.json names it at seq ${made.lastSeq}`;
  assert.deepEqual(run(gone), { status: 1, said: `audit: NOT sound: ${segment}\n` });
  rmSync(join(gone, 'journal'), { recursive: true });
  const [newest] = made.snapshots.slice(-1);
  assert.deepEqual(run(gone), { status: 1, said: `audit: NOT sound: journal ends at seq 0, snapshot-${newest}.bin is at ${newest}\n` });
});
