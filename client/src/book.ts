// The order book of one symbol as the venue last told it, kept by the socket. Each message of the channel carries the whole
// of the best levels, so one that was left out for a slow reader leaves no hole. `isLive` is false while the connection
// is away: what stands then is old.

import type { OrderbookUpdate } from './messages.ts';

/** Texts as the venue has them, so that no digit is lost. */
export type Level = { readonly price: string; readonly size: string };

export class LocalBook {
  readonly symbol: string;
  /** Best first. */
  bids: readonly Level[] = [];
  asks: readonly Level[] = [];
  /** Of the last message; 0 before the first. */
  seq = 0;
  /** Of the venue, in ms. */
  timestamp = 0;
  isLive = false;
  readonly #onClose: () => void;
  readonly #listeners = new Set<(book: LocalBook) => void>();

  constructor(symbol: string, onClose: () => void) {
    this.symbol = symbol;
    this.#onClose = onClose;
  }

  get bestBid(): Level | null {
    return this.bids[0] ?? null;
  }

  get bestAsk(): Level | null {
    return this.asks[0] ?? null;
  }

  /** Calls the listener after every change, also of `isLive`; the answer ends that. */
  onChange(listener: (book: LocalBook) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes the state of a message. */
  apply({ bids, asks, seq, timestamp }: OrderbookUpdate): void {
    const level = ([price, size]: readonly [string, string]): Level => ({ price, size });
    this.bids = bids.map(level);
    this.asks = asks.map(level);
    this.seq = seq;
    this.timestamp = timestamp;
    this.isLive = true;
    this.#tell();
  }

  /** The connection is away. */
  pause(): void {
    if (!this.isLive) return;
    this.isLive = false;
    this.#tell();
  }

  close(): void {
    this.pause();
    this.#listeners.clear();
    this.#onClose();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener(this);
  }
}
