// Reads the journal in order, on read-only connections, also beside a running writer. It never returns an unverified
// frame and never ends silently before a known head.

import { aligned, frameHash, recordFault, sameHash, type Head } from './chain.ts';
import { compareKnown, refuseEarlyEnd, withHeadFile, type KnownHead } from './head-file.ts';
import { JournalDamage, JournalRefusal, toStorageError, withDamageErrors } from './journal-errors.ts';
import {
  headBefore, isHash, listSegments, openForReading, readMeta, readMetaOf, segmentPath, type SegmentDb, type SegmentMeta,
} from './segment.ts';
import { findWalDamage } from './wal-check.ts';

export type Frame = {
  readonly segment: number;
  readonly behaviour: number;
  readonly codec: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
};

type ReadOptions = {
  readonly toSeq?: number;
  readonly known?: readonly KnownHead[];
};

export type JournalHead = Head & { readonly meta: SegmentMeta };

/** A longer read transaction keeps SQLite from reusing the WAL. */
const READ_BATCH = 256;

/**
 * Throws JournalDamage at the first bad frame, and JournalRefusal if a segment is missing or the journal ends before
 * `fromSeq - 1` or a known head.
 */
export function* readFrames(dataFolder: string, fromSeq: number, options: ReadOptions = {}): Generator<Frame> {
  const asked = { name: 'the reader', seq: fromSeq - 1 };
  const known = withHeadFile(dataFolder, [...(options.known ?? []), asked]);
  const toSeq = options.toSeq ?? Infinity;
  let segment = segmentOf(dataFolder, fromSeq);
  let head: Head | null = null;
  while (segment !== null) {
    const db = openForReading(dataFolder, segment);
    try {
      const meta = readMeta(db, segment);
      head = head === null ? startHead(db, meta, fromSeq, known) : continued(head, meta);
      const next: number | null = nextSegment(dataFolder, segment);
      for (const frame of segmentFrames(db, meta, head, known)) {
        head = { seq: frame.lastSeq, hash: frame.hash };
        yield frame;
        if (head.seq >= toSeq) return;
      }
      segment = next;
    } finally {
      db.close();
    }
  }
  refuseEarlyEnd(known, head === null ? 0 : head.seq);
}

/** Reads the newest record, and checks that the WAL lost no commits. Call it while nobody writes. */
export function journalHead(dataFolder: string, callersKnown: readonly KnownHead[] = []): JournalHead | null {
  const known = withHeadFile(dataFolder, callersKnown);
  const segment = listSegments(dataFolder).at(-1);
  if (segment === undefined) {
    refuseEarlyEnd(known, 0);
    return null;
  }
  const db = openForReading(dataFolder, segment);
  try {
    const meta = readMeta(db, segment);
    let head = headBefore(db, meta, Number.MAX_SAFE_INTEGER);
    if (head.seq >= meta.firstSeq) {
      const before = headBefore(db, meta, firstOfLastFrame(db, meta));
      for (const frame of segmentFrames(db, meta, before, known)) head = { seq: frame.lastSeq, hash: frame.hash };
    }
    compareKnown(known, segment, head.seq + 1, head);
    refuseEarlyEnd(known, head.seq);
    refuseLostCommits(dataFolder, segment, head.seq + 1);
    return { ...head, meta };
  } finally {
    db.close();
  }
}

function refuseLostCommits(dataFolder: string, segment: number, seq: number): void {
  const damage = findWalDamage(`${segmentPath(dataFolder, segment)}-wal`);
  if (damage === null) return;
  const { at, commits } = damage;
  throw new JournalDamage(segment, seq, seq, `its -wal is damaged from byte ${at} on, and ${commits} commits after that are lost`);
}

export function hashAt(dataFolder: string, seq: number): Uint8Array | null {
  const segment = segmentOf(dataFolder, seq + 1);
  if (segment === null) return null;
  const db = openForReading(dataFolder, segment);
  try {
    const head = headBefore(db, readMeta(db, segment), seq + 1);
    return head.seq === seq ? head.hash : null;
  } finally {
    db.close();
  }
}

