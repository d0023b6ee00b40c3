// Handles index prices, surfaces and due times. Marks are made anew with each accepted index, and each second while anyone holds anything.

import { EXPIRY_NOT_LISTED, INVALID_SURFACE, OK, UNKNOWN_UNDERLYING } from '../errors.ts';
import { DOUBLE_INDEX_CURVATURE, DOUBLE_INDEX_PRICE, DOUBLE_INDEX_SKEW, DOUBLE_INDEX_VOL, DOUBLE_SURFACE_ATM,
  DOUBLE_SURFACE_CURVATURE, DOUBLE_SURFACE_EXPIRY, DOUBLE_SURFACE_SKEW, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, FLAG_SURFACE_AGELESS,
  WORD_INDEX_FLAGS, WORD_INDEX_UNDERLYING, WORD_SURFACE_FLAGS, WORD_SURFACE_UNDERLYING } from '../codec/commands.ts';
import { emit, INDEX_IS_STALE, INDEX_IS_USED, INDEX_MOVED, INDEX_SLOTS, INDEX_RECEIVED, INDEX_UNDERLYING, INDEX_VALUE, SURFACE_ATM,
  SURFACE_CHANGED, SURFACE_CURVATURE, SURFACE_EXPIRY, SURFACE_SKEW, SURFACE_SLOTS } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { dropEnded, pendingDue } from '../accounts/pending-approvals.ts';
import { MARK_INTERVAL } from '../settings.ts';
import { underlyingCount } from '../instruments/underlyings.ts';
import { liveHoldings } from '../positions/holdings.ts';
import { countTick } from '../streams.ts';
import { restartMedian, useTick } from '../valuation/index-price.ts';
import { ageSurface, GIVEN, GIVEN_AGELESS, isSurface, putSurfaceInput } from '../valuation/surface.ts';
import { AGELESS, DECLARED_STALE, QUEUED } from '../valuation/valuation.ts';
import { nextExpiring } from '../orders/extended.ts';
import { pendingCancelTest } from '../trading/cancel-all.ts';
import { endExpired } from '../trading/extended.ts';
import { deadlineDue, fireDeadlines } from '../trading/timers.ts';
import type { Lifecycle } from './lifecycle.ts';
import { expiryDue, nextExpiry, startExpiries } from './expiry.ts';
import { perpsDue, samplePerps } from './funding-rate.ts';
import { listingDue } from './listing.ts';
import { reclaimDue, startReclaim } from './reclaim.ts';
import { requestRevaluation } from './revaluation.ts';
import { startSweep, sweepDue } from './sweep.ts';
import { sampleIndex } from './settlement-price.ts';
import { hasWork } from './work-steps.ts';

const EXPIRED_A_TICK = 256;

/** Price 0: the command has flags only. A rejected price changes nothing but makes an event. */
export function acceptIndex(lifecycle: Lifecycle, views: Views, at: number, time: number): void {
  const { valuation, underlyings, events, result } = lifecycle;
  const underlying = views.u32[(at >>> 2) + WORD_INDEX_UNDERLYING];
  if (underlying >= underlyingCount(underlyings)) {
    result.code = UNKNOWN_UNDERLYING;
    return;
  }
  const flags = views.u32[(at >>> 2) + WORD_INDEX_FLAGS];
  const price = views.f64[(at >>> 3) + DOUBLE_INDEX_PRICE];
  // Earlier seconds saw the index as it was.
  sampleIndex(lifecycle, nextExpiry(lifecycle.schedule), time - 1);
  const isUsed = takeIndex(lifecycle, underlying, price, flags, time);
  if (isUsed) applyFeedSurface(lifecycle, views, at, underlying, time);
  const f = events.slots;
  f[INDEX_UNDERLYING] = underlying;
  f[INDEX_VALUE] = valuation.index[underlying];
  f[INDEX_IS_STALE] = (valuation.indexFlags[underlying] & DECLARED_STALE) !== 0 ? 1 : 0;
  f[INDEX_RECEIVED] = price;
  f[INDEX_IS_USED] = isUsed ? 1 : 0;
  if (isUsed && price > 0) countTick(lifecycle.streams, underlying);
  emit(events, INDEX_MOVED, INDEX_SLOTS);
  if (isUsed && valuation.index[underlying] !== 0) requestRevaluation(lifecycle, underlying);
}

/** False for an outlier. The operator's own price is never one. */
function takeIndex(lifecycle: Lifecycle, underlying: number, price: number, flags: number, time: number): boolean {
  const { settings, valuation } = lifecycle;
  const isAgeless = (flags & FLAG_INDEX_AGELESS) !== 0;
  if (price > 0) {
    if (isAgeless) restartMedian(valuation.ticks, underlying, price, time);
    else if (!useTick(valuation.ticks, settings, underlying, price, time)) return false;
    valuation.index[underlying] = price;
    valuation.indexAt[underlying] = time;
  }
  valuation.indexFlags[underlying] = (isAgeless ? AGELESS : 0) | ((flags & FLAG_INDEX_STALE) !== 0 ? DECLARED_STALE : 0);
  return true;
}

