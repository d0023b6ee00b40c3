// The queue of signature checks: a few in each turn of the event loop, so that a burst of signed requests never holds
// up reads, sockets and replies. Bounded; first come, first served.
// Never runs a job that may throw unguarded: jobs catch their own.

import { steady } from '../clock.ts';
import type { Meters } from '../observability/meters.ts';
import { CHECKS_PER_TURN, CHECKS_WAITING } from '../bounds/api.ts';

/** `from`: when it was asked for. */
type Job = { readonly check: () => void; readonly from: number };

export class Checks {
  readonly #meters: Meters;
  readonly #waiting: Job[] = [];
  #used = 0;
  #isScheduled = false;

  constructor(meters: Meters) {
    this.#meters = meters;
  }

  /** Runs the job now or in a later turn; false when too many wait. */
  run(check: () => void): boolean {
    const job = { check, from: steady() };
    if (this.#used < CHECKS_PER_TURN && this.#waiting.length === 0) {
      this.#used++;
      this.#schedule();
      this.#do(job);
      return true;
    }
    if (this.#waiting.length >= CHECKS_WAITING) return false;
    this.#waiting.push(job);
    return true;
  }

  /** Whether there is a next turn. */
  get isScheduled(): boolean {
    return this.#isScheduled;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  #do({ check, from }: Job): void {
    check();
    this.#meters.observe('check', (steady() - from) / 1_000);
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#used = Math.min(CHECKS_PER_TURN, this.#waiting.length);
    if (this.#used === 0) return;
    this.#schedule();
    for (const job of this.#waiting.splice(0, this.#used)) this.#do(job);
  };
}
