// Price keys: a dense, monotone integer for every price of at most 5 significant figures, so that neighbouring
// prices of a book are neighbouring keys at any magnitude and a price level can be found by bit tricks.
// Units: a price is integer 1e-6 USDC, 1 .. 1e15; a key is 1 .. 1,000,000.
//   p < 100,000           key = p
//   p = m * 10^d, d >= 1  key = 100,000 + (d - 1) * 90,000 + (m - 10,000)      m in 10,000 .. 99,999
// Never rounds: a price with more figures has no key.

import { BUY } from '../units.ts';
import { MAX_PRICE } from '../limits.ts';

const DENSE = 100_000;
const DECADE = 90_000;
const LEAST_MANTISSA = 10_000;
const HIGHEST = MAX_PRICE;
const POWER = new Float64Array([1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11]);

/** The key of `price`; -1 if it is not an integer of 1 .. 1e15 with at most 5 significant figures. */
export function priceKeyOf(price: number): number {
  if (price < DENSE) return price >= 1 && Math.floor(price) === price ? price | 0 : -1;
  if (!(price <= HIGHEST)) return -1;
  let exponent = price < 1e10 ? 1 : 6;
  while (price >= DENSE * POWER[exponent]) exponent++;
  // The quotient is below 1e5 and a true fraction is at least 1e-11 * 10 away from an integer, more than half an ulp.
  const mantissa = price / POWER[exponent];
  const whole = mantissa | 0;
  return whole === mantissa ? DENSE + (exponent - 1) * DECADE + whole - LEAST_MANTISSA : -1;
}

/** Of the highest price. */
export const LAST_KEY = 1_000_000;

/** The price of a key that `priceKeyOf` gave. */
export function priceOfKey(key: number): number {
  if (key < DENSE) return key;
  const above = key - DENSE;
  const decade = (above / DECADE) | 0;
  return (above - decade * DECADE + LEAST_MANTISSA) * POWER[decade + 1];
}

/**
 * The key of the price nearest to `price` (an integer of at least 1) that an order of `side` may have under that limit: at
 * most the price for a buy, at least for a sell.
 */
export function limitKeyOf(price: number, side: number): number {
  if (price >= HIGHEST) return priceKeyOf(HIGHEST);
  let decade = 0;
  while (price >= DENSE * POWER[decade]) decade++;
  const least = Math.floor(price / POWER[decade]) * POWER[decade];
  // Neighbouring prices have neighbouring keys.
  return least === price || side === BUY ? priceKeyOf(least) : priceKeyOf(least) + 1;
}