export function segmentOf(dataFolder: string, seq: number): number | null {
  const numbers = listSegments(dataFolder);
  let oldest = 0;
  for (let i = numbers.length - 1; i >= 0; i--) {
    oldest = readMetaOf(dataFolder, numbers[i]!).firstSeq;
    if (oldest <= seq) return numbers[i]!;
  }
  if (numbers.length === 0) return null;
  const missing = `segment ${numbers[0]! - 1} is missing`;
  throw new JournalRefusal('segment_missing', `${missing}: seq ${seq} is needed, the oldest segment starts at ${oldest}`);
}

function nextSegment(dataFolder: string, segment: number): number | null {
  const later = listSegments(dataFolder).filter((number) => number > segment);
  if (later.length === 0) return null;
  if (later[0] !== segment + 1) {
    throw new JournalRefusal('segment_missing', `segment ${segment + 1} is missing: segment ${later[0]} exists`);
  }
  return segment + 1;
}

function startHead(db: SegmentDb, meta: SegmentMeta, fromSeq: number, known: readonly KnownHead[]): Head {
  let head = headBefore(db, meta, fromSeq + 1);
  if (head.seq >= fromSeq) {
    const holder = db.prepare('SELECT max(first_seq) FROM frames WHERE first_seq <= ?').pluck();
    head = headBefore(db, meta, withDamageErrors(meta.segment, fromSeq, () => holder.get(fromSeq)) as number);
  }
  compareKnown(known, meta.segment, head.seq + 1, head);
  return head;
}

function continued(head: Head, meta: SegmentMeta): Head {
  const { segment, firstSeq, previousHash } = meta;
  const next = head.seq + 1;
  if (firstSeq !== next) throw new JournalDamage(segment - 1, next, next, `segment ends, segment ${segment} starts at ${firstSeq}`);
  if (!sameHash(previousHash, head.hash)) throw new JournalDamage(segment, firstSeq, firstSeq, 'segment does not continue the hash chain');
  return head;
}

function firstOfLastFrame(db: SegmentDb, meta: SegmentMeta): number {
  return withDamageErrors(meta.segment, meta.firstSeq, () => db.prepare('SELECT max(first_seq) FROM frames').pluck().get()) as number;
}

function* segmentFrames(db: SegmentDb, meta: SegmentMeta, head: Head, known: readonly KnownHead[]): Generator<Frame> {
  const text = 'SELECT first_seq, last_seq, codec, hash, bytes FROM frames WHERE first_seq > ? ORDER BY first_seq LIMIT ?';
  const select = withDamageErrors(meta.segment, head.seq + 1, () => db.prepare(text).raw());
  for (let count = READ_BATCH; count === READ_BATCH;) {
    count = 0;
    try {
      for (const row of select.iterate(head.seq, READ_BATCH)) {
        const frame = verifiedFrame(row as unknown[], meta, head);
        head = { seq: frame.lastSeq, hash: frame.hash };
        compareKnown(known, meta.segment, frame.firstSeq, head);
        count++;
        yield frame;
      }
    } catch (error) {
      throw toStorageError(error, meta.segment, head.seq + 1);
    }
  }
}

function verifiedFrame(row: unknown[], meta: SegmentMeta, head: Head): Frame {
  const [firstSeq, lastSeq, codec, hash, blob] = row;
  const { segment, behaviour } = meta;
  const next = head.seq + 1;
  const damage = (seq: number, reason: string): JournalDamage => new JournalDamage(segment, next, seq, reason);
  if (firstSeq !== next) throw damage(next, `the next frame starts at seq ${String(firstSeq)}`);
  if (!Number.isSafeInteger(lastSeq) || (lastSeq as number) < next) throw damage(next, `frame says it ends at seq ${String(lastSeq)}`);
  if (codec !== meta.codec) throw damage(next, `frame says codec ${String(codec)}, its segment ${meta.codec}`);
  if (!isHash(hash) || !(blob instanceof Uint8Array)) throw damage(next, 'frame row malformed');
  const bytes = aligned(blob);
  const last = lastSeq as number;
  const fault = recordFault(bytes, next, last);
  if (!sameHash(frameHash(head.hash, next, last, bytes), hash)) {
    // With a wrong hash, no record of the frame can be trusted.
    const where = fault === null ? '' : ` (at seq ${fault.seq}: ${fault.reason})`;
    throw damage(next, `the hash does not follow from the frame before${where}`);
  }
  if (fault !== null) throw damage(fault.seq, fault.reason);
  return { segment, behaviour, codec: meta.codec, firstSeq: next, lastSeq: last, bytes, hash };
}
