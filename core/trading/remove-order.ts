// Ends an open order for any cause, in book, holding and margin sums. Also writes an order's image for the reply.

import { assert } from '../assert.ts';
import { ACCOUNT, emit, ORDER_AMENDED, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_RESTED,
  ORDER_SHRUNK, ORDER_SIDE, ORDER_SIZE, ORDER_SLOT, ORDER_SLOTS, ORDER_TIF, ORDER_TRIGGERED, ORDER_UNTRIGGERED, QUOTE_CHANGED,
  QUOTE_REMOVED } from
  '../codec/events.ts';
import { IMAGE_BYTE_CLIENT_ID, IMAGE_BYTE_FLAGS, IMAGE_BYTE_KIND, IMAGE_BYTE_LINK_ID, IMAGE_BYTE_SIDE, IMAGE_BYTE_TIF, IMAGE_BYTE_WAITS,
  IMAGE_CREATED, IMAGE_EXPIRES_AT, IMAGE_EXPIRY, IMAGE_TRIGGER_PRICE, IMAGE_WORD_TERMS, IMAGE_ID, IMAGE_PRICE, IMAGE_REMAINING,
  IMAGE_SIZE, IMAGE_STRIKE, IMAGE_WORD_UNDERLYING } from '../codec/reply.ts';
import { int32 } from '../columns.ts';
import { DONE_FILLED, DONE_NO_ENTRY, DONE_QUOTE_REMOVED } from '../errors.ts';
import { CLIENT_ID_BYTES, LINKED_ORDERS } from '../limits.ts';
import { countOrderUpdate, touchOrders, touchQuotes } from '../account-streams.ts';
import { touchBook } from '../streams.ts';
import { cancelOrder, dropOrder, isInBook } from '../book/books.ts';
import { orderAccount, orderId, orderInstrument, orderKey, orderRemaining, orderSide, releaseOrder } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { closeIfEmpty } from '../positions/holdings.ts';
import { clientIdLength, isQuote } from '../orders/names.ts';
import { holdingOf, isExtended, leaveOrder, orderCreatedAt, orderFlags, orderOriginal, orderTif } from '../orders/orders.ts';
import { awaitsEntry, copyLinkId, groupOf, isEntry, termsOf, type Link } from '../orders/extended.ts';
import { sortedLinked } from '../orders/linked.ts';
import { isUntriggered } from '../orders/untriggered.ts';
import { moveReserve, updateHolding } from '../margin/account-margin.ts';
import type { CommandResult, Trading } from './context.ts';

const scratch: { slots: Int32Array; link: Link } = {
  slots: int32(LINKED_ORDERS + 1), link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 },
};

export function removeOpenOrder(trading: Trading, slot: number, reason: number): void {
  const account = orderAccount(trading.books, slot);
  const holding = holdingOf(trading.orders, slot);
  assert(holding >= 0 && trading.holdings.account[holding] === account, "remove: the order's holding belongs to its account");
  withdrawOrder(trading, slot, reason);
  updateHolding(trading, account, holding);
  closeIfEmpty(trading.holdings, trading.accounts, holding);
}

/** Keeps the holding. The caller calls `updateHolding`. An unfilled entry takes the orders along that await it. */
export function withdrawOrder(trading: Trading, slot: number, reason: number): void {
  assert(reason !== 0, 'remove: a cancelled order has a reason');
  if (isExtended(trading.orders, slot)) endGroup(trading, slot);
  if (reason === DONE_QUOTE_REMOVED) writeQuote(trading, slot, QUOTE_REMOVED);
  else writeOpenOrder(trading, ORDER_DONE, slot, reason);
  if (!isInBook(trading.books, slot)) {
    leaveOrder(trading.orders, trading.holdings, trading.accounts, slot, orderRemaining(trading.books, slot));
    dropOrder(trading.books, slot);
    return;
  }
  const remaining = orderRemaining(trading.books, slot);
  const price = priceOfKey(orderKey(trading.books, slot));
  moveReserve(trading, holdingOf(trading.orders, slot), orderSide(trading.books, slot), price, remaining, 0);
  leaveOrder(trading.orders, trading.holdings, trading.accounts, slot, remaining);
  cancelOrder(trading.books, slot);
}

/** Call before an order ends: if it is an entry, nothing of it was filled. */
export function endGroup(trading: Trading, slot: number): void {
  const { books, orders: { extended } } = trading;
  if (isEntry(extended, slot)) endAwaiting(trading, groupOf(extended, books, slot, scratch.link));
}

export function endAwaiting(trading: Trading, link: Link): void {
  const { books, orders } = trading;
  const count = sortedLinked(orders, books, link, scratch.slots);
  for (let i = 0; i < count; i++) {
    if (awaitsEntry(orders.extended, scratch.slots[i])) withdrawOrder(trading, scratch.slots[i], DONE_NO_ENTRY);
  }
}

