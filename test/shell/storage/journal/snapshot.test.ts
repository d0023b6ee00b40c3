// Snapshots: a written one loads, a changed bit anywhere is noticed before anything is loaded, and a failing disk leaves the older ones.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DISK, type Files } from '../../../../shell/storage/journal/files.ts';
import { snapshotFolder, type SnapshotHead } from '../../../../shell/storage/journal/snapshot-format.ts';
import {
  SnapshotDamage, listSnapshots, loadSnapshot, readSnapshots, setSnapshotAside, type Snapshot,
} from '../../../../shell/storage/journal/snapshot-read.ts';
import { writeSnapshot, type SectionSource } from '../../../../shell/storage/journal/snapshot-write.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { failingFiles, generator } from './support.ts';

const CASES = process.env['STRIKEBOOK_LONG'] === '1' ? 50_000 : 500;

function headOf(seq: number): SnapshotHead {
  const meta = { time: 1_700_000_000_000, service: 'Ünïcode' };
  return { seq, headHash: Buffer.alloc(32, seq), behaviour: 1, codec: 1, digest: [0xffff_ffff, seq], meta };
}

/** Four columns whose content follows from `seed`; the used rows lead a larger array. */
function sectionsOf(seed: number, rows: number): SectionSource[] {
  const random = generator(seed);
  const doubles = Float64Array.from({ length: rows + 10 }, () => random() * 1e15).subarray(0, rows);
  const words = Uint32Array.from({ length: rows }, () => random() * 4_294_967_296);
  const signed = Int32Array.from({ length: 3 }, () => random() * -2_147_483_648);
  const bytes = Uint8Array.from({ length: rows * 2 + 1 }, () => random() * 256);
  const view = (array: ArrayBufferView): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return [
    { name: 'a.cash', type: 'f64', elements: doubles.length, bytes: view(doubles) },
    { name: 'a.empty', type: 'u32', elements: 0, bytes: new Uint8Array(0) },
    { name: 'b.words', type: 'u32', elements: words.length, bytes: view(words) },
    { name: 'b.signed', type: 'i32', elements: signed.length, bytes: view(signed) },
    { name: 'c.bytes', type: 'u8', elements: bytes.length, bytes },
  ];
}

function load(snapshot: Snapshot): SectionSource[] {
  const loaded: SectionSource[] = [];
  loadSnapshot(snapshot, ({ name, type, elements, bytes }) => {
    const target = new Uint8Array(bytes);
    loaded.push({ name, type, elements, bytes: target });
    return target;
  });
  return loaded;
}

function sound(folder: string): { seqs: number[]; damages: SnapshotDamage[] } {
  const damages: SnapshotDamage[] = [];
  return { seqs: [...readSnapshots(folder, (damage) => damages.push(damage))].map(({ seq }) => seq), damages };
}

test('a snapshot loads as it was written, with all its chunks, and two are kept', (t) => {
  const folder = temporaryFolder(t);
  assert.deepEqual(sound(folder), { seqs: [], damages: [] });
  for (const [seq, rows] of [[5, 10], [90, 300_000], [1_000, 1]] as const) {
    writeSnapshot(folder, headOf(seq), sectionsOf(seq, rows));
    const [newest] = [...readSnapshots(folder, (damage) => assert.fail(damage.message))];
    const { headHash, digest, meta, behaviour, codec } = newest!;
    assert.deepEqual({ seq: newest!.seq, headHash: Buffer.from(headHash), behaviour, codec, digest, meta }, headOf(seq));
    assert.deepEqual(load(newest!), sectionsOf(seq, rows));
  }
  assert.deepEqual(sound(folder).seqs, [1_000, 90]);
  assert.deepEqual(fs.readdirSync(snapshotFolder(folder)).sort(), ['snapshot-1000.bin', 'snapshot-90.bin']);
});

test('the next snapshot removes the remains of a kill, and a failed one leaves nothing', (t) => {
  const folder = temporaryFolder(t);
  const left = (): string[] => fs.readdirSync(snapshotFolder(folder)).sort();
  writeSnapshot(folder, headOf(1), sectionsOf(1, 50));
  fs.writeFileSync(join(snapshotFolder(folder), 'snapshot-2.bin.tmp'), 'SBSNAP01');
  writeSnapshot(folder, headOf(3), sectionsOf(3, 50));
  assert.deepEqual(left(), ['snapshot-1.bin', 'snapshot-3.bin']);
  const files: Files = { ...DISK, fsync: () => { throw new Error('injected'); } };
  assert.throws(() => writeSnapshot(folder, headOf(4), sectionsOf(4, 50), files), /injected/);
  assert.deepEqual(left(), ['snapshot-1.bin', 'snapshot-3.bin']);
});

test('a section whose bytes do not match its elements is refused before a byte is written', (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => writeSnapshot(folder, headOf(1), [{ name: 'x', type: 'f64', elements: 2, bytes: new Uint8Array(15) }]), RangeError);
  assert.deepEqual(fs.readdirSync(snapshotFolder(folder)), []);
  writeSnapshot(folder, headOf(1), sectionsOf(1, 5));
  const [snapshot] = [...readSnapshots(folder, () => undefined)];
  assert.throws(() => loadSnapshot(snapshot!, ({ bytes }) => new Uint8Array(bytes + 1)), RangeError);
});

