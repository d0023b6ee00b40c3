// Black-76, its delta and vega, and the rows of both scenario presets for the reference model, in doubles and with a normal
// distribution of its own (series and continued fraction of erfc, Abramowitz and Stegun 7.1.6 and 7.1.14). MARGIN.md,
// "Marks and vintages", "Portfolio mode" 1 and 2, and "The last half hour of an option", r = 0. What leaves this file is an
// integer in price units.

import { MILLION, nearest } from './money.ts';
import { CALL, PERP } from './terms.ts';

const YEAR = 365 * 86_400_000;
const DAY = 86_400_000;

/** An option settles to the mean of the index in this time before its expiry. */
const WINDOW = 1_800_000;

/** Strike, index and its mean in the window so far (0: none) in price units, time to expiry in ms, volatility as a fraction. */
export type Priced = { kind: number; strike: number; index: number; average: number; left: number; sigma: number };

/** "The last half hour of an option": the part still to come, and the option on it. Without a sample nothing is known: all moves. */
function toCome(contract: Priced): { part: number; rest: Priced } {
  const { average, index, kind, left, strike } = contract;
  if (kind === PERP || left <= 0 || left >= WINDOW) return { part: 1, rest: contract };
  const part = left / WINDOW;
  return { part, rest: { ...contract, strike: (strike - (1 - part) * (average === 0 ? index : average)) / part } };
}

/** erfc for z >= 0: by the series of erf below 2, where it still has all its digits, else by the continued fraction. */
function upperTail(z: number): number {
  const bell = Math.exp(-z * z);
  if (z < 2) {
    let term = z;
    let sum = z;
    for (let n = 1; term > sum * 1e-18; n++) sum += term *= 2 * z * z / (2 * n + 1);
    return 1 - 2 / Math.sqrt(Math.PI) * bell * sum;
  }
  let fraction = 0;
  for (let k = 200; k >= 1; k--) fraction = k / 2 / (z + fraction);
  return bell / Math.sqrt(Math.PI) / (z + fraction);
}

function normal(x: number): number {
  const tail = upperTail(Math.abs(x) / Math.SQRT2) / 2;
  return x < 0 ? tail : 1 - tail;
}

function optionValue({ kind, strike, index, left, sigma }: Priced): number {
  const spread = sigma * Math.sqrt(Math.max(0, left) / YEAR);
  if (spread <= 0 || strike <= 0) return Math.max(0, kind === CALL ? index - strike : strike - index);
  const d1 = Math.log(index / strike) / spread + spread / 2;
  return kind === CALL
    ? index * normal(d1) - strike * normal(d1 - spread)
    : strike * normal(spread - d1) - index * normal(-d1);
}

/** Delta to spot and vega per vol point of one contract, both in millionths; of a perp 1 and 0. */
export function greeksOf(contract: Priced): { delta: bigint; vega: bigint } {
  const { part, rest: { kind, strike, index, left, sigma } } = toCome(contract);
  if (kind === PERP) return { delta: 1_000_000n, vega: 0n };
  if (left <= 0) return { delta: 0n, vega: 0n };
  if (strike <= 0) return { delta: rounded(kind === CALL ? part * 1e6 : 0), vega: 0n };
  const spread = sigma * Math.sqrt(left / YEAR);
  const d1 = Math.log(index / strike) / spread + spread / 2;
  const density = Math.exp(-d1 * d1 / 2) / Math.sqrt(2 * Math.PI);
  return {
    delta: rounded((kind === CALL ? normal(d1) : -normal(-d1)) * part * 1e6),
    vega: rounded(index * density * Math.sqrt(left / YEAR) * 0.01 * part),
  };
}

/** Half away from zero. */
function rounded(value: number): bigint {
  return BigInt(Math.sign(value) * Math.round(Math.abs(value)));
}

/** Rows of a preset: moves of index and volatility in percent, weight. */
type Row = readonly [index: number, volatility: number, weight: number];
const DENSE: readonly Row[] = [
  ...[-16, -12, -8, -4, 0, 4, 8, 12, 16].flatMap((index) => [-25, 0, 45].map((volatility): Row => [index, volatility, 1])),
  [-66, 45, 0.24], [-33, 45, 0.48], [50, 45, 0.32], [100, 45, 0.16], [200, 45, 0.08], [300, 45, 0.0533], [400, 45, 0.04],
  [500, 45, 0.032],
];
const VENUE17: readonly Row[] = [
  [12, 35, 1], [8, 0, 1], [4, -15, 1], [0, 35, 1], [0, 0, 1], [0, -15, 1], [-4, -15, 1], [-8, 0, 1], [-12, 45, 1], [12, 0, 1],
  [-12, 0, 1], [8, 25, 1], [-8, 35, 1], [-25, 70, 0.6], [25, 55, 0.6], [-40, 90, 0.35], [40, 70, 0.35],
];

/** In USDC, so that exact halves of a price unit are the same doubles everywhere. */
const inUsdc = (contract: Priced): Priced =>
  ({ ...contract, strike: contract.strike / 1e6, index: contract.index / 1e6, average: contract.average / 1e6 });

/** What one contract gains in each row of the preset ("Portfolio mode" 1 to 3), rounded to price units once it is weighed. */
export function scenarioRows(contract: Priced, preset: 'dense' | 'venue17'): bigint[] {
  const { kind, index, left, sigma } = contract;
  const days = Math.max(1, left / DAY);
  const valueOf = (priced: Priced): number => {
    const { part, rest } = toCome(priced);
    return part * optionValue(rest);
  };
  const usual = inUsdc(contract);
  const scale = preset === 'dense' ? (30 / days) ** (days < 30 ? 0.3 : 0.13) : 1;
  const before = valueOf(usual);
  return (preset === 'dense' ? DENSE : VENUE17).map(([move, volatility, weight]) => {
    if (kind === PERP) return nearest(BigInt(index) * BigInt(Math.round(move * weight * 10_000)), MILLION);
    const shocked = Math.max(0.01, sigma * (1 + volatility / 100 * scale), preset === 'dense' && volatility > 0 ? 0.4 : 0);
    const after = valueOf({ ...usual, index: usual.index * (1 + move / 100), sigma: shocked });
    return rounded((after - before) * weight * 1e6);
  });
}
