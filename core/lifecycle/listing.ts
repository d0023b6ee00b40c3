// Lists expiries by the calendar and strikes on a grid around spot (decision 2.2), in bounded steps as spot moves. Strikes are never
// removed.

import { DAY, MINUTE } from '../units.ts';
import { CALL, PERP, PUT } from '../codec/commands.ts';
import { INSTRUMENT_LISTED } from '../codec/events.ts';
import { addInstrument, findInstrument, instrumentRoom } from '../instruments/instruments.ts';
import { listedExpiries, MAX_LISTED_EXPIRIES } from '../instruments/calendar.ts';
import { strikeGrid } from '../instruments/strikes.ts';
import { underlyingCount } from '../instruments/underlyings.ts';
import { markNew } from '../valuation/marks.ts';
import { QUEUED } from '../valuation/valuation.ts';
import { forgetInstrument } from '../margin/account-margin.ts';
import { STEPS, type Lifecycle } from './lifecycle.ts';
import { noteExpiry, writeInstrument } from './expiry.ts';
import { currentItem, FIRST, FOURTH, LIST, popWork, pushWork, SECOND, THIRD } from './work-queue.ts';

const UNDERLYING = FIRST;
const SPOT = SECOND;
const NEXT_EXPIRY = THIRD;
const NEXT_STRIKE = FOURTH;

const STRIKES_A_STEP = 128;
const ADDED_A_STEP = 64;
const CHECK_EVERY = MINUTE;
const RETRY_AFTER = MINUTE / 60;

const scratch = { expiries: new Float64Array(MAX_LISTED_EXPIRIES), grid: { step: 0, low: 0, high: 0 } };

export function startListing(lifecycle: Lifecycle, underlying: number, time: number): void {
  const { schedule, valuation, work } = lifecycle;
  if (time < schedule.listing[underlying]) return;
  schedule.listing[underlying] = time + CHECK_EVERY;
  const spot = valuation.markIndex[underlying];
  schedule.spot[underlying] = spot;
  if (!isMissing(lifecycle, underlying, spot, time) || pushWork(work, LIST, underlying, spot)) return;
  schedule.listing[underlying] = time + RETRY_AFTER;
  schedule.spot[underlying] = 0;
}

/**
 * At once if the calendar has room, otherwise when the index has changed. Infinity: never, or marks are being made, which end with a check.
 */
export function listingDue({ schedule, valuation }: Lifecycle, underlying: number): number {
  if (valuation.index[underlying] === 0 || (valuation.pending[underlying] & QUEUED) !== 0) return Infinity;
  const isSeen = schedule.listing[underlying] !== 0 && valuation.markIndex[underlying] === schedule.spot[underlying];
  return isSeen ? Infinity : schedule.listing[underlying];
}

/** One row is reserved for the perp of each underlying that may still be added. */
export function optionRoom({ instruments, underlyings }: Lifecycle): number {
  return instrumentRoom(instruments) - (underlyings.capacity - underlyingCount(underlyings));
}

function isMissing(lifecycle: Lifecycle, underlying: number, spot: number, time: number): boolean {
  const { instruments } = lifecycle;
  const { expiries, grid } = scratch;
  if (optionRoom(lifecycle) < 2) return false;
  const count = listedExpiries(time, expiries);
  for (let i = 0; i < count; i++) {
    strikeGrid(spot, (expiries[i] - time) / DAY, stepOfExpiry(lifecycle, underlying, expiries[i]), grid);
    for (let strike = grid.low; strike <= grid.high; strike += grid.step) {
      if (findInstrument(instruments, underlying, expiries[i], strike, CALL) < 0) return true;
      if (findInstrument(instruments, underlying, expiries[i], strike, PUT) < 0) return true;
    }
  }
  return false;
}

export function listingStep(lifecycle: Lifecycle, time: number): void {
  const { work, instruments } = lifecycle;
  const { items } = work;
  const { expiries, grid } = scratch;
  const item = currentItem(work);
  const underlying = items[item + UNDERLYING];
  const count = listedExpiries(time, expiries);
  let added = 0;
  for (let looked = 0; looked < STRIKES_A_STEP && added < ADDED_A_STEP; looked++) {
    if (items[item + NEXT_EXPIRY] >= count || optionRoom(lifecycle) < 2) {
      popWork(work);
      return;
    }
    const expiry = expiries[items[item + NEXT_EXPIRY]];
    strikeGrid(items[item + SPOT], (expiry - time) / DAY, stepOfExpiry(lifecycle, underlying, expiry), grid);
    keepStep(lifecycle, underlying, expiry, grid.step, time);
    const strike = grid.low + grid.step * items[item + NEXT_STRIKE];
    if (strike > grid.high) {
      items[item + NEXT_EXPIRY]++;
      items[item + NEXT_STRIKE] = 0;
      continue;
    }
    items[item + NEXT_STRIKE]++;
    for (let kind = PUT; kind <= CALL; kind++) {
      if (findInstrument(instruments, underlying, expiry, strike, kind) >= 0) continue;
      listContract(lifecycle, underlying, expiry, strike, kind, time);
      added++;
    }
  }
}

/** 0 for a new expiry. All strikes of an expiry stay on one grid. */
function stepOfExpiry(lifecycle: Lifecycle, underlying: number, expiry: number): number {
  const { steps } = lifecycle.schedule;
  const end = (underlying + 1) * STEPS;
  for (let at = underlying * STEPS; at < end; at += 2) if (steps[at] === expiry) return steps[at + 1];
  return 0;
}

function keepStep(lifecycle: Lifecycle, underlying: number, expiry: number, step: number, time: number): void {
  const { steps } = lifecycle.schedule;
  const end = (underlying + 1) * STEPS;
  let free = -1;
  for (let at = underlying * STEPS; at < end; at += 2) {
    if (steps[at] === expiry) {
      steps[at + 1] = step;
      return;
    }
    if (steps[at] <= time) free = at;
  }
  if (free < 0) return;
  steps[free] = expiry;
  steps[free + 1] = step;
}

/** Never during a revaluation. The first mark uses index and time of the current marks. */
export function listContract(lifecycle: Lifecycle, underlying: number, expiry: number, strike: number, kind: number, time: number): void {
  const slot = addInstrument(lifecycle.instruments, underlying, expiry, strike, kind, time);
  clearSlot(lifecycle, slot);
  markNew(lifecycle.valuation, lifecycle.settings, slot, time);
  if (kind !== PERP) noteExpiry(lifecycle.schedule, expiry);
  writeInstrument(lifecycle, INSTRUMENT_LISTED, slot);
}

function clearSlot(lifecycle: Lifecycle, slot: number): void {
  const { settlement, streams, valuation } = lifecycle;
  valuation.mark[slot] = 0;
  valuation.theo[slot] = 0;
  valuation.sigma[slot] = 0;
  valuation.stale[slot] = 0;
  settlement.price[slot] = 0;
  streams.trades[slot] = 0;
  streams.books[slot] = 0;
  forgetInstrument(lifecycle, slot);
}

export function listPerp(lifecycle: Lifecycle, underlying: number, time: number): void {
  if (instrumentRoom(lifecycle.instruments) > 0) listContract(lifecycle, underlying, 0, 0, PERP, time);
}
