// Scenario rows of an instrument (MARGIN.md, "Portfolio mode", 1 and 2): one contract's weighted change in each scenario, rounded half away
// from zero to price units. Two entries per instrument, by parity of the vintage. They depend only on what a vintage freezes. Values as
// floats of USDC, times in ms.

import { float64, int32 } from '../columns.ts';
import { CONTRACT, DAY, USDC } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import { pow } from '../math/elementary.ts';
import { isSafe, mulDivHalfUp } from '../math/exact.ts';
import { PPM, SHOCK_POWER_FAR, SHOCK_POWER_NEAR, SHOCK_TERM, VOLATILITY_FLOOR, VOLATILITY_UP_FLOOR } from '../settings.ts';
import { optionValue } from '../valuation/valuation.ts';
import { gridOf, MAX_ROWS, type Grid } from './presets.ts';
import type { MarginInputs } from './standard.ts';

/** What an entry was computed from. */
const INDEX = 0;
const TIME = 1;
const AVERAGE = 2;
const SIGMA = 3;
const KEYS = 4;

/** An instrument unused for so many vintages is not computed ahead. */
const KEPT_VINTAGES = 8;

/** A change is `usdc` whole USDC plus `rest` price units of one sign: each times a size stays exact where their sum would not. */
export type Scenarios = {
  readonly capacity: number;
  readonly keys: Float64Array;
  readonly usdc: Int32Array;
  readonly rest: Int32Array;
  /** Per entry: largest change in whole USDC, rounded up. */
  readonly largest: Float64Array;
  readonly usedAt: Float64Array;
};

export function createScenarios(instruments: number): Scenarios {
  const entries = instruments * 2;
  return {
    capacity: instruments, keys: float64(entries * KEYS), usdc: int32(entries * MAX_ROWS),
    rest: int32(entries * MAX_ROWS), largest: float64(entries),
    usedAt: float64(instruments).fill(-KEPT_VINTAGES - 1),
  };
}

export function forgetScenarios(scenarios: Scenarios): void {
  scenarios.keys.fill(NaN);
}

export function forgetRows({ capacity, keys, usedAt }: Scenarios, slot: number): void {
  keys.fill(NaN, slot * KEYS, (slot + 1) * KEYS);
  keys.fill(NaN, (capacity + slot) * KEYS, (capacity + slot + 1) * KEYS);
  usedAt[slot] = -KEPT_VINTAGES - 1;
}

export function entryOf(inputs: MarginInputs, scenarios: Scenarios, slot: number): number {
  const { valuation, instruments } = inputs;
  const { keys } = scenarios;
  const underlying = instruments.underlying[slot];
  const vintage = valuation.vintage[underlying];
  const entry = (vintage % 2) * scenarios.capacity + slot;
  const at = entry * KEYS;
  scenarios.usedAt[slot] = vintage;
  if (keys[at + INDEX] !== valuation.markIndex[underlying] || keys[at + TIME] !== valuation.markedAt[underlying]
    || keys[at + AVERAGE] !== valuation.average[underlying] || keys[at + SIGMA] !== valuation.sigma[slot]) {
    keys[at + INDEX] = valuation.markIndex[underlying];
    keys[at + TIME] = valuation.markedAt[underlying];
    keys[at + AVERAGE] = valuation.average[underlying];
    keys[at + SIGMA] = valuation.sigma[slot];
    make(inputs, scenarios, slot, entry);
  }
  return entry;
}

export function prepareScenarios(inputs: MarginInputs, scenarios: Scenarios, slot: number): void {
  const { valuation, instruments } = inputs;
  const { keys } = scenarios;
  const underlying = instruments.underlying[slot];
  const vintage = valuation.vintage[underlying];
  if (scenarios.usedAt[slot] + KEPT_VINTAGES < vintage) return;
  const entry = ((vintage + 1) % 2) * scenarios.capacity + slot;
  const at = entry * KEYS;
  keys[at + INDEX] = valuation.nextIndex[underlying];
  keys[at + TIME] = valuation.nextTime[underlying];
  keys[at + AVERAGE] = valuation.nextAverage[underlying];
  keys[at + SIGMA] = valuation.nextSigma[slot];
  make(inputs, scenarios, slot, entry);
}

function make(inputs: MarginInputs, scenarios: Scenarios, slot: number, entry: number): void {
  const grid = gridOf(inputs.settings, inputs.instruments.underlying[slot]);
  if (inputs.instruments.kind[slot] === PERP) perpRows(scenarios, grid, entry);
  else optionRows(inputs, scenarios, grid, slot, entry);
}

function perpRows(scenarios: Scenarios, grid: Grid, entry: number): void {
  const index = scenarios.keys[entry * KEYS + INDEX];
  let largest = 0;
  for (let row = 0; row < grid.rows; row++) {
    const shock = grid.spot[row] * grid.weight[row];
    const change = mulDivHalfUp(shock < 0 ? -index : index, Math.abs(shock), PPM * PPM);
    largest = Math.max(largest, put(scenarios, entry * MAX_ROWS + row, change));
  }
  scenarios.largest[entry] = largest;
}