/** The book has unlinked the maker. The caller updates the margin sums. */
export function finishMaker(trading: Trading, slot: number): void {
  assert(orderRemaining(trading.books, slot) === 0, 'remove: a finished maker has no remaining size');
  assert(!isExtended(trading.orders, slot) || !isEntry(trading.orders.extended, slot), 'remove: an entry ends as one with its first fill');
  writeOpenOrder(trading, ORDER_DONE, slot, DONE_FILLED);
  leaveOrder(trading.orders, trading.holdings, trading.accounts, slot, 0);
  releaseOrder(trading.books, slot);
}

type OpenOrderEvent =
  typeof ORDER_AMENDED | typeof ORDER_DONE | typeof ORDER_RESTED | typeof ORDER_SHRUNK | typeof ORDER_TRIGGERED
  | typeof ORDER_UNTRIGGERED;

/** `last`: the reason of an ORDER_DONE, else the remaining size. */
export function writeOpenOrder(trading: Trading, kind: OpenOrderEvent, slot: number, last: number): void {
  countOrderUpdate(trading.streams.accounts, orderAccount(trading.books, slot));
  writeSlots(trading, kind, slot, last);
}

/** `status` is a QUOTE_ status. Not counted as an order update. */
export function writeQuote(trading: Trading, slot: number, status: number): void {
  assert(isQuote(trading.orders, slot), 'remove: only a quote is told as one');
  touchQuotes(trading.streams.accounts, orderAccount(trading.books, slot));
  writeSlots(trading, QUOTE_CHANGED, slot, status);
}

function writeSlots(trading: Trading, kind: number, slot: number, last: number): void {
  const { books, events, orders } = trading;
  const f = events.slots;
  f[ACCOUNT] = orderAccount(books, slot);
  f[ORDER_ID] = orderId(books, slot);
  f[ORDER_SLOT] = slot;
  f[ORDER_INSTRUMENT] = orderInstrument(books, slot);
  f[ORDER_SIDE] = orderSide(books, slot);
  f[ORDER_PRICE] = priceOfKey(orderKey(books, slot));
  f[ORDER_SIZE] = orderOriginal(orders, slot);
  f[ORDER_TIF] = orderTif(orders, slot);
  f[ORDER_FILLED] = orderOriginal(orders, slot) - orderRemaining(books, slot);
  f[ORDER_REASON] = last;
  touchOrders(trading.streams.accounts, f[ACCOUNT]);
  if (isInBook(books, slot)) touchBook(trading.streams, f[ORDER_INSTRUMENT]);
  emit(events, kind, ORDER_SLOTS);
}

export function writeImage(trading: Trading, result: CommandResult, slot: number): void {
  const { books, instruments, orders, underlyings } = trading;
  const instrument = orderInstrument(books, slot);
  const { image, imageWords, imageDoubles } = result;
  imageDoubles[IMAGE_ID] = orderId(books, slot);
  imageDoubles[IMAGE_EXPIRY] = instruments.expiry[instrument];
  imageDoubles[IMAGE_STRIKE] = instruments.strike[instrument];
  imageDoubles[IMAGE_PRICE] = priceOfKey(orderKey(books, slot));
  imageDoubles[IMAGE_SIZE] = orderOriginal(orders, slot);
  imageDoubles[IMAGE_REMAINING] = orderRemaining(books, slot);
  imageDoubles[IMAGE_CREATED] = orderCreatedAt(orders, slot);
  const underlying = instruments.underlying[instrument];
  imageWords[IMAGE_WORD_UNDERLYING] = underlyings.name[underlying * 2];
  imageWords[IMAGE_WORD_UNDERLYING + 1] = underlyings.name[underlying * 2 + 1];
  image[IMAGE_BYTE_KIND] = instruments.kind[instrument];
  image[IMAGE_BYTE_SIDE] = orderSide(books, slot);
  image[IMAGE_BYTE_TIF] = orderTif(orders, slot);
  image[IMAGE_BYTE_FLAGS] = orderFlags(orders, slot);
  image[IMAGE_BYTE_CLIENT_ID] = clientIdLength(orders, slot);
  image[IMAGE_BYTE_WAITS] = isUntriggered(orders, slot) ? 1 : 0;
  for (let i = 0; i < CLIENT_ID_BYTES; i++) image[IMAGE_BYTE_CLIENT_ID + 1 + i] = orders.idBytes[slot * CLIENT_ID_BYTES + i];
  writeImageTerms(trading, result, slot);
  result.hasImage = true;
}

function writeImageTerms({ orders }: Trading, { image, imageDoubles, imageWords }: CommandResult, slot: number): void {
  const { extended } = orders;
  const isPlain = !isExtended(orders, slot);
  imageWords[IMAGE_WORD_TERMS] = isPlain ? 0 : termsOf(extended, slot);
  imageDoubles[IMAGE_EXPIRES_AT] = isPlain ? 0 : extended.expiresAt[slot];
  imageDoubles[IMAGE_TRIGGER_PRICE] = isPlain ? 0 : extended.triggerPrice[slot];
  image[IMAGE_BYTE_LINK_ID] = isPlain ? 0 : copyLinkId(extended, slot, image, IMAGE_BYTE_LINK_ID + 1);
}
