// The data folder's own files: venue id, admin token, free disk; and the writer on a disk whose n-th operation fails.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LOW_DISK_BYTES, STOP_DISK_BYTES, diskState, freeBytes } from '../../../../shell/storage/journal/disk-space.ts';
import type { Files } from '../../../../shell/storage/journal/files.ts';
import { adminToken, recordSigningDomain, readVenue, venueId } from '../../../../shell/storage/journal/venue-identity.ts';
import { snapshotFolder } from '../../../../shell/storage/journal/snapshot-format.ts';
import type { CommitHooks, JournalWriter } from '../../../../shell/storage/journal/writer.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { appendFrames, failingFiles, openWriter, readAndCheck } from './support.ts';

test('the venue id is made once, and never in a folder that has a journal', (t) => {
  const folder = join(temporaryFolder(t), 'data');
  const id = venueId(folder);
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.equal(venueId(folder), id);
  assert.notEqual(venueId(temporaryFolder(t)), id);
  openWriter(folder, { venue: id }).close();
  fs.writeFileSync(join(folder, 'venue.json'), '{"venue_id":"xyz"}');
  assert.throws(() => venueId(folder), /JournalRefusal: venue.json holds no venue id/);
  fs.rmSync(join(folder, 'venue.json'));
  assert.throws(() => venueId(folder), /venue.json is missing in .* which has or had a journal/);
  const had = temporaryFolder(t);
  fs.mkdirSync(snapshotFolder(had));
  fs.writeFileSync(join(snapshotFolder(had), 'snapshot-7.bin'), '');
  assert.throws(() => venueId(had), /venue.json is missing in .* which has or had a journal/);
  assert.ok(!fs.existsSync(join(had, 'venue.json')));
});

test('the admin token is made once, readable only by the owner', (t) => {
  const folder = temporaryFolder(t);
  const token = adminToken(folder);
  const path = join(folder, 'admin-token');
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(fs.statSync(path).mode & 0o777, 0o600);
  fs.chmodSync(path, 0o644);
  assert.equal(adminToken(folder), token);
  assert.equal(fs.statSync(path).mode & 0o777, 0o600);
  const given = 'of-the-operator!';
  fs.writeFileSync(path, `${given}\n`);
  assert.equal(adminToken(folder), given);
  for (const bad of ['\n', 'x\n', 'fifteen-letters\n', 'blanks are between them', 'with\0zeros-between', `${'x'.repeat(257)}\n`]) {
    fs.writeFileSync(path, bad);
    assert.throws(() => adminToken(folder), /JournalRefusal: admin-token in .* holds no token .*: remove it/, bad);
  }
});

test('every changed bit of venue.json is noticed, also in a file of an older version without a check', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'venue.json');
  venueId(folder);
  recordSigningDomain(folder, { fromSeq: 1, name: 'A', chainId: 998 });
  const written = fs.readFileSync(path);
  const said = readVenue(folder);
  for (let bit = 0; bit < written.length * 8; bit++) {
    const turned = Uint8Array.from(written);
    turned[bit >> 3]! ^= 1 << (bit & 7);
    fs.writeFileSync(path, turned);
    let read: unknown = null;
    try {
      read = readVenue(folder);
    } catch (error) {
      assert.match(String(error), /venue\.json (holds|is not) .*: restore it from a backup/);
    }
    // A blank for the end of the line says the same.
    if (read !== null) assert.deepEqual(read, said, `bit ${bit}`);
  }
  const { check, ...old } = JSON.parse(written.toString()) as { check: string; domains: unknown[] };
  fs.writeFileSync(path, JSON.stringify(old));
  assert.deepEqual(readVenue(folder), said, 'written by an older version');
  fs.writeFileSync(path, JSON.stringify({ ...old, chgck: check }));
  assert.throws(() => readVenue(folder), /is not as it was written/);
  fs.writeFileSync(path, JSON.stringify(old));
  assert.equal(recordSigningDomain(folder, { fromSeq: 9, name: 'A', chainId: 998 }), null);
  assert.deepEqual(fs.readFileSync(path), written, 'the next start gives it a check');
});

test('when any file operation fails while the folder is made, the next start is good', (t) => {
  for (let n = 1; n <= 6; n++) {
    for (const make of [venueId, adminToken]) {
      const folder = temporaryFolder(t);
      const { files, failedAt } = failingFiles(n);
      try {
        make(folder, files);
        assert.equal(failedAt(), 'unlink');
      } catch (error) {
        assert.match(String(error), /injected/);
      }
      assert.match(make(folder), /^[0-9a-f]{16,64}$/);
    }
  }
});

