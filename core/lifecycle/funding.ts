// Perps by the core's own clock (decision 2.6): every few seconds the impact prices of a perp's book give a sample of its
// premium and the next step of its mark's distance from the index; each full UTC hour the mean premium gives the rate that
// is added to the cumulative funding (core/positions/funding). Rates and distances in 1e-9, rounded to the nearest, a half
// up; prices 1e-6 USDC, times ms. A perp is looked at only while somebody holds it or has an order in its book,
// and once more at the end of its last hour.
// Never touches a holding: an hour costs the same whoever holds what.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { BUY, CONTRACT, HOUR, SELL } from '../units.ts';
import { FUNDING_HOURLY_BOUND, FUNDING_INTEREST, FUNDING_REACH, IMPACT_NOTIONAL, PREMIUM_BOUND, PREMIUM_INTERVAL,
  PREMIUM_MEAN_TIME, type Settings } from '../settings.ts';
import { exp } from '../math/elementary.ts';
import { mulDivHalfUp } from '../math/exact.ts';
import { emit, FUNDING_CUMULATIVE, FUNDING_HOURLY, FUNDING_INDEX, FUNDING_RATE, FUNDING_RATE_SLOTS, INSTRUMENT,
  type Events } from '../codec/events.ts';
import type { Instruments } from '../instruments/instruments.ts';
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

/** Price levels that an impact price looks at, and orders where some have ended; a side that needs more cannot fill it. */
const IMPACT_LEVELS = 1_024;
const IMPACT_ORDERS = 8_192;

/** 1e-9, and how many of them a part per million is. */
const UNIT = 1e9;
const OF_PPM = 1_000;
/** The hours that a rate is stated for; a part of it falls due each hour. */
const HOURS_OF_RATE = 8;

/** Per underlying, of its perp. */
export type Perps = {
  /** When it is looked at next; 0: nobody uses it, and from the next full interval on after somebody does. */
  readonly next: Float64Array;
  /** End of the hour in hand (0: none), and the sum of its premiums, each times the ms that it stands for. */
  readonly hour: Float64Array;
  readonly premium: Float64Array;
  /** Exponential mean of the bounded distance of the impact prices' middle from the index. */
  readonly distance: Float64Array;
};

/** The stores that sampling and funding work on. */
type Sampled = {
  readonly books: Books; readonly events: Events; readonly funding: Funding; readonly instruments: Instruments;
  readonly perps: Perps; readonly settings: Settings; readonly underlyings: Underlyings; readonly valuation: Valuation;
};

export function createPerps(underlyings: number): Perps {
  const per = (): Float64Array => float64(underlyings);
  return { next: per(), hour: per(), premium: per(), distance: per() };
}

/** Takes the samples due by `time`, one per perp; missed samples stay missing. Orders that `isPendingCancel` names do not count. */
export function samplePerps(sampled: Sampled, time: number, isPendingCancel: PendingCancelTest): void {
  const { instruments, perps, underlyings, valuation } = sampled;
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    const slot = instruments.perpOf[underlying];
    if (slot < 0 || valuation.index[underlying] === 0) continue;
    if (time >= perps.next[underlying] || isHourOver(perps, underlying, time)) samplePerp(sampled, underlying, slot, time, isPendingCancel);
  }
}

/** Whether the hour of a perp is over and has not been settled: until a tick has done so nobody may trade, for it is not theirs. */
export function areHoursOver({ instruments, perps, underlyings, valuation }: Sampled, time: number): boolean {
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    // As above: what a tick passes over is never over.
    if (isHourOver(perps, underlying, time) && instruments.perpOf[underlying] >= 0 && valuation.index[underlying] !== 0) return true;
  }
  return false;
}

/** True when the hour in hand is over and has not been settled. */
function isHourOver({ hour }: Perps, underlying: number, time: number): boolean {
  return hour[underlying] !== 0 && time >= hour[underlying];
}

/** When a perp wants to be looked at next, Infinity: none does. */
export function perpsDue({ books, instruments, perps, underlyings, valuation }: Sampled): number {
  let due = Infinity;
  const count = underlyingCount(underlyings);
  for (let underlying = 0; underlying < count; underlying++) {
    const slot = instruments.perpOf[underlying];
    if (slot < 0 || valuation.index[underlying] === 0) continue;
    // A time long gone, not 0: 0 is the queue's word for work in hand, and would not bring a tick.
    const next = Math.max(1, perps.next[underlying]);
    if (isTraded(books, instruments, slot) || valuation.basis[underlying] !== 0) due = Math.min(due, next);
    // An hour ends when it is over, whenever the next sample is: later somebody else may hold the perp.
    if (perps.hour[underlying] !== 0) due = Math.min(due, perps.hour[underlying]);
  }
  return due;
}

function isTraded(books: Books, instruments: Instruments, slot: number): boolean {
  return instruments.openInterest[slot] > 0 || bestBid(books, slot) >= 0 || bestAsk(books, slot) >= 0;
}

/** Takes the sample that has fallen due, and ends the hour that is over: one that ends at the sample or after it has it still. */
function samplePerp(sampled: Sampled, underlying: number, slot: number, time: number, isPendingCancel: PendingCancelTest): void {
  const { perps, settings } = sampled;
  const sample = Math.floor(time / settings.values[PREMIUM_INTERVAL]) * settings.values[PREMIUM_INTERVAL];
  if (perps.hour[underlying] !== 0 && sample > perps.hour[underlying]) endHour(sampled, underlying, slot, time);
  if (time >= perps.next[underlying]) lookAt(sampled, underlying, slot, sample, time, isPendingCancel);
  if (isHourOver(perps, underlying, time)) endHour(sampled, underlying, slot, time);
}

