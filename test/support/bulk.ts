// A bulk request as main finds it in the ring of its api thread: consecutive records, taken one at a time, so that a test can run
// other commands in between.

import { viewsOf, type Views } from '../../core/codec/record.ts';
import { takeCommand } from '../../core/sequencer/sequencer.ts';
import { REPLY_WORD_STATUS } from '../../core/codec/reply.ts';
import { BULK_ITEMS, RECORD_BYTES } from '../../core/limits.ts';
import type { TestVenue } from './venue.ts';

export class Bulk {
  private readonly venue: TestVenue;
  private readonly views = viewsOf(new ArrayBuffer(BULK_ITEMS * RECORD_BYTES));
  private next = 0;
  private end = 0;

  /** `write` writes each record into the venue's writer. */
  constructor(venue: TestVenue, origin: number, write: readonly (() => Views)[]) {
    this.venue = venue;
    write.forEach((one, at) => {
      one();
      const { u8, u32 } = venue.write.amend({ origin, items: write.length - at });
      this.views.u8.set(u8.subarray(0, u32[0]!), this.end);
      this.end += u32[0]!;
    });
  }

  /** Takes the next item; its code. */
  take(): number {
    const { venue, views } = this;
    const at = this.next;
    const behind = { after: (one: number) => (one + views.u32[one >>> 2]! < this.end ? one + views.u32[one >>> 2]! : -1) };
    this.next += views.u32[at >>> 2]!;
    venue.events = [];
    if (!takeCommand(venue.sequencer, views, at, venue.now, venue.reply, behind)) throw new Error('no room');
    return viewsOf(venue.reply.kept.pop()!.buffer as ArrayBuffer).u32[REPLY_WORD_STATUS]! & 0xffff;
  }

  /** Takes `count` items, or all that are left; their codes. */
  takeAll(count = Infinity): number[] {
    const codes: number[] = [];
    while (codes.length < count && this.next < this.end) codes.push(this.take());
    return codes;
  }
}
