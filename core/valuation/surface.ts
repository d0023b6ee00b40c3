// The volatility surface of each underlying: a row per listed expiry with the parameters that the operator, the feed or the
// quotes of the book gave it, and the slice made of them for the vintage in hand. Parameters are fractions times 1e6,
// times ms, years of 365 days. Source: MARGIN.md, "The volatility surface".
// Without arbitrage on the strikes of the venue's own grids (instruments/strikes), by construction: each slice is convex
// (core/valuation/slices), an expiry without own input has the total variance of its neighbours, linear in time, and no expiry has
// less of it at a log-moneyness than an earlier one. That last step keeps prices convex: at one forward the greater variance is the
// greater of two convex prices. A volatility in force is rounded up to a millionth, which is worth some cents in a far expiry:
// strikes that an operator lists a hundredth of such a grid apart may miss convexity by as much.
// Between two freezes the slices stay as they are, whatever input comes.

import { fixedSection, float64, type Section } from '../columns.ts';
import { YEAR } from '../units.ts';
import { PPM, SURFACE_KEPT, SURFACE_STALE_AFTER, type Settings } from '../settings.ts';
import { listedExpiries, MAX_LISTED_EXPIRIES } from '../instruments/calendar.ts';
import { CHI, PSI, sliceVariance, stretchSlice, THETA, writeSlice } from './slices.ts';

/** Expiries of an underlying that have a row: all that the venue's calendar ever asks for at once, and as many of the operator's. */
const SURFACE_ROWS = 2 * MAX_LISTED_EXPIRIES;

/** Where the parameters of a row come from; what is ageless is never stale. */
const NONE = 0;
const FITTED = 1;
export const GIVEN = 2;
export const GIVEN_AGELESS = 3;

/** A row: expiry, parameters, time and source of the last input, then as frozen: stale, years, its slice, its neighbours. */
const EXPIRY = 0;
export const ATM = 1;
export const SKEW = 2;
export const CURVATURE = 3;
const AT = 4;
const SOURCE = 5;
const IS_STALE = 6;
const YEARS = 7;
const SLICE = 8;
/** Offsets of the rows whose variances mix to this row's, and the share of the later one. */
const LEFT = 11;
const RIGHT = 12;
const SHARE = 13;
const WIDTH = 14;

/** What a surface may be asked to be: 1 % to 500 % at the money, five of skew and 25 of curvature for one unit of log-moneyness. */
const LEAST_VOLATILITY = 10_000;
const MOST_VOLATILITY = 5_000_000;
const MOST_SKEW = 5_000_000;
const MOST_CURVATURE = 25_000_000;

const scratch = { asked: new Float64Array(MAX_LISTED_EXPIRIES) };

export type Surface = {
  /** Per underlying: how many rows it has, ascending by expiry. */
  readonly counts: Float64Array;
  readonly rows: Float64Array;
  /** Per underlying: the configured default curve, flat. */
  readonly defaults: Float64Array;
  /** Per underlying: the input for all expiries, also for those listed later: words ATM to SOURCE of a row. */
  readonly base: Float64Array;
};

export function createSurface(underlyings: number): Surface {
  return {
    counts: float64(underlyings), rows: float64(underlyings * SURFACE_ROWS * WIDTH),
    defaults: float64(underlyings), base: float64(underlyings * WIDTH),
  };
}

/** A surface of one underlying to try a change on: no state. */
export function createTrial(): Surface {
  return {
    counts: new Float64Array(1), rows: new Float64Array(SURFACE_ROWS * WIDTH), defaults: new Float64Array(1), base: new Float64Array(WIDTH),
  };
}

/** Makes the trial what the underlying's surface is. */
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

/** True for parameters that a surface may be given. */
export function isSurface(atm: number, skew: number, curvature: number): boolean {
  return atm >= LEAST_VOLATILITY && atm <= MOST_VOLATILITY && Math.abs(skew) <= MOST_SKEW && Math.abs(curvature) <= MOST_CURVATURE;
}

/** Offset of an underlying's row by number. */
export function rowAt(underlying: number, row: number): number {
  return (underlying * SURFACE_ROWS + row) * WIDTH;
}

