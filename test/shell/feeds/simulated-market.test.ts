// The simulated market over a week, for several seeds: it shows the known statistics of real returns (Cont 2001, "Empirical properties of
// asset returns"), is the same for the same seed, and continues smoothly after a restart.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SIMULATED, simulatedMarket } from '../../../shell/feeds/simulated-market.ts';

const NAMES = ['BTC', 'ETH'];
const NOWHERE = [{ price: 0, volatility: 0 }, { price: 0, volatility: 0 }];
const SEEDS = [1, 2, 3, 4, 5, 6];
const WEEK = 7 * 86_400;
const MINUTES_A_YEAR = 365 * 1_440;
/** A second's return that diffusion does not make: over 10 standard deviations at twice the usual volatility. */
const JUMP = 0.0025;

type Week = {
  /** Per underlying: returns of the minutes, annualised volatility of the week, volatilities shown, by hour. */
  readonly minutes: readonly (readonly number[])[];
  readonly realised: readonly number[];
  readonly shown: readonly (readonly number[])[];
  /** Seconds in which the first, the second, and both jumped. */
  readonly jumps: readonly [number, number, number];
  /** Largest changes in a second: of skew and curvature, and of the volatility shown unless the price jumped. */
  readonly tilt: number;
  readonly shift: number;
};

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const [fromA, fromB] = [a.map((value) => value - meanA), b.map((value) => value - meanB)];
  const product = (x: readonly number[], y: readonly number[]): number => mean(x.map((value, at) => value * y[at]!));
  return product(fromA, fromB) / Math.sqrt(product(fromA, fromA) * product(fromB, fromB));
}

function weekOf(seed: number): Week {
  const market = simulatedMarket(NAMES, NOWHERE, seed);
  const minutes: number[][] = [[], []];
  const shown: number[][] = [[], []];
  const jumps: [number, number, number] = [0, 0, 0];
  let last = market.prices();
  let minute = last;
  let tilt = 0;
  let shift = 0;
  for (let second = 1; second <= WEEK; second++) {
    market.step();
    const prices = market.prices();
    const jumped = prices.map(({ price }, at) => Math.abs(Math.log(price / last[at]!.price)) > JUMP);
    if (jumped[0]) jumps[0]++;
    if (jumped[1]) jumps[1]++;
    if (jumped[0] && jumped[1]) jumps[2]++;
    for (const [at, row] of prices.entries()) {
      tilt = Math.max(tilt, Math.abs(row.skew - last[at]!.skew), Math.abs(row.curvature - last[at]!.curvature));
      if (!jumped[at]) shift = Math.max(shift, Math.abs(row.volatility - last[at]!.volatility));
    }
    last = prices;
    if (second % 60 !== 0) continue;
    for (const [at, { price, volatility }] of prices.entries()) {
      minutes[at]!.push(Math.log(price / minute[at]!.price));
      if (second % 3_600 === 0) shown[at]!.push(volatility / 1e6);
    }
    minute = prices;
  }
  const realised = minutes.map((returns) => Math.sqrt(mean(returns.map((r) => r * r)) * MINUTES_A_YEAR));
  return { minutes, realised, shown, jumps, tilt, shift };
}

let weeks: Week[];
before(() => {
  weeks = SEEDS.map(weekOf);
});

/** Calls `check` for each seed and underlying. */
function each(check: (week: Week, at: number, what: string) => void): void {
  for (const [index, week] of weeks.entries()) NAMES.forEach((name, at) => check(week, at, `${name}, seed ${SEEDS[index]}`));
}

test('one-minute returns have fatter tails than normal ones', () => {
  each(({ minutes }, at, what) => {
    const squares = minutes[at]!.map((r) => r * r);
    const kurtosis = mean(squares.map((s) => s * s)) / mean(squares) ** 2;
    assert.ok(kurtosis > 4, `${what}: kurtosis ${kurtosis}`);
  });
});

test('volatility clusters: absolute returns correlate over minutes, signed returns do not', () => {
  each(({ minutes }, at, what) => {
    const returns = minutes[at]!;
    const most = 4 * Math.sqrt(mean(returns.map((r) => r * r)));
    const sizes = returns.map((r) => Math.min(most, Math.abs(r)));
    const after = (values: readonly number[], lag: number): number => correlation(values.slice(lag), values.slice(0, -lag));
    // The standard error of an autocorrelation of 10,080 independent numbers is 0.01.
    for (const lag of [1, 5, 10]) assert.ok(after(sizes, lag) > 0.05, `${what}, lag ${lag}: ${after(sizes, lag)}`);
    const signed = returns.map((r) => Math.max(-most, Math.min(most, r)));
    assert.ok(Math.abs(after(signed, 1)) < 0.06, `${what}: returns ${after(signed, 1)}`);
  });
});

