// What all requests and sockets of one edge share: bounds, counters, the tick that ends what takes too long.
// Must never throw: it runs inside callbacks of the web server, where an exception ends the process.

import type { Bounds } from '../limits.ts';
import { guard } from './guard.ts';
import type { Compressor } from './compression.ts';
import type { Floods } from './floods.ts';
import type { Living } from './living.ts';
import type { Quotas } from './quotas.ts';
import type { Turns } from './turns.ts';
import type { Unread } from './unread.ts';

/** Now held by one edge; all of it returns to 0 when the clients are gone. */
export type EdgeCounts = { requests: number; sockets: number; bodyBytes: number };

/** One answer: `route` is the number of the row that gave it, 0 for none; `path` is without the query. */
export type AnswerFacts = {
  readonly id: string; readonly method: string; readonly path: string; readonly route: number; readonly status: number;
  readonly seconds: number;
};

export type EdgeState = {
  readonly bounds: Bounds;
  readonly counts: EdgeCounts;
  readonly quotas: Quotas;
  /** Null behind a proxy. */
  floods: Floods | null;
  /** Answers that wait for their clients to read, and what waits on sockets. */
  readonly unread: Unread;
  readonly backlog: Unread;
  readonly turns: Turns;
  readonly compressor: Compressor;
  /** Open connections, idle ones and sockets included. */
  connections: number;
  readonly live: Living;
  /** Ticks since the edge opened. */
  tick: number;
  /** Headers of every answer, each with the end of a line before it; and those of one that leaves its connection open. */
  readonly headers: string;
  readonly lastingHeaders: string;
  /** What the ids of requests begin with that came without one, and the number of the last. */
  readonly idPrefix: string;
  lastId: number;
  answered(answer: AnswerFacts): void;
  /** Tells the operator of an exception; the client has been answered already. */
  fault(place: string, error: unknown, requestId?: string): void;
};

export function advance(state: EdgeState): void {
  state.tick++;
  state.turns.onTick();
  state.floods?.onTick();
  state.live.tell((item) => guard(() => item.onTick(state.tick), (error) => state.fault('tick', error)));
}
