// The calls for orders, for REST and the socket. A REJECTED order is an answer; other failures throw a StrikebookError.

import type { Amount } from './amounts.ts';
import type { CallOptions } from './retries.ts';
import { callListener } from './listeners.ts';
import { StrikebookError } from './strikebook-error.ts';
import {
  sign, type AmendTerms, type DisconnectTerms, type Forms, type MassQuoteTerms, type OrderTerms, type ReplaceTerms, type Unsigned,
} from './forms.ts';
import type { Request } from './http.ts';
import type { Nonce } from './nonces.ts';
import type { Signer } from './signer.ts';

/** A signed request that was sent just now. `outcome` may reject. */
export type SignedAct = {
  readonly items: Unsigned<unknown>['items']; readonly request: Request<unknown>; readonly outcome: Promise<unknown>;
  /** Sends the same bytes again, the same way: the venue repeats its first result. */
  readonly sendAgain: (call?: CallOptions) => Promise<unknown>;
};
export type Account = {
  readonly signer: Signer; readonly forms: Forms; readonly onSigned?: ((act: SignedAct) => void) | undefined;
};
export type ActOptions = CallOptions & { readonly nonce?: Nonce };

type Stop = {
  readonly symbol: string; readonly side: OrderTerms['side']; readonly size: Amount;
  /** The worst price at which it may trade. */
  readonly price: Amount;
  readonly stop: Amount; readonly by?: TriggerBy;
};
type TriggerBy = NonNullable<OrderTerms['trigger']>['by'];
export type StopTerms = Stop & Pick<OrderTerms, 'client_id' | 'reduce_only' | 'mmp_enabled' | 'link_id' | 'expires_at' | 'valid_until'>;
/** `side` is that of the closing orders. */
export type BracketTerms = Stop & { readonly target: Amount; readonly link_id: string };
/** `side`, `size` and `price` are the entry's; `worst` is the price of the stop. */
export type EntryTerms = Omit<OrderTerms, 'reduce_only' | 'trigger'> & Pick<BracketTerms, 'by' | 'link_id' | 'stop' | 'target'> & {
  readonly worst: Amount;
};

/** The two orders of `bracket`, for a program that signs them by itself. */
export function bracketOrders({ symbol, side, size, price, stop, target, by = 'theo', link_id }: BracketTerms): readonly OrderTerms[] {
  const closing = { reduce_only: true, link_id };
  const limit = { symbol, side, size, price: target, ...closing };
  return [limit, { ...closing, ...stopOf({ symbol, side, size, price, stop, by }) }];
}

/**
 * The three orders of `enter`. Both exits wait: reduce-only triggers may come before the position exists. The target waits for a value in
 * the contract's own currency.
 */
export function entryOrders({ stop, target, worst, by = 'theo', link_id, ...entry }: EntryTerms): readonly OrderTerms[] {
  const side = entry.side === 'Buy' ? 'Sell' : 'Buy';
  const closing = { symbol: entry.symbol, side, size: entry.size } as const;
  const linked = { reduce_only: true, link_id, ...(entry.valid_until !== undefined && { valid_until: entry.valid_until }) };
  const direction = side === 'Sell' ? 'above' : 'below';
  const reached = { by: by === 'mark' ? by : 'theo', direction, price: target } as const;
  return [
    entry, { ...linked, ...stopOf({ ...closing, price: worst, stop, by }) },
    { ...linked, ...closing, price: target, trigger: reached },
  ];
}

/** A sale stops a fall, a purchase a rise. */
function stopOf({ symbol, side, size, price, stop, by }: Required<Stop>): OrderTerms {
  return { symbol, side, size, price, tif: 'ioc', trigger: { by, direction: side === 'Sell' ? 'below' : 'above', price: stop } };
}

export abstract class Trading {
  readonly #account: Account | null;

  constructor(account: Account | null) {
    this.#account = account;
  }

  /** Without a signer it only reads. */
  get isReadOnly(): boolean {
    return this.#account === null;
  }

  /** Builds requests for `sign` and `send`. Throws without a signer. */
  get forms(): Forms {
    return this.#own.forms;
  }

  get wallet(): string {
    return this.forms.wallet;
  }

