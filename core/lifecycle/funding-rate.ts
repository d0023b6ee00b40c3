// Funding rates of perps (decision 2.6). Impact prices give premium samples every few seconds and move the mark's basis. At the end of each
// UTC hour the mean premium becomes a rate, added to the cumulative funding (core/positions/funding). Rates and distances are in 1e-9,
// rounded half up.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { BUY, CONTRACT, HOUR, SELL } from '../units.ts';
import { FUNDING_HOURLY_BOUND, FUNDING_INTEREST, FUNDING_REACH, IMPACT_NOTIONAL, PREMIUM_BOUND, PREMIUM_INTERVAL,
  PREMIUM_MEAN_TIME, type Settings } from '../settings.ts';
import { exp } from '../math/elementary.ts';
import { mulDivHalfUp } from '../math/exact.ts';
import { emit, FUNDING_CUMULATIVE, FUNDING_HOURLY, FUNDING_INDEX, FUNDING_PREMIUM, FUNDING_RATE, FUNDING_RATE_SLOTS, FUNDING_UNTIL,
  INSTRUMENT, type Events } from '../codec/events.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { isMarketOpen } from '../instruments/trading-mode.ts';
import { underlyingCount, type Underlyings } from '../instruments/underlyings.ts';
import { addFunding, type Funding } from '../positions/funding.ts';
import { bestAsk, bestBid, bestOrder } from '../book/books.ts';
import type { Books } from '../book/layout.ts';
import { lastInLine, levelOf, levelTotal } from '../book/levels.ts';
import { makerAfter } from '../book/matching.ts';
import { orderKey, orderRemaining } from '../book/pool.ts';
import { LAST_KEY, priceOfKey } from '../book/price-key.ts';
import type { PendingCancelTest } from '../valuation/quotes.ts';
import { isIndexStale, raiseVintage, type Valuation } from '../valuation/valuation.ts';

const IMPACT_LEVELS = 1_024;
const IMPACT_ORDERS = 8_192;

/** OF_PPM: a part per million in 1e-9. */
const UNIT = 1e9;
const OF_PPM = 1_000;
/** The hours that a rate is stated for; each hour pays its share. */
const HOURS_OF_RATE = 8;

/** Columns with one cell for each underlying. */
export type Perps = {
  /** Next sample. 0: the perp is unused. Sampling begins at the next full interval after use begins. */
  readonly next: Float64Array;
  /** End of the current hour (0: none), and the sum of its premiums times ms. */
  readonly hour: Float64Array;
  readonly premium: Float64Array;
  /** Exponential mean of the mid impact price's bounded distance from the index. */
  readonly distance: Float64Array;
  /** Reported only: last premium sample (0: none), its premium, and the last hour's rate. */
  readonly sampledAt: Float64Array;
  readonly sample: Float64Array;
  readonly rate: Float64Array;
};

type PerpInputs = {
  readonly books: Books; readonly events: Events; readonly funding: Funding; readonly instruments: Instruments;
  readonly perps: Perps; readonly settings: Settings; readonly underlyings: Underlyings; readonly valuation: Valuation;
};

export function createPerps(underlyings: number): Perps {
  const per = (): Float64Array => float64(underlyings);
  return { next: per(), hour: per(), premium: per(), distance: per(), sampledAt: per(), sample: per(), rate: per() };
}

/** Missed samples are skipped. Orders that `isPendingCancel` names do not count. */
export function samplePerps(inputs: PerpInputs, time: number, isPendingCancel: PendingCancelTest): void {
  const { instruments, perps, underlyings, valuation } = inputs;
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    const slot = instruments.perpOf[underlying];
    if (slot < 0 || valuation.index[underlying] === 0) continue;
    if (time >= perps.next[underlying] || isHourOver(perps, underlying, time)) samplePerp(inputs, underlying, slot, time, isPendingCancel);
  }
}

/** If true, a tick must handle the hour before anyone trades. */
export function areHoursOver({ instruments, perps, underlyings, valuation }: PerpInputs, time: number): boolean {
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    // Must match what `samplePerps` skips, or no tick would ever settle it.
    if (isHourOver(perps, underlying, time) && instruments.perpOf[underlying] >= 0 && valuation.index[underlying] !== 0) return true;
  }
  return false;
}

