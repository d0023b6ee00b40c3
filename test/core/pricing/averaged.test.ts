// The value of an option around its settlement window: Black-76 before it opens, the payoff when it closes, and in between compared
// with the expected payoff by numeric integration; greeks are compared with numeric derivatives of the value.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { SETTLEMENT_WINDOW, impliedSigma, optionValue, quotedSigma, valueGreeks } from '../../../core/pricing/averaged.ts';
import {
  DELTA, GAMMA, GREEKS_LENGTH, PRICE, RHO, THETA, VEGA, optionGreeks, optionPrice,
} from '../../../core/pricing/black76.ts';
import { assertWithin, floats, slope } from './support.ts';

const EXPIRY = 1_735_286_400_000;
const DAY = 86_400_000;
const YEAR = 365 * DAY;
const RUNS = { numRuns: 3_000 };
const EPSILON = 2 ** -52;

function greeks(
  isCall: boolean, spot: number, strike: number, time: number, average: number, sigma: number,
): Float64Array {
  const out = new Float64Array(GREEKS_LENGTH).fill(NaN);
  valueGreeks(out, isCall, spot, strike, EXPIRY, time, average, sigma);
  return out;
}

const spots = floats(10, 200_000);
const sigmas = floats(0.05, 4);
const shares = floats(0.001, 0.999);
/**
 * In the window, near the money: isCall, spot, strike, weight of the rest, average, sigma. The rest of the strike lies within four
 * deviations of the spot, so that no greek vanishes.
 */
const blended = fc.tuple(fc.boolean(), spots, floats(-4, 4), shares, floats(0.97, 1.03), sigmas)
  .map(([isCall, spot, deviations, weight, ratio, sigma]) => {
    const deviation = sigma * Math.sqrt(weight * SETTLEMENT_WINDOW / YEAR);
    const average = spot * ratio;
    return [isCall, spot, weight * spot * (1 + deviations * deviation) + (1 - weight) * average, weight, average, sigma] as const;
  });
/** The same with any strike; for most, the average already decides the payoff. */
const decided = fc.tuple(fc.boolean(), spots, floats(0.5, 2), shares, floats(0.8, 1.2), sigmas)
  .map(([isCall, spot, moneyness, weight, ratio, sigma]) => [isCall, spot, spot * moneyness, weight, spot * ratio, sigma] as const);
const inside = fc.oneof(blended, decided);

const timeOf = (weight: number): number => EXPIRY - weight * SETTLEMENT_WINDOW;
/** The exact weight of a time that was rounded to a double. */
const weightOf = (time: number): number => (EXPIRY - time) / SETTLEMENT_WINDOW;

test('in the window the value implies the volatility that it was computed from; at expiry the implied volatility is NaN', () => {
  fc.assert(fc.property(blended, ([isCall, spot, strike, weight, average, sigma]) => {
    const time = timeOf(weight);
    const value = optionValue(isCall, spot, strike, EXPIRY, time, average, sigma);
    const vega = greeks(isCall, spot, strike, time, average, sigma)[VEGA]! * 100;
    const found = impliedSigma(isCall, spot, strike, EXPIRY, time, average, value);
    // The rounding of the value and of the remaining strike, as a volatility.
    if (vega > spot * 1e-9) assertWithin(found, sigma, 1e-6 + 64 * EPSILON * spot / weight / vega, 'sigma');
  }), RUNS);
  assert.ok(Number.isNaN(impliedSigma(true, 100, 90, EXPIRY, EXPIRY, 100, 10)));
});

test('before the window opens the value and greeks equal Black-76 to the bit, for any average', () => {
  const before = fc.integer({ min: SETTLEMENT_WINDOW, max: 2 * YEAR });
  fc.assert(fc.property(fc.boolean(), spots, floats(0.3, 3), before, spots, sigmas, (isCall, spot, ratio, ahead, average, sigma) => {
    const strike = spot * ratio;
    const years = ahead / YEAR;
    const value = optionValue(isCall, spot, strike, EXPIRY, EXPIRY - ahead, average, sigma);
    assert.equal(value, optionPrice(isCall, spot, strike, years, sigma, 1));
    const plain = new Float64Array(GREEKS_LENGTH);
    optionGreeks(plain, isCall, spot, strike, years, sigma, 0);
    assert.deepEqual(greeks(isCall, spot, strike, EXPIRY - ahead, average, sigma), plain);
  }), RUNS);
});

