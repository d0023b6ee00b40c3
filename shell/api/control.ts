// Requests to the main thread that are no command of a wallet: they travel as messages and are answered by message when
// what they did is durable. Rare (an operator's), bounded, and as late as any other they are answered with a timeout.

import { ANSWER_WITHIN, CONTROL_WAITING } from '../bounds/api.ts';
import type { CompetitionTerms, MarketTerms } from '../venue-commands.ts';
import { Pending } from './pending.ts';

/** To main: the index price of an underlying by hand. Price in price units. */
type IndexPrice = { readonly underlying: string; readonly price: number; readonly stale: boolean };
/** To main: the price of an expiry (ms) that has none of its own. */
type SettlementPrice = { readonly underlying: string; readonly expiry: number; readonly price: number };
/** To main: the surface of an expiry (ms; 0: of all), fractions times 1e6. */
type VolSurface = {
  readonly underlying: string; readonly expiry: number; readonly volatility: number; readonly skew: number; readonly curvature: number;
};

/** To main: a market by its symbol's terms, to be listed or deleted. */
type Market = { readonly underlying: string } & MarketTerms;

export type ControlRequest = { readonly id: number } & (
  ({ readonly type: 'index-price' } & IndexPrice) | ({ readonly type: 'settlement-price' } & SettlementPrice)
  | ({ readonly type: 'vol-surface' } & VolSurface) | ({ readonly type: 'list-market' | 'delete-market' } & Market)
  | ({ readonly type: 'competition' } & CompetitionTerms)
);
/**
 * From main: the code of core/errors, OK when what was asked for is durable; the number that the core gave (the id of what was
 * made), 0 for none, and the command's own time, ms.
 */
export type ControlDone = {
  readonly type: 'control-done'; readonly id: number; readonly code: number; readonly number: number; readonly time: number;
};

type Settle = (done: ControlDone) => void;

/** Each request answers false when too many wait: neither `settle` nor `expire` will be called. */
export class Control {
  readonly pending = new Pending<ControlDone>(CONTROL_WAITING, ANSWER_WITHIN);
  readonly #post: (message: ControlRequest) => void;
  readonly #steady: () => number;

  constructor(post: (message: ControlRequest) => void, steady: () => number) {
    this.#post = post;
    this.#steady = steady;
  }

  setIndexPrice(index: IndexPrice, settle: Settle, expire: () => void): boolean {
    return this.#ask(settle, expire, (id) => ({ type: 'index-price', id, ...index }));
  }

  setSettlementPrice(settlement: SettlementPrice, settle: Settle, expire: () => void): boolean {
    return this.#ask(settle, expire, (id) => ({ type: 'settlement-price', id, ...settlement }));
  }

  setVolSurface(surface: VolSurface, settle: Settle, expire: () => void): boolean {
    return this.#ask(settle, expire, (id) => ({ type: 'vol-surface', id, ...surface }));
  }

  listMarket(market: Market, settle: Settle, expire: () => void): boolean {
    return this.#ask(settle, expire, (id) => ({ type: 'list-market', id, ...market }));
  }

  deleteMarket(market: Market, settle: Settle, expire: () => void): boolean {
    return this.#ask(settle, expire, (id) => ({ type: 'delete-market', id, ...market }));
  }

  createCompetition(competition: CompetitionTerms, settle: Settle, expire: () => void): boolean {
    return this.#ask(settle, expire, (id) => ({ type: 'competition', id, ...competition }));
  }

  #ask(settle: Settle, expire: () => void, request: (id: number) => ControlRequest): boolean {
    if (this.pending.isFull) return false;
    this.#post(request(this.pending.add(this.#steady(), settle, expire)));
    return true;
  }
}
