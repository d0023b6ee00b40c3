// Takes what has gathered in the log ring as one frame. The records stay in the ring until the frame is accepted and written.

import { recordSeq } from '../../../core/codec/record.ts';
import type { RingConsumer } from '../../ipc/ring.ts';
import type { Digest } from '../../storage/journal/digests.ts';
import type { AcceptedLog } from '../../storage/replication/accepted-log.ts';

export function offerFrame(log: RingConsumer, accepted: AcceptedLog, takeDigests: (lastSeq: number) => Digest[]): number {
  if (!accepted.isIdle()) return 0;
  const first = log.peek();
  if (first < 0) return 0;
  const { views } = log;
  const { frameBytes, frameEnd } = accepted;
  const firstSeq = recordSeq(views, first);
  let count = 0;
  let end = first;
  let lastSeq = firstSeq;
  for (let at = first; count === 0 || (at === end && lastSeq !== frameEnd); at = log.peek()) {
    const after = at + views.u32[at >>> 2]!;
    if (after - first > frameBytes) break;
    lastSeq = recordSeq(views, at);
    end = after;
    log.advance();
    count++;
  }
  accepted.offer({ bytes: views.u8.subarray(first, end), first: firstSeq, last: lastSeq, digests: takeDigests(lastSeq) });
  return count;
}
