// The loop of a consumer thread: drains its sources, sleeps behind a doorbell when they are empty, and yields to the
// event loop after `recordsPerTurn` records. It never polls. An error in `drain` is fatal.

import type { Doorbell } from './doorbell.ts';

const RECORDS_PER_TURN = 256;

type State = 'sleeping' | 'draining' | 'yielded' | 'stopped';

type ConsumerOptions = {
  readonly doorbell: Doorbell;
  /**
   * Releases about `limit` (>= 1) records and returns their number. 0: nothing to do before the next ring; the next call must read shared
   * memory again.
   */
  readonly drain: (limit: number) => number;
  readonly recordsPerTurn?: number;
  readonly isBusy?: () => boolean;
};

export type ConsumerHandle = {
  readonly wake: () => void;
  readonly stop: () => void;
};

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

  private stopped(): boolean {
    return this.state === 'stopped';
  }
}
