// Reduce-only orders never open or flip a position (decision 3.10). One is cut to its position, shrinks with it, keeps its priority, and is
// cancelled at 0. Whoever changes a position must call `fitReduceOnly` before anything else trades. Callers call `updateHolding`.

import { BUY } from '../units.ts';
import { DONE_NOTHING_TO_REDUCE, OK, TOO_MANY_REDUCE_ONLY } from '../errors.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { ORDER_SHRUNK } from '../codec/events.ts';
import { REDUCE_ONLY_PER_HOLDING } from '../limits.ts';
import { repriceOrder } from '../book/books.ts';
import { orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { holdingOf, lowerOriginal, olderOrder, orderFlags, reduceOnlyOrders, youngerReduceOnly } from '../orders/orders.ts';
import { awaitsEntry } from '../orders/extended.ts';
import { isReduceOnlyTrigger, isUntriggered, reduceOnlyTriggers, stillOlder } from '../orders/untriggered.ts';
import { reduceInPlace } from './move-order.ts';
import { withdrawOrder, writeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

export function reducible(position: number, side: number): number {
  return side === BUY ? Math.max(0, -position) : Math.max(0, position);
}

export function refuseManyReduceOnly({ candidate, holdings, orders }: Trading, replaced: number): number {
  if (candidate.row < 0) return OK;
  const replacesOne = replaced !== 0 && holdingOf(orders, replaced) === candidate.row
    && (orderFlags(orders, replaced) & FLAG_REDUCE_ONLY) !== 0;
  const all = reduceOnlyOrders(orders, holdings, candidate.row) + reduceOnlyTriggers(orders, holdings, candidate.row);
  return all - (replacesOne ? 1 : 0) >= REDUCE_ONLY_PER_HOLDING ? TOO_MANY_REDUCE_ONLY : OK;
}

export function fitReduceOnly(trading: Trading, holding: number): void {
  const { books, holdings, orders } = trading;
  let slot = holdings.reduceOnly[holding];
  while (slot !== 0) {
    const next = youngerReduceOnly(orders, slot);
    const most = reducible(holdings.position[holding], orderSide(books, slot));
    if (most === 0) withdrawOrder(trading, slot, DONE_NOTHING_TO_REDUCE);
    else if (orderRemaining(books, slot) > most) shrinkOrder(trading, slot, most, holdings.updatedAt[holding]);
    slot = next;
  }
}

/** Ends waiting reduce-only orders that could reduce the position `before` and now cannot, except for a position to come. */
export function fitTriggers(trading: Trading, holding: number, before: number): void {
  const { books, holdings, orders } = trading;
  for (let slot = holdings.triggers[holding]; slot !== 0;) {
    const older = olderOrder(orders, slot);
    const side = orderSide(books, slot);
    const isOver = reducible(before, side) > 0 && reducible(holdings.position[holding], side) === 0;
    if (isOver && isReduceOnlyTrigger(orders, slot) && !awaitsEntry(orders.extended, slot)) {
      withdrawOrder(trading, slot, DONE_NOTHING_TO_REDUCE);
    }
    slot = stillOlder(orders, holdings, holding, older);
  }
}

export function shrinkOrder(trading: Trading, slot: number, size: number, time: number): void {
  const { books, orders } = trading;
  if (isUntriggered(orders, slot)) {
    const before = orderRemaining(books, slot);
    repriceOrder(books, slot, orderKey(books, slot), size);
    lowerOriginal(orders, slot, before - size, time);
  } else reduceInPlace(trading, slot, size, time);
  writeOpenOrder(trading, ORDER_SHRUNK, slot, size);
}
