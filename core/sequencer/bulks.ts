// Verdicts of the bulk request that each producer is in the middle of. Its records lie one behind the other in the producer's ring
// and are published at once, so the first to come can look at all of them; between two of them main may take commands of other
// producers, so every producer has verdicts of its own. Main's own memory, not state: nothing of it is journaled.

import { int32, uint32, uint8 } from '../columns.ts';
import { BULK_ITEMS } from '../limits.ts';

/** Producers a record can name: one byte. */
const ORIGINS = 256;

/** Of one request. An item that either of two addresses may have signed is two records, of which one is refused (decision 3.11). */
const MOST_RECORDS = 2 * BULK_ITEMS;

/** Never judged, or not to be counted: when it does count after all, it stands for itself, as a single command does. */
export const UNJUDGED = 0;
/** Let through, and charged already. */
export const FITS = 1;
/** Beyond what its wallet had left. */
export const EXCEEDS = 2;
/** To be judged with the others of its wallet. */
export const COUNTS = 3;

/**
 * Finds the records behind one of a bulk request: the byte offset of the next one of the same producer, -1 when none is published.
 * Asked only for records of the same request.
 */
export type Behind = { after(at: number): number };

/** For commands that come alone. */
export const ALONE: Behind = { after: () => -1 };

export type Bulks = {
  /** Per producer: items of its request that are still to come, and the minute it was charged to. */
  readonly left: Uint8Array;
  readonly minute: Uint32Array;
  /** Per producer and place of the item, counted from the end of the request. */
  readonly verdict: Uint8Array;
  /** Byte offsets of the records of the request that is being judged, by place; nothing outside that moment. */
  readonly at: Int32Array;
};

export function createBulks(): Bulks {
  return { left: uint8(ORIGINS), minute: uint32(ORIGINS), verdict: uint8(ORIGINS * MOST_RECORDS), at: int32(MOST_RECORDS) };
}

/** Where the verdict is on the item with which `items` of its request begin. */
export function verdictPlace(origin: number, items: number): number {
  if (items > MOST_RECORDS) throw new RangeError(`a bulk of ${items} records`);
  return origin * MOST_RECORDS + items - 1;
}

/** Finds the records of the request that begins at byte `at` with `items` of them, its last one at place 0. */
export function findItems(bulks: Bulks, behind: Behind, at: number, items: number): void {
  let place = at;
  for (let left = items - 1; left >= 0; left--) {
    if (place < 0) throw new RangeError('the records of a bulk were not published at once');
    bulks.at[left] = place;
    if (left > 0) place = behind.after(place);
  }
}
