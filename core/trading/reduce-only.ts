// Reduce-only orders: none may ever open a position or turn one round (decision 3.10). An order is at most as large as the
// position it reduces when it comes in, and shrinks with the position from then on: in place, so it keeps its priority;
// at 0 it is cancelled. A holding has a bounded number of them, so a fill does bounded work.
// Whoever changes a position must call `fitReduceOnly` before anything else can trade.

import { assert } from '../assert.ts';
import { BUY } from '../units.ts';
import { DONE_NOTHING_TO_REDUCE } from '../errors.ts';
import { ORDER_SHRUNK } from '../codec/events.ts';
import { reduceOrder } from '../book/books.ts';
import { orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { addOpenSize, lowerOriginal, youngerReduceOnly } from '../orders/orders.ts';
import { moveReserve } from '../margin/account-margin.ts';
import { withdrawOrder, writeOpen } from './remove-order.ts';
import type { Trading } from './context.ts';

/** How much an order of `side` can take off the position. */
export function reducible(position: number, side: number): number {
  return side === BUY ? Math.max(0, -position) : Math.max(0, position);
}

/** Fits the reduce-only orders of the holding to its position; `updateHolding` is the caller's. */
export function fitReduceOnly(trading: Trading, holding: number): void {
  const { books, holdings, orders } = trading;
  let slot = holdings.reduceOnly[holding];
  while (slot !== 0) {
    const next = youngerReduceOnly(orders, slot);
    const most = reducible(holdings.position[holding], orderSide(books, slot));
    if (most === 0) withdrawOrder(trading, slot, DONE_NOTHING_TO_REDUCE);
    else if (orderRemaining(books, slot) > most) shrink(trading, holding, slot, most);
    slot = next;
  }
}

function shrink(trading: Trading, holding: number, slot: number, size: number): void {
  const { books, holdings, orders } = trading;
  const before = orderRemaining(books, slot);
  assert(size > 0 && size < before, 'reduce: an order that shrinks keeps a part of its size');
  addOpenSize(orders, holdings, slot, size - before);
  reduceOrder(books, slot, size);
  // The position it follows has changed just now.
  lowerOriginal(orders, slot, before - size, holdings.updatedAt[holding]);
  moveReserve(trading, holding, orderSide(books, slot), priceOfKey(orderKey(books, slot)), before, size);
  writeOpen(trading, ORDER_SHRUNK, slot, size);
}
