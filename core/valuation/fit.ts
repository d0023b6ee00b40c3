// The surface as the book sees it: one step of damped least squares a mark tick for the three parameters of an expiry, towards
// the implied volatilities of the market makers' mids that are believed (core/valuation/quotes), each weighed by the square of
// its vega; in the settlement window of what averaging has left of the option (core/pricing/averaged).
// Sources: K. Levenberg, Quarterly of Applied Mathematics 2 (1944) 164-168; MARGIN.md, "The volatility surface".
// Never moves the volatility of a listed strike by more than half a vol point a tick, be it of an expiry that takes over from the fitted
// one or of a later one that may have no less variance, however many others are fitted in that tick; nor one of them further out of the
// band around the default curve than it is.
// A smile that leaves the band at any of these strikes, by its quotes or by a move of the index, is made flatter until it does not; one
// that nobody has spoken of for long goes to the default curve. Both are steps as those to quotes are.
// An expiry without own input takes its first quotes when the slice nearest to its mixture is within half a step of it; until then it
// stays the mixture of its neighbours. Parameters fractions times 1e6; floats inside.

import { PPM, SURFACE_BAND, SURFACE_STEP, type Settings } from '../settings.ts';
import { USDC, YEAR } from '../units.ts';
import { CALL, PERP } from '../codec/commands.ts';
import { ACTIVE, findInstrument, instrumentCount } from '../instruments/instruments.ts';
import type { Orders } from '../orders/orders.ts';
import { GREEKS_LENGTH, VEGA } from '../pricing/black76.ts';
import { impliedSigma, valueGreeks } from '../pricing/averaged.ts';
import { believedMid, type QuoteFilter } from './quotes.ts';
import { moneyness, sliceVariance, writeSlice } from './slices.ts';
import { ATM, copyToTrial, createTrial, expiryOfRow, findRow, firstReached, fitRow, freezeSurface, isFitted, isInterpolated, isMixed,
  isMixedWithGiven, isOutdated, isSurface, lastReached, rowAt, shapeRow, sigmaAs, sigmaBeside, sigmaOfOthers,
  surfaceSigma } from './surface.ts';
import type { Valuation } from './valuation.ts';

/** Quotes of an expiry that count, and strikes of an underlying that the bounds are asked of: more than their grids ever have. */
const MOST = 1_024;
const MOST_ASKED = 8_192;
const PARAMETERS = 3;
const DAMPING = 1e-4;
const NUDGE = 1e-4;
/** A step that is too large is made smaller, or flatter, this often; the last one is small enough or none is made. */
const TRIES = 12;
const SHRINK = 0.9;
/** A smile that has left the band is brought this far inside, so that rounding does not leave it outside. */
const INSIDE = 20;

const scratch = {
  /**
   * The strikes that a step may reach: row of the trial, log-moneyness, volatility before it and the most that it may move, times 1e6;
   * then the volatility that the vintage began with, and what expiries that the step does not move leave it at least.
   */
  asked: new Int32Array(MOST_ASKED), strikes: new Float64Array(MOST_ASKED), sigmas: new Float64Array(MOST_ASKED),
  most: new Float64Array(MOST_ASKED), starts: new Float64Array(MOST_ASKED), others: new Float64Array(MOST_ASKED),
  trial: createTrial(),
  quotes: new Float64Array(MOST), targets: new Float64Array(MOST), weights: new Float64Array(MOST),
  /** How many there are of both, and the last row of the trial whose slice follows from the fitted one. */
  counts: new Int32Array(3),
  greeks: new Float64Array(GREEKS_LENGTH), slice: new Float64Array(3), slope: new Float64Array(PARAMETERS),
  /** Parameters before a step and after it, times 1e6, in the order of a row: at the money, skew, curvature. */
  before: new Float64Array(PARAMETERS), after: new Float64Array(PARAMETERS),
  /** The normal equations, rows of three and a right side. */
  normal: new Float64Array(PARAMETERS * (PARAMETERS + 1)), step: new Float64Array(PARAMETERS),
  /**
   * What a trial finds at the strikes asked: the largest move, as a multiple of what is allowed; how much of the way to a flat smile
   * brings the row's own inside the band; whether one has left the band, or is further outside than before.
   */
  found: new Float64Array(3),
};
const ASKED = 0;
const QUOTED = 1;
const LAST = 2;
const MOVE = 0;
const EXCESS = 1;
const WORSE = 2;
const FURTHER = 1;
const LEFT = 2;