test('the folder lists its signing domains by first seq, whichever file operation fails', (t) => {
  const folder = temporaryFolder(t);
  const keep = (fromSeq: number, name: string, files?: Files): string | undefined => (
    recordSigningDomain(folder, { fromSeq, name, chainId: 998 }, files)?.name
  );
  const named = (): string[] => readVenue(folder)!.domains.map(({ fromSeq, name }) => `${fromSeq} ${name}`);
  const id = venueId(folder);
  assert.deepEqual(named(), []);
  assert.equal(keep(1, 'A'), undefined);
  assert.equal(keep(9, 'A'), undefined);
  assert.deepEqual(named(), ['1 A']);
  assert.equal(keep(9, 'B'), 'A');
  assert.equal(keep(9, 'C'), 'A', 'nothing was sequenced under B');
  assert.deepEqual(named(), ['1 A', '9 C']);
  assert.equal(keep(9, 'A'), undefined);
  assert.deepEqual(named(), ['1 A']);
  keep(20, 'B');
  assert.equal(keep(15, 'D'), 'A', 'the end of the journal was lost');
  assert.deepEqual(named(), ['1 A', '15 D']);
  for (let n = 1; n <= 6; n++) {
    const { files, failedAt } = failingFiles(n);
    const before = named();
    try {
      keep(15 + n, `E${n}`, files);
      assert.equal(failedAt(), 'unlink');
    } catch (error) {
      assert.match(String(error), /injected/);
    }
    const after = [...before, `${15 + n} E${n}`];
    assert.ok([before.join(), after.join()].includes(named().join()), named().join());
    keep(15 + n, `E${n}`);
    assert.deepEqual(named(), after);
  }
  assert.equal(venueId(folder), id);
});

test('free disk space has a low and a stop bound', () => {
  const free = (bytes: number) => (): { bavail: number; bsize: number } => ({ bavail: bytes / 512, bsize: 512 });
  assert.equal(freeBytes('/', free(1_024)), 1_024);
  assert.equal(diskState(freeBytes('/', free(LOW_DISK_BYTES))), 'ok');
  assert.equal(diskState(freeBytes('/', free(LOW_DISK_BYTES - 512))), 'low');
  assert.equal(diskState(freeBytes('/', free(STOP_DISK_BYTES))), 'low');
  assert.equal(diskState(freeBytes('/', free(STOP_DISK_BYTES - 512))), 'stop');
  assert.ok(freeBytes('.') > 0);
});

/** Opens, appends 40 frames over several segments with checkpoints between, closes; the last acknowledged seq. */
function work(folder: string, files: Files | undefined, hooks: CommitHooks | undefined): { acked: number; failed: boolean } {
  let writer: JournalWriter | null = null;
  let acked = 0;
  try {
    const sizes = { segmentBytes: 12_000, walBytes: 60_000 };
    writer = openWriter(folder, { ...sizes, durability: 'normal', ...(files && { files }), ...(hooks && { hooks }) });
    acked = writer.head.seq;
    for (let i = 0; i < 40; i++) {
      appendFrames(writer, [3]);
      acked = writer.head.seq;
    }
    writer.close();
    return { acked, failed: false };
  } catch (error) {
    assert.match(String(error), /injected/);
    if (writer !== null) {
      const broken = writer;
      assert.throws(() => appendFrames(broken, [1]), /out of use/);
      assert.throws(() => broken.checkpointIfIdle(), /out of use/);
      broken.close();
    }
    return { acked, failed: true };
  }
}

test('when any file operation or append fails, the writer is out of use and no acknowledged record is lost', (t) => {
  const total = failingFiles(0);
  assert.equal(work(temporaryFolder(t), total.files, undefined).failed, false);
  assert.ok(total.count() > 50);
  const injected = (n: number, hook: keyof CommitHooks): CommitHooks => {
    let count = 0;
    return { [hook]: () => { if (++count === n) throw new Error('injected: commit fails'); } };
  };
  const faults: [Files | undefined, CommitHooks | undefined, () => string | null][] = [];
  for (let n = 1; n <= total.count(); n++) {
    const { files, failedAt } = failingFiles(n);
    faults.push([files, undefined, failedAt]);
  }
  for (let n = 1; n <= 40; n += 3) {
    faults.push([undefined, injected(n, 'beforeCommit'), () => null], [undefined, injected(n, 'afterCommit'), () => null]);
  }
  for (const [files, hooks, failedAt] of faults) {
    const folder = temporaryFolder(t);
    const { acked, failed } = work(folder, files, hooks);
    assert.ok(failed || failedAt() === 'unlink');
    const end = readAndCheck(folder).at(-1) ?? 0;
    const unacknowledged = hooks?.afterCommit !== undefined || files !== undefined ? 3 : 0;
    assert.ok(end >= acked && end <= acked + unacknowledged, `${end} found, ${acked} acknowledged`);
    const second = work(folder, undefined, undefined);
    assert.deepEqual(second, { acked: end + 120, failed: false });
    assert.equal(readAndCheck(folder).at(-1), end + 120);
  }
});
