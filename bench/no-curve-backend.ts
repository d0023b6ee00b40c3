// What stands in the place of the curve in a venue of bench/no-curve.ts: the key is what the signature says it is.

import type { Curve } from '../shell/auth/backends/backend.ts';

const UNCOMPRESSED = 4;

// seam: stands for what shell/auth/backends/native.ts exports
export function loadNative(): Curve {
  return (_digest, compact, _recoveryId, key) => {
    key[0] = UNCOMPRESSED;
    key.set(compact, 1);
    return true;
  };
}
