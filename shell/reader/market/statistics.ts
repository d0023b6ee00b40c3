// Trading statistics of the last 24 hours per symbol, and the last price of any age. Buckets are half an hour, so the
// window covers 24 to 24.5 hours. Prices and sizes in 1e-6, times ms. A restart rebuilds them from the history.

import { DAY, MINUTE } from '../../../core/units.ts';
import type { TradeTotalsRow } from '../../storage/history/protocol.ts';
import { addTrade, emptyTradeTotals, type TradeTotals } from '../../storage/history/trade-totals.ts';

export const BUCKET = 30 * MINUTE;
const BUCKETS = DAY / BUCKET + 1;
/** Four times a venue's contracts. */
export const LAST_PRICES = 65_536;

type Bucket = { number: number; traded: TradeTotals };
type Ring = { newest: number; readonly buckets: (Bucket | undefined)[] };

/** Volume in 1e-6 contracts. `last` may be older than a day. */
export type DayStatistics = {
  volume: number; turnover: number; high: number | null; low: number | null; first: number | null; last: number | null;
};

export class Statistics {
  readonly #rings = new Map<string, Ring>();
  readonly #lasts = new Map<string, number>();
  #newest = 0;

  add(symbol: string, time: number, price: number, size: number): void {
    addTrade(this.#bucketAt(symbol, Math.floor(time / BUCKET)).traded, price, size);
    this.setLast(symbol, price);
  }

  setLast(symbol: string, price: number): void {
    this.#lasts.delete(symbol);
    this.#lasts.set(symbol, price);
    if (this.#lasts.size > LAST_PRICES) this.#lasts.delete(this.#lasts.keys().next().value!);
  }

  restore(start: number, { symbol, ...traded }: TradeTotalsRow): void {
    this.#bucketAt(symbol, start / BUCKET).traded = traded;
  }

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

  #moveTo(number: number): void {
    this.#newest = number;
    for (const [symbol, { newest }] of this.#rings) if (newest <= number - BUCKETS) this.#rings.delete(symbol);
  }
}

export function bucketsOfDay(time: number): number[] {
  const newest = Math.floor(time / BUCKET);
  return Array.from({ length: BUCKETS }, (_, at) => (newest - BUCKETS + 1 + at) * BUCKET);
}
