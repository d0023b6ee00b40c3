// An option through its whole life at a rate of 0 (forward = spot): Black-76, and in the last 30 minutes the blend with the running
// average that it settles to. Units as in black76, but times are ms: expiry and now, a year of 365 days.
// With w = remaining / 30 min and A the average so far, the settlement price is (1 - w) A + w M, M the mean of what is to come:
//   max(0, (1 - w) A + w M - K) = w max(0, M - (K - (1 - w) A) / w)
// and M is taken as the spot at expiry, t not shortened: a conservative choice, and continuous at the window's start.
// Source: MARGIN.md, "The last half hour of an option". Pure functions: no state, no allocation, no rounding to price units.
import { DAY, MINUTE, YEAR } from '../units.ts';
import { DELTA, GAMMA, PRICE, RHO, THETA, VEGA, optionGreeks, optionPrice } from './black76.ts';
import { impliedVolatility, quotedVolatility } from './implied.ts';

/** The settlement price is the mean of the index over this long before expiry. */
export const SETTLEMENT_WINDOW = 30 * MINUTE;
const WINDOWS_PER_DAY = DAY / SETTLEMENT_WINDOW;

/** Value of one contract. `average` counts in the window only; 0 there means no sample yet, and stands for the spot. */
export function optionValue(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, sigma: number,
): number {
  const weight = weightAt(expiry, time);
  if (weight === 0) return settled(isCall, spot, strike, average);
  const rest = restOfStrike(spot, strike, average, weight);
  return weight * optionPrice(isCall, spot, rest, (expiry - time) / YEAR, sigma, 1);
}

/**
 * Price and greeks of one contract into `out`, at least GREEKS_LENGTH elements; the price is that of `optionValue`. The average
 * depends on neither spot, sigma nor rate. Theta is for a spot that stays, so that the average moves towards it.
 */
export function valueGreeks(
  out: Float64Array, isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, sigma: number,
): void {
  const weight = weightAt(expiry, time);
  if (weight === 0) {
    out[PRICE] = settled(isCall, spot, strike, average);
    out[DELTA] = out[GAMMA] = out[VEGA] = out[THETA] = out[RHO] = 0;
    return;
  }
  const rest = restOfStrike(spot, strike, average, weight);
  optionGreeks(out, isCall, spot, rest, (expiry - time) / YEAR, sigma, 0);
  if (weight === 1) return;
  const shrink = WINDOWS_PER_DAY * slopeToWeight(out, spot, rest);
  out[PRICE] *= weight;
  out[DELTA] *= weight;
  out[GAMMA] *= weight;
  out[VEGA] *= weight;
  out[THETA] = weight * out[THETA] - shrink;
  out[RHO] *= weight;
}

/** What the venue shows for a quote or a mark of so many price units: NaN while its time value is at most one, and at expiry. */
export function quotedSigma(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, price: number,
): number {
  const weight = weightAt(expiry, time);
  if (weight === 0) return NaN;
  return quotedVolatility(isCall, spot, restOfStrike(spot, strike, average, weight), (expiry - time) / YEAR, price, weight);
}

/** The volatility at which an option is worth `price` USDC: NaN where there is none, and at expiry. */
export function impliedSigma(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, price: number,
): number {
  const weight = weightAt(expiry, time);
  if (weight === 0) return NaN;
  return impliedVolatility(isCall, spot, restOfStrike(spot, strike, average, weight), (expiry - time) / YEAR, price / weight, 1);
}

/** The share of the settlement price that is still to come: 1 until the window, 0 from expiry on. */
function weightAt(expiry: number, time: number): number {
  const remaining = expiry - time;
  if (remaining >= SETTLEMENT_WINDOW) return 1;
  return remaining > 0 ? remaining / SETTLEMENT_WINDOW : 0;
}

/** What the mean of the rest has to exceed; may be negative. */
function restOfStrike(spot: number, strike: number, average: number, weight: number): number {
  if (weight === 1) return strike;
  return (strike - (1 - weight) * (average > 0 ? average : spot)) / weight;
}

function settled(isCall: boolean, spot: number, strike: number, average: number): number {
  const price = average > 0 ? average : spot;
  return Math.max(0, isCall ? price - strike : strike - price);
}

/**
 * Change of w V(S, R / w) with w, R = K - (1 - w) A, at the same spot. R changes by S, for what the average gains the rest loses:
 * V + w dV/dk (S - R / w) / w = S (delta + dV/dk), as V = S delta + k dV/dk. `greeks` are those of V, k = R / w = `strike`.
 */
function slopeToWeight(greeks: Float64Array, spot: number, strike: number): number {
  if (strike <= 0) return 0;
  return spot * (greeks[DELTA] + (greeks[PRICE] - spot * greeks[DELTA]) / strike);
}
