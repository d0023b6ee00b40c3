// A JSON value in shared memory, written by one thread, readable even while that thread hangs. For display only. A seqlock: the version
// is odd during a write; a reader retries until it sees the same even version before and after, at most LOOKS times.

const VERSION = 0;
const LENGTH = 1;
const HEAD_WORDS = 2;
/** A status of 16 underlyings and 64 waiting expiries takes some 8 KiB. */
export const BYTES = 32_768;
const LOOKS = 1_000;

export type SharedValueDescription = SharedArrayBuffer;

export function createSharedValue(): SharedValueDescription {
  return new SharedArrayBuffer(HEAD_WORDS * Uint32Array.BYTES_PER_ELEMENT + BYTES);
}

export class SharedValue<T> {
  private readonly words: Uint32Array;
  private seen = -1;
  private last: T | null = null;

  constructor(description: SharedValueDescription) {
    this.words = new Uint32Array(description);
  }

  publish(value: T): void {
    const { words } = this;
    const text = Buffer.from(JSON.stringify(value));
    if (text.length > BYTES) throw new RangeError(`a shared value of ${text.length} bytes, at most ${BYTES}`);
    const version = Atomics.load(words, VERSION);
    Atomics.store(words, VERSION, version + 1);
    Atomics.store(words, LENGTH, text.length);
    for (let at = 0; at < text.length; at += 4) {
      Atomics.store(words, HEAD_WORDS + at / 4, text[at]! | text[at + 1]! << 8 | text[at + 2]! << 16 | text[at + 3]! << 24);
    }
    Atomics.store(words, VERSION, version + 2);
  }

  read(): T | null {
    const { words } = this;
    for (let look = 0; look < LOOKS; look++) {
      const version = Atomics.load(words, VERSION);
      if (version === 0 || version === this.seen) return this.last;
      if (version % 2 === 1) continue;
      const text = Buffer.alloc(Atomics.load(words, LENGTH));
      for (let at = 0; at < text.length; at++) text[at] = Atomics.load(words, HEAD_WORDS + (at >>> 2)) >>> 8 * (at & 3);
      if (Atomics.load(words, VERSION) !== version) continue;
      this.seen = version;
      this.last = JSON.parse(text.toString('utf8')) as T;
      return this.last;
    }
    return this.last;
  }
}
