// Implied volatility against published and 50-digit prices, over the range the venue quotes (1 hour to 2 years, 1 % to 500 %), at
// the bounds, and as the venue quotes it. STRIKEBOOK_LONG=1 takes 1,000,000 random options for the round trip.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { optionPrice } from '../../../core/pricing/black76.ts';
import { impliedVolatility, quotedVolatility } from '../../../core/pricing/implied.ts';
import { assertWithin, floats, powers } from './support.ts';

type ImpliedCase = { id: number; type: string; F: string; K: string; T: number; df: string; sigma: number; price_as_double: string };
type RefusedCase = { input: { type: string; F: number; K: number; T: number; df: number; price: number }; expect: string };
const published = read('../../vectors/pricing.json') as { implied_vol_cases: ImpliedCase[]; implied_vol_error_cases: RefusedCase[] };
const exact = read('./vectors.json') as [number, number, number, number, string][];
const ROUND_TRIPS = process.env['STRIKEBOOK_LONG'] === '1' ? 1_000_000 : 5_000;
const HOUR = 1 / 8_760;
const EPSILON = 2 ** -52;

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

/** The distance of a double above 0 to the next one. */
function ulp(value: number): number {
  return 2 ** Math.max(-1_074, Math.floor(Math.log2(value)) - 52);
}

/** How precisely a double of this price determines sigma. */
function toleranceOf(forward: number, strike: number, years: number, sigma: number, price: number, discount: number): number {
  const deviation = sigma * Math.sqrt(years);
  const d1 = Math.log(forward / strike) / deviation + deviation / 2;
  const vega = discount * forward * Math.sqrt(years) * Math.exp(-d1 * d1 / 2) / Math.sqrt(2 * Math.PI);
  return Math.max(1e-7, 4 * ulp(price) / vega);
}

test('every published implied volatility is reproduced, and every published invalid price gives NaN', () => {
  assert.equal(published.implied_vol_cases.length, 11);
  for (const { id, type, F, K, T, df, sigma, price_as_double: price } of published.implied_vol_cases) {
    assertWithin(impliedVolatility(type === 'call', +F, +K, T, +price, +df), sigma, 1e-10, `case ${id}`);
  }
  assert.equal(published.implied_vol_error_cases.length, 3);
  for (const { input: { type, F, K, T, df, price }, expect } of published.implied_vol_error_cases) {
    assert.equal(impliedVolatility(type === 'call', F, K, T, price, df), NaN, expect);
  }
});

test('50-digit prices imply the volatility that they were computed from, also in the money', () => {
  let recovered = 0;
  for (const [forward, strike, years, sigma, digits] of exact) {
    const isCall = forward <= strike;
    const price = Number(digits);
    const name = `F ${forward} K ${strike} t ${years} sigma ${sigma}`;
    assertWithin(impliedVolatility(isCall, forward, strike, years, price, 1), sigma, 1e-9, name);
    const dear = price + Math.abs(forward - strike);
    if (price < 8 * ulp(dear)) continue;
    const tolerance = toleranceOf(forward, strike, years, sigma, dear, 1);
    assertWithin(impliedVolatility(!isCall, forward, strike, years, dear, 1), sigma, tolerance, `${name}, in the money`);
    recovered++;
  }
  assert.ok(recovered > 100);
});

const term = fc.oneof(floats(HOUR, 2), powers(Math.log10(HOUR), Math.log10(2)));
const volatility = fc.oneof(floats(0.01, 5), powers(-2, Math.log10(5)));
/** log(strike / forward): up to 20 times either way, up to 10 deviations, or 0. */
const distance = fc.oneof(
  floats(-3, 3).map((log) => ({ log, deviations: 0 })),
  floats(-10, 10).map((deviations) => ({ log: 0, deviations })),
  fc.constant({ log: 0, deviations: 0 }),
);
const discounts = fc.oneof(fc.constant(1), floats(0.7, 1.05));
/** isCall, forward, strike, years, sigma, discount. */
const option = fc.tuple(fc.boolean(), powers(-1, 6), distance, term, volatility, discounts)
  .map(([isCall, forward, { log, deviations }, years, sigma, discount]) => {
    const strike = forward * Math.exp(Math.max(-30, Math.min(30, log + deviations * sigma * Math.sqrt(years))));
    return [isCall, forward, strike, years, sigma, discount] as const;
  });

