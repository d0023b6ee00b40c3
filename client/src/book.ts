// The order book of one symbol, built from the channel `book`: a snapshot, then changes. If a predecessor or checksum does not match, the
// book asks for a new snapshot. While `isLive` is false, the levels are out of date.

import { crc32 } from './crc32.ts';
import { callListener } from './listeners.ts';
import type { BookUpdate } from './messages.ts';

/** Text as the venue sent it, so that no digit is lost. */
export type Level = { readonly price: string; readonly size: string };

/** `renew` asks for a new snapshot. `fault` gets exceptions of listeners. */
type Owner = { renew(): void; onClose(): void; fault(error: unknown): void };

const CHECKED_LEVELS = 25;

export class LocalBook {
  readonly symbol: string;
  /** Best first. */
  bids: readonly Level[] = [];
  asks: readonly Level[] = [];
  /** 0 before the first message. */
  seq = 0;
  timestamp = 0;
  isLive = false;
  readonly #owner: Owner;
  readonly #listeners = new Set<(book: LocalBook) => void>();

  constructor(symbol: string, owner: Owner) {
    this.symbol = symbol;
    this.#owner = owner;
  }

  get bestBid(): Level | null {
    return this.bids[0] ?? null;
  }

  get bestAsk(): Level | null {
    return this.asks[0] ?? null;
  }

  /** Called after every change, also of `isLive`. Returns a function that stops it. */
  onChange(listener: (book: LocalBook) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  apply(update: BookUpdate): void {
    const { is_snapshot: isSnapshot, prev_seq: before, seq, timestamp, checksum } = update;
    // Changes are useless until the snapshot arrives.
    if (!isSnapshot && !this.isLive) return;
    const bids = merged(isSnapshot ? [] : this.bids, update.bids, (a, b) => a > b);
    const asks = merged(isSnapshot ? [] : this.asks, update.asks, (a, b) => a < b);
    if ((!isSnapshot && before !== this.seq) || checksumOf(bids, asks) !== checksum) {
      this.pause();
      return this.#owner.renew();
    }
    Object.assign(this, { bids, asks, seq, timestamp, isLive: true });
    this.#tell();
  }

  /** The connection was lost: the book is out of date. */
  pause(): void {
    if (!this.isLive) return;
    this.isLive = false;
    this.#tell();
  }

  close(): void {
    this.pause();
    this.#listeners.clear();
    this.#owner.onClose();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) callListener(() => listener(this), (error) => this.#owner.fault(error));
  }
}

/** Best first. Size 0 removes a level. */
function merged(
  levels: readonly Level[], changes: BookUpdate['bids'], isBetter: (a: number, b: number) => boolean,
): readonly Level[] {
  if (changes.length === 0) return levels;
  const result: Level[] = [];
  let next = 0;
  for (const [price, size] of changes) {
    const at = Number(price);
    while (next < levels.length && isBetter(Number(levels[next]!.price), at)) result.push(levels[next++]!);
    if (next < levels.length && Number(levels[next]!.price) === at) next++;
    if (size !== '0') result.push({ price, size });
  }
  return [...result, ...levels.slice(next)];
}

/** Of the best levels by rank, bid before ask. */
function checksumOf(bids: readonly Level[], asks: readonly Level[]): number {
  const texts: string[] = [];
  for (let rank = 0; rank < CHECKED_LEVELS; rank++) {
    for (const level of [bids[rank], asks[rank]]) if (level !== undefined) texts.push(level.price, level.size);
  }
  return crc32(texts.join(':'));
}
