// Changes an open order in place. A reduction keeps its priority. After any other change it enters its book again, youngest for margin and
// last at its price. Writes no event, judges nothing.

import { assert } from '../assert.ts';
import { touchBook } from '../streams.ts';
import { dropOrder, enterBook, isCrossed, leaveBook, reduceOrder, repriceOrder } from '../book/books.ts';
import { orderAccount, orderInstrument, orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { addOpenSize, holdingOf, isExtended, leaveOrder, leaveStanding, lowerOriginal, orderOriginal, setOriginal, standOrder } from
  '../orders/orders.ts';
import { addReserve, moveReserve } from '../margin/account-margin.ts';
import { endGroup } from './remove-order.ts';
import type { Trading } from './context.ts';

/** The caller calls `updateHolding`. */
export function reduceInPlace(trading: Trading, slot: number, remaining: number, time: number): void {
  const { books, holdings, orders } = trading;
  const before = orderRemaining(books, slot);
  assert(remaining > 0 && remaining < before, 'move: the new size is positive and smaller');
  addOpenSize(orders, holdings, slot, remaining - before);
  reduceOrder(books, slot, remaining);
  lowerOriginal(orders, slot, before - remaining, time);
  moveReserve(trading, holdingOf(orders, slot), orderSide(books, slot), priceOfKey(orderKey(books, slot)), before, remaining);
}

/** The order binds no margin and keeps its slot. The caller calls `updateHolding`. */
export function liftFromBook(trading: Trading, slot: number): void {
  const { books, holdings, orders } = trading;
  moveReserve(trading, holdingOf(orders, slot), orderSide(books, slot), priceOfKey(orderKey(books, slot)), orderRemaining(books, slot), 0);
  leaveStanding(orders, holdings, slot);
  leaveBook(books, slot);
  touchBook(trading.streams, orderInstrument(books, slot));
}

export function changeLifted(trading: Trading, slot: number, key: number, remaining: number, time: number): void {
  const { books, orders } = trading;
  const filled = orderOriginal(orders, slot) - orderRemaining(books, slot);
  repriceOrder(books, slot, key, remaining);
  setOriginal(orders, slot, filled + remaining, time);
}

/** `remaining` is what rests. The sums of its holding are those without it. */
export function enterAgain(trading: Trading, slot: number, key: number, remaining: number, time: number): void {
  const { books, holdings, orders } = trading;
  changeLifted(trading, slot, key, remaining, time);
  enterBook(books, slot);
  assert(!isCrossed(books, orderInstrument(books, slot)), 'move: the book is not crossed after an order enters again');
  standOrder(orders, holdings, slot, time);
  addReserve(trading, orderAccount(books, slot), holdingOf(orders, slot), orderSide(books, slot), priceOfKey(key), remaining);
  touchBook(trading.streams, orderInstrument(books, slot));
}

export function dropLifted(trading: Trading, slot: number): void {
  const { accounts, books, holdings, orders } = trading;
  if (isExtended(orders, slot)) endGroup(trading, slot);
  leaveOrder(orders, holdings, accounts, slot, orderRemaining(books, slot));
  dropOrder(books, slot);
}
