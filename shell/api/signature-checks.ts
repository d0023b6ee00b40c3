// Bounded queue of signature checks. A few run per turn of the event loop, so that a burst does not delay other work.
// Network sources take turns. Jobs must catch their own exceptions.

import { BOUNDS, partsOf } from '../http/limits.ts';
import { steady } from '../process/clock.ts';
import { FairQueue } from '../process/fair-queue.ts';
import { BUSY, refuse, type Refusal } from '../http/errors.ts';
import { mostOf } from '../http/quota.ts';
import type { Source } from '../http/source.ts';
import type { Meters } from '../process/observability/meters.ts';

/** `from`: time of arrival. `weight`: in checks. */
type Job = { readonly check: () => void; readonly from: number; readonly weight: number; next: Job | null };

const PLACES = partsOf(BOUNDS.checksWaiting);
const SOURCE_BUSY = refuse('engine_busy', 'Too many signatures of this network source are waiting');

export class SignatureCheckQueue {
  readonly #meters: Meters;
  readonly #waiting = new FairQueue<string, Job>();
  #used = 0;
  #isScheduled = false;

  constructor(meters: Meters) {
    this.#meters = meters;
  }

  /** Returns why the queue is full, or null. */
  run(source: Source, check: () => void, weight = 1): Refusal | null {
    const job: Job = { check, from: steady(), weight, next: null };
    if (this.#used < BOUNDS.checksPerTurn && this.#waiting.length === 0) {
      this.#schedule();
      this.#runJob(job);
      return null;
    }
    if (this.#waiting.lengthOf(source.network) >= mostOf(PLACES, source.loopback)) return SOURCE_BUSY;
    if (this.#waiting.length >= BOUNDS.checksWaiting) return BUSY;
    this.#waiting.add(source.network, job);
    return null;
  }

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

  readonly #runJob = ({ check, from, weight }: Job): void => {
    this.#used += weight;
    check();
    this.#meters.observe('check', (steady() - from) / 1_000);
  };

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#used = 0;
    if (this.#waiting.length === 0) return;
    this.#schedule();
    this.#waiting.serve(isReady, this.#isTurnFull, this.#runJob);
  };

  readonly #isTurnFull = (): boolean => this.#used >= BOUNDS.checksPerTurn;
}

const isReady = (): boolean => true;
