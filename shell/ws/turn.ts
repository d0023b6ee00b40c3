// When connections are written to. What a turn of the thread brings is gathered, so that each connection is written to once for
// all of it. Books may wait: a connection is written to for their sake once in REST_MS, at once if nothing of the kind went
// before, else when its next moment comes. These moments lie apart: if those of all connections were one, the last would wait for
// the writes of all others. What must not wait takes with it what has been gathered, so a connection's messages keep their order.

/** A write costs more than all else in a fan-out (docs/decisions/sockets.md), so books of one connection share them. */
export const REST_MS = 10;
/** Parts into which connections and their moments are spread. */
const PHASES = 8;
const TICK_MS = REST_MS / PHASES;

/** What goes to one connection. */
export type Gathering = {
  readonly pace: Pace;
  /** Whether all that was gathered may wait. */
  readonly mayWait: boolean;
  /** Writes what was gathered; false when there is nothing. */
  flush(): boolean;
};

/** Of one connection: its moments, the one after which it was last written to in their pace, and whether it waits for the next. */
export type Pace = { readonly phase: number; round: number; isWaiting: boolean };

export class Turn {
  readonly #steady: () => number;
  readonly #touched: Gathering[] = [];
  /** By phase, those that wait for its moment. */
  readonly #waiting: readonly Gathering[][] = Array.from({ length: PHASES }, () => []);
  #tick = 0;
  #timer: NodeJS.Timeout | null = null;
  #connections = 0;
  #isOpen = false;

  /** `steady`: ms of a clock that never goes back. */
  constructor(steady: () => number) {
    this.#steady = steady;
  }

  run<T>(work: () => T): T {
    this.#isOpen = true;
    try {
      return work();
    } finally {
      this.#isOpen = false;
      this.#end();
    }
  }

  /** Whether what is sent now is gathered. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  newPace(): Pace {
    return { phase: this.#connections++ % PHASES, round: -1, isWaiting: false };
  }

  /** Something has been gathered for this connection: the first thing, or the first that may not wait. */
  touch(gathering: Gathering): void {
    this.#touched.push(gathering);
  }

  #end(): void {
    this.#keepMoments();
    for (const gathering of this.#touched) {
      const { pace } = gathering;
      const round = this.#roundOf(pace);
      if (!gathering.mayWait) gathering.flush();
      else if (pace.round !== round) {
        if (gathering.flush()) pace.round = round;
      } else if (!pace.isWaiting) {
        pace.isWaiting = true;
        this.#waiting[pace.phase]!.push(gathering);
      }
    }
    this.#touched.length = 0;
    this.#wakeForMoments();
  }

  /** Writes to those whose moment has come since the last call. */
  #keepMoments(): void {
    const before = this.#tick;
    this.#tick = Math.floor(this.#steady() / TICK_MS);
    for (let tick = Math.max(before + 1, this.#tick - PHASES + 1); tick <= this.#tick; tick++) {
      const waiting = this.#waiting[tick % PHASES]!;
      for (const gathering of waiting) {
        const { pace } = gathering;
        pace.isWaiting = false;
        if (gathering.flush()) pace.round = this.#roundOf(pace);
      }
      waiting.length = 0;
    }
  }

  /** If no turn comes before the next moment, a timer does. */
  #wakeForMoments(): void {
    if (this.#timer !== null || this.#waiting.every(({ length }) => length === 0)) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#keepMoments();
      this.#wakeForMoments();
    }, TICK_MS);
    // A thread that ends does not wait for them.
    this.#timer.unref();
  }

  #roundOf({ phase }: Pace): number {
    return Math.floor((this.#tick - phase) / PHASES);
  }
}
