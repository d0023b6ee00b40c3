// Compares the output digests of two cores at the seqs where both tell theirs. Whoever is first waits for the other.
// A digest is two u32 over every word of every event so far: different digests mean that the cores did different things.

import type { Digest } from '../storage/journal/digests.ts';
import { DIGEST_EVERY } from '../process/wiring.ts';

/** Digests that wait for their counterpart: recovery reads those of the whole journal first. Older ones are forgotten. */
const MOST_WAITING = 1_000_000;

/** Two cores that applied the same commands did different things. */
class DigestMismatch extends Error {
  constructor(seq: number) {
    super(`the output digests at seq ${seq} differ: the reader's core and the one that wrote the journal did different things`);
    this.name = 'DigestMismatch';
  }
}

export class DigestCheck {
  readonly #own = new Map<number, Digest>();
  readonly #others = new Map<number, Digest>();

  /** After the command `seq` was applied here. Throws DigestMismatch. */
  own(seq: number, digest: Uint32Array): void {
    if (seq % DIGEST_EVERY === 0) meet({ seq, low: digest[0]!, high: digest[1]! }, this.#own, this.#others);
  }

  /** What the other core says. Throws DigestMismatch. */
  other(digest: Digest): void {
    meet(digest, this.#others, this.#own);
  }

  /** Seqs at which a digest waits for its counterpart. */
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
