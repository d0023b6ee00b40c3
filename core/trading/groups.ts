// Groups (spec, extensions 1): waiting orders of a link do not fire before its entry has a fill, and end if it ends without one. FLAG_ENTRY
// in a record marks the entry; only batches set it.

import { int32 } from '../columns.ts';
import type { Views } from '../codec/record.ts';
import { LINKED_ORDERS } from '../limits.ts';
import { orderInstrument } from '../book/pool.ts';
import { closeIfEmpty, findHolding } from '../positions/holdings.ts';
import { awaitsEntry, endEntry, groupOf, groupOfRecord, isEntry, isEntryRecord, isSameLink, linkedOrders, type Link } from
  '../orders/extended.ts';
import { isExtended } from '../orders/orders.ts';
import { endAwaitingEntry } from '../orders/untriggered.ts';
import { endAwaiting } from './remove-order.ts';
import type { Trading } from './context.ts';

const scratch: { slots: Int32Array; link: Link } = {
  slots: int32(LINKED_ORDERS + 1), link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 },
};

/** The order has a fill. If it is an entry, its members watch their triggers from now on. */
export function fillEntry(trading: Trading, slot: number): void {
  const { books, orders: { extended } } = trading;
  if (!isEntry(extended, slot)) return;
  watchTriggers(trading, groupOf(extended, books, slot, scratch.link));
  endEntry(extended, slot);
}

function watchTriggers({ books, orders }: Trading, link: Link): void {
  const count = linkedOrders(orders.extended, books, link, scratch.slots);
  for (let i = 0; i < count; i++) if (awaitsEntry(orders.extended, scratch.slots[i])) endAwaitingEntry(orders, scratch.slots[i]);
}

/** True if the record's order, the candidate, becomes the entry in the place of an open one, which stops being it. */
export function passEntry(trading: Trading, views: Views, at: number, old: number): boolean {
  const { books, candidate: { account, instrument }, orders } = trading;
  if (!isEntryRecord(views, at) || !isExtended(orders, old) || !isEntry(orders.extended, old)) return false;
  if (orderInstrument(books, old) !== instrument) return false;
  if (!isSameLink(orders.extended, books, old, groupOfRecord(views, at, account, instrument, scratch.link))) return false;
  endEntry(orders.extended, old);
  return true;
}

/** Call after an entry was executed, with its fill and end in the result. */
export function settleEntry(trading: Trading, views: Views, at: number): void {
  const { accounts, candidate: { account, instrument }, holdings, result } = trading;
  const [, filled, , ended] = result.numbers;
  const link = groupOfRecord(views, at, account, instrument, scratch.link);
  if (filled > 0) watchTriggers(trading, link);
  if (filled > 0 || ended === 0) return;
  endAwaiting(trading, link);
  const row = findHolding(holdings, account, instrument);
  if (row >= 0) closeIfEmpty(holdings, accounts, row);
}
