// A wallet's working orders: the venue's list, and what the stream says since. An order that only the stream knows is shown as it tells it.

import type { Order, OrderUpdateMessage, QuotesUpdate } from '../../src/main.ts';

const ENDED: readonly OrderUpdateMessage['status'][] = ['FILLED', 'CANCELED', 'REJECTED'];
const STATUSES: Partial<Record<OrderUpdateMessage['status'], Order['status']>> = {
  OPEN: 'open', PARTIALLY_FILLED: 'partially_filled', UNTRIGGERED: 'untriggered',
};

export class WorkingOrders {
  readonly #byId = new Map<number, Order>();
  /** Since the reading of the list began; null: nobody reads. */
  #since: OrderUpdateMessage[] | null = null;

  get rows(): readonly Order[] {
    return [...this.#byId.values()].sort((one, other) => other.order_id - one.order_id);
  }

  begin(): void {
    this.#since = [];
  }

  /** Messages that came while the list was read may be newer. */
  replace(listed: readonly Order[]): void {
    this.#byId.clear();
    for (const order of listed) this.#byId.set(order.order_id, order);
    for (const message of this.#since ?? []) this.#apply(message);
    this.#since = null;
  }

  take(message: OrderUpdateMessage): boolean {
    this.#since?.push(message);
    return this.#apply(message);
  }

  takeQuotes({ quotes }: QuotesUpdate): boolean {
    for (const { order_id: id, status } of quotes) if (status === 'REMOVED') this.#byId.delete(id);
    return quotes.some(({ status }) => status !== 'REMOVED');
  }

  #apply({ order_id: id, status, request, filled_size: filled, timestamp, ...message }: OrderUpdateMessage): boolean {
    if (id === null) return false;
    if (ENDED.includes(status)) {
      this.#byId.delete(id);
      return false;
    }
    const now = STATUSES[status];
    if (now === undefined) return false;
    const known = this.#byId.get(id);
    // A later mass quote may have changed it, which this stream does not tell.
    if (known?.quote_set !== undefined) return true;
    const changed = {
      ...request, client_id: request.client_id === '' ? null : request.client_id, filled_size: filled, status: now, order_status: now,
      updated_at: new Date(timestamp).toISOString(),
    };
    this.#byId.set(id, known !== undefined ? { ...known, ...changed } : {
      ...changed, order_id: id, wallet_address: message.wallet_address, instrument_type: message.instrument_type, end_reason: null,
      created_at: timestamp, reduce_only: null, mmp_enabled: true,
    });
    return known === undefined;
  }
}
