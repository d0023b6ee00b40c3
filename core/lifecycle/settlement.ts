// Pays the positions of an expiry in bounded steps (decision 2.5). Rounding remainders pass to the next position, so the payouts of an
// instrument sum to exactly 0, each within a micro of its value. The rounding account keeps what a balance has no exact room for.

import { assert } from '../assert.ts';
import { CONTRACT } from '../units.ts';
import { MAX_PRICE } from '../limits.ts';
import { ENGINE_BUSY, INVALID_PRICE, NOT_PENDING_PRICE } from '../errors.ts';
import { touchPosition } from '../account-streams.ts';
import { SETTLEMENT_FEE } from '../settings.ts';
import { clampSafe, isSafe, mulDivFloor } from '../math/exact.ts';
import { DOUBLE_SETTLED_EXPIRY, DOUBLE_SETTLED_PRICE, WORD_SETTLED_UNDERLYING } from '../codec/commands.ts';
import { ACCOUNT, emit, INSTRUMENT_SETTLED, POSITION_SETTLED, SETTLED_CASH, SETTLED_COST, SETTLED_FEE, SETTLED_INSTRUMENT, SETTLED_NET,
  SETTLED_PAID, SETTLED_PAYOUT_ID, SETTLED_POSITION, SETTLED_PRICE, SETTLED_SLOTS, SETTLED_VALUE } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { FEES, payHouse, ROUNDING } from '../ledger/ledger.ts';
import { ACTIVE, EXPIRED_PENDING_PRICE, instrumentCount, settleInstrument } from '../instruments/instruments.ts';
import { closeIfEmpty, holdingRows } from '../positions/holdings.ts';
import { raiseVintage } from '../valuation/valuation.ts';
import { updateHolding } from '../margin/account-margin.ts';
import { feeOf } from '../margin/standard.ts';
import type { Lifecycle } from './lifecycle.ts';
import { writeInstrument } from './expiry.ts';
import { addPayout } from '../registry/payouts.ts';
import { priceContract, settledValue, writePrice, type Settlement } from './settlement-price.ts';
import { currentItem, FIRST, FOURTH, popWork, pushWork, SECOND, SETTLE, THIRD } from './work-queue.ts';

const UNDERLYING = FIRST;
const EXPIRY = SECOND;
const NEXT_ROW = THIRD;
const NEXT_SLOT = FOURTH;

const ROWS_A_STEP = 4_096;
const PAYOUTS_A_STEP = 256;

export function setSettlementPrice(lifecycle: Lifecycle, views: Views, at: number): void {
  const { instruments, result, valuation, work } = lifecycle;
  const underlying = views.u32[(at >>> 2) + WORD_SETTLED_UNDERLYING];
  const expiry = views.f64[(at >>> 3) + DOUBLE_SETTLED_EXPIRY];
  const price = views.f64[(at >>> 3) + DOUBLE_SETTLED_PRICE];
  if (!(price >= 1 && price <= MAX_PRICE && Math.floor(price) === price)) {
    result.code = INVALID_PRICE;
    return;
  }
  if (!isPending(lifecycle, underlying, expiry)) {
    result.code = NOT_PENDING_PRICE;
    return;
  }
  if (!pushWork(work, SETTLE, underlying, expiry)) {
    result.code = ENGINE_BUSY;
    return;
  }
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) {
    if (isUnsettled(lifecycle, slot, underlying, expiry)) priceContract(lifecycle, slot, price, price);
  }
  raiseVintage(valuation);
  writePrice(lifecycle, underlying, expiry, price, 0);
}

/** True if all of the expiry has expired, some is unsettled, and no price is known. */
function isPending(lifecycle: Lifecycle, underlying: number, expiry: number): boolean {
  const { instruments, settlement } = lifecycle;
  const rows = instrumentCount(instruments);
  let waits = false;
  for (let slot = 0; slot < rows; slot++) {
    if (instruments.underlying[slot] !== underlying || instruments.expiry[slot] !== expiry) continue;
    if (instruments.status[slot] === ACTIVE) return false;
    if (instruments.status[slot] === EXPIRED_PENDING_PRICE && settlement.price[slot] === 0) waits = true;
  }
  return waits;
}

function isUnsettled({ instruments }: Lifecycle, slot: number, underlying: number, expiry: number): boolean {
  return instruments.expiry[slot] === expiry && instruments.underlying[slot] === underlying
    && instruments.status[slot] === EXPIRED_PENDING_PRICE;
}

