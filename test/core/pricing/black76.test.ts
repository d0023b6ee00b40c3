// core/pricing/black76: published tables, 50-digit prices, and properties of every option price.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fc } from '../../support/fast-check.ts';
import {
  DELTA, GAMMA, GREEKS_LENGTH, PRICE, RHO, THETA, VEGA, optionGreeks, optionPrice,
} from '../../../core/pricing/black76.ts';
import { toPriceUnits } from '../../../core/pricing/black76.ts';
import { priceDigits } from './generate.ts';
import { assertWithin, floats, powers, slope } from './support.ts';

type PublishedRow = {
  id: number; model: string; measure: string; type: string; S: number; K: number; q: number; r: number; T: number;
  sigma: number; expected: number; tol: number; recomputed: number;
};
const published = (read('../../vectors/pricing.json') as { rows: PublishedRow[] }).rows;
const exact = read('./vectors.json') as [number, number, number, number, string][];

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

function greeks(isCall: boolean, spot: number, strike: number, years: number, sigma: number, rate: number): Float64Array {
  const out = new Float64Array(GREEKS_LENGTH).fill(NaN);
  optionGreeks(out, isCall, spot, strike, years, sigma, rate);
  return out;
}

/**
 * A published row in its own units. Its yield q makes our spot s(t) = S exp(-q (T - t)): delta and gamma follow by the chain
 * rule, theta gains delta * ds/dt. Black-76 rows say q = r, so that S is the forward.
 */
function ofRow(row: PublishedRow): number {
  const carry = Math.exp(-row.q * row.T);
  const out = greeks(row.type === 'call', row.S * carry, row.K, row.T, row.sigma, row.r);
  switch (row.measure) {
    case 'price': return out[PRICE]!;
    case 'delta': return out[DELTA]! * carry;
    case 'gamma': return out[GAMMA]! * carry * carry;
    case 'vega': return out[VEGA]! * 100;
    case 'theta': return out[THETA]! * 365 + out[DELTA]! * row.q * row.S * carry;
    case 'rho': return out[RHO]! * 100;
    default: throw new Error(`row ${row.id}: unknown measure ${row.measure}`);
  }
}

test('every published row is reproduced, prices also from the forward', () => {
  assert.equal(published.length, 34);
  for (const row of published) {
    const value = ofRow(row);
    assertWithin(value, row.expected, row.tol, `row ${row.id}`);
    assertWithin(value, row.recomputed, 1e-12 * Math.max(1, row.S), `row ${row.id} recomputed`);
    if (row.measure !== 'price') continue;
    const forward = row.S * Math.exp((row.r - row.q) * row.T);
    const price = optionPrice(row.type === 'call', forward, row.K, row.T, row.sigma, Math.exp(-row.r * row.T));
    assertWithin(price, row.recomputed, 1e-12 * Math.max(1, row.S), `row ${row.id} by the forward`);
  }
});

test('prices are within the stated error bounds of 50-digit prices', () => {
  assert.equal(exact.length, 240);
  for (const [forward, strike, years, sigma, digits] of exact) {
    const price = optionPrice(forward <= strike, forward, strike, years, sigma, 1);
    const error = Math.abs(price - Number(digits));
    const deviation = sigma * Math.sqrt(years);
    const centre = Math.log(forward / strike) / deviation;
    const name = `F ${forward} K ${strike} t ${years} sigma ${sigma}: ${price}, expected ${digits}`;
    assert.ok(error <= 4.5e-16 * Math.min(forward, strike), name);
    assert.ok(error <= 4e-15 * (1 + centre * centre) / deviation * Number(digits), name);
  }
});

test('the committed 50-digit prices equal those of the oracle', () => {
  for (const [forward, strike, years, sigma, digits] of exact.filter((_, i) => i % 12 === 0)) {
    assert.equal(priceDigits(forward, strike, years, sigma), digits);
  }
});

const moneyness = fc.oneof(floats(0.8, 1.25), powers(-1, 1), fc.constant(1));
const term = fc.oneof(floats(0.001, 2), powers(-8, 1));
const volatility = fc.oneof(floats(0.05, 2), powers(-2, 1.5));
/** isCall, forward, strike, years, sigma. */
const option = fc.tuple(fc.boolean(), powers(-1, 6), moneyness, term, volatility)
  .map(([isCall, forward, ratio, years, sigma]) => [isCall, forward, forward * ratio, years, sigma] as const);
const RUNS = { numRuns: 10_000 };
const EPSILON = 2 ** -52;

