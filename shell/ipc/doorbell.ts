// Wakes a sleeping consumer thread: one shared flag per consumer, and a message port from each producer. No wake-up is lost: a producer
// publishes, then loads the flag; the consumer sets the flag, then checks its sources again. All four accesses are sequentially
// consistent. Call `ring()` after every publish, watermark store or release that the other thread may wait for.

import { MessageChannel, type MessagePort } from 'node:worker_threads';

const AWAKE = 0;
const SLEEPING = 1;

/** Send `ports` in the transfer list. */
export type DoorbellDescription = { readonly flag: SharedArrayBuffer; readonly ports: readonly MessagePort[] };
/** Send `port` in the transfer list. */
export type RingerDescription = { readonly flag: SharedArrayBuffer; readonly port: MessagePort };

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

  /** Rings once per event loop turn: waking a thread takes tens of microseconds. */
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

export class Doorbell {
  private readonly flag: Int32Array;
  private readonly ports: readonly MessagePort[];

  constructor({ flag, ports }: DoorbellDescription) {
    this.flag = new Int32Array(flag);
    this.ports = ports;
  }

  /** `wake` may be called without cause. */
  listen(wake: () => void): void {
    for (const port of this.ports) port.on('message', wake);
  }

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
