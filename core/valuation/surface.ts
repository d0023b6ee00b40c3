// The volatility surface of each underlying (MARGIN.md, "The volatility surface"). Parameters are fractions times 1e6, years have 365 days.
// Free of arbitrage on the venue's own strike grids: each slice is convex (slices.ts); an expiry without own input gets the variance
// between its neighbours, linear in time; none has less variance than an earlier one. Volatilities are rounded up to 1e-6.

import { fixedSection, float64, type Section } from '../columns.ts';
import { YEAR } from '../units.ts';
import { PPM, SURFACE_KEPT, SURFACE_STALE_AFTER, type Settings } from '../settings.ts';
import { listedExpiries, MAX_LISTED_EXPIRIES } from '../instruments/calendar.ts';
import { CHI, PSI, sliceVariance, stretchSlice, THETA, writeSlice } from './slices.ts';

const SURFACE_ROWS = 2 * MAX_LISTED_EXPIRIES;

/** Source of a row's parameters. GIVEN_AGELESS is never stale. */
const NONE = 0;
const FITTED = 1;
export const GIVEN = 2;
export const GIVEN_AGELESS = 3;

/** A row: expiry, parameters, time and source of the last input; frozen: stale, years, slice, neighbours. */
const EXPIRY = 0;
export const ATM = 1;
export const SKEW = 2;
export const CURVATURE = 3;
const AT = 4;
const SOURCE = 5;
const IS_STALE = 6;
const YEARS = 7;
const SLICE = 8;
/** Offsets of the two rows mixed into this one, and the later one's share. */
const LEFT = 11;
const RIGHT = 12;
const SHARE = 13;
const WIDTH = 14;

/** Accepted input: 1 % to 500 % at the money, 5 of skew and 25 of curvature per unit of log-moneyness. */
const LEAST_VOLATILITY = 10_000;
const MOST_VOLATILITY = 5_000_000;
const MOST_SKEW = 5_000_000;
const MOST_CURVATURE = 25_000_000;

const scratch = { asked: new Float64Array(MAX_LISTED_EXPIRIES) };

export type Surface = {
  /** Per underlying: number of rows, ascending by expiry. */
  readonly counts: Float64Array;
  readonly rows: Float64Array;
  /** Per underlying: the configured flat curve. */
  readonly defaults: Float64Array;
  /** Per underlying: input for all expiries, later ones too; words ATM to SOURCE of a row. */
  readonly base: Float64Array;
};

export function createSurface(underlyings: number): Surface {
  return {
    counts: float64(underlyings), rows: float64(underlyings * SURFACE_ROWS * WIDTH),
    defaults: float64(underlyings), base: float64(underlyings * WIDTH),
  };
}

export function createTrial(): Surface {
  return {
    counts: new Float64Array(1), rows: new Float64Array(SURFACE_ROWS * WIDTH), defaults: new Float64Array(1), base: new Float64Array(WIDTH),
  };
}

export function copyToTrial({ counts, rows, defaults }: Surface, underlying: number, trial: Surface): void {
  const first = rowAt(underlying, 0);
  trial.counts[0] = counts[underlying];
  trial.defaults[0] = defaults[underlying];
  for (let word = 0; word < counts[underlying] * WIDTH; word++) trial.rows[word] = rows[first + word];
}

export function surfaceSections(surface: Surface): readonly Section[] {
  return [
    fixedSection('surface.counts', surface.counts), fixedSection('surface.rows', surface.rows),
    fixedSection('surface.defaults', surface.defaults), fixedSection('surface.base', surface.base),
  ];
}

export function isSurface(atm: number, skew: number, curvature: number): boolean {
  return atm >= LEAST_VOLATILITY && atm <= MOST_VOLATILITY && Math.abs(skew) <= MOST_SKEW && Math.abs(curvature) <= MOST_CURVATURE;
}

export function rowAt(underlying: number, row: number): number {
  return (underlying * SURFACE_ROWS + row) * WIDTH;
}

