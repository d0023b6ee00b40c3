// What the connections of one thread hold for clients that have not read it yet, in bytes as text. A message that several hold counts
// once, and each of them for the place it takes. Beyond the bound the client is ended that has read nothing for longest, until the
// rest fits: whoever fills the memory cannot lock out those who read.

import { BOUNDS } from '../http/limits.ts';
import type { OutboundMessage } from './outbound-message.ts';

/** One connection; to be ended it lets go of all it holds. */
export type MemoryHolder = { evict(): void };

/** A message's place in what one connection holds. */
const PLACE_BYTES = 64;

export class OutboundMemory {
  readonly #limit: number;
  /** Those that hold something, who has read nothing for longest first. */
  readonly #holders = new Set<MemoryHolder>();
  #bytes = 0;

  constructor(limit = BOUNDS.threadHeldBytes) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** May end the holder itself. */
  add(holder: MemoryHolder, message: OutboundMessage): void {
    this.#holders.add(holder);
    this.#bytes += PLACE_BYTES + (message.holders++ === 0 ? message.json.length : 0);
    while (this.#bytes > this.#limit) {
      const [longest] = this.#holders;
      longest!.evict();
    }
  }

  /** One that was taken. */
  remove(message: OutboundMessage): void {
    this.#bytes -= PLACE_BYTES + (--message.holders === 0 ? message.json.length : 0);
  }

  /** The holder has got rid of something; `isLeft`: it holds more. */
  onRead(holder: MemoryHolder, isLeft: boolean): void {
    this.#holders.delete(holder);
    if (isLeft) this.#holders.add(holder);
  }
}
