// Makes a vintage of marks (MARGIN.md, "Marks and vintages"). A mark is theo moved towards a believed quote, by at most the larger of 2 %
// of theo and one vol point of vega. A perp's theo is the index, moved by its basis. Volatilities are fractions times 1e6.

import { USDC } from '../units.ts';
import { MARK_REACH, PPM, type Settings } from '../settings.ts';
import { CALL, PERP } from '../codec/commands.ts';
import { mulDivFloor, mulDivHalfUp } from '../math/exact.ts';
import { ACTIVE, instrumentCount, type Instruments } from '../instruments/instruments.ts';
import { isMarketOpen } from '../instruments/trading-mode.ts';
import type { Orders } from '../orders/orders.ts';
import { GREEKS_LENGTH, VEGA } from '../pricing/black76.ts';
import { valueGreeks } from '../pricing/averaged.ts';
import { toPriceUnits } from '../pricing/black76.ts';
import { believedMid, type QuoteFilter } from './quotes.ts';
import { moneyness } from './slices.ts';
import { dropExpired, freezeSurface, hasOutsideInput, isRowStale, openRow, surfaceSigma } from './surface.ts';
import { AGELESS, forgetGreeks, optionValue, raiseVintage, type Valuation } from './valuation.ts';

const BASIS_UNIT = 1_000_000_000;

const scratch = { greeks: new Float64Array(GREEKS_LENGTH) };

export function openCurve(valuation: Valuation, underlying: number, volatility: number): void {
  valuation.surface.defaults[underlying] = volatility;
  valuation.volatility[underlying] = volatility;
}

/** Freezes the surface before the book moves it. */
export function beginVintage(valuation: Valuation, settings: Settings, underlying: number, time: number): void {
  valuation.nextIndex[underlying] = valuation.index[underlying];
  valuation.nextAverage[underlying] = valuation.windowAverage[underlying];
  valuation.nextTime[underlying] = time;
  dropExpired(valuation.surface, settings, underlying, time);
  freezeVolatility(valuation, settings, underlying);
}

export function freezeVolatility(valuation: Valuation, settings: Settings, underlying: number): void {
  freezeSurface(valuation.surface, settings, underlying, valuation.nextTime[underlying], isAgeless(valuation, underlying));
}

/** True if no outside input is valid and the index is not set by hand. */
export function isBookDriven(valuation: Valuation, settings: Settings, underlying: number, row: number): boolean {
  return !isAgeless(valuation, underlying) && !hasOutsideInput(valuation.surface.rows, row, settings, valuation.nextTime[underlying]);
}

function isAgeless(valuation: Valuation, underlying: number): boolean {
  return (valuation.indexFlags[underlying] & AGELESS) !== 0;
}

/** `before`: the slot valued before it in this step, or -1. A put and call of one strike share the volatility, most of the cost. */
export function valueSlot(
  valuation: Valuation, orders: Orders, settings: Settings, whose: QuoteFilter, slot: number, before: number,
): void {
  const { instruments, nextMark, nextSigma, nextTheo } = valuation;
  const { greeks } = scratch;
  const underlying = instruments.underlying[slot];
  const index = valuation.nextIndex[underlying];
  const time = valuation.nextTime[underlying];
  nextSigma[slot] = isSameStrike(instruments, slot, before) && instruments.expiry[slot] > time
    ? nextSigma[before] : sigmaOf(valuation, slot, index, time);
  nextTheo[slot] = theoOf(valuation, slot, index, time, valuation.nextAverage[underlying], nextSigma[slot]);
  nextMark[slot] = unquotedMark(valuation, slot, nextTheo[slot]);
  valuation.nextStale[slot] = isStaleAt(valuation, slot, time);
  // The market of an expired contract is closed.
  if (instruments.kind[slot] === PERP || instruments.expiry[slot] <= time || !isMarketOpen(instruments, slot)) return;
  const mid = believedMid(orders, settings, whose, underlying, slot, nextTheo[slot], time);
  if (mid === 0 || mid === nextTheo[slot]) return;
  valueGreeks(
    greeks, instruments.kind[slot] === CALL, index / USDC, instruments.strike[slot] / USDC, instruments.expiry[slot], time,
    valuation.nextAverage[underlying] / USDC, nextSigma[slot] / PPM,
  );
  const reach = Math.max(mulDivFloor(nextTheo[slot], settings.values[MARK_REACH], PPM), Math.floor(greeks[VEGA] * USDC));
  nextMark[slot] = Math.round(Math.max(0, nextTheo[slot] - reach, Math.min(nextTheo[slot] + reach, mid)));
}

