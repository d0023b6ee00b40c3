// The journal writer: one append is one frame and one committed transaction. It owns the newest segment, runs checkpoints, and starts a
// segment at a size limit or when BEHAVIOUR or CODEC changes. After any failure it refuses all calls: only the next start can find out
// what is on disk.

import * as fs from 'node:fs';
import { recordTime, viewsOf } from '../../../core/codec/record.ts';
import { writeHeadFile, type KnownHead } from './head-file.ts';
import { runCheckpoint, WAL_PAGE_BYTES } from './checkpoint.ts';
import { aligned, frameHash, genesisHash, recordFault, type Head } from './chain.ts';
import { digestHash, type Digest } from './digests.ts';
import { JournalDamage, JournalRefusal } from './journal-errors.ts';
import { DISK, makeFolder, type Files } from './files.ts';
import { WatchedDatabase, type WatchedFile } from './watched-file.ts';
import { journalHead } from './read.ts';
import {
  PAGE_BYTES, journalFolder, listSegments, makeSegment, openForWriting, removeUnfinishedSegments, segmentPath, type SegmentDb,
  type Durability,
  type SegmentMeta,
} from './segment.ts';

const SEGMENT_BYTES = 1_073_741_824;
/** A larger WAL only means a longer stall. */
const WAL_BYTES = 4_194_304;
/** Below it, an idle checkpoint is not worth its two fsyncs. */
const IDLE_WAL_BYTES = 1_048_576;
const FRAME_BYTES = 16_777_216;

export type CommitHooks = { readonly beforeCommit?: (lastSeq: number) => void; readonly afterCommit?: (lastSeq: number) => void };

export type WriterOptions = {
  readonly dataFolder: string;
  readonly venue: string;
  readonly behaviour: number;
  readonly codec: number;
  readonly durability: Durability;
  readonly time: number;
  /** Opening refuses a journal that ends before any of these. */
  readonly known?: readonly KnownHead[];
  readonly segmentBytes?: number;
  readonly walBytes?: number;
  readonly files?: Files;
  readonly hooks?: CommitHooks;
  readonly saveHead?: (segment: number, head: Head) => void;
};

type Run = (...row: unknown[]) => unknown;
type Statements = { readonly begin: Run; readonly commit: Run; readonly rollback: Run; readonly frame: Run; readonly digest: Run };

export class JournalWriter {
  readonly #options: WriterOptions;
  readonly #files: Files;
  readonly #walLimit: number;
  #meta: SegmentMeta;
  #db: SegmentDb;
  #watched: WatchedDatabase;
  #statements: Statements;
  #head: Head;
  #segmentBytes = 0;
  #walBytes = 0;
  #checkpointAt: number;
  /** A reader kept their WAL from being emptied; retried at every checkpoint. */
  #finished: SegmentDb[] = [];
  #failure: Error | null = null;

  static open(options: WriterOptions): JournalWriter {
    if (!/^[0-9a-f]{16}$/.test(options.venue)) throw new RangeError(`venue id ${options.venue} is not 16 hex digits`);
    const files = options.files ?? DISK;
    makeFolder(journalFolder(options.dataFolder));
    removeUnfinishedSegments(options.dataFolder, files);
    const { dataFolder, venue, behaviour, codec, time } = options;
    let found = journalHead(dataFolder, options.known);
    if (found !== null && found.meta.venue !== venue) {
      throw new JournalRefusal('other_venue', `the journal is of venue ${found.meta.venue}, this folder of ${venue}`);
    }
    if (found === null || found.meta.behaviour !== behaviour || found.meta.codec !== codec) {
      const head = found ?? { seq: 0, hash: genesisHash(venue) };
      const segment = found === null ? 1 : found.meta.segment + 1;
      // The old segment's end must be on disk before the new segment names it.
      if (found !== null) emptyWal(dataFolder, found.meta.segment, options.durability);
      const meta = { segment, behaviour, codec, firstSeq: head.seq + 1, previousHash: head.hash, venue, created: time };
      makeSegment(dataFolder, meta, files);
      writeHeadFile(dataFolder, segment, head, files);
      found = { seq: head.seq, hash: head.hash, meta };
    }
    return new JournalWriter(options, files, found.meta, found);
  }

