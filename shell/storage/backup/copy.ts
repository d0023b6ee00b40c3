// The folder that a copy of a running venue goes to. `backup.json` names the copy until it is whole, so that the same
// command goes on with it; `venue.json`, without which no venue starts, is written last. Every frame must continue the
// hash chain of the one before.

import Database from 'better-sqlite3';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import type { BackupFilePage, BackupFrame, BackupJournalPage, BackupSegment } from '../../ipc/backup.ts';
import { appliedSeqOf, historyPath } from '../history/history-file.ts';
import { runCheckpoint } from '../journal/checkpoint.ts';
import { aligned, frameHash, genesisHash, hashText, recordFault, sameHash, type Head } from '../journal/chain.ts';
import { digestHash } from '../journal/digests.ts';
import { DISK, makeFolder, removeIfPossible, writeTextAtomically } from '../journal/files.ts';
import { writeHeadFile } from '../journal/head-file.ts';
import { journalHead } from '../journal/read.ts';
import {
  journalFolder, makeSegment, openForWriting, removeUnfinishedSegments, type SegmentDb, type SegmentMeta,
} from '../journal/segment.ts';
import { snapshotFolder } from '../journal/snapshot-format.ts';
import { readSnapshots } from '../journal/snapshot-read.ts';
import { copyResume } from '../replication/resume-file.ts';
import { readVenue, writeVenueFile } from '../journal/venue-identity.ts';

const STATE = 'backup.json';
const HISTORY = 'history.db';
const PART = '.part';
/** Of the copy's log, moved into the segment from here on. */
const WAL_BYTES = 67_108_864;

export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

type Segment = { readonly db: SegmentDb; readonly meta: SegmentMeta };
type Stored = { readonly venue_id: string; readonly id: string };

export class BackupCopy {
  readonly #folder: string;
  readonly #venue: string;
  #id: string;
  #head: Head;
  #segment: Segment | null = null;

  static open(folder: string, venue: string): BackupCopy {
    makeFolder(folder);
    const found = stateOf(folder);
    if (found === null && fs.readdirSync(folder).length > 0) throw new CopyRefused(`${folder} is not empty: give a new folder`);
    if (found !== null && found.venue_id !== venue) {
      throw new CopyRefused(`${folder} holds a part of venue ${found.venue_id}, this is venue ${venue}: give another folder`);
    }
    return new BackupCopy(folder, venue, found?.id ?? '');
  }

  private constructor(folder: string, venue: string, id: string) {
    this.#folder = folder;
    this.#venue = venue;
    this.#id = id;
    makeFolder(journalFolder(folder));
    makeFolder(snapshotFolder(folder));
    removeUnfinishedSegments(folder, DISK);
    this.#writeState();
    const found = journalHead(folder);
    this.#head = found ?? { seq: 0, hash: genesisHash(venue) };
    if (found !== null) this.#segment = { db: openForWriting(folder, found.meta.segment, 'normal'), meta: found.meta };
  }

  get id(): string {
    return this.#id;
  }

  get head(): Head {
    return this.#head;
  }

