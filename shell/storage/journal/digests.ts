// Output digests stored beside the frames, so that a replay can compare. Each row has its own hash against damage.

import { createHash } from 'node:crypto';
import { sameHash } from './chain.ts';
import { JournalDamage, toStorageError } from './journal-errors.ts';
import { isHash, listSegments, openForReading } from './segment.ts';
import { segmentOf } from './read.ts';

export type Digest = { readonly seq: number; readonly low: number; readonly high: number };

export function digestHash(digest: Digest): Uint8Array {
  return createHash('sha256').update(`${digest.seq} ${digest.low} ${digest.high}`).digest();
}

/** Ascending from `fromSeq`. A digest is in the segment of the frame it was committed with. */
export function* readDigests(dataFolder: string, fromSeq: number): Generator<Digest> {
  const first = segmentOf(dataFolder, fromSeq);
  if (first === null) return;
  for (const segment of listSegments(dataFolder)) {
    if (segment < first) continue;
    const db = openForReading(dataFolder, segment);
    try {
      const rows = db.prepare('SELECT seq, low, high, hash FROM digests WHERE seq >= ? ORDER BY seq').raw().iterate(fromSeq);
      for (const row of rows) yield verifiedDigest(row as unknown[], segment, fromSeq);
    } catch (error) {
      throw toStorageError(error, segment, fromSeq);
    } finally {
      db.close();
    }
  }
}

export function digestsBetween(dataFolder: string, segment: number, fromSeq: number, toSeq: number): Digest[] {
  const db = openForReading(dataFolder, segment);
  try {
    const rows = db.prepare('SELECT seq, low, high, hash FROM digests WHERE seq BETWEEN ? AND ? ORDER BY seq').raw().all(fromSeq, toSeq);
    return rows.map((row) => verifiedDigest(row as unknown[], segment, fromSeq));
  } finally {
    db.close();
  }
}

function verifiedDigest(row: unknown[], segment: number, fromSeq: number): Digest {
  const [seq, low, high, hash] = row;
  const digest = { seq, low, high } as Digest;
  if (!isHash(hash) || !sameHash(digestHash(digest), hash)) {
    throw new JournalDamage(segment, 0, Number.isSafeInteger(seq) ? digest.seq : fromSeq, 'a digest row has a wrong hash');
  }
  return digest;
}
