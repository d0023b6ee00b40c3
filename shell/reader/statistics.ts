// What an instrument traded in the last 24 hours: volume, turnover, high, low, first and last price. Kept in half-hour
// buckets, so the window begins at a half hour: it covers between 23.5 and 24 hours. Prices and sizes in 1e-6, times ms
// of the core. Not state: made from the trades that come by, and after a restart from the newest trades of the history.

import { DAY, MINUTE } from '../../core/units.ts';

/** Length of a bucket, ms. */
export const BUCKET = 30 * MINUTE;
const BUCKETS = DAY / BUCKET;

/** Numbers of a bucket. */
const NUMBER = 0;
const VOLUME = 1;
const TURNOVER = 2;
const HIGH = 3;
const LOW = 4;
const FIRST = 5;
const LAST = 6;
const WIDTH = 7;
/** Behind the buckets: the newest bucket's number. */
const NEWEST = BUCKETS * WIDTH;

/** Volume in 1e-6 contracts; turnover in USDC (a float, for show); prices null without a trade. */
export type DayStatistics = {
  volume: number; turnover: number; high: number | null; low: number | null; first: number | null; last: number | null;
};

export class Statistics {
  readonly #buckets = new Map<string, Float64Array>();
  #newest = 0;

  /** Trades come in the order of time. */
  add(symbol: string, time: number, price: number, size: number): void {
    const number = Math.floor(time / BUCKET);
    if (number > this.#newest) this.#moveTo(number);
    let buckets = this.#buckets.get(symbol);
    if (buckets === undefined) {
      buckets = new Float64Array(NEWEST + 1);
      this.#buckets.set(symbol, buckets);
    }
    const at = (number % BUCKETS) * WIDTH;
    if (buckets[at + NUMBER] !== number) {
      buckets.fill(0, at, at + WIDTH);
      buckets[at + NUMBER] = number;
      buckets[at + HIGH] = price;
      buckets[at + LOW] = price;
      buckets[at + FIRST] = price;
    }
    buckets[at + VOLUME]! += size;
    buckets[at + TURNOVER]! += (price / 1e6) * (size / 1e6);
    buckets[at + HIGH] = Math.max(buckets[at + HIGH]!, price);
    buckets[at + LOW] = Math.min(buckets[at + LOW]!, price);
    buckets[at + LAST] = price;
    buckets[NEWEST] = number;
  }

  /** As of `time`. */
  of(symbol: string, time: number): DayStatistics {
    const day: DayStatistics = { volume: 0, turnover: 0, high: null, low: null, first: null, last: null };
    const buckets = this.#buckets.get(symbol);
    if (buckets === undefined) return day;
    const newest = Math.floor(time / BUCKET);
    for (let number = newest - BUCKETS + 1; number <= newest; number++) {
      const at = (number % BUCKETS) * WIDTH;
      if (buckets[at + NUMBER] !== number) continue;
      day.volume += buckets[at + VOLUME]!;
      day.turnover += buckets[at + TURNOVER]!;
      day.high = Math.max(day.high ?? 0, buckets[at + HIGH]!);
      day.low = Math.min(day.low ?? Infinity, buckets[at + LOW]!);
      day.first ??= buckets[at + FIRST]!;
      day.last = buckets[at + LAST]!;
    }
    return day;
  }

  /** Once in a bucket's time: forgets who has not traded within the window. */
  #moveTo(number: number): void {
    this.#newest = number;
    for (const [symbol, buckets] of this.#buckets) if (buckets[NEWEST]! <= number - BUCKETS) this.#buckets.delete(symbol);
  }
}