function isHourOver({ hour }: Perps, underlying: number, time: number): boolean {
  return hour[underlying] !== 0 && time >= hour[underlying];
}

export function perpsDue({ books, instruments, perps, underlyings, valuation }: PerpInputs): number {
  let due = Infinity;
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    const slot = instruments.perpOf[underlying];
    if (slot < 0 || valuation.index[underlying] === 0) continue;
    // At least 1: 0 would mean work in hand and bring no tick.
    const next = Math.max(1, perps.next[underlying]);
    if (isTraded(books, instruments, slot) || valuation.basis[underlying] !== 0) due = Math.min(due, next);
    // The hour ends on time, because at the next sample somebody else may hold the perp.
    if (perps.hour[underlying] !== 0) due = Math.min(due, perps.hour[underlying]);
  }
  return due;
}

function isTraded(books: Books, instruments: Instruments, slot: number): boolean {
  return instruments.openInterest[slot] > 0 || bestBid(books, slot) >= 0 || bestAsk(books, slot) >= 0;
}

function samplePerp(inputs: PerpInputs, underlying: number, slot: number, time: number, isPendingCancel: PendingCancelTest): void {
  const { perps, settings } = inputs;
  const sample = Math.floor(time / settings.values[PREMIUM_INTERVAL]) * settings.values[PREMIUM_INTERVAL];
  if (perps.hour[underlying] !== 0 && sample > perps.hour[underlying]) endHour(inputs, underlying, slot, time);
  if (time >= perps.next[underlying]) samplePerpBook(inputs, underlying, slot, sample, time, isPendingCancel);
  if (isHourOver(perps, underlying, time)) endHour(inputs, underlying, slot, time);
}

function samplePerpBook(
  inputs: PerpInputs, underlying: number, slot: number, sample: number, time: number, isPendingCancel: PendingCancelTest,
): void {
  const { books, instruments, perps, settings, valuation } = inputs;
  const isUsed = isTraded(books, instruments, slot);
  // A new user of a perp must not choose the moment of a sample.
  const isBetween = perps.next[underlying] === 0 && time > sample;
  perps.next[underlying] = isUsed ? sample + settings.values[PREMIUM_INTERVAL] : 0;
  if (!isUsed) {
    perps.distance[underlying] = 0;
    valuation.basis[underlying] = 0;
  } else if (!isBetween && isMarketOpen(instruments, slot) && !isIndexStale(valuation, settings, underlying, time)) {
    if (perps.hour[underlying] === 0) perps.hour[underlying] = Math.ceil(sample / HOUR) * HOUR;
    takeSample(inputs, underlying, slot, isPendingCancel);
    perps.sampledAt[underlying] = sample;
  }
}

function takeSample(
  { books, perps, settings, valuation }: PerpInputs, underlying: number, slot: number, isPendingCancel: PendingCancelTest,
): void {
  const { values } = settings;
  const index = valuation.index[underlying];
  const bid = impactPrice(books, slot, BUY, values[IMPACT_NOTIONAL], isPendingCancel);
  const ask = impactPrice(books, slot, SELL, values[IMPACT_NOTIONAL], isPendingCancel);
  const premium = premiumOf(settings, index, bid, ask);
  perps.sample[underlying] = premium;
  perps.premium[underlying] += premium * values[PREMIUM_INTERVAL];
  const bound = values[PREMIUM_BOUND] * OF_PPM;
  const middle = bid > 0 && ask > 0 ? within(((bid + ask) / 2 / index - 1) * UNIT, bound) : 0;
  const step = 1 - exp(-values[PREMIUM_INTERVAL] / values[PREMIUM_MEAN_TIME]);
  perps.distance[underlying] = Math.round(perps.distance[underlying] + step * (middle - perps.distance[underlying])) + 0;
  valuation.basis[underlying] = within(perps.distance[underlying], bound);
}

