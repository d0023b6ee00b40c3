// Replaces an order: cancel and place in one command (decision 3.8). The new order is checked as if the old one were gone; if it is
// refused, nothing changes.

import { assert } from '../assert.ts';
import { DONE_REPLACED, OK } from '../errors.ts';
import { WORD_REPLACED_ID } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { closeIfEmpty } from '../positions/holdings.ts';
import { orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { holdingOf, liftOrder, putBack } from '../orders/orders.ts';
import { isUntriggered } from '../orders/untriggered.ts';
import { moveReserve, updateHolding } from '../margin/account-margin.ts';
import { findChangeable } from './cancel.ts';
import { passEntry, settleEntry } from './groups.ts';
import { executeOrder, judgeOrder, removeEnded } from './place.ts';
import { withdrawOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

/**
 * Result: as `placeOrder`, or as a cancel that found no order. An old order that waits for its cancel is NOT_OPEN, or it would live on in
 * the new one.
 */
export function replaceOrder(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { accounts, candidate, holdings, orders, result } = trading;
  const old = findChangeable(trading, views, (at >>> 2) + WORD_REPLACED_ID, account, time);
  if (old === 0) return;
  removeEnded(trading, views, at, account, time, old);
  const holding = holdingOf(orders, old);
  liftOld(trading, old, account, holding);
  result.code = judgeOrder(trading, views, at, account, time, old);
  restoreOld(trading, old, account, holding);
  assert(holdingOf(orders, old) === holding, 'replace: a check leaves the old order in its holding');
  if (result.code !== OK) return;
  const passes = passEntry(trading, views, at, old);
  withdrawOrder(trading, old, DONE_REPLACED);
  updateHolding(trading, account, holding);
  if (holding !== candidate.row) closeIfEmpty(holdings, accounts, holding);
  executeOrder(trading, views, at, time);
  if (passes) settleEntry(trading, views, at);
}

/** Takes it out of its holding's sums. Follow with `restoreOld`. */
export function liftOld(trading: Trading, slot: number, account: number, holding: number): void {
  const { books, holdings, orders } = trading;
  if (isUntriggered(orders, slot)) return;
  liftOrder(orders, holdings, slot);
  moveReserve(trading, holding, orderSide(books, slot), priceOfKey(orderKey(books, slot)), orderRemaining(books, slot), 0);
  updateHolding(trading, account, holding);
}

export function restoreOld(trading: Trading, slot: number, account: number, holding: number): void {
  if (isUntriggered(trading.orders, slot)) return;
  relinkOld(trading, slot, holding);
  updateHolding(trading, account, holding);
}

/** As `restoreOld`, but the margin sums stay those without the order. */
export function relinkOld(trading: Trading, slot: number, holding: number): void {
  const { books, holdings, orders } = trading;
  putBack(orders, holdings, slot);
  moveReserve(trading, holding, orderSide(books, slot), priceOfKey(orderKey(books, slot)), 0, orderRemaining(books, slot));
}
