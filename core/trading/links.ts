// Links (spec, extensions 1): a fill of one order shrinks the others of its link in place. The caller updates the margin sums of the
// holding.

import { BYTE_LINK_ID } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { int32 } from '../columns.ts';
import { DONE_LINKED } from '../errors.ts';
import { LINKED_ORDERS } from '../limits.ts';
import { orderRemaining } from '../book/pool.ts';
import { groupOfRecord, isEntryRecord, linkedOrders, type Link } from '../orders/extended.ts';
import { sortedLinked } from '../orders/linked.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { shrinkOrder } from './reduce-only.ts';
import { removeOpenOrder, withdrawOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

const scratch = { slots: int32(LINKED_ORDERS + 1), link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 } };

/** The link of a record's order. Null, and `out.length` is 0, if it has none or is an entry. */
export function linkOfRecord(views: Views, at: number, account: number, instrument: number, out: Link): Link | null {
  out.length = isEntryRecord(views, at) ? 0 : views.u8[at + BYTE_LINK_ID];
  return out.length === 0 ? null : groupOfRecord(views, at, account, instrument, out);
}

/** Removes ended orders of the link, so that the others are at most LINKED_ORDERS. */
export function freeLink(trading: Trading, views: Views, at: number, account: number, instrument: number, time: number): void {
  const link = linkOfRecord(views, at, account, instrument, scratch.link);
  if (link === null) return;
  const count = sortedLinked(trading.orders, trading.books, link, scratch.slots);
  for (let i = 0; i < count; i++) {
    const reason = pendingCancelReason(trading, scratch.slots[i], time);
    if (reason !== 0) removeOpenOrder(trading, scratch.slots[i], reason);
  }
}

/** `replaced` (0: none) does not count. */
export function isLinkFull(trading: Trading, views: Views, at: number, account: number, instrument: number, replaced: number): boolean {
  const link = linkOfRecord(views, at, account, instrument, scratch.link);
  if (link === null) return false;
  const { books, orders } = trading;
  const count = linkedOrders(orders.extended, books, link, scratch.slots);
  let others = 0;
  for (let i = 0; i < count; i++) if (scratch.slots[i] !== replaced) others++;
  return others >= LINKED_ORDERS;
}

/** Shrinks the others after a fill of the order in `filled`, or of a new one (0). */
export function fillLink(trading: Trading, link: Link, filled: number, size: number, time: number): void {
  const count = sortedLinked(trading.orders, trading.books, link, scratch.slots);
  for (let i = 0; i < count; i++) {
    const slot = scratch.slots[i];
    if (slot === filled) continue;
    const reason = pendingCancelReason(trading, slot, time);
    const left = orderRemaining(trading.books, slot) - size;
    if (reason !== 0) withdrawOrder(trading, slot, reason);
    else if (left <= 0) withdrawOrder(trading, slot, DONE_LINKED);
    else shrinkOrder(trading, slot, left, time);
  }
}