export function findRow(surface: Surface, underlying: number, expiry: number): number {
  const end = rowAt(underlying, surface.counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (surface.rows[at + EXPIRY] === expiry) return at;
  return -1;
}

/** True if the expiry has a row, or may take one that the calendar will not need. */
export function hasRowFor(surface: Surface, underlying: number, expiry: number, time: number): boolean {
  const { asked } = scratch;
  if (findRow(surface, underlying, expiry) >= 0) return true;
  const ours = asked.subarray(0, listedExpiries(time, asked));
  if (ours.includes(expiry)) return true;
  const end = rowAt(underlying, surface.counts[underlying]);
  let others = 0;
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) {
    const one = surface.rows[at + EXPIRY];
    if (one > time && !ours.includes(one)) others++;
  }
  return others < SURFACE_ROWS - MAX_LISTED_EXPIRIES;
}

/** Takes the input for all expiries while that is valid. False if the row exists or no room is left. Freeze the slices again. */
export function openRow(surface: Surface, settings: Settings, underlying: number, expiry: number, time: number): boolean {
  const { base, counts, defaults, rows } = surface;
  if (findRow(surface, underlying, expiry) >= 0) return false;
  dropExpired(surface, settings, underlying, time);
  if (counts[underlying] >= SURFACE_ROWS) return false;
  const end = rowAt(underlying, counts[underlying]++);
  let at = rowAt(underlying, 0);
  while (at < end && rows[at + EXPIRY] < expiry) at += WIDTH;
  rows.copyWithin(at + WIDTH, at, end);
  rows.fill(0, at, at + WIDTH);
  rows[at + EXPIRY] = expiry;
  rows[at + ATM] = defaults[underlying];
  const from = underlying * WIDTH;
  if (hasOutsideInput(base, from, settings, time)) for (let word = ATM; word <= SOURCE; word++) rows[at + word] = base[from + word];
  return true;
}

type Shape = { readonly atm: number; readonly skew: number; readonly curvature: number };

/** `expiry` 0: all. False if the expiry is not listed. */
export function putSurfaceInput(
  surface: Surface, underlying: number, expiry: number, { atm, skew, curvature }: Shape, time: number, source: number,
): boolean {
  if (expiry !== 0) {
    const at = findRow(surface, underlying, expiry);
    if (at >= 0) writeInput(surface.rows, at, atm, skew, curvature, time, source);
    return at >= 0;
  }
  writeInput(surface.base, underlying * WIDTH, atm, skew, curvature, time, source);
  const end = rowAt(underlying, surface.counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) writeInput(surface.rows, at, atm, skew, curvature, time, source);
  return true;
}

