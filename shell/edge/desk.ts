// What all requests and sockets of one edge share: bounds, counters, the tick that ends what takes too long.
// Must never throw: it runs inside callbacks of the web server, where an exception ends the process.

import type { Bounds } from './bounds.ts';

/** Now held by one edge; all of it returns to 0 when the clients are gone. */
export type EdgeCounts = { requests: number; sockets: number; bodyBytes: number };

/** Something that ends itself when it has lasted too long, or when the edge closes. It is told until it leaves `live`. */
export type Live = { onTick(tick: number): void; onClose(): void };

export type Desk = {
  readonly bounds: Bounds;
  readonly counts: EdgeCounts;
  readonly live: Set<Live>;
  /** Ticks since the edge opened. */
  tick: number;
  /** CORS headers of every answer. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Tells the operator of an exception; the client has been answered already. */
  fault(place: string, error: unknown): void;
};

export function advance(desk: Desk): void {
  desk.tick++;
  for (const item of desk.live) guard(() => item.onTick(desk.tick), (error) => desk.fault('tick', error));
}

/** Runs `work`; what it throws, now or as a rejection, goes to `failed`. */
export function guard(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
