// The volatility index against a calculation of its own in whole numbers of 50 decimals, a flat surface, the choice of expiries, and what
// the venue answers and sends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { neighboursOf, swapVolatility, volatilityAtTenor, VOL_INDEX_EVERY } from '../../../shell/reader/market/vol-index.ts';
import { START } from '../../support/venue.ts';
import { Bench, ROOMY, type Sent } from './support.ts';

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const TENOR = 30 * DAY;

/** Whole numbers of 50 decimals. */
const ONE = 10n ** 50n;
const big = (value: number): bigint => {
  let [rest, scale, result] = [value, 1n, 0n];
  // Each turn takes 20 bits, all of them exact.
  for (let turn = 0; turn < 60 && rest !== 0; turn++) {
    const whole = Math.trunc(rest);
    result += BigInt(whole) * ONE / scale;
    rest = (rest - whole) * 1_048_576;
    scale *= 1_048_576n;
  }
  return result;
};
const times = (a: bigint, b: bigint): bigint => a * b / ONE;
const over = (a: bigint, b: bigint): bigint => a * ONE / b;

function rootOf(value: bigint): bigint {
  const of = value * ONE;
  let root = of;
  for (let next = (root + 1n) / 2n; next < root; next = (root + of / root) / 2n) root = next;
  return root;
}

/** By the series, of a fourth of the argument until that is small. */
function expOf(x: bigint): bigint {
  if (x > ONE || x < -ONE) {
    const half = expOf(x / 2n);
    return times(half, half);
  }
  let [sum, term] = [ONE, ONE];
  for (let n = 1n; term !== 0n; n++) sum += term = times(term, x) / n;
  return sum;
}

const PI = (() => {
  // Machin: pi = 16 atan(1/5) - 4 atan(1/239).
  const atanOfInverse = (n: bigint): bigint => {
    let [sum, power] = [0n, ONE / n];
    for (let k = 1n; power !== 0n; k += 2n, power /= -n * n) sum += power / k;
    return sum;
  };
  return 16n * atanOfInverse(5n) - 4n * atanOfInverse(239n);
})();

/** The normal distribution: 1/2 + pdf(x) (x + x^3/3 + x^5/15 + ...). */
function cdfOf(x: bigint): bigint {
  const square = times(x, x);
  let [sum, term] = [x, x];
  for (let n = 3n; term !== 0n; n += 2n) sum += term = times(term, square) / n;
  return ONE / 2n + times(over(expOf(-square / 2n), rootOf(2n * PI)), sum);
}

/** The formula of the specification, with the price of a call or put on an index F and r = 0, for F = 1. */
function oracle(sigmaAt: (k: number) => number, years: number): number {
  const time = big(years);
  const edge = 8n * times(big(sigmaAt(0)), rootOf(time));
  let sum = 0n;
  for (let j = 0; j <= 400; j++) {
    const k = -edge + 2n * edge * BigInt(j) / 400n;
    const deviation = times(big(sigmaAt(Number(k) / Number(ONE))), rootOf(time));
    const strike = expOf(k);
    const upper = over(-k, deviation) + deviation / 2n;
    const call = cdfOf(upper) - times(strike, cdfOf(upper - deviation));
    const price = k >= 0n ? call : call - ONE + strike;
    sum += over(price, strike) * (j === 0 || j === 400 ? 1n : 2n) / 2n;
  }
  const variance = over(2n * times(sum, 2n * edge / 400n), time);
  return Number(rootOf(variance)) / Number(ONE);
}

test('property: a flat surface gives its own volatility to 0.02 %, from 1 % to 500 % and a minute to three years', () => {
  const years = fc.double({ min: 60_000 / YEAR, max: 3, noNaN: true });
  fc.assert(fc.property(fc.double({ min: 0.01, max: 5, noNaN: true }), years, (sigma, time) => {
    const found = swapVolatility(() => sigma, time);
    assert.ok(Math.abs(found / sigma - 1) <= 2e-4, `${found} of ${sigma}`);
  }), { numRuns: 200 });
});

