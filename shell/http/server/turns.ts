// How much may leave at once. The web server takes all requests that came in one piece before anything else runs, up to 512 KiB of
// them, and answers that are given meanwhile leave at once, as fast as their client reads: without a bound one connection would hold
// the thread. And it tells of nothing that waits to be read but of a body it could not send, so answers without a body are counted.

import type { Bounds } from '../limits.ts';

/** Fewer bytes are no matter. */
const NOTICED = 65_536;
/** About what the head of an answer has, and what it costs to give one. */
const HEAD_BYTES = 512;

export class Turns {
  readonly #bounds: Bounds;
  #bytes = 0;
  #bodiless = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Counts an answer with such a body; false where this turn of the event loop has had its bytes, and it has to wait for the next. */
  take(bytes: number): boolean {
    const before = this.#bytes;
    this.#bytes += HEAD_BYTES + bytes;
    // Some bytes of turns before this one may be counted with it: to ask for the end of each turn would cost every small answer.
    if (before < NOTICED && this.#bytes >= NOTICED) setImmediate(() => { this.#bytes = 0; });
    return before <= this.#bounds.turnBytes;
  }

  /** Counts an answer without a body; false where it has to end its connection. */
  takeBodiless(): boolean {
    return ++this.#bodiless <= this.#bounds.bodilessPerTick;
  }

  onTick(): void {
    this.#bodiless = 0;
  }
}
