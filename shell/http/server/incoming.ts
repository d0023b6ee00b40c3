// The body of one request while it arrives: its pieces, copied out of the web server's memory, and what they count for.

import type { EdgeState } from './state.ts';
import type { Share } from './shares.ts';

export class Incoming {
  /** Bytes that have come, held or not. */
  received = 0;
  readonly #state: EdgeState;
  readonly #share: Share;
  #parts: Uint8Array[] = [];
  #held = 0;

  constructor(state: EdgeState, share: Share) {
    this.#state = state;
    this.#share = share;
  }

  /** Takes a piece. Beyond the bound of a body it is only counted; null, or whose memory has no room for it. */
  take(chunk: ArrayBuffer): 'source' | 'thread' | null {
    const { bounds, counts } = this.#state;
    const share = this.#share;
    const { byteLength } = chunk;
    this.received += byteLength;
    if (this.received > bounds.bodyBytes) {
      this.drop();
      return null;
    }
    if (counts.bodyBytes + byteLength > bounds.bodyMemoryBytes) return 'thread';
    if (share.bodyBytes + byteLength > share.most.bodyBytes) return 'source';
    if (byteLength === 0) return null;
    this.#parts.push(new Uint8Array(chunk.slice(0)));
    this.#held += byteLength;
    counts.bodyBytes += byteLength;
    share.bodyBytes += byteLength;
    return null;
  }

  /** The whole body, null when it has no byte; nothing is held any more. */
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
    this.#share.bodyBytes -= this.#held;
    this.#held = 0;
    this.#parts = [];
  }
}
