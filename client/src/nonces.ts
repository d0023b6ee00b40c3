// Nonces: milliseconds since the epoch, raised by one where two fall into the same millisecond or the clock steps back, so
// that every nonce of a wallet is above the one before. Safe integers, as JSON needs them; a caller's own may be a bigint.
// A wallet that sends more than a thousand requests a second for long runs ahead of the clock: after a restart it should
// start from `first`.

/** A nonce as a caller may give it: an integer from 0 to 2^64 - 1. */
export type Nonce = number | bigint;

export class NonceSource {
  #last: number;

  /** `first`: no nonce is below it. */
  constructor(first = 0) {
    this.#last = first - 1;
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now());
    return this.#last;
  }
}

const sources = new Map<string, NonceSource>();

/** The one source that all clients of this process share for a wallet. */
export function nonceSourceOf(wallet: string): NonceSource {
  const key = wallet.toLowerCase();
  const source = sources.get(key) ?? new NonceSource();
  sources.set(key, source);
  return source;
}
