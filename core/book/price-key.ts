// Price keys: a dense, monotone integer for every price of at most 5 significant figures, so bit operations find neighbouring prices. A
// price is 1 .. 1e15 (1e-6 USDC), a key 1 .. 1,000,000:
//   p < 100,000           key = p
//   p = m * 10^d, d >= 1  key = 100,000 + (d - 1) * 90,000 + (m - 10,000)      m in 10,000 .. 99,999

import { BUY } from '../units.ts';
import { MAX_PRICE } from '../limits.ts';

const DENSE = 100_000;
const DECADE = 90_000;
const LEAST_MANTISSA = 10_000;
const HIGHEST = MAX_PRICE;
const POWER = new Float64Array([1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11]);

/** -1 unless `price` is an integer of 1 .. 1e15 with at most 5 significant figures. Never rounds. */
export function priceKeyOf(price: number): number {
  if (price < DENSE) return price >= 1 && Math.floor(price) === price ? price | 0 : -1;
  if (!(price <= HIGHEST)) return -1;
  let exponent = price < 1e10 ? 1 : 6;
  while (price >= DENSE * POWER[exponent]) exponent++;
  // The quotient is below 1e5. A true fraction is at least 1e-10 away from an integer, more than half an ulp.
  const mantissa = price / POWER[exponent];
  const whole = mantissa | 0;
  return whole === mantissa ? DENSE + (exponent - 1) * DECADE + whole - LEAST_MANTISSA : -1;
}

export const LAST_KEY = 1_000_000;

export function priceOfKey(key: number): number {
  if (key < DENSE) return key;
  const above = key - DENSE;
  const decade = (above / DECADE) | 0;
  return (above - decade * DECADE + LEAST_MANTISSA) * POWER[decade + 1];
}

/** The key of the nearest valid price that is not above `price` (>= 1) for a buy, not below it for a sell. */
export function limitKeyOf(price: number, side: number): number {
  if (price >= HIGHEST) return priceKeyOf(HIGHEST);
  let decade = 0;
  while (price >= DENSE * POWER[decade]) decade++;
  const least = Math.floor(price / POWER[decade]) * POWER[decade];
  return least === price || side === BUY ? priceKeyOf(least) : priceKeyOf(least) + 1;
}
