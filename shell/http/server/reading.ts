// How many bytes the clients of one edge may make its thread read in one tick. To parse a text costs up to 20 ns a byte, and what many
// connections have sent comes in one pass of the event loop: without a bound they hold the thread for so long that the venue takes it
// for dead. Each network source has a part (decision 5.3). Bytes of messages and of bodies are counted before anything looks at them.
// Ticks, not a clock: they come between two passes, so a pass that lasts has no second allowance. Rows live for a tick.

import type { Bounds } from '../bounds/edge.ts';
import { partOf, type Source } from '../source.ts';

export class Reading {
  readonly #bounds: Bounds;
  /** By network, of this tick. */
  readonly #bytes = new Map<string, number>();
  #allBytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Counts a message or a body that is to be read now; null, or whose bound it is beyond, and it is not read. */
  beyond(source: Source, bytes: number): 'source' | 'thread' | null {
    const { network } = source;
    const read = (this.#bytes.get(network) ?? 0) + bytes;
    // What is refused is no load, and must not use up what others have.
    if (read > this.mostOf(source)) return 'source';
    if (this.#allBytes + bytes > this.#bounds.readBytes) return 'thread';
    this.#bytes.set(network, read);
    this.#allBytes += bytes;
    return null;
  }

  /** Bytes of the source that are read in a tick. */
  mostOf({ loopback }: Source): number {
    return partOf(this.#bounds.readBytes, loopback);
  }

  onTick(): void {
    this.#bytes.clear();
    this.#allBytes = 0;
  }
}
