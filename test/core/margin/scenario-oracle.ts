// Portfolio margin by brute force: scenario rows from an own Black-76 in plain doubles, everything after their rounding in
// BigInt, formula by formula from MARGIN.md ("Portfolio mode"). A change within float error of a rounding boundary has two possible
// values, so a requirement is an interval, nearly always of one number. Money and prices 1e-6 USDC, sizes 1e-6 contracts.
// Shares no code with the core but its units and record layouts; slow on purpose; must never be optimised.

import { CONTRACT } from '../../../core/units.ts';
import { CALL, PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';

export type Exposure = { instrument: number; position: bigint; bids: bigint; asks: bigint };
/** Lowest and highest value within float error. */
export type Span = { low: bigint; high: bigint };
/** The lowest and highest change of a contract's value in each row; a caller with many portfolios may cache the rows. */
export type RowsOf = (slot: number) => readonly (readonly [low: bigint, high: bigint])[];
type Requirement = { scanning: Span; floor: bigint; overlay: bigint; initial: Span };

const UNIT = BigInt(CONTRACT);
const PPM = 1_000_000n;
const YEAR = 365 * 86_400_000;
const DAY = 86_400_000;
const WINDOW = 1_800_000;
/** In price units: an upper bound on the difference between two ways to compute a value of 1e5 USDC. */
const FLOAT_ERROR = 1e-3;
/** Settings by number, as core/settings documents them. */
const [FLOOR, OVERLAY, START, RAMP, STEP, LOWEST, UP_LOWEST, PRESET] = [16, 17, 18, 19, 20, 22, 23, 63];
const [TERM, NEAR, FAR] = [38, 39, 40];

/** Rows: spot and volatility in percent, weight. */
export const DENSE: [number, number, number][] = [];
for (const x of [-16, -12, -8, -4, 0, 4, 8, 12, 16]) for (const v of [-25, 0, 45]) DENSE.push([x, v, 1]);
DENSE.push([-66, 45, 0.24], [-33, 45, 0.48], [50, 45, 0.32], [100, 45, 0.16], [200, 45, 0.08], [300, 45, 0.0533], [400, 45, 0.04],
  [500, 45, 0.032]);
export const VENUE17: [number, number, number][] = [
  ...[[12, 35], [8, 0], [4, -15], [0, 35], [0, 0], [0, -15], [-4, -15], [-8, 0], [-12, 45], [12, 0], [-12, 0], [8, 25], [-8, 35]]
    .map(([x, v]): [number, number, number] => [x!, v!, 1]),
  [-25, 70, 0.6], [25, 55, 0.6], [-40, 90, 0.35], [40, 70, 0.35],
];

/** Standard normal distribution: Marsaglia's series in the middle, a continued fraction in the tails. */
function cdf(x: number): number {
  const density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) < 4) {
    let term = x;
    let sum = x;
    for (let k = 3; Math.abs(term) > 1e-18 * Math.abs(sum) && k < 400; k += 2) sum += term *= x * x / k;
    return 0.5 + density * sum;
  }
  let fraction = Math.abs(x);
  for (let k = 200; k >= 1; k--) fraction = Math.abs(x) + k / fraction;
  const tail = density / fraction;
  return x < 0 ? tail : 1 - tail;
}

function black(isCall: boolean, forward: number, strike: number, years: number, sigma: number): number {
  const intrinsic = Math.max(0, isCall ? forward - strike : strike - forward);
  const spread = sigma * Math.sqrt(Math.max(0, years));
  if (!(spread > 0 && forward > 0 && strike > 0)) return intrinsic;
  const d1 = Math.log(forward / strike) / spread + spread / 2;
  const outside = forward < strike
    ? forward * cdf(d1) - strike * cdf(d1 - spread) : strike * cdf(spread - d1) - forward * cdf(-d1);
  return intrinsic + Math.max(0, outside);
}

/** Value of one contract, in its last 30 minutes with the average so far; an `average` of 0 means no samples. */
export function contractValue(
  isCall: boolean, spot: number, strike: number, expiry: number, time: number, average: number, sigma: number,
): number {
  const left = expiry - time;
  if (left <= 0) return Math.max(0, isCall ? spot - strike : strike - spot);
  const weight = Math.min(1, left / WINDOW);
  const mean = average > 0 ? average : spot;
  return weight * black(isCall, spot, (strike - (1 - weight) * mean) / weight, left / YEAR, sigma);
}