function lookAt(
  sampled: Sampled, underlying: number, slot: number, sample: number, time: number, isPendingCancel: PendingCancelTest,
): void {
  const { books, instruments, perps, settings, valuation } = sampled;
  const isUsed = isTraded(books, instruments, slot);
  // Whoever begins to use a perp does not choose the moment of a sample.
  const isBetween = perps.next[underlying] === 0 && time > sample;
  perps.next[underlying] = isUsed ? sample + settings.values[PREMIUM_INTERVAL] : 0;
  if (!isUsed) {
    perps.distance[underlying] = 0;
    valuation.basis[underlying] = 0;
  } else if (!isBetween && !isIndexStale(valuation, settings, underlying, time)) {
    if (perps.hour[underlying] === 0) perps.hour[underlying] = Math.ceil(sample / HOUR) * HOUR;
    takeSample(sampled, underlying, slot, isPendingCancel);
  }
}

function takeSample(
  { books, perps, settings, valuation }: Sampled, underlying: number, slot: number, isPendingCancel: PendingCancelTest,
): void {
  const { values } = settings;
  const index = valuation.index[underlying];
  const bid = impactPrice(books, slot, BUY, values[IMPACT_NOTIONAL], isPendingCancel);
  const ask = impactPrice(books, slot, SELL, values[IMPACT_NOTIONAL], isPendingCancel);
  perps.premium[underlying] += premiumOf(settings, index, bid, ask) * values[PREMIUM_INTERVAL];
  const bound = values[PREMIUM_BOUND] * OF_PPM;
  // Bounded before the mean, which else would remember one far quote for as long as it is far.
  const middle = bid > 0 && ask > 0 ? within(((bid + ask) / 2 / index - 1) * UNIT, bound) : 0;
  const step = 1 - exp(-values[PREMIUM_INTERVAL] / values[PREMIUM_MEAN_TIME]);
  perps.distance[underlying] = Math.round(perps.distance[underlying] + step * (middle - perps.distance[underlying])) + 0;
  valuation.basis[underlying] = within(perps.distance[underlying], bound);
}

/**
 * Average price of taking `notional` micros from a side of the book, in price units, not rounded; 0 when the side cannot
 * fill it. Its own orders count for everybody: it is the book's price, not an account's. Orders that have ended do not, so where there
 * are any the walk goes from order to order, else from level to level.
 */
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

/** How far the impact prices lie beyond the index, 1e-9 of it; a price of 0 counts as the index. */
export function premiumOf(settings: Settings, index: number, bid: number, ask: number): number {
  const above = bid > 0 ? Math.max(0, bid - index) : 0;
  const below = ask > 0 ? Math.max(0, index - ask) : 0;
  return within(Math.round((above - below) / index * UNIT), settings.values[PREMIUM_BOUND] * OF_PPM);
}

/** The rate of an hour whose premiums, each times its ms, add up to `sum`; time without a sample counts as 0. Rates in 1e-9. */
export function hourlyRate({ values }: Settings, sum: number): number {
  const premium = Math.round(sum / HOUR);
  const rate = premium + within(values[FUNDING_INTEREST] * OF_PPM - premium, values[FUNDING_REACH] * OF_PPM);
  return within(Math.round(rate / HOURS_OF_RATE), values[FUNDING_HOURLY_BOUND] * OF_PPM);
}

function within(value: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, value)) + 0;
}

/**
 * The hour in hand has ended: its funding is due to and from whoever holds the perp now. None without open interest, with a
 * stale index, when the venue slept through the whole next hour, or where the sum would leave its exact range.
 */
function endHour(sampled: Sampled, underlying: number, slot: number, time: number): void {
  const { events, funding, instruments, perps, settings, valuation } = sampled;
  const rate = hourlyRate(settings, perps.premium[underlying]);
  assert(perps.hour[underlying] !== 0 && perps.hour[underlying] % HOUR === 0, 'funding: an hour that ends is a full one');
  const isDue = instruments.openInterest[slot] > 0 && time < perps.hour[underlying] + HOUR
    && !isIndexStale(valuation, settings, underlying, time);
  perps.hour[underlying] = 0;
  perps.premium[underlying] = 0;
  const index = valuation.index[underlying];
  // 1e-6 USDC * 1e-9 is 1e-15 USDC, a millionth of the unit of the sums.
  if (!isDue || !addFunding(funding, slot, mulDivHalfUp(rate, index, 1_000_000))) return;
  raiseVintage(valuation);
  const f = events.slots;
  f[INSTRUMENT] = slot;
  f[FUNDING_HOURLY] = rate;
  f[FUNDING_INDEX] = index;
  f[FUNDING_CUMULATIVE] = funding.cumulative[slot];
  emit(events, FUNDING_RATE, FUNDING_RATE_SLOTS);
}

export function perpSections(perps: Perps): readonly Section[] {
  return [
    fixedSection('perps.next', perps.next), fixedSection('perps.hour', perps.hour), fixedSection('perps.premium', perps.premium),
    fixedSection('perps.distance', perps.distance),
  ];
}
