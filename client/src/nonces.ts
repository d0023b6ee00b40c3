// Nonces: milliseconds since the epoch, but always above the previous nonce of the wallet. Safe integers, for JSON. A wallet with more
// than a thousand requests a second runs ahead of the clock: after a restart it should set `first`.

/** An integer from 0 to 2^64 - 1. */
export type Nonce = number | bigint;

export class NonceSource {
  #last: number;

  /** `first` is the smallest nonce to use. */
  constructor(first = 0) {
    this.#last = first - 1;
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now());
    return this.#last;
  }
}

const sources = new Map<string, NonceSource>();

/** The wallet's one source in this process, shared by all clients. */
export function nonceSourceOf(wallet: string): NonceSource {
  const key = wallet.toLowerCase();
  const source = sources.get(key) ?? new NonceSource();
  sources.set(key, source);
  return source;
}
