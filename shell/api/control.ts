// Requests to the main thread that are no command of a wallet: they travel as messages and are answered by message when
// what they did is durable. Rare (an operator's), bounded, and as late as any other they are answered with a timeout.

import { BOUNDS } from '../http/limits.ts';
import type { CompetitionTerms, MarketTerms, SurfaceShape } from '../process/venue-commands.ts';
import { PendingRequests } from './pending-requests.ts';

/** What is asked of main. Prices in price units, expiries in ms. */
export type OperatorRequest =
  | { readonly type: 'index-price'; readonly underlying: string; readonly price: number; readonly stale: boolean }
  /** Of an expiry that has none of its own. */
  | { readonly type: 'settlement-price'; readonly underlying: string; readonly expiry: number; readonly price: number }
  /** Expiry 0: of all. */
  | ({ readonly type: 'vol-surface'; readonly underlying: string; readonly expiry: number } & SurfaceShape)
  | ({ readonly type: 'list-market' | 'delete-market'; readonly underlying: string } & MarketTerms)
  | ({ readonly type: 'competition' } & CompetitionTerms);
export type ControlRequest = { readonly id: number } & OperatorRequest;
/**
 * From main: the code of core/errors, OK when what was asked for is durable; the number that the core gave (the id of what was
 * made), 0 for none, and the command's own time, ms.
 */
export type ControlDone = {
  readonly type: 'control-done'; readonly id: number; readonly code: number; readonly number: number; readonly time: number;
};

export class Control {
  readonly pending = new PendingRequests<ControlDone>(BOUNDS.controlWaiting, BOUNDS.answerMs);
  readonly #post: (message: ControlRequest) => void;
  readonly #steady: () => number;

  constructor(post: (message: ControlRequest) => void, steady: () => number) {
    this.#post = post;
    this.#steady = steady;
  }

  /** False when too many wait: neither `settle` nor `expire` will be called. */
  ask(request: OperatorRequest, settle: (done: ControlDone) => void, expire: () => void): boolean {
    if (this.pending.isFull) return false;
    this.#post({ ...request, id: this.pending.add(this.#steady(), { settle, expire }) });
    return true;
  }
}
