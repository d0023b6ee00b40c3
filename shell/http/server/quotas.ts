// Quotas per network source (decision 5.3) for requests in flight, bytes of bodies in transit, sockets, and bytes read per tick. Parsing
// costs up to 20 ns a byte: one pass of the event loop could hold the thread until it looks dead.

import { SECOND } from '../../../core/units.ts';
import { now } from '../../process/clock.ts';
import type { Refused } from '../errors.ts';
import { partsOf, type Bounds } from '../limits.ts';
import { Quota } from '../quota.ts';
import { rateLimited, budgetAt } from '../rate-headers.ts';

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

export function sourceLimitRefusal(what: string, limit: number): Refused {
  const time = now();
  return rateLimited(budgetAt(limit, 0, time, SECOND), time, `Too many ${what}: ${limit} is the maximum of one source`);
}