export function isAgeless({ base, counts, rows }: Surface, underlying: number): boolean {
  const end = rowAt(underlying, counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (rows[at + SOURCE] === GIVEN_AGELESS) return true;
  return base[underlying * WIDTH + SOURCE] === GIVEN_AGELESS;
}

/** Gives ageless inputs the age they would have had. */
export function ageSurface({ base, counts, rows }: Surface, underlying: number): void {
  const end = rowAt(underlying, counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (rows[at + SOURCE] === GIVEN_AGELESS) rows[at + SOURCE] = GIVEN;
  if (base[underlying * WIDTH + SOURCE] === GIVEN_AGELESS) base[underlying * WIDTH + SOURCE] = GIVEN;
}

/** True if neighbours give the row's variance. */
export function isInterpolated({ rows }: Surface, at: number): boolean {
  return rows[at + SOURCE] === NONE;
}

export function isFitted({ rows }: Surface, at: number): boolean {
  return rows[at + SOURCE] === FITTED;
}

/** True if the row returns to the default curve. */
export function isOutdated({ rows }: Surface, settings: Settings, at: number, time: number): boolean {
  const source = rows[at + SOURCE];
  if (source === NONE || source === GIVEN_AGELESS) return false;
  return time - rows[at + AT] > settings.values[SURFACE_STALE_AFTER] + settings.values[SURFACE_KEPT];
}

/** Keeps the input's age. */
export function shapeRow({ rows }: Surface, at: number, atm: number, skew: number, curvature: number): boolean {
  writeInput(rows, at, atm, skew, curvature, rows[at + AT], rows[at + SOURCE]);
  return true;
}

export function fitRow(surface: Surface, at: number, atm: number, skew: number, curvature: number, time: number): void {
  writeInput(surface.rows, at, atm, skew, curvature, time, FITTED);
}

function writeInput(row: Float64Array, at: number, atm: number, skew: number, curvature: number, time: number, source: number): void {
  row[at + ATM] = atm;
  row[at + SKEW] = skew;
  row[at + CURVATURE] = curvature;
  row[at + AT] = time;
  row[at + SOURCE] = source;
}

/** Input of operator or feed. While it is valid, quotes move marks, not the surface. */
export function hasOutsideInput(row: Float64Array, at: number, settings: Settings, time: number): boolean {
  const source = row[at + SOURCE];
  return source === GIVEN_AGELESS || (source === GIVEN && time - row[at + AT] <= settings.values[SURFACE_STALE_AFTER]);
}

/** First row whose slice depends on this row's input. */
export function firstReached(surface: Surface, underlying: number, at: number): number {
  let first = at;
  while (first > rowAt(underlying, 0) && surface.rows[first - WIDTH + SOURCE] === NONE) first -= WIDTH;
  return first;
}

export function lastReached(surface: Surface, underlying: number, at: number): number {
  const end = rowAt(underlying, surface.counts[underlying]);
  let last = at;
  while (last + WIDTH < end && surface.rows[last + WIDTH + SOURCE] === NONE) last += WIDTH;
  return last;
}

/** True if the frozen variance mixes two other rows. */
export function isMixed({ rows }: Surface, at: number): boolean {
  return rows[at + LEFT] !== rows[at + RIGHT];
}

export function isMixedWithOutside(surface: Surface, at: number): boolean {
  const { rows } = surface;
  return isMixed(surface, at) && (rows[rows[at + LEFT] + SOURCE] >= GIVEN || rows[rows[at + RIGHT] + SOURCE] >= GIVEN);
}

export function expiryOfRow(surface: Surface, at: number): number {
  return surface.rows[at + EXPIRY];
}

/**
 * Rows that depend on the last expired one would fall to the default curve: the next row takes its parameters over and is stale at once.
 */
export function dropExpired(surface: Surface, settings: Settings, underlying: number, time: number): void {
  const { counts, rows } = surface;
  const first = rowAt(underlying, 0);
  const end = rowAt(underlying, counts[underlying]);
  let live = first;
  while (live < end && rows[live + EXPIRY] <= time) live += WIDTH;
  if (live === first) return;
  let spoken = live - WIDTH;
  while (spoken >= first && rows[spoken + SOURCE] === NONE) spoken -= WIDTH;
  if (spoken >= first && live < end && lastReached(surface, underlying, spoken) === end - WIDTH) {
    const said = rows[spoken + SOURCE] === GIVEN_AGELESS ? time : rows[spoken + AT];
    rows[live + SOURCE] = FITTED;
    rows[live + AT] = Math.min(said, time - settings.values[SURFACE_STALE_AFTER] - 1);
  }
  rows.copyWithin(first, live, end);
  counts[underlying] -= (live - first) / WIDTH;
}

/** `time` is before every expiry. A row without input for a minute is stale, unless `isAgeless`: the operator sets the index. */
export function freezeSurface(surface: Surface, settings: Settings, underlying: number, time: number, isAgeless: boolean): void {
  const { defaults, rows } = surface;
  const staleAfter = settings.values[SURFACE_STALE_AFTER];
  const end = rowAt(underlying, surface.counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) {
    const source = rows[at + SOURCE];
    const age = source === NONE ? Infinity : source === GIVEN_AGELESS ? 0 : time - rows[at + AT];
    rows[at + IS_STALE] = age > staleAfter && !isAgeless ? 1 : 0;
    if (source === NONE) shapeRow(surface, at, defaults[underlying], 0, 0);
    rows[at + YEARS] = (rows[at + EXPIRY] - time) / YEAR;
    writeSlice(rows, at + SLICE, rows[at + ATM] / PPM, rows[at + SKEW] / PPM, rows[at + CURVATURE] / PPM, rows[at + YEARS]);
    rows[at + LEFT] = rows[at + RIGHT] = at;
    rows[at + SHARE] = 0;
  }
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (rows[at + SOURCE] === NONE) interpolate(surface, underlying, at);
}

function interpolate(surface: Surface, underlying: number, at: number): void {
  const { rows } = surface;
  const end = rowAt(underlying, surface.counts[underlying]);
  let left = at - WIDTH;
  while (left >= rowAt(underlying, 0) && rows[left + SOURCE] === NONE) left -= WIDTH;
  let right = at + WIDTH;
  while (right < end && rows[right + SOURCE] === NONE) right += WIDTH;
  const hasLeft = left >= rowAt(underlying, 0);
  const hasRight = right < end;
  if (!hasLeft && !hasRight) return;
  if (hasLeft && hasRight) {
    rows[at + LEFT] = left;
    rows[at + RIGHT] = right;
    rows[at + SHARE] = (rows[at + YEARS] - rows[left + YEARS]) / (rows[right + YEARS] - rows[left + YEARS]);
    mix(rows, at);
  } else {
    const from = hasLeft ? left : right;
    stretchSlice(rows, at + SLICE, from + SLICE, rows[at + YEARS] / rows[from + YEARS]);
  }
  writeParameters(rows, at);
}

/** The slice nearest to the mixture: its parameters are shown, and a first fit starts from it. */
function mix(rows: Float64Array, at: number): void {
  const share = rows[at + SHARE];
  for (let word = SLICE + THETA; word <= SLICE + CHI; word++) {
    rows[at + word] = rows[rows[at + LEFT] + word] * (1 - share) + rows[rows[at + RIGHT] + word] * share;
  }
}

/** The parameters that the slice has at the money. */
function writeParameters(rows: Float64Array, at: number): void {
  const theta = rows[at + SLICE + THETA];
  const atm = Math.sqrt(theta / rows[at + YEARS]);
  const tilt = rows[at + SLICE + CHI] / theta;
  const phi = rows[at + SLICE + PSI] / theta;
  rows[at + ATM] = Math.round(atm * PPM);
  rows[at + SKEW] = Math.round(0.5 * atm * tilt * PPM);
  rows[at + CURVATURE] = Math.round(atm * (phi * phi - 2 * tilt * tilt) / 8 * PPM);
}

/** Times 1e6, rounded up; 0 without a row. Starts at the first expiry, so that rounding never leaves a later one less total variance. */
export function surfaceSigma(surface: Surface, underlying: number, expiry: number, k: number): number {
  const { rows } = surface;
  const end = rowAt(underlying, surface.counts[underlying]);
  let floor = 0;
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) {
    const years = rows[at + YEARS];
    const variance = Math.max(rowVariance(rows, at, k), floor, years * (LEAST_VOLATILITY / PPM) * (LEAST_VOLATILITY / PPM));
    const sigma = roundedSigma(variance, years);
    if (rows[at + EXPIRY] === expiry) return sigma;
    floor = sigma / PPM * (sigma / PPM) * years;
  }
  return 0;
}

/** Sigma with the row `beside` as its only floor. */
export function sigmaBeside({ rows }: Surface, at: number, beside: number, k: number): number {
  const variance = rowVariance(rows, at, k);
  return roundedSigma(beside < at ? Math.max(variance, rowVariance(rows, beside, k)) : variance, rows[at + YEARS]);
}

/** The volatility that gives this row's years the total variance of row `as`. */
export function sigmaAs({ rows }: Surface, at: number, as: number, k: number): number {
  return roundedSigma(rowVariance(rows, as, k), rows[at + YEARS]);
}

/** Floor that earlier trial rows with own input, except `beside`, set for the row. Interpolated rows never exceed all of them. */
export function sigmaOfOthers(surface: Surface, at: number, beside: number, k: number): number {
  let sigma = LEAST_VOLATILITY;
  for (let other = 0; other < at; other += WIDTH) {
    if (other !== beside && !isInterpolated(surface, other)) sigma = Math.max(sigma, sigmaAs(surface, at, other, k));
  }
  return sigma;
}

/** Minus a millionth of a unit, so that a flat volatility survives one bit of rounding. */
function roundedSigma(variance: number, years: number): number {
  return Math.ceil(Math.sqrt(variance / years) * PPM - 1e-6);
}

function rowVariance(rows: Float64Array, at: number, k: number): number {
  const share = rows[at + SHARE];
  const own = sliceVariance(rows, rows[at + LEFT] + SLICE, k);
  return share === 0 ? own : own + share * (sliceVariance(rows, rows[at + RIGHT] + SLICE, k) - own);
}

/** As of the last freeze. True without a row. */
export function isRowStale(surface: Surface, underlying: number, expiry: number): boolean {
  const at = findRow(surface, underlying, expiry);
  return at < 0 || surface.rows[at + IS_STALE] !== 0;
}
