// Black-76: prices and greeks of European options on a forward, discounted at a continuous rate.
// Units: spot, forward, strike, price in USDC (floats); years of 365 days; sigma and rate as fractions per year.
// Source: F. Black, "The pricing of commodity contracts", J. Financial Economics 3 (1976) 167-179; with F = S exp(rt) the greeks
// to spot are those of Black and Scholes (J. Hull, "Options, Futures, and Other Derivatives", chapter on the greek letters).
// The out-of-the-money option is priced by the formula and the other one is it plus F - K, so time value is never the
// difference of two large prices. Error bounds that test/core/pricing checks against 50-digit values, for an out-of-the-money price:
// 4.5e-16 of the smaller of forward and strike, and 4e-15 * (1 + c^2) / d of the price itself, where d = sigma * sqrt(years)
// and c = log(forward / strike) / d.
// The venue's rate is 0; the rate stands because rho is the price's change with it, and because published tables have one.
// A greek of nothing may be -0; a price never is.
// Pure functions of floats: no state, no allocation, no marks, no implied volatility. Prices are rounded by `toPriceUnits` alone.
import { MAX_PRICE } from '../limits.ts';
import { DAY, USDC, YEAR } from '../units.ts';
import { exp, log, normalCdf, normalPdf } from '../math/elementary.ts';

/** Elements of a greeks record. */
export const PRICE = 0;
/** Per contract, to spot. */
export const DELTA = 1;
/** Change of delta per 1 USDC of spot. */
export const GAMMA = 2;
/** Per vol point: sigma + 0.01. */
export const VEGA = 3;
/** Per calendar day that passes. */
export const THETA = 4;
/** Per rate + 0.01, at the same spot. */
export const RHO = 5;
export const GREEKS_LENGTH = 6;

const DAYS_PER_YEAR = YEAR / DAY;
const PERCENT = 0.01;

/**
 * `discount` = exp(-rate * years). Intrinsic value where nothing is uncertain: years <= 0, sigma <= 0, or a strike or forward
 * <= 0 (an averaged strike may be negative). Never below the discounted intrinsic value.
 */
export function optionPrice(isCall: boolean, forward: number, strike: number, years: number, sigma: number, discount: number): number {
  const deviation = sigma * Math.sqrt(years);
  const moneyness = forward - strike;
  if (!isUncertain(deviation, forward, strike)) return discount * Math.max(0, isCall ? moneyness : -moneyness);
  const centre = log(forward / strike) / deviation;
  const half = 0.5 * deviation;
  // For an out-of-the-money put both arguments change sign and so do both terms.
  const timeValue = moneyness <= 0
    ? forward * normalCdf(centre + half) - strike * normalCdf(centre - half)
    : strike * normalCdf(half - centre) - forward * normalCdf(-centre - half);
  return discount * withIntrinsic(isCall, timeValue, moneyness);
}

/** Writes price and greeks of one option into `out` (at least GREEKS_LENGTH elements). The price is that of `optionPrice`. */
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
  // In the money, the shares of this side are those of the other side taken from one.
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

/** `timeValue` is the out-of-the-money option's; rounding may leave it just below 0. */
function withIntrinsic(isCall: boolean, timeValue: number, moneyness: number): number {
  return Math.max(0, timeValue) + Math.max(0, isCall ? moneyness : -moneyness);
}

/** The greeks of a value that is max(0, forward - strike) or its mirror; at the money and at expiry nothing moves. */
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

/** Price units of a formula's `usdc`, a half rounded up; 0 for what is negative or no number, at most MAX_PRICE. */
export function toPriceUnits(usdc: number): number {
  return usdc > 0 ? Math.min(MAX_PRICE, Math.round(usdc * USDC)) : 0;
}
