// What things are worth: the index price of each underlying and the mark of each instrument. Marks are Black-76 at
// the feed's flat volatility and change only at a mark tick (an accepted index, or the clock while anything is held),
// never inside an order. Every tick of any underlying raises `vintage`: caches of margin are good for one vintage.
// Prices 1e-6 USDC, volatility as a fraction times 1e6, times ms. Source: margin.md, "Pricing and marks".

import { fixedSection, type Section } from '../store.ts';
import { YEAR } from '../units.ts';
import { INDEX_STALE_AFTER, PPM, type Settings } from '../settings.ts';
import { CALL, PERP } from '../codec/commands.ts';
import { optionPrice } from '../pricing/black76.ts';
import { toPriceUnits } from '../pricing/price-units.ts';
import { ACTIVE, instrumentCount, type Instruments } from '../instruments/instruments.ts';

const VINTAGE = 0;

/** Flags of an index: what is set does not age; the feed calls itself stale. */
export const AGELESS = 1;
export const DECLARED_STALE = 2;

export type Valuation = {
  readonly counters: Float64Array;
  /** Per underlying: last index, when it came, its flags, flat volatility. Index 0: never had one. */
  readonly index: Float64Array;
  readonly indexAt: Float64Array;
  readonly indexFlags: Uint8Array;
  readonly volatility: Float64Array;
  /** Per underlying: mean of the samples of the settlement window so far; 0 outside one and before its first sample. */
  readonly windowAverage: Float64Array;
  /** Per underlying: the index, the settlement average (0: no window) and the time the marks were made with, their number. */
  readonly markIndex: Float64Array;
  readonly average: Float64Array;
  readonly markedAt: Float64Array;
  readonly vintage: Float64Array;
  /** Per underlying: distance of the perp's mark from the index, 1e-9 of it. */
  readonly basis: Float64Array;
  /** Per instrument slot: mark, theoretical price and the volatility it was made with. */
  readonly mark: Float64Array;
  readonly theo: Float64Array;
  readonly sigma: Float64Array;
  /** The same for the vintage in the making. */
  readonly nextIndex: Float64Array;
  readonly nextAverage: Float64Array;
  readonly nextTime: Float64Array;
  readonly nextMark: Float64Array;
  readonly nextTheo: Float64Array;
  readonly nextSigma: Float64Array;
  readonly instruments: Instruments;
};

export function createValuation(underlyings: number, instruments: Instruments): Valuation {
  const per = (): Float64Array => new Float64Array(underlyings);
  const slots = (): Float64Array => new Float64Array(instruments.capacity);
  return {
    counters: new Float64Array(1), index: per(), indexAt: per(), indexFlags: new Uint8Array(underlyings), volatility: per(),
    windowAverage: per(), markIndex: per(), average: per(), markedAt: per(), vintage: per(), basis: per(), mark: slots(), theo: slots(), sigma: slots(),
    nextIndex: per(), nextAverage: per(), nextTime: per(), nextMark: slots(), nextTheo: slots(), nextSigma: slots(), instruments,
  };
}

export function vintageOf(valuation: Valuation): number {
  return valuation.counters[VINTAGE];
}

/** What accounts were summed with has changed outside a mark tick: the mark of an expired contract, the funding of a perp. */
export function raiseVintage(valuation: Valuation): void {
  valuation.counters[VINTAGE]++;
}

/** True when the underlying has no index price fit to open risk with: none for 10 s, none at all, or called stale. */
export function isIndexStale(valuation: Valuation, settings: Settings, underlying: number, time: number): boolean {
  if (valuation.index[underlying] === 0) return true;
  const flags = valuation.indexFlags[underlying];
  if ((flags & DECLARED_STALE) !== 0) return true;
  return (flags & AGELESS) === 0 && time - valuation.indexAt[underlying] > settings.values[INDEX_STALE_AFTER];
}

/** Theoretical price at the marks' index and time; 0 while the underlying never had an index. */
export function theoreticalPrice(valuation: Valuation, instrument: number): number {
  const { instruments } = valuation;
  const underlying = instruments.underlying[instrument];
  const spot = valuation.markIndex[underlying] / 1e6;
  if (spot === 0) return 0;
  if (instruments.kind[instrument] === PERP) return valuation.markIndex[underlying];
  const years = Math.max(0, instruments.expiry[instrument] - valuation.markedAt[underlying]) / YEAR;
  const price = optionPrice(
    instruments.kind[instrument] === CALL, spot, instruments.strike[instrument] / 1e6, years,
    valuation.volatility[underlying] / PPM, 1,
  );
  return toPriceUnits(price);
}

/** Makes new marks for one underlying from its index at `time`; returns how many. */
export function markUnderlying(valuation: Valuation, underlying: number, time: number): number {
  const { instruments, mark } = valuation;
  valuation.markIndex[underlying] = valuation.index[underlying];
  valuation.markedAt[underlying] = time;
  valuation.counters[VINTAGE]++;
  valuation.vintage[underlying]++;
  const rows = instrumentCount(instruments);
  let count = 0;
  for (let slot = 0; slot < rows; slot++) {
    if (instruments.underlying[slot] !== underlying || instruments.status[slot] !== ACTIVE) continue;
    mark[slot] = theoreticalPrice(valuation, slot);
    count++;
  }
  return count;
}

export function valuationSections(valuation: Valuation): readonly Section[] {
  const { instruments } = valuation;
  const per = (name: string, column: Section['column']): Section => fixedSection(`valuation.${name}`, column);
  const slots = (name: string, column: Section['column']): Section => (
    { name: `valuation.${name}`, column, used: () => instrumentCount(instruments) }
  );
  return [
    per('counters', valuation.counters), per('index', valuation.index), per('indexAt', valuation.indexAt),
    per('indexFlags', valuation.indexFlags), per('volatility', valuation.volatility), per('windowAverage', valuation.windowAverage), per('markIndex', valuation.markIndex),
    per('average', valuation.average), per('markedAt', valuation.markedAt), per('vintage', valuation.vintage), per('basis', valuation.basis),
    slots('mark', valuation.mark), slots('theo', valuation.theo), slots('sigma', valuation.sigma),
    per('nextIndex', valuation.nextIndex), per('nextAverage', valuation.nextAverage), per('nextTime', valuation.nextTime),
    slots('nextMark', valuation.nextMark), slots('nextTheo', valuation.nextTheo), slots('nextSigma', valuation.nextSigma),
  ];
}
