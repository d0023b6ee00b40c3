// Checkpoints of the output digest: (seq, two 32-bit words) rows beside the frames. Whoever replays compares them;
// each row carries its own hash, so a damaged one is named as damage and not taken for a divergence.

import { createHash } from 'node:crypto';
import { sameHash } from './chain.ts';
import { JournalDamage, toStorageError } from './journal-errors.ts';
import { isHash, listSegments, openForReading } from './segment.ts';
import { segmentOf } from './read.ts';

/** The rolling digest over every event word up to and including the command `seq`. */
export type Digest = { readonly seq: number; readonly low: number; readonly high: number };

export function digestHash(digest: Digest): Uint8Array {
  return createHash('sha256').update(`${digest.seq} ${digest.low} ${digest.high}`).digest();
}

/** Digests with seq >= fromSeq, ascending. A digest lies in the segment of the frame it was committed with. */
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

function verifiedDigest(row: unknown[], segment: number, fromSeq: number): Digest {
  const [seq, low, high, hash] = row;
  const digest = { seq, low, high } as Digest;
  if (!isHash(hash) || !sameHash(digestHash(digest), hash)) {
    throw new JournalDamage(segment, 0, Number.isSafeInteger(seq) ? digest.seq : fromSeq, 'a digest row has another hash');
  }
  return digest;
}
