// Fits the volatility surface to the book (MARGIN.md, "The volatility surface"): per mark tick and expiry, one step of damped least squares
// towards the implied volatilities of believed mids, weighted by vega squared. Per tick a listed strike moves by a bounded amount and never
// leaves the band around the default curve, or goes further outside. Parameters are fractions times 1e6. Source: K. Levenberg, Quarterly of
// Applied Mathematics 2 (1944) 164-168.

import { PPM, SURFACE_BAND, SURFACE_STEP, type Settings } from '../settings.ts';
import { USDC, YEAR } from '../units.ts';
import { CALL, PERP } from '../codec/commands.ts';
import { ACTIVE, findInstrument, instrumentCount } from '../instruments/instruments.ts';
import { isMarketOpen } from '../instruments/trading-mode.ts';
import type { Orders } from '../orders/orders.ts';
import { GREEKS_LENGTH, VEGA } from '../pricing/black76.ts';
import { impliedSigma, valueGreeks } from '../pricing/averaged.ts';
import { believedMid, type QuoteFilter } from './quotes.ts';
import { moneyness, sliceVariance, writeSlice } from './slices.ts';
import { ATM, copyToTrial, createTrial, expiryOfRow, findRow, firstReached, fitRow, freezeSurface, isFitted, isInterpolated, isMixed,
  isMixedWithOutside, isOutdated, isSurface, lastReached, rowAt, shapeRow, sigmaAs, sigmaBeside, sigmaOfOthers,
  surfaceSigma } from './surface.ts';
import type { Valuation } from './valuation.ts';

/** Quotes per expiry and strikes per underlying: more than the grids ever have. */
const MOST = 1_024;
const MOST_CHECKED = 8_192;
const PARAMETERS = 3;
const DAMPING = 1e-4;
const NUDGE = 1e-4;
/** A step that is too large is shrunk or flattened this often, then dropped. */
const TRIES = 12;
const SHRINK = 0.9;
/** Margin inside the band, so that rounding does not leave it. */
const INSIDE = 20;

const scratch = {
  /** Strikes to check: trial row, log-moneyness, volatility, most it may move (times 1e6); volatility at first, floor set by other rows. */
  asked: new Int32Array(MOST_CHECKED), strikes: new Float64Array(MOST_CHECKED), sigmas: new Float64Array(MOST_CHECKED),
  most: new Float64Array(MOST_CHECKED), starts: new Float64Array(MOST_CHECKED), others: new Float64Array(MOST_CHECKED),
  trial: createTrial(),
  quotes: new Float64Array(MOST), targets: new Float64Array(MOST), weights: new Float64Array(MOST),
  /** Strikes, quotes, last trial row whose slice depends on the fitted row. */
  counts: new Int32Array(3),
  greeks: new Float64Array(GREEKS_LENGTH), slice: new Float64Array(3), slope: new Float64Array(PARAMETERS),
  /** Times 1e6: at the money, skew, curvature. */
  before: new Float64Array(PARAMETERS), after: new Float64Array(PARAMETERS),
  normal: new Float64Array(PARAMETERS * (PARAMETERS + 1)), step: new Float64Array(PARAMETERS),
  /**
   * Of a trial: the largest move over its limit; how far to flatten the row into the band; whether a strike left the band or moved further
   * out.
   */
  found: new Float64Array(3),
};
const CHECKED = 0;
const QUOTED = 1;
const LAST = 2;
const MOVE = 0;
const EXCESS = 1;
const WORSE = 2;
const FURTHER = 1;
const LEFT = 2;

