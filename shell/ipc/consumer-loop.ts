// The loop of a consumer thread: drains its sources, sleeps behind a doorbell when they are empty, and goes through the
// event loop after a bounded number of records, so that timers, sockets and messages have their turn under constant load.
//
// Units: records per turn. Never: polls, catches what `drain` throws (that is fatal).

import type { Doorbell } from './doorbell.ts';

const RECORDS_PER_TURN = 256;

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
  private state: State = 'yielded';

  constructor({ doorbell, drain, recordsPerTurn, isBusy }: ConsumerOptions & { readonly recordsPerTurn: number }) {
    this.doorbell = doorbell;
    this.drain = drain;
    this.recordsPerTurn = recordsPerTurn;
    this.isBusy = isBusy ?? (() => false);
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
    let left = this.recordsPerTurn;
    let flagged = false;
    while (left > 0) {
      const done = this.drain(left);
      if (this.stopped()) return;
      if (done > 0) {
        left -= done;
        if (flagged) this.doorbell.awake();
        flagged = false;
      } else if (!flagged) {
        if (this.isBusy()) break;
        this.doorbell.sleep();
        flagged = true;
      } else {
        this.state = 'sleeping';
        return;
      }
    }
    this.state = 'yielded';
    setImmediate(this.turn);
  };

  /** A method, because `drain` may stop the loop behind the type checker's narrowing. */
  private stopped(): boolean {
    return this.state === 'stopped';
  }
}
