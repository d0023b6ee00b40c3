// Amends an order (spec, extensions 3). A smaller or equal size at the same price is set in place, unjudged. Any other change is judged as
// a replace of the order by itself, then enters anew. If it is refused, the order is exactly as it was.

import { assert } from '../assert.ts';
import { DONE_AMENDED, DONE_FILLED, NO_TRIGGER, OK, REDUCE_ONLY_INCREASES, TOO_LATE } from '../errors.ts';
import { DOUBLE_AMEND_UNTIL, DOUBLE_AMENDED_PRICE, DOUBLE_AMENDED_SIZE, DOUBLE_AMENDED_TRIGGER, FLAG_REDUCE_ONLY,
  WORD_AMENDED_ID } from '../codec/commands.ts';
import { ORDER_AMENDED, ORDER_DONE, ORDER_RESTED, ORDER_SHRUNK } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { closeIfEmpty } from '../positions/holdings.ts';
import { takerRemaining } from '../book/matching.ts';
import { orderAccount, orderId, orderInstrument, orderKey, orderRemaining, orderSide, setRemaining } from '../book/pool.ts';
import { priceKeyOf } from '../book/price-key.ts';
import { postOnlyOf } from '../orders/extended.ts';
import { holdingOf, isExtended, orderFlags, orderOriginal } from '../orders/orders.ts';
import { isUntriggered } from '../orders/untriggered.ts';
import { updateHolding } from '../margin/account-margin.ts';
import { amendWaiting } from './amend-waiting.ts';
import { findChangeable } from './cancel.ts';
import { clearTheWay } from './extended.ts';
import { judgeCandidate } from './judge.ts';
import { refuseClosed } from './modes.ts';
import { changeLifted, dropLifted, enterAgain, liftFromBook, reduceInPlace } from './move-order.ts';
import { reducible } from './reduce-only.ts';
import { removeOpenOrder, writeImage, writeOpenOrder } from './remove-order.ts';
import { liftOld, relinkOld, restoreOld } from './replace.ts';
import { readTermsOf, takeFromBook } from './taker.ts';
import type { Trading } from './context.ts';

export const PARTLY_FILLED = -1;

/**
 * Result: OK with order id, size that the amend filled, price in force and a DONE_ code (0: it rests unfilled, or PARTLY_FILLED); that of
 * `amendWaiting`; or a refusal. With an image of the order before.
 */
export function amendOrder(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { books, candidate, orders, result } = trading;
  const slot = findChangeable(trading, views, (at >>> 2) + WORD_AMENDED_ID, account, time);
  if (slot === 0) return;
  writeImage(trading, result, slot);
  const waits = isUntriggered(orders, slot);
  result.code = refuseRequest(views, at, waits, time);
  if (result.code !== OK) return;
  if (waits) return amendWaiting(trading, views, at, slot, time);
  const isJudged = readAmended(trading, views, at, slot);
  if (isJudged) {
    const postOnly = isExtended(orders, slot) ? postOnlyOf(orders.extended, slot) : 0;
    if (postOnly !== 0) clearTheWay(trading, slot, time);
    liftOld(trading, slot, account, candidate.row);
    result.code = judgeAmended(trading, slot, postOnly, time);
    if (result.code !== OK) return restoreOld(trading, slot, account, candidate.row);
    relinkOld(trading, slot, candidate.row);
  }
  result.numbers[0] = orderId(books, slot);
  result.numbers[2] = candidate.price;
  if (isJudged) enterAnew(trading, slot, time);
  else reduceOrEnd(trading, slot, time);
}

function refuseRequest({ f64 }: Views, at: number, waits: boolean, time: number): number {
  const double = at >>> 3;
  const validUntil = f64[double + DOUBLE_AMEND_UNTIL];
  if (validUntil !== 0 && validUntil <= time) return TOO_LATE;
  return waits || f64[double + DOUBLE_AMENDED_TRIGGER] === 0 ? OK : NO_TRIGGER;
}

/** The candidate is what would be left, cut to the position if reduce-only. True if it must be judged. */
export function readAmended(trading: Trading, views: Views, at: number, slot: number): boolean {
  const { books, candidate, holdings, orders } = trading;
  const double = at >>> 3;
  const row = holdingOf(orders, slot);
  const side = orderSide(books, slot);
  const left = views.f64[double + DOUBLE_AMENDED_SIZE] - (orderOriginal(orders, slot) - orderRemaining(books, slot));
  const isReduceOnly = (orderFlags(orders, slot) & FLAG_REDUCE_ONLY) !== 0;
  candidate.account = orderAccount(books, slot);
  candidate.instrument = orderInstrument(books, slot);
  candidate.row = row;
  candidate.side = side;
  candidate.price = views.f64[double + DOUBLE_AMENDED_PRICE];
  candidate.size = isReduceOnly ? Math.min(left, reducible(holdings.position[row], side)) : left;
  if (left <= 0) return false;
  return candidate.size > orderRemaining(books, slot) || priceKeyOf(candidate.price) !== orderKey(books, slot);
}

function judgeAmended(trading: Trading, slot: number, postOnly: number, time: number): number {
  const { candidate, orders } = trading;
  const closed = refuseClosed(trading, time);
  if (closed !== OK) return closed;
  if (candidate.size === 0) return REDUCE_ONLY_INCREASES;
  return judgeCandidate(trading, orderFlags(orders, slot), postOnly, slot, time);
}

function reduceOrEnd(trading: Trading, slot: number, time: number): void {
  const { books, candidate: { account, row, size }, orders, result } = trading;
  if (size <= 0) {
    result.numbers[3] = DONE_AMENDED;
    removeOpenOrder(trading, slot, DONE_AMENDED);
    return;
  }
  result.numbers[3] = orderOriginal(orders, slot) > orderRemaining(books, slot) ? PARTLY_FILLED : 0;
  if (size < orderRemaining(books, slot)) {
    reduceInPlace(trading, slot, size, time);
    writeOpenOrder(trading, ORDER_SHRUNK, slot, size);
    updateHolding(trading, account, row);
  }
}

/** The margin sums are those without the order. */
function enterAnew(trading: Trading, slot: number, time: number): void {
  const { accounts, books, candidate, holdings, orders, result } = trading;
  const { account, price, row, size } = candidate;
  const key = priceKeyOf(price);
  assert(size > 0, 'amend: an order that enters anew has a size');
  liftFromBook(trading, slot);
  changeLifted(trading, slot, key, size, time);
  writeOpenOrder(trading, ORDER_AMENDED, slot, size);
  readTermsOf(trading, slot);
  const { hasMet, stopped } = takeFromBook(trading, orderId(books, slot), orderFlags(orders, slot), key, time);
  const left = takerRemaining(books);
  setRemaining(books, slot, left);
  if (hasMet) updateHolding(trading, account, row);
  result.numbers[1] = size - left;
  if (left > 0 && stopped === 0) {
    enterAgain(trading, slot, key, left, time);
    result.numbers[3] = orderOriginal(orders, slot) > left ? PARTLY_FILLED : 0;
    writeOpenOrder(trading, ORDER_RESTED, slot, left);
    return;
  }
  result.numbers[3] = left === 0 ? DONE_FILLED : stopped;
  writeOpenOrder(trading, ORDER_DONE, slot, result.numbers[3]);
  dropLifted(trading, slot);
  updateHolding(trading, account, row);
  closeIfEmpty(holdings, accounts, row);
}