const scratch = { changes: new Float64Array(MAX_ROWS) };

function optionRows(inputs: MarginInputs, scenarios: Scenarios, grid: Grid, slot: number, entry: number): void {
  const { keys } = scenarios;
  const { changes } = scratch;
  const at = entry * KEYS;
  writeChanges(inputs, grid, slot, keys[at + INDEX] / USDC, keys[at + TIME], keys[at + AVERAGE] / USDC, keys[at + SIGMA] / PPM, changes);
  let largest = 0;
  for (let row = 0; row < grid.rows; row++) {
    const change = changes[row] * USDC;
    largest = Math.max(largest, put(scenarios, entry * MAX_ROWS + row, change < 0 ? -Math.round(-change) : Math.round(change)));
  }
  scenarios.largest[entry] = largest;
}

function writeChanges(
  inputs: MarginInputs, grid: Grid, slot: number, spot: number, time: number, average: number, sigma: number, out: Float64Array,
): void {
  const { instruments } = inputs;
  const left = instruments.expiry[slot] - time;
  // An expired contract that waits for its price moves with the index. The average belongs to another expiry.
  const mean = left > 0 ? average : 0;
  const scale = shockScale(inputs, grid, left);
  const before = optionValue(instruments, slot, spot, time, mean, sigma);
  for (let row = 0; row < grid.rows; row++) {
    const shocked = shockedVolatility(inputs, grid, row, sigma, scale);
    const after = optionValue(instruments, slot, spot * (1 + grid.spot[row] / PPM), time, mean, shocked);
    out[row] = (after - before) * (grid.weight[row] / PPM);
  }
}

/** Returns whole USDC, rounded up. */
function put(scenarios: Scenarios, at: number, change: number): number {
  const usdc = Math.trunc(change / USDC);
  scenarios.usdc[at] = usdc;
  scenarios.rest[at] = change - usdc * USDC;
  return Math.abs(usdc) + 1;
}

export function shockScale(inputs: MarginInputs, grid: Grid, left: number): number {
  if (!grid.scaled) return 1;
  const { values } = inputs.settings;
  const days = Math.max(1, left / DAY);
  const term = values[SHOCK_TERM] / DAY;
  return pow(term / days, values[days < term ? SHOCK_POWER_NEAR : SHOCK_POWER_FAR] / PPM);
}

export function shockedVolatility(inputs: MarginInputs, grid: Grid, row: number, sigma: number, scale: number): number {
  const { values } = inputs.settings;
  const shock = grid.volatility[row] / PPM;
  const shocked = Math.max(values[VOLATILITY_FLOOR] / PPM, sigma * (1 + shock * scale));
  return grid.scaled && shock > 0 ? Math.max(values[VOLATILITY_UP_FLOOR] / PPM, shocked) : shocked;
}

/** Up to this size, products with `rest` are exact. */
const PLAIN_SIZE = 9_000_000_000;
const HALF = CONTRACT / 2;

/** Each product rounds half away from zero, so that -size subtracts exactly the same. */
export function addPosition(scenarios: Scenarios, entry: number, count: number, size: number, sums: Float64Array, to: number): void {
  const { usdc, rest } = scenarios;
  if (!isPlain(scenarios, entry, size)) {
    for (let row = 0; row < count; row++) sums[to + row] += exactGain(scenarios, entry, row, size);
    return;
  }
  const from = entry * MAX_ROWS;
  for (let row = 0; row < count; row++) {
    const part = size * rest[from + row];
    sums[to + row] += size * usdc[from + row] + Math.trunc((part < 0 ? part - HALF : part + HALF) / CONTRACT);
  }
}

/** A positive size is a bid and counts where the contract falls; a negative one is an ask. `times`: 1 or -1. */
export function addOrders(
  scenarios: Scenarios, entry: number, count: number, size: number, times: number, sums: Float64Array, to: number,
): void {
  const { usdc, rest } = scenarios;
  const plain = isPlain(scenarios, entry, size);
  const from = entry * MAX_ROWS;
  for (let row = 0; row < count; row++) {
    const part = size * rest[from + row];
    const whole = size * usdc[from + row];
    if (part >= 0 && whole >= 0) continue;
    const loss = plain ? whole + Math.trunc((part - HALF) / CONTRACT) : exactGain(scenarios, entry, row, size);
    sums[to + row] += times * loss;
  }
}

function isPlain({ largest }: Scenarios, entry: number, size: number): boolean {
  const magnitude = Math.abs(size);
  return magnitude <= PLAIN_SIZE && magnitude * largest[entry] <= Number.MAX_SAFE_INTEGER;
}

/** The gain in micros. Beyond the exact range, the nearest double. */
export function exactGain(scenarios: Scenarios, entry: number, row: number, size: number): number {
  const at = entry * MAX_ROWS + row;
  const change = scenarios.usdc[at] * USDC + scenarios.rest[at];
  const gain = mulDivHalfUp(change < 0 ? -size : size, Math.abs(change), CONTRACT);
  return isSafe(gain) ? gain : change * size / CONTRACT;
}
