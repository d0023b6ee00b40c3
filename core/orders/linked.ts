// The orders of a link in the order of their entries, because the order within an index must not matter.

import type { Books } from '../book/layout.ts';
import { linkedOrders, type Link } from './extended.ts';
import { orderSince, type Orders } from './orders.ts';

/** Oldest first. Returns their number. */
export function sortedLinked(orders: Orders, books: Books, link: Link, out: Int32Array): number {
  const count = linkedOrders(orders.extended, books, link, out);
  for (let i = 1; i < count; i++) {
    const slot = out[i];
    let to = i;
    for (; to > 0 && orderSince(orders, out[to - 1]) > orderSince(orders, slot); to--) out[to] = out[to - 1];
    out[to] = slot;
  }
  return count;
}
