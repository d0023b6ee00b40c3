// Own orders and triggers in a chart as lines, fills as points. A chart of the index has only triggers that wait for the index.

import type { Fill, Order } from '../../../src/main.ts';
import { difference } from '../../exact.ts';
import { price, size } from '../../format.ts';
import type { Series } from './series.ts';

type PriceLine = { readonly price: number; readonly isBuy: boolean; readonly isTrigger: boolean; readonly text: string };
type FillPoint = { readonly price: number; readonly timeS: number; readonly isBuy: boolean };
export type ChartMarks = { readonly lines: readonly PriceLine[]; readonly points: readonly FillPoint[] };

export function linesOf(orders: readonly Order[], { source, name }: Series): readonly PriceLine[] {
  return orders.flatMap((order): PriceLine[] => {
    const { symbol, side, trigger, status } = order;
    const contracts = size(difference(order.size, order.filled_size));
    const isBuy = side === 'Buy';
    if (status === 'untriggered' && trigger !== undefined) {
      const isOfIndex = trigger.by === 'index';
      if (isOfIndex !== (source === 'index') || (isOfIndex ? symbol.split('-')[0] : symbol) !== name) return [];
      const what = source === 'index' ? `${side} ${contracts} ${symbol}` : `${side} ${contracts}`;
      return [{ price: Number(trigger.price), isBuy, isTrigger: true, text: `${what} when ${trigger.direction} ${price(trigger.price)}` }];
    }
    if (source === 'index' || symbol !== name) return [];
    return [{ price: Number(order.price), isBuy, isTrigger: false, text: `${side} ${contracts} at ${price(order.price)}` }];
  });
}

export function pointsOf(fills: readonly Fill[], { source, name }: Series): readonly FillPoint[] {
  return source === 'index' ? [] : fills.filter(({ symbol }) => symbol === name).map(({ price: at, timestamp, side }) => (
    { price: Number(at), timeS: timestamp / 1_000, isBuy: side === 'Buy' }
  ));
}

export function textOfMarks({ lines, points }: ChartMarks): string {
  const texts = lines.map(({ text, isTrigger }) => `${isTrigger ? 'Your trigger' : 'Your order'}: ${text}.`);
  if (points.length > 0) texts.push(`Your fills: ${points.length}.`);
  return texts.join(' ');
}
