// The curve in plain JavaScript: slow, runs everywhere. The fallback where there is no binary, and the oracle the native
// curve is tested against.

import { createRequire } from 'node:module';
import type * as Library from '@noble/curves/secp256k1.js';
import type { Curve } from './backend.ts';

/** Loads the library, which a thread that has the native curve does without. */
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
