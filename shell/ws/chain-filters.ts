// The filters of the options chain that one connection has, of which it is told as of one: each row once, whichever of them want it.

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
  /** Those whose snapshot has stood. */
  readonly #filters = new Map<Subscription, ChainSelection>();
  /** The one whose snapshot is on its way to the client: rows wait behind it. */
  #latest: Subscription | null = null;

  /** `lost`: a row could not be delivered. */
  constructor(index: ChainIndex, out: OutboundQueue, lost: () => void) {
    this.#index = index;
    this.#out = out;
    this.#lost = lost;
  }

  get subscriptions(): readonly Subscription[] {
    return [...this.#filters.keys()];
  }

  /** What is wrong when a filter of this key comes to the others. */
  tooMany(key: string): string | null {
    const { chainSubscriptions, chainSymbols } = BOUNDS;
    if (this.#filters.size >= chainSubscriptions) return `Too many subscriptions to options_chain: ${chainSubscriptions} is the maximum`;
    const named = [...this.#filters.values(), selectionOf(key)].reduce((sum, { symbols }) => sum + (symbols?.length ?? 0), 0);
    return named > chainSymbols ? `Too many symbols of options_chain: ${chainSymbols} is the maximum` : null;
  }

  /** The snapshot of the filter stands in its hold: from here on its rows come. */
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

/** A key is a filter in normal form. */
function selectionOf(key: string): ChainSelection {
  return JSON.parse(key) as ChainSelection;
}