test('round trip: the price at a volatility implies that volatility, as precisely as a double of the price allows', () => {
  fc.assert(fc.property(option, ([isCall, forward, strike, years, sigma, discount]) => {
    const price = optionPrice(isCall, forward, strike, years, sigma, discount);
    const timeValue = optionPrice(forward <= strike, forward, strike, years, sigma, discount);
    const implied = impliedVolatility(isCall, forward, strike, years, price, discount);
    // Below that the price is intrinsic value and rounding.
    if (timeValue >= Math.max(8 * ulp(price), 1e-290 * Math.min(forward, strike))) {
      assertWithin(implied, sigma, toleranceOf(forward, strike, years, sigma, price, discount), 'sigma');
    }
    if (Number.isNaN(implied)) return;
    const again = optionPrice(isCall, forward, strike, years, implied, discount);
    assertWithin(again, price, 8 * EPSILON * Math.max(forward, strike), 'price');
  }), { numRuns: ROUND_TRIPS });
});

test('scaling forward, strike and price leaves the implied volatility as it is', () => {
  fc.assert(fc.property(option, ([isCall, forward, strike, years, sigma, discount]) => {
    const price = optionPrice(isCall, forward, strike, years, sigma, discount);
    if (price < 1e-280) return;
    const implied = impliedVolatility(isCall, forward, strike, years, price, discount);
    const scaled = impliedVolatility(isCall, 1_024 * forward, 1_024 * strike, years, 1_024 * price, discount);
    // A power of two scales exactly; only intermediate prices near the smallest double round differently.
    if (Number.isNaN(implied)) assert.equal(scaled, NaN);
    else assertWithin(scaled, implied, 1e-9 * implied, 'sigma');
  }), { numRuns: 2_000 });
});

test('a price at or outside the no-arbitrage bounds has no implied volatility; a price just inside has one', () => {
  fc.assert(fc.property(option, floats(0, 1), ([isCall, forward, strike, years], beyond) => {
    const intrinsic = Math.max(0, isCall ? forward - strike : strike - forward);
    const bound = isCall ? forward : strike;
    const none = (price: number): void => assert.equal(impliedVolatility(isCall, forward, strike, years, price, 1), NaN);
    none(intrinsic);
    none(intrinsic * (1 - beyond));
    none(intrinsic - beyond);
    none(bound * (1 + beyond) + ulp(bound));
    const room = Math.min(forward, strike);
    const scale = Math.max(forward, strike);
    if (room < 1e-12 * scale) return;
    const least = impliedVolatility(isCall, forward, strike, years, intrinsic + 4 * ulp(scale), 1);
    const most = impliedVolatility(isCall, forward, strike, years, bound - 4 * ulp(scale), 1);
    assert.ok(least > 0 && least < most && most < Infinity, `${least} .. ${most}`);
  }));
});

test('if time, forward, strike or price is zero, negative, NaN or infinite, the implied volatility is NaN', () => {
  for (const none of [0, -1, NaN]) {
    assert.equal(impliedVolatility(true, 100, 110, none, 1, 1), NaN);
    assert.equal(impliedVolatility(true, none, 110, 1, 1, 1), NaN);
    assert.equal(impliedVolatility(true, 100, none, 1, 1, 1), NaN);
    assert.equal(impliedVolatility(true, 100, 110, 1, none, 1), NaN);
  }
  assert.equal(impliedVolatility(true, 100, 110, 1, Infinity, 1), NaN);
  // The price is too small a part of the forward to keep all its digits.
  assert.equal(impliedVolatility(true, 100, 110, 1, 5e-324, 1), NaN);
});

test('a volatility is quoted only for a time value above one price unit, and gives the price back', () => {
  const micros = fc.integer({ min: 1_000_000, max: 400_000_000_000 });
  fc.assert(fc.property(fc.boolean(), micros, micros, term, fc.integer({ min: 2, max: 900_000 }), (isCall, f, k, years, value) => {
    const forward = f / 1e6;
    const strike = k / 1e6;
    const intrinsic = Math.max(0, isCall ? f - k : k - f);
    for (const hidden of [0, intrinsic - 1, intrinsic, intrinsic + 1, (isCall ? f : k), (isCall ? f : k) + 1]) {
      assert.equal(quotedVolatility(isCall, forward, strike, years, hidden, 1), NaN);
    }
    const price = intrinsic + value;
    const shown = quotedVolatility(isCall, forward, strike, years, price, 1);
    assert.ok(shown > 0);
    assertWithin(optionPrice(isCall, forward, strike, years, shown, 1) * 1e6, price, 0.001, 'price units');
  }), { numRuns: 2_000 });
});