  /** Files of another moment do not belong to each other. */
  startFiles(id: string): void {
    if (id === this.#id) return;
    fs.rmSync(snapshotFolder(this.#folder), { recursive: true });
    makeFolder(snapshotFolder(this.#folder));
    for (const end of ['', PART]) removeIfPossible(DISK, this.#path(HISTORY) + end);
    this.#id = id;
    this.#writeState();
  }

  sizeOf(file: string): number {
    const path = this.#path(file);
    return (fs.statSync(path, { throwIfNoEntry: false }) ?? fs.statSync(path + PART, { throwIfNoEntry: false }))?.size ?? 0;
  }

  addBytes(file: string, { offset, bytes, size }: BackupFilePage): void {
    const part = this.#path(file) + PART;
    const fd = fs.openSync(part, offset === 0 ? 'w' : 'r+', 0o600);
    try {
      const data = Buffer.from(bytes, 'base64');
      for (let done = 0; done < data.length;) done += fs.writeSync(fd, data, done, data.length - done, offset + done);
      if (offset + data.length >= size) fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    if (this.sizeOf(file) >= size) fs.renameSync(part, this.#path(file));
  }

  addFrames({ segment, frames, digests }: BackupJournalPage): void {
    if (segment === null) return;
    const { db, meta } = this.#segmentFor(segment);
    const insert = db.prepare('INSERT INTO frames (first_seq, last_seq, codec, hash, bytes) VALUES (?, ?, ?, ?, ?)');
    const insertDigest = db.prepare('INSERT OR IGNORE INTO digests (seq, low, high, hash) VALUES (?, ?, ?, ?)');
    let head = this.#head;
    db.transaction(() => {
      for (const frame of frames) {
        const bytes = bytesOf(frame);
        head = this.#next(head, frame, bytes);
        insert.run(frame.first_seq, frame.last_seq, meta.codec, head.hash, bytes);
      }
      for (const digest of digests) insertDigest.run(digest.seq, digest.low, digest.high, digestHash(digest));
    })();
    this.#head = head;
    if (fs.statSync(`${db.name}-wal`).size > WAL_BYTES) runCheckpoint(db, 'PASSIVE');
  }

  /** Checks the copy as a whole; from now on it starts as a venue. */
  finish(venueFile: string, logFile: string | null): void {
    this.close();
    for (const { path } of readSnapshots(this.#folder, (damage) => { throw new CopyRefused(damage.message); })) void path;
    this.#checkHistory();
    journalHead(this.#folder, [{ name: 'the copy', seq: this.#head.seq, hash: this.#head.hash }]);
    if (logFile !== null) copyResume(this.#folder, logFile, this.#head.seq);
    writeVenueFile(this.#folder, venueFile);
    removeIfPossible(DISK, this.#path(STATE));
  }

  close(): void {
    if (this.#segment === null) return;
    const { db, meta } = this.#segment;
    this.#segment = null;
    db.pragma('synchronous=FULL');
    runCheckpoint(db, 'TRUNCATE');
    db.close();
    writeHeadFile(this.#folder, meta.segment, this.#head, DISK);
  }

  #segmentFor(given: BackupSegment): Segment {
    const current = this.#segment;
    if (current?.meta.segment === given.segment) return current;
    const meta = {
      segment: given.segment, behaviour: given.behaviour, codec: given.codec, firstSeq: given.first_seq,
      previousHash: Buffer.from(given.previous_hash, 'hex'), venue: given.venue, created: given.created,
    };
    if (meta.venue !== this.#venue) throw new CopyRefused(`segment ${meta.segment} is of venue ${meta.venue}`);
    // A venue whose old segments were moved away begins later.
    const continues = current === null && this.#head.seq === 0 ? meta.segment > 1 || sameHash(meta.previousHash, this.#head.hash)
      : meta.firstSeq === this.#head.seq + 1 && sameHash(meta.previousHash, this.#head.hash);
    if (!continues) throw new CopyRefused(`segment ${meta.segment} does not continue the chain at seq ${this.#head.seq}`);
    this.close();
    makeSegment(this.#folder, meta, DISK);
    this.#head = { seq: meta.firstSeq - 1, hash: meta.previousHash };
    this.#segment = { db: openForWriting(this.#folder, meta.segment, 'normal'), meta };
    return this.#segment;
  }

  #next(head: Head, { first_seq: first, last_seq: last, hash }: BackupFrame, bytes: Uint8Array): Head {
    const expected = frameHash(head.hash, first, last, bytes);
    if (first !== head.seq + 1 || hashText(expected) !== hash) {
      throw new CopyRefused(`the frame at seq ${first} does not continue the copy, which ends at seq ${head.seq}`);
    }
    const fault = recordFault(bytes, first, last);
    if (fault !== null) throw new CopyRefused(`seq ${fault.seq}: ${fault.reason}`);
    return { seq: last, hash: expected };
  }

  #checkHistory(): void {
    const db = new Database(historyPath(this.#folder), { fileMustExist: true });
    try {
      const found = db.pragma('integrity_check(1)', { simple: true });
      if (found !== 'ok') throw new CopyRefused(`${HISTORY}: ${String(found)}`);
      // One file until the venue opens it, which turns its log on again.
      db.pragma('journal_mode=delete');
    } finally {
      db.close();
    }
    const applied = appliedSeqOf(this.#folder, this.#venue);
    const { seq } = this.#head;
    if (applied !== null && applied > seq) throw new CopyRefused(`${HISTORY} is at seq ${applied}, the journal at ${seq}`);
  }

  #path(file: string): string {
    const name = basename(file);
    return name.startsWith('snapshot-') ? join(snapshotFolder(this.#folder), name) : join(this.#folder, name);
  }

  #writeState(): void {
    const stored: Stored = { venue_id: this.#venue, id: this.#id };
    writeTextAtomically(DISK, this.#path(STATE), `${JSON.stringify(stored)}\n`);
  }
}

function stateOf(folder: string): Stored | null {
  if (readVenue(folder) !== null) throw new CopyRefused(`${folder} holds a venue: give a new folder`);
  const path = join(folder, STATE);
  return fs.existsSync(path) ? JSON.parse(fs.readFileSync(path, 'utf8')) as Stored : null;
}

function bytesOf({ bytes }: BackupFrame): Uint8Array {
  return aligned(new Uint8Array(Buffer.from(bytes, 'base64')));
}
