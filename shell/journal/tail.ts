// The tail: what main has sequenced and the journal has not committed yet, in two plain files. With durability normal a kill of the
// process may lose nothing, and for that a write to the kernel's memory is enough: main keeps the records of a turn here by one write,
// answers, and the journal commits them a little later (docs/decisions/0042). The next start takes what the journal lacks from here.
//
// A file is a row of batches: crc32 (u32) of what follows, length of the records in bytes (u32), the records as they stand in the log.
// It is written from its beginning, in place, as soon as the journal has all that it holds; what an earlier turn left behind the last
// batch has lower seqs, so it is never taken for a continuation. Never: syncs while the venue runs, writes over a record that the
// journal does not have.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HEADER_BYTES, recordSeq, viewsOf, type Views } from '../../core/codec/record.ts';
import { aligned, recordFault } from './chain.ts';
import { onFile } from './errors.ts';
import { DISK, removeQuietly, syncFolder, writeAll, type Files } from './files.ts';
import { journalHead } from './read.ts';
import { journalFolder } from './segment.ts';
import { settleJournal } from './settle.ts';
import { snapshotHeads } from './snapshot-read.ts';
import { JournalWriter } from './writer.ts';

const NAMES = ['tail-0', 'tail-1'] as const;
/** Bytes of a file from which the other one is begun anew, once the journal has what is in that. */
const FILE_BYTES = 4_194_304;
/** Bytes of one batch; a turn that brings more writes several. */
const BATCH_BYTES = 262_144;
const HEAD_BYTES = 8;
const MODE = 0o644;

type TailOptions = {
  readonly dataFolder: string;
  /** Whether the journal has committed this seq. */
  readonly isJournaled: (seq: number) => boolean;
  readonly fileBytes?: number;
  readonly files?: Files;
};

function tailPaths(dataFolder: string): string[] {
  return NAMES.map((name) => join(journalFolder(dataFolder), name));
}

/** Main's end, while the venue runs. */
export class Tail {
  readonly #paths: readonly string[];
  readonly #isJournaled: (seq: number) => boolean;
  readonly #fileBytes: number;
  readonly #files: Files;
  readonly #batch = viewsOf(new ArrayBuffer(BATCH_BYTES));
  /** Bytes of the batch that gathers, its head included. */
  #end = HEAD_BYTES;
  #at = 0;
  #fd: number;
  #bytes = 0;
  /** The last seq in the batch that gathers, of the last one written, and of the file that is not written now; null of an empty one. */
  #lastSeq = 0;
  #writtenSeq = 0;
  #otherSeq: number | null = null;

