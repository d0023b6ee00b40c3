// The filters of the options chain that one connection has, of which it is told as of one: each row once, whichever of them want it.

import { BOUNDS } from '../http/limits.ts';
import type { ChainSelection } from '../ipc/chain-selection.ts';
import type { ChainIndex, ChainMember } from './chain-index.ts';
import type { Frame } from './frame.ts';
import type { Flow, Outflow } from './outflow.ts';
import type { Subscription } from './subscription.ts';

const ROWS: Flow = { name: 'options_chain', slow: 'close', renew: () => undefined };

export class ChainFilters implements ChainMember {
  readonly #index: ChainIndex;
  readonly #out: Outflow;
  readonly #lost: () => void;
  /** Those whose snapshot has stood. */
  readonly #filters = new Map<Subscription, ChainSelection>();
  /** The one whose snapshot is on its way to the client: rows wait behind it. */
  #newest: Subscription | null = null;

  /** `lost`: a row could not be delivered. */
  constructor(index: ChainIndex, out: Outflow, lost: () => void) {
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
    const named = [...this.#filters.values(), wishOf(key)].reduce((sum, { symbols }) => sum + (symbols?.length ?? 0), 0);
    return named > chainSymbols ? `Too many symbols of options_chain: ${chainSymbols} is the maximum` : null;
  }

  /** The snapshot of the filter stands in its hold: from here on its rows come. */
  stand(subscription: Subscription): void {
    this.#filters.set(subscription, wishOf(subscription.key));
    this.#newest = subscription;
    this.#note();
  }

  end(subscription: Subscription): void {
    if (this.#filters.delete(subscription)) this.#note();
  }

  close(): void {
    this.#filters.clear();
    this.#note();
  }

  deliverRow(frame: Frame): void {
    const hold = this.#newest?.hold ?? null;
    if (hold === null) this.#out.send(frame, ROWS);
    else this.#out.holdLive(hold, frame, ROWS);
  }

  lostRow(): void {
    this.#lost();
  }

  #note(): void {
    this.#index.set(this, [...this.#filters.values()]);
  }
}

/** A key is a filter in normal form. */
function wishOf(key: string): ChainSelection {
  return JSON.parse(key) as ChainSelection;
}