test(`${CASES} changed snapshots are reported and skipped for the older one`, (t) => {
  const folder = temporaryFolder(t);
  writeSnapshot(folder, headOf(1), sectionsOf(1, 50));
  const path = writeSnapshot(folder, headOf(2), sectionsOf(2, 400));
  const good = fs.readFileSync(path);
  const random = generator(7);
  const reasons = new Set<string>();
  for (let i = 0; i < CASES; i++) {
    const at = i < good.length && CASES > good.length ? i : Math.floor(random() * (i % 2 === 0 ? good.length : 40));
    const changed = random() < 0.3 ? good.subarray(0, at) : Buffer.from(good);
    if (changed.length === good.length) changed[at]! ^= 1 << Math.floor(random() * 8);
    fs.writeFileSync(path, changed);
    const { seqs, damages } = sound(folder);
    assert.deepEqual(seqs, [1], `byte ${at}`);
    assert.equal(damages[0]!.path, path);
    reasons.add(damages[0]!.message.replace(/\d+|section \S+/g, ''));
  }
  fs.writeFileSync(path, Buffer.concat([good, Buffer.alloc(1)]));
  assert.match(sound(folder).damages[0]!.message, /bytes instead of/);
  fs.writeFileSync(path, good);
  fs.renameSync(path, join(snapshotFolder(folder), 'snapshot-3.bin'));
  assert.match(sound(folder).damages[0]!.message, /holds seq 2/);
  t.diagnostic([...reasons].join('; '));
  assert.ok(reasons.size >= 5);
});

test('a damaged snapshot that was set aside does not count among the two kept', (t) => {
  const folder = temporaryFolder(t);
  writeSnapshot(folder, headOf(1), sectionsOf(1, 5));
  fs.truncateSync(writeSnapshot(folder, headOf(2), sectionsOf(2, 5)), 100);
  sound(folder).damages.forEach(setSnapshotAside);
  writeSnapshot(folder, headOf(3), sectionsOf(3, 5));
  assert.deepEqual(sound(folder), { seqs: [3, 1], damages: [] });
  assert.ok(fs.existsSync(join(snapshotFolder(folder), 'snapshot-2.bin.damaged')));
});

test('a snapshot that cannot be read is refused by name and left in place, and not called damaged', (t) => {
  const folder = temporaryFolder(t);
  const path = join(snapshotFolder(folder), 'snapshot-5.bin');
  fs.mkdirSync(path, { recursive: true });
  assert.throws(() => sound(folder), { name: 'JournalRefusal', code: 'unusable', message: /snapshot-5\.bin cannot be used: EISDIR/ });
});

test('a snapshot that changes between verifying and loading is refused', (t) => {
  const folder = temporaryFolder(t);
  const path = writeSnapshot(folder, headOf(2), sectionsOf(2, 400));
  const [snapshot] = [...readSnapshots(folder, () => undefined)];
  const bytes = fs.readFileSync(path);
  bytes[bytes.length - 300]! ^= 1;
  fs.writeFileSync(path, bytes);
  assert.throws(() => load(snapshot!), SnapshotDamage);
  writeSnapshot(folder, { ...headOf(2), digest: [0, 0] }, sectionsOf(2, 400));
  assert.throws(() => load(snapshot!), /was replaced after/);
});

test('besides the two newest, the last snapshot of another behaviour is kept, and no other', (t) => {
  const folder = temporaryFolder(t);
  for (let seq = 1; seq <= 3; seq++) writeSnapshot(folder, headOf(seq), sectionsOf(seq, 20));
  for (let seq = 4; seq <= 7; seq++) writeSnapshot(folder, { ...headOf(seq), behaviour: 2 }, sectionsOf(seq, 20));
  assert.deepEqual(sound(folder).seqs, [7, 6, 3]);
});

test('when any file operation fails, the older snapshots stay and the next one is good', (t) => {
  const total = failingFiles(0);
  writeSnapshot(temporaryFolder(t), headOf(1), sectionsOf(1, 50), total.files);
  const kinds = new Set<string>();
  assert.ok(total.count() > 15);
  for (let n = 1; n <= total.count(); n++) {
    const folder = temporaryFolder(t);
    writeSnapshot(folder, headOf(1), sectionsOf(1, 50));
    writeSnapshot(folder, headOf(2), sectionsOf(2, 50));
    const { files, failedAt } = failingFiles(n);
    let failed = false;
    try {
      writeSnapshot(folder, headOf(3), sectionsOf(3, 50), files);
    } catch (error) {
      failed = true;
      assert.match(String(error), /injected/);
    }
    kinds.add(failedAt()!);
    assert.ok(failed || failedAt() === 'unlink', `operation ${n}, ${failedAt()}, went unnoticed`);
    const { seqs, damages } = sound(folder);
    assert.deepEqual(damages, []);
    assert.deepEqual(seqs.filter((seq) => seq < 3), failed ? [2, 1] : seqs.filter((seq) => seq < 3));
    assert.ok(failed || seqs[0] === 3);
    writeSnapshot(folder, headOf(4), sectionsOf(4, 50));
    assert.equal(sound(folder).seqs[0], 4);
    assert.equal(listSnapshots(folder).length, 2);
  }
  assert.deepEqual([...kinds].sort(), ['fsync', 'open', 'rename', 'unlink', 'write']);
});