  /** Begins both files anew: `settleTail` has taken what was in them. */
  constructor({ dataFolder, isJournaled, fileBytes = FILE_BYTES, files = DISK }: TailOptions) {
    this.#paths = tailPaths(dataFolder);
    this.#isJournaled = isJournaled;
    this.#fileBytes = fileBytes;
    this.#files = files;
    files.close(files.open(this.#paths[1]!, 'w', MODE));
    this.#fd = files.open(this.#paths[0]!, 'w', MODE);
  }

  /** Takes the record at `at` of the log into the batch of this turn. */
  add({ u32 }: Views, at: number, seq: number): void {
    const bytes = u32[at >>> 2]!;
    if (this.#end + bytes > BATCH_BYTES) this.flush();
    const from = at >>> 2;
    const to = this.#end >>> 2;
    const words = bytes >>> 2;
    for (let word = 0; word < words; word++) this.#batch.u32[to + word] = u32[from + word]!;
    this.#end += bytes;
    this.#lastSeq = seq;
  }

  /** When it returns, a kill of the process takes nothing of what was added. Throws where the disk does not take it. */
  flush(): void {
    if (this.#end === HEAD_BYTES) return;
    if (this.#bytes >= this.#fileBytes && (this.#otherSeq === null || this.#isJournaled(this.#otherSeq))) this.#turn();
    const { u8, u32 } = this.#batch;
    u32[1] = this.#end - HEAD_BYTES;
    u32[0] = crc32(u8.subarray(4, this.#end));
    writeAll(this.#files, this.#fd, u8, 0, this.#end);
    this.#bytes += this.#end;
    this.#end = HEAD_BYTES;
    this.#writtenSeq = this.#lastSeq;
  }

  /** The journal has everything: nothing is left to take. */
  remove(): void {
    this.#files.close(this.#fd);
    for (const path of this.#paths) removeQuietly(this.#files, path);
  }

  /** Goes on at the beginning of the other file. */
  #turn(): void {
    this.#files.close(this.#fd);
    this.#at = 1 - this.#at;
    this.#fd = this.#files.open(this.#paths[this.#at]!, 'r+', MODE);
    this.#otherSeq = this.#writtenSeq;
    this.#bytes = 0;
  }
}

type Batch = { readonly firstSeq: number; readonly lastSeq: number; readonly bytes: Uint8Array };

/** What the tail holds beyond seq `after`: records that follow it without a gap, and the last seq of all that it holds. */
type Rest = { readonly batches: readonly Batch[]; readonly lastSeq: number };

/** Reads what a run that ended without a stop has left. Never throws for what is cut or damaged: it ends there, as a WAL does. */
export function tailAfter(dataFolder: string, after: number): Rest {
  const found = tailPaths(dataFolder).flatMap(batchesOf).sort((a, b) => a.firstSeq - b.firstSeq);
  const batches: Batch[] = [];
  let next = after + 1;
  let lastSeq = after;
  for (const batch of found) {
    lastSeq = Math.max(lastSeq, batch.lastSeq);
    if (batch.lastSeq < next || batch.firstSeq > next) continue;
    batches.push(cutBefore(batch, next));
    next = batch.lastSeq + 1;
  }
  return { batches, lastSeq };
}

/**
 * Gives the journal what it lacks, synced, and leaves no tail: at a start, before anybody asks where the journal ends. Answers how many
 * commands it took, and how many more are known of that a gap parts from them: a power cut has taken those between.
 */
export function settleTail(dataFolder: string, time: number): { readonly taken: number; readonly lost: number } {
  if (!tailPaths(dataFolder).some((path) => fs.existsSync(path))) return { taken: 0, lost: 0 };
  // A snapshot names the hash of a frame, which would end elsewhere if its commands were taken from here: then nothing is touched.
  const head = journalHead(dataFolder, snapshotHeads(dataFolder));
  if (head === null) return { taken: 0, lost: 0 };
  const { batches, lastSeq } = tailAfter(dataFolder, head.seq);
  const end = batches.at(-1)?.lastSeq ?? head.seq;
  if (batches.length > 0) {
    settleJournal(dataFolder, head);
    const { venue, behaviour, codec } = head.meta;
    const writer = JournalWriter.open({ dataFolder, venue, behaviour, codec, durability: 'full', time });
    try {
      for (const batch of batches) writer.append(batch.bytes, batch.firstSeq, batch.lastSeq);
    } finally {
      writer.close();
    }
  }
  for (const path of tailPaths(dataFolder)) removeQuietly(DISK, path);
  // What lies beyond a gap must not come back when the journal has got there by other commands.
  syncFolder(DISK, journalFolder(dataFolder));
  return { taken: end - head.seq, lost: lastSeq - end };
}

/**
 * Whole batches from the beginning of a file on, as long as each follows the one before. One that is not whole is stepped over where its
 * length may be right: what lies behind it with a higher seq was written behind it, and is known to be lost.
 */
function batchesOf(path: string): Batch[] {
  if (!fs.existsSync(path)) return [];
  const file = onFile(path, () => fs.readFileSync(path));
  const batches: Batch[] = [];
  let isGap = false;
  for (let at = 0; at + HEAD_BYTES + HEADER_BYTES <= file.length;) {
    const end = at + HEAD_BYTES + file.readUInt32LE(at + 4);
    if (end > file.length || end < at + HEAD_BYTES + HEADER_BYTES) break;
    const isWhole = crc32(file.subarray(at + 4, end)) === file.readUInt32LE(at);
    const batch = isWhole ? batchOf(new Uint8Array(file.subarray(at + HEAD_BYTES, end))) : null;
    if (batch === null) {
      isGap = true;
    } else {
      const before = batches.at(-1);
      if (before !== undefined && (isGap ? batch.firstSeq <= before.lastSeq : batch.firstSeq !== before.lastSeq + 1)) break;
      batches.push(batch);
    }
    at = end;
  }
  return batches;
}

function batchOf(bytes: Uint8Array): Batch | null {
  const views = viewsOf(bytes.buffer, 0, bytes.length);
  if (bytes.length < HEADER_BYTES || bytes.length % 8 !== 0) return null;
  const firstSeq = recordSeq(views, 0);
  let lastSeq = firstSeq - 1;
  for (let at = 0; at < bytes.length; at += Math.max(HEADER_BYTES, views.u32[at >>> 2]!)) lastSeq++;
  return recordFault(bytes, firstSeq, lastSeq) === null ? { firstSeq, lastSeq, bytes } : null;
}

/** The journal has committed a part of the batch. */
function cutBefore({ firstSeq, lastSeq, bytes }: Batch, seq: number): Batch {
  const views = viewsOf(bytes.buffer, 0, bytes.length);
  let at = 0;
  for (let one = firstSeq; one < seq; one++) at += views.u32[at >>> 2]!;
  return { firstSeq: Math.max(firstSeq, seq), lastSeq, bytes: aligned(bytes.subarray(at)) };
}
