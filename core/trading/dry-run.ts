// Tells whether a fill-or-kill order would fill, by trying all fills without moving anything. The book may show more than it can get: own
// orders, pending cancels, reduce-only orders beyond their position, accounts without margin, triggered protections. A taker whose own
// protection triggers still loses its remainder.

import { assert } from '../assert.ts';
import { BUY } from '../units.ts';
import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, STP_CANCEL_MAKER } from '../codec/commands.ts';
import { int32 } from '../columns.ts';
import { LINKED_ORDERS } from '../limits.ts';
import { canFill, makerAfter } from '../book/matching.ts';
import { orderAccount, orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { isOfLink, linkedOrders, linkLength, linkOf } from '../orders/extended.ts';
import { holdingOf, isExtended, orderFlags } from '../orders/orders.ts';
import { MAKER_FEE } from '../settings.ts';
import { isCovered } from '../margin/account-margin.ts';
import { canLose, countedLoss, freedByLeaving, leastReserve, losesAtMost, type Candidate } from '../margin/order-check.ts';
import { findMmp, isFrozen, settleWindow, wouldExceed } from '../mmp/mmp.ts';
import { deltaOf, vegaOf } from '../valuation/valuation.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { greekOf, takesPartInMmp } from './protection.ts';
import { reducible } from './reduce-only.ts';
import { isUncovered } from './fill.ts';
import { LINKED, MET, DRY_RUN_SUMS, type DryRun, type Trading } from './context.ts';

/** Micros that rounding may take from an account's equity in one fill. */
const ROUNDING = 2;

const scratch = {
  slots: int32(LINKED_ORDERS + 1), link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 },
};

export function wouldFill(trading: Trading, key: number, time: number): boolean {
  const { books, candidate } = trading;
  const { account, instrument, side, size } = candidate;
  assert(trading.dryRun.counters[MET] === 0, 'dry run: the scratch memory is clear');
  if (!canFill(books, instrument, side, key, size, account)) return false;
  let need = size;
  for (let slot = makerAfter(books, instrument, side, key, 0); slot !== 0; slot = makerAfter(books, instrument, side, key, slot)) {
    if (stopsAt(trading, slot, size - need, time)) {
      need = Infinity;
      break;
    }
    need -= tryMaker(trading, candidate, slot, need, time);
    assert(need >= 0, 'dry run: a maker fills at most the wanted size');
    if (need <= 0) break;
  }
  clearDryRun(trading, trading.instruments.underlying[instrument]);
  return need <= 0;
}

/** True if the candidate, filled so far, would stop at this order of its own wallet. A link may have used the order up. */
function stopsAt(trading: Trading, slot: number, filled: number, time: number): boolean {
  const { books, candidate, orders, taker } = trading;
  if (taker.stp === STP_CANCEL_MAKER || orderAccount(books, slot) !== candidate.account) return false;
  const isLinked = taker.link.length !== 0 && isExtended(orders, slot) && isOfLink(orders.extended, books, slot, taker.link);
  if (isLinked && orderRemaining(books, slot) <= filled) return false;
  return pendingCancelReason(trading, slot, time) === 0;
}

function tryMaker(trading: Trading, candidate: Candidate, slot: number, most: number, time: number): number {
  const { books, holdings, orders, dryRun } = trading;
  const account = orderAccount(books, slot);
  const holding = holdingOf(orders, slot);
  const flags = orderFlags(orders, slot);
  // First, because such an account may own the rest of the book.
  if (dryRun.triggered[holding] !== 0 && (flags & FLAG_MMP_OPT_OUT) === 0) return 0;
  if (account === candidate.account) return 0;
  if (pendingCancelReason(trading, slot, time) !== 0) return tryCancel(trading, account, slot);
  const isLinked = isExtended(orders, slot) && linkLength(orders.extended, slot) !== 0;
  const left = orderRemaining(books, slot) - (isLinked ? givenByLink(trading, slot) : 0);
  let size = Math.min(most, Math.max(0, left));
  if ((flags & FLAG_REDUCE_ONLY) !== 0) {
    const held = reducible(holdings.position[holding], 1 - candidate.side);
    size = Math.min(size, Math.max(0, held - dryRun.taken[holding]));
  }
  if (size === 0) return 0;
  if (!tryMargin(trading, account, slot, 1 - candidate.side, size)) return tryCancel(trading, account, slot);
  const underlying = trading.instruments.underlying[candidate.instrument];
  noteHolding(dryRun, holding);
  dryRun.taken[holding] += size;
  if (isLinked) noteLinked(dryRun, slot, size);
  if (takesPartInMmp(trading, account, underlying, flags)) countMmpFill(trading, candidate, holding, underlying, size, time);
  return size;
}

