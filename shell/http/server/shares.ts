// What each network source holds of what all clients of one edge share: requests, bytes of bodies on their way, sockets. It may
// hold a part of each (decision 5.3), so what one source begins and does not end leaves room for the others. Beyond its part it
// is told 429 with the limit and to come back in a second: it is the source that has too much, the venue has room.
// A row lives as long as its source holds something, and until the tick after that: who asks one thing after the other has one row for
// all, and no Map makes itself a new table for each request (docs/decisions/0039).

import { now } from '../../process/clock.ts';
import type { Bounds } from '../bounds/edge.ts';
import type { Refused } from '../errors.ts';
import { rateLimited } from '../rate-headers.ts';
import type { Source } from '../source.ts';

/** Of each kind: what a source may hold, or holds. */
type Holding = { requests: number; bodyBytes: number; sockets: number };

export type Share = Holding & { readonly most: Readonly<Holding> };

export class Shares {
  readonly #foreign: Readonly<Holding>;
  readonly #loopback: Readonly<Holding>;
  readonly #rows = new Map<string, Share>();

  constructor(bounds: Bounds) {
    this.#foreign = shareOf(bounds, bounds.sourcePart);
    this.#loopback = shareOf(bounds, bounds.loopbackPart);
  }

  /** The source's row, to count in at once. */
  of(source: Source): Share {
    const known = this.#rows.get(source.network);
    if (known !== undefined) return known;
    const share = { most: this.#most(source), requests: 0, bodyBytes: 0, sockets: 0 };
    this.#rows.set(source.network, share);
    return share;
  }

  onTick(): void {
    for (const [network, { requests, sockets }] of this.#rows) if (requests === 0 && sockets === 0) this.#rows.delete(network);
  }

  /** Null while the source may open another socket. */
  socketRefusal(source: Source): Refused | null {
    const most = this.#most(source).sockets;
    return (this.#rows.get(source.network)?.sockets ?? 0) < most ? null : beyondShare('sockets', most);
  }

  #most(source: Source): Readonly<Holding> {
    return source.loopback ? this.#loopback : this.#foreign;
  }
}

export function beyondShare(what: string, limit: number): Refused {
  const time = now();
  const standing = { limit, left: 0, windowEnd: Math.floor(time / 1_000) + 1 };
  return rateLimited(standing, time, `Too many ${what}: ${limit} is the maximum of one source`);
}

function shareOf({ requests, bodyMemoryBytes, sockets, connections }: Bounds, part: number): Readonly<Holding> {
  const of = (all: number): number => Math.ceil(all * part);
  return { requests: of(requests), bodyBytes: of(bodyMemoryBytes), sockets: of(Math.min(sockets, connections)) };
}
