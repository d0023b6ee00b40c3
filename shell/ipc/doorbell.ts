// Wakes a consumer thread that has nothing to do: one flag in shared memory for each consumer thread, and a message port from
// each of its producers. A sleeper has gone back to its event loop and is sent a message.
//
// Why no wake-up is lost: a producer makes its news visible (ring head, ring tail, watermark: all sequentially consistent
// stores) and then loads the flag; the consumer stores the flag and then looks at all its sources once more. In the one total
// order of these four accesses either the producer sees the flag and sends a message, or the consumer sees the news. The
// first producer to swap the flag back sends the only message of that sleep.
//
// Use: `ring()` after every publish, watermark store or release that the other thread may be waiting for.
// Never: carries data, waits, costs more than one load while the consumer is awake.

import { MessageChannel, type MessagePort } from 'node:worker_threads';

const AWAKE = 0;
const SLEEPING = 1;

/** The consumer's end; sent with `ports` in the transfer list. */
export type DoorbellDescription = { readonly flag: SharedArrayBuffer; readonly ports: readonly MessagePort[] };
/** One producer's end; sent with `port` in the transfer list. */
export type RingerDescription = { readonly flag: SharedArrayBuffer; readonly port: MessagePort };

/** A doorbell for one consumer thread and `producers` threads that wake it. */
export function createDoorbell(producers: number): { doorbell: DoorbellDescription; ringers: RingerDescription[] } {
  const flag = new SharedArrayBuffer(4);
  const ports: MessagePort[] = [];
  const ringers: RingerDescription[] = [];
  for (let i = 0; i < producers; i++) {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1);
    ringers.push({ flag, port: port2 });
  }
  return { doorbell: { flag, ports }, ringers };
}

/** A producer's end. */
export class Ringer {
  private readonly flag: Int32Array;
  private readonly port: MessagePort;
  private isDue = false;

  constructor({ flag, port }: RingerDescription) {
    this.flag = new Int32Array(flag);
    this.port = port;
    port.unref();
  }

  ring(): void {
    if (Atomics.load(this.flag, 0) === AWAKE) return;
    if (Atomics.exchange(this.flag, 0, AWAKE) === SLEEPING) this.port.postMessage(0);
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
    this.port.close();
  }
}

/** The consumer's end; `runConsumer` drives it. */
export class Doorbell {
  private readonly flag: Int32Array;
  private readonly ports: readonly MessagePort[];

  constructor({ flag, ports }: DoorbellDescription) {
    this.flag = new Int32Array(flag);
    this.ports = ports;
  }

  /**
   * From now on the ports keep the thread's event loop running, until `close`. `wake` may be called without cause: a message can arrive
   * after its news has been found.
   */
  listen(wake: () => void): void {
    for (const port of this.ports) port.on('message', wake);
  }

  /** To be followed by one more look at every source before the thread returns to its event loop. */
  sleep(): void {
    Atomics.store(this.flag, 0, SLEEPING);
  }

  awake(): void {
    Atomics.store(this.flag, 0, AWAKE);
  }

  close(): void {
    for (const port of this.ports) port.close();
  }
}
