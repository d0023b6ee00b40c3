// Nonces are milliseconds since the epoch. A nonce is raised by one if it would not be above the one before, in the same millisecond or
// after the clock stepped back. They are safe integers, as JSON needs; a caller's own may be a bigint. A wallet that sends more
// than a thousand requests a second for long runs ahead of the clock: after a restart it should start from `first`.

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
