// Writing and reading frames: the chain, segments, digests, checkpoints, and what is refused by name.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { genesisHash, hashText } from '../../../../shell/storage/journal/chain.ts';
import { readDigests } from '../../../../shell/storage/journal/digests.ts';
import { JournalDamage, JournalRefusal } from '../../../../shell/storage/journal/journal-errors.ts';
import { DISK } from '../../../../shell/storage/journal/files.ts';
import { hashAt, journalHead, readFrames } from '../../../../shell/storage/journal/read.ts';
import { journalFolder, listSegments, makeSegment, openForWriting, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, TIME, appendFrames, openWriter, readAndCheck, records } from './support.ts';

const refusal = (code: string, words: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof JournalRefusal, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, words);
  return true;
};

test('frames are read back byte for byte, with the hashes of the definition', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [1, 10, 100, 1]);
  let expected = createHash('sha256').update(VENUE).digest();
  for (const frame of readFrames(folder, 1)) {
    const numbers = Buffer.alloc(16);
    numbers.writeBigUInt64LE(BigInt(frame.firstSeq), 0);
    numbers.writeBigUInt64LE(BigInt(frame.lastSeq), 8);
    expected = createHash('sha256').update(expected).update(numbers).update(frame.bytes).digest();
    assert.equal(hashText(frame.hash), expected.toString('hex'));
    assert.equal(frame.bytes.byteOffset % 8, 0);
  }
  assert.deepEqual(readAndCheck(folder), [1, 11, 111, 112]);
  assert.equal(hashText(writer.head.hash), expected.toString('hex'));
  assert.equal(journalHead(folder)?.seq, 112);
  writer.close();
});

test('reading starts at the frame with the first seq and stops after the frame with toSeq', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder, { segmentBytes: 9_000 });
  appendFrames(writer, Array.from({ length: 30 }, () => 5));
  assert.ok(listSegments(folder).length > 3);
  for (let seq = 1; seq <= 151; seq++) {
    const ends = readAndCheck(folder, seq);
    assert.equal(ends.length, 30 - Math.floor((seq - 1) / 5));
  }
  const range = [...readFrames(folder, 48, { toSeq: 56 })].map((frame) => frame.lastSeq);
  assert.deepEqual(range, [50, 55, 60]);
  assert.throws(() => [...readFrames(folder, 152)], refusal('ends_early', /ends at seq 150, the reader is at 151/));
  writer.close();
});

test('a reader follows over many read transactions while the writer writes and begins segments', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder, { segmentBytes: 60_000, walBytes: 100_000, durability: 'normal' });
  appendFrames(writer, Array.from({ length: 300 }, () => 1));
  let last = 0;
  for (const frame of readFrames(folder, 1)) {
    assert.equal(frame.firstSeq, last + 1);
    last = frame.lastSeq;
    if (last <= 600) appendFrames(writer, [1]);
  }
  assert.ok(last >= 300);
  assert.equal(readAndCheck(folder).length, writer.head.seq);
  writer.close();
});

test('a journal continues over openings, and its chain over segments', (t) => {
  const folder = temporaryFolder(t);
  for (let round = 0; round < 4; round++) {
    const writer = openWriter(folder, { segmentBytes: 5_000 });
    assert.equal(writer.head.seq, round * 20);
    appendFrames(writer, [4, 4, 4, 4, 4]);
    writer.close();
  }
  assert.equal(readAndCheck(folder).at(-1), 80);
  const { meta } = journalHead(folder)!;
  assert.equal(hashText(meta.previousHash), hashText(hashAt(folder, meta.firstSeq - 1)!));
  assert.equal(meta.created, TIME + meta.firstSeq);
  assert.equal(hashAt(folder, 78), null);
});

test('another behaviour or codec opens a new segment, even after an empty one', (t) => {
  const folder = temporaryFolder(t);
  const versions: [number, number][] = [[1, 1], [2, 1], [3, 1], [3, 2]];
  versions.forEach(([behaviour, codec], i) => {
    const writer = openWriter(folder, { behaviour, codec });
    assert.equal(writer.segment.segment, i + 1);
    if (i !== 1) appendFrames(writer, [3]);
    writer.close();
  });
  const seen = [...readFrames(folder, 1)].map((frame) => [frame.segment, frame.behaviour, frame.codec, frame.lastSeq]);
  assert.deepEqual(seen, [[1, 1, 1, 3], [3, 3, 1, 6], [4, 3, 2, 9]]);
  assert.deepEqual(readAndCheck(folder, 4), [6, 9]);
});

