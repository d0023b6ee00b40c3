// Batches writes to connections: one per turn of the event loop, and for book updates at most one every 10 ms, the
// first of them at once. Connections are spread over 8 phases, so that the last does not wait for all others. An urgent
// message takes the batched ones with it, which keeps their order.

/** Writing is the largest cost of a fan-out (docs/decisions/sockets.md). */
export const BATCH_MS = 10;
const PHASES = 8;
const TICK_MS = BATCH_MS / PHASES;

export type ScheduledWriter = {
  readonly slot: WriteSlot;
  readonly canWait: boolean;
  flush(): boolean;
};

export type WriteSlot = { readonly phase: number; lastRound: number; isWaiting: boolean };

export class WriteScheduler {
  readonly #steady: () => number;
  readonly #scheduled: ScheduledWriter[] = [];
  readonly #waiting: readonly ScheduledWriter[][] = Array.from({ length: PHASES }, () => []);
  #tick = 0;
  #timer: NodeJS.Timeout | null = null;
  #connections = 0;
  #isBatching = false;

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

  get isBatching(): boolean {
    return this.#isBatching;
  }

  newSlot(): WriteSlot {
    return { phase: this.#connections++ % PHASES, lastRound: -1, isWaiting: false };
  }

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

  /** No turn may come before the next slot. */
  #armTimer(): void {
    if (this.#timer !== null || this.#waiting.every(({ length }) => length === 0)) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#flushDue();
      this.#armTimer();
    }, TICK_MS);
    this.#timer.unref();
  }

  #roundOf({ phase }: WriteSlot): number {
    return Math.floor((this.#tick - phase) / PHASES);
  }
}
