// The calls of order entry, over whatever carries them: REST (main.ts) and the socket (socket.ts) carry the same signed bytes.
// A REJECTED order is an answer; everything else that fails throws a StrikebookError.

import type { CallOptions } from './attempts.ts';
import { StrikebookError } from './errors.ts';
import { sign, type DisconnectTerms, type Forms, type OrderTerms, type ReplaceTerms, type Unsigned } from './forms.ts';
import type { Request } from './http.ts';
import type { Nonce } from './nonces.ts';
import type { Signer } from './signer.ts';

/** Who signs, and what is made for it to sign. */
export type Account = { readonly signer: Signer; readonly forms: Forms };
/** Of one signed call. */
export type ActOptions = CallOptions & { readonly nonce?: Nonce };

export abstract class Trading {
  readonly #account: Account | null;

  constructor(account: Account | null) {
    this.#account = account;
  }

  /** Makes requests that `sign` signs and `send` sends. Throws when there is no signer. */
  get forms(): Forms {
    return this.#own.forms;
  }

  /** The wallet acted on. */
  get wallet(): string {
    return this.forms.wallet;
  }

  sign<Answer>(unsigned: Unsigned<Answer>): Promise<Request<Answer>> {
    return sign(unsigned, this.#own.signer);
  }

  /** Sends a request, or the same one again. */
  abstract send<Answer>(request: Request<Answer>, call?: CallOptions): Promise<Answer>;

  async placeOrder(terms: OrderTerms, act: ActOptions = {}) {
    return this.act(this.forms.placeOrder(terms, act.nonce), act);
  }

  async replaceOrder(terms: ReplaceTerms, act: ActOptions = {}) {
    return this.act(this.forms.replaceOrder(terms, act.nonce), act);
  }

  async cancelOrder(orderId: number, act: ActOptions = {}) {
    return this.act(this.forms.cancelOrder(orderId, act.nonce), act);
  }

  async cancelOrderByClientId(clientId: string, act: ActOptions = {}) {
    return this.act(this.forms.cancelOrderByClientId(clientId, act.nonce), act);
  }

  /** At most 50; each item has its own outcome. */
  async placeOrders(orders: readonly OrderTerms[], call: CallOptions = {}) {
    return this.act(this.forms.placeOrders(orders), call);
  }

  async replaceOrders(orders: readonly ReplaceTerms[], call: CallOptions = {}) {
    return this.act(this.forms.replaceOrders(orders), call);
  }

  async cancelOrders(orderIds: readonly number[], call: CallOptions = {}) {
    return this.act(this.forms.cancelOrders(orderIds), call);
  }

  async cancelOrdersByClientId(clientIds: readonly string[], call: CallOptions = {}) {
    return this.act(this.forms.cancelOrdersByClientId(clientIds), call);
  }

  /**
   * Orders of an underlying, of a symbol, or with '' all. With `voidNonces` first all that the wallet has signed and that has not acted
   * is void, whatever its scope, so that no order still under way comes after. The orders go also where that is refused, which is
   * thrown then.
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

  /** Voids every nonce up to this one, without it up to that of this request. The wallet itself signs it. */
  async voidNonces(upTo?: Nonce, act: ActOptions = {}) {
    return this.act(this.forms.voidNonces(upTo, act.nonce), act);
  }

  /** A dead man's switch: cancels every open order in so many ms, unless it is asked again before; 0 takes it away. */
  async cancelAfter(timeoutMs: number, act: ActOptions = {}) {
    return this.act(this.forms.cancelAfter(timeoutMs, act.nonce), act);
  }

  async setCancelOnDisconnect(terms: DisconnectTerms, act: ActOptions = {}) {
    return this.act(this.forms.setCancelOnDisconnect(terms, act.nonce), act);
  }

  protected async act<Answer>(unsigned: Unsigned<Answer>, call: CallOptions): Promise<Answer> {
    return this.send(await this.sign(unsigned), call);
  }

  get #own(): Account {
    if (this.#account === null) throw new StrikebookError('invalid_argument', 'This client has no signer');
    return this.#account;
  }
}