test('missing old segments are accepted if they are not needed, and named if they are', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder, { segmentBytes: 5_000 });
  appendFrames(writer, Array.from({ length: 20 }, () => 5));
  writer.close();
  const starts = listSegments(folder).map((segment) => [...readFrames(folder, 1)].find((frame) => frame.segment === segment)!.firstSeq);
  assert.ok(starts.length >= 4);
  fs.rmSync(segmentPath(folder, 1));
  assert.equal(readAndCheck(folder, starts[1]!).at(-1), 100);
  assert.throws(() => readAndCheck(folder, starts[1]! - 1), refusal('segment_missing', /segment 1 is missing: seq \d+ is needed/));
  fs.renameSync(segmentPath(folder, 3), join(folder, 'away.db'));
  assert.equal(readAndCheck(folder, starts[3]!).at(-1), 100);
  assert.throws(() => readAndCheck(folder, starts[1]!), refusal('segment_missing', /segment 3 is missing: segment 4 exists/));
  const again = openWriter(folder, { segmentBytes: 5_000 });
  appendFrames(again, [5]);
  again.close();
  fs.rmSync(segmentPath(folder, listSegments(folder).at(-1)!));
  assert.throws(() => openWriter(folder), refusal('segment_missing', /segment \d+ is missing: head.json names it at seq 105/));
});

test('the journal is checked against heads known from elsewhere', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [5, 5, 5]);
  const snapshot = { name: 'snapshot', seq: 10, hash: hashAt(folder, 10)! };
  assert.equal([...readFrames(folder, 11, { known: [snapshot] })].length, 1);
  assert.equal([...readFrames(folder, 1, { known: [snapshot] })].length, 3);
  const other = { ...snapshot, hash: hashAt(folder, 5)! };
  for (const fromSeq of [1, 8, 11]) {
    assert.throws(() => [...readFrames(folder, fromSeq, { known: [other] })], /JournalDamage: .*snapshot has a different hash at seq 10/);
  }
  assert.throws(() => [...readFrames(folder, 1, { known: [{ ...snapshot, seq: 9 }] })], /no frame ends/);
  const beyond = [{ name: 'snapshot', seq: 40 }];
  const early = refusal('ends_early', /^journal ends at seq 15, snapshot is at 40$/);
  assert.throws(() => [...readFrames(folder, 1, { known: beyond })], early);
  writer.close();
  assert.throws(() => openWriter(folder, { known: beyond }), refusal('ends_early', /snapshot is at 40/));
  assert.throws(() => openWriter(temporaryFolder(t), { known: beyond }), refusal('ends_early', /ends at seq 0, snapshot/));
  assert.throws(() => openWriter(folder, { venue: 'ffffffffffffffff' }), refusal('other_venue', /00c0ffee00c0ffee/));
});

test('head.json reveals a lost end that SQLite does not notice', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [5, 5]);
  writer.close();
  const db = new Database(segmentPath(folder, 1));
  db.exec('DELETE FROM frames WHERE first_seq = 6');
  db.close();
  assert.throws(() => readAndCheck(folder), refusal('ends_early', /ends at seq 5, head.json is at 10/));
  assert.throws(() => openWriter(folder), refusal('ends_early', /head.json/));
});

test('digests are committed with their frame and read in order, and a damaged one is named', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder, { segmentBytes: 4_000 });
  const written = [];
  for (let i = 0; i < 12; i++) {
    const first = writer.head.seq + 1;
    const digests = i % 2 === 0 ? [] : [{ seq: first - 1, low: first, high: 0xffff_ffff }, { seq: first + 2, low: 0, high: i }];
    writer.append(records(first, 3), first, first + 2, digests);
    written.push(...digests);
  }
  assert.deepEqual([...readDigests(folder, 1)], written);
  assert.deepEqual([...readDigests(folder, 18)], written.filter(({ seq }) => seq >= 18));
  assert.throws(() => writer.append(records(37, 1), 37, 37, [{ seq: 38, low: 0, high: 0 }]), RangeError);
  writer.close();
  const db = new Database(segmentPath(folder, 2));
  db.exec('UPDATE digests SET low = low + 1');
  db.close();
  assert.throws(() => [...readDigests(folder, 1)], JournalDamage);
});

test('malformed records are never written, and the writer is out of use afterwards', (t) => {
  const good = records(1, 3);
  const changed = (change: (words: Uint32Array) => void): Uint8Array => {
    const copy = good.slice();
    change(new Uint32Array(copy.buffer));
    return copy;
  };
  const cases: [Uint8Array, number, number][] = [
    [records(2, 1), 2, 2], [good, 1, 2], [good, 1, 4], [good.subarray(8), 1, 3], [good.subarray(0, good.length - 8), 1, 3],
    [changed((words) => { words[0] = 0; }), 1, 3], [changed((words) => { words[6] = 2; }), 1, 3],
    [changed((words) => { words[7] = 1; }), 1, 3], [new Uint8Array(0), 1, 0], [new Uint8Array(0), 1, 1],
    [new Uint8Array(16_777_224), 1, 1],
  ];
  const folder = temporaryFolder(t);
  for (const [bytes, first, last] of cases) {
    const writer = openWriter(folder);
    assert.throws(() => writer.append(bytes, first, last));
    assert.throws(() => writer.append(good, 1, 3), refusal('writer_failed', /out of use/));
    writer.close();
  }
  assert.deepEqual(readAndCheck(folder), []);
});