  private constructor(options: WriterOptions, files: Files, meta: SegmentMeta, head: Head) {
    this.#options = options;
    this.#files = files;
    this.#walLimit = options.walBytes ?? WAL_BYTES;
    this.#checkpointAt = this.#walLimit;
    this.#meta = meta;
    this.#head = { seq: head.seq, hash: head.hash };
    const path = segmentPath(options.dataFolder, meta.segment);
    this.#walBytes = fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    this.#segmentBytes = fs.statSync(path).size + this.#walBytes;
    this.#db = openForWriting(options.dataFolder, meta.segment, options.durability);
    this.#watched = new WatchedDatabase(path);
    this.#statements = statementsOf(this.#db);
    this.#adoptFinished();
  }

  get head(): Head {
    return this.#head;
  }

  get segment(): SegmentMeta {
    return this.#meta;
  }

  get walBytes(): number {
    return this.#walBytes;
  }

  append(bytes: Uint8Array, firstSeq: number, lastSeq: number, digests: readonly Digest[] = []): Uint8Array {
    return this.#guarded(() => {
      const frame = aligned(bytes);
      this.#check(frame, firstSeq, lastSeq, digests);
      if (this.#head.seq >= this.#meta.firstSeq && this.#segmentBytes + frame.length > (this.#options.segmentBytes ?? SEGMENT_BYTES)) {
        this.#startSegment(recordTime(viewsOf(frame.buffer, frame.byteOffset, frame.length), 0));
      }
      const hash = frameHash(this.#head.hash, firstSeq, lastSeq, frame);
      this.#commit(frame, firstSeq, lastSeq, hash, digests);
      this.#requireUnchanged(this.#watched.changedFile());
      this.#head = { seq: lastSeq, hash };
      const stored = (Math.ceil(frame.length / (PAGE_BYTES - 4)) + 2 + digests.length) * WAL_PAGE_BYTES;
      this.#segmentBytes += frame.length + 128;
      this.#walBytes += stored;
      if (this.#walBytes >= this.#checkpointAt) this.#checkpoint('PASSIVE');
      return hash;
    });
  }

  checkFiles(): void {
    this.#guarded(() => this.#requireUnchanged(this.#watched.checkFiles()));
  }

