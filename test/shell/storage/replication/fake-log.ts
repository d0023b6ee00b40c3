// A replicated log in memory that keeps its promises: it appends only at the expected end, and what it accepted stays there.

import type { AppendResult, ReadResult, ReplicatedLog } from '../../../../shell/storage/replication/port.ts';

export class FakeLog {
  readonly messages: Uint8Array[] = [];
  readonly #news: (() => void)[] = [];
  readonly #heartbeats: ((heartbeat: Uint8Array) => void)[] = [];

  /** The log as one member sees it. */
  port(): ReplicatedLog {
    return {
      append: async (frame, expected) => this.#append(frame, expected),
      read: async (position) => this.#read(position),
      onNews: (listener) => this.#news.push(listener),
      say: (heartbeat) => this.#heartbeats.forEach((listener) => listener(heartbeat)),
      onHeartbeat: (listener) => this.#heartbeats.push(listener),
      close: async () => undefined,
    };
  }

  #append(frame: Uint8Array, expected: number): AppendResult {
    if (expected !== this.messages.length) return { type: 'refused', last: this.messages.length };
    this.messages.push(Uint8Array.from(frame));
    for (const listener of this.#news) listener();
    return { type: 'accepted', position: expected + 1 };
  }

  #read(position: number): ReadResult {
    const bytes = this.messages[position - 1];
    return bytes === undefined ? { type: 'notYet' } : { type: 'message', bytes };
  }
}
