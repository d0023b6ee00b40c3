// A single-producer ring of variable-length records over shared memory, with one or more consumers that each see
// every record, in order, exactly once. Design after agrona's one-to-one ring buffer and the Disruptor's gating sequences.
//
// Units: bytes. A record starts with its length as u32 (whole record, a multiple of 8) and is contiguous and 8-byte
// aligned; the rest of it is not looked at here. A claim that would cross the end of the data area leaves padding there
// (a length word with the top bit set), which consumers skip.
//
// Positions count bytes since creation and wrap at 2^32. They are kept as int32, the same 32 bits, because V8 holds those
// without a heap number, and are only ever compared by signed difference: hence the limit of 2^30 bytes for a ring.
//
// Ordering: the producer writes records with plain stores and then stores `head`; a consumer loads `head` and then reads.
// A consumer reads and then stores its `tail`; the producer loads the tails and then overwrites. All four are sequentially
// consistent, which the doorbell relies on as well.
//
// Never: waits, allocates per record, lets a consumer write into a record, hands out a record before its publish.

import { viewsOf, type Views } from '../../core/codec/record.ts';

/** Two cache lines for each counter, since prefetchers fetch lines in pairs. */
const SLOT_BYTES = 128;
const SLOT_WORDS = SLOT_BYTES >>> 2;
const HEAD = 0;
const MAX_BYTES = 1 << 30;
const PADDING = 0x8000_0000;

/** What is sent to the threads of a ring; plain and structured-cloneable. */
export type RingDescription = {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: number;
  readonly consumers: number;
  readonly largest: number;
};

type RingOptions = {
  /** Size of the data area, a power of two up to 2^30. */
  readonly bytes: number;
  readonly consumers: number;
  /** Largest record, at most half of `bytes`, so that it fits into an empty ring wherever the head is. */
  readonly largest: number;
  /** First value of all positions, a multiple of 8; tests begin just below the wraps. */
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
 * Tells the bytes published that consumer `index` has not released, as anybody may ask. Records come and go between the two looks: the
 * tail is looked at first, or it could lie beyond the head; and what has come since may be more than the ring ever held.
 */
export function ringGauge(ring: RingDescription, index: number): () => number {
  const control = controlOf(ring);
  const word = tailWord(index);
  return () => {
    const tail = Atomics.load(control, word);
    return Math.min((Atomics.load(control, HEAD) - tail) | 0, ring.bytes);
  };
}

/** The same, asked once. */
export function ringDepth(ring: RingDescription, index: number): number {
  return ringGauge(ring, index)();
}

/** The one producer; calling this in two threads at once breaks the ring. */
export function ringProducer(ring: RingDescription): RingProducer {
  return new RingProducer(ring);
}

/** Consumer `index` of the ring, from where it last released; one thread for each index. */
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
  /** The data area; write a claimed record through these. */
  readonly views: Views;
  readonly largest: number;
  private readonly control: Int32Array;
  private readonly bytes: number;
  private readonly consumers: number;
  private head: number;
  private claimed: number;
  /** A lower bound of the slowest consumer's tail, read again only when it seems to leave no room. */
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
   * Room for one record of `bytes` (a multiple of 8, at most `largest`) after those claimed so far: its byte offset into
   * `views`, its length word already written, or -1 when the slowest consumer leaves no room. Unseen until `publish`.
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

  /** Shows all claimed records to the consumers at once. */
  publish(): void {
    this.head = this.claimed;
    Atomics.store(this.control, HEAD, this.head);
  }

  /** Forgets every claim since the last publish. */
  abandon(): void {
    this.claimed = this.head;
  }

  /**
   * Bytes such that a record of this size or any smaller one can be claimed now, padding considered. Exact when below
   * `largest`; otherwise a lower bound, at least `largest`, found without reading the consumers' counters.
   */
  room(): number {
    const room = this.contiguous();
    if (room >= this.largest) return room;
    this.gate = this.released();
    return this.contiguous();
  }

  /** Position up to which everything is published. */
  published(): number {
    return this.head;
  }

  /** Position up to which every consumer has released. */
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
  /** The data area; for reading only, other consumers see the same bytes. */
  readonly views: Views;
  private readonly control: Int32Array;
  private readonly bytes: number;
  private readonly word: number;
  /** Released up to here, as the producer knows it. */
  private tail: number;
  /** Taken up to here. */
  private position: number;
  /** Published up to here as last seen. */
  private head: number;
  /** Length of the record that `peek` showed and nobody has advanced over, else 0. */
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

  /** Byte offset of the next record without taking it, or -1 when all published records are taken. */
  peek(): number {
    if (this.position === this.head) {
      this.head = Atomics.load(this.control, HEAD);
      if (this.position === this.head) return -1;
    }
    let at = this.position & (this.bytes - 1);
    let length = this.views.u32[at >>> 2] | 0;
    if (length < 0) {
      // Padding is published together with the record behind it, so there is one.
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

  /**
   * Byte offset of the record behind the one at `at`, which `peek` or this showed and nobody has taken; -1 when none was published
   * as far as `peek` has seen. Of records published at once, it shows all behind the first.
   */
  after(at: number): number {
    const { bytes, position } = this;
    const ahead = ((at - position) & (bytes - 1)) + this.views.u32[at >>> 2];
    if (ahead === ((this.head - position) | 0)) return -1;
    const next = (position + ahead) & (bytes - 1);
    // Padding, published together with the record behind it.
    return (this.views.u32[next >>> 2] | 0) < 0 ? 0 : next;
  }

  /** Takes the record that `peek` showed; nothing when it showed none. */
  advance(): void {
    this.position = (this.position + this.peeked) | 0;
    this.peeked = 0;
  }

  /** Takes the next record: its byte offset, or -1. It stays as it is until `release`. */
  next(): number {
    const at = this.peek();
    if (at >= 0) this.advance();
    return at;
  }

  /** Gives every record taken so far back to the producer. */
  release(): void {
    if (this.position === this.tail) return;
    this.tail = this.position;
    Atomics.store(this.control, this.word, this.tail);
  }

  /** The position behind the last record that is published by now. */
  end(): number {
    return Atomics.load(this.control, HEAD);
  }

  /** True when every record before the position, which `end` told, has been taken. */
  hasTaken(end: number): boolean {
    return ((this.position - end) | 0) >= 0;
  }
}
