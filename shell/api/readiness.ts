// Whether the venue takes requests: recovery is done, the reader has caught up, the disk holds, and nobody has asked
// this thread to stop. Reads shared counters only; costs two loads a request. A thread whose event loop has stood still
// for STILL_FOR makes /ready say so; requests go on to be taken, since each of them has its own bound.

import { DISK_STATES, type CounterName } from '../wiring.ts';
import { HeartbeatWatch, type SharedCounters } from '../transport/counters.ts';
import { STILL_FOR } from '../bounds/api.ts';

type Component = { readonly name: string; readonly ready: boolean; readonly detail: string };

const DISK = ['ok', 'low: orders are refused', 'full: the venue stops'];
const BEATS = { main: 'beatMain', journal: 'beatJournal', reader: 'beatReader', history: 'beatHistory' } as const;

export class Readiness {
  readonly #mainReady;
  readonly #readerReady;
  readonly #disk;
  readonly #recovered;
  readonly #recoveryTotal;
  readonly #counters: SharedCounters<CounterName>;
  #watches: readonly { readonly name: string; readonly watch: HeartbeatWatch }[] | null = null;
  #now: number;
  #isClosing = false;

  /** `now` in ms of a steady clock. */
  constructor(counters: SharedCounters<CounterName>, now: number) {
    this.#now = now;
    this.#counters = counters;
    this.#mainReady = counters.counter('mainReady');
    this.#readerReady = counters.counter('readerReady');
    this.#disk = counters.counter('disk');
    this.#recovered = counters.counter('recovered');
    this.#recoveryTotal = counters.counter('recoveryTotal');
  }

  /** To be called every so often: looks whether the threads have moved. */
  watch(now: number): void {
    this.#now = now;
    for (const { watch } of this.#watched()) watch.stillMs(now);
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
      ...this.#watched().map(({ name, watch }) => beating(name, watch.stillMs(this.#now))),
      { name: 'disk', ready: disk !== DISK_STATES.stop, detail: DISK[disk] ?? 'unknown' },
      { name: 'edge', ready: !this.#isClosing, detail: this.#isClosing ? 'stopping' : 'open' },
    ];
  }

  /** From when main is ready on: until then a thread has not begun yet, or recovers without a pause, and that is no standing still. */
  #watched(): readonly { readonly name: string; readonly watch: HeartbeatWatch }[] {
    if (this.#mainReady.load() !== 1) return [];
    return this.#watches ??= Object.entries(BEATS).map(([name, beat]) => (
      { name, watch: new HeartbeatWatch(this.#counters.counter(beat), this.#now) }
    ));
  }
}

function beating(name: string, stillMs: number): Component {
  const ready = stillMs < STILL_FOR;
  return { name: `${name} thread`, ready, detail: ready ? 'moving' : `has stood still for ${Math.floor(stillMs / 1000)} s` };
}