  sign<Answer>(unsigned: Unsigned<Answer>): Promise<Request<Answer>> {
    return sign(unsigned, this.#own.signer);
  }

  abstract send<Answer>(request: Request<Answer>, call?: CallOptions): Promise<Answer>;

  async placeOrder(terms: OrderTerms, act: ActOptions = {}) {
    return this.act(this.forms.placeOrder(terms, act.nonce), act);
  }

  /** Waits until the value passes `stop`, then trades at `price` or better; the rest ends. Reduce-only by default. */
  async stopMarket({ symbol, side, size, price, stop, by = 'theo', ...more }: StopTerms, act: ActOptions = {}) {
    return this.placeOrder({ reduce_only: true, ...more, ...stopOf({ symbol, side, size, price, stop, by }) }, act);
  }

  /** Closes a position at a target or at a stop: two linked reduce-only orders that together trade at most `size`. */
  async bracket(terms: BracketTerms, call: CallOptions = {}) {
    return this.placeOrders(bracketOrders(terms), call);
  }

  /**
   * Opens a position with a stop and a target, in one request. Each closes at most what is held when it fires; both wait until they are
   * cancelled, also if the entry is refused.
   */
  async enter(terms: EntryTerms, call: CallOptions = {}) {
    return this.placeOrders(entryOrders(terms), call);
  }

  async replaceOrder(terms: ReplaceTerms, act: ActOptions = {}) {
    return this.act(this.forms.replaceOrder(terms, act.nonce), act);
  }

  /** Keeps the order's id, and its priority if the size is not larger at the same price. */
  async amendOrder(terms: AmendTerms, act: ActOptions = {}) {
    return this.act(this.forms.amendOrder(terms, act.nonce), act);
  }

  async cancelOrder(orderId: number, act: ActOptions = {}) {
    return this.act(this.forms.cancelOrder(orderId, act.nonce), act);
  }

  async cancelOrderByClientId(clientId: string, act: ActOptions = {}) {
    return this.act(this.forms.cancelOrderByClientId(clientId, act.nonce), act);
  }

  /** At most 50; each item has its own result. */
  async placeOrders(orders: readonly OrderTerms[], call: CallOptions = {}) {
    return this.act(this.forms.placeOrders(orders), call);
  }

  async replaceOrders(orders: readonly ReplaceTerms[], call: CallOptions = {}) {
    return this.act(this.forms.replaceOrders(orders), call);
  }

  async amendOrders(amends: readonly AmendTerms[], call: CallOptions = {}) {
    return this.act(this.forms.amendOrders(amends), call);
  }

  async cancelOrders(orderIds: readonly number[], call: CallOptions = {}) {
    return this.act(this.forms.cancelOrders(orderIds), call);
  }

  async cancelOrdersByClientId(clientIds: readonly string[], call: CallOptions = {}) {
    return this.act(this.forms.cancelOrdersByClientId(clientIds), call);
  }

  /**
   * `scope` is an underlying, a symbol, or '' for all. With `voidNonces`, first voids what the wallet has signed so far, so that no order
   * in transit can arrive later. If that is refused, the orders are still cancelled before it throws.
   */
  async cancelAll(scope = '', { voidNonces = false, ...act }: ActOptions & { readonly voidNonces?: boolean } = {}) {
    if (!voidNonces) return this.act(this.forms.cancelAll(scope, act.nonce), act);
    if (act.nonce !== undefined) throw new StrikebookError('invalid_argument', 'cancelAll takes two nonces with voidNonces: give none');
    const form = this.forms.voidNonces();
    let refused: { readonly error: unknown } | null = null;
    await this.act(form, act).catch((error: unknown) => { refused = { error }; });
    const answer = await this.act(this.forms.cancelAll(scope), act);
    if (refused !== null) throw (refused as { readonly error: unknown }).error;
    return answer;
  }

  /** Quotes up to 100 contracts of one underlying in one step. */
  async massQuote(terms: MassQuoteTerms, act: ActOptions = {}) {
    return this.act(this.forms.massQuote(terms, act.nonce), act);
  }

  /** Of a set or of all sets (''); everywhere, or in an underlying or market. */
  async cancelQuotes(quoteSet = '', scope = '', act: ActOptions = {}) {
    return this.act(this.forms.cancelQuotes(quoteSet, scope, act.nonce), act);
  }

  /** Voids every nonce up to `upTo`, by default up to this request's own. The wallet itself must sign. */
  async voidNonces(upTo?: Nonce, act: ActOptions = {}) {
    return this.act(this.forms.voidNonces(upTo, act.nonce), act);
  }

  /** Dead man's switch: cancels all open orders after this time unless called again. 0 turns it off. */
  async cancelAfter(timeoutMs: number, act: ActOptions = {}) {
    return this.act(this.forms.cancelAfter(timeoutMs, act.nonce), act);
  }

  async setCancelOnDisconnect(terms: DisconnectTerms, act: ActOptions = {}) {
    return this.act(this.forms.setCancelOnDisconnect(terms, act.nonce), act);
  }

  protected async act<Answer>(unsigned: Unsigned<Answer>, call: CallOptions): Promise<Answer> {
    const request = await this.sign(unsigned);
    const outcome = this.send(request, call);
    const { onSigned } = this.#own;
    if (onSigned !== undefined) {
      const act: SignedAct = { items: unsigned.items, request, outcome, sendAgain: (again) => this.send(request, again) };
      callListener(() => onSigned(act), () => undefined);
    }
    return outcome;
  }

  get #own(): Account {
    if (this.#account === null) throw new StrikebookError('invalid_argument', 'This client has no signer');
    return this.#account;
  }
}