export function settlementStep(lifecycle: Lifecycle, time: number): void {
  const { holdings, instruments, work } = lifecycle;
  const { items } = work;
  const item = currentItem(work);
  const underlying = items[item + UNDERLYING];
  const expiry = items[item + EXPIRY];
  if (items[item + NEXT_ROW] < holdingRows(holdings)) {
    items[item + NEXT_ROW] = payRows(lifecycle, items[item + NEXT_ROW], underlying, expiry, time);
    return;
  }
  const end = Math.min(instrumentCount(instruments), items[item + NEXT_SLOT] + ROWS_A_STEP);
  assert(items[item + NEXT_SLOT] < end, 'settlement: a step continues where the last one ended');
  for (let slot = items[item + NEXT_SLOT]; slot < end; slot++) {
    if (isUnsettled(lifecycle, slot, underlying, expiry)) closeContract(lifecycle, slot);
  }
  items[item + NEXT_SLOT] = end;
  if (end >= instrumentCount(instruments)) popWork(work);
}

function payRows(lifecycle: Lifecycle, first: number, underlying: number, expiry: number, time: number): number {
  const { holdings } = lifecycle;
  const end = Math.min(holdingRows(holdings), first + ROWS_A_STEP);
  assert(first >= 0 && first < end, 'settlement: a step continues where the last one ended');
  let paid = 0;
  let row = first;
  for (; row < end && paid < PAYOUTS_A_STEP; row++) {
    if (holdings.position[row] === 0 || !isUnsettled(lifecycle, holdings.instrument[row], underlying, expiry)) continue;
    payPosition(lifecycle, row, time);
    paid++;
  }
  return row;
}

function payPosition(lifecycle: Lifecycle, row: number, time: number): void {
  const { accounts, events, holdings, instruments, ledger, payouts, settings, settlement, streams } = lifecycle;
  const account = holdings.account[row];
  const slot = holdings.instrument[row];
  const position = holdings.position[row];
  const cost = holdings.cost[row];
  const price = settlement.price[slot];
  assert(account >= 0 && position !== 0, 'settlement: a position is paid once');
  assert(price > 0, 'settlement: a contract is paid at a price');
  const each = settledValue(instruments, slot, price);
  const value = nextPayout(settlement, slot, position, each);
  const fee = feeOf(settings, SETTLEMENT_FEE, instruments.kind[slot], price, each, Math.abs(position));
  const paid = roomFor(accounts.cash[account], value);
  payHouse(ledger, accounts, account, ROUNDING, -paid);
  const charged = isSafe(fee) ? -roomFor(accounts.cash[account], -fee) : 0;
  payHouse(ledger, accounts, account, FEES, charged);
  holdings.position[row] = 0;
  holdings.cost[row] = 0;
  holdings.realized[row] = 0;
  holdings.updatedAt[row] = time;
  accounts.positions[account]--;
  assert(accounts.positions[account] >= 0, 'settlement: the count of positions is not negative');
  instruments.openInterest[slot] -= Math.max(0, position);
  const f = events.slots;
  f[ACCOUNT] = account;
  f[SETTLED_INSTRUMENT] = slot;
  f[SETTLED_PAYOUT_ID] = addPayout(payouts, account);
  f[SETTLED_POSITION] = position;
  f[SETTLED_PRICE] = price;
  f[SETTLED_VALUE] = value;
  f[SETTLED_COST] = cost;
  f[SETTLED_NET] = value - cost - charged;
  f[SETTLED_FEE] = charged;
  f[SETTLED_CASH] = accounts.cash[account];
  f[SETTLED_PAID] = paid;
  touchPosition(streams.accounts, account, slot, accounts.positions[account]);
  emit(events, POSITION_SETTLED, SETTLED_SLOTS);
  updateHolding(lifecycle, account, row);
  closeIfEmpty(holdings, accounts, row);
}

/** The rounded running value of all positions, minus that without this one. `rest`: its fraction of a micro. */
function nextPayout(settlement: Settlement, slot: number, position: number, value: number): number {
  const before = settlement.rest[slot];
  // position * value modulo CONTRACT, at least 0; exact, as both factors are below CONTRACT.
  const part = (position - Math.floor(position / CONTRACT) * CONTRACT) * (value % CONTRACT) % CONTRACT;
  const carry = before + part >= CONTRACT ? 1 : 0;
  const after = before + part - carry * CONTRACT;
  settlement.rest[slot] = after;
  assert(after >= 0 && after < CONTRACT, 'settlement: the rest is less than a micro');
  return clampSafe(mulDivFloor(position, value, CONTRACT) + carry + roundsUp(after) - roundsUp(before));
}

function roundsUp(rest: number): number {
  return 2 * rest >= CONTRACT ? 1 : 0;
}

function roomFor(cash: number, amount: number): number {
  return isSafe(cash + amount) ? amount : clampSafe(cash + amount) - cash;
}

function closeContract(lifecycle: Lifecycle, slot: number): void {
  const { instruments, settlement } = lifecycle;
  settleInstrument(instruments, slot);
  assert(settlement.rest[slot] === 0, 'settlement: the payouts of a contract add up to 0');
  settlement.rest[slot] = 0;
  writeInstrument(lifecycle, INSTRUMENT_SETTLED, slot);
}
