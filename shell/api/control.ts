// Operator requests to main that are not commands of a wallet. The answer waits until their effect is durable.

import { BOUNDS } from '../http/limits.ts';
import type { CompetitionTerms, CreditTerms, MarketTerms, SurfaceShape } from '../process/venue-commands.ts';
import { PendingRequests } from './pending-requests.ts';

/** Prices in price units, expiries in ms. */
export type OperatorRequest =
  | { readonly type: 'index-price'; readonly underlying: string; readonly price: number; readonly stale: boolean }
  /** Only for an expiry without a settlement price. */
  | { readonly type: 'settlement-price'; readonly underlying: string; readonly expiry: number; readonly price: number }
  | ({ readonly type: 'vol-surface'; readonly underlying: string; readonly expiry: number } & SurfaceShape)
  | ({ readonly type: 'list-market' | 'delete-market'; readonly underlying: string } & MarketTerms)
  | ({ readonly type: 'credit' } & CreditTerms)
  | { readonly type: 'trading-mode'; readonly underlying: string; readonly contract: MarketTerms | null; readonly mode: number }
  | { readonly type: 'wallet-mode'; readonly wallet: string; readonly mode: number }
  | { readonly type: 'cancel-wallet'; readonly wallet: string }
  | ({ readonly type: 'competition' } & CompetitionTerms)
  /** One of the two, in ms. */
  | { readonly type: 'clock'; readonly to: number | null; readonly by: number | null };
export type ControlRequest = { readonly id: number } & OperatorRequest;
/** Micros. */
type CreditMade = { readonly wallet: string; readonly amount: number; readonly balance: number };
/** `code`: of core/errors. `number`: id of what was created, or 0. `credit`: the first with the request's id. */
export type ControlDone = {
  readonly type: 'control-done'; readonly id: number; readonly code: number; readonly number: number; readonly time: number;
  /** The answer has everything up to this command. */
  readonly seq: number;
  readonly credit?: CreditMade;
};

export class Control {
  readonly pending = new PendingRequests<ControlDone>(BOUNDS.controlWaiting, BOUNDS.answerMs);
  readonly #post: (message: ControlRequest) => void;
  readonly #steady: () => number;

  constructor(post: (message: ControlRequest) => void, steady: () => number) {
    this.#post = post;
    this.#steady = steady;
  }

  ask(request: OperatorRequest, settle: (done: ControlDone) => void, expire: () => void): boolean {
    if (this.pending.isFull) return false;
    this.#post({ ...request, id: this.pending.add(this.#steady(), { settle, expire }) });
    return true;
  }
}
