// Index prices, volatility surfaces and marks (MARGIN.md, "Marks and vintages"). Marks belong to a numbered vintage of their underlying.
// The next is made aside, slot by slot, from frozen inputs, then replaces the last in one step. Volatilities are fractions times 1e6.

import { fixedSection, float64, type Section, uint8 } from '../columns.ts';
import { USDC } from '../units.ts';
import { INDEX_RUN, INDEX_STALE_AFTER, PPM, type Settings } from '../settings.ts';
import { CALL, PERP } from '../codec/commands.ts';
import { mulDivFloor } from '../math/exact.ts';
import { DELTA, GREEKS_LENGTH, VEGA } from '../pricing/black76.ts';
import { optionValue as averagedValue, valueGreeks } from '../pricing/averaged.ts';
import { instrumentCount, type Instruments } from '../instruments/instruments.ts';
import { createIndexTicks, indexTickSections, type IndexTicks } from './index-price.ts';
import { createSurface, surfaceSections, type Surface } from './surface.ts';

const VINTAGE = 0;

/** Set by hand, so the index does not age; the feed says it is stale. */
export const AGELESS = 1;
export const DECLARED_STALE = 2;

export const WANTED = 1;
export const QUEUED = 2;

export type Valuation = {
  readonly counters: Float64Array;
  /** Per underlying: last index (0: never), its time and flags. */
  readonly index: Float64Array;
  readonly indexAt: Float64Array;
  readonly indexFlags: Uint8Array;
  /** Per underlying: last volatility given for all expiries, at first the default. */
  readonly volatility: Float64Array;
  /** Per underlying: mean of the settlement samples so far, 0 before the first. */
  readonly windowAverage: Float64Array;
  /** Per underlying: index, settlement average (0: no window) and time of the marks. */
  readonly markIndex: Float64Array;
  readonly average: Float64Array;
  readonly markedAt: Float64Array;
  readonly vintage: Float64Array;
  /** Per underlying: perp mark minus index, 1e-9 of the index. */
  readonly basis: Float64Array;
  /** Per slot. `stale`: the expiry's surface is. */
  readonly mark: Float64Array;
  readonly theo: Float64Array;
  readonly sigma: Float64Array;
  readonly stale: Uint8Array;
  /** The vintage being made. `pending`: WANTED, QUEUED. */
  readonly pending: Uint8Array;
  readonly nextIndex: Float64Array;
  readonly nextAverage: Float64Array;
  readonly nextTime: Float64Array;
  readonly nextMark: Float64Array;
  readonly nextTheo: Float64Array;
  readonly nextSigma: Float64Array;
  readonly nextStale: Uint8Array;
  readonly surface: Surface;
  readonly ticks: IndexTicks;
  /** Indexes, valid for vintage `greeksOf` (0: none). */
  readonly greeksOf: Float64Array;
  readonly delta: Float64Array;
  readonly vega: Float64Array;
  readonly instruments: Instruments;
};

const scratch = { greeks: new Float64Array(GREEKS_LENGTH) };

export function createValuation(underlyings: number, instruments: Instruments): Valuation {
  const per = (): Float64Array => float64(underlyings);
  const slots = (): Float64Array => float64(instruments.capacity);
  return {
    counters: float64(1), index: per(), indexAt: per(), indexFlags: uint8(underlyings), volatility: per(),
    windowAverage: per(), markIndex: per(), average: per(), markedAt: per(), vintage: per(), basis: per(),
    mark: slots(), theo: slots(), sigma: slots(), stale: uint8(instruments.capacity), pending: uint8(underlyings),
    nextIndex: per(), nextAverage: per(), nextTime: per(), nextMark: slots(), nextTheo: slots(), nextSigma: slots(),
    nextStale: uint8(instruments.capacity), surface: createSurface(underlyings), ticks: createIndexTicks(underlyings),
    greeksOf: slots(), delta: slots(), vega: slots(), instruments,
  };
}

/** Changes with the marks of any underlying. Cached sums are valid for one number. */
export function vintageOf(valuation: Valuation): number {
  return valuation.counters[VINTAGE];
}

/** Call when inputs of account sums change: marks, an expiry, perp funding. */
export function raiseVintage(valuation: Valuation): void {
  valuation.counters[VINTAGE]++;
}