test('prices satisfy put-call parity and the no-arbitrage bounds', () => {
  fc.assert(fc.property(option, floats(0.8, 1.1), ([, forward, strike, years, sigma], discount) => {
    const call = optionPrice(true, forward, strike, years, sigma, discount);
    const put = optionPrice(false, forward, strike, years, sigma, discount);
    const scale = 4 * EPSILON * Math.max(forward, strike);
    assertWithin(call - put, discount * (forward - strike), scale, 'parity');
    assert.ok(call >= discount * Math.max(0, forward - strike) && call <= discount * forward + scale);
    assert.ok(put >= discount * Math.max(0, strike - forward) && put <= discount * strike + scale);
  }), RUNS);
});

test('more volatility, more time and a better strike never cost less; prices are convex in the strike', () => {
  fc.assert(fc.property(option, floats(0, 0.5), ([isCall, forward, strike, years, sigma], step) => {
    const noise = 4 * EPSILON * Math.max(forward, strike * (1 + step));
    const price = optionPrice(isCall, forward, strike, years, sigma, 1);
    assert.ok(optionPrice(isCall, forward, strike, years, sigma * (1 + step), 1) >= price - noise);
    assert.ok(optionPrice(isCall, forward, strike, years * (1 + step), sigma, 1) >= price - noise);
    const up = optionPrice(isCall, forward, strike * (1 + step), years, sigma, 1);
    const down = optionPrice(isCall, forward, strike * (1 - step), years, sigma, 1);
    assert.ok(isCall ? up <= price + noise && price <= down + noise : up >= price - noise && price >= down - noise);
    assert.ok(up + down - 2 * price >= -2 * noise);
  }), RUNS);
});

test('homogeneous: scaling forward and strike scales the price by the same factor', () => {
  fc.assert(fc.property(option, powers(-3, 3), ([isCall, forward, strike, years, sigma], unit) => {
    const price = optionPrice(isCall, forward, strike, years, sigma, 1);
    const scaled = optionPrice(isCall, forward * unit, strike * unit, years, sigma, 1);
    assertWithin(scaled, price * unit, 8 * EPSILON * unit * Math.max(forward, strike), 'scaled');
    // A power of two scales exactly, except for prices so small that doubles lose digits.
    assertWithin(optionPrice(isCall, forward * 1024, strike * 1024, years, sigma, 1), price * 1024, 1e-300, 'scaled by 1024');
  }), RUNS);
});

test('the price computed with the greeks equals the price computed alone', () => {
  fc.assert(fc.property(option, ([isCall, spot, strike, years, sigma]) => {
    assert.equal(greeks(isCall, spot, strike, years, sigma, 0)[PRICE], optionPrice(isCall, spot, strike, years, sigma, 1));
  }), RUNS);
});

test('call and put greeks satisfy put-call parity and their bounds', () => {
  fc.assert(fc.property(option, floats(-0.05, 0.2), ([, spot, strike, years, sigma], rate) => {
    const call = greeks(true, spot, strike, years, sigma, rate);
    const put = greeks(false, spot, strike, years, sigma, rate);
    const discounted = strike * Math.exp(-rate * years);
    const near = 16 * EPSILON * (1 + Math.abs(rate) * years);
    assertWithin(call[DELTA]! - put[DELTA]!, 1, near, 'delta');
    assert.equal(call[GAMMA], put[GAMMA]);
    assert.equal(call[VEGA], put[VEGA]);
    assertWithin(call[RHO]! - put[RHO]!, 0.01 * years * discounted, near * years * discounted, 'rho');
    const decay = Math.abs(call[THETA]!) + Math.abs(put[THETA]!);
    assertWithin(call[THETA]! - put[THETA]!, -rate * discounted / 365, near * (decay + discounted), 'theta');
    assert.ok(call[DELTA]! >= 0 && call[DELTA]! <= 1 && put[DELTA]! >= -1 && put[DELTA]! <= 0 && call[GAMMA]! >= 0 && call[VEGA]! >= 0);
  }), RUNS);
});

test('greeks agree with central differences of the price', () => {
  const ordinary = fc.tuple(fc.boolean(), floats(1, 1e5), floats(0.7, 1.4), floats(0.05, 2), floats(0.15, 1.5), floats(-0.03, 0.15));
  fc.assert(fc.property(ordinary, ([isCall, spot, ratio, years, sigma, rate]) => {
    const strike = spot * ratio;
    const value = (s: number, t: number, v: number, r: number): number =>
      optionPrice(isCall, s * Math.exp(r * t), strike, t, v, Math.exp(-r * t));
    const out = greeks(isCall, spot, strike, years, sigma, rate);
    const width = sigma * Math.sqrt(years);
    assertWithin(out[DELTA]!, slope((s) => value(s, years, sigma, rate), spot, spot * width * 0.02), 1e-6, 'delta');
    const deltaAt = (s: number): number => greeks(isCall, s, strike, years, sigma, rate)[DELTA]!;
    assertWithin(out[GAMMA]! * spot, slope(deltaAt, spot, spot * width * 0.02) * spot, 1e-5 / width, 'gamma');
    assertWithin(out[VEGA]!, 0.01 * slope((v) => value(spot, years, v, rate), sigma, 0.002), 1e-8 * spot, 'vega');
    assertWithin(out[THETA]! * 365, -slope((t) => value(spot, t, sigma, rate), years, years * 0.01), 1e-5 * spot, 'theta');
    assertWithin(out[RHO]!, 0.01 * slope((r) => value(spot, years, sigma, r), rate, 0.002), 1e-8 * spot, 'rho');
  }), { numRuns: 3_000 });
});