/**
 * Fits the expiry's row to its quotes. Without quotes it moves to the default curve if outdated, and into the band if quotes set it. False
 * if nothing changed.
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
    return needsStep(valuation, settings, underlying, at) && findStep(valuation, settings, underlying, at)
      && shapeRow(surface, at, after[0], after[1], after[2]);
  }
  const isFirst = isInterpolated(surface, at);
  solve((expiry - time) / YEAR);
  const isMoved = !isFirst && findStep(valuation, settings, underlying, at);
  // The mixture becomes its nearest slice. That is a move, so no other follows.
  if (isFirst && !canTakeOver(valuation, settings, underlying, at)) return false;
  if (!isMoved) after.set(before);
  fitRow(surface, at, after[0], after[1], after[2], time);
  return isMoved || isFirst;
}

/** True if a row without quotes must move; `step` then has the full step. */
function needsStep(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
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

function canTakeOver(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
  const { after, before, found } = scratch;
  collectStrikes(valuation, settings, underlying, at);
  after.set(before);
  measureTrial(valuation, settings, underlying, at);
  return found[MOVE] <= 1 && found[WORSE] !== LEFT;
}

/** Writes as much of the step into `after` as is allowed. False if there is no move. */
function findStep(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
  const { after, before, found, step } = scratch;
  collectStrikes(valuation, settings, underlying, at);
  let share = 1;
  for (let i = 0; i < TRIES; i++) {
    for (let j = 0; j < PARAMETERS; j++) after[j] = Math.round(before[j] + share * step[j] * PPM);
    if (!isSurface(after[0], after[1], after[2])) {
      for (let j = 0; j < PARAMETERS; j++) step[j] *= SHRINK / 2;
      continue;
    }
    measureTrial(valuation, settings, underlying, at);
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

function flatten(valuation: Valuation, settings: Settings, underlying: number): void {
  const { after, before, found, step } = scratch;
  const level = levelInside(valuation, settings, underlying);
  for (let i = 0; i < PARAMETERS; i++) {
    const flat = i === 0 ? level : 0;
    step[i] = (after[i] + found[EXCESS] * (flat - after[i]) - before[i]) / PPM;
  }
}

function levelInside(valuation: Valuation, settings: Settings, underlying: number): number {
  const { after } = scratch;
  const curve = valuation.surface.defaults[underlying];
  const reach = settings.values[SURFACE_BAND] / PPM * curve - INSIDE;
  return Math.max(curve - reach, Math.min(curve + reach, after[0]));
}

/** Believed quotes: log-moneyness, implied volatility clamped to the band, weight. */
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
    if (!isMarketOpen(instruments, slot)) continue;
    const isCall = instruments.kind[slot] === CALL;
    const strike = instruments.strike[slot] / USDC;
    const mid = believedMid(orders, settings, whose, underlying, slot, valuation.theo[slot], time);
    if (mid === 0 || counts[QUOTED] >= MOST) continue;
    const sigma = impliedSigma(isCall, forward, strike, expiry, time, average, mid / USDC);
    const i = counts[QUOTED]++;
    quotes[i] = moneyness(forward, strike);
    targets[i] = Math.max(curve * (1 - band), Math.min(curve * (1 + band), sigma > 0 ? sigma : curve));
    // Weight 0 where a vol point is worth less than a price unit, as late in the settlement window.
    valueGreeks(greeks, isCall, forward, strike, expiry, time, average, targets[i]);
    weights[i] = sigma > 0 && greeks[VEGA] * USDC >= 1 ? greeks[VEGA] * greeks[VEGA] : 0;
  }
}

/** The step that fits the quotes, as fractions. */
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

/** The matrix is positive definite, so pivots need no choosing. */
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

function collectStrikes(valuation: Valuation, settings: Settings, underlying: number, at: number): void {
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
  counts[CHECKED] = 0;
  for (let slot = 0; slot < count && counts[CHECKED] < MOST_CHECKED; slot++) {
    if (instruments.underlying[slot] !== underlying || !isChecked(valuation, slot)) continue;
    const row = findRow(trial, 0, instruments.expiry[slot]);
    if (row < first) continue;
    const i = counts[CHECKED]++;
    asked[i] = row;
    strikes[i] = moneyness(forward, instruments.strike[slot]);
    sigmas[i] = sigmaBeside(trial, row, own, strikes[i]);
    // Both neighbours of a mixture, or a first fit, may move in one tick: each gets half.
    most[i] = settings.values[SURFACE_STEP] / (isFirst || isMixed(trial, row) ? 2 : 1);
    starts[i] = surfaceSigma(surface, underlying, instruments.expiry[slot], strikes[i]);
    others[i] = sigmaOfOthers(trial, row, own, strikes[i]);
  }
}

/** The call stands for the put of its strike. */
function isChecked({ instruments }: Valuation, slot: number): boolean {
  const { expiry, kind, status, strike, underlying } = instruments;
  if (kind[slot] === PERP || status[slot] !== ACTIVE) return false;
  if (kind[slot] === CALL) return true;
  const call = findInstrument(instruments, underlying[slot], expiry[slot], strike[slot], CALL);
  return call < 0 || status[call] !== ACTIVE;
}

function tryRow(valuation: Valuation, settings: Settings, underlying: number, at: number, parameters: Float64Array): number {
  const { trial } = scratch;
  const time = valuation.nextTime[underlying];
  const own = at - rowAt(underlying, 0);
  fitRow(trial, own, parameters[0], parameters[1], parameters[2], time);
  freezeSurface(trial, settings, 0, time, false);
  return own;
}

/**
 * The row's own smile must be in the band where it contributes; at a later row with own input, only where it is the floor. Mixtures with an
 * outside input are exempt.
 */
function measureTrial(valuation: Valuation, settings: Settings, underlying: number, at: number): void {
  const { after, asked, counts, found, most, others, sigmas, starts, strikes, trial } = scratch;
  const curve = valuation.surface.defaults[underlying];
  const band = settings.values[SURFACE_BAND] / PPM * curve;
  const level = levelInside(valuation, settings, underlying);
  const own = tryRow(valuation, settings, underlying, at, after);
  found.fill(0);
  for (let i = 0; i < counts[CHECKED]; i++) {
    const k = strikes[i];
    const sigma = sigmaBeside(trial, asked[i], own, k);
    const away = Math.abs(sigma - curve);
    const was = Math.abs(sigmas[i] - curve);
    const moved = Math.abs(Math.max(sigma, others[i]) - starts[i]);
    found[MOVE] = Math.max(found[MOVE], Math.abs(sigma - sigmas[i]) / most[i], moved / settings.values[SURFACE_STEP]);
    if (away > band && away > was && !isMixedWithOutside(trial, asked[i])) {
      found[WORSE] = Math.max(found[WORSE], was > band ? FURTHER : LEFT);
    }
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
