// Compares the output digests of two cores at each seq where both report one. A digest is two u32 over every word of
// every event so far.

import type { Digest } from '../storage/journal/digests.ts';
import { DIGEST_EVERY } from '../process/wiring.ts';

/** Recovery reads the whole journal's digests first. */
const MOST_WAITING = 1_000_000;

class DigestMismatch extends Error {
  constructor(seq: number) {
    super(`the output digests at seq ${seq} differ: the reader's core and the core that wrote the journal behave differently`);
    this.name = 'DigestMismatch';
  }
}

export class DigestCheck {
  readonly #own = new Map<number, Digest>();
  readonly #others = new Map<number, Digest>();

  own(seq: number, digest: Uint32Array): void {
    if (seq % DIGEST_EVERY === 0) meet({ seq, low: digest[0]!, high: digest[1]! }, this.#own, this.#others);
  }

  other(digest: Digest): void {
    meet(digest, this.#others, this.#own);
  }

  get waiting(): number {
    return this.#own.size + this.#others.size;
  }
}

function meet(digest: Digest, mine: Map<number, Digest>, theirs: Map<number, Digest>): void {
  const { seq, low, high } = digest;
  const counterpart = theirs.get(seq);
  if (counterpart === undefined) {
    mine.set(seq, digest);
    if (mine.size > MOST_WAITING) mine.delete(mine.keys().next().value!);
    return;
  }
  theirs.delete(seq);
  if (counterpart.low !== low || counterpart.high !== high) throw new DigestMismatch(seq);
}
