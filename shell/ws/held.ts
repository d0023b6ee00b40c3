// What the connections of one thread hold for clients that have not read it yet, in bytes as text. A message that several hold counts
// once, and each of them for the place it takes. Beyond the bound the client is ended that has read nothing for longest, until the
// rest fits: whoever fills the memory cannot lock out those who read.

import { BOUNDS } from '../http/limits.ts';
import type { Frame } from './frame.ts';

/** One connection; to be ended it lets go of all it holds. */
export type Holder = { endHolding(): void };

/** A message's place in what one connection holds. */
const PLACE_BYTES = 64;

export class ThreadHeld {
  readonly #most: number;
  /** Those that hold something, who has read nothing for longest first. */
  readonly #holders = new Set<Holder>();
  #bytes = 0;

  constructor(most = BOUNDS.threadHeldBytes) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** May end the holder itself. */
  take(holder: Holder, frame: Frame): void {
    this.#holders.add(holder);
    this.#bytes += PLACE_BYTES + (frame.holders++ === 0 ? frame.json.length : 0);
    while (this.#bytes > this.#most) {
      const [longest] = this.#holders;
      longest!.endHolding();
    }
  }

  /** One that was taken. */
  give(frame: Frame): void {
    this.#bytes -= PLACE_BYTES + (--frame.holders === 0 ? frame.json.length : 0);
  }

  /** The holder has got rid of something; `isLeft`: it holds more. */
  moved(holder: Holder, isLeft: boolean): void {
    this.#holders.delete(holder);
    if (isLeft) this.#holders.add(holder);
  }
}
