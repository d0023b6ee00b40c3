// What the clients of one edge may make its thread read in one tick. To parse a text costs up to 20 ns a byte, to inflate it 2, and
// what many connections have sent comes in one pass of the event loop: without a bound a megabyte of compressed frames, which are a
// gigabyte, holds the thread for so long that the venue takes it for dead. Each network source has a part (decision 5.3).
// - Bytes of messages, as they are when inflated, and of bodies are counted before anything looks at them.
// - The web server inflates a message before anybody is asked, so only so many sockets have places in which frames may come compressed.
//   A socket without one speaks uncompressed. A place that is left is free at the next tick, or one pass could fill it again and again.
// Ticks, not a clock: they come between two passes, so a pass that lasts has no second allowance. Rows live for a tick, or as long as
// a place is held.

import type { Bounds } from '../bounds/edge.ts';
import { partOf, type Source } from '../http/source.ts';

export class Reading {
  readonly #bounds: Bounds;
  /** By network, of this tick. */
  readonly #bytes = new Map<string, number>();
  #allBytes = 0;
  /** By network, places that are held, or were until this tick. */
  readonly #places = new Map<string, number>();
  #allPlaces = 0;
  readonly #left: string[] = [];

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

  /** False when the socket has to speak uncompressed. */
  takePlace({ network, loopback }: Source): boolean {
    const held = this.#places.get(network) ?? 0;
    if (this.#allPlaces >= this.#bounds.compressedSockets || held >= partOf(this.#bounds.compressedSockets, loopback)) return false;
    this.#places.set(network, held + 1);
    this.#allPlaces++;
    return true;
  }

  /** The socket of a place is gone. */
  leavePlace({ network }: Source): void {
    this.#left.push(network);
  }

  onTick(): void {
    this.#bytes.clear();
    this.#allBytes = 0;
    this.#allPlaces -= this.#left.length;
    for (const network of this.#left) {
      const held = this.#places.get(network)! - 1;
      if (held === 0) this.#places.delete(network);
      else this.#places.set(network, held);
    }
    this.#left.length = 0;
  }
}
