// Cancels by order id and by client id. The core knows open orders only: any other issued id is NOT_OPEN, and the reader adds how that
// order ended (decision 3.5). Orders of a deleted market have no book.

import { DONE_CANCELLED, DONE_ORDER_EXPIRED, NO_ORDERBOOK, NOT_OPEN, OK, ORDER_NOT_FOUND, ORDER_OF_QUOTE_SET } from '../errors.ts';
import { BYTE_CANCEL_CLIENT_ID, readSafe, WORD_ORDER_ID } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { DELETED } from '../instruments/instruments.ts';
import { findOrder, orderAccount, orderId, orderInstrument, orderRemaining } from '../book/pool.ts';
import { isPastExpiry } from '../orders/extended.ts';
import { findByClientId, isQuote } from '../orders/names.ts';
import { isExtended, ORDER_IDS, orderOriginal } from '../orders/orders.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { removeOpenOrder, writeImage } from './remove-order.ts';
import type { Trading } from './context.ts';

/** Result: OK with order id, filled size and image; NOT_OPEN with the id; ORDER_NOT_FOUND. */
export function cancelById(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const slot = findOwnOrder(trading, views, (at >>> 2) + WORD_ORDER_ID, account);
  if (slot > 0 && !endPast(trading, slot, time)) cancel(trading, slot);
}

/** 0: refused, with the code in the result. */
function findOwnOrder(trading: Trading, views: Views, word: number, account: number): number {
  const { result } = trading;
  const slot = findOrder(trading.books, views.u32[word], views.u32[word + 1]);
  if (slot > 0 && orderAccount(trading.books, slot) === account) return hasBook(trading, slot) ? slot : 0;
  const id = readSafe(views, word);
  result.code = slot <= 0 && id >= 1 && id <= trading.orders.counters[ORDER_IDS] ? NOT_OPEN : ORDER_NOT_FOUND;
  result.numbers[0] = id;
  return 0;
}

/** An order that waits for its cancel is removed; one of a quote set is refused. */
export function findChangeable(trading: Trading, views: Views, word: number, account: number, time: number): number {
  const { books, orders, result } = trading;
  const slot = findOwnOrder(trading, views, word, account);
  if (slot === 0) return 0;
  const ending = pendingCancelReason(trading, slot, time);
  if (ending === 0 && !isQuote(orders, slot)) return slot;
  result.code = ending === 0 ? ORDER_OF_QUOTE_SET : NOT_OPEN;
  result.numbers[0] = orderId(books, slot);
  if (ending !== 0) removeOpenOrder(trading, slot, ending);
  return 0;
}

/** Result: OK with the image, or NOT_OPEN with id 0: only the reader knows whether the client id was ever used. */
export function cancelByClientId(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const length = views.u8[at + BYTE_CANCEL_CLIENT_ID];
  const slot = length === 0 ? -1 : findByClientId(trading.orders, account, views.u32, (at + BYTE_CANCEL_CLIENT_ID + 4) >>> 2, length);
  if (slot <= 0) trading.result.code = NOT_OPEN;
  else if (hasBook(trading, slot) && !endPast(trading, slot, time)) cancel(trading, slot);
}

function endPast(trading: Trading, slot: number, time: number): boolean {
  const { books, orders, result } = trading;
  if (!isExtended(orders, slot) || !isPastExpiry(orders.extended, slot, time)) return false;
  result.code = NOT_OPEN;
  result.numbers[0] = orderId(books, slot);
  removeOpenOrder(trading, slot, DONE_ORDER_EXPIRED);
  return true;
}

function hasBook(trading: Trading, slot: number): boolean {
  const { books, instruments, result } = trading;
  if (instruments.status[orderInstrument(books, slot)] !== DELETED) return true;
  result.code = NO_ORDERBOOK;
  result.numbers[0] = orderId(books, slot);
  writeImage(trading, result, slot);
  return false;
}

function cancel(trading: Trading, slot: number): void {
  const { books, orders, result } = trading;
  result.code = OK;
  result.numbers[0] = orderId(books, slot);
  result.numbers[1] = orderOriginal(orders, slot) - orderRemaining(books, slot);
  writeImage(trading, result, slot);
  removeOpenOrder(trading, slot, DONE_CANCELLED);
}
