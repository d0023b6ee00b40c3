// Keccak-256, the hash of Ethereum (not SHA3-256: the padding differs). Loaded once when this module is first
// imported, synchronous from then on: WebAssembly where it runs, plain JavaScript (some ten times slower, the same
// bytes) where it does not. An implementation that fails the known answer below is never used.

import { createRequire } from 'node:module';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { IHasher } from 'hash-wasm';

/** Writes the 32 bytes of the hash of the whole of `input` to `out` from byte `at` on. They may share a buffer. */
export type Keccak256 = (input: Uint8Array, out: Uint8Array, at: number) => void;

type Loader = () => Promise<Keccak256>;

/** keccak256 of no bytes at all (Ethereum yellow paper, KEC of the empty string). */
const EMPTY_ANSWER = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

export async function loadWasm(): Promise<Keccak256> {
  // Only this algorithm's file of the package: the whole of it is twenty times the size and takes 20 ms to start.
  const load = createRequire(import.meta.url);
  const { createKeccak } = load('hash-wasm/dist/keccak.umd.min.js') as { createKeccak: (bits: 256) => Promise<IHasher> };
  const hasher = await createKeccak(256);
  return (input, out, at) => {
    hasher.init();
    hasher.update(input);
    out.set(hasher.digest('binary'), at);
  };
}

export function loadPlain(): Promise<Keccak256> {
  return Promise.resolve((input, out, at) => out.set(keccak_256(input), at));
}

function answersRightly(keccak: Keccak256): boolean {
  const out = new Uint8Array(32);
  keccak(new Uint8Array(0), out, 0);
  return out.every((byte, i) => byte === Number.parseInt(EMPTY_ANSWER.slice(2 * i, 2 * i + 2), 16));
}

/** The first loader that works and answers rightly. Throws when none does. */
export async function firstWorking(loaders: readonly Loader[]): Promise<Keccak256> {
  for (const load of loaders) {
    try {
      const keccak = await load();
      if (answersRightly(keccak)) return keccak;
    } catch {
      // The next one is the answer to a platform without this one.
    }
  }
  throw new Error('No implementation of keccak-256 works on this platform');
}

export const keccak256: Keccak256 = await firstWorking([loadWasm, loadPlain]);