test('property: any smile gives what an exact calculation gives, to a billionth', () => {
  const smile = fc.record({
    atm: fc.double({ min: 0.1, max: 2, noNaN: true }), skew: fc.double({ min: -0.4, max: 0.4, noNaN: true }),
    wing: fc.double({ min: 0, max: 0.5, noNaN: true }), years: fc.double({ min: 1 / 365, max: 1, noNaN: true }),
  });
  fc.assert(fc.property(smile, ({ atm, skew, wing, years }) => {
    const sigmaAt = (k: number): number => atm * (1 + (skew * k + wing * k * k) / (1 + k * k));
    const [found, exact] = [swapVolatility(sigmaAt, years), oracle(sigmaAt, years)];
    assert.ok(Math.abs(found / exact - 1) < 1e-9, `${found} for ${exact}`);
  }), { numRuns: 10 });
});

test('a smile that rises to both sides gives more than its volatility at the money', () => {
  assert.ok(swapVolatility((k) => 0.6 + 0.5 * k * k, 30 / 365) > 0.61);
});

test('the nearest expiries at or below and above 30 days count, and one alone if there is no other', () => {
  const at = (...days: number[]): number[] => days.map((day) => START + day * DAY);
  assert.deepEqual(neighboursOf(at(1, 7, 29, 31, 60), START), at(29, 31));
  assert.deepEqual(neighboursOf(at(7, 30, 31), START), at(30, 31), 'exactly 30 days is below');
  assert.deepEqual(neighboursOf(at(0, 1, 7), START), at(7));
  assert.deepEqual(neighboursOf(at(60, 90), START), at(60));
  assert.deepEqual(neighboursOf(at(0), START), [], 'an expiry of now has ended');
});

test('property: between two expiries total variance is linear in time, and 30 days is between the two', () => {
  const volatility = fc.double({ min: 0.1, max: 3, noNaN: true });
  fc.assert(fc.property(volatility, volatility, fc.integer({ min: 1, max: 29 }), fc.integer({ min: 31, max: 400 }), (a, b, near, far) => {
    const expiries = [{ sigma: a, years: near / 365 }, { sigma: b, years: far / 365 }];
    const slope = (b * b * far - a * a * near) / (far - near);
    const total = a * a * near + slope * (30 - near);
    fc.pre(total > 0);
    assert.ok(Math.abs(volatilityAtTenor(expiries) / Math.sqrt(total / 30) - 1) < 1e-12);
  }));
  assert.equal(volatilityAtTenor([{ sigma: 0.7, years: 1 }]), 0.7);
  assert.ok(Math.abs(volatilityAtTenor([{ sigma: 0.7, years: TENOR / YEAR }, { sigma: 0.9, years: 1 }]) - 0.7) < 1e-12);
});

type Told = { vol_index: number | null; timestamp: number; expiries: { volatility: number; is_stale: boolean }[] };
type Indexes = { indexes: { underlying: string; vol_index: number | null; timestamp: number }[]; seq: number };

function told(bench: Bench, underlying = 'BTC'): Told {
  return bench.body<{ data: Told }>('volIndex', { underlying }).data;
}

function setSurface(bench: Bench, atm: number, skew = 0, curvature = 0): void {
  bench.venue.venue(bench.venue.write.surface(0, 0, atm, skew, curvature));
  tick(bench, 1_000);
}

/** A new index price, so new marks. */
function tick(bench: Bench, ms: number, price = 100_000): void {
  bench.venue.advance(ms);
  bench.venue.venue(bench.venue.write.index(0, price * 1e6));
  bench.venue.settle();
  bench.feed();
}