/** The rows of one contract: lowest and highest integer change in price units. */
export function contractRows(state: State, slot: number): [bigint, bigint][] {
  const { instruments, settings, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const isDense = settings.values[PRESET! + underlying] === 0;
  const index = valuation.markIndex[underlying]!;
  return (isDense ? DENSE : VENUE17).map(([x, v, w]) => {
    if (instruments.kind[slot] === PERP) {
      const parts = BigInt(Math.round(x * 1e4)) * BigInt(Math.round(w * 1e6));
      const change = nearest(BigInt(index), parts, PPM * PPM);
      return [change, change];
    }
    const time = valuation.markedAt[underlying]!;
    const sigma = valuation.sigma[slot]! / 1e6;
    const days = Math.max(1, (instruments.expiry[slot]! - time) / DAY);
    const term = settings.values[TERM!]! / DAY;
    const h = isDense ? (term / days) ** (settings.values[(days < term ? NEAR : FAR)!]! / 1e6) : 1;
    let shocked = Math.max(settings.values[LOWEST!]! / 1e6, sigma * (1 + v / 100 * h));
    if (isDense && v > 0) shocked = Math.max(settings.values[UP_LOWEST!]! / 1e6, shocked);
    const value = (spot: number, volatility: number): number => contractValue(
      instruments.kind[slot] === CALL, spot, instruments.strike[slot]! / 1e6, instruments.expiry[slot]!, time,
      valuation.average[underlying]! / 1e6, volatility,
    );
    const change = (value(index / 1e6 * (1 + x / 100), shocked) - value(index / 1e6, sigma)) * w * 1e6;
    return [rounded(change - FLOAT_ERROR), rounded(change + FLOAT_ERROR)];
  });
}

/** Half away from zero. */
function rounded(value: number): bigint {
  return value < 0 ? -BigInt(Math.floor(-value + 0.5)) : BigInt(Math.floor(value + 0.5));
}

/** a * b / by, half away from zero; `by` > 0. */
export function nearest(a: bigint, b: bigint, by: bigint): bigint {
  const product = a * b;
  if (product === 0n) return 0n;
  const quotient = ((product < 0n ? -product : product) * 2n + by) / (by * 2n);
  return product < 0n ? -quotient : quotient;
}

const up = (a: bigint, b: bigint, by: bigint): bigint => (a * b + by - 1n) / by;
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The lowest and highest gain of one holding in each row, with its open orders at their worst. */
function holdingRows(held: Exposure, rowsOf: RowsOf): Span[] {
  return rowsOf(held.instrument).map(([low, high]) => {
    const gain = (change: bigint): bigint => nearest(held.position, change, UNIT)
      + nearest(held.bids, least(0n, change), UNIT) + nearest(held.asks, least(0n, -change), UNIT);
    const [atLow, atHigh] = [gain(low), low === high ? null : gain(high)];
    return atHigh === null ? { low: atLow, high: atLow } : { low: least(atLow, atHigh), high: most(atLow, atHigh) };
  });
}

export function scanOf(state: State, held: readonly Exposure[], rowsOf: RowsOf = (slot) => contractRows(state, slot)): Span {
  const rows: Span[] = [];
  for (const one of held) {
    holdingRows(one, rowsOf).forEach(({ low, high }, row) => {
      rows[row] = { low: (rows[row]?.low ?? 0n) + low, high: (rows[row]?.high ?? 0n) + high };
    });
  }
  const worst = (of: (row: Span) => bigint): bigint => -rows.reduce((least0, row) => least(least0, of(row)), 0n);
  return { low: worst(({ high }) => high), high: worst(({ low }) => low) };
}

/** The whole requirement; with open orders of 0 it is that of the positions alone. */
export function portfolioRequirement(state: State, held: readonly Exposure[], rowsOf?: RowsOf): Requirement {
  const { instruments, settings, valuation } = state;
  const set = (n: number): bigint => BigInt(settings.values[n]!);
  let floor = 0n;
  let overlay = 0n;
  const scanning = { low: 0n, high: 0n };
  for (const underlying of new Set(held.map(({ instrument }) => instruments.underlying[instrument]!))) {
    const own = held.filter(({ instrument }) => instruments.underlying[instrument] === underlying);
    const scan = scanOf(state, own, rowsOf);
    scanning.low += scan.low;
    scanning.high += scan.high;
    const spot = BigInt(valuation.markIndex[underlying]!);
    const nets = new Map<string, { expiry: number; net: bigint }>();
    for (const { instrument, position, asks } of own) {
      if (instruments.kind[instrument] === PERP) continue;
      const expiry = instruments.expiry[instrument]!;
      const key = `${expiry}/${instruments.kind[instrument]}`;
      nets.set(key, { expiry, net: (nets.get(key)?.net ?? 0n) + position - asks });
    }
    let short = 0n;
    for (const { expiry, net } of nets.values()) {
      const sold = most(0n, -net);
      short += sold;
      overlay += up(up(spot, sold, UNIT), set(OVERLAY!) * grown(state, underlying, expiry), PPM * set(RAMP!));
    }
    floor += up(up(spot, short, UNIT), set(FLOOR!), PPM);
  }
  const initial = { low: most(scanning.low, floor) + overlay, high: most(scanning.high, floor) + overlay };
  return { scanning, floor, overlay, initial };
}

/** How much of the overlay counts, as a part of the ramp's length. */
function grown(state: State, underlying: number, expiry: number): bigint {
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  const left = BigInt(expiry - state.valuation.markedAt[underlying]!);
  if (state.settings.values[PRESET! + underlying] === 1) return left > set(STEP!) ? 0n : set(RAMP!);
  return most(0n, least(set(RAMP!), set(START!) - left));
}
