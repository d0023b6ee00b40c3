// Reduce-only orders never open a position or flip one (decision 3.10). A new one is cut to its position, then shrinks with it, keeps
// its priority, and is cancelled at 0. Their number per holding is bounded. Whoever changes a position must call `fitReduceOnly` before
// anything else trades.

import { BUY } from '../units.ts';
import { DONE_NOTHING_TO_REDUCE } from '../errors.ts';
import { ORDER_SHRUNK } from '../codec/events.ts';
import { orderRemaining, orderSide } from '../book/pool.ts';
import { holdingOf, youngerReduceOnly } from '../orders/orders.ts';
import { reduceInPlace } from './move-order.ts';
import { withdrawOrder, writeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

export function reducible(position: number, side: number): number {
  return side === BUY ? Math.max(0, -position) : Math.max(0, position);
}

/** Cuts or cancels reduce-only orders beyond the position. The caller calls `updateHolding`. */
export function fitReduceOnly(trading: Trading, holding: number): void {
  const { books, holdings, orders } = trading;
  let slot = holdings.reduceOnly[holding];
  while (slot !== 0) {
    const next = youngerReduceOnly(orders, slot);
    const most = reducible(holdings.position[holding], orderSide(books, slot));
    if (most === 0) withdrawOrder(trading, slot, DONE_NOTHING_TO_REDUCE);
    else if (orderRemaining(books, slot) > most) shrinkOrder(trading, slot, most);
    slot = next;
  }
}

/** Lowers an open order's size in place to `size`, because of a fill of its holding. */
export function shrinkOrder(trading: Trading, slot: number, size: number): void {
  const { holdings, orders } = trading;
  // The time of the position change that caused this.
  reduceInPlace(trading, slot, size, holdings.updatedAt[holdingOf(orders, slot)]);
  writeOpenOrder(trading, ORDER_SHRUNK, slot, size);
}
