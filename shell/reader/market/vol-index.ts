// The volatility index of an underlying: what the surface says of 30 days, as a variance swap does. With k = log(strike
// / index), the variance of one expiry is 2 / T times the integral over k of Q / strike. Q is the price of the option
// out of the money. Values are 100 times a volatility. Source: MARGIN.md, "Volatility index".

import { exp, normalCdf } from '../../../core/math/elementary.ts';
import { PPM } from '../../../core/settings.ts';
import { DAY, YEAR } from '../../../core/units.ts';
import { expiryOfRow, isRowStale, rowAt, surfaceSigma } from '../../../core/valuation/surface.ts';
import type { State } from '../../../core/engine/state.ts';

const STEPS = 400;
const SPAN = 8;
const TENOR = 30 * DAY;
/** An index is taken with the first vintage in so many ms. */
export const VOL_INDEX_EVERY = 5_000;

type ExpiryVolatility = { readonly expiry: number; readonly years: number; readonly sigma: number; readonly isStale: boolean };
/** `value`: null while an expiry that it needs is stale, and before the first marks (`time` 0). `time`: of the marks. */
type VolIndexValue = { readonly value: number | null; readonly time: number; readonly expiries: readonly ExpiryVolatility[] };

const NO_MARKS: VolIndexValue = { value: null, time: 0, expiries: [] };

export class VolIndex {
  readonly #state: State;
  readonly #newest: (VolIndexValue | undefined)[] = [];
  readonly #vintage: number[] = [];
  readonly #before: number[];
  readonly #isTaken: boolean[] = [];

  constructor(state: State) {
    this.#state = state;
    this.#before = [...state.valuation.markedAt];
  }

  /** True if its index is to be published, by times of marks alone, so a restart changes nothing. */
  meet(underlying: number): boolean {
    const time = this.#state.valuation.markedAt[underlying]!;
    const before = this.#before[underlying]!;
    this.#before[underlying] = time;
    return this.#isTaken[underlying] = Math.floor(time / VOL_INDEX_EVERY) > Math.floor(before / VOL_INDEX_EVERY);
  }

  isTaken(underlying: number): boolean {
    return this.#isTaken[underlying] ?? false;
  }

  of(underlying: number): VolIndexValue {
    const vintage = this.#state.valuation.vintage[underlying]!;
    const newest = this.#newest[underlying];
    if (newest !== undefined && this.#vintage[underlying] === vintage) return newest;
    this.#vintage[underlying] = vintage;
    return this.#newest[underlying] = this.#valueOf(underlying);
  }

  #valueOf(underlying: number): VolIndexValue {
    const { markIndex, markedAt, surface } = this.#state.valuation;
    if (!(markIndex[underlying]! > 0)) return NO_MARKS;
    const time = markedAt[underlying]!;
    const rows = Array.from({ length: surface.counts[underlying]! }, (_, row) => expiryOfRow(surface, rowAt(underlying, row)));
    const expiries = neighboursOf(rows, time).map((expiry): ExpiryVolatility => {
      const years = (expiry - time) / YEAR;
      const sigma = swapVolatility((k) => surfaceSigma(surface, underlying, expiry, k) / PPM, years);
      return { expiry, years, sigma, isStale: isRowStale(surface, underlying, expiry) };
    });
    const isMissing = expiries.length === 0 || expiries.some(({ isStale }) => isStale);
    return { value: isMissing ? null : 100 * volatilityAtTenor(expiries), time, expiries };
  }
}

export function neighboursOf(expiries: readonly number[], time: number): number[] {
  const listed = expiries.filter((expiry) => expiry > time);
  const below = listed.findLast((expiry) => expiry - time <= TENOR);
  const above = listed.find((expiry) => expiry - time > TENOR);
  return [below, above].filter((expiry) => expiry !== undefined);
}

export function volatilityAtTenor(expiries: readonly Pick<ExpiryVolatility, 'years' | 'sigma'>[]): number {
  const [first, second] = expiries;
  if (second === undefined) return first!.sigma;
  const years = TENOR / YEAR;
  const share = (years - first!.years) / (second.years - first!.years);
  const total = first!.sigma ** 2 * first!.years * (1 - share) + second.sigma ** 2 * second.years * share;
  return Math.sqrt(total / years);
}

export function swapVolatility(sigmaAt: (k: number) => number, years: number): number {
  const root = Math.sqrt(years);
  const step = 2 * SPAN * sigmaAt(0) * root / STEPS;
  let sum = 0;
  for (let at = -STEPS / 2; at <= STEPS / 2; at++) {
    const k = at * step;
    const weight = Math.abs(at) === STEPS / 2 ? 0.5 : 1;
    sum += weight * priceOverStrike(k, sigmaAt(k) * root);
  }
  return Math.sqrt(2 * sum * step / years);
}

function priceOverStrike(k: number, deviation: number): number {
  const centre = -k / deviation;
  const half = 0.5 * deviation;
  return k >= 0
    ? exp(-k) * normalCdf(centre + half) - normalCdf(centre - half)
    : normalCdf(half - centre) - exp(-k) * normalCdf(-centre - half);
}