export function switchVintage(valuation: Valuation, underlying: number): number {
  const { instruments, mark, nextMark, nextSigma, nextStale, nextTheo, sigma, stale, theo } = valuation;
  valuation.markIndex[underlying] = valuation.nextIndex[underlying];
  valuation.average[underlying] = valuation.nextAverage[underlying];
  valuation.markedAt[underlying] = valuation.nextTime[underlying];
  valuation.vintage[underlying]++;
  raiseVintage(valuation);
  const rows = instrumentCount(instruments);
  let count = 0;
  for (let slot = 0; slot < rows; slot++) {
    if (instruments.underlying[slot] !== underlying || instruments.status[slot] !== ACTIVE) continue;
    mark[slot] = nextMark[slot];
    theo[slot] = nextTheo[slot];
    sigma[slot] = nextSigma[slot];
    stale[slot] = nextStale[slot];
    count++;
  }
  return count;
}

/** Modulo 2^32, to compare two cores. */
export function checkOfMarks(valuation: Valuation, underlying: number): number {
  const { instruments, mark } = valuation;
  const rows = instrumentCount(instruments);
  let check = 0;
  for (let slot = 0; slot < rows; slot++) if (instruments.underlying[slot] === underlying) check = (check + mark[slot]) | 0;
  return check >>> 0;
}

/** A mark of the vintage in force, 0 if there is none. */
export function markNew(valuation: Valuation, settings: Settings, slot: number, listed: number): void {
  const { instruments, surface } = valuation;
  const underlying = instruments.underlying[slot];
  const index = valuation.markIndex[underlying];
  const time = valuation.markedAt[underlying];
  const isPerp = instruments.kind[slot] === PERP;
  if (!isPerp && openRow(surface, settings, underlying, instruments.expiry[slot], listed)) {
    freezeSurface(surface, settings, underlying, time, isAgeless(valuation, underlying));
  }
  forgetGreeks(valuation, slot);
  if (index === 0) return;
  valuation.sigma[slot] = sigmaOf(valuation, slot, index, time);
  valuation.theo[slot] = theoOf(valuation, slot, index, time, valuation.average[underlying], valuation.sigma[slot]);
  valuation.mark[slot] = unquotedMark(valuation, slot, valuation.theo[slot]);
  valuation.stale[slot] = isStaleAt(valuation, slot, time);
}

function isSameStrike({ expiry, strike, underlying }: Instruments, slot: number, other: number): boolean {
  return other >= 0 && strike[slot] === strike[other] && expiry[slot] === expiry[other] && underlying[slot] === underlying[other];
}

/** An expired contract keeps its last volatility. */
function sigmaOf(valuation: Valuation, slot: number, index: number, time: number): number {
  const { instruments, surface } = valuation;
  if (instruments.kind[slot] === PERP) return 0;
  if (instruments.expiry[slot] <= time) return valuation.sigma[slot];
  const underlying = instruments.underlying[slot];
  const sigma = surfaceSigma(surface, underlying, instruments.expiry[slot], moneyness(index, instruments.strike[slot]));
  return sigma > 0 ? sigma : surface.defaults[underlying];
}

function theoOf(valuation: Valuation, slot: number, index: number, time: number, average: number, sigma: number): number {
  const { instruments } = valuation;
  if (instruments.kind[slot] === PERP) return index;
  return toPriceUnits(optionValue(instruments, slot, index / USDC, time, average / USDC, sigma / PPM));
}

/** Theo plus a perp's basis. */
function unquotedMark({ basis, instruments }: Valuation, slot: number, theo: number): number {
  return instruments.kind[slot] === PERP ? mulDivHalfUp(theo, BASIS_UNIT + basis[instruments.underlying[slot]], BASIS_UNIT) : theo;
}

function isStaleAt(valuation: Valuation, slot: number, time: number): number {
  const { instruments } = valuation;
  if (instruments.kind[slot] === PERP) return 0;
  if (instruments.expiry[slot] <= time) return valuation.stale[slot];
  return isRowStale(valuation.surface, instruments.underlying[slot], instruments.expiry[slot]) ? 1 : 0;
}
