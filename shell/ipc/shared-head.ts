// The journal's head in shared memory, written by the journal thread. A seqlock, as in shared-value.ts.

const VERSION = 0;
const SEQ_LOW = 1;
const SEQ_HIGH = 2;
const HASH = 3;
const HASH_BYTES = 32;
const WORDS = HASH + HASH_BYTES / 4;

type Head = { readonly seq: number; readonly hash: Uint8Array };
export type SharedHeadDescription = SharedArrayBuffer;

export function createSharedHead(): SharedHeadDescription {
  return new SharedArrayBuffer(WORDS * Uint32Array.BYTES_PER_ELEMENT);
}

export class SharedHead {
  private readonly words: Uint32Array;

  constructor(description: SharedHeadDescription) {
    this.words = new Uint32Array(description);
  }

  publish({ seq, hash }: Head): void {
    const { words } = this;
    const version = Atomics.load(words, VERSION);
    Atomics.store(words, VERSION, version + 1);
    Atomics.store(words, SEQ_LOW, seq >>> 0);
    Atomics.store(words, SEQ_HIGH, Math.floor(seq / 2 ** 32));
    for (let word = HASH, at = 0; word < WORDS; word++, at += 4) {
      Atomics.store(words, word, hash[at]! | hash[at + 1]! << 8 | hash[at + 2]! << 16 | hash[at + 3]! << 24);
    }
    Atomics.store(words, VERSION, version + 2);
  }

  read(): Head {
    const { words } = this;
    const hash = new Uint8Array(HASH_BYTES);
    for (;;) {
      const version = Atomics.load(words, VERSION);
      const seq = Atomics.load(words, SEQ_HIGH) * 2 ** 32 + Atomics.load(words, SEQ_LOW);
      for (let i = 0; i < HASH_BYTES; i++) hash[i] = Atomics.load(words, HASH + (i >>> 2)) >>> 8 * (i & 3);
      if (version % 2 === 0 && Atomics.load(words, VERSION) === version) return { seq, hash };
    }
  }
}
