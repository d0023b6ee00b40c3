// The venue's side of a copy while it runs. The history is copied to `backup/history.db` from one moment of it, a few pages at a time;
// the snapshots of that moment stay open, so that they can still be read once removed; the journal is read as it grows. One copy at a
// time, removed when it ends, when nobody has asked for an hour, and at a start. It runs in the history thread.

import Database from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { hashText } from '../journal/chain.ts';
import { digestsBetween } from '../journal/digests.ts';
import { freeBytes, LOW_DISK_BYTES } from '../journal/disk-space.ts';
import { makeFolder } from '../journal/files.ts';
import { readFrames, type Frame } from '../journal/read.ts';
import { listSegments, readMetaOf } from '../journal/segment.ts';
import { listSnapshots } from '../journal/snapshot-read.ts';
import { venueFileText } from '../journal/venue-identity.ts';
import { resumeText } from '../replication/resume-file.ts';
import { historyPath } from '../history/history-file.ts';
import type {
  BackupAnswer, BackupFilePage, BackupFrame, BackupJournalPage, BackupQuery, BackupRefusal, BackupStatus,
} from '../../ipc/backup.ts';

/** Bytes of a file or of frames in one answer; a larger frame comes alone. */
const PAGE_BYTES = 262_144;
const PAGES_A_TURN = 64;
const IDLE_MS = 3_600_000;
/** A digest is stored with a later frame than its own. */
const LATE_DIGESTS = 65_536;
const FOLDER = 'backup';
const HISTORY = 'history.db';

type Copy = {
  readonly id: string;
  readonly db: Database.Database;
  readonly files: Map<string, { readonly fd: number; readonly bytes: number }>;
  state: BackupStatus['state'];
  reason: string | null;
  copied: number;
  total: number;
};

export class BackupSource {
  readonly #dataFolder: string;
  readonly #venue: string;
  readonly #folder: string;
  readonly #freeBytes: typeof freeBytes;
  #copy: Copy | null = null;
  #idle: NodeJS.Timeout | null = null;

  constructor(dataFolder: string, venue: string, free: typeof freeBytes = freeBytes) {
    this.#dataFolder = dataFolder;
    this.#venue = venue;
    this.#folder = join(dataFolder, FOLDER);
    this.#freeBytes = free;
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  answer(query: BackupQuery): BackupAnswer {
    this.#idle?.refresh();
    try {
      if (query.name === 'backupFile') return this.#page(query.id, query.file, query.offset);
      if (query.name === 'backupJournal') return this.#frames(query.from);
      if (query.action !== undefined) this.end();
      if (query.action === 'begin') this.#begin();
      return this.#status();
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  end(): void {
    const copy = this.#copy;
    if (copy === null) return;
    this.#copy = null;
    clearTimeout(this.#idle!);
    copy.db.close();
    for (const { fd } of copy.files.values()) fs.closeSync(fd);
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #begin(): void {
    makeFolder(this.#folder);
    const db = new Database(historyPath(this.#dataFolder), { readonly: true, fileMustExist: true });
    const copy: Copy = {
      id: randomBytes(8).toString('hex'), db, files: new Map(), state: 'copying', reason: null, copied: 0, total: 0,
    };
    this.#copy = copy;
    this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
    // Before the history's moment: a start needs a snapshot that its history has reached.
    for (const { path } of listSnapshots(this.#dataFolder)) this.#open(copy, path);
    // One transaction is one moment; commits go on beside it.
    db.exec('BEGIN; SELECT applied_seq FROM meta');
    copy.total = (db.pragma('page_count', { simple: true }) as number) * (db.pragma('page_size', { simple: true }) as number);
    const path = join(this.#folder, HISTORY);
    this.#copyHistory(copy, path).then(() => {
      if (this.#copy !== copy) return;
      db.close();
      this.#open(copy, path);
      copy.state = 'ready';
    }).catch((error: unknown) => {
      copy.state = 'failed';
      copy.reason = error instanceof Error ? error.message : String(error);
      db.close();
      fs.rmSync(path, { force: true });
    });
  }

  async #copyHistory(copy: Copy, path: string): Promise<void> {
    this.#requireRoom(copy);
    await copy.db.backup(path, {
      progress: ({ totalPages, remainingPages }) => {
        copy.copied = Math.floor(copy.total * (totalPages - remainingPages) / totalPages);
        this.#requireRoom(copy);
        return PAGES_A_TURN;
      },
    });
    copy.copied = copy.total;
  }

  #requireRoom({ total, copied }: Copy): void {
    const free = this.#freeBytes(this.#dataFolder);
    const needed = total - copied + LOW_DISK_BYTES;
    if (free < needed) throw new Error(`the venue's disk has ${free} bytes free, a copy of the history needs ${needed}`);
  }

  #open(copy: Copy, path: string): void {
    const fd = fs.openSync(path, 'r');
    copy.files.set(basename(path), { fd, bytes: fs.fstatSync(fd).size });
  }

  #status(): BackupStatus {
    const copy = this.#copy;
    const files = copy?.state !== 'ready' ? [] : [...copy.files].map(([name, { bytes }]) => ({ name, bytes }));
    return {
      id: copy?.id ?? '', venue_id: this.#venue, state: copy?.state ?? 'none', reason: copy?.reason ?? null,
      copied_bytes: copy?.copied ?? 0, total_bytes: copy?.total ?? 0, files, venue_file: venueFileText(this.#dataFolder),
      log_file: resumeText(this.#dataFolder),
      first_seq: firstSeqOf(this.#dataFolder),
    };
  }

  #page(id: string, name: string, offset: number): BackupFilePage | BackupRefusal {
    const file = this.#copy?.id === id && this.#copy.state === 'ready' ? this.#copy.files.get(name) : undefined;
    if (file === undefined) return { error: `No file ${name} in copy ${id}: it has ended, or is not ready` };
    const bytes = Buffer.alloc(Math.min(PAGE_BYTES, Math.max(0, file.bytes - offset)));
    const length = fs.readSync(file.fd, bytes, 0, bytes.length, offset);
    return { offset, bytes: bytes.toString('base64', 0, length), size: file.bytes };
  }

  #frames(from: number): BackupJournalPage {
    const frames: Frame[] = [];
    let bytes = 0;
    for (const frame of readFrames(this.#dataFolder, from)) {
      if (frames.length > 0 && (bytes + frame.bytes.length > PAGE_BYTES || frame.segment !== frames[0]!.segment)) break;
      frames.push(frame);
      bytes += frame.bytes.length;
    }
    const [first] = frames;
    if (first === undefined) return { segment: null, frames: [], digests: [] };
    const { previousHash, firstSeq, ...meta } = readMetaOf(this.#dataFolder, first.segment);
    const digests = digestsBetween(this.#dataFolder, first.segment, from - LATE_DIGESTS, frames.at(-1)!.lastSeq);
    return {
      segment: { ...meta, first_seq: firstSeq, previous_hash: hashText(previousHash) }, frames: frames.map(frameBody), digests,
    };
  }
}

function frameBody({ firstSeq, lastSeq, hash, bytes }: Frame): BackupFrame {
  return {
    first_seq: firstSeq, last_seq: lastSeq, hash: hashText(hash),
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  };
}

function firstSeqOf(dataFolder: string): number {
  const segments = listSegments(dataFolder);
  const first = segments.findLast((number) => !segments.includes(number - 1));
  return first === undefined ? 1 : readMetaOf(dataFolder, first).firstSeq;
}