test('a record that names an earlier seq is accepted', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [9]);
  const naming = records(10, 1);
  new Uint32Array(naming.buffer)[10] = 4;
  writer.append(naming, 10, 10);
  appendFrames(writer, [2]);
  assert.deepEqual([...readFrames(folder, 1)].map((frame) => frame.lastSeq), [9, 10, 12]);
  writer.close();
});

test('seqs beyond 2^32 work, and so do bytes in shared memory at any offset', (t) => {
  const folder = temporaryFolder(t);
  const start = 2 ** 32 - 3;
  fs.mkdirSync(journalFolder(folder));
  const earlier = Buffer.alloc(32, 1);
  makeSegment(folder, { segment: 2, behaviour: 1, codec: 1, firstSeq: start, previousHash: earlier, venue: VENUE, created: TIME }, DISK);
  const writer = openWriter(folder);
  const bytes = records(start, 7);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 4), 4);
  shared.set(bytes);
  writer.append(shared, start, start + 6, [{ seq: start + 5, low: 1, high: 2 }]);
  writer.close();
  assert.deepEqual(readAndCheck(folder, start + 2), [2 ** 32 + 3]);
  assert.deepEqual([...readDigests(folder, start)], [{ seq: start + 5, low: 1, high: 2 }]);
});

test('a segment opens with the requested durability and without SQLite\'s automatic checkpoints', (t) => {
  const folder = temporaryFolder(t);
  openWriter(folder).close();
  for (const [durability, synchronous] of [['full', 2], ['normal', 1]] as const) {
    const db = openForWriting(folder, 1, durability);
    const found = ['journal_mode', 'synchronous', 'wal_autocheckpoint'].map((name) => db.pragma(name, { simple: true }));
    assert.deepEqual(found, ['wal', synchronous, 0]);
    db.close();
  }
});

test('a segment is in WAL mode before it gets its name, so that its first opening writes nothing', (t) => {
  const folder = temporaryFolder(t);
  fs.mkdirSync(journalFolder(folder));
  const previousHash = genesisHash(VENUE);
  makeSegment(folder, { segment: 1, behaviour: 1, codec: 1, firstSeq: 1, previousHash, venue: VENUE, created: TIME }, DISK);
  assert.deepEqual(fs.readdirSync(journalFolder(folder)), ['segment-000001.db']);
  const born = fs.readFileSync(segmentPath(folder, 1));
  // SQLite's file format: bytes 18 and 19 are the versions that write and read it, 2 for WAL.
  assert.deepEqual([...born.subarray(18, 20)], [2, 2]);
  openForWriting(folder, 1, 'full').close();
  assert.ok(born.equals(fs.readFileSync(segmentPath(folder, 1))));
});

test('the WAL stays near its bound, and a paused reader only delays the checkpoint', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder, { walBytes: 100_000, durability: 'normal' });
  const wal = `${segmentPath(folder, 1)}-wal`;
  appendFrames(writer, Array.from({ length: 400 }, () => 3));
  assert.ok(fs.statSync(wal).size < 200_000);
  assert.ok(writer.walBytes < 100_000);
  const reader = readFrames(folder, 1);
  reader.next();
  appendFrames(writer, Array.from({ length: 100 }, () => 3));
  writer.checkpointIfIdle();
  assert.ok(writer.walBytes > 100_000);
  assert.ok([...reader].length >= 399);
  writer.checkpointIfIdle();
  assert.equal(writer.walBytes, 0);
  writer.close();
  assert.equal(readAndCheck(folder).length, 500);
});

test('the WAL of a segment finished under a reader is emptied later, at the latest by the next opening', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder, { segmentBytes: 20_000 });
  appendFrames(writer, [3]);
  const reader = readFrames(folder, 1);
  reader.next();
  while (listSegments(folder).length < 2) appendFrames(writer, [3]);
  const wal = `${segmentPath(folder, 1)}-wal`;
  assert.ok(fs.statSync(wal).size > 0);
  writer.close();
  reader.return(undefined);
  assert.ok(fs.statSync(wal).size > 0);
  const again = openWriter(folder);
  assert.equal(fs.statSync(wal, { throwIfNoEntry: false })?.size ?? 0, 0);
  again.close();
  assert.equal(readAndCheck(folder).at(-1), again.head.seq);
});