test('when the window opens, neither the value nor any greek except theta jumps', () => {
  fc.assert(fc.property(fc.boolean(), spots, floats(-4, 4), floats(0.9, 1.1), sigmas, (isCall, spot, deviations, ratio, sigma) => {
    const strike = spot * (1 + deviations * sigma * Math.sqrt(SETTLEMENT_WINDOW / YEAR));
    const open = EXPIRY - SETTLEMENT_WINDOW;
    const before = greeks(isCall, spot, strike, open, spot * ratio, sigma);
    const after = greeks(isCall, spot, strike, open + 1, spot * ratio, sigma);
    // One millisecond moves the strike of the rest by at most a tenth of the spot in 1.8 million.
    const step = 1e-6;
    const deviation = sigma * Math.sqrt(SETTLEMENT_WINDOW / YEAR);
    assertWithin(after[PRICE]!, before[PRICE]!, step * spot, 'price');
    assertWithin(after[DELTA]!, before[DELTA]!, step / deviation, 'delta');
    assertWithin(after[GAMMA]! * spot, before[GAMMA]! * spot, step / deviation ** 2, 'gamma');
    assertWithin(after[VEGA]!, before[VEGA]!, step * spot, 'vega');
    assertWithin(after[RHO]!, before[RHO]!, step * spot, 'rho');
  }), RUNS);
});

test('at expiry the value is the payoff on the average, and one millisecond before it is close to that', () => {
  fc.assert(fc.property(inside, fc.integer({ min: 0, max: DAY }), ([isCall, spot, strike, , average, sigma], late) => {
    const payoff = Math.max(0, isCall ? average - strike : strike - average);
    for (const time of [EXPIRY, EXPIRY + late]) {
      assert.equal(optionValue(isCall, spot, strike, EXPIRY, time, average, sigma), payoff);
      assert.deepEqual([...greeks(isCall, spot, strike, time, average, sigma)], [payoff, 0, 0, 0, 0, 0]);
    }
    const last = optionValue(isCall, spot, strike, EXPIRY, EXPIRY - 1, average, sigma);
    assertWithin(last, payoff, 1e-6 * spot, 'last millisecond');
  }), RUNS);
});

test('put-call parity: call minus put is the expected settlement price minus the strike', () => {
  fc.assert(fc.property(inside, ([, spot, strike, weight, average, sigma]) => {
    const time = timeOf(weight);
    const rest = weightOf(time);
    const call = optionValue(true, spot, strike, EXPIRY, time, average, sigma);
    const put = optionValue(false, spot, strike, EXPIRY, time, average, sigma);
    const expected = rest * spot + (1 - rest) * average;
    const noise = 8 * EPSILON * (spot + strike + average);
    assertWithin(call - put, expected - strike, noise, 'parity');
    assert.ok(call >= Math.max(0, expected - strike) - noise && put >= Math.max(0, strike - expected) - noise);
    assertWithin(greeks(true, spot, strike, time, average, sigma)[DELTA]! - greeks(false, spot, strike, time, average, sigma)[DELTA]!,
      rest, 8 * EPSILON, 'deltas');
  }), RUNS);
});

/** The mean of max(0, side * ((1 - w) A + w S exp(d z - d^2 / 2) - K)) over a normal z: Simpson's rule on each side of the kink. */
function expectedPayoff(
  side: number, spot: number, strike: number, weight: number, average: number, sigma: number,
): number {
  const deviation = sigma * Math.sqrt(weight * SETTLEMENT_WINDOW / YEAR);
  const share = (z: number): number => (1 - weight) * average + weight * spot * Math.exp(deviation * z - deviation ** 2 / 2);
  const integrand = (z: number): number =>
    Math.max(0, side * (share(z) - strike)) * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
  const rest = (strike - (1 - weight) * average) / weight;
  const kink = rest > 0 ? Math.max(-12, Math.min(12, (Math.log(rest / spot) + deviation ** 2 / 2) / deviation)) : -12;
  const simpson = (from: number, to: number): number => {
    const steps = 600;
    const h = (to - from) / steps;
    let sum = integrand(from) + integrand(to);
    for (let i = 1; i < steps; i++) sum += (i % 2 === 1 ? 4 : 2) * integrand(from + i * h);
    return sum * h / 3;
  };
  return simpson(-12, kink) + simpson(kink, 12);
}

test('in the window the value is the expected payoff on the blend of average and spot', () => {
  fc.assert(fc.property(inside, ([isCall, spot, strike, weight, average, sigma]) => {
    const time = timeOf(weight);
    const value = optionValue(isCall, spot, strike, EXPIRY, time, average, sigma);
    const expected = expectedPayoff(isCall ? 1 : -1, spot, strike, weightOf(time), average, sigma);
    assertWithin(value, expected, 1e-9 * spot, 'value');
  }), { numRuns: 1_000 });
});

test('when the average already exceeds the strike for certain, the call is worth the blend minus the strike and the put 0', () => {
  for (const [strike, average] of [[50, 101], [89.9, 99.9], [9, 10]] as const) {
    const time = timeOf(0.1);
    const out = greeks(true, 100, strike, time, average, 0.6);
    assertWithin(out[PRICE]!, 0.1 * 100 + 0.9 * average - strike, 1e-12, 'call');
    assert.deepEqual([...out].slice(1, RHO).map(Math.abs), [weightOf(time), 0, 0, 0]);
    assertWithin(out[RHO]!, 0.01 * (EXPIRY - time) / YEAR * (strike - 0.9 * average), 1e-15, 'rho');
    assert.deepEqual([...greeks(false, 100, strike, time, average, 0.6)].map(Math.abs), [0, 0, 0, 0, 0, 0]);
  }
});

