// What the journal's tests share: records whose every byte follows from their seq, a seeded generator, and file operations of which the
// n-th fails.

import assert from 'node:assert/strict';
import { stampRecord, viewsOf, writeHeader } from '../../../../core/codec/record.ts';
import { JournalDamage, JournalRefusal } from '../../../../shell/storage/journal/journal-errors.ts';
import { DISK, type Files } from '../../../../shell/storage/journal/files.ts';
import { readFrames } from '../../../../shell/storage/journal/read.ts';
import { JournalWriter, type WriterOptions } from '../../../../shell/storage/journal/writer.ts';
import { BEHAVIOUR, CODEC } from '../../../../core/version.ts';

export const VENUE = '00c0ffee00c0ffee';
export const TIME = 1_700_000_000_000;

export function openWriter(dataFolder: string, options: Partial<WriterOptions> = {}): JournalWriter {
  return JournalWriter.open({ dataFolder, venue: VENUE, behaviour: BEHAVIOUR, codec: CODEC, durability: 'full', time: TIME, ...options });
}

/** Records first .. first + count - 1, 48 to 544 bytes each; length and content follow from the seq alone. */
export function records(first: number, count: number): Uint8Array {
  const lengths = Array.from({ length: count }, (_, i) => 48 + 8 * (((first + i) * 31) % 63));
  const views = viewsOf(new ArrayBuffer(lengths.reduce((sum, length) => sum + length, 0)));
  let at = 0;
  lengths.forEach((length, i) => {
    const seq = first + i;
    writeHeader(views, at, length, 7, 2, seq >>> 0);
    stampRecord(views, at, seq, TIME + seq);
    for (let byte = 40; byte < length; byte++) views.u8[at + byte] = (seq * 17 + byte) & 0xff;
    at += length;
  });
  return views.u8;
}

/** Appends frames with the given numbers of records, continuing the journal. */
export function appendFrames(writer: JournalWriter, counts: readonly number[]): void {
  for (const count of counts) {
    const first = writer.head.seq + 1;
    writer.append(records(first, count), first, first + count - 1);
  }
}

/** Reads the whole journal, checks every byte against `records`, and returns the last seq of each frame. */
export function readAndCheck(dataFolder: string, fromSeq = 1): number[] {
  const ends: number[] = [];
  for (const frame of readFrames(dataFolder, fromSeq)) {
    const expected = records(frame.firstSeq, frame.lastSeq - frame.firstSeq + 1);
    assert.ok(Buffer.compare(frame.bytes, expected) === 0, `frame ${frame.firstSeq} as written`);
    ends.push(frame.lastSeq);
  }
  return ends;
}

export function isNamedRefusal(error: unknown): boolean {
  return error instanceof JournalDamage || error instanceof JournalRefusal;
}

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The disk, of which operation number `failing` (counted over all kinds but close) throws; a write stores half first. */
export function failingFiles(failing: number): { files: Files; count: () => number; failedAt: () => string | null } {
  let count = 0;
  let failedAt: string | null = null;
  const step = (kind: string, before: () => void = () => undefined): void => {
    count++;
    if (count !== failing) return;
    failedAt = kind;
    before();
    throw new Error(`injected: ${kind} fails`);
  };
  const files: Files = {
    open: (path, flags, mode) => { step('open'); return DISK.open(path, flags, mode); },
    write: (fd, bytes, offset, length) => {
      step('write', () => DISK.write(fd, bytes, offset, length >>> 1));
      return DISK.write(fd, bytes, offset, length);
    },
    fsync: (fd) => { step('fsync'); DISK.fsync(fd); },
    close: (fd) => DISK.close(fd),
    rename: (from, to) => { step('rename'); DISK.rename(from, to); },
    unlink: (path) => { step('unlink'); DISK.unlink(path); },
  };
  return { files, count: () => count, failedAt: () => failedAt };
}
