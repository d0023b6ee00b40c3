// Implied volatility: the sigma at which Black-76 gives a price. Units as in black76. Solves the out-of-the-money option (by parity),
// for the logarithm of its price or, above half of its bound, of the rest to the bound; both tails are exponentials. The unknown is d =
// sigma * sqrt(years). Sources:
//   start at d = sqrt(2 |log(forward / strike)|): S. Manaster, G. Koehler, J. Finance 37 (1982) 227-230;
//   objectives: P. Jaeckel, "Let's be rational", Wilmott (2015) 40-53; steps: Halley's, within a bracket.
// Recovers sigma to max(1e-7, 4 ulp(price) / vega) (test/core/pricing), usually in four steps. Pure; NaN where no volatility exists.
import { log, normalCdf, normalPdf } from '../math/elementary.ts';
import { USDC } from '../units.ts';
import { toPriceUnits } from './black76.ts';

/** The most seen over millions of random prices is 15. */
const MAX_STEPS = 32;
/** Relative to d. The error after a step is about its cube, so only rounding is left. */
const LAST_STEP = 1e-6;
/** Of the bound. A smaller time value has lost digits below the smallest normal double. */
const SMALLEST_SHARE = 1e-300;
const SQRT_2PI = 2.5066282746310002;

/**
 * `discount` = exp(-rate * years). NaN unless years, forward and strike are positive and the price is strictly between discounted
 * intrinsic value and discounted forward (call) or strike (put).
 */
export function impliedVolatility(
  isCall: boolean, forward: number, strike: number, years: number, price: number, discount: number,
): number {
  const low = Math.min(forward, strike);
  const undiscounted = price / discount;
  // Exact where small: doubles within a factor of 2 have an exact difference.
  const timeValue = undiscounted - Math.max(0, isCall ? forward - strike : strike - forward);
  const shortfall = (isCall ? forward : strike) - undiscounted;
  if (!(low > 0 && years > 0 && timeValue > SMALLEST_SHARE * low && shortfall > 0)) return NaN;
  return deviationOf(low, Math.max(forward, strike), timeValue, shortfall) / Math.sqrt(years);
}

/**
 * The volatility that gives this price. `share`: the part of the option that averaging has left (1 before the window). No discounting. NaN
 * also for a time value of at most 1 price unit.
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
  // The time value is largest at the money: at most low * d / sqrt(2 pi).
  let below = SQRT_2PI * timeValue / low;
  let above = Infinity;
  let d = Math.max(Math.sqrt(2 * k), below);
  for (let i = 0; i < MAX_STEPS; i++) {
    const centre = k / d;
    const half = 0.5 * d;
    const value = low * normalCdf(sign * (half - centre)) - sign * high * normalCdf(-half - centre);
    const slope = sign * low * normalPdf(half - centre);
    const newton = -log(value / target) * value / slope;
    // Second over first derivative of the objective. A step is at most twice Newton's.
    const bend = (centre * centre - half * half) / d - slope / value;
    const next = d + newton / Math.max(0.5, 1 + 0.5 * bend * newton);
    if (Math.abs(next - d) <= LAST_STEP * d) return next;
    if (sign * (value - target) < 0) below = d;
    else above = d;
    // False also if `next` is NaN because the value underflowed.
    const isWithin = next > below && next < above;
    d = isWithin ? next : above < Infinity ? Math.sqrt(below * above) : 2 * d;
  }
  return d;
}
