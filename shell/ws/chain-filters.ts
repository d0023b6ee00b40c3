// The option chain filters of one connection. A row that several filters match is sent once.

import { BOUNDS } from '../http/limits.ts';
import type { ChainSelection } from '../ipc/chain-selection.ts';
import type { ChainIndex, ChainSubscriber } from './chain-index.ts';
import type { OutboundMessage } from './outbound-message.ts';
import type { OutboundStream, OutboundQueue } from './outbound-queue.ts';
import type { Subscription } from './subscription.ts';

const CHAIN_ROWS: OutboundStream = { name: 'options_chain', slow: 'close', requestSnapshot: () => undefined };

export class ChainFilters implements ChainSubscriber {
  readonly #index: ChainIndex;
  readonly #out: OutboundQueue;
  readonly #lost: () => void;
  readonly #filters = new Map<Subscription, ChainSelection>();
  /** While its backlog waits, rows queue behind it. */
  #latest: Subscription | null = null;

  constructor(index: ChainIndex, out: OutboundQueue, lost: () => void) {
    this.#index = index;
    this.#out = out;
    this.#lost = lost;
  }

  get subscriptions(): readonly Subscription[] {
    return [...this.#filters.keys()];
  }

  tooMany(key: string): string | null {
    const { chainSubscriptions, chainSymbols } = BOUNDS;
    if (this.#filters.size >= chainSubscriptions) return `Too many subscriptions to options_chain: ${chainSubscriptions} is the maximum`;
    const named = [...this.#filters.values(), selectionOf(key)].reduce((sum, { symbols }) => sum + (symbols?.length ?? 0), 0);
    return named > chainSymbols ? `Too many symbols of options_chain: ${chainSymbols} is the maximum` : null;
  }

  add(subscription: Subscription): void {
    this.#filters.set(subscription, selectionOf(subscription.key));
    this.#latest = subscription;
    this.#updateIndex();
  }

  remove(subscription: Subscription): void {
    if (this.#filters.delete(subscription)) this.#updateIndex();
  }

  close(): void {
    this.#filters.clear();
    this.#updateIndex();
  }

  deliverRow(message: OutboundMessage): void {
    const backlog = this.#latest?.backlog ?? null;
    if (backlog === null) this.#out.send(message, CHAIN_ROWS);
    else this.#out.enqueueLive(backlog, message, CHAIN_ROWS);
  }

  lostRow(): void {
    this.#lost();
  }

  #updateIndex(): void {
    this.#index.set(this, [...this.#filters.values()]);
  }
}

function selectionOf(key: string): ChainSelection {
  return JSON.parse(key) as ChainSelection;
}