test('without a sample yet, the spot is used as the average', () => {
  fc.assert(fc.property(inside, ([isCall, spot, strike, weight, , sigma]) => {
    for (const time of [timeOf(weight), EXPIRY - SETTLEMENT_WINDOW + 1, EXPIRY]) {
      const value = optionValue(isCall, spot, strike, EXPIRY, time, 0, sigma);
      assert.equal(value, optionValue(isCall, spot, strike, EXPIRY, time, spot, sigma));
      assert.equal(greeks(isCall, spot, strike, time, 0, sigma)[PRICE], value);
    }
  }), RUNS);
});

test('greeks agree with numeric derivatives of the value', () => {
  const smooth = blended.filter(([, , , weight, , sigma]) => weight > 0.05 && weight < 0.95 && sigma > 0.15);
  fc.assert(fc.property(smooth, ([isCall, spot, strike, weight, average, sigma]) => {
    const time = timeOf(weight);
    const rest = weightOf(time);
    const deviation = sigma * Math.sqrt(rest * SETTLEMENT_WINDOW / YEAR);
    const value = (s: number, at: number, a: number, v: number): number => optionValue(isCall, s, strike, EXPIRY, at, a, v);
    const out = greeks(isCall, spot, strike, time, average, sigma);
    const move = 0.05 * deviation * spot;
    assert.equal(out[PRICE], value(spot, time, average, sigma));
    assertWithin(out[DELTA]!, slope((s) => value(s, time, average, sigma), spot, move), 1e-5, 'delta');
    const deltaAt = (s: number): number => greeks(isCall, s, strike, time, average, sigma)[DELTA]!;
    assertWithin(out[GAMMA]! * spot, slope(deltaAt, spot, move) * spot, 1e-4 / deviation, 'gamma');
    assertWithin(out[VEGA]!, 0.01 * slope((v) => value(spot, time, average, v), sigma, 0.02 * sigma), 1e-7 * spot, 'vega');
    // Time passes, the spot stays, and the average takes in the spot.
    const averageAt = (at: number): number => ((1 - rest) * average + (rest - weightOf(at)) * spot) / (1 - weightOf(at));
    const decay = slope((at) => value(spot, at, averageAt(at), sigma), time, 0.02 * rest * SETTLEMENT_WINDOW) * DAY;
    assertWithin(out[THETA]!, decay, 1e-4 * (deviation * spot * DAY / SETTLEMENT_WINDOW), 'theta');
    const years = (EXPIRY - time) / YEAR;
    const strikeOfRest = (strike - (1 - rest) * average) / rest;
    const atRate = (r: number): number =>
      rest * optionPrice(isCall, spot * Math.exp(r * years), strikeOfRest, years, sigma, Math.exp(-r * years));
    assertWithin(out[RHO]!, 0.01 * slope(atRate, 0, 0.1), 1e-9 * spot, 'rho');
  }), RUNS);
});

test('prices and greeks are finite and bounded in the last millisecond, at far strikes and for huge averages', () => {
  for (const time of [EXPIRY - SETTLEMENT_WINDOW + 1, EXPIRY - 1_000, EXPIRY - 1]) {
    for (const strike of [1e-6, 100, 1e9]) {
      for (const average of [0, 1e-6, 100, 1e9]) {
        for (const isCall of [true, false]) {
          const out = greeks(isCall, 100, strike, time, average, 3);
          assert.ok(out.every((x) => Number.isFinite(x)), `${strike} ${average}: ${[...out]}`);
          assert.ok(out[PRICE]! >= 0 && out[PRICE]! <= 2e9);
        }
      }
    }
  }
});

test('a volatility is quoted exactly if the price has a time value above one price unit, however little time is left', () => {
  for (const weight of [1, 2 / 3, 1 / 3, 0.1, 0.01]) {
    const time = timeOf(weight);
    const shown = (isCall: boolean, strike: number, price: number): number => (
      quotedSigma(isCall, 100_000, strike, EXPIRY, time, 100_000, price)
    );
    for (const [isCall, strike] of [[true, 100_200], [false, 99_800]] as const) {
      for (const hidden of [0, 1]) assert.equal(shown(isCall, strike, hidden), NaN, `${hidden} with ${weight} left`);
      assert.ok(shown(isCall, strike, 2) > 0, `2 with ${weight} left`);
      // In the money by 200 of the blend, however much of the window is left.
      assert.equal(shown(!isCall, strike, 200e6 + 1), NaN);
      assert.ok(shown(!isCall, strike, 200e6 + 2) > 0);
    }
  }
});
