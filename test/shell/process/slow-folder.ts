// A data folder that takes a while to recover: a journal of index prices over a full listing, written without a venue.

import { CONTINUE } from '../../../core/codec/commands.ts';
import type { Views } from '../../../core/codec/record.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import { venueId } from '../../../shell/storage/journal/venue-identity.ts';
import { JournalWriter } from '../../../shell/storage/journal/writer.ts';
import { RecordWriter } from '../../support/records.ts';

const FRAME_RECORDS = 256;
/** Steps in which the listing of two underlyings is surely done; one too many does nothing. */
const LISTING_STEPS = 400;

/**
 * Writes a journal of some 400 commands and `prices` index prices; each price makes every mark of its underlying anew. Returns the
 * last seq. A frame is some 16 KiB, a segment `segmentBytes` of them; the commands are a millisecond apart, from `start` on.
 */
export function slowFolder(dataFolder: string, prices: number, { segmentBytes = 1 << 30, start = Date.now() - 3_600_000 } = {}): number {
  const write = new RecordWriter();
  const writer = JournalWriter.open({
    dataFolder, venue: venueId(dataFolder), behaviour: BEHAVIOUR, codec: CODEC, durability: 'normal', time: Date.now(), segmentBytes,
  });
  let frame: Uint8Array[] = [];
  let seq = 0;
  const flush = (): void => {
    if (frame.length > 0) writer.append(new Uint8Array(Buffer.concat(frame)), seq - frame.length + 1, seq);
    frame = [];
  };
  const add = (views: Views): void => {
    write.stamp(++seq, start + seq);
    frame.push(views.u8.slice(0, views.u32[0]));
    if (frame.length === FRAME_RECORDS) flush();
  };
  add(write.configure(defaultSettings()));
  add(write.addUnderlying('BTC', 600_000));
  add(write.addUnderlying('ETH', 700_000));
  add(write.index(0, 100_000e6));
  add(write.index(1, 3_500e6));
  for (let step = 0; step < LISTING_STEPS; step++) add(write.plain(CONTINUE));
  for (let i = 0; i < prices; i++) add(write.index(i % 2, i % 2 === 0 ? 100_000e6 + i : 3_500e6 + i));
  flush();
  writer.close();
  return seq;
}