/**
 * Moves the row at `at` for the vintage in the making: to the quotes of `whose`; without any, to the default curve when it is
 * outdated, and what quotes once made of it back inside the band. True: its parameters changed.
 */
export function fitExpiry(
  valuation: Valuation, orders: Orders, whose: QuoteFilter, settings: Settings, underlying: number, at: number,
): boolean {
  const { surface } = valuation;
  const { after, before, counts } = scratch;
  const expiry = expiryOfRow(surface, at);
  const time = valuation.nextTime[underlying];
  collect(valuation, orders, whose, settings, underlying, expiry);
  for (let i = 0; i < PARAMETERS; i++) before[i] = surface.rows[at + ATM + i];
  if (counts[QUOTED] === 0) {
    return isWalking(valuation, settings, underlying, at) && findStep(valuation, settings, underlying, at)
      && shapeRow(surface, at, after[0], after[1], after[2]);
  }
  const isFirst = isInterpolated(surface, at);
  solve((expiry - time) / YEAR);
  const isMoved = !isFirst && findStep(valuation, settings, underlying, at);
  // A mixture becomes the slice nearest to it, which is a move: if it is small enough, and without another.
  if (isFirst && !canTakeOver(valuation, settings, underlying, at)) return false;
  if (!isMoved) after.set(before);
  fitRow(surface, at, after[0], after[1], after[2], time);
  return isMoved || isFirst;
}

/** Whether a row without quotes may have to move; its full step then is in `step`. */
function isWalking(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
  const { surface } = valuation;
  const { before, step } = scratch;
  const curve = surface.defaults[underlying];
  const isOld = isOutdated(surface, settings, at, valuation.nextTime[underlying]);
  step.fill(0);
  if (isOld) for (let i = 0; i < PARAMETERS; i++) step[i] = ((i === 0 ? curve : 0) - before[i]) / PPM;
  if (before[1] !== 0 || before[2] !== 0) return isOld || isFitted(surface, at);
  const away = Math.abs(before[0] - curve);
  return isOld ? away > 0 : isFitted(surface, at) && away > settings.values[SURFACE_BAND] / PPM * curve;
}

/** Whether the row may have its parameters as its own, at first of all. */
function canTakeOver(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
  const { after, before, found } = scratch;
  ask(valuation, settings, underlying, at);
  after.set(before);
  measure(valuation, settings, underlying, at);
  return found[MOVE] <= 1 && found[WORSE] !== LEFT;
}

/**
 * Writes the parameters after as much of the step as is allowed: what it leads to is made flatter until it is inside the band, then
 * the step smaller. False: they stay as they are.
 */
function findStep(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
  const { after, before, found, step } = scratch;
  ask(valuation, settings, underlying, at);
  let share = 1;
  for (let i = 0; i < TRIES; i++) {
    for (let j = 0; j < PARAMETERS; j++) after[j] = Math.round(before[j] + share * step[j] * PPM);
    if (!isSurface(after[0], after[1], after[2])) {
      for (let j = 0; j < PARAMETERS; j++) step[j] *= SHRINK / 2;
      continue;
    }
    measure(valuation, settings, underlying, at);
    if (found[EXCESS] > 0 && (found[WORSE] !== 0 || (share === 1 && i < TRIES / 2))) {
      flatten(valuation, settings, underlying);
      share = 1;
    } else if (found[MOVE] > 1) {
      share *= Math.max(0.1, Math.min(0.95, SHRINK / found[MOVE]));
    } else if (found[WORSE] !== 0) {
      share *= 0.5;
    } else {
      return after[0] !== before[0] || after[1] !== before[1] || after[2] !== before[2];
    }
  }
  return false;
}

/** Makes the step one to a smile that is flatter than the one just tried, by what that was too steep for the band. */
function flatten(valuation: Valuation, settings: Settings, underlying: number): void {
  const { after, before, found, step } = scratch;
  const level = levelInside(valuation, settings, underlying);
  for (let i = 0; i < PARAMETERS; i++) {
    const flat = i === 0 ? level : 0;
    step[i] = (after[i] + found[EXCESS] * (flat - after[i]) - before[i]) / PPM;
  }
}

/** The level of what is tried, inside the band. */
function levelInside(valuation: Valuation, settings: Settings, underlying: number): number {
  const { after } = scratch;
  const curve = valuation.surface.defaults[underlying];
  const reach = settings.values[SURFACE_BAND] / PPM * curve - INSIDE;
  return Math.max(curve - reach, Math.min(curve + reach, after[0]));
}

