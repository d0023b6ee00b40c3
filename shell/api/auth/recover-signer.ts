// Recovers the address that signed a digest. Every library must give the same answer, so rules are checked here: v is
// 27, 28, 0 or 1; r is in 1 .. n-1; s is in 1 .. n/2, because no second valid text of a signature may exist (EIP-2). A
// refusal is `false`, never an exception.

import { createRequire } from 'node:module';
import type * as Library from '@noble/curves/secp256k1.js';
import { keccak256 } from './keccak.ts';

/** Writes the public key (65 bytes, 0x04 ‖ x ‖ y); false if there is none. */
type Curve = (digest: Uint8Array, compact: Uint8Array, recoveryId: 0 | 1, key: Uint8Array) => boolean;

type BackendName = 'native' | 'noble';

export type Backend = {
  readonly name: BackendName;
  recover(digest: Uint8Array, signature: Uint8Array, address: Uint8Array): boolean;
};

/** Group order (SEC 2, secp256k1) and half of it rounded down, big-endian. */
const N = Uint8Array.from(Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'));
const HALF_N = Uint8Array.from(Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex'));

function isZero(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 32; i++) if (bytes[i] !== 0) return false;
  return true;
}

function compare(bytes: Uint8Array, at: number, bound: Uint8Array): number {
  for (let i = 0; i < 32; i++) {
    const difference = bytes[at + i]! - bound[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** -1 if the signature breaks a rule above. */
export function recoveryIdOf(signature: Uint8Array): 0 | 1 | -1 {
  if (signature.length !== 65) return -1;
  const v = signature[64]!;
  if (v > 1 && v !== 27 && v !== 28) return -1;
  if (isZero(signature, 0) || compare(signature, 0, N) >= 0) return -1;
  if (isZero(signature, 32) || compare(signature, 32, HALF_N) > 0) return -1;
  return v === 1 || v === 28 ? 1 : 0;
}

function backendOf(name: BackendName, curve: Curve): Backend {
  const key = new Uint8Array(65);
  const compact = new Uint8Array(64);
  const hash = new Uint8Array(32);
  return {
    name,
    recover(digest, signature, address) {
      if (digest.length !== 32) throw new RangeError(`A digest has 32 bytes, got ${digest.length}`);
      const recoveryId = recoveryIdOf(signature);
      if (recoveryId === -1) return false;
      for (let i = 0; i < 64; i++) compact[i] = signature[i]!;
      if (!curve(digest, compact, recoveryId, key)) return false;
      keccak256(key.subarray(1), hash, 0);
      address.set(hash.subarray(12));
      return true;
    },
  };
}

type Bindings = {
  ecdsaRecover(compact: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array, compressed: false, key: Uint8Array): Uint8Array;
};

/** The package's main file would silently fall back to a slow library. */
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

export function loadNoble(): Curve {
  const { secp256k1 } = createRequire(import.meta.url)('@noble/curves/secp256k1.js') as typeof Library;
  return (digest, compact, recoveryId, key) => {
    try {
      const signature = secp256k1.Signature.fromBytes(compact, 'compact').addRecoveryBit(recoveryId);
      key.set(signature.recoverPublicKey(digest).toBytes(false));
      return true;
    } catch {
      return false;
    }
  };
}

export function loadBackend(preference?: BackendName): Backend {
  const native = preference === 'noble' ? null : loadNative();
  if (native !== null) return backendOf('native', native);
  if (preference === 'native') throw new Error('The native signature backend has no binary for this platform');
  return backendOf('noble', loadNoble());
}
