// Limits how many bytes of answers leave in one turn of the event loop. The web server handles up to 512 KiB of
// pipelined requests before anything else runs, so one fast connection could hold the thread. Answers without a body
// have a count of their own: the web server does not report them as unread.

import type { Bounds } from '../limits.ts';

/** Below it, no end of the turn is watched. */
const NOTICED = 65_536;
const HEAD_BYTES = 512;

export class OutputBudget {
  readonly #bounds: Bounds;
  #bytes = 0;
  #bodiless = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** False if the answer must wait for the next turn. */
  take(bytes: number): boolean {
    const before = this.#bytes;
    this.#bytes += HEAD_BYTES + bytes;
    // May count bytes of earlier turns: watching the end of every turn would cost each small answer.
    if (before < NOTICED && this.#bytes >= NOTICED) setImmediate(() => { this.#bytes = 0; });
    return before <= this.#bounds.turnBytes;
  }

  /** False if the answer must close the connection. */
  takeBodiless(): boolean {
    return ++this.#bodiless <= this.#bounds.bodilessPerTick;
  }

  onTick(): void {
    this.#bodiless = 0;
  }
}