/** The quotes of an expiry: log-moneyness, implied volatility as near as the band has it, and weight; of none 0. */
function collect(
  valuation: Valuation, orders: Orders, whose: QuoteFilter, settings: Settings, underlying: number, expiry: number,
): void {
  const { instruments } = valuation;
  const { counts, greeks, quotes, targets, weights } = scratch;
  const time = valuation.nextTime[underlying];
  const forward = valuation.nextIndex[underlying] / USDC;
  const average = valuation.nextAverage[underlying] / USDC;
  const curve = valuation.surface.defaults[underlying] / PPM;
  const band = settings.values[SURFACE_BAND] / PPM;
  const count = instrumentCount(instruments);
  counts.fill(0);
  for (let slot = 0; slot < count; slot++) {
    if (instruments.expiry[slot] !== expiry || instruments.underlying[slot] !== underlying || instruments.status[slot] !== ACTIVE) continue;
    const isCall = instruments.kind[slot] === CALL;
    const strike = instruments.strike[slot] / USDC;
    const mid = believedMid(orders, settings, whose, underlying, slot, valuation.theo[slot], time);
    if (mid === 0 || counts[QUOTED] >= MOST) continue;
    const sigma = impliedSigma(isCall, forward, strike, expiry, time, average, mid / USDC);
    const i = counts[QUOTED]++;
    quotes[i] = moneyness(forward, strike);
    targets[i] = Math.max(curve * (1 - band), Math.min(curve * (1 + band), sigma > 0 ? sigma : curve));
    // At what the surface may be: where a vol point is less than a unit of price, as deep in the settlement window, a quote says nothing.
    valueGreeks(greeks, isCall, forward, strike, expiry, time, average, targets[i]);
    weights[i] = sigma > 0 && greeks[VEGA] * USDC >= 1 ? greeks[VEGA] * greeks[VEGA] : 0;
  }
}

/** Writes the full step of the three parameters, fractions, into `step`. */
function solve(years: number): void {
  const { before, counts, normal, quotes, slope, step, targets, weights } = scratch;
  const atm = before[0] / PPM;
  const skew = before[1] / PPM;
  const curvature = before[2] / PPM;
  let total = 0;
  for (let i = 0; i < counts[QUOTED]; i++) total += weights[i];
  normal.fill(0);
  step.fill(0);
  if (total === 0) return;
  for (let i = 0; i < counts[QUOTED]; i++) {
    const weight = weights[i] / total;
    const sigma = sigmaOf(atm, skew, curvature, years, quotes[i]);
    slope[0] = (sigmaOf(atm + NUDGE, skew, curvature, years, quotes[i]) - sigma) / NUDGE;
    slope[1] = (sigmaOf(atm, skew + NUDGE, curvature, years, quotes[i]) - sigma) / NUDGE;
    slope[2] = (sigmaOf(atm, skew, curvature + NUDGE, years, quotes[i]) - sigma) / NUDGE;
    for (let row = 0; row < PARAMETERS; row++) {
      for (let column = 0; column < PARAMETERS; column++) normal[row * 4 + column] += weight * slope[row] * slope[column];
      normal[row * 4 + PARAMETERS] += weight * slope[row] * (targets[i] - sigma);
    }
  }
  for (let row = 0; row < PARAMETERS; row++) normal[row * 4 + row] += DAMPING;
  eliminate();
}

/** Solves the normal equations into `step`: they are positive definite, so the pivots need no choosing. */
function eliminate(): void {
  const { normal, step } = scratch;
  for (let pivot = 0; pivot < PARAMETERS; pivot++) {
    for (let row = pivot + 1; row < PARAMETERS; row++) {
      const factor = normal[row * 4 + pivot] / normal[pivot * 4 + pivot];
      for (let column = pivot; column <= PARAMETERS; column++) normal[row * 4 + column] -= factor * normal[pivot * 4 + column];
    }
  }
  for (let row = PARAMETERS - 1; row >= 0; row--) {
    let rest = normal[row * 4 + PARAMETERS];
    for (let column = row + 1; column < PARAMETERS; column++) rest -= normal[row * 4 + column] * step[column];
    step[row] = rest / normal[row * 4 + row];
  }
}

/**
 * Lists the strikes that the row's parameters reach, each once, with their volatilities on a trial of the surface as it is: of a row
 * without own input, those of the mixture that it is so far.
 */
