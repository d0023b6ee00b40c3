// Messages of our order_updates in the dialect's shapes. An update tells the time of the change only, so placements of the newest orders
// are remembered.

import type { MessageNamed } from '../../http/shapes/messages.ts';
import { endStatus, frontendOrder, openOrder, type OrderFields } from '../../api/hl-info/orders.ts';
import { coinOf } from '../../api/hl-info/texts.ts';

type Update = MessageNamed<'OrderUpdate'>;
type Status = Update['status'];

const KEPT = 65_536;

const OWN_ENDS: readonly (string | null)[] = [null, 'Canceled on request', 'Order replaced', 'Immediate-or-cancel remainder',
  'Fill-or-kill order could not be filled', 'Amended to filled size', 'Quote removed'];

export class OrderUpdates {
  readonly #placed = new Map<number, number>();

  update(message: Update): object | undefined {
    return this.#stated(message, openOrder);
  }

  state(message: Update): object | undefined {
    return this.#stated(message, frontendOrder);
  }

  #stated(message: Update, shape: (order: OrderFields) => object): object | undefined {
    const { order_id: oid, request, timestamp } = message;
    if (oid === null || coinOf(request.symbol) === null) return undefined;
    const isKnown = this.#placed.has(oid);
    const created = this.#placed.get(oid) ?? timestamp;
    if (!isKnown) this.#remember(oid, timestamp);
    const status = statusOf(message, isKnown);
    if (status === undefined) return undefined;
    const order = shape({
      symbol: request.symbol, side: request.side, price: request.price, size: request.size, filled: message.filled_size, oid, created,
      tif: request.tif, clientId: request.client_id, reduceOnly: request.reduce_only === true, terms: request,
    });
    return { order, status, statusTimestamp: timestamp };
  }

  #remember(oid: number, time: number): void {
    this.#placed.set(oid, time);
    if (this.#placed.size > KEPT) this.#placed.delete(this.#placed.keys().next().value!);
  }
}

/** An ACKED of an order that is known amends it; of a new one another message follows. */
function statusOf({ status, reason, filled_size: filled }: Update, isKnown: boolean): string | undefined {
  const plain: Partial<Record<Status, string>> = {
    OPEN: 'open', PARTIALLY_FILLED: 'open', UNTRIGGERED: 'open', TRIGGERED: 'triggered', FILLED: 'filled',
  };
  if (status === 'ACKED') return isKnown ? 'open' : undefined;
  return status === 'CANCELED' ? endStatus(reason, filled) : plain[status];
}

export function systemCancelOf({ status, order_id: oid, reason, request }: Update): object | undefined {
  const coin = coinOf(request.symbol);
  return status !== 'CANCELED' || coin === null || OWN_ENDS.includes(reason) ? undefined : { coin, oid };
}
