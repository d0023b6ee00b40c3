// Who opens connections, so that one network source leaves room for the others (decision 5.3). The web server does not say whose a
// connection was that closes, so openings are counted, and only those of late matter: what sits idle the web server closes within
// 12 s, what has asked is a request and what was upgraded a socket, each with a bound for its source (quotas.ts).
// Nothing of this strikes while there is room. Where more connections are open (without sockets) than could still be opened,
// they are scarce: a source that lately opened its part of them gets no more, and an answer to a foreign source ends its
// connection, or a request now and then would keep it for good. Not so an export, of which a source has one at a time. Times in ticks.

import { partsOf } from '../limits.ts';
import { mostOf, Quota } from '../quota.ts';
import type { Source } from '../source.ts';
import type { EdgeState } from './state.ts';

/** An idle connection is closed by the web server within so many seconds. */
export const IDLE_TICKS = 12;
/** However few connections there may be, a source may open so many of them. */
const FEWEST = 16;

export class Openings {
  readonly #state: EdgeState;
  /** Openings in this window and in the one before, which together are the last 12 to 24 s. */
  #counts = newCounts();
  #before = newCounts();
  #since = 0;

  constructor(state: EdgeState) {
    this.#state = state;
  }

  /** Counts the connection that opens, which is among those of the state already; false where the source may not have it. */
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

/** By network. Their bound changes with what is open. */
function newCounts(): Quota<string> {
  return new Quota({ amount: Infinity });
}