/** Offset of the row of an expiry, -1: it has none. */
export function findRow(surface: Surface, underlying: number, expiry: number): number {
  const end = rowAt(underlying, surface.counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (surface.rows[at + EXPIRY] === expiry) return at;
  return -1;
}

/** True when the expiry has a row, or one may be opened that none of the calendar's will want: what it asks for, it asks for to the end. */
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

/**
 * Opens the row of an expiry listed at `time`, with what is said of all; after a minute, when quotes may have taken the others from
 * there, it follows them. False: it is there, or no room is left. Slices have to be frozen again.
 */
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
  if (isGiven(base, from, settings, time)) for (let word = ATM; word <= SOURCE; word++) rows[at + word] = base[from + word];
  return true;
}

/** Volatilities of an expiry, times 1e6: at the money, and how they change with log-moneyness. */
type Shape = { readonly atm: number; readonly skew: number; readonly curvature: number };

/** Takes an input for one expiry, or with expiry 0 for all; false: the expiry is not listed. */
export function giveSurface(
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

/** True when something was given of the underlying that does not age. */
export function isAgeless({ base, counts, rows }: Surface, underlying: number): boolean {
  const end = rowAt(underlying, counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (rows[at + SOURCE] === GIVEN_AGELESS) return true;
  return base[underlying * WIDTH + SOURCE] === GIVEN_AGELESS;
}

/** What was given without age has from now on the age of when it was given. */
export function ageSurface({ base, counts, rows }: Surface, underlying: number): void {
  const end = rowAt(underlying, counts[underlying]);
  for (let at = rowAt(underlying, 0); at < end; at += WIDTH) if (rows[at + SOURCE] === GIVEN_AGELESS) rows[at + SOURCE] = GIVEN;
  if (base[underlying * WIDTH + SOURCE] === GIVEN_AGELESS) base[underlying * WIDTH + SOURCE] = GIVEN;
}

/** True for a row without own input: its variance is that of its neighbours. */
export function isInterpolated({ rows }: Surface, at: number): boolean {
  return rows[at + SOURCE] === NONE;
}

/** True for a row that quotes made last, of whatever age. */
export function isFitted({ rows }: Surface, at: number): boolean {
  return rows[at + SOURCE] === FITTED;
}

/** True for a row whose last input has been kept as long as it is: it goes to the default curve. */
export function isOutdated({ rows }: Surface, settings: Settings, at: number, time: number): boolean {
  const source = rows[at + SOURCE];
  if (source === NONE || source === GIVEN_AGELESS) return false;
  return time - rows[at + AT] > settings.values[SURFACE_STALE_AFTER] + settings.values[SURFACE_KEPT];
}

/** Gives a row other parameters, which are no input: it is as old as it was. Answers true. */
export function shapeRow({ rows }: Surface, at: number, atm: number, skew: number, curvature: number): boolean {
  writeInput(rows, at, atm, skew, curvature, rows[at + AT], rows[at + SOURCE]);
  return true;
}

/** What quotes made of a row's parameters. */
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

/** True while somebody outside the book says what the expiry's volatility is: its quotes then move marks, not the surface. */
export function isGiven(row: Float64Array, at: number, settings: Settings, time: number): boolean {
  const source = row[at + SOURCE];
  return source === GIVEN_AGELESS || (source === GIVEN && time - row[at + AT] <= settings.values[SURFACE_STALE_AFTER]);
}

/** The first row whose slice may follow from this row's input: earlier ones have an input of their own between. */
export function firstReached(surface: Surface, underlying: number, at: number): number {
  let first = at;
  while (first > rowAt(underlying, 0) && surface.rows[first - WIDTH + SOURCE] === NONE) first -= WIDTH;
  return first;
}

/** The last such row: later ones have an input of their own between. */
export function lastReached(surface: Surface, underlying: number, at: number): number {
  const end = rowAt(underlying, surface.counts[underlying]);
  let last = at;
  while (last + WIDTH < end && surface.rows[last + WIDTH + SOURCE] === NONE) last += WIDTH;
  return last;
}

/** True when the row's frozen variance is a mixture of two others'. */
export function isMixed({ rows }: Surface, at: number): boolean {
  return rows[at + LEFT] !== rows[at + RIGHT];
}

/** True when what was given from outside the book is one of the two. */
export function isMixedWithGiven(surface: Surface, at: number): boolean {
  const { rows } = surface;
  return isMixed(surface, at) && (rows[rows[at + LEFT] + SOURCE] >= GIVEN || rows[rows[at + RIGHT] + SOURCE] >= GIVEN);
}

export function expiryOfRow(surface: Surface, at: number): number {
  return surface.rows[at + EXPIRY];
}

/**
 * Drops the rows of expiries that have come. Where all that are left have followed the last of them, the next takes its place, with the
 * parameters that it has by that and stale from the beginning: all would fall to the default curve at once else.
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

/**
 * Makes the slices of an underlying as of `time` (before all its expiries). A row without input for a minute is stale, whatever
 * becomes of its parameters. `isAgeless`: the feed is the operator's word, so nothing is stale.
 */
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

/** A row without own input: between its neighbours, beside the only one, or the default curve it has already. */
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

/** The slice nearest to the mixture: what the row's parameters say, and what a first fit starts from. */
function mix(rows: Float64Array, at: number): void {
  const share = rows[at + SHARE];
  for (let word = SLICE + THETA; word <= SLICE + CHI; word++) {
    rows[at + word] = rows[rows[at + LEFT] + word] * (1 - share) + rows[rows[at + RIGHT] + word] * share;
  }
}

/** The parameters that a slice has at the money. */
function writeParameters(rows: Float64Array, at: number): void {
  const theta = rows[at + SLICE + THETA];
  const atm = Math.sqrt(theta / rows[at + YEARS]);
  const tilt = rows[at + SLICE + CHI] / theta;
  const phi = rows[at + SLICE + PSI] / theta;
  rows[at + ATM] = Math.round(atm * PPM);
  rows[at + SKEW] = Math.round(0.5 * atm * tilt * PPM);
  rows[at + CURVATURE] = Math.round(atm * (phi * phi - 2 * tilt * tilt) / 8 * PPM);
}

/**
 * The volatility at log-moneyness `k` of an expiry, times 1e6, rounded up; 0: the expiry has no row. Walks from the first
 * expiry on, so that rounding cannot leave a later one less total variance than an earlier one.
 */
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

/** The same of the row at `at` as far as one row reaches it: by its own variance, or as the earlier one that it may not be below. */
export function sigmaBeside({ rows }: Surface, at: number, beside: number, k: number): number {
  const variance = rowVariance(rows, at, k);
  return roundedSigma(beside < at ? Math.max(variance, rowVariance(rows, beside, k)) : variance, rows[at + YEARS]);
}

/** The volatility that the row at `at` would have with the variance of the row `as`. */
export function sigmaAs({ rows }: Surface, at: number, as: number, k: number): number {
  return roundedSigma(rowVariance(rows, as, k), rows[at + YEARS]);
}

/**
 * The volatility that the row at `at` of a trial has at least by earlier ones with own input, but for `beside`; one without has no more
 * variance than some of them.
 */
export function sigmaOfOthers(surface: Surface, at: number, beside: number, k: number): number {
  let sigma = LEAST_VOLATILITY;
  for (let other = 0; other < at; other += WIDTH) {
    if (other !== beside && !isInterpolated(surface, other)) sigma = Math.max(sigma, sigmaAs(surface, at, other, k));
  }
  return sigma;
}

/** Less a millionth of a unit: a flat volatility is what was set, not the next number for one bit of rounding. */
function roundedSigma(variance: number, years: number): number {
  return Math.ceil(Math.sqrt(variance / years) * PPM - 1e-6);
}

function rowVariance(rows: Float64Array, at: number, k: number): number {
  const share = rows[at + SHARE];
  const own = sliceVariance(rows, rows[at + LEFT] + SLICE, k);
  return share === 0 ? own : own + share * (sliceVariance(rows, rows[at + RIGHT] + SLICE, k) - own);
}

/** Whether an expiry was stale when its slices were made: nobody has said what its volatility is. */
export function isRowStale(surface: Surface, underlying: number, expiry: number): boolean {
  const at = findRow(surface, underlying, expiry);
  return at < 0 || surface.rows[at + IS_STALE] !== 0;
}
