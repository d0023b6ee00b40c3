// The settlement price (decision 2.5): the mean of the index, sampled each second of (expiry - 30 min, expiry], rounded half up. A stale
// second gives no sample; with under half of them the operator sets the price. Due samples are taken before the index changes.

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

const SAMPLES = SETTLEMENT_WINDOW / SECOND;

const NEXT = 0;

export type Settlement = {
  /** The next second to sample (0: window not begun). */
  readonly counters: Float64Array;
  /** Per underlying: sum of the samples in two limbs, and their number. */
  readonly sum: Float64Array;
  readonly samples: Float64Array;
  /** Per underlying, of the last window: price (0: none), and price for marking pending contracts. */
  readonly decided: Float64Array;
  readonly provisional: Float64Array;
  /** Per slot: price (0: unknown), and the rounding remainder for the next payout, in 1e-6 micros. */
  readonly price: Float64Array;
  readonly rest: Float64Array;
};

type SettlementInputs = {
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

/** Takes the samples due up to `until`, at most 1,800 per underlying. `end` 0: no window. */
export function sampleIndex(inputs: SettlementInputs, end: number, until: number): void {
  const { settings, settlement, underlyings, valuation } = inputs;
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

export function decidePrice(inputs: SettlementInputs, underlying: number, expiry: number): void {
  const { settlement, valuation } = inputs;
  const samples = settlement.samples[underlying];
  assert(samples <= SAMPLES, 'settlement: a second is sampled once');
  const mean = wideMean(settlement.sum, underlying, samples);
  const price = samples * 2 >= SAMPLES ? mean : 0;
  settlement.decided[underlying] = price;
  settlement.provisional[underlying] = mean > 0 ? mean : valuation.index[underlying];
  writePrice(inputs, underlying, expiry, price, samples);
}

export function endWindow({ settlement, valuation }: SettlementInputs): void {
  settlement.counters[NEXT] = 0;
  settlement.sum.fill(0);
  settlement.samples.fill(0);
  valuation.windowAverage.fill(0);
}

export function writePrice({ events }: SettlementInputs, underlying: number, expiry: number, price: number, samples: number): void {
  const f = events.slots;
  f[INDEX_UNDERLYING] = underlying;
  f[SETTLEMENT_EXPIRY] = expiry;
  f[SETTLEMENT_VALUE] = price;
  f[SETTLEMENT_SAMPLES] = samples;
  emit(events, SETTLEMENT_SET, SETTLEMENT_SLOTS);
}

/** `price` 0: not known yet. `marked` gives the mark. The caller raises the vintage. */
export function priceContract({ instruments, settlement, valuation }: SettlementInputs, slot: number, price: number, marked: number): void {
  settlement.price[slot] = price;
  valuation.mark[slot] = settledValue(instruments, slot, marked);
  valuation.theo[slot] = valuation.mark[slot];
}

export function settledValue(instruments: Instruments, slot: number, price: number): number {
  const strike = instruments.strike[slot];
  return Math.max(0, instruments.kind[slot] === CALL ? price - strike : strike - price);
}

export function settlementSections(settlement: Settlement, instruments: () => number): readonly Section[] {
  const { counters, decided, price, provisional, rest, samples, sum } = settlement;
  return [
    fixedSection('settlement.counters', counters), fixedSection('settlement.sum', sum), fixedSection('settlement.samples', samples),
    fixedSection('settlement.decided', decided), fixedSection('settlement.provisional', provisional),
    { name: 'settlement.price', column: price, used: instruments }, { name: 'settlement.rest', column: rest, used: instruments },
  ];
}