  checkpointIfIdle(): void {
    this.#guarded(() => {
      if (this.#walBytes >= Math.min(IDLE_WAL_BYTES, this.#walLimit)) this.#checkpoint('PASSIVE');
    });
  }

  close(): void {
    try {
      if (this.#failure === null) {
        this.#guarded(() => {
          this.#requireUnchanged(this.#watched.checkFiles());
          this.#checkpoint('TRUNCATE');
        });
      }
    } finally {
      this.#failure ??= new Error('closed');
      for (const db of [this.#db, ...this.#finished]) db.close();
    }
  }

  #guarded<T>(work: () => T): T {
    if (this.#failure !== null) throw new JournalRefusal('writer_failed', `the journal writer is out of use: ${this.#failure.message}`);
    try {
      return work();
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  /** Commits to a moved file are lost with the process, so acknowledged ones move into an intact main file first. */
  #requireUnchanged(changed: WatchedFile | null): void {
    if (changed === null) return;
    const fault = changed.fault();
    try {
      if (this.#watched.file.fault() === null) runCheckpoint(this.#db, 'PASSIVE');
    } catch {
    }
    throw new JournalRefusal('file_changed', `${changed.path} ${fault} while the venue wrote it: nothing more is acknowledged. `
      + 'Restore the data folder, or a backup of it, and start again');
  }

  #check(frame: Uint8Array, firstSeq: number, lastSeq: number, digests: readonly Digest[]): void {
    if (firstSeq !== this.#head.seq + 1) throw new RangeError(`frame starts at seq ${firstSeq}, the journal ends at ${this.#head.seq}`);
    if (!Number.isSafeInteger(lastSeq) || lastSeq < firstSeq) throw new RangeError(`frame ends at seq ${lastSeq}`);
    if (frame.length > FRAME_BYTES) throw new RangeError(`frame of ${frame.length} bytes, at most ${FRAME_BYTES}`);
    const fault = recordFault(frame, firstSeq, lastSeq);
    if (fault !== null) throw new JournalDamage(this.#meta.segment, firstSeq, fault.seq, `not written: ${fault.reason}`);
    for (const { seq } of digests) {
      if (!(seq <= lastSeq)) throw new RangeError(`digest of seq ${seq} in a frame that ends at ${lastSeq}`);
    }
  }

  #commit(frame: Uint8Array, firstSeq: number, lastSeq: number, hash: Uint8Array, digests: readonly Digest[]): void {
    const { beforeCommit, afterCommit } = this.#options.hooks ?? {};
    const insert = (): unknown => this.#statements.frame(firstSeq, lastSeq, this.#meta.codec, hash, frame);
    if (digests.length > 0) this.#commitWith(digests, insert, () => beforeCommit?.(lastSeq));
    else {
      // One statement without BEGIN is its own transaction.
      beforeCommit?.(lastSeq);
      insert();
    }
    afterCommit?.(lastSeq);
  }

  #commitWith(digests: readonly Digest[], insert: () => void, beforeCommit: () => void): void {
    const { begin, commit, rollback, digest: insertDigest } = this.#statements;
    begin();
    try {
      insert();
      for (const digest of digests) insertDigest(digest.seq, digest.low, digest.high, digestHash(digest));
      beforeCommit();
      commit();
    } catch (error) {
      if (this.#db.inTransaction) rollback();
      throw error;
    }
  }

  /** Emptying the old WAL may have to wait for readers. */
  #startSegment(time: number): void {
    const { dataFolder, durability, venue, behaviour, codec } = this.#options;
    const { seq, hash } = this.#head;
    // Without `full`, the new segment must not outlive the old WAL.
    if (!this.#checkpoint('TRUNCATE') && durability !== 'full') return;
    const meta = { segment: this.#meta.segment + 1, behaviour, codec, firstSeq: seq + 1, previousHash: hash, venue, created: time };
    makeSegment(dataFolder, meta, this.#files);
    this.#finished.push(this.#db);
    this.#db = openForWriting(dataFolder, meta.segment, durability);
    this.#watched = new WatchedDatabase(segmentPath(dataFolder, meta.segment));
    this.#statements = statementsOf(this.#db);
    this.#meta = meta;
    this.#saveHead();
    this.#segmentBytes = 0;
    this.#walBytes = 0;
    this.#checkpointAt = this.#walLimit;
    this.#closeFinished();
  }

  #checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    this.#closeFinished();
    const { complete, walBytes } = runCheckpoint(this.#db, mode);
    this.#walBytes = complete ? 0 : walBytes;
    this.#checkpointAt = complete ? this.#walLimit : walBytes + this.#walLimit / 4;
    if (mode === 'TRUNCATE') this.#watched.allowShrink();
    if (complete) this.#saveHead();
    return complete;
  }

  #saveHead(): void {
    const { dataFolder, saveHead } = this.#options;
    if (saveHead !== undefined) saveHead(this.#meta.segment, this.#head);
    else writeHeadFile(dataFolder, this.#meta.segment, this.#head, this.#files);
  }

  #closeFinished(): void {
    this.#finished = this.#finished.filter((db) => {
      if (!runCheckpoint(db, 'TRUNCATE').complete) return true;
      db.close();
      return false;
    });
  }

  #adoptFinished(): void {
    const { dataFolder, durability } = this.#options;
    for (const segment of listSegments(dataFolder)) {
      if (segment >= this.#meta.segment) continue;
      const wal = fs.statSync(`${segmentPath(dataFolder, segment)}-wal`, { throwIfNoEntry: false });
      if (wal !== undefined && wal.size > 0) this.#finished.push(openForWriting(dataFolder, segment, durability));
    }
    this.#closeFinished();
  }
}

function emptyWal(dataFolder: string, segment: number, durability: Durability): void {
  const db = openForWriting(dataFolder, segment, durability);
  try {
    runCheckpoint(db, 'TRUNCATE');
  } finally {
    db.close();
  }
}

function statementsOf(db: SegmentDb): Statements {
  const runOf = (text: string): Run => {
    const statement = db.prepare(text);
    return (...row) => statement.run(...row);
  };
  return {
    begin: runOf('BEGIN IMMEDIATE'),
    commit: runOf('COMMIT'),
    rollback: runOf('ROLLBACK'),
    frame: runOf('INSERT INTO frames (first_seq, last_seq, codec, hash, bytes) VALUES (?, ?, ?, ?, ?)'),
    digest: runOf('INSERT INTO digests (seq, low, high, hash) VALUES (?, ?, ?, ?)'),
  };
}
