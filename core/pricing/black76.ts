// Black-76: prices and greeks of European options. USDC as floats, years of 365 days, sigma and rate as fractions per year. Sources: F.
// Black, J. Financial Economics 3 (1976) 167-179; greeks to spot with F = S exp(rt): J. Hull, "Options, Futures, and Other Derivatives".
// The formula prices the out-of-the-money option; the other is that plus F - K. Error bounds (test/core/pricing): 4.5e-16 of the smaller of
// forward and strike, and 4e-15 * (1 + c^2) / d of an out-of-the-money price, d = sigma * sqrt(years), c = log(forward / strike) / d. A
// greek may be -0, a price never is.
import { MAX_PRICE } from '../limits.ts';
import { DAY, USDC, YEAR } from '../units.ts';
import { exp, log, normalCdf, normalPdf } from '../math/elementary.ts';

export const PRICE = 0;
/** Per 1 USDC of spot. */
export const DELTA = 1;
/** Change of delta per 1 USDC of spot. */
export const GAMMA = 2;
/** Per vol point (0.01 of sigma). */
export const VEGA = 3;
/** Per calendar day. */
export const THETA = 4;
/** Per 0.01 of rate, at constant spot. */
export const RHO = 5;
export const GREEKS_LENGTH = 6;

const DAYS_PER_YEAR = YEAR / DAY;
const PERCENT = 0.01;

/**
 * `discount` = exp(-rate * years). Never below the discounted intrinsic value, and equal to it if years, sigma, strike (less
 * what the settlement samples so far take off it) or forward <= 0.
 */
export function optionPrice(isCall: boolean, forward: number, strike: number, years: number, sigma: number, discount: number): number {
  const deviation = sigma * Math.sqrt(years);
  const moneyness = forward - strike;
  if (!isUncertain(deviation, forward, strike)) return discount * Math.max(0, isCall ? moneyness : -moneyness);
  const centre = log(forward / strike) / deviation;
  const half = 0.5 * deviation;
  // For a put both arguments and both terms change sign.
  const timeValue = moneyness <= 0
    ? forward * normalCdf(centre + half) - strike * normalCdf(centre - half)
    : strike * normalCdf(half - centre) - forward * normalCdf(-centre - half);
  return discount * withIntrinsic(isCall, timeValue, moneyness);
}

export function optionGreeks(
  out: Float64Array, isCall: boolean, spot: number, strike: number, years: number, sigma: number, rate: number,
): void {
  const growth = rate * Math.max(0, years);
  const discount = exp(-growth);
  const forward = spot * exp(growth);
  const root = Math.sqrt(years);
  const deviation = sigma * root;
  const moneyness = forward - strike;
  if (!isUncertain(deviation, forward, strike)) {
    writeCertain(out, isCall, moneyness, discount, strike, years, rate);
    return;
  }
  const centre = log(forward / strike) / deviation;
  const half = 0.5 * deviation;
  const side = moneyness <= 0 ? 1 : -1;
  const forwardShare = normalCdf(side * (centre + half));
  const strikeShare = normalCdf(side * (centre - half));
  const timeValue = side * (forward * forwardShare - strike * strikeShare);
  const density = normalPdf(centre + half);
  const sign = isCall ? 1 : -1;
  const strikeTerm = sign * strike * discount * (side === sign ? strikeShare : 1 - strikeShare);
  out[PRICE] = discount * withIntrinsic(isCall, timeValue, moneyness);
  out[DELTA] = sign * (side === sign ? forwardShare : 1 - forwardShare);
  out[GAMMA] = density / (spot * deviation);
  out[VEGA] = PERCENT * spot * density * root;
  out[THETA] = (-0.5 * spot * density * sigma / root - rate * strikeTerm) / DAYS_PER_YEAR;
  out[RHO] = PERCENT * years * strikeTerm;
}

function isUncertain(deviation: number, forward: number, strike: number): boolean {
  return deviation > 0 && strike > 0 && forward > 0;
}

/** Rounding may leave `timeValue` just below 0. */
function withIntrinsic(isCall: boolean, timeValue: number, moneyness: number): number {
  return Math.max(0, timeValue) + Math.max(0, isCall ? moneyness : -moneyness);
}

/** At the money all greeks are 0. */
function writeCertain(
  out: Float64Array, isCall: boolean, moneyness: number, discount: number, strike: number, years: number, rate: number,
): void {
  const sign = isCall ? 1 : -1;
  const held = sign * moneyness > 0 ? sign : 0;
  const strikeTerm = held * strike * discount;
  out[PRICE] = discount * Math.max(0, sign * moneyness);
  out[DELTA] = held;
  out[GAMMA] = 0;
  out[VEGA] = 0;
  out[THETA] = years > 0 ? -rate * strikeTerm / DAYS_PER_YEAR : 0;
  out[RHO] = years > 0 ? PERCENT * years * strikeTerm : 0;
}

/** Rounds half up. 0 for negative or NaN, at most MAX_PRICE. */
export function toPriceUnits(usdc: number): number {
  return usdc > 0 ? Math.min(MAX_PRICE, Math.round(usdc * USDC)) : 0;
}
