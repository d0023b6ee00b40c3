// Options that the operator lists or deletes (decision 5.5). A deleted market has no open interest; its open orders are cancelled in
// bounded steps. Its row and id stay until expiry, so that the calendar does not list it again.

import { DONE_MARKET_DELETED, ENGINE_BUSY, INVALID_MARKET, MARKET_EXISTS, MARKET_NOT_LISTED, OK, OPEN_INTEREST,
  UNKNOWN_UNDERLYING } from '../errors.ts';
import { MAX_PRICE, MOST_DAYS_AHEAD } from '../limits.ts';
import { CALL, DOUBLE_MARKET_EXPIRY, DOUBLE_MARKET_STRIKE, PUT, WORD_MARKET_KIND, WORD_MARKET_UNDERLYING } from '../codec/commands.ts';
import { INSTRUMENT_DELETED, INSTRUMENT_LISTED } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { dayOfTime, expiryOfDay } from '../instruments/calendar.ts';
import { ACTIVE, DELETED, findInstrument } from '../instruments/instruments.ts';
import { underlyingCount } from '../instruments/underlyings.ts';
import { hasRowFor } from '../valuation/surface.ts';
import { markNew } from '../valuation/marks.ts';
import { forgetInstrument } from '../margin/account-margin.ts';
import type { Lifecycle } from './lifecycle.ts';
import { cancelSome, hasOrders, writeInstrument } from './expiry.ts';
import { listContract, optionRoom } from './listing.ts';
import { ADD_MARKET, CLEAR_MARKET, currentItem, FIRST, FOURTH, ORDERS_A_STEP, popWork, pushWork, SECOND, THIRD } from './work-queue.ts';

/** Queued, because no contract may appear while marks are being made. */
export function listMarket(lifecycle: Lifecycle, views: Views, at: number, time: number): void {
  const { result, work } = lifecycle;
  const { f64, u32 } = views;
  const underlying = u32[(at >>> 2) + WORD_MARKET_UNDERLYING];
  const expiry = f64[(at >>> 3) + DOUBLE_MARKET_EXPIRY];
  const strike = f64[(at >>> 3) + DOUBLE_MARKET_STRIKE];
  const kind = u32[(at >>> 2) + WORD_MARKET_KIND];
  result.code = marketFault(lifecycle, underlying, expiry, strike, kind, time);
  if (result.code === OK) result.code = roomFault(lifecycle, underlying, expiry, strike, kind, time);
  if (result.code === OK && !pushWork(work, ADD_MARKET, underlying, expiry, strike, kind)) result.code = ENGINE_BUSY;
}

function marketFault({ underlyings }: Lifecycle, underlying: number, expiry: number, strike: number, kind: number, time: number): number {
  if (underlying >= underlyingCount(underlyings)) return UNKNOWN_UNDERLYING;
  const isDated = expiry > time && expiry === expiryOfDay(dayOfTime(expiry)) && dayOfTime(expiry) <= dayOfTime(time) + MOST_DAYS_AHEAD;
  const isStruck = strike >= 1 && strike <= MAX_PRICE && Math.floor(strike) === strike;
  return (kind === PUT || kind === CALL) && isDated && isStruck ? OK : INVALID_MARKET;
}

function roomFault(lifecycle: Lifecycle, underlying: number, expiry: number, strike: number, kind: number, time: number): number {
  const { instruments, valuation } = lifecycle;
  const slot = findInstrument(instruments, underlying, expiry, strike, kind);
  if (slot >= 0 && instruments.status[slot] !== DELETED) return MARKET_EXISTS;
  if (slot >= 0) return hasOrders(lifecycle, slot) ? ENGINE_BUSY : OK;
  return optionRoom(lifecycle) > 0 && hasRowFor(valuation.surface, underlying, expiry, time) ? OK : ENGINE_BUSY;
}

export function addMarketStep(lifecycle: Lifecycle, time: number): void {
  const { instruments, settings, valuation, work } = lifecycle;
  const { items } = work;
  const item = currentItem(work);
  const underlying = items[item + FIRST];
  const expiry = items[item + SECOND];
  const strike = items[item + THIRD];
  const kind = items[item + FOURTH];
  popWork(work);
  if (expiry <= time || roomFault(lifecycle, underlying, expiry, strike, kind, time) !== OK) return;
  const slot = findInstrument(instruments, underlying, expiry, strike, kind);
  if (slot < 0) {
    listContract(lifecycle, underlying, expiry, strike, kind, time);
    return;
  }
  instruments.status[slot] = ACTIVE;
  markNew(valuation, settings, slot, time);
  forgetInstrument(lifecycle, slot);
  writeInstrument(lifecycle, INSTRUMENT_LISTED, slot);
}

export function deleteMarket(lifecycle: Lifecycle, views: Views, at: number): void {
  const { instruments, result, work } = lifecycle;
  const kind = views.u32[(at >>> 2) + WORD_MARKET_KIND];
  const slot = kind === PUT || kind === CALL ? findSlot(lifecycle, views, at) : -1;
  // An expired contract may still have positions to pay (decision 5.5).
  if (slot >= 0 && instruments.openInterest[slot] !== 0) result.code = OPEN_INTEREST;
  else if (slot < 0 || instruments.status[slot] !== ACTIVE) result.code = MARKET_NOT_LISTED;
  else if (!pushWork(work, CLEAR_MARKET, slot, instruments.id[slot])) result.code = ENGINE_BUSY;
  if (result.code !== OK) return;
  instruments.status[slot] = DELETED;
  result.numbers[0] = instruments.id[slot];
  writeInstrument(lifecycle, INSTRUMENT_DELETED, slot);
}

function findSlot({ instruments }: Lifecycle, views: Views, at: number): number {
  return findInstrument(
    instruments, views.u32[(at >>> 2) + WORD_MARKET_UNDERLYING], views.f64[(at >>> 3) + DOUBLE_MARKET_EXPIRY],
    views.f64[(at >>> 3) + DOUBLE_MARKET_STRIKE], views.u32[(at >>> 2) + WORD_MARKET_KIND],
  );
}

export function clearMarketStep(lifecycle: Lifecycle): void {
  const { instruments, work } = lifecycle;
  const item = currentItem(work);
  const slot = work.items[item + FIRST];
  const isDeleted = instruments.id[slot] === work.items[item + SECOND] && instruments.status[slot] === DELETED;
  if (isDeleted) cancelSome(lifecycle, slot, ORDERS_A_STEP, DONE_MARKET_DELETED);
  if (!isDeleted || !hasOrders(lifecycle, slot)) popWork(work);
}
