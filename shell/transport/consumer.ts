// The loop of a consumer thread: drains its sources, sleeps behind a doorbell when they are empty, and goes through the
// event loop after a bounded number of records, so that timers, sockets and messages have their turn under constant load.
// A thread to which next to everything comes by its sources may stand by between records instead, for a bounded time.
//
// Units: records per turn, ms. Never: stands while its event loop has something due, polls, catches what `drain` throws
// (that is fatal).

import type { Doorbell } from './doorbell.ts';

const RECORDS_PER_TURN = 256;
/** Ends a turn in which the thread stands by: messages wait no longer than this. With 5 an order of a thousand a second took 10 us more. */
const STANDING_TURN_MS = 20;
/**
 * A turn that brought as many in less time is followed by sleep, and by no standing for so long: under load more gather while a message
 * is under way, and share what a commit and an answer cost. Standing by regardless, peaks were 5 % lower.
 */
const STANDING_TURN_RECORDS = 64;
const LOADED_MS = 100;

type State = 'sleeping' | 'draining' | 'yielded' | 'stopped';

type ConsumerOptions = {
  readonly doorbell: Doorbell;
  /**
   * Handles about `limit` records (1 or more) from all sources of the thread, releases them, and returns how many it handled: more where
   * they go together, as in a frame of the journal. 0 says that nothing can be done before the next ring; a call after 0 must look
   * at shared memory afresh.
   */
  readonly drain: (limit: number) => number;
  readonly recordsPerTurn?: number;
  /** True while the thread goes through its event loop anyway: it looks in every turn then, and nobody has to ring. */
  readonly isBusy?: () => boolean;
  /** The thread may stand by; messages of other threads come up to `STANDING_TURN_MS` late then. Default: it never does. */
  readonly standBy?: StandBy;
};

type StandBy = {
  /** A clock, ms. */
  readonly steady: () => number;
  /** In so many ms from now its event loop has something due. */
  readonly dueIn: () => number;
};

export type ConsumerHandle = {
  /** Drains now if the loop sleeps: for work that arises in this thread itself, such as a timer. */
  readonly wake: () => void;
  /** Ends the loop and closes the doorbell; no `drain` begins after it. */
  readonly stop: () => void;
};

/** Starts the loop with a first turn at the next pass of the event loop. */
export function runConsumer(options: ConsumerOptions): ConsumerHandle {
  const { recordsPerTurn = RECORDS_PER_TURN } = options;
  if (!Number.isInteger(recordsPerTurn) || recordsPerTurn < 1) throw new RangeError('recordsPerTurn must be 1 or more');
  const loop = new ConsumerLoop({ ...options, recordsPerTurn });
  return { wake: loop.wake, stop: loop.stop };
}

class ConsumerLoop {
  private readonly doorbell: Doorbell;
  private readonly drain: (limit: number) => number;
  private readonly recordsPerTurn: number;
  private readonly isBusy: () => boolean;
  private readonly standBy: StandBy | null;
  /** The turn before brought a record: more may follow soon. */
  private isFlowing = false;
  private loadedUntil = -Infinity;
  private state: State = 'yielded';

  constructor({ doorbell, drain, recordsPerTurn, isBusy, standBy }: ConsumerOptions & { readonly recordsPerTurn: number }) {
    this.doorbell = doorbell;
    this.drain = drain;
    this.recordsPerTurn = recordsPerTurn;
    this.isBusy = isBusy ?? (() => false);
    this.standBy = standBy ?? null;
    doorbell.listen(this.wake);
    setImmediate(this.turn);
  }

  readonly wake = (): void => {
    if (this.state === 'sleeping') this.turn();
  };

  readonly stop = (): void => {
    this.state = 'stopped';
    this.doorbell.close();
  };

  private readonly turn = (): void => {
    if (this.stopped()) return;
    this.state = 'draining';
    this.doorbell.awake();
    const standBy = this.mayStandBy();
    const until = standBy === null ? 0 : standBy.steady() + STANDING_TURN_MS;
    this.isFlowing = false;
    let left = standBy === null ? this.recordsPerTurn : Math.min(this.recordsPerTurn, STANDING_TURN_RECORDS);
    let flagged = false;
    while (left > 0) {
      const done = this.drain(left);
      if (this.stopped()) return;
      if (done > 0) {
        left -= done;
        this.isFlowing = true;
        if (flagged) this.doorbell.awake();
        flagged = false;
      } else if (!flagged) {
        if (this.isBusy()) break;
        if (standBy === null) this.doorbell.sleep();
        else this.doorbell.standBy();
        flagged = true;
      } else if (standBy === null) {
        this.state = 'sleeping';
        return;
      } else if (this.doorbell.stand(Math.min(until - standBy.steady(), standBy.dueIn()))) {
        flagged = false;
      } else {
        break;
      }
    }
    if (standBy !== null && left <= 0) this.loadedUntil = standBy.steady() + LOADED_MS;
    this.state = 'yielded';
    setImmediate(this.turn);
  };

  private mayStandBy(): StandBy | null {
    return this.isFlowing && this.standBy !== null && this.standBy.steady() >= this.loadedUntil ? this.standBy : null;
  }

  /** A method, because `drain` may stop the loop behind the type checker's narrowing. */
  private stopped(): boolean {
    return this.state === 'stopped';
  }
}
