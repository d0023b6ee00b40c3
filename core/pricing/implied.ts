// Implied volatility: the sigma at which Black-76 gives a price. Units as in black76; sigma is a fraction per year.
// Solved for the out-of-the-money option, an in-the-money price less its intrinsic value (parity), so that a small time value is
// never lost in a large price; and for the logarithm of that price, or above half of its bound (the smaller of forward and strike)
// of what is left to the bound, because both tails of the price are exponentials. Unknown is d = sigma * sqrt(years).
// Sources
//   start at the inflection point d = sqrt(2 |log(forward / strike)|): S. Manaster, G. Koehler, "The calculation of implied
//     variances from the Black-Scholes model: a note", J. Finance 37 (1982) 227-230;
//   objectives by region: P. Jaeckel, "Let's be rational", Wilmott (2015) 40-53; steps: Halley's, within a bracket.
// The venue discounts nothing (1); the tables of the tests do.
// Recovers sigma to max(1e-7, 4 ulp(price) / vega), which test/core/pricing checks; four steps are usual.
// Pure functions of floats: no state, no allocation, no exception; what has no volatility is NaN, and the caller shows null.
import { log, normalCdf, normalPdf } from '../math/elementary.ts';
import { USDC } from '../units.ts';
import { toPriceUnits } from './black76.ts';

/** Seen over millions of random prices down to SMALLEST_SHARE: 15. */
const MAX_STEPS = 32;
/** Relative. The error after a step is of the order of the cube of the step, so this last one leaves rounding only. */
const LAST_STEP = 1e-6;
/** Of the bound: a smaller time value has lost digits of its own, below the smallest normal double. */
const SMALLEST_SHARE = 1e-300;
const SQRT_2PI = 2.5066282746310002;

/**
 * Sigma of an option worth `price`, `discount` = exp(-rate * years). NaN unless years, forward and strike are above 0 and the price
 * lies strictly between its bounds: discounted intrinsic value, and discounted forward (call) or strike (put).
 */
export function impliedVolatility(
  isCall: boolean, forward: number, strike: number, years: number, price: number, discount: number,
): number {
  const low = Math.min(forward, strike);
  const undiscounted = price / discount;
  // Both differences are exact where they are small: doubles within a factor of 2 of each other have an exact difference.
  const timeValue = undiscounted - Math.max(0, isCall ? forward - strike : strike - forward);
  const shortfall = (isCall ? forward : strike) - undiscounted;
  if (!(low > 0 && years > 0 && timeValue > SMALLEST_SHARE * low && shortfall > 0)) return NaN;
  return deviationOf(low, Math.max(forward, strike), timeValue, shortfall) / Math.sqrt(years);
}

/**
 * What the venue shows for a quote or a mark of the `share` of an option that averaging has left, 1 before it: NaN also while the
 * time value is at most one unit of that price. Undiscounted.
 */
export function quotedVolatility(
  isCall: boolean, forward: number, strike: number, years: number, price: number, share: number,
): number {
  const intrinsic = toPriceUnits(share * (isCall ? forward - strike : strike - forward));
  return price - intrinsic <= 1 ? NaN : impliedVolatility(isCall, forward, strike, years, price / share / USDC, 1);
}

/** d of low * N(d/2 - k/d) - high * N(-d/2 - k/d) = timeValue = low - shortfall, k = log(high / low). */
function deviationOf(low: number, high: number, timeValue: number, shortfall: number): number {
  const k = log(high / low);
  const sign = timeValue > shortfall ? -1 : 1;
  const target = Math.min(timeValue, shortfall);
  // The time value is largest at the money, and there at most low * d / sqrt(2 pi).
  let below = SQRT_2PI * timeValue / low;
  let above = Infinity;
  let d = Math.max(Math.sqrt(2 * k), below);
  for (let i = 0; i < MAX_STEPS; i++) {
    const centre = k / d;
    const half = 0.5 * d;
    const value = low * normalCdf(sign * (half - centre)) - sign * high * normalCdf(-half - centre);
    const slope = sign * low * normalPdf(half - centre);
    const newton = -log(value / target) * value / slope;
    // Second derivative of the objective over its first; a step is at most twice Newton's.
    const bend = (centre * centre - half * half) / d - slope / value;
    const next = d + newton / Math.max(0.5, 1 + 0.5 * bend * newton);
    if (Math.abs(next - d) <= LAST_STEP * d) return next;
    if (sign * (value - target) < 0) below = d;
    else above = d;
    // Also where the value was too small for a number and `next` is none.
    const isWithin = next > below && next < above;
    d = isWithin ? next : above < Infinity ? Math.sqrt(below * above) : 2 * d;
  }
  return d;
}
