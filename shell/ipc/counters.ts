// Named u32 counters in shared memory: watermarks (the low word of a seq), gauges, heartbeats. Values wrap. Watermarks
// must be less than 2^31 apart and are compared with `reached`, never `<`. `store` needs a single writer and wakes
// nobody: ring a doorbell.

/** A cache line each, so that writers of neighbours do not slow each other. */
const STRIDE_BYTES = 64;
const STRIDE_WORDS = STRIDE_BYTES >>> 2;

export type CountersDescription<Name extends string> = { readonly buffer: SharedArrayBuffer; readonly names: readonly Name[] };

export function createCounters<Name extends string>(names: readonly Name[]): CountersDescription<Name> {
  for (let i = 0; i < names.length; i++) {
    if (names.indexOf(names[i]) !== i) throw new RangeError(`counter ${names[i]} is named twice`);
  }
  return { buffer: new SharedArrayBuffer(STRIDE_BYTES * names.length), names };
}

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

  store(value: number): void {
    Atomics.store(this.words, this.word, value >>> 0);
  }

  add(amount: number): void {
    Atomics.add(this.words, this.word, amount >>> 0);
  }

  next(): number {
    return (Atomics.add(this.words, this.word, 1) + 1) >>> 0;
  }

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

  counter(name: Name): Counter {
    const index = this.names.indexOf(name);
    if (index < 0) throw new RangeError(`no counter is named ${name}`);
    return new Counter(this.words, index * STRIDE_WORDS);
  }

  /** For metrics: the values are not one snapshot. */
  read(): [name: Name, value: number][] {
    return this.names.map((name, index) => [name, Atomics.load(this.words, index * STRIDE_WORDS)]);
  }
}

const BEAT_EVERY_MS = 250;

export function startHeartbeat(beats: Counter, periodMs = BEAT_EVERY_MS): () => void {
  const timer = setInterval(() => beats.add(1), periodMs);
  timer.unref();
  return () => clearInterval(timer);
}

export class HeartbeatWatch {
  private readonly beats: Counter;
  private seen: number;
  private movedAt: number;

  constructor(beats: Counter, now: number) {
    this.beats = beats;
    this.seen = beats.load();
    this.movedAt = now;
  }

  /** Ms. */
  silentMs(now: number): number {
    const count = this.beats.load();
    if (count !== this.seen) {
      this.seen = count;
      this.movedAt = now;
    }
    return now - this.movedAt;
  }
}

/** Doubles for measurements only, one writer each. Aligned 8-byte writes are not torn on any machine that Node 22 runs on. */
export type SharedNumbers = SharedArrayBuffer;

export function createSharedNumbers(count: number): SharedNumbers {
  return new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT);
}

export function viewSharedNumbers(cells: SharedNumbers): Float64Array {
  return new Float64Array(cells);
}