test('without time or volatility left, the price is the discounted intrinsic value, with its greeks', () => {
  for (const [years, sigma] of [[0, 0.5], [-1, 0.5], [1, 0], [1, -0.5], [-1, -1]] as const) {
    assert.equal(optionPrice(true, 110, 100, years, sigma, 0.9), 9);
    assert.equal(optionPrice(false, 110, 100, years, sigma, 0.9), 0);
    assert.equal(optionPrice(false, 100, 110, years, sigma, 0.9), 9);
    assert.deepEqual([...greeks(true, 110, 100, years, sigma, 0)].map(Math.abs), [10, 1, 0, 0, 0, years > 0 ? years : 0]);
    assert.deepEqual([...greeks(true, 90, 100, years, sigma, 0)].map(Math.abs), [0, 0, 0, 0, 0, 0]);
  }
  assert.equal(greeks(false, 90, 100, 0, 0.5, 0.1)[DELTA], -1);
  assert.equal(greeks(false, 90, 100, -1, 0.5, 0.1)[PRICE], 10);
  const sure = greeks(true, 110, 100, 2, 0, 0.05);
  const discounted = 100 * Math.exp(-0.1);
  assertWithin(sure[PRICE]!, 110 - discounted, 1e-12, 'price');
  assertWithin(sure[THETA]!, -0.05 * discounted / 365, 1e-15, 'theta');
  assertWithin(sure[RHO]!, 0.02 * discounted, 1e-14, 'rho');
});

test('when averaging brings the strike to zero or below, the call is worth forward minus strike and the put nothing', () => {
  for (const strike of [0, -0, -5]) {
    assert.equal(optionPrice(true, 100, strike, 0.001, 0.6, 1), 100 - strike);
    assert.equal(optionPrice(false, 100, strike, 0.001, 0.6, 1), 0);
    const call = greeks(true, 100, strike, 0.001, 0.6, 0);
    assert.deepEqual([call[PRICE], call[DELTA], call[GAMMA], call[VEGA]], [100 - strike, 1, 0, 0]);
  }
});

test('at extreme inputs prices stay bounded, and neither prices nor greeks are NaN', () => {
  const years = [1e-300, 1e-11, 1e-8, 1, 1e4];
  const sigmas = [1e-300, 1e-8, 0.01, 50, 1e8, 1e300];
  for (const t of years) {
    for (const sigma of sigmas) {
      for (const strike of [1e-6, 1, 99_999.999999, 100_000, 1e9]) {
        for (const isCall of [true, false]) {
          const out = greeks(isCall, 100_000, strike, t, sigma, 0.02);
          assert.ok(out.every((x) => !Number.isNaN(x)), `t ${t} sigma ${sigma} strike ${strike}: ${[...out]}`);
          assert.ok(out[PRICE]! >= 0 && out[PRICE]! <= Math.max(100_000, strike) * (1 + EPSILON));
        }
      }
    }
  }
  assert.equal(optionPrice(true, 100, 100, 1, 1e9, 1), 100);
  assert.equal(optionPrice(false, 100, 250, 1, 1e9, 1), 250);
  assert.equal(optionPrice(true, 100, 1e9, 0.01, 0.3, 1), 0);
  assert.equal(optionPrice(true, 1e9, 100, 0.01, 0.3, 1), 1e9 - 100);
});

test('price units: a half rounds up, and values outside the range are clamped', () => {
  assert.equal(toPriceUnits(1.2345675), 1_234_568);
  assert.equal(toPriceUnits(0.0000005), 1);
  assert.equal(toPriceUnits(0.00000049999), 0);
  assert.equal(toPriceUnits(100_000.25), 100_000_250_000);
  assert.equal(toPriceUnits(1e9), 1e15);
  assert.equal(toPriceUnits(2e9), 1e15);
  assert.equal(toPriceUnits(Infinity), 1e15);
  for (const none of [0, -0, -1, -Infinity, NaN]) assert.ok(Object.is(toPriceUnits(none), 0));
});
