// Expiry at 08:00 UTC (decision 2.5): open orders are cancelled in bounded steps; the instrument waits for its price as
// EXPIRED_PENDING_PRICE. Orders are refused from the instant itself.

import { assert } from '../assert.ts';
import { DONE_EXPIRED } from '../errors.ts';
import { emit, INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, INSTRUMENT_EXPIRY, INSTRUMENT_ID, INSTRUMENT_KIND, INSTRUMENT_LISTED,
  INSTRUMENT_SETTLED, INSTRUMENT_SLOTS, INSTRUMENT_STRIKE, INSTRUMENT_UNDERLYING } from '../codec/events.ts';
import { PERP } from '../codec/commands.ts';
import { countMarket } from '../streams.ts';
import { DELETED, EXPIRED_PENDING_PRICE, instrumentCount, isUnexpired, settleInstrument } from '../instruments/instruments.ts';
import { firstOrder } from '../book/books.ts';
import { firstTriggerOf } from '../orders/triggers.ts';
import { raiseVintage } from '../valuation/valuation.ts';
import { removeOpenOrder } from '../trading/remove-order.ts';
import type { Lifecycle, Schedule } from './lifecycle.ts';
import { decidePrice, endWindow, priceContract, sampleIndex } from './settlement-price.ts';
import { currentItem, EXPIRE, FIRST, isIdle, ORDERS_A_STEP, popWork, pushWork, SECOND, SETTLE, THIRD } from './work-queue.ts';

const UNDERLYING = FIRST;
const EXPIRY = SECOND;
const NEXT_SLOT = THIRD;

const ROWS_A_STEP = 2_048;

export function noteExpiry(schedule: Schedule, expiry: number): void {
  if (schedule.next[0] === 0 || expiry < schedule.next[0]) schedule.next[0] = expiry;
}

export function nextExpiry(schedule: Schedule): number {
  return schedule.next[0];
}

/** Infinity: nothing is listed, or the work queue is busy. */
export function expiryDue({ schedule, work }: Lifecycle): number {
  return schedule.next[0] === 0 || !isIdle(work) ? Infinity : schedule.next[0];
}

export function startExpiries(lifecycle: Lifecycle, time: number): void {
  const { instruments, schedule, work } = lifecycle;
  const due = schedule.next[0];
  sampleIndex(lifecycle, due, time);
  if (expiryDue(lifecycle) > time) return;
  let found = 0;
  let next = 0;
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) {
    if (!isUnexpired(instruments, slot)) continue;
    const expiry = instruments.expiry[slot];
    if (expiry === due) found |= 1 << instruments.underlying[slot];
    else if (expiry > due && (next === 0 || expiry < next)) next = expiry;
  }
  for (let underlying = 0; underlying < schedule.listing.length; underlying++) {
    if ((found & (1 << underlying)) === 0) continue;
    if (!pushWork(work, EXPIRE, underlying, due)) return;
    decidePrice(lifecycle, underlying, due);
    schedule.listing[underlying] = 0;
  }
  schedule.next[0] = next;
  endWindow(lifecycle);
}

export function expiryStep(lifecycle: Lifecycle): void {
  const { instruments, settlement, work } = lifecycle;
  const item = currentItem(work);
  const { items } = work;
  const underlying = items[item + UNDERLYING];
  const rows = instrumentCount(instruments);
  let orders = 0;
  raiseVintage(lifecycle.valuation);
  for (let looked = 0; looked < ROWS_A_STEP; looked++) {
    const slot = items[item + NEXT_SLOT];
    if (slot >= rows) {
      const expiry = items[item + EXPIRY];
      popWork(work);
      if (settlement.decided[underlying] > 0) pushWork(work, SETTLE, underlying, expiry);
      return;
    }
    if (instruments.underlying[slot] === underlying && instruments.expiry[slot] === items[item + EXPIRY]
      && isUnexpired(instruments, slot)) {
      orders += cancelSome(lifecycle, slot, ORDERS_A_STEP - orders, DONE_EXPIRED);
      if (orders >= ORDERS_A_STEP) return;
      if (instruments.status[slot] === DELETED) settleInstrument(instruments, slot);
      else expire(lifecycle, slot, underlying);
    }
    items[item + NEXT_SLOT]++;
  }
}

function expire(lifecycle: Lifecycle, slot: number, underlying: number): void {
  const { instruments, settlement } = lifecycle;
  assert(!hasOrders(lifecycle, slot), 'expiry: a contract that expires has an empty book');
  instruments.status[slot] = EXPIRED_PENDING_PRICE;
  priceContract(lifecycle, slot, settlement.decided[underlying], settlement.provisional[underlying]);
  writeInstrument(lifecycle, INSTRUMENT_EXPIRED, slot);
}

export function hasOrders({ books, orders }: Lifecycle, instrument: number): boolean {
  return firstOrder(books, instrument) !== 0 || firstTriggerOf(orders.triggers, instrument) !== 0;
}

export function cancelSome(lifecycle: Lifecycle, instrument: number, most: number, reason: number): number {
  let count = 0;
  for (; count < most; count++) {
    const slot = firstOrder(lifecycle.books, instrument) || firstTriggerOf(lifecycle.orders.triggers, instrument);
    if (slot === 0) break;
    removeOpenOrder(lifecycle, slot, reason);
  }
  return count;
}

export function writeInstrument(
  lifecycle: Lifecycle,
  kind: typeof INSTRUMENT_DELETED | typeof INSTRUMENT_EXPIRED | typeof INSTRUMENT_LISTED | typeof INSTRUMENT_SETTLED, slot: number,
): void {
  const { events, instruments, streams } = lifecycle;
  if (kind !== INSTRUMENT_SETTLED && instruments.kind[slot] !== PERP) countMarket(streams, instruments.underlying[slot]);
  const f = events.slots;
  f[INSTRUMENT] = slot;
  f[INSTRUMENT_ID] = instruments.id[slot];
  f[INSTRUMENT_UNDERLYING] = instruments.underlying[slot];
  f[INSTRUMENT_EXPIRY] = instruments.expiry[slot];
  f[INSTRUMENT_STRIKE] = instruments.strike[slot];
  f[INSTRUMENT_KIND] = instruments.kind[slot];
  emit(events, kind, INSTRUMENT_SLOTS);
}
