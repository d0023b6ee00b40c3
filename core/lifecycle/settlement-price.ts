// The price an expiry settles at: the mean of the index sampled each second over its last 30 minutes, (expiry - 30 min,
// expiry], rounded half up to a price unit; a stale second gives no sample, and with under half of the samples the
// operator has to say (decision 2.5). A second's sample is the index in force at it, so sampling asks for no clock: what
// is due is taken before an index changes and when marks are made or the window ends. Prices 1e-6 USDC, times ms.
// Never samples a second that lies before the index it has.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { SECOND } from '../units.ts';
import { CALL } from '../codec/commands.ts';
import { emit, INDEX_UNDERLYING, SETTLEMENT_EXPIRY, SETTLEMENT_SAMPLES, SETTLEMENT_SET, SETTLEMENT_SLOTS, SETTLEMENT_VALUE,
  type Events } from '../codec/events.ts';
import type { Settings } from '../settings.ts';
import { addWide, WIDE_LIMBS, wideMean } from '../ledger/wide.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { underlyingCount, type Underlyings } from '../instruments/underlyings.ts';
import { SETTLEMENT_WINDOW } from '../pricing/averaged.ts';
import { isIndexStale, type Valuation } from '../valuation/valuation.ts';

/** Of a whole window: one a second. */
const SAMPLES = SETTLEMENT_WINDOW / SECOND;

const NEXT = 0;

export type Settlement = {
  /** The next second of the window in hand (0: none was looked at). */
  readonly counters: Float64Array;
  /** Per underlying, of the window in hand: exact sum of the samples (two limbs), their number. */
  readonly sum: Float64Array;
  readonly samples: Float64Array;
  /** Per underlying, of the last window that ended: its price (0: none), and what pending contracts are marked with. */
  readonly decided: Float64Array;
  readonly provisional: Float64Array;
  /** Per instrument slot: the price it settles at (0: not known), and what its last payout left to the next, 1e-6 micros. */
  readonly price: Float64Array;
  readonly rest: Float64Array;
};

/** The stores that a settlement price is made of and told to. */
type Priced = {
  readonly events: Events; readonly instruments: Instruments; readonly settings: Settings; readonly settlement: Settlement;
  readonly underlyings: Underlyings; readonly valuation: Valuation;
};

export function createSettlement(underlyings: number, instruments: number): Settlement {
  const per = (): Float64Array => float64(underlyings);
  return {
    counters: float64(1), sum: float64(underlyings * WIDE_LIMBS), samples: per(), decided: per(), provisional: per(),
    price: float64(instruments), rest: float64(instruments),
  };
}

/**
 * Takes the samples of the window that ends at `end` (0: there is none) up to the second `until`; at most 1,800 for each
 * underlying. Tells the valuation the mean so far.
 */
export function sampleIndex(priced: Priced, end: number, until: number): void {
  const { settings, settlement, underlyings, valuation } = priced;
  const { counters, samples, sum } = settlement;
  const first = Math.max(end - SETTLEMENT_WINDOW + SECOND, counters[NEXT]);
  const last = Math.min(end, until);
  if (end === 0 || first > last) return;
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    const index = valuation.index[underlying];
    for (let second = first; second <= last; second += SECOND) {
      if (second < valuation.indexAt[underlying] || isIndexStale(valuation, settings, underlying, second)) continue;
      addWide(sum, underlying, index);
      samples[underlying]++;
    }
    valuation.windowAverage[underlying] = wideMean(sum, underlying, samples[underlying]);
  }
  assert(first > 0 && last >= first, 'settlement: seconds are sampled in order');
  counters[NEXT] = first + (Math.floor((last - first) / SECOND) + 1) * SECOND;
}

/** The window of the underlying has ended: decides its price and says so. */
export function decidePrice(priced: Priced, underlying: number, expiry: number): void {
  const { settlement, valuation } = priced;
  const samples = settlement.samples[underlying];
  assert(samples <= SAMPLES, 'settlement: a second is sampled once');
  const mean = wideMean(settlement.sum, underlying, samples);
  const price = samples * 2 >= SAMPLES ? mean : 0;
  settlement.decided[underlying] = price;
  settlement.provisional[underlying] = mean > 0 ? mean : valuation.index[underlying];
  writePrice(priced, underlying, expiry, price, samples);
}

/** Makes room for the samples of the next window. */
export function endWindow({ settlement, valuation }: Priced): void {
  settlement.counters[NEXT] = 0;
  settlement.sum.fill(0);
  settlement.samples.fill(0);
  valuation.windowAverage.fill(0);
}

/** SETTLEMENT_SET; a price of the operator comes with no samples. */
export function writePrice({ events }: Priced, underlying: number, expiry: number, price: number, samples: number): void {
  const f = events.slots;
  f[INDEX_UNDERLYING] = underlying;
  f[SETTLEMENT_EXPIRY] = expiry;
  f[SETTLEMENT_VALUE] = price;
  f[SETTLEMENT_SAMPLES] = samples;
  emit(events, SETTLEMENT_SET, SETTLEMENT_SLOTS);
}

/**
 * Gives an expired contract its price (0: not known yet), and the mark it keeps: its value at `marked`. The caller raises
 * the vintage.
 */
export function priceContract({ instruments, settlement, valuation }: Priced, slot: number, price: number, marked: number): void {
  settlement.price[slot] = price;
  valuation.mark[slot] = settledValue(instruments, slot, marked);
  valuation.theo[slot] = valuation.mark[slot];
}

/** What one contract is worth at a settlement price. */
export function settledValue(instruments: Instruments, slot: number, price: number): number {
  const strike = instruments.strike[slot];
  return Math.max(0, instruments.kind[slot] === CALL ? price - strike : strike - price);
}

/** `instruments` tells how many rows are in use. */
export function settlementSections(settlement: Settlement, instruments: () => number): readonly Section[] {
  const { counters, decided, price, provisional, rest, samples, sum } = settlement;
  return [
    fixedSection('settlement.counters', counters), fixedSection('settlement.sum', sum), fixedSection('settlement.samples', samples),
    fixedSection('settlement.decided', decided), fixedSection('settlement.provisional', provisional),
    { name: 'settlement.price', column: price, used: instruments }, { name: 'settlement.rest', column: rest, used: instruments },
  ];
}
