// The surface as the book sees it: one step of damped least squares a mark tick for the three parameters of an expiry, towards
// the implied volatilities of the market makers' mids that are believed (core/valuation/quotes), each weighed by the square of
// its vega; in the settlement window of what averaging has left of the option (core/pricing/averaged).
// Sources: K. Levenberg, Quarterly of Applied Mathematics 2 (1944) 164-168; margin.md, "Pricing and marks", Surface.
// Never moves the volatility of a listed strike by more than half a vol point a tick, be it of an expiry that takes over from the fitted
// one or of a later one that may have no less variance; nor one of the fitted expiry further out of the band around the default
// curve than it is. An expiry without own input takes its first quotes when the slice nearest to its mixture is within half a step of
// it; until then it stays the mixture of its neighbours. Parameters fractions times 1e6; floats inside.

import { PPM, SURFACE_BAND, SURFACE_STEP, type Settings } from '../settings.ts';
import { USDC, YEAR } from '../units.ts';
import { CALL, PERP } from '../codec/commands.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { ACTIVE, findInstrument, instrumentCount } from '../instruments/instruments.ts';
import type { Orders } from '../orders/orders.ts';
import { GREEKS_LENGTH, VEGA } from '../pricing/black76.ts';
import { impliedSigma, valueGreeks } from '../pricing/averaged.ts';
import { believedMid } from './quotes.ts';
import { moneyness, sliceVariance, writeSlice } from './slices.ts';
import { ATM, copyToTrial, createTrial, expiryOfRow, findRow, firstReached, fitRow, freezeSurface, isInterpolated, isMixed, isSurface,
  rowAt, sigmaBeside } from './surface.ts';
import type { Valuation } from './valuation.ts';

/** Quotes of an expiry that count, and strikes of an underlying that the bounds are asked of: more than their grids ever have. */
const MOST = 1_024;
const MOST_ASKED = 8_192;
const PARAMETERS = 3;
const DAMPING = 1e-4;
const NUDGE = 1e-4;
/** A step that is too large is made smaller this often; the last one is small enough or none is made. */
const TRIES = 8;
const SHRINK = 0.9;

/** The strikes that a step may reach: row of the trial, log-moneyness, volatility before it and the most that it may move, times 1e6. */
const asked = new Int32Array(MOST_ASKED);
const strikes = new Float64Array(MOST_ASKED);
const sigmas = new Float64Array(MOST_ASKED);
const most = new Float64Array(MOST_ASKED);
const trial = createTrial();
const quotes = new Float64Array(MOST);
const targets = new Float64Array(MOST);
const weights = new Float64Array(MOST);
const counts = new Int32Array(2);
const ASKED = 0;
const QUOTED = 1;
const greeks = new Float64Array(GREEKS_LENGTH);
const slice = new Float64Array(3);
const slope = new Float64Array(PARAMETERS);
/** Parameters before a step and after it, times 1e6, in the order of a row: at the money, skew, curvature. */
const before = new Float64Array(PARAMETERS);
const after = new Float64Array(PARAMETERS);
/** The normal equations, rows of three and a right side. */
const normal = new Float64Array(PARAMETERS * (PARAMETERS + 1));
const step = new Float64Array(PARAMETERS);

/** Fits the row at `at` to the book for the vintage in the making; true: its parameters changed. */
export function fitExpiry(
  valuation: Valuation, orders: Orders, accounts: Accounts, settings: Settings, underlying: number, at: number,
): boolean {
  const { rows } = valuation.surface;
  const expiry = expiryOfRow(valuation.surface, at);
  collect(valuation, orders, accounts, settings, underlying, expiry);
  if (counts[QUOTED] === 0) return false;
  for (let i = 0; i < PARAMETERS; i++) before[i] = rows[at + ATM + i];
  const isFirst = isInterpolated(valuation.surface, at);
  solve((expiry - valuation.nextTime[underlying]) / YEAR);
  ask(valuation, settings, underlying, at);
  const isMoved = !isFirst && findStep(valuation, settings, underlying, at);
  if (!isMoved) after.set(before);
  // A mixture becomes the slice nearest to it, which is a move: if it is small enough, and without another.
  if (isFirst && largestMove(tryRow(valuation, settings, underlying, at, after)) > 1) return false;
  fitRow(valuation.surface, at, after[0], after[1], after[2], valuation.nextTime[underlying]);
  return isMoved || isFirst;
}

