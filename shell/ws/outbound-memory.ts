// Memory of this thread's backlogs, in bytes of JSON. A shared message counts once, plus PLACE_BYTES per connection.
// Above the bound, connections are closed, the longest idle reader first, so that slow clients cannot lock out others.

import { BOUNDS } from '../http/limits.ts';
import type { OutboundMessage } from './outbound-message.ts';

export type MemoryHolder = { evict(): void };

const PLACE_BYTES = 64;

export class OutboundMemory {
  readonly #limit: number;
  readonly #holders = new Set<MemoryHolder>();
  #bytes = 0;

  constructor(limit = BOUNDS.threadHeldBytes) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(holder: MemoryHolder, message: OutboundMessage): void {
    this.#holders.add(holder);
    this.#bytes += PLACE_BYTES + (message.holders++ === 0 ? message.json.length : 0);
    while (this.#bytes > this.#limit) {
      const [longest] = this.#holders;
      longest!.evict();
    }
  }

  remove(message: OutboundMessage): void {
    this.#bytes -= PLACE_BYTES + (--message.holders === 0 ? message.json.length : 0);
  }

  onRead(holder: MemoryHolder, isLeft: boolean): void {
    this.#holders.delete(holder);
    if (isLeft) this.#holders.add(holder);
  }
}
