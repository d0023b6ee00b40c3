// What each network source may have of what all clients of one edge share (decision 5.3): requests in flight, bytes of bodies on their
// way, sockets, and bytes that are read in one tick. So what one source begins and does not end leaves room for the others. Beyond its
// part it is told 429 with the limit and to come back in a second: it is the source that has too much, the venue has room.
// Reading has a bound since to parse a text costs up to 20 ns a byte, and what many connections have sent comes in one pass of the event
// loop: without it they hold the thread for so long that the venue takes it for dead. Its window is a tick and no second of a clock:
// ticks come between two passes, so a pass that lasts has no second allowance.

import { SECOND } from '../../../core/units.ts';
import { now } from '../../process/clock.ts';
import type { Refused } from '../errors.ts';
import { partsOf, type Bounds } from '../limits.ts';
import { Quota } from '../quota.ts';
import { rateLimited, standingOf } from '../rate-headers.ts';

/** By network of the source. */
export type Quotas = {
  readonly requests: Quota<string>; readonly bodyBytes: Quota<string>; readonly sockets: Quota<string>; readonly readBytes: Quota<string>;
};

export function createQuotas(bounds: Bounds, tick: () => number): Quotas {
  const { requests, bodyMemoryBytes, sockets, connections, readBytes } = bounds;
  return {
    requests: new Quota(partsOf(requests, bounds)), bodyBytes: new Quota(partsOf(bodyMemoryBytes, bounds)),
    sockets: new Quota(partsOf(Math.min(sockets, connections), bounds)),
    readBytes: new Quota({ ...partsOf(readBytes, bounds), all: readBytes }, tick),
  };
}

export function beyondPart(what: string, limit: number): Refused {
  const time = now();
  return rateLimited(standingOf(limit, 0, time, SECOND), time, `Too many ${what}: ${limit} is the maximum of one source`);
}
