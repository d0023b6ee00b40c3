// When connections are written to. What a turn of the thread brings is gathered, so that each connection is written to once for
// all of it. Books may wait: a connection is written to for their sake once in REST_MS, at once if nothing of the kind went
// before, else when its next moment comes. These moments lie apart: if those of all connections were one, the last would wait for
// the writes of all others. What must not wait takes with it what has been gathered, so a connection's messages keep their order.

/** A write costs more than all else in a fan-out (docs/decisions/sockets.md), so books of one connection share them. */
export const BATCH_MS = 10;
/** Parts into which connections and their moments are spread. */
const PHASES = 8;
const TICK_MS = BATCH_MS / PHASES;

/** What goes to one connection. */
export type ScheduledWriter = {
  readonly slot: WriteSlot;
  /** Whether all that was gathered may wait. */
  readonly canWait: boolean;
  /** Writes what was gathered; false when there is nothing. */
  flush(): boolean;
};

/** Of one connection: its moments, the one after which it was last written to in their pace, and whether it waits for the next. */
export type WriteSlot = { readonly phase: number; lastRound: number; isWaiting: boolean };

export class WriteScheduler {
  readonly #steady: () => number;
  readonly #scheduled: ScheduledWriter[] = [];
  /** By phase, those that wait for its moment. */
  readonly #waiting: readonly ScheduledWriter[][] = Array.from({ length: PHASES }, () => []);
  #tick = 0;
  #timer: NodeJS.Timeout | null = null;
  #connections = 0;
  #isBatching = false;

  /** `steady`: ms of a clock that never goes back. */
  constructor(steady: () => number) {
    this.#steady = steady;
  }

  run<T>(work: () => T): T {
    this.#isBatching = true;
    try {
      return work();
    } finally {
      this.#isBatching = false;
      this.#flushScheduled();
    }
  }

  /** Whether what is sent now is gathered. */
  get isBatching(): boolean {
    return this.#isBatching;
  }

  newSlot(): WriteSlot {
    return { phase: this.#connections++ % PHASES, lastRound: -1, isWaiting: false };
  }

  /** Something has been gathered for this connection: the first thing, or the first that may not wait. */
  schedule(writer: ScheduledWriter): void {
    this.#scheduled.push(writer);
  }

  #flushScheduled(): void {
    this.#flushDue();
    for (const writer of this.#scheduled) {
      const { slot } = writer;
      const round = this.#roundOf(slot);
      if (!writer.canWait) writer.flush();
      else if (slot.lastRound !== round) {
        if (writer.flush()) slot.lastRound = round;
      } else if (!slot.isWaiting) {
        slot.isWaiting = true;
        this.#waiting[slot.phase]!.push(writer);
      }
    }
    this.#scheduled.length = 0;
    this.#armTimer();
  }

  /** Writes to those whose moment has come since the last call. */
  #flushDue(): void {
    const before = this.#tick;
    this.#tick = Math.floor(this.#steady() / TICK_MS);
    for (let tick = Math.max(before + 1, this.#tick - PHASES + 1); tick <= this.#tick; tick++) {
      const waiting = this.#waiting[tick % PHASES]!;
      for (const writer of waiting) {
        const { slot } = writer;
        slot.isWaiting = false;
        if (writer.flush()) slot.lastRound = this.#roundOf(slot);
      }
      waiting.length = 0;
    }
  }

  /** If no turn comes before the next moment, a timer does. */
  #armTimer(): void {
    if (this.#timer !== null || this.#waiting.every(({ length }) => length === 0)) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#flushDue();
      this.#armTimer();
    }, TICK_MS);
    // A thread that ends does not wait for them.
    this.#timer.unref();
  }

  #roundOf({ phase }: WriteSlot): number {
    return Math.floor((this.#tick - phase) / PHASES);
  }
}
