// Rounds what the formulas give, a float of USDC, to a price: an integer of 1e-6 USDC within 0 .. MAX_PRICE.
// Never used for money: amounts are products of integers (core/math/exact).
import { MAX_PRICE } from '../limits.ts';
import { USDC, type Price } from '../units.ts';

/** Price units of `usdc`, a half rounded up; 0 for what is negative or no number, at most MAX_PRICE. */
export function toPriceUnits(usdc: number): Price {
  return usdc > 0 ? Math.min(MAX_PRICE, Math.round(usdc * USDC)) : 0;
}
