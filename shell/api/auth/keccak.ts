// Keccak-256, the hash of Ethereum (SHA3-256 pads differently): WebAssembly, or JavaScript that is ten times slower. Never one that fails
// the known answer.

import { createRequire } from 'node:module';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { IHasher } from 'hash-wasm';

/** Writes 32 bytes from `at`; the buffers may overlap. */
export type Keccak256 = (input: Uint8Array, out: Uint8Array, at: number) => void;

type Loader = () => Promise<Keccak256>;

/** The hash of the empty input (Ethereum yellow paper). */
const EMPTY_ANSWER = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

export async function loadWasm(): Promise<Keccak256> {
  // The whole package takes 20 ms to load.
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

export async function firstWorking(loaders: readonly Loader[]): Promise<Keccak256> {
  for (const load of loaders) {
    try {
      const keccak = await load();
      if (answersRightly(keccak)) return keccak;
    } catch {
    }
  }
  throw new Error('No implementation of keccak-256 works on this platform');
}

export const keccak256: Keccak256 = await firstWorking([loadWasm, loadPlain]);