function ask(valuation: Valuation, settings: Settings, underlying: number, at: number): void {
  const { instruments, surface } = valuation;
  const { asked, before, counts, most, others, sigmas, starts, strikes, trial } = scratch;
  const forward = valuation.nextIndex[underlying];
  const count = instrumentCount(instruments);
  copyToTrial(surface, underlying, trial);
  const isFirst = isInterpolated(surface, at);
  const own = at - rowAt(underlying, 0);
  if (isFirst) freezeSurface(trial, settings, 0, valuation.nextTime[underlying], false);
  else tryRow(valuation, settings, underlying, at, before);
  const first = firstReached(trial, 0, own);
  counts[LAST] = lastReached(trial, 0, own);
  counts[ASKED] = 0;
  for (let slot = 0; slot < count && counts[ASKED] < MOST_ASKED; slot++) {
    if (instruments.underlying[slot] !== underlying || !isAsked(valuation, slot)) continue;
    const row = findRow(trial, 0, instruments.expiry[slot]);
    if (row < first) continue;
    const i = counts[ASKED]++;
    asked[i] = row;
    strikes[i] = moneyness(forward, instruments.strike[slot]);
    sigmas[i] = sigmaBeside(trial, row, own, strikes[i]);
    // Each of the two that are mixed may move in a tick, and what a first fit makes a mixture may have moved before: a half leaves
    // both their part.
    most[i] = settings.values[SURFACE_STEP] / (isFirst || isMixed(trial, row) ? 2 : 1);
    starts[i] = surfaceSigma(surface, underlying, instruments.expiry[slot], strikes[i]);
    others[i] = sigmaOfOthers(trial, row, own, strikes[i]);
  }
}

/** True for an active option, but for the put of a strike that has a call. */
function isAsked({ instruments }: Valuation, slot: number): boolean {
  const { expiry, kind, status, strike, underlying } = instruments;
  if (kind[slot] === PERP || status[slot] !== ACTIVE) return false;
  if (kind[slot] === CALL) return true;
  const call = findInstrument(instruments, underlying[slot], expiry[slot], strike[slot], CALL);
  return call < 0 || status[call] !== ACTIVE;
}

/** Freezes the trial as the surface would be with these parameters of the row at `at`; answers where the trial has that row. */
function tryRow(valuation: Valuation, settings: Settings, underlying: number, at: number, parameters: Float64Array): number {
  const { trial } = scratch;
  const time = valuation.nextTime[underlying];
  const own = at - rowAt(underlying, 0);
  fitRow(trial, own, parameters[0], parameters[1], parameters[2], time);
  freezeSurface(trial, settings, 0, time, false);
  return own;
}

/**
 * Tries the parameters at the strikes asked. The row's own smile is to be inside the band at each that it has a part in, so that a
 * mixture of two is, but for one with what somebody outside the book has said; at those of a later row with own input only where that
 * may have no less variance.
 */
function measure(valuation: Valuation, settings: Settings, underlying: number, at: number): void {
  const { after, asked, counts, found, most, others, sigmas, starts, strikes, trial } = scratch;
  const curve = valuation.surface.defaults[underlying];
  const band = settings.values[SURFACE_BAND] / PPM * curve;
  const level = levelInside(valuation, settings, underlying);
  const own = tryRow(valuation, settings, underlying, at, after);
  found.fill(0);
  for (let i = 0; i < counts[ASKED]; i++) {
    const k = strikes[i];
    const sigma = sigmaBeside(trial, asked[i], own, k);
    const away = Math.abs(sigma - curve);
    const was = Math.abs(sigmas[i] - curve);
    const moved = Math.abs(Math.max(sigma, others[i]) - starts[i]);
    found[MOVE] = Math.max(found[MOVE], Math.abs(sigma - sigmas[i]) / most[i], moved / settings.values[SURFACE_STEP]);
    if (away > band && away > was && !isMixedWithGiven(trial, asked[i])) found[WORSE] = Math.max(found[WORSE], was > band ? FURTHER : LEFT);
    const bent = sigmaBeside(trial, own, own, k);
    if (Math.abs(bent - curve) <= band || (asked[i] > counts[LAST] && sigmaAs(trial, asked[i], own, k) <= curve + band)) continue;
    found[EXCESS] = Math.max(found[EXCESS], (Math.abs(bent - curve) - band + INSIDE) / Math.abs(bent - level));
  }
}

function sigmaOf(atm: number, skew: number, curvature: number, years: number, k: number): number {
  const { slice } = scratch;
  writeSlice(slice, 0, atm, skew, curvature, years);
  return Math.sqrt(sliceVariance(slice, 0, k) / years);
}
