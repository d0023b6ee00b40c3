// Requests to the main thread that are no command of a wallet: they travel as messages and are answered by message when
// what they did is durable. Rare (an operator's), bounded, and as late as any other they are answered with a timeout.

import { ANSWER_WITHIN, CONTROL_WAITING } from './bounds.ts';
import { Pending } from './pending.ts';

/** To main: the index price of an underlying by hand. Price in price units. */
export type IndexPriceRequest = {
  readonly type: 'index-price'; readonly id: number; readonly underlying: string; readonly price: number; readonly stale: boolean;
};
/** From main, when it is durable or refused. */
export type IndexPriceDone = { readonly type: 'index-price-done'; readonly id: number; readonly ok: boolean; readonly error?: string };

export class Control {
  readonly pending = new Pending<IndexPriceDone>(CONTROL_WAITING, ANSWER_WITHIN);
  readonly #post: (message: IndexPriceRequest) => void;
  readonly #now: () => number;

  constructor(post: (message: IndexPriceRequest) => void, now: () => number) {
    this.#post = post;
    this.#now = now;
  }

  /** False: too many wait; neither `settle` nor `expire` will be called. */
  setIndexPrice(
    index: { readonly underlying: string; readonly price: number; readonly stale: boolean },
    settle: (done: IndexPriceDone) => void, expire: () => void,
  ): boolean {
    if (this.pending.isFull) return false;
    this.#post({ type: 'index-price', id: this.pending.add(this.#now(), settle, expire), ...index });
    return true;
  }
}
