// The wallet's own orders in a ladder, and how those of a row are moved to the price of another one.

import type { Order } from '../../../src/main.ts';
import { difference } from '../../exact.ts';
import { price, size } from '../../format.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { showToast } from '../../ui/notices.tsx';
import { workingOrders } from '../../venue/account-data.ts';
import { send } from '../lists/acting.ts';

export type OwnOrder = { readonly order: Order; readonly side: Order['side']; readonly price: string; readonly size: string };

export function ordersInBook(symbol: string): readonly OwnOrder[] {
  return (workingOrders.value ?? [])
    .filter((order) => order.symbol === symbol && order.status !== 'untriggered')
    .map((order) => ({ order, side: order.side, price: order.price, size: difference(order.size, order.filled_size) }));
}

/** One after the other, after a question if the user wants one. Quotes stay: a mass quote moves them. */
export function moveOrders(orders: readonly OwnOrder[], to: string): void {
  const moved = orders.filter(({ order }) => order.quote_set === undefined && order.price !== to);
  if (moved.length === 0) return showToast(orders.length === 0 ? 'No order is there any more.' : 'Quotes are moved by a mass quote.');
  const what = moved.map(({ side, size: left, price: from }) => `${side} ${size(left)} at ${price(from)}`).join(', ');
  confirmFirst({
    action: 'amend', title: 'Move to another price?', text: `${what}: to ${price(to)}.`, verb: 'Move',
    run: () => void amendAll(moved, to),
  });
}

async function amendAll(orders: readonly OwnOrder[], to: string): Promise<void> {
  for (const { order: { order_id: id, size: total, side }, size: left } of orders) {
    const { why } = await send((client) => client.amendOrder({ order_id: id, size: total, price: to }));
    const what = `${side} ${size(left)}`;
    showToast(why === null ? `Moved: ${what}, to ${price(to)}.` : `Not moved: ${what}. ${why}`, why === null ? 'plain' : 'bad');
  }
}
