// Whether the venue takes requests: recovery is done, the reader has caught up, the disk holds, and nobody has asked
// this thread to stop. Reads shared counters only; costs two loads a request.

import type { CounterName } from '../threads/wiring.ts';
import type { SharedCounters } from '../transport/counters.ts';

type Component = { readonly name: string; readonly ready: boolean; readonly detail: string };

const DISK = ['ok', 'low: orders are refused', 'full: the venue stops'];
const DISK_FULL = 2;

export class Readiness {
  readonly #mainReady;
  readonly #readerReady;
  readonly #disk;
  readonly #recovered;
  readonly #recoveryTotal;
  #isClosing = false;

  constructor(counters: SharedCounters<CounterName>) {
    this.#mainReady = counters.counter('mainReady');
    this.#readerReady = counters.counter('readerReady');
    this.#disk = counters.counter('disk');
    this.#recovered = counters.counter('recovered');
    this.#recoveryTotal = counters.counter('recoveryTotal');
  }

  /** From now on nothing is taken. */
  close(): void {
    this.#isClosing = true;
  }

  /** Null, or why nothing but health is answered. */
  refusal(): string | null {
    if (this.#isClosing) return 'The service is stopping';
    if (this.#mainReady.load() === 1 && this.#readerReady.load() === 1) return null;
    return 'The service is starting';
  }

  components(): Component[] {
    const isMainReady = this.#mainReady.load() === 1;
    const isReaderReady = this.#readerReady.load() === 1;
    const disk = this.#disk.load();
    const progress = `recovered ${this.#recovered.load()} of ${this.#recoveryTotal.load()} commands`;
    return [
      { name: 'engine', ready: isMainReady, detail: isMainReady ? 'running' : progress },
      { name: 'reader', ready: isReaderReady, detail: isReaderReady ? 'running' : 'recovering' },
      { name: 'disk', ready: disk < DISK_FULL, detail: DISK[disk] ?? 'unknown' },
      { name: 'edge', ready: !this.#isClosing, detail: this.#isClosing ? 'stopping' : 'open' },
    ];
  }
}
