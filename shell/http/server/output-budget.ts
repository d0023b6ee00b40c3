// Limits how many bytes of answers leave in one turn of the event loop: with pipelining, one fast connection could hold the thread.
// Answers without a body have a count of their own, because the web server does not report them as unread.

import type { Bounds } from '../limits.ts';

const NOTICED = 65_536;
const HEAD_BYTES = 512;

export class OutputBudget {
  readonly #bounds: Bounds;
  #bytes = 0;
  #bodiless = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  take(bytes: number): boolean {
    const before = this.#bytes;
    this.#bytes += HEAD_BYTES + bytes;
    // May count bytes of earlier turns: watching the end of every turn would cost each small answer.
    if (before < NOTICED && this.#bytes >= NOTICED) setImmediate(() => { this.#bytes = 0; });
    return before <= this.#bounds.turnBytes;
  }

  takeBodiless(): boolean {
    return ++this.#bodiless <= this.#bounds.bodilessPerTick;
  }

  onTick(): void {
    this.#bodiless = 0;
  }
}
