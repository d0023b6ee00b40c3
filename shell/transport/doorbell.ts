// Wakes a consumer thread that has gone back to its event loop: one `sleeping` flag in shared memory for each consumer
// thread, and a wire from each of its producers (bell-wire.ts).
//
// Why no wake-up is lost: a producer makes its news visible (ring head, ring tail, watermark: all sequentially consistent
// stores) and then loads the flag; the consumer stores the flag and then looks at all its sources once more. In the one total
// order of these four accesses either the producer sees the flag and calls, or the consumer sees the news. The first
// producer to swap the flag back makes the only call of that sleep.
//
// Use: `ring()` after every publish, watermark store or release that the other thread may be waiting for.
// Never: carries data, waits, costs more than one load while the consumer is awake.

import { callerOn, closeEnd, createWire, hearOn, type Caller, type WireEnd } from './bell-wire.ts';

const AWAKE = 0;
const SLEEPING = 1;

/** The consumer's end; ports in it go into the transfer list. */
export type DoorbellDescription = { readonly flag: SharedArrayBuffer; readonly ends: readonly WireEnd[] };
/** One producer's end; a port in it goes into the transfer list. */
export type RingerDescription = { readonly flag: SharedArrayBuffer; readonly end: WireEnd };

/** A doorbell for one consumer thread and `producers` threads that wake it, by the named pipe of this path or by ports. */
export function createDoorbell(
  producers: number, pipe: string | null = null,
): { doorbell: DoorbellDescription; ringers: readonly RingerDescription[] } {
  const flag = new SharedArrayBuffer(4);
  const { hearing, calling } = createWire(producers, pipe);
  return { doorbell: { flag, ends: hearing }, ringers: calling.map((end) => ({ flag, end })) };
}

/** A producer's end. */
export class Ringer {
  private readonly flag: Int32Array;
  private readonly caller: Caller;
  private isDue = false;

  constructor({ flag, end }: RingerDescription) {
    this.flag = new Int32Array(flag);
    this.caller = callerOn(end);
  }

  ring(): void {
    if (Atomics.load(this.flag, 0) === AWAKE) return;
    if (Atomics.exchange(this.flag, 0, AWAKE) === SLEEPING) this.caller.call();
  }

  /**
   * Rings once after this turn of the event loop, however often it is called in it: waking a thread costs tens of
   * microseconds, and what one turn brings in (several requests under load) can share one.
   */
  ringSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(this.ringNow);
  }

  private readonly ringNow = (): void => {
    this.isDue = false;
    this.ring();
  };

  close(): void {
    this.caller.close();
  }
}

/** The consumer's end; `runConsumer` drives it. */
export class Doorbell {
  private readonly flag: Int32Array;
  private readonly ends: readonly WireEnd[];
  /** Close them, once they are listened to. */
  private closings: readonly (() => void)[] | null = null;

  constructor({ flag, ends }: DoorbellDescription) {
    this.flag = new Int32Array(flag);
    this.ends = ends;
  }

  /** `wake` may be called without cause: a call can arrive after its news has been found. Until the close the thread does not end. */
  listen(wake: () => void): void {
    this.closings = this.ends.map((end) => hearOn(end, wake));
  }

  /** To be followed by one more look at every source before the thread returns to its event loop. */
  sleep(): void {
    Atomics.store(this.flag, 0, SLEEPING);
  }

  awake(): void {
    Atomics.store(this.flag, 0, AWAKE);
  }

  close(): void {
    const closings = this.closings ?? this.ends.map((end) => () => closeEnd(end));
    this.closings = [];
    for (const close of closings) close();
  }
}
