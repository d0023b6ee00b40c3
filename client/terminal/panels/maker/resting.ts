// The wallet's quotes in the book, by contract and side: from the stream `quotes`, and from order updates for fills and unrequested ends.

import { signal } from '@preact/signals';
import type { Order, OrderUpdateMessage, QuotesUpdate, Side } from '../../../src/main.ts';
import { latest, setSoon } from '../../venue/frames.ts';

export type RestingQuote = {
  readonly quote_set: string; readonly symbol: string; readonly side: Side; readonly order_id: number; readonly price: string;
  readonly size: string; readonly isPartlyFilled: boolean;
};
type Resting = ReadonlyMap<number, RestingQuote>;

export class RestingQuotes {
  /** By order id, which a quote keeps. */
  readonly quotes = signal<Resting>(new Map());

  take({ is_snapshot: isSnapshot, quotes }: QuotesUpdate): void {
    const next = new Map(isSnapshot ? [] : latest(this.quotes));
    for (const { status, ...quote } of quotes) {
      if (status === 'REMOVED') next.delete(quote.order_id);
      else next.set(quote.order_id, { ...quote, isPartlyFilled: false });
    }
    setSoon(this.quotes, next);
  }

  takeOrder({ order_id: id, status }: OrderUpdateMessage): boolean {
    const before = latest(this.quotes);
    const quote = id === null ? undefined : before.get(id);
    if (quote === undefined) return false;
    const next = new Map(before);
    if (status === 'FILLED' || status === 'CANCELED') next.delete(id!);
    else if (status === 'PARTIALLY_FILLED') next.set(id!, { ...quote, isPartlyFilled: true });
    setSoon(this.quotes, next);
    return true;
  }

  replace(orders: readonly Order[]): void {
    const quotes = orders.filter(({ quote_set: set }) => set !== undefined).map((order): [number, RestingQuote] => {
      const { filled_size: filled, order_id, price, quote_set, side, size, symbol } = order;
      return [order_id, { order_id, price, quote_set: quote_set!, side, size, symbol, isPartlyFilled: Number(filled) > 0 }];
    });
    setSoon(this.quotes, new Map(quotes));
  }

  clear(): void {
    setSoon(this.quotes, new Map());
  }
}
