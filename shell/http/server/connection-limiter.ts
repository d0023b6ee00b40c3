// Limits how many connections a source opens while they are scarce (decision 5.3): when more are open, sockets aside, than could still be
// opened. The web server does not report whose connection closed, so recent openings count. A source beyond its share gets no more, and
// an answer to a source outside loopback closes its connection. Exports are exempt. Times in ticks.

import { partsOf } from '../limits.ts';
import { mostOf, Quota } from '../quota.ts';
import type { Source } from '../source.ts';
import type { EdgeState } from './edge-state.ts';

/** The web server closes a connection that is idle for so long. */
export const IDLE_TICKS = 12;
/** Always allowed, however scarce connections are. */
const FEWEST = 16;

export class ConnectionLimiter {
  readonly #state: EdgeState;
  #counts = newCounts();
  #before = newCounts();
  #since = 0;

  constructor(state: EdgeState) {
    this.#state = state;
  }

  /** False if it must be closed. */
  take(source: Source): boolean {
    this.#turn();
    const { network } = source;
    if (this.isScarce() && this.#counts.used(network) + this.#before.used(network) >= this.#most(source)) return false;
    this.#counts.add(network);
    return true;
  }

  isScarce(): boolean {
    const { connections, counts, bounds } = this.#state;
    return connections - counts.sockets > bounds.connections - connections;
  }

  #most({ loopback }: Source): number {
    const { counts, bounds } = this.#state;
    return Math.max(FEWEST, mostOf(partsOf(bounds.connections - counts.sockets, bounds), loopback));
  }

  #turn(): void {
    const passed = this.#state.tick - this.#since;
    if (passed < IDLE_TICKS) return;
    this.#before = passed < 2 * IDLE_TICKS ? this.#counts : newCounts();
    this.#counts = newCounts();
    this.#since = this.#state.tick;
  }
}

function newCounts(): Quota<string> {
  return new Quota({ amount: Infinity });
}