function applyFeedSurface(lifecycle: Lifecycle, views: Views, at: number, underlying: number, time: number): void {
  const atm = views.f64[(at >>> 3) + DOUBLE_INDEX_VOL];
  const skew = views.f64[(at >>> 3) + DOUBLE_INDEX_SKEW];
  const curvature = views.f64[(at >>> 3) + DOUBLE_INDEX_CURVATURE];
  if (!isSurface(atm, skew, curvature)) return;
  const { valuation } = lifecycle;
  const isAgeless = (valuation.indexFlags[underlying] & AGELESS) !== 0;
  valuation.volatility[underlying] = atm;
  putSurfaceInput(valuation.surface, underlying, 0, { atm, skew, curvature }, time, isAgeless ? GIVEN_AGELESS : GIVEN);
}

export function setSurface(lifecycle: Lifecycle, views: Views, at: number, time: number): void {
  const { result, underlyings, valuation } = lifecycle;
  const underlying = views.u32[(at >>> 2) + WORD_SURFACE_UNDERLYING];
  if (underlying >= underlyingCount(underlyings)) result.code = UNKNOWN_UNDERLYING;
  else if (views.f64[(at >>> 3) + DOUBLE_SURFACE_ATM] === 0) ageSurface(valuation.surface, underlying);
  else applyOperatorSurface(lifecycle, views, at, underlying, time);
  if (result.code === OK && valuation.index[underlying] !== 0) requestRevaluation(lifecycle, underlying);
}

function applyOperatorSurface(lifecycle: Lifecycle, views: Views, at: number, underlying: number, time: number): void {
  const { events, result, valuation } = lifecycle;
  const expiry = views.f64[(at >>> 3) + DOUBLE_SURFACE_EXPIRY];
  const atm = views.f64[(at >>> 3) + DOUBLE_SURFACE_ATM];
  const skew = views.f64[(at >>> 3) + DOUBLE_SURFACE_SKEW];
  const curvature = views.f64[(at >>> 3) + DOUBLE_SURFACE_CURVATURE];
  const source = (views.u32[(at >>> 2) + WORD_SURFACE_FLAGS] & FLAG_SURFACE_AGELESS) !== 0 ? GIVEN_AGELESS : GIVEN;
  if (!isSurface(atm, skew, curvature)) result.code = INVALID_SURFACE;
  else if (!putSurfaceInput(valuation.surface, underlying, expiry, { atm, skew, curvature }, time, source)) result.code = EXPIRY_NOT_LISTED;
  if (result.code !== OK) return;
  if (expiry === 0) valuation.volatility[underlying] = atm;
  const f = events.slots;
  f[INDEX_UNDERLYING] = underlying;
  f[SURFACE_EXPIRY] = expiry;
  f[SURFACE_ATM] = atm;
  f[SURFACE_SKEW] = skew;
  f[SURFACE_CURVATURE] = curvature;
  emit(events, SURFACE_CHANGED, SURFACE_SLOTS);
}

export function tick(lifecycle: Lifecycle, time: number): void {
  fireDeadlines(lifecycle, time);
  endExpired(lifecycle, time);
  dropEnded(lifecycle.pending, time, EXPIRED_A_TICK);
  startReclaim(lifecycle, time);
  startExpiries(lifecycle, time);
  requestListings(lifecycle, time);
  samplePerps(lifecycle, time, pendingCancelTest(lifecycle, time));
  if (liveHoldings(lifecycle.holdings) !== 0) requestMarks(lifecycle, time);
  startSweep(lifecycle, time);
}

function requestListings(lifecycle: Lifecycle, time: number): void {
  for (let underlying = 0; underlying < underlyingCount(lifecycle.underlyings); underlying++) {
    if (time >= listingDue(lifecycle, underlying)) requestRevaluation(lifecycle, underlying);
  }
}

/** Marks are also due without a feed, because time value decays. */
function requestMarks(lifecycle: Lifecycle, time: number): void {
  for (let underlying = 0; underlying < underlyingCount(lifecycle.underlyings); underlying++) {
    if (time >= marksDue(lifecycle, underlying)) requestRevaluation(lifecycle, underlying);
  }
}

/** Infinity: never, or marks are being made. */
function marksDue({ settings, valuation }: Lifecycle, underlying: number): number {
  if (valuation.index[underlying] === 0 || (valuation.pending[underlying] & QUEUED) !== 0) return Infinity;
  return valuation.markedAt[underlying] + settings.values[MARK_INTERVAL];
}

/** When to call the core next. 0: work is waiting; Infinity: nothing is due. */
export function nextDue(lifecycle: Lifecycle): number {
  return hasWork(lifecycle) ? 0 : nextTick(lifecycle);
}

export function nextTick(lifecycle: Lifecycle): number {
  let due = Math.min(
    expiryDue(lifecycle), perpsDue(lifecycle), sweepDue(lifecycle), deadlineDue(lifecycle), pendingDue(lifecycle.pending),
    reclaimDue(lifecycle), nextExpiring(lifecycle.orders.extended),
  );
  const isHeld = liveHoldings(lifecycle.holdings) !== 0;
  for (let underlying = 0; underlying < underlyingCount(lifecycle.underlyings); underlying++) {
    due = Math.min(due, listingDue(lifecycle, underlying), isHeld ? marksDue(lifecycle, underlying) : Infinity);
  }
  return due;
}
