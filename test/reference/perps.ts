// Perps, settlement prices and the index by the clock: the mark and the funding rate of a perp, the price of an expiry, and which ticks of
// a feed are used (decisions 2.5 and 2.6; MARGIN.md, "The index"). Plain doubles; imports nothing of the core.
// Times ms, prices 1e-6 USDC, rates and premiums fractions.

import { BUY, SELL, type Order } from './terms.ts';

/** Every 5 s, the impact prices of 20,000 USDC; 720 samples make an hour. */
export const SAMPLE_INTERVAL = 5_000;
const SAMPLES_AN_HOUR = 720;
const IMPACT = 20_000e6;
const MEAN_TIME = 30_000;
const BOUND = 0.005;

const within = (value: number, bound: number): number => Math.max(-bound, Math.min(bound, value));

type Quote = Pick<Order, 'side' | 'price' | 'left'>;

/** The average price of selling to the bids, or buying from the asks, for 20,000 USDC; null: the side cannot fill it. */
function impactPrice(quotes: readonly Quote[], side: Quote['side']): number | null {
  const best = quotes.filter((quote) => quote.side === side).map(({ price, left }) => ({ price: Number(price), left: Number(left) }))
    .sort((a, b) => (side === BUY ? b.price - a.price : a.price - b.price));
  let left = IMPACT;
  let size = 0;
  for (const quote of best) {
    const amount = quote.price * quote.left / 1e6;
    if (amount >= left) return IMPACT * 1e6 / (size + left * 1e6 / quote.price);
    left -= amount;
    size += quote.left;
  }
  return null;
}

/** One perp: the mean that moves its mark from the index, and the premiums of the hour. */
export class PerpClock {
  private distance = 0;
  private premiums = 0;

  /** A sample of a perp with a position or an order. */
  sample(quotes: readonly Quote[], index: number): void {
    const [bid, ask] = [impactPrice(quotes, BUY), impactPrice(quotes, SELL)];
    this.premiums += within((Math.max(0, (bid ?? index) - index) - Math.max(0, index - (ask ?? index))) / index, BOUND);
    // Bounded before the mean as well (docs/decisions/attacks.md).
    const middle = bid === null || ask === null ? 0 : within((bid + ask) / 2 / index - 1, BOUND);
    this.distance += (1 - Math.exp(-SAMPLE_INTERVAL / MEAN_TIME)) * (middle - this.distance);
  }

  /** A sample of a perp without positions and orders. */
  rest(): void {
    this.distance = 0;
  }

  mark(index: number): number {
    return index * (1 + within(this.distance, BOUND));
  }

  /** The rate of the hour that ends; samples that were not taken count as 0. */
  endHour(): number {
    const premium = this.premiums / SAMPLES_AN_HOUR;
    this.premiums = 0;
    return within((premium + within(0.0001 - premium, 0.0005)) / 8, 0.001);
  }
}

/** The arithmetic mean of an expiry's samples, rounded half up. */
export function settlementPrice(samples: readonly bigint[]): bigint {
  const count = BigInt(samples.length);
  return (samples.reduce((sum, price) => sum + price, 0n) * 2n + count) / (count * 2n);
}

/** Which ticks are used: none further than 5 % from the median of the last 30 s, until three that agree say so. */
export class IndexRule {
  private used: { readonly at: number; readonly price: number }[] = [];
  private outliers: number[] = [];

  take(price: number, at: number): boolean {
    this.used = this.used.filter((tick) => tick.at > at - 30_000);
    const prices = this.used.map((tick) => tick.price).sort((a, b) => a - b);
    const middle = prices.length >> 1;
    const median = prices.length % 2 === 1 ? prices[middle]! : (prices[middle - 1]! + prices[middle]!) / 2;
    if (prices.length === 0 || Math.abs(price - median) <= 0.05 * median) {
      this.outliers = [];
      this.used.push({ at, price });
      return true;
    }
    const agrees = Math.max(...this.outliers, price) <= 1.05 * Math.min(...this.outliers, price);
    this.outliers = agrees ? [...this.outliers, price] : [price];
    if (this.outliers.length < 3) return false;
    this.outliers = [];
    this.used = [{ at, price }];
    return true;
  }
}
