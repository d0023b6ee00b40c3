// One segment: an SQLite file with a meta row, the frames and the output digests. It is made under a temporary name and
// renamed, so a segment without a meta row is damaged. Open and close segments only through SQLite: closing any other
// descriptor drops the process's POSIX locks.

import Database from 'better-sqlite3';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { HASH_BYTES, genesisHash, sameHash, type Head } from './chain.ts';
import { JournalDamage, JournalRefusal, withDamageErrors, segmentName } from './journal-errors.ts';
import { removeIfPossible, syncFolder, type Files } from './files.ts';

export type SegmentDb = Database.Database;
/** `full`: a commit is on disk when it returns. `normal`: a power cut may lose the last commits, never the chain. */
export type Durability = 'full' | 'normal';

export type SegmentMeta = {
  readonly segment: number;
  readonly behaviour: number;
  readonly codec: number;
  readonly firstSeq: number;
  readonly previousHash: Uint8Array;
  readonly venue: string;
  /** Ms. */
  readonly created: number;
};

/** One small frame writes one or two pages. */
export const PAGE_BYTES = 4096;
const OPEN_WAIT = 5_000;
const TEMPORARY = '.new';

const SCHEMA = `
  CREATE TABLE meta (segment INTEGER PRIMARY KEY, behaviour INTEGER NOT NULL, codec INTEGER NOT NULL, first_seq INTEGER NOT NULL,
    previous_hash BLOB NOT NULL, venue TEXT NOT NULL, created INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
  CREATE TABLE frames (first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, codec INTEGER NOT NULL, hash BLOB NOT NULL,
    bytes BLOB NOT NULL) STRICT;
  CREATE TABLE digests (seq INTEGER PRIMARY KEY, low INTEGER NOT NULL, high INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
`;

export function journalFolder(dataFolder: string): string {
  return join(dataFolder, 'journal');
}

export function segmentPath(dataFolder: string, segment: number): string {
  return join(journalFolder(dataFolder), segmentName(segment));
}

export function listSegments(dataFolder: string): number[] {
  const folder = journalFolder(dataFolder);
  if (!fs.existsSync(folder)) return [];
  const numbers: number[] = [];
  for (const name of fs.readdirSync(folder)) {
    const match = /^segment-(\d{6,})\.db$/.exec(name);
    if (match !== null) numbers.push(Number(match[1]));
  }
  return numbers.sort((a, b) => a - b);
}

export function makeSegment(dataFolder: string, meta: SegmentMeta, files: Files): void {
  const path = segmentPath(dataFolder, meta.segment);
  for (const end of ['', '-journal', '-wal', '-shm']) removeIfPossible(files, `${path}${TEMPORARY}${end}`);
  const db = new Database(path + TEMPORARY, { timeout: OPEN_WAIT });
  try {
    db.pragma(`page_size=${PAGE_BYTES}`);
    db.pragma('synchronous=FULL');
    db.transaction(() => {
      db.exec(SCHEMA);
      const insert = db.prepare('INSERT INTO meta VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
      insert.run(meta.segment, meta.behaviour, meta.codec, meta.firstSeq, meta.previousHash, meta.venue, meta.created, metaHash(meta));
    })();
    // Set before the file is visible: an interrupted switch to WAL needs a rollback, which a reader cannot do.
    setPragma(db, meta.segment, 'journal_mode', 'wal', 'wal');
  } finally {
    db.close();
  }
  files.rename(path + TEMPORARY, path);
  syncFolder(files, journalFolder(dataFolder));
}

export function removeUnfinishedSegments(dataFolder: string, files: Files): void {
  const folder = journalFolder(dataFolder);
  for (const name of fs.readdirSync(folder)) {
    if (name.includes(`.db${TEMPORARY}`)) removeIfPossible(files, join(folder, name));
  }
}

export function openForReading(dataFolder: string, segment: number): SegmentDb {
  const path = segmentPath(dataFolder, segment);
  return withDamageErrors(segment, 0, () => new Database(path, { readonly: true, fileMustExist: true, timeout: OPEN_WAIT }));
}

export function openForWriting(dataFolder: string, segment: number, durability: Durability): SegmentDb {
  const path = segmentPath(dataFolder, segment);
  const db = withDamageErrors(segment, 0, () => new Database(path, { fileMustExist: true, timeout: OPEN_WAIT }));
  try {
    setPragma(db, segment, 'journal_mode', 'wal', 'wal');
    setPragma(db, segment, 'synchronous', durability === 'full' ? 'FULL' : 'NORMAL', durability === 'full' ? 2 : 1);
    // macOS: fsync alone may leave data in the drive's cache.
    setPragma(db, segment, 'fullfsync', '1', 1);
    setPragma(db, segment, 'wal_autocheckpoint', '0', 0);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function setPragma(db: SegmentDb, segment: number, name: string, value: string, expected: string | number): void {
  const found = withDamageErrors(segment, 0, () => {
    db.pragma(`${name}=${value}`);
    return db.pragma(name, { simple: true });
  });
  if (found !== expected) throw new JournalRefusal('pragma', `segment ${segment}: ${name} is ${String(found)}, not ${expected}`);
}

export function readMeta(db: SegmentDb, segment: number): SegmentMeta {
  const row = withDamageErrors(segment, 0, () => db.prepare('SELECT * FROM meta').raw().get()) as unknown[] | undefined;
  if (row === undefined) throw new JournalDamage(segment, 0, 0, 'no meta row');
  const [number, behaviour, codec, firstSeq, previousHash, venue, created, hash] = row;
  const whole = [number, behaviour, codec, firstSeq, created].every((value) => Number.isSafeInteger(value) && (value as number) >= 0);
  if (!whole || typeof venue !== 'string' || !isHash(previousHash) || !isHash(hash)) {
    throw new JournalDamage(segment, 0, 0, 'meta row malformed');
  }
  const meta = { segment: number, behaviour, codec, firstSeq, previousHash, venue, created } as SegmentMeta;
  if (!sameHash(metaHash(meta), hash)) throw new JournalDamage(segment, 0, meta.firstSeq, 'meta row has a wrong hash');
  if (meta.segment !== segment) throw new JournalDamage(segment, 0, meta.firstSeq, `file holds segment ${meta.segment}`);
  if (segment === 1 && !sameHash(meta.previousHash, genesisHash(meta.venue))) {
    throw new JournalDamage(segment, 0, 1, 'not the genesis hash of its venue');
  }
  return meta;
}

export function readMetaOf(dataFolder: string, segment: number): SegmentMeta {
  const db = openForReading(dataFolder, segment);
  try {
    return readMeta(db, segment);
  } finally {
    db.close();
  }
}

export function headBefore(db: SegmentDb, meta: SegmentMeta, seq: number): Head {
  const row = withDamageErrors(meta.segment, meta.firstSeq, () => (
    db.prepare('SELECT last_seq, hash FROM frames WHERE first_seq < ? ORDER BY first_seq DESC LIMIT 1').raw().get(seq)
  )) as unknown[] | undefined;
  if (row === undefined) return { seq: meta.firstSeq - 1, hash: meta.previousHash };
  const [last, hash] = row;
  if (!Number.isSafeInteger(last) || !isHash(hash)) throw new JournalDamage(meta.segment, 0, meta.firstSeq, 'frame row malformed');
  return { seq: last as number, hash };
}

export function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

function metaHash(meta: SegmentMeta): Uint8Array {
  const { segment, behaviour, codec, firstSeq, venue, created } = meta;
  return createHash('sha256').update(meta.previousHash).update([segment, behaviour, codec, firstSeq, venue, created].join(' ')).digest();
}