/** Too old (10 s), missing or called stale: no new risk is accepted. */
export function isIndexStale(valuation: Valuation, settings: Settings, underlying: number, time: number): boolean {
  if (valuation.index[underlying] === 0) return true;
  const flags = valuation.indexFlags[underlying];
  if ((flags & DECLARED_STALE) !== 0) return true;
  return (flags & AGELESS) === 0 && time - valuation.indexAt[underlying] > settings.values[INDEX_STALE_AFTER];
}

/** Too far since the marks were made to accept new risk. */
export function hasIndexMoved(valuation: Valuation, settings: Settings, underlying: number): boolean {
  const marked = valuation.markIndex[underlying];
  return Math.abs(valuation.index[underlying] - marked) > mulDivFloor(marked, settings.values[INDEX_RUN], PPM);
}

/** True if at this vintage nobody had set the expiry's volatility recently. */
export function isSurfaceStale(valuation: Valuation, slot: number): boolean {
  return valuation.stale[slot] !== 0;
}

/** USDC per contract, blended with the average in the settlement window. `sigma` is a fraction. */
export function optionValue(
  instruments: Instruments, slot: number, spot: number, time: number, average: number, sigma: number,
): number {
  return averagedValue(
    instruments.kind[slot] === CALL, spot, instruments.strike[slot] / USDC, instruments.expiry[slot], time, average, sigma,
  );
}

/** Times 1e6, at the marks of this vintage. */
export function deltaOf(valuation: Valuation, slot: number): number {
  fillGreeks(valuation, slot);
  return valuation.delta[slot];
}

/** Vega in 1e-6 USDC per vol point, at the marks of this vintage. */
export function vegaOf(valuation: Valuation, slot: number): number {
  fillGreeks(valuation, slot);
  return valuation.vega[slot];
}

/** Call when the slot's contract or mark changes within a vintage. */
export function forgetGreeks({ greeksOf, delta, vega }: Valuation, slot: number): void {
  greeksOf[slot] = 0;
  delta[slot] = 0;
  vega[slot] = 0;
}

function fillGreeks(valuation: Valuation, slot: number): void {
  const { instruments } = valuation;
  const { greeks } = scratch;
  const underlying = instruments.underlying[slot];
  const vintage = valuation.vintage[underlying];
  if (valuation.greeksOf[slot] === vintage) return;
  valuation.greeksOf[slot] = vintage;
  const isPerp = instruments.kind[slot] === PERP;
  if (!isPerp) {
    valueGreeks(
      greeks, instruments.kind[slot] === CALL, valuation.markIndex[underlying] / USDC, instruments.strike[slot] / USDC,
      instruments.expiry[slot], valuation.markedAt[underlying], valuation.average[underlying] / USDC, valuation.sigma[slot] / PPM,
    );
  }
  valuation.delta[slot] = isPerp ? PPM : Math.round(greeks[DELTA] * PPM) + 0;
  valuation.vega[slot] = isPerp ? 0 : Math.round(greeks[VEGA] * USDC) + 0;
}

export function valuationSections(valuation: Valuation): readonly Section[] {
  const { instruments } = valuation;
  const per = (name: string, column: Section['column']): Section => fixedSection(`valuation.${name}`, column);
  const slots = (name: string, column: Section['column']): Section => (
    { name: `valuation.${name}`, column, used: () => instrumentCount(instruments) }
  );
  return [
    per('counters', valuation.counters), per('index', valuation.index), per('indexAt', valuation.indexAt),
    per('indexFlags', valuation.indexFlags), per('volatility', valuation.volatility), per('windowAverage', valuation.windowAverage),
    per('markIndex', valuation.markIndex), per('average', valuation.average), per('markedAt', valuation.markedAt),
    per('vintage', valuation.vintage), per('basis', valuation.basis), slots('mark', valuation.mark), slots('theo', valuation.theo),
    slots('sigma', valuation.sigma), slots('stale', valuation.stale), per('pending', valuation.pending),
    per('nextIndex', valuation.nextIndex), per('nextAverage', valuation.nextAverage), per('nextTime', valuation.nextTime),
    slots('nextMark', valuation.nextMark), slots('nextTheo', valuation.nextTheo), slots('nextSigma', valuation.nextSigma),
    slots('nextStale', valuation.nextStale), ...surfaceSections(valuation.surface), ...indexTickSections(valuation.ticks),
  ];
}