/** Writes the parameters after as much of the step as is allowed; false: they stay as they are. */
function findStep(valuation: Valuation, settings: Settings, underlying: number, at: number): boolean {
  let share = 1;
  for (let i = 0; i < TRIES; i++) {
    for (let j = 0; j < PARAMETERS; j++) after[j] = Math.round(before[j] + share * step[j] * PPM);
    const tooFar = isSurface(after[0], after[1], after[2]) ? overshoot(valuation, settings, underlying, at) : 2;
    if (tooFar <= 1) return after[0] !== before[0] || after[1] !== before[1] || after[2] !== before[2];
    share *= Math.max(0.1, Math.min(0.95, SHRINK / tooFar));
  }
  return false;
}

/** The quotes of an expiry: log-moneyness, implied volatility as near as the band has it, and weight; of none 0. */
function collect(
  valuation: Valuation, orders: Orders, accounts: Accounts, settings: Settings, underlying: number, expiry: number,
): void {
  const { instruments } = valuation;
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
    const mid = believedMid(orders, settings, accounts, underlying, slot, valuation.theo[slot], time);
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
  const forward = valuation.nextIndex[underlying];
  const count = instrumentCount(instruments);
  copyToTrial(surface, underlying, trial);
  const isFirst = isInterpolated(surface, at);
  const own = at - rowAt(underlying, 0);
  if (isFirst) freezeSurface(trial, settings, 0, valuation.nextTime[underlying], false);
  else tryRow(valuation, settings, underlying, at, before);
  const first = firstReached(trial, 0, own);
  counts[ASKED] = 0;
  for (let slot = 0; slot < count && counts[ASKED] < MOST_ASKED; slot++) {
    if (instruments.underlying[slot] !== underlying || !isAsked(valuation, slot)) continue;
    const row = findRow(trial, 0, instruments.expiry[slot]);
    if (row < first) continue;
    const i = counts[ASKED]++;
    asked[i] = row;
    strikes[i] = moneyness(forward, instruments.strike[slot]);
    sigmas[i] = sigmaBeside(trial, row, own, strikes[i]);
    // Each of the two that are mixed may move in a tick, and what a first fit makes a mixture may have moved before.
    most[i] = settings.values[SURFACE_STEP] / (isFirst || isMixed(trial, row) ? 2 : 1);
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
  const time = valuation.nextTime[underlying];
  const own = at - rowAt(underlying, 0);
  fitRow(trial, own, parameters[0], parameters[1], parameters[2], time);
  freezeSurface(trial, settings, 0, time, false);
  return own;
}

/** How far the change goes at the strikes asked, as a multiple of what is allowed; above 1 it may not be made. */
function overshoot(valuation: Valuation, settings: Settings, underlying: number, at: number): number {
  const curve = valuation.surface.defaults[underlying];
  const band = settings.values[SURFACE_BAND] / PPM * curve;
  const own = tryRow(valuation, settings, underlying, at, after);
  let furthest = largestMove(own);
  for (let i = 0; i < counts[ASKED]; i++) {
    if (asked[i] !== own) continue;
    const away = Math.abs(sigmaBeside(trial, own, own, strikes[i]) - curve);
    if (away > Math.abs(sigmas[i] - curve)) furthest = Math.max(furthest, away / band);
  }
  return furthest;
}

/** How far the trial's row takes the strikes asked, as a multiple of what they may move. */
function largestMove(own: number): number {
  let furthest = 0;
  for (let i = 0; i < counts[ASKED]; i++) {
    furthest = Math.max(furthest, Math.abs(sigmaBeside(trial, asked[i], own, strikes[i]) - sigmas[i]) / most[i]);
  }
  return furthest;
}

function sigmaOf(atm: number, skew: number, curvature: number, years: number, k: number): number {
  writeSlice(slice, 0, atm, skew, curvature, years);
  return Math.sqrt(sliceVariance(slice, 0, k) / years);
}
