// The curve in plain JavaScript: slow, runs everywhere. The fallback where there is no binary, and the oracle the native
// curve is tested against.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Curve } from './backend.ts';

export const nobleCurve: Curve = (digest, compact, recoveryId, key) => {
  try {
    const signature = secp256k1.Signature.fromBytes(compact, 'compact').addRecoveryBit(recoveryId);
    key.set(signature.recoverPublicKey(digest).toBytes(false));
    return true;
  } catch {
    return false;
  }
};
