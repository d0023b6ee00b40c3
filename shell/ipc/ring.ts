// A single-producer ring of variable-length records in shared memory, after agrona and the Disruptor. Each consumer sees every record
// once, in order. A record begins with its length (bytes, u32, a multiple of 8), contiguous and 8-byte aligned; padding at the end of the
// area has the top bit set. Positions count bytes, wrap at 2^32 and are compared by signed difference: hence at most 2^30 bytes. `head`
// and `tail` accesses are sequentially consistent. Write, then store `head`; load `head`, then read; read, then store `tail`; load tails,
// then overwrite.

import { viewsOf, type Views } from '../../core/codec/record.ts';

/** Two cache lines per counter, because prefetchers fetch lines in pairs. */
const SLOT_BYTES = 128;
const SLOT_WORDS = SLOT_BYTES >>> 2;
const HEAD = 0;
const MAX_BYTES = 1 << 30;
const PADDING = 0x8000_0000;

export type RingDescription = {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: number;
  readonly consumers: number;
  readonly largest: number;
};

type RingOptions = {
  readonly bytes: number;
  readonly consumers: number;
  /** At most half of `bytes`, so that a record fits an empty ring at any head position. */
  readonly largest: number;
  readonly start?: number;
};

export function createRing({ bytes, consumers, largest, start = 0 }: RingOptions): RingDescription {
  if (!Number.isInteger(bytes) || bytes < 16 || bytes > MAX_BYTES || (bytes & (bytes - 1)) !== 0) {
    throw new RangeError(`ring bytes must be a power of two in 16..2^30, not ${bytes}`);
  }
  if (!Number.isInteger(consumers) || consumers < 1) throw new RangeError(`ring consumers must be 1 or more, not ${consumers}`);
  if (!Number.isInteger(largest) || largest < 8 || (largest & 7) !== 0 || largest > bytes / 2) {
    throw new RangeError(`largest record must be a multiple of 8 in 8..${bytes / 2}, not ${largest}`);
  }
  if (!Number.isSafeInteger(start) || (start & 7) !== 0) throw new RangeError(`ring start must be a multiple of 8, not ${start}`);
  const buffer = new SharedArrayBuffer(dataOffset(consumers) + bytes);
  const control = new Int32Array(buffer, 0, dataOffset(consumers) >>> 2);
  for (let slot = 0; slot <= consumers; slot++) Atomics.store(control, slot * SLOT_WORDS, start | 0);
  return { buffer, bytes, consumers, largest };
}

/**
 * Bytes that consumer `index` has not released. The tail is read first, or it could exceed the head. Capped, because records may arrive
 * between the two reads.
 */
export function ringGauge(ring: RingDescription, index: number): () => number {
  const control = controlOf(ring);
  const word = tailWord(index);
  return () => {
    const tail = Atomics.load(control, word);
    return Math.min((Atomics.load(control, HEAD) - tail) | 0, ring.bytes);
  };
}

export function ringDepth(ring: RingDescription, index: number): number {
  return ringGauge(ring, index)();
}

/** One per ring: two in different threads break it. */
export function ringProducer(ring: RingDescription): RingProducer {
  return new RingProducer(ring);
}

/** Starts at its last release. One thread per index. */
export function ringConsumer(ring: RingDescription, index: number): RingConsumer {
  if (!Number.isInteger(index) || index < 0 || index >= ring.consumers) throw new RangeError(`ring has no consumer ${index}`);
  return new RingConsumer(ring, index);
}

function dataOffset(consumers: number): number {
  return SLOT_BYTES * (1 + consumers);
}

function tailWord(consumer: number): number {
  return SLOT_WORDS * (1 + consumer);
}

function controlOf(ring: RingDescription): Int32Array {
  return new Int32Array(ring.buffer, 0, dataOffset(ring.consumers) >>> 2);
}

export class RingProducer {
  readonly views: Views;
  readonly largest: number;
  private readonly control: Int32Array;
  private readonly bytes: number;
  private readonly consumers: number;
  private head: number;
  private claimed: number;
  /** Lower bound of the slowest tail. */
  private gate: number;

  constructor(ring: RingDescription) {
    this.views = viewsOf(ring.buffer, dataOffset(ring.consumers), ring.bytes);
    this.largest = ring.largest;
    this.control = controlOf(ring);
    this.bytes = ring.bytes;
    this.consumers = ring.consumers;
    this.head = Atomics.load(this.control, HEAD);
    this.claimed = this.head;
    this.gate = this.released();
  }

