// The head of the journal in shared memory: the journal thread says it after each frame, and whoever shows it reads no file, so an
// answer waits for no disk.
//
// A version stands before the words: odd while they are written, another one after. Who reads takes the words between two looks that
// found the same even version. All accesses are sequentially consistent, some dozen for a frame.
//
// Never: two threads that write.

const VERSION = 0;
const SEQ_LOW = 1;
const SEQ_HIGH = 2;
const HASH = 3;
const HASH_BYTES = 32;
const WORDS = HASH + HASH_BYTES / 4;

/** As the journal has it (shell/journal/chain.ts). */
type Head = { readonly seq: number; readonly hash: Uint8Array };
/** What is sent to the threads. */
export type ShownHead = SharedArrayBuffer;

export function createShownHead(): ShownHead {
  return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
}

export function showHead(shown: ShownHead, { seq, hash }: Head): void {
  const words = new Uint32Array(shown);
  const version = Atomics.load(words, VERSION);
  const bytes = new DataView(hash.buffer, hash.byteOffset, HASH_BYTES);
  Atomics.store(words, VERSION, version + 1);
  Atomics.store(words, SEQ_LOW, seq >>> 0);
  Atomics.store(words, SEQ_HIGH, Math.floor(seq / 2 ** 32));
  for (let i = HASH; i < WORDS; i++) Atomics.store(words, i, bytes.getUint32((i - HASH) * 4));
  Atomics.store(words, VERSION, version + 2);
}

/** The last one that was said; seq 0 before the first. */
export function shownHead(shown: ShownHead): Head {
  const words = new Uint32Array(shown);
  const hash = new Uint8Array(HASH_BYTES);
  const bytes = new DataView(hash.buffer);
  for (;;) {
    const version = Atomics.load(words, VERSION);
    const seq = Atomics.load(words, SEQ_HIGH) * 2 ** 32 + Atomics.load(words, SEQ_LOW);
    for (let i = HASH; i < WORDS; i++) bytes.setUint32((i - HASH) * 4, Atomics.load(words, i));
    if (version % 2 === 0 && Atomics.load(words, VERSION) === version) return { seq, hash };
  }
}
