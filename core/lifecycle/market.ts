// The market's clockwork: an index price arrives, marks are made anew, due times are met. Marks change with each
// accepted index, and each second while anyone holds anything; a venue where nobody does writes only index prices.

import { UNKNOWN_UNDERLYING, OK } from '../errors.ts';
import { DOUBLE_INDEX_PRICE, DOUBLE_INDEX_VOL, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, WORD_INDEX_FLAGS,
  WORD_INDEX_UNDERLYING } from '../codec/commands.ts';
import { emit, INDEX_IS_STALE, INDEX_MOVED, INDEX_SLOTS, INDEX_UNDERLYING, INDEX_VALUE, MARKS_CHECK, MARKS_COUNT, MARKS_MOVED,
  MARKS_SLOTS } from '../codec/events.ts';
import { HIGH, type Views } from '../codec/record.ts';
import { MARK_INTERVAL } from '../settings.ts';
import { underlyingCount } from '../instruments/underlyings.ts';
import { instrumentCount } from '../instruments/instruments.ts';
import { liveHoldings } from '../positions/holdings.ts';
import { AGELESS, DECLARED_STALE, markUnderlying } from '../valuation/valuation.ts';
import { nextExpiry, startExpiries, type Lifecycle } from './expiry.ts';
import { perpsDue, samplePerps } from './funding.ts';
import { startListing } from './listing.ts';
import { sampleIndex } from './settlement-price.ts';
import { isIdle } from './work.ts';

/** INDEX_PRICE: a price of 0 only changes the flags. */
export function acceptIndex(lifecycle: Lifecycle, views: Views, at: number, time: number): void {
  const { valuation, underlyings, events, outcome } = lifecycle;
  const underlying = views.u32[(at >>> 2) + WORD_INDEX_UNDERLYING];
  if (underlying >= underlyingCount(underlyings)) {
    outcome.code = UNKNOWN_UNDERLYING;
    return;
  }
  const flags = views.u32[(at >>> 2) + WORD_INDEX_FLAGS];
  const price = views.f64[(at >>> 3) + DOUBLE_INDEX_PRICE];
  const volatility = views.f64[(at >>> 3) + DOUBLE_INDEX_VOL];
  // The seconds before this one saw the index as it was.
  sampleIndex(lifecycle, nextExpiry(lifecycle.schedule), time - 1);
  if (volatility > 0) valuation.volatility[underlying] = volatility;
  valuation.indexFlags[underlying] = ((flags & FLAG_INDEX_AGELESS) !== 0 ? AGELESS : 0)
    | ((flags & FLAG_INDEX_STALE) !== 0 ? DECLARED_STALE : 0);
  if (price > 0) {
    valuation.index[underlying] = price;
    valuation.indexAt[underlying] = time;
  }
  const f = events.slots;
  f[INDEX_UNDERLYING] = underlying;
  f[INDEX_VALUE] = valuation.index[underlying];
  f[INDEX_IS_STALE] = (flags & FLAG_INDEX_STALE) !== 0 ? 1 : 0;
  emit(events, INDEX_MOVED, INDEX_SLOTS);
  if (valuation.index[underlying] === 0) return;
  mark(lifecycle, underlying, time);
  startListing(lifecycle, underlying, time);
  outcome.code = OK;
}

/** Makes marks and says so: the check is the sum of the marks modulo 2^32, so that two cores compare them. */
function mark(lifecycle: Lifecycle, underlying: number, time: number): void {
  const { events, valuation, instruments } = lifecycle;
  const count = markUnderlying(valuation, underlying, time);
  let check = 0;
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) if (instruments.underlying[slot] === underlying) check = (check + valuation.mark[slot]) % HIGH;
  const f = events.slots;
  f[INDEX_UNDERLYING] = underlying;
  f[INDEX_VALUE] = valuation.markIndex[underlying];
  f[MARKS_COUNT] = count;
  f[MARKS_CHECK] = check;
  emit(events, MARKS_MOVED, MARKS_SLOTS);
}

/** TICK: whatever has fallen due by `time`. */
export function tick(lifecycle: Lifecycle, time: number): void {
  startExpiries(lifecycle, time);
  samplePerps(lifecycle, time);
  if (liveHoldings(lifecycle.holdings) === 0) return;
  const { valuation, settings } = lifecycle;
  for (let underlying = 0; underlying < underlyingCount(lifecycle.underlyings); underlying++) {
    if (valuation.index[underlying] !== 0 && time - valuation.markedAt[underlying] >= settings.values[MARK_INTERVAL]) {
      mark(lifecycle, underlying, time);
    }
  }
}

/** One bounded step of a revaluation. */
export function revaluationStep(_lifecycle: Lifecycle, _time: number): void { /* valuation */ }

/** SET_SURFACE: the operator's volatilities. */
export function setSurface(_lifecycle: Lifecycle, _views: Views, _at: number, _time: number): void { /* valuation */ }

/** When the core wants to be called next, ms; 0: at once, there is work in hand; Infinity: nothing is due. */
export function nextDue(lifecycle: Lifecycle): number {
  if (!isIdle(lifecycle.work)) return 0;
  const { schedule, valuation, settings } = lifecycle;
  let due = Math.min(nextExpiry(schedule) === 0 ? Infinity : nextExpiry(schedule), perpsDue(lifecycle));
  if (liveHoldings(lifecycle.holdings) === 0) return due;
  for (let underlying = 0; underlying < underlyingCount(lifecycle.underlyings); underlying++) {
    if (valuation.index[underlying] !== 0) due = Math.min(due, valuation.markedAt[underlying] + settings.values[MARK_INTERVAL]);
  }
  return due;
}