  /**
   * `bytes`: a multiple of 8, at most `largest`. Returns the offset into `views`, with the length word written, or -1
   * if there is no room.
   */
  claim(bytes: number): number {
    if (bytes < 8 || bytes > this.largest || (bytes & ~7) !== bytes) throw new RangeError(`cannot claim a record of ${bytes} bytes`);
    const at = this.claimed & (this.bytes - 1);
    const toEnd = this.bytes - at;
    const needed = bytes <= toEnd ? bytes : toEnd + bytes;
    if (needed > this.free()) {
      this.gate = this.released();
      if (needed > this.free()) return -1;
    }
    this.claimed = (this.claimed + needed) | 0;
    if (needed === bytes) {
      this.views.u32[at >>> 2] = bytes;
      return at;
    }
    this.views.u32[at >>> 2] = PADDING + toEnd;
    this.views.u32[0] = bytes;
    return 0;
  }

  publish(): void {
    this.head = this.claimed;
    Atomics.store(this.control, HEAD, this.head);
  }

  abandon(): void {
    this.claimed = this.head;
  }

  /** From `largest` on it is a lower bound, found without reading the consumers' counters. */
  room(): number {
    const room = this.contiguous();
    if (room >= this.largest) return room;
    this.gate = this.released();
    return this.contiguous();
  }

  published(): number {
    return this.head;
  }

  released(): number {
    let gate = Atomics.load(this.control, tailWord(0));
    for (let consumer = 1; consumer < this.consumers; consumer++) {
      const tail = Atomics.load(this.control, tailWord(consumer));
      if (((tail - gate) | 0) < 0) gate = tail;
    }
    return gate;
  }

  private free(): number {
    return this.bytes - ((this.claimed - this.gate) | 0);
  }

  private contiguous(): number {
    const free = this.free();
    const toEnd = this.bytes - (this.claimed & (this.bytes - 1));
    return free <= toEnd ? free : Math.max(toEnd, free - toEnd);
  }
}

export class RingConsumer {
  readonly views: Views;
  private readonly control: Int32Array;
  private readonly bytes: number;
  private readonly word: number;
  private tail: number;
  private position: number;
  private head: number;
  private peeked = 0;

  constructor(ring: RingDescription, index: number) {
    this.views = viewsOf(ring.buffer, dataOffset(ring.consumers), ring.bytes);
    this.control = controlOf(ring);
    this.bytes = ring.bytes;
    this.word = tailWord(index);
    this.tail = Atomics.load(this.control, this.word);
    this.position = this.tail;
    this.head = this.tail;
  }

  /** -1: none. */
  peek(): number {
    if (this.position === this.head) {
      this.head = Atomics.load(this.control, HEAD);
      if (this.position === this.head) return -1;
    }
    let at = this.position & (this.bytes - 1);
    let length = this.views.u32[at >>> 2] | 0;
    if (length < 0) {
      // Padding is published together with the record after it.
      this.position = (this.position + this.bytes - at) | 0;
      at = 0;
      length = this.views.u32[0] | 0;
    }
    if (length < 8 || (length & 7) !== 0 || length > ((this.head - this.position) | 0)) {
      throw new Error(`ring corrupt: length ${length} at offset ${at}`);
    }
    this.peeked = length;
    return at;
  }

  /** The record after the one at `at`, which is not yet taken; -1 if `peek` has seen none. */
  after(at: number): number {
    const { bytes, position } = this;
    const ahead = ((at - position) & (bytes - 1)) + this.views.u32[at >>> 2];
    if (ahead === ((this.head - position) | 0)) return -1;
    const next = (position + ahead) & (bytes - 1);
    return (this.views.u32[next >>> 2] | 0) < 0 ? 0 : next;
  }

  advance(): void {
    this.position = (this.position + this.peeked) | 0;
    this.peeked = 0;
  }

  /** The taken record stays valid until `release`. -1: none. */
  next(): number {
    const at = this.peek();
    if (at >= 0) this.advance();
    return at;
  }

  release(): void {
    if (this.position === this.tail) return;
    this.tail = this.position;
    Atomics.store(this.control, this.word, this.tail);
  }

  end(): number {
    return Atomics.load(this.control, HEAD);
  }

  hasTaken(end: number): boolean {
    return ((this.position - end) | 0) >= 0;
  }
}