/** Average price of taking `notional` micros, in price units, not rounded; 0 if the side is too small. */
export function impactPrice(books: Books, instrument: number, side: number, notional: number, isPendingCancel: PendingCancelTest): number {
  const farthest = side === BUY ? 0 : LAST_KEY;
  const most = isPendingCancel === null ? IMPACT_LEVELS : IMPACT_ORDERS;
  let left = notional * CONTRACT;
  let size = 0;
  let order = bestOrder(books, instrument, side);
  for (let looked = 0; order !== 0 && looked < most; looked++) {
    const price = priceOfKey(orderKey(books, order));
    const resting = isPendingCancel === null ? levelTotal(books, levelOf(books, order))
      : isPendingCancel(order) ? 0 : orderRemaining(books, order);
    if (price * resting >= left) return notional * CONTRACT / (size + left / price);
    left -= price * resting;
    size += resting;
    order = makerAfter(books, instrument, 1 - side, farthest, isPendingCancel === null ? lastInLine(books, order) : order);
  }
  return 0;
}

/** The premium in 1e-9 of the index. An impact price of 0 counts as the index. */
export function premiumOf(settings: Settings, index: number, bid: number, ask: number): number {
  const above = bid > 0 ? Math.max(0, bid - index) : 0;
  const below = ask > 0 ? Math.max(0, index - ask) : 0;
  return within(Math.round((above - below) / index * UNIT), settings.values[PREMIUM_BOUND] * OF_PPM);
}

/** Never -0. */
function meanPremium(sum: number): number {
  return Math.round(sum / HOUR) + 0;
}

/** The hour's rate in 1e-9. `sum`: premiums times ms; time without samples counts as 0. */
export function hourlyRate({ values }: Settings, sum: number): number {
  const premium = meanPremium(sum);
  const rate = premium + within(values[FUNDING_INTEREST] * OF_PPM - premium, values[FUNDING_REACH] * OF_PPM);
  return within(Math.round(rate / HOURS_OF_RATE), values[FUNDING_HOURLY_BOUND] * OF_PPM);
}

/** The rate of the present hour by its samples so far, in 1e-9; NaN before the first one. */
export function predictedRate({ perps, settings }: Pick<PerpInputs, 'perps' | 'settings'>, underlying: number): number {
  const passed = perps.sampledAt[underlying] - (perps.hour[underlying] - HOUR);
  if (perps.hour[underlying] === 0 || !(passed > 0)) return NaN;
  return hourlyRate(settings, perps.premium[underlying] / passed * HOUR);
}

function within(value: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, value)) + 0;
}

function endHour(inputs: PerpInputs, underlying: number, slot: number, time: number): void {
  const { events, funding, instruments, perps, settings, valuation } = inputs;
  const premium = meanPremium(perps.premium[underlying]);
  const rate = hourlyRate(settings, perps.premium[underlying]);
  assert(perps.hour[underlying] !== 0 && perps.hour[underlying] % HOUR === 0, 'funding: an hour that ends is a full one');
  const isDue = instruments.openInterest[slot] > 0 && time < perps.hour[underlying] + HOUR
    && !isIndexStale(valuation, settings, underlying, time);
  const until = perps.hour[underlying];
  perps.hour[underlying] = 0;
  perps.premium[underlying] = 0;
  const index = valuation.index[underlying];
  // 1e-6 USDC * 1e-9 = 1e-15 USDC, a millionth of the unit of the sums.
  if (!isDue || !addFunding(funding, slot, mulDivHalfUp(rate, index, 1_000_000), rate, until)) return;
  perps.rate[underlying] = rate;
  raiseVintage(valuation);
  const f = events.slots;
  f[INSTRUMENT] = slot;
  f[FUNDING_HOURLY] = rate;
  f[FUNDING_INDEX] = index;
  f[FUNDING_CUMULATIVE] = funding.cumulative[slot];
  f[FUNDING_UNTIL] = until;
  f[FUNDING_PREMIUM] = premium;
  emit(events, FUNDING_RATE, FUNDING_RATE_SLOTS);
}

export function perpSections(perps: Perps): readonly Section[] {
  return [
    fixedSection('perps.next', perps.next), fixedSection('perps.hour', perps.hour), fixedSection('perps.premium', perps.premium),
    fixedSection('perps.distance', perps.distance), fixedSection('perps.sampledAt', perps.sampledAt),
    fixedSection('perps.sample', perps.sample), fixedSection('perps.rate', perps.rate),
  ];
}
