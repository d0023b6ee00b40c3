// The rules of extended orders (spec, extensions 1) up to the match. A plain order costs a compare of each term.

import { BUY } from '../units.ts';
import { ORDER_EXPIRED, OK, TOO_LATE, DONE_ORDER_EXPIRED } from '../errors.ts';
import { DOUBLE_EXPIRES_AT, DOUBLE_VALID_UNTIL } from '../codec/commands.ts';
import { isAmountTooLarge } from '../codec/decimal.ts';
import type { Views } from '../codec/record.ts';
import { EXPIRED_ORDERS_A_TICK } from '../limits.ts';
import { makerAfter } from '../book/matching.ts';
import { orderKey } from '../book/pool.ts';
import { LAST_KEY, priceKeyOf, priceOfKey } from '../book/price-key.ts';
import { firstExpiring, hasExpired } from '../orders/extended.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { removeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

export function refuseLate(views: Views, at: number, time: number): number {
  const double = at >>> 3;
  const validUntil = views.f64[double + DOUBLE_VALID_UNTIL];
  if (validUntil !== 0 && validUntil <= time) return TOO_LATE;
  const expiresAt = views.f64[double + DOUBLE_EXPIRES_AT];
  return expiresAt !== 0 && expiresAt <= time ? ORDER_EXPIRED : OK;
}

/**
 * Removes ended orders before the first that the candidate would trade with. The candidate's row may go with them. `replaced`: as below.
 */
export function clearTheWay(trading: Trading, replaced: number, time: number): void {
  const { books, candidate: { instrument, price, side } } = trading;
  const key = priceKeyOf(price);
  let kept = 0;
  for (let slot = makerAfter(books, instrument, side, key, 0); slot !== 0; slot = makerAfter(books, instrument, side, key, kept)) {
    const ending = slot === replaced ? 0 : pendingCancelReason(trading, slot, time);
    if (ending !== 0) removeOpenOrder(trading, slot, ending);
    else if (slot === replaced) kept = slot;
    else return;
  }
}

/** The first order that the candidate would trade with, 0 if none. Own orders count, the replaced one does not. */
export function firstInTheWay({ books, candidate: { instrument, price, side } }: Trading, replaced: number): number {
  const key = priceKeyOf(price);
  const first = makerAfter(books, instrument, side, key, 0);
  return first !== 0 && first === replaced ? makerAfter(books, instrument, side, key, first) : first;
}

/** Moves the price to one step behind the best opposite price. False if there is no valid price. */
export function slideCandidate(trading: Trading, replaced: number): boolean {
  const { books, candidate } = trading;
  const slot = firstInTheWay(trading, replaced);
  if (slot === 0) return true;
  const key = orderKey(books, slot) + (candidate.side === BUY ? -1 : 1);
  if (key < 1 || key > LAST_KEY) return false;
  candidate.price = priceOfKey(key);
  return !isAmountTooLarge(candidate.price, candidate.size);
}

/** Earliest first. The rest waits for the next tick and does not trade. */
export function endExpired(trading: Trading, time: number): void {
  const { extended } = trading.orders;
  for (let left = EXPIRED_ORDERS_A_TICK; left > 0 && hasExpired(extended, time); left--) {
    removeOpenOrder(trading, firstExpiring(extended), DONE_ORDER_EXPIRED);
  }
}
