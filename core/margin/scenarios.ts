// Scenario rows of an instrument: what one contract's value changes by in each scenario of its underlying, weighted, as an
// integer of price units rounded half away from zero. A memo: an entry is good for the inputs it was made from (index, time,
// settlement average, volatility), which belong to one vintage of the marks, so whether it is filled never changes an answer.
// Two entries an instrument, by the parity of the vintage: the rows of the next one are made aside while this one is in use.
// Values in floats of USDC, times ms. Source: MARGIN.md, "Portfolio mode", 1 and 2. Never reads what a vintage does not freeze.

import { float64, int32 } from '../columns.ts';
import { CONTRACT, DAY, USDC } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import { pow } from '../math/elementary.ts';
import { isSafe, mulDivHalfUp } from '../math/exact.ts';
import { PPM, SHOCK_POWER_FAR, SHOCK_POWER_NEAR, SHOCK_TERM, VOLATILITY_FLOOR, VOLATILITY_UP_FLOOR } from '../settings.ts';
import { optionValue } from '../valuation/valuation.ts';
import { gridOf, MAX_ROWS, type Grid } from './presets.ts';
import type { MarginInputs } from './standard.ts';

/** What an entry was made from: index, time, average, volatility. */
const INDEX = 0;
const TIME = 1;
const AVERAGE = 2;
const SIGMA = 3;
const KEYS = 4;

/** Vintages for which an instrument that nobody asks for still has its rows made ahead. */
const KEPT_VINTAGES = 8;

/** A change is `usdc` whole USDC and `rest` price units, of one sign: a product of each with a size is exact far beyond their sum's. */
export type Scenarios = {
  readonly capacity: number;
  readonly keys: Float64Array;
  readonly usdc: Int32Array;
  readonly rest: Int32Array;
  /** Per entry: its largest change in whole USDC, rounded up. */
  readonly largest: Float64Array;
  /** Per instrument: the vintage of its underlying in which its rows were last asked for. */
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

/** The settings changed, and with them what rows are made with. */
export function forgetScenarios(scenarios: Scenarios): void {
  scenarios.keys.fill(NaN);
}

/** The slot has another contract now. */
export function forgetRows({ capacity, keys, usedAt }: Scenarios, slot: number): void {
  keys.fill(NaN, slot * KEYS, (slot + 1) * KEYS);
  keys.fill(NaN, (capacity + slot) * KEYS, (capacity + slot + 1) * KEYS);
  usedAt[slot] = -KEPT_VINTAGES - 1;
}

/** The instrument's entry at the marks in force, made if it is not there. */
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

/** Makes the rows that the instrument will have at the marks in the making, if it has been of use lately. */
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

/** What one option contract's value changes by in each row, weighted, in floats of USDC: not rounded. */
function writeChanges(
  inputs: MarginInputs, grid: Grid, slot: number, spot: number, time: number, average: number, sigma: number, out: Float64Array,
): void {
  const { instruments } = inputs;
  const left = instruments.expiry[slot] - time;
  // An expired contract that waits for its price moves with the index; an average now is that of another expiry.
  const mean = left > 0 ? average : 0;
  const scale = shockScale(inputs, grid, left);
  const before = optionValue(instruments, slot, spot, time, mean, sigma);
  for (let row = 0; row < grid.rows; row++) {
    const shocked = shockedVolatility(inputs, grid, row, sigma, scale);
    const after = optionValue(instruments, slot, spot * (1 + grid.spot[row] / PPM), time, mean, shocked);
    out[row] = (after - before) * (grid.weight[row] / PPM);
  }
}

/** Stores a change of price units; answers what it is in whole USDC, rounded up. */
function put(scenarios: Scenarios, at: number, change: number): number {
  const usdc = Math.trunc(change / USDC);
  scenarios.usdc[at] = usdc;
  scenarios.rest[at] = change - usdc * USDC;
  return Math.abs(usdc) + 1;
}

/** How many times the stated volatility shock applies to an option with this much time left. */
export function shockScale(inputs: MarginInputs, grid: Grid, left: number): number {
  if (!grid.scaled) return 1;
  const { values } = inputs.settings;
  const days = Math.max(1, left / DAY);
  const term = values[SHOCK_TERM] / DAY;
  return pow(term / days, values[days < term ? SHOCK_POWER_NEAR : SHOCK_POWER_FAR] / PPM);
}

/** The volatility of a row, a fraction as `sigma` is. */
export function shockedVolatility(inputs: MarginInputs, grid: Grid, row: number, sigma: number, scale: number): number {
  const { values } = inputs.settings;
  const shock = grid.volatility[row] / PPM;
  const shocked = Math.max(values[VOLATILITY_FLOOR] / PPM, sigma * (1 + shock * scale));
  return grid.scaled && shock > 0 ? Math.max(values[VOLATILITY_UP_FLOOR] / PPM, shocked) : shocked;
}

/** Sizes up to this times `rest` are exact products. */
const PLAIN_SIZE = 9_000_000_000;
const HALF = CONTRACT / 2;

/**
 * Adds to `sums[to ...]` what a position of `size` gains in each row: each product rounded half away from zero, so that adding
 * -size takes exactly the same off again.
 */
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

/**
 * The same for open orders: a size above 0 is bid and counts where the contract falls, below 0 is asked and counts where it
 * rises. `times` 1 adds, -1 takes off again.
 */
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

/** What a position of `size` gains in one row, micros; beyond the exact range the double nearest to it. */
export function exactGain(scenarios: Scenarios, entry: number, row: number, size: number): number {
  const at = entry * MAX_ROWS + row;
  const change = scenarios.usdc[at] * USDC + scenarios.rest[at];
  const gain = mulDivHalfUp(change < 0 ? -size : size, Math.abs(change), CONTRACT);
  return isSafe(gain) ? gain : change * size / CONTRACT;
}
