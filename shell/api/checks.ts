// The queue of signature checks: a few in each turn of the event loop, so that a burst of signed requests never holds
// up reads, sockets and replies. Bounded; first come, first served.
// Never runs a job that may throw unguarded: jobs catch their own.

import { CHECKS_PER_TURN, CHECKS_WAITING } from './bounds.ts';

export class Checks {
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isScheduled = false;

  /** Runs the job now or in a later turn; false when too many wait. */
  run(job: () => void): boolean {
    if (this.#used < CHECKS_PER_TURN && this.#waiting.length === 0) {
      this.#used++;
      this.#schedule();
      job();
      return true;
    }
    if (this.#waiting.length >= CHECKS_WAITING) return false;
    this.#waiting.push(job);
    return true;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#used = Math.min(CHECKS_PER_TURN, this.#waiting.length);
    if (this.#used === 0) return;
    this.#schedule();
    for (const job of this.#waiting.splice(0, this.#used)) job();
  }
}
