// The fast curve: libsecp256k1 as a prebuilt addon. The package's bindings file, never its main, which falls back to
// a slow library without a word. Where there is no binary for the platform, importing this still works and
// `loadNative` answers null.

import { createRequire } from 'node:module';
import type { Curve } from './backend.ts';

type Bindings = {
  /** Throws when the signature gives no key. */
  ecdsaRecover(compact: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array, compressed: false, key: Uint8Array): Uint8Array;
};

export function loadNative(specifier = 'secp256k1/bindings.js'): Curve | null {
  let bindings: Bindings;
  try {
    bindings = createRequire(import.meta.url)(specifier) as Bindings;
  } catch {
    return null;
  }
  return (digest, compact, recoveryId, key) => {
    try {
      bindings.ecdsaRecover(compact, recoveryId, digest, false, key);
      return true;
    } catch {
      return false;
    }
  };
}
