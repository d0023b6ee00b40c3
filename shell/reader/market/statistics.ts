// What an instrument traded in the last 24 hours: volume, turnover, high, low, first price; and its last price, however old.
// Kept in half-hour buckets, so the window begins at a half hour: it covers between 24 and 24.5 hours. Prices and sizes in
// 1e-6, times ms of the core. Not state: made from the trades that come by, and after a restart from what the history says
// was traded in each half hour, and last.

import { DAY, MINUTE } from '../../../core/units.ts';
import type { TradeTotalsRow } from '../../storage/history/protocol.ts';
import { addTrade, emptyTradeTotals, type TradeTotals } from '../../storage/history/trade-totals.ts';

/** Length of a bucket, ms. */
export const BUCKET = 30 * MINUTE;
/** The one that has just begun, and a whole day. */
const BUCKETS = DAY / BUCKET + 1;
/** Last prices that are kept, four times the contracts of a venue; beyond them that of the oldest trade is forgotten. */
export const LAST_PRICES = 65_536;

/** `number`: half hours since the epoch. */
type Bucket = { number: number; traded: TradeTotals };
/** A symbol's buckets, each at its number modulo BUCKETS; `newest`: number of the last one with a trade. */
type Ring = { newest: number; readonly buckets: (Bucket | undefined)[] };

/** Volume in 1e-6 contracts; turnover in USDC (a float, for show); prices null without a trade, `last` that of the last one at all. */
export type DayStatistics = {
  volume: number; turnover: number; high: number | null; low: number | null; first: number | null; last: number | null;
};

export class Statistics {
  readonly #rings = new Map<string, Ring>();
  /** By symbol, in the order of the trades. */
  readonly #lasts = new Map<string, number>();
  #newest = 0;

  /** Trades come in the order of time. */
  add(symbol: string, time: number, price: number, size: number): void {
    addTrade(this.#bucketAt(symbol, Math.floor(time / BUCKET)).traded, price, size);
    this.setLast(symbol, price);
  }

  /** Of a trade after all that are known. */
  setLast(symbol: string, price: number): void {
    this.#lasts.delete(symbol);
    this.#lasts.set(symbol, price);
    if (this.#lasts.size > LAST_PRICES) this.#lasts.delete(this.#lasts.keys().next().value!);
  }

  /** What was traded in the bucket that begins at `start`, before any trade of it or of a later one is added. */
  restore(start: number, { symbol, ...traded }: TradeTotalsRow): void {
    this.#bucketAt(symbol, start / BUCKET).traded = traded;
  }

  /** As of `time`. */
  of(symbol: string, time: number): DayStatistics {
    const last = this.#lasts.get(symbol) ?? null;
    const day: DayStatistics = { volume: 0, turnover: 0, high: null, low: null, first: null, last };
    const ring = this.#rings.get(symbol);
    if (ring === undefined) return day;
    const newest = Math.floor(time / BUCKET);
    for (let number = newest - BUCKETS + 1; number <= newest; number++) {
      const bucket = ring.buckets[number % BUCKETS];
      if (bucket?.number !== number) continue;
      const { traded } = bucket;
      day.volume += traded.volume;
      day.turnover += traded.turnover;
      day.high = Math.max(day.high ?? 0, traded.high);
      day.low = Math.min(day.low ?? Infinity, traded.low);
      day.first ??= traded.first;
    }
    return day;
  }

  #bucketAt(symbol: string, number: number): Bucket {
    if (number > this.#newest) this.#moveTo(number);
    let ring = this.#rings.get(symbol);
    if (ring === undefined) {
      ring = { newest: number, buckets: [] };
      this.#rings.set(symbol, ring);
    }
    ring.newest = number;
    const at = number % BUCKETS;
    const known = ring.buckets[at];
    return known?.number === number ? known : ring.buckets[at] = { number, traded: emptyTradeTotals() };
  }

  /** Once in a bucket's time: forgets who has not traded within the window. */
  #moveTo(number: number): void {
    this.#newest = number;
    for (const [symbol, { newest }] of this.#rings) if (newest <= number - BUCKETS) this.#rings.delete(symbol);
  }
}

/** The starts of the buckets that count at `time`, ascending. */
export function bucketsOfDay(time: number): number[] {
  const newest = Math.floor(time / BUCKET);
  return Array.from({ length: BUCKETS }, (_, at) => (newest - BUCKETS + 1 + at) * BUCKET);
}
