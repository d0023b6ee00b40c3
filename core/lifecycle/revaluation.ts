// Makes new marks of an underlying in bounded steps (MARGIN.md, "Marks and vintages"): freeze inputs; fit expiries from the book; value
// slots; then put all in force at once. A request while one runs starts one more after it. Inputs from after the start must not be used,
// except a perp's basis.

import { assert } from '../assert.ts';
import { emit, INDEX_UNDERLYING, INDEX_VALUE, MARKS_CHECK, MARKS_COUNT, MARKS_MOVED, MARKS_SLOTS, SURFACE_ATM, SURFACE_CHANGED,
  SURFACE_CURVATURE, SURFACE_EXPIRY, SURFACE_SKEW, SURFACE_SLOTS } from '../codec/events.ts';
import { countMarks } from '../account-streams.ts';
import { ACTIVE, instrumentCount } from '../instruments/instruments.ts';
import { liveHoldings } from '../positions/holdings.ts';
import { fitExpiry } from '../valuation/fit.ts';
import { beginVintage, checkOfMarks, freezeVolatility, isBookDriven, switchVintage, valueSlot } from '../valuation/marks.ts';
import { pendingCancelTest } from '../trading/cancel-all.ts';
import { prepareRows } from '../margin/account-margin.ts';
import { ATM, CURVATURE, expiryOfRow, rowAt, SKEW } from '../valuation/surface.ts';
import { QUEUED, WANTED } from '../valuation/valuation.ts';
import type { Lifecycle } from './lifecycle.ts';
import { nextExpiry } from './expiry.ts';
import { startFiring } from './firing.ts';
import { startListing } from './listing.ts';
import { sampleIndex } from './settlement-price.ts';
import { currentItem, FIRST, FOURTH, isIdle, popWork, pushWork, REVALUE, SECOND, THIRD } from './work-queue.ts';

/** Per step: slots valued while anybody holds anything, and otherwise; slots visited. */
const VALUED_A_STEP = 48;
const VALUED_IDLE = 512;
const LOOKED_A_STEP = 4_096;

/** The item's fourth number. Its second is the surface row to fit, its third the slot to value. */
const BEGIN = 0;
const FIT = 1;
const VALUE = 2;

export function requestRevaluation(lifecycle: Lifecycle, underlying: number): void {
  const { pending } = lifecycle.valuation;
  if ((pending[underlying] & QUEUED) !== 0) {
    pending[underlying] |= WANTED;
    return;
  }
  const isQueued = pushWork(lifecycle.marks, REVALUE, underlying, 0);
  assert(isQueued, 'revaluation: an underlying is queued at most once');
  pending[underlying] = QUEUED;
}

/** Once begun: other work would see half of a vintage. */
export function isRevaluing({ marks }: Lifecycle): boolean {
  return !isIdle(marks) && marks.items[currentItem(marks) + FOURTH] !== BEGIN;
}

export function revaluationStep(lifecycle: Lifecycle, time: number): void {
  const { marks, settings, valuation } = lifecycle;
  const { items } = marks;
  const item = currentItem(marks);
  const underlying = items[item + FIRST];
  assert((valuation.pending[underlying] & QUEUED) !== 0, 'revaluation: the current underlying is queued');
  if (items[item + FOURTH] === BEGIN) {
    valuation.pending[underlying] = QUEUED;
    sampleIndex(lifecycle, nextExpiry(lifecycle.schedule), time);
    beginVintage(valuation, settings, underlying, time);
    items[item + FOURTH] = FIT;
  }
  if (items[item + FOURTH] === FIT) {
    if (fitNext(lifecycle, item, time)) return;
    freezeVolatility(valuation, lifecycle.settings, underlying);
    items[item + FOURTH] = VALUE;
  }
  if (valueSome(lifecycle, item, time)) return;
  popWork(marks);
  finish(lifecycle, underlying, time);
}

function fitNext(lifecycle: Lifecycle, item: number, time: number): boolean {
  const { accounts, events, marks, orders, settings, valuation } = lifecycle;
  const { items } = marks;
  const { surface } = valuation;
  const underlying = items[item + FIRST];
  const whose = { tiered: accounts, isPendingCancel: pendingCancelTest(lifecycle, time) };
  while (items[item + SECOND] < surface.counts[underlying]) {
    const at = rowAt(underlying, items[item + SECOND]++);
    if (!isBookDriven(valuation, settings, underlying, at)) continue;
    if (!fitExpiry(valuation, orders, whose, settings, underlying, at)) return true;
    const f = events.slots;
    f[INDEX_UNDERLYING] = underlying;
    f[SURFACE_EXPIRY] = expiryOfRow(surface, at);
    f[SURFACE_ATM] = surface.rows[at + ATM];
    f[SURFACE_SKEW] = surface.rows[at + SKEW];
    f[SURFACE_CURVATURE] = surface.rows[at + CURVATURE];
    emit(events, SURFACE_CHANGED, SURFACE_SLOTS);
    return true;
  }
  return false;
}

function valueSome(lifecycle: Lifecycle, item: number, time: number): boolean {
  const { holdings, instruments, marks, orders, settings, valuation } = lifecycle;
  const { items } = marks;
  const rows = instrumentCount(instruments);
  const most = liveHoldings(holdings) === 0 ? VALUED_IDLE : VALUED_A_STEP;
  const whose = { tiered: null, isPendingCancel: pendingCancelTest(lifecycle, time) };
  let valued = 0;
  let before = -1;
  for (let looked = 0; looked < LOOKED_A_STEP && valued < most; looked++) {
    const slot = items[item + THIRD];
    if (slot >= rows) return false;
    items[item + THIRD]++;
    if (instruments.underlying[slot] !== items[item + FIRST] || instruments.status[slot] !== ACTIVE) continue;
    valueSlot(valuation, orders, settings, whose, slot, before);
    before = slot;
    prepareRows(lifecycle, slot);
    valued++;
  }
  return true;
}

function finish(lifecycle: Lifecycle, underlying: number, time: number): void {
  const { events, valuation } = lifecycle;
  const isWanted = (valuation.pending[underlying] & WANTED) !== 0;
  valuation.pending[underlying] = 0;
  const f = events.slots;
  f[MARKS_COUNT] = switchVintage(valuation, underlying);
  f[INDEX_UNDERLYING] = underlying;
  f[INDEX_VALUE] = valuation.markIndex[underlying];
  f[MARKS_CHECK] = checkOfMarks(valuation, underlying);
  lifecycle.streams.chains[underlying]++;
  countMarks(lifecycle.streams.accounts);
  emit(events, MARKS_MOVED, MARKS_SLOTS);
  startFiring(lifecycle, underlying, time);
  startListing(lifecycle, underlying, time);
  if (isWanted) requestRevaluation(lifecycle, underlying);
}
