// What main keeps beside the journal with durability normal: whatever was flushed and the journal lacks is taken at the next start, once
// and in order, whoever was how far; what is cut or damaged ends it there; files stay small; a write that fails is not taken for done.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { recordSeq, viewsOf } from '../../core/codec/record.ts';
import { journalHead } from '../../shell/journal/read.ts';
import { journalFolder } from '../../shell/journal/segment.ts';
import { writeSnapshot } from '../../shell/journal/snapshot-write.ts';
import { settleTail, Tail, tailAfter } from '../../shell/journal/tail.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { appendFrames, failingFiles, openWriter, readAndCheck, records, TIME } from './support.ts';

const tailPath = (folder: string, file: 0 | 1): string => join(journalFolder(folder), `tail-${file}`);
const bytesOf = (folder: string): number[] => ([0, 1] as const).map((file) => fs.statSync(tailPath(folder, file)).size);

/** A journal that has committed `journaled` records, and a tail for what is sequenced after. */
function folderWith(t: TestContext, journaled: number): string {
  const folder = temporaryFolder(t);
  const writer = openWriter(folder);
  if (journaled > 0) appendFrames(writer, [journaled]);
  writer.close();
  return folder;
}

/** One turn of main: the records are flushed together. */
function turn(tail: Tail, first: number, count: number): void {
  const views = viewsOf(records(first, count).buffer);
  for (let at = 0; at < views.u8.length; at += views.u32[at >>> 2]!) tail.add(views, at, recordSeq(views, at));
  tail.flush();
}

function commit(folder: string, count: number): void {
  const writer = openWriter(folder, { durability: 'normal' });
  appendFrames(writer, [count]);
  writer.close();
}

test('what the journal lacks is taken from the tail, once, wherever the journal had got to', (t) => {
  for (const journaled of [0, 1, 4, 5, 6, 11, 12]) {
    const folder = folderWith(t, 0);
    const tail = new Tail({ dataFolder: folder, isJournaled: () => false });
    for (const [first, count] of [[1, 4], [5, 1], [6, 7]] as const) turn(tail, first, count);
    if (journaled > 0) commit(folder, journaled);
    assert.deepEqual(settleTail(folder, TIME), { taken: 12 - journaled, lost: 0 });
    assert.equal(readAndCheck(folder).at(-1), 12);
    assert.ok(!fs.existsSync(tailPath(folder, 0)) && !fs.existsSync(tailPath(folder, 1)));
    assert.deepEqual(settleTail(folder, TIME), { taken: 0, lost: 0 });
    commit(folder, 3);
    assert.equal(readAndCheck(folder).at(-1), 15);
  }
});

test('any turns, any commits between, any end: everything flushed is found, and the files stay small', (t) => {
  const fileBytes = 1_500;
  let mostBytes = 0;
  let turned = 0;
  // Seldom enough that several files' worth waits at times.
  const commits = fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 3);
  const steps = fc.array(fc.record({ count: fc.integer({ min: 1, max: 12 }), commits }), { maxLength: 60 });
  fc.assert(fc.property(steps, fc.integer({ min: 0, max: 2_000 }), (turns, start) => {
    const folder = folderWith(t, start);
    const writer = openWriter(folder, { durability: 'normal' });
    const tail = new Tail({ dataFolder: folder, isJournaled: (seq) => writer.head.seq >= seq, fileBytes });
    let seq = start;
    for (const { count, commits } of turns) {
      turn(tail, seq + 1, count);
      seq += count;
      // The journal commits whole records, up to any of them.
      if (commits > 0 && writer.head.seq < seq) appendFrames(writer, [Math.ceil((seq - writer.head.seq) / commits)]);
      const behind = seq - writer.head.seq;
      mostBytes = Math.max(mostBytes, Math.max(...bytesOf(folder)) - behind * 560);
    }
    turned += bytesOf(folder)[1]! > 0 ? 1 : 0;
    const journaled = writer.head.seq;
    writer.close();
    assert.deepEqual(settleTail(folder, TIME), { taken: seq - journaled, lost: 0 });
    assert.equal(readAndCheck(folder).at(-1) ?? 0, seq);
    fs.rmSync(folder, { recursive: true });
  }), { numRuns: 60 });
  assert.ok(turned > 10, `${turned} runs came to the other file`);
  assert.ok(mostBytes < fileBytes + 13 * 560 * 12, `${mostBytes} bytes more than what waited`);
});

test('cut at any byte, a tail gives whole turns up to the cut and nothing else', (t) => {
  const folder = folderWith(t, 10);
  const tail = new Tail({ dataFolder: folder, isJournaled: () => false });
  const ends: [bytes: number, seq: number][] = [[0, 10]];
  for (const [first, count] of [[11, 1], [12, 3], [15, 2]] as const) {
    turn(tail, first, count);
    ends.push([bytesOf(folder)[0]!, first + count - 1]);
  }
  const whole = fs.readFileSync(tailPath(folder, 0));
  for (let length = 0; length <= whole.length; length++) {
    fs.writeFileSync(tailPath(folder, 0), whole.subarray(0, length));
    const { batches } = tailAfter(folder, 10);
    assert.equal(batches.at(-1)?.lastSeq ?? 10, ends.findLast(([bytes]) => bytes <= length)![1], `${length} bytes`);
  }
});

