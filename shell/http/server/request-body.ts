// The body of a request while it arrives, copied out of the web server's memory and counted against the quotas.

import type { Source } from '../source.ts';
import type { EdgeState } from './edge-state.ts';

export class RequestBody {
  received = 0;
  readonly #state: EdgeState;
  readonly #source: Source;
  #parts: Uint8Array[] = [];
  #held = 0;

  constructor(state: EdgeState, source: Source) {
    this.#state = state;
    this.#source = source;
  }

  get most(): number {
    return this.#state.quotas.bodyBytes.mostOf(this.#source.loopback);
  }

  take(chunk: ArrayBuffer): 'source' | 'thread' | null {
    const { bounds, counts, quotas } = this.#state;
    const { network, loopback } = this.#source;
    const { byteLength } = chunk;
    this.received += byteLength;
    if (this.received > bounds.bodyBytes) {
      this.drop();
      return null;
    }
    if (counts.bodyBytes + byteLength > bounds.bodyMemoryBytes) return 'thread';
    if (byteLength === 0) return null;
    if (quotas.bodyBytes.take(network, loopback, byteLength) !== null) return 'source';
    this.#parts.push(new Uint8Array(chunk.slice(0)));
    this.#held += byteLength;
    counts.bodyBytes += byteLength;
    return null;
  }

  join(): Uint8Array | null {
    const parts = this.#parts;
    const length = this.#held;
    this.drop();
    if (parts.length < 2) return parts[0] ?? null;
    const body = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      body.set(part, at);
      at += part.length;
    }
    return body;
  }

  drop(): void {
    this.#state.counts.bodyBytes -= this.#held;
    if (this.#held > 0) this.#state.quotas.bodyBytes.give(this.#source.network, this.#held);
    this.#held = 0;
    this.#parts = [];
  }
}
