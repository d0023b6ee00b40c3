// Named u32 counters in shared memory: watermarks (the low word of a seq: durable, applied), gauges, heartbeats.
// Each has one writer and any number of readers, but for what writers share by `replace`.
//
// Units: whatever the name says; values wrap at 2^32. Watermarks are compared by signed difference, so the two sides must
// be less than 2^31 apart. A counter is an independent number: only a doorbell rung after a store tells another thread.
// Never: two writers that `store` into one counter, a comparison of watermarks by `<`.

/** A cache line for each counter: writers of neighbours must not slow each other. */
const STRIDE_BYTES = 64;
const STRIDE_WORDS = STRIDE_BYTES >>> 2;

/** What is sent to the threads; plain and structured-cloneable. */
export type CountersDescription<Name extends string> = { readonly buffer: SharedArrayBuffer; readonly names: readonly Name[] };

export function createCounters<Name extends string>(names: readonly Name[]): CountersDescription<Name> {
  for (let i = 0; i < names.length; i++) {
    if (names.indexOf(names[i]) !== i) throw new RangeError(`counter ${names[i]} is named twice`);
  }
  return { buffer: new SharedArrayBuffer(STRIDE_BYTES * names.length), names };
}

/** Whether a watermark (u32) has come to `seq`, a whole seq or its low word. */
export function reached(mark: number, seq: number): boolean {
  return ((mark - seq) | 0) >= 0;
}

export class Counter {
  private readonly words: Uint32Array;
  private readonly word: number;

  constructor(words: Uint32Array, word: number) {
    this.words = words;
    this.word = word;
  }

  load(): number {
    return Atomics.load(this.words, this.word);
  }

  /** Keeps the low 32 bits of `value`, any safe integer. */
  store(value: number): void {
    Atomics.store(this.words, this.word, value >>> 0);
  }

  add(amount: number): void {
    Atomics.add(this.words, this.word, amount >>> 0);
  }

  /** Stores `value` where `expected` still stands; false: another thread was first. */
  replace(expected: number, value: number): boolean {
    return Atomics.compareExchange(this.words, this.word, expected >>> 0, value >>> 0) === expected >>> 0;
  }
}

export class SharedCounters<Name extends string> {
  private readonly words: Uint32Array;
  private readonly names: readonly Name[];

  constructor({ buffer, names }: CountersDescription<Name>) {
    this.words = new Uint32Array(buffer);
    this.names = names;
  }

  /** To be kept by those who use it often: looks the name up. */
  counter(name: Name): Counter {
    const index = this.names.indexOf(name);
    if (index < 0) throw new RangeError(`no counter is named ${name}`);
    return new Counter(this.words, index * STRIDE_WORDS);
  }

  /** Every counter by name, each read on its own; for metrics. */
  read(): [name: Name, value: number][] {
    return this.names.map((name, index) => [name, Atomics.load(this.words, index * STRIDE_WORDS)]);
  }
}

const BEAT_EVERY_MS = 250;

/** Counts in this thread's event loop every `periodMs`, so that the count stands still when the loop does. Returns the stop. */
export function startHeartbeat(beats: Counter, periodMs = BEAT_EVERY_MS): () => void {
  const timer = setInterval(() => beats.add(1), periodMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Tells how long another thread's heartbeat has stood still. Times in ms, from any steady clock of the caller. */
export class HeartbeatWatch {
  private readonly beats: Counter;
  private seen: number;
  private movedAt: number;

  constructor(beats: Counter, now: number) {
    this.beats = beats;
    this.seen = beats.load();
    this.movedAt = now;
  }

  /** Milliseconds since the count was first seen to be what it is; to be asked more often than the limit of interest. */
  silentMs(now: number): number {
    const count = this.beats.load();
    if (count !== this.seen) {
      this.seen = count;
      this.movedAt = now;
    }
    return now - this.movedAt;
  }
}
