// The rules of extended orders (spec, extensions 1) up to the match. A plain order costs a compare of each term.

import { BUY, CONTRACT } from '../units.ts';
import { ORDER_EXPIRED, OK, TOO_LATE, DONE_ORDER_EXPIRED } from '../errors.ts';
import { DOUBLE_EXPIRES_AT, DOUBLE_VALID_UNTIL } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { EXPIRED_ORDERS_A_TICK, MAX_ORDER_AMOUNT } from '../limits.ts';
import { mulDivCeil } from '../math/exact.ts';
import { makerAfter } from '../book/matching.ts';
import { orderKey } from '../book/pool.ts';
import { LAST_KEY, priceKeyOf, priceOfKey } from '../book/price-key.ts';
import { firstExpiring, hasExpired } from '../orders/extended.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { removeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

/** Refuses a request that came too late, and an order whose time is over. */
export function refuseLate(views: Views, at: number, time: number): number {
  const double = at >>> 3;
  const validUntil = views.f64[double + DOUBLE_VALID_UNTIL];
  if (validUntil !== 0 && validUntil <= time) return TOO_LATE;
  const expiresAt = views.f64[double + DOUBLE_EXPIRES_AT];
  return expiresAt !== 0 && expiresAt <= time ? ORDER_EXPIRED : OK;
}

/** The first order that the candidate would trade with, 0 if none. Own orders count, the replaced one and ended ones do not. */
export function firstInTheWay(trading: Trading, replaced: number, time: number): number {
  const { books, candidate: { instrument, price, side } } = trading;
  const key = priceKeyOf(price);
  let slot = makerAfter(books, instrument, side, key, 0);
  while (slot !== 0 && (slot === replaced || pendingCancelReason(trading, slot, time) !== 0)) {
    slot = makerAfter(books, instrument, side, key, slot);
  }
  return slot;
}

/** Moves the candidate one price step behind the best opposite order. False if there is no valid price. */
export function slideCandidate(trading: Trading, replaced: number, time: number): boolean {
  const { books, candidate } = trading;
  const slot = firstInTheWay(trading, replaced, time);
  if (slot === 0) return true;
  const key = orderKey(books, slot) + (candidate.side === BUY ? -1 : 1);
  if (key < 1 || key > LAST_KEY) return false;
  candidate.price = priceOfKey(key);
  return mulDivCeil(candidate.price, candidate.size, CONTRACT) <= MAX_ORDER_AMOUNT;
}

/** Ends orders whose time is over, earliest first. The rest waits for the next tick; none of it trades. */
export function endExpired(trading: Trading, time: number): void {
  const { extended } = trading.orders;
  for (let left = EXPIRED_ORDERS_A_TICK; left > 0 && hasExpired(extended, time); left--) {
    removeOpenOrder(trading, firstExpiring(extended), DONE_ORDER_EXPIRED);
  }
}