test('the venue answers 100 times the volatility of a flat surface, and more with a smile', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  setSurface(bench, 650_000);
  const { vol_index: flat, timestamp, expiries } = told(bench);
  assert.ok(Math.abs(flat! / 65 - 1) <= 2e-4, `${flat}`);
  assert.equal(timestamp, bench.venue.state.valuation.markedAt[0]);
  assert.equal(expiries.length, 2);
  setSurface(bench, 650_000, 0, 2_000_000);
  assert.ok(told(bench).vol_index! > 66);
  const { status, body } = bench.answer('volIndex', { underlying: 'DOGE' });
  assert.deepEqual([status, JSON.parse(body).message], [400, 'Unknown underlying: DOGE']);
});

test('while an expiry it needs is stale the index is null, and it has no candle of then', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  setSurface(bench, 650_000);
  assert.ok(told(bench).vol_index !== null);
  // Without input for a minute.
  for (let step = 0; step < 70; step++) tick(bench, 1_000);
  const { vol_index: value, expiries } = told(bench);
  assert.equal(value, null);
  assert.ok(expiries.some(({ is_stale: isStale }) => isStale));
  const since = bench.venue.now;
  for (let step = 0; step < 120; step++) tick(bench, 1_000);
  const candles = bench.body<{ data: { candles: { start_time_ms: number }[] } }>('volIndexCandles', {
    underlying: 'BTC', resolution: '1m', start: START, end: START + DAY,
  }).data.candles;
  assert.ok(candles.length > 0 && candles.every(({ start_time_ms: start }) => start < since));
});

test('an index is taken with the first marks of five seconds: candles and messages have the same', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  setSurface(bench, 600_000);
  const { body } = bench.answer('subscribe', { channel: 'vol_index', key: '' });
  const standing = JSON.parse(body) as { topic: number; seq: number; messages: Indexes[] };
  assert.equal(standing.messages[0]!.indexes.find(({ underlying }) => underlying === 'BTC')!.vol_index, told(bench).vol_index);
  assert.equal(standing.messages[0]!.seq, standing.seq);
  bench.sent.length = 0;
  const expected: { time: number; value: number }[] = [];
  let before = bench.venue.state.valuation.markedAt[0]!;
  for (let step = 0; step < 150; step++) {
    if (step % 9 === 0) bench.venue.venue(bench.venue.write.surface(0, 0, 500_000 + 10_000 * (step % 23)));
    tick(bench, 1_300);
    const time = bench.venue.state.valuation.markedAt[0]!;
    if (Math.floor(time / VOL_INDEX_EVERY) > Math.floor(before / VOL_INDEX_EVERY)) expected.push({ time, value: told(bench).vol_index! });
    before = time;
    if (step === 70) bench.commit();
  }
  const messages = bench.sent.filter(({ topic }) => topic === standing.topic).map(({ message }: Sent) => message as unknown as Indexes);
  const ofBtc = messages.map(({ indexes }) => indexes.find(({ underlying }) => underlying === 'BTC')!);
  const shown = new Map(ofBtc.map((one) => [one.timestamp, one.vol_index]));
  for (const { time, value } of expected) assert.equal(shown.get(time), value);
  assert.ok(expected.length > 30 && messages.every(({ seq }, at) => at === 0 || seq > messages[at - 1]!.seq));
  const { candles } = bench.body<{ data: { candles: Record<string, number>[] } }>('volIndexCandles', {
    underlying: 'BTC', resolution: '1m', start: START, end: START + DAY,
  }).data;
  const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
  const minutes = Map.groupBy(expected, ({ time }) => Math.floor(time / 60_000) * 60_000);
  const whole = [...minutes].slice(1);
  for (const [start, of] of whole) {
    const values = of.map(({ value }) => rounded(value));
    const candle = candles.find((one) => one['start_time_ms'] === start)!;
    assert.deepEqual([candle['open'], candle['high'], candle['low'], candle['close'], candle['volume']],
      [values[0], Math.max(...values), Math.min(...values), values.at(-1), 0]);
  }
  assert.ok(whole.length >= 2);
});