test('realised volatility is near the configured one, in each week and on average', () => {
  each(({ realised }, at, what) => {
    const relative = realised[at]! / SIMULATED[NAMES[at]!]!.volatility;
    assert.ok(relative > 0.5 && relative < 1.8, `${what}: ${relative}`);
  });
  for (const [at, name] of NAMES.entries()) {
    const average = Math.sqrt(mean(weeks.map(({ realised }) => realised[at]! ** 2))) / SIMULATED[name]!.volatility;
    assert.ok(average > 0.8 && average < 1.25, `${name}: ${average}`);
  }
});

test('jumps come a few times a day, some in both underlyings at once', () => {
  for (const [index, { jumps }] of weeks.entries()) {
    for (const count of jumps.slice(0, 2)) assert.ok(count >= 7 && count <= 45, `seed ${SEEDS[index]}: ${count}`);
    assert.ok(jumps[2] >= 1 && jumps[2] < Math.min(jumps[0], jumps[1]), `seed ${SEEDS[index]}: ${jumps.join()}`);
  }
});

test('the returns of BTC and ETH correlate', () => {
  for (const { minutes } of weeks) {
    const together = correlation(minutes[0]!, minutes[1]!);
    assert.ok(together > 0.55 && together < 0.95, String(together));
  }
});

test('the shown volatility follows the realised one, and no part of the surface moves fast', () => {
  each(({ shown, realised, tilt, shift }, at, what) => {
    const relative = mean(shown[at]!) / realised[at]!;
    assert.ok(relative > 0.7 && relative < 1.4, `${what}: ${relative}`);
    assert.ok(Math.max(...shown[at]!) > 1.05 * Math.min(...shown[at]!), `${what} stands still`);
    assert.ok(shift <= 5_000, `${what}: ${shift} in a second is over half a volatility point`);
    assert.ok(tilt <= 2_000, `${what}: ${tilt}`);
  });
  const all = weeks.flatMap(({ shown, realised }) => NAMES.map((_, at) => [mean(shown[at]!), realised[at]!] as const));
  assert.ok(correlation(all.map(([a]) => a), all.map(([, b]) => b)) > 0.4);
});

test('the same seed gives the same prices, another seed others, whether or not they are read', () => {
  const after = (seed: number, isWatched: boolean): unknown => {
    const market = simulatedMarket(NAMES, NOWHERE, seed);
    for (let second = 0; second < 1_000; second++) {
      market.step();
      if (isWatched) market.prices();
    }
    return market.prices();
  };
  assert.deepEqual(after(9, true), after(9, false));
  assert.notDeepEqual(after(9, true), after(10, true));
});

test('a market continues from a given price and volatility, whatever the seed', () => {
  const before = simulatedMarket(NAMES, NOWHERE, 3);
  for (let second = 0; second < 50_000; second++) before.step();
  const stopped = before.prices();
  for (let seed = 0; seed < 20; seed++) {
    const again = simulatedMarket(NAMES, stopped, seed);
    // What the short-lived factor had added to the volatility shown is taken for the lasting one.
    assert.deepEqual(again.prices(), stopped);
    again.step();
    for (const [at, { price, volatility }] of again.prices().entries()) {
      assert.ok(Math.abs(price / stopped[at]!.price - 1) < JUMP);
      assert.ok(Math.abs(volatility - stopped[at]!.volatility) < 5_000);
    }
  }
});

test('prices and volatilities are bounded integers from any start', () => {
  const starts = [{ price: 1, volatility: 1 }, { price: 1e14, volatility: 5_000_000 }, { price: 10_000, volatility: 0 }];
  for (const start of starts) {
    const market = simulatedMarket(['BTC', 'DOT'], [start, start], 5);
    for (let second = 0; second < 20_000; second++) {
      market.step();
      for (const { price, volatility, skew, curvature } of market.prices()) {
        assert.ok(Number.isSafeInteger(price) && price > 0 && price <= 1e14, String(price));
        assert.ok(Number.isSafeInteger(volatility) && volatility > 0 && volatility <= 8_000_000, String(volatility));
        assert.ok(skew >= -300_000 && skew <= 100_000 && curvature >= 100_000 && curvature <= 1_000_000, `${skew} ${curvature}`);
      }
    }
  }
});
