// Rate verdicts of bulk requests, decided with the first item, because a producer publishes all at once. Main may take other producers'
// commands in between, so each producer has its own row. Main's own memory, not state.

import { int32, uint32, uint8 } from '../columns.ts';
import { BULK_ITEMS } from '../limits.ts';

/** A record names its producer in one byte. */
const ORIGINS = 256;

/** An item that either of two addresses may have signed takes two records, of which one is refused (decision 3.11). */
const MOST_RECORDS = 2 * BULK_ITEMS;

/** The item is not charged. If it turns out to be chargeable, it is charged as a single command. */
export const UNCHARGED = 0;
export const FITS = 1;
export const EXCEEDS = 2;
export const CHARGEABLE = 3;

/** Byte offset of the next record of the same producer and request, or -1 if none is published. */
export type FollowingRecords = { after(at: number): number };

export const SINGLE: FollowingRecords = { after: () => -1 };

export type Bulks = {
  /** Per producer: items still to come, and the minute that was charged. */
  readonly left: Uint8Array;
  readonly minute: Uint32Array;
  /** Per producer and item, counted from the end of the request. */
  readonly verdict: Uint8Array;
  readonly at: Int32Array;
};

export function createBulks(): Bulks {
  return { left: uint8(ORIGINS), minute: uint32(ORIGINS), verdict: uint8(ORIGINS * MOST_RECORDS), at: int32(MOST_RECORDS) };
}

export function verdictPlace(origin: number, items: number): number {
  if (items > MOST_RECORDS) throw new RangeError(`bulk: ${items} records, at most ${MOST_RECORDS} are allowed`);
  return origin * MOST_RECORDS + items - 1;
}

export function findItems(bulks: Bulks, following: FollowingRecords, at: number, items: number): void {
  let place = at;
  for (let left = items - 1; left >= 0; left--) {
    if (place < 0) throw new RangeError('bulk: its records were not published together');
    bulks.at[left] = place;
    if (left > 0) place = following.after(place);
  }
}
