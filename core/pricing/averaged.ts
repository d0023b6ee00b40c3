// An option through its whole life, at rate 0 (forward = spot): Black-76, blended in the last 30 minutes with the running average it
// settles to. Units as in black76; times ms. With w = remaining / 30 min, A the average so far and M the mean of what is to come:
//   payoff = max(0, (1 - w) A + w M - K) = w max(0, M - (K - (1 - w) A) / w)
// M is taken as the spot at expiry without shortening t: conservative, and continuous at the window's start. Source: MARGIN.md, "The
// last half hour of an option". Pure; no rounding to price units.
import { DAY, MINUTE, YEAR } from '../units.ts';
import { DELTA, GAMMA, PRICE, RHO, THETA, VEGA, optionGreeks, optionPrice } from './black76.ts';
import { impliedVolatility, quotedVolatility } from './implied.ts';

/** An option settles to the mean index over this long before expiry. */
export const SETTLEMENT_WINDOW = 30 * MINUTE;
const WINDOWS_PER_DAY = DAY / SETTLEMENT_WINDOW;

/** `average` counts in the settlement window only; 0: no sample yet, so the spot stands for it. */
export function optionValue(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, sigma: number,
): number {
  const weight = weightAt(expiry, time);
  if (weight === 0) return settled(isCall, spot, strike, average);
  const rest = restOfStrike(spot, strike, average, weight);
  return weight * optionPrice(isCall, spot, rest, (expiry - time) / YEAR, sigma, 1);
}

/** Writes PRICE to RHO of `out`. The average depends on neither spot, sigma nor rate. Theta assumes a constant spot. */
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

/** `price` in price units. NaN at expiry, or while the time value is at most 1. */
export function quotedSigma(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, price: number,
): number {
  const weight = weightAt(expiry, time);
  if (weight === 0) return NaN;
  return quotedVolatility(isCall, spot, restOfStrike(spot, strike, average, weight), (expiry - time) / YEAR, price, weight);
}

/** `price` in USDC. NaN where no volatility gives it, and at expiry. */
export function impliedSigma(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, price: number,
): number {
  const weight = weightAt(expiry, time);
  if (weight === 0) return NaN;
  return impliedVolatility(isCall, spot, restOfStrike(spot, strike, average, weight), (expiry - time) / YEAR, price / weight, 1);
}

/** Share of the settlement price still to come: 1 before the window, 0 at expiry. */
function weightAt(expiry: number, time: number): number {
  const remaining = expiry - time;
  if (remaining >= SETTLEMENT_WINDOW) return 1;
  return remaining > 0 ? remaining / SETTLEMENT_WINDOW : 0;
}

/** The strike for the mean of the samples to come. May be negative. */
function restOfStrike(spot: number, strike: number, average: number, weight: number): number {
  if (weight === 1) return strike;
  return (strike - (1 - weight) * (average > 0 ? average : spot)) / weight;
}

function settled(isCall: boolean, spot: number, strike: number, average: number): number {
  const price = average > 0 ? average : spot;
  return Math.max(0, isCall ? price - strike : strike - price);
}

/**
 * Derivative of w V(S, R / w) to w at constant spot, R = K - (1 - w) A. R changes by S, as the average gains what the rest loses: V + w
 * dV/dk (S - R / w) / w = S (delta + dV/dk), as V = S delta + k dV/dk. `greeks` are V's, `strike` = k = R / w.
 */
function slopeToWeight(greeks: Float64Array, spot: number, strike: number): number {
  if (strike <= 0) return 0;
  return spot * (greeks[DELTA] + (greeks[PRICE] - spot * greeks[DELTA]) / strike);
}