test('any bit that is changed ends the tail before the turn that it is in', (t) => {
  const folder = folderWith(t, 0);
  const tail = new Tail({ dataFolder: folder, isJournaled: () => false });
  const ends: number[] = [];
  for (const [first, count] of [[1, 1], [2, 2], [4, 1]] as const) {
    turn(tail, first, count);
    ends.push(bytesOf(folder)[0]!);
  }
  const whole = fs.readFileSync(tailPath(folder, 0));
  const before = [0, 1, 3];
  for (let bit = 0; bit < whole.length * 8; bit += 7) {
    const damaged = Buffer.from(whole);
    damaged[bit >>> 3]! ^= 1 << (bit & 7);
    fs.writeFileSync(tailPath(folder, 0), damaged);
    const { batches, lastSeq: known } = tailAfter(folder, 0);
    const at = ends.findIndex((end) => bit >>> 3 < end);
    assert.equal(batches.at(-1)?.lastSeq ?? 0, before[at], `bit ${bit}`);
    // What lies behind it is known to be lost, unless nobody knows where that begins.
    const isLength = [4, 5, 6, 7].includes((bit >>> 3) - (ends[at - 1] ?? 0));
    if (!isLength) assert.equal(known, at < ends.length - 1 ? 4 : before[at], `bit ${bit}`);
    for (const { firstSeq, lastSeq, bytes } of batches) assert.deepEqual(bytes, records(firstSeq, lastSeq - firstSeq + 1));
  }
});

test('what a power cut took is told of, and what lay beyond it does not come back', (t) => {
  const folder = folderWith(t, 20);
  const tail = new Tail({ dataFolder: folder, isJournaled: () => false });
  turn(tail, 31, 5);
  turn(tail, 36, 2);
  assert.deepEqual(settleTail(folder, TIME), { taken: 0, lost: 17 });
  commit(folder, 10);
  assert.deepEqual(settleTail(folder, TIME), { taken: 0, lost: 0 });
  assert.equal(journalHead(folder)!.seq, 30);
});

test('what an earlier turn of the file left behind the last batch is not taken for its continuation', (t) => {
  const folder = folderWith(t, 0);
  const writer = openWriter(folder);
  const tail = new Tail({ dataFolder: folder, isJournaled: (seq) => writer.head.seq >= seq, fileBytes: 2_000 });
  let seq = 0;
  for (let i = 0; i < 200; i++) {
    turn(tail, seq + 1, 1 + i % 3);
    seq += 1 + i % 3;
    if (i < 190) appendFrames(writer, [seq - writer.head.seq]);
  }
  const journaled = writer.head.seq;
  writer.close();
  assert.equal(tailAfter(folder, journaled).lastSeq, seq);
  assert.equal(settleTail(folder, TIME).taken, seq - journaled);
  assert.equal(readAndCheck(folder).at(-1), seq);
});

test('a turn larger than a batch is several, and none is split', (t) => {
  const folder = folderWith(t, 0);
  const tail = new Tail({ dataFolder: folder, isJournaled: () => false });
  turn(tail, 1, 2_500);
  assert.equal(tailAfter(folder, 0).batches.length, 3);
  assert.deepEqual(settleTail(folder, TIME), { taken: 2_500, lost: 0 });
  assert.equal(readAndCheck(folder).at(-1), 2_500);
});

test('an operation on the files that fails is told to main, and what was flushed before it is found', (t) => {
  const seen = new Set<string>();
  for (let failing = 1, isWhole = false; !isWhole; failing++) {
    const folder = folderWith(t, 0);
    const { files, failedAt } = failingFiles(failing);
    let flushed = 0;
    try {
      const tail = new Tail({ dataFolder: folder, isJournaled: () => true, fileBytes: 1_000, files });
      for (let seq = 1; seq <= 12; seq++) {
        turn(tail, seq, 1);
        flushed = seq;
        commit(folder, 1);
      }
      isWhole = true;
    } catch (error) {
      assert.match(String(error), /injected/);
      seen.add(failedAt()!);
    }
    settleTail(folder, TIME);
    assert.ok((readAndCheck(folder).at(-1) ?? 0) >= flushed, `operation ${failing}`);
  }
  assert.deepEqual([...seen].sort(), ['open', 'write']);
});

test('a snapshot beyond the journal leaves the tail as it is: its hash is of a frame that only the journal had', (t) => {
  const folder = folderWith(t, 5);
  writeSnapshot(folder, {
    seq: 7, headHash: new Uint8Array(32), behaviour: 1, codec: 1, digest: [0, 0], meta: { time: TIME },
  }, []);
  const tail = new Tail({ dataFolder: folder, isJournaled: () => false });
  turn(tail, 6, 4);
  assert.throws(() => settleTail(folder, TIME), /journal ends at seq 5, .*stands at 7/);
  assert.equal(tailAfter(folder, 5).lastSeq, 9);
});
