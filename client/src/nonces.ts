// Nonces: milliseconds since the epoch, but always above the wallet's previous nonce. Safe integers, for JSON. Above a thousand requests a
// second they run ahead of the clock: set `first` after a restart.

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

/** Shared by all clients of one program. */
export function nonceSourceOf(wallet: string): NonceSource {
  const key = wallet.toLowerCase();
  const source = sources.get(key) ?? new NonceSource();
  sources.set(key, source);
  return source;
}