/** What fills of linked orders would have taken off the order. */
function givenByLink({ books, dryRun, orders }: Trading, slot: number): number {
  const count = linkedOrders(orders.extended, books, linkOf(orders.extended, books, slot, scratch.link), scratch.slots);
  let given = 0;
  for (let i = 0; i < count; i++) if (scratch.slots[i] !== slot) given += dryRun.given[scratch.slots[i]];
  return given;
}

function noteLinked({ counters, given, linked }: DryRun, slot: number, size: number): void {
  linked[counters[LINKED]++] = slot;
  given[slot] = size;
}

function noteHolding({ counters, gone, met, taken }: DryRun, holding: number): void {
  if (taken[holding] === 0 && gone[holding] === 0) met[counters[MET]++] = holding;
}

function tryCancel(trading: Trading, account: number, slot: number): number {
  const { books, orders, dryRun } = trading;
  const holding = holdingOf(orders, slot);
  noteHolding(dryRun, holding);
  dryRun.gone[holding] += orderRemaining(books, slot);
  dryRun.spared[holding] += leastReserve(trading, account, holding, orderSide(books, slot), priceOfKey(orderKey(books, slot)),
    orderRemaining(books, slot));
  return 0;
}

/**
 * Never more generous than `makerMayFill`. Without margin the effect of earlier fills is unknown, so they count as having used up all
 * equity. Rounding: up to two micros per order.
 */
function tryMargin(trading: Trading, account: number, slot: number, side: number, size: number): boolean {
  const { accounts, books, holdings, orders, dryRun } = trading;
  const holding = holdingOf(orders, slot);
  const instrument = holdings.instrument[holding];
  const taken = dryRun.taken[holding];
  const position = holdings.position[holding];
  const held = side === BUY ? position + taken : position - taken;
  if (isUncovered(trading, account, side, held, size)) return false;
  const rounding = taken === 0 ? 0 : ROUNDING * accounts.openOrders[account];
  const freed = dryRun.gone[holding] === 0 ? 0
    : dryRun.spared[holding] + freedByLeaving(trading, account, holding, side, dryRun.gone[holding]);
  if (isCovered(trading, account, countedLoss(trading, account, instrument, position, held) + rounding - freed)) return true;
  if (size > reducible(held, side)) return false;
  const trade = { instrument, side, price: priceOfKey(orderKey(books, slot)), size };
  return taken === 0 ? canLose(trading, account, MAKER_FEE, trade) : losesAtMost(trading, 0, 0, MAKER_FEE, trade);
}

function countMmpFill(
  trading: Trading, { instrument, side }: Candidate, holding: number, underlying: number, size: number, time: number,
): void {
  const { holdings, mmp, dryRun, valuation } = trading;
  const { counted } = dryRun;
  const row = findMmp(mmp, holdings.account[holding], underlying);
  if (isFrozen(mmp, row, time)) return;
  const sums = row * DRY_RUN_SUMS;
  if (counted[sums] === 0) settleWindow(mmp, row, time);
  const signed = side === BUY ? -size : size;
  counted[sums] += size;
  counted[sums + 1] += greekOf(signed, deltaOf(valuation, instrument));
  counted[sums + 2] += greekOf(signed, vegaOf(valuation, instrument));
  dryRun.triggered[holding] = wouldExceed(mmp, row, counted[sums], counted[sums + 1], counted[sums + 2]) ? 1 : 0;
}

function clearDryRun({ holdings, mmp, dryRun }: Trading, underlying: number): void {
  const { counted, counters, given, gone, linked, met, spared, taken, triggered } = dryRun;
  for (let i = 0; i < counters[LINKED]; i++) given[linked[i]] = 0;
  counters[LINKED] = 0;
  for (let i = 0; i < counters[MET]; i++) {
    const holding = met[i];
    taken[holding] = 0;
    gone[holding] = 0;
    spared[holding] = 0;
    triggered[holding] = 0;
    const row = findMmp(mmp, holdings.account[holding], underlying);
    if (row >= 0) counted.fill(0, row * DRY_RUN_SUMS, (row + 1) * DRY_RUN_SUMS);
  }
  counters[MET] = 0;
}
