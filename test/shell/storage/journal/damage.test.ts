// Journal files that somebody changed: the journal opens a committed prefix that reaches at least the kept head, or is refused by name,
// and never returns a wrong byte. STRIKEBOOK_LONG=1 runs a hundred times as many cases.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { frameHash, genesisHash, recordFault, sameHash } from '../../../../shell/storage/journal/chain.ts';
import { JournalDamage } from '../../../../shell/storage/journal/journal-errors.ts';
import { journalFolder, segmentPath } from '../../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, appendFrames, generator, isNamedRefusal, openWriter, readAndCheck, records } from './support.ts';

const CASES = process.env['STRIKEBOOK_LONG'] === '1' ? 50_000 : 500;
const TAIL_BYTES = 65_536;

/** Three segments, the newest half in its main file (head.json stands there), half in its WAL, as a kill leaves them. */
function makeTemplate(folder: string): { anchored: number; ends: number[] } {
  const live = join(folder, 'live');
  const first = openWriter(live, { segmentBytes: 40_000 });
  appendFrames(first, Array.from({ length: 50 }, (_, i) => 1 + (i % 7)));
  first.close();
  const writer = openWriter(live, { segmentBytes: 40_000 });
  const anchored = writer.head.seq;
  appendFrames(writer, Array.from({ length: 12 }, (_, i) => 1 + (i % 5)));
  fs.cpSync(live, join(folder, 'template'), { recursive: true });
  writer.close();
  const ends = readAndCheck(live);
  assert.ok(fs.readdirSync(journalFolder(join(folder, 'template'))).includes('segment-000003.db-wal'));
  return { anchored, ends };
}

/** Truncates or flips one bit; the words say what was done. */
function damage(folder: string, random: () => number): string {
  const names = fs.readdirSync(folder).filter((name) => fs.statSync(join(folder, name)).size > 0);
  const name = names[Math.floor(random() * names.length)]!;
  const path = join(folder, name);
  const { size } = fs.statSync(path);
  const at = size - 1 - Math.floor(random() * Math.min(size, TAIL_BYTES));
  if (random() < 0.5) {
    fs.truncateSync(path, at);
    return `truncate ${name} at ${at}`;
  }
  const bytes = fs.readFileSync(path);
  const bit = Math.floor(random() * 8);
  bytes[at]! ^= 1 << bit;
  fs.writeFileSync(path, bytes);
  return `flip ${name} byte ${at} bit ${bit}`;
}

/** A call either succeeds or throws a refusal with a name; anything else fails the test. */
function orRefusal<T>(what: string, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    assert.ok(isNamedRefusal(error), `${what}: ${String(error)}`);
    return null;
  }
}

test(`${CASES} damaged journals open a committed prefix or are refused by name`, (t) => {
  const folder = temporaryFolder(t);
  const { anchored, ends } = makeTemplate(folder);
  const seen = { whole: 0, prefix: 0, refused: 0, refusedAfterAppend: 0 };
  for (let seed = 1; seed <= CASES; seed++) {
    const copy = join(folder, 'copy');
    fs.cpSync(join(folder, 'template'), copy, { recursive: true });
    const what = `seed ${seed}: ${damage(journalFolder(copy), generator(seed))}`;
    const read = orRefusal(what, () => readAndCheck(copy));
    if (read === null) {
      seen.refused++;
    } else {
      assert.deepEqual(read, ends.slice(0, read.length), what);
      assert.ok(read.at(-1)! >= anchored, `${what}: ends before the kept head`);
      if (read.length === ends.length) seen.whole++;
      else seen.prefix++;
      if (!continues(what, copy, read)) seen.refusedAfterAppend++;
    }
    fs.rmSync(copy, { recursive: true });
  }
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.whole > 0 && seen.prefix > 0 && seen.refused > 0);
});

test('a changed bit of a frame is a fault at a seq of that frame, or gives another hash', () => {
  const [first, count] = [1_000, 4];
  const last = first + count - 1;
  const bytes = records(first, count);
  const genesis = genesisHash(VENUE);
  const hash = frameHash(genesis, first, last, bytes);
  assert.equal(recordFault(bytes, first, last), null);
  const named = new Set<number>();
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    const fault = recordFault(bytes, first, last);
    if (fault !== null) {
      assert.ok(fault.seq >= first && fault.seq <= last, `bit ${bit}: ${JSON.stringify(fault)}`);
      named.add(fault.seq);
    }
    assert.ok(!sameHash(frameHash(genesis, first, last, bytes), hash), `bit ${bit}`);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
  }
  assert.equal(named.size, count, 'no bit of some record was a fault of it');
  const tooMany = recordFault(bytes, first, last - 1);
  assert.match(tooMany!.reason, /^[0-9]+ bytes follow seq 1002, the last its row says$/);
});

test('a changed bit of a stored frame is reported at the frame\'s first seq', (t) => {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  appendFrames(writer, [2, 4, 1]);
  writer.close();
  const db = new Database(segmentPath(folder, 1));
  const bytes = db.prepare('SELECT bytes FROM frames WHERE first_seq = 3').pluck().get() as Buffer;
  const update = db.prepare('UPDATE frames SET bytes = ? WHERE first_seq = 3');
  const first = bytes.readUInt32LE(0);
  // The length of its first record and of its second, the seq of the first, a byte of what it says.
  const changes = [
    [0, / \(at seq [34]: /], [first, / \(at seq [45]: /], [24, / \(at seq 3: record header/], [first - 1, /before$/],
  ] as const;
  for (const [at, reason] of changes) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0x10;
    update.run(changed);
    assert.throws(() => readAndCheck(folder), (error: unknown) => {
      assert.ok(error instanceof JournalDamage);
      assert.match(error.message, /segment 1, frame 3, seq 3: the hash does not follow/, `byte ${at}`);
      assert.match(error.message, reason);
      return true;
    });
  }
  update.run(bytes);
  db.close();
  assert.deepEqual(readAndCheck(folder), [2, 6, 7]);
});

/** What could be read can be continued: the old frames and the new one are there, or a refusal with a name. */
function continues(what: string, folder: string, read: readonly number[]): boolean {
  const writer = orRefusal(what, () => openWriter(folder, { durability: 'normal' }));
  if (writer === null) return false;
  assert.equal(writer.head.seq, read.at(-1), what);
  try {
    appendFrames(writer, [3]);
  } catch (error) {
    assert.match(String(error), /SqliteError/, what);
    writer.close();
    return false;
  }
  writer.close();
  const after = orRefusal(what, () => readAndCheck(folder));
  if (after === null) return false;
  assert.deepEqual(after, [...read, read.at(-1)! + 3], what);
  return true;
}
