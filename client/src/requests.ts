// The signed requests of a wallet. Fields are named as in the interface; sizes and prices go out as the text that was signed.
// Each method gives a request as a value: sign now, send later, send again. Nothing here talks to a venue.

import { priceText, sizeText, type Amount } from './amounts.ts';
import type {
  AgentAnswer, Api, BulkAnswer, CancelAllAnswer, MarginModeData, MmpConfigData, OrderUpdate, PayoutsSeenAnswer, TierAnswer,
  UsernameAnswer, UsernameRequestData,
} from './answers.ts';
import { StrikebookError } from './errors.ts';
import type { Request } from './http.ts';
import { nonceSourceOf, type Nonce, type NonceSource } from './nonces.ts';
import { perpTypedData } from './perps.ts';
import type { Signer } from './signer.ts';
import { domainOf, typedDataOf, type Domain, type Message, type TypedData } from './typed-data.ts';
import type { StructureName } from '../../shell/auth/structures.ts';

/** What of GET /exchange-info signing needs. */
export type SigningFacts = {
  readonly chain_id: number; readonly signing_domain: { readonly name: string; readonly version: string };
  readonly perp_source: string;
  readonly perp_assets: readonly { readonly asset: number; readonly symbol: string; readonly underlying: string }[];
};

export type OrderTerms = {
  readonly symbol: string; readonly side: 'Buy' | 'Sell'; readonly size: Amount; readonly price: Amount;
  /** Without it gtc. */
  readonly tif?: 'gtc' | 'ioc' | 'fok';
  readonly client_id?: string; readonly reduce_only?: boolean; readonly mmp_enabled?: boolean;
  readonly route?: 'best_execution' | 'book_only' | 'rfq_only';
};
/** What a replaced order becomes. */
export type ReplaceTerms = Omit<OrderTerms, 'route'> & { readonly order_id: number };
/** Times in ms; a limit that is absent is none. */
export type MmpTerms = {
  readonly currency: string; readonly interval_ms: number; readonly frozen_time_ms: number;
  readonly qty_limit?: string; readonly delta_limit?: string; readonly vega_limit?: string;
};

type Body = Readonly<Record<string, string | number | boolean | bigint | readonly number[] | undefined>>;
type Method = Request<unknown>['method'];

const PERP = '-PERP';

export class Requests {
  /** The wallet acted on: the signer's own, or the one that it is an agent of. */
  readonly wallet: string;
  readonly #signer: Signer;
  readonly #facts: SigningFacts;
  readonly #domain: Domain;
  readonly #nonces: NonceSource;

  constructor(facts: SigningFacts, signer: Signer, wallet = signer.address, nonces = nonceSourceOf(wallet)) {
    this.wallet = wallet.toLowerCase();
    this.#signer = signer;
    this.#facts = facts;
    this.#domain = domainOf(facts.signing_domain.name, facts.chain_id);
    this.#nonces = nonces;
  }

  async placeOrder(terms: OrderTerms, nonce?: Nonce): Promise<Request<OrderUpdate>> {
    const { symbol, side, tif = 'gtc', client_id: clientId = '', reduce_only: reduceOnly = false } = terms;
    const number = this.#number(nonce);
    const [size, price] = [sizeText(terms.size), priceText(terms.price)];
    const body = { wallet: this.wallet, ...terms, size, price, tif, client_id: clientId, nonce: number };
    if (symbol.endsWith(PERP)) return this.#perp(body, { side, size, price, tif, clientId, reduceOnly, nonce: number });
    const message = { wallet: this.wallet, symbol, side, size, price, tif, clientId, nonce: number };
    const route = terms.route ?? (reduceOnly ? 'book_only' : undefined);
    if (route === undefined) return this.#request('POST', '/order', 'PlaceOrder', message, body);
    if (!reduceOnly) return this.#request('POST', '/order', 'PlaceOrderRouted', { ...message, route }, body);
    return this.#request('POST', '/order', 'PlaceOrderReduceOnly', { ...message, route, reduceOnly }, { ...body, route });
  }

  async replaceOrder(terms: ReplaceTerms, nonce?: Nonce): Promise<Request<OrderUpdate>> {
    const { order_id: id, symbol, side, tif = 'gtc', client_id: clientId = '', reduce_only: reduceOnly = false } = terms;
    const number = this.#number(nonce);
    const [size, price] = [sizeText(terms.size), priceText(terms.price)];
    const body = { wallet: this.wallet, ...terms, size, price, tif, client_id: clientId, nonce: number };
    const message = { wallet: this.wallet, orderId: String(id), symbol, side, size, price, tif, clientId, nonce: number };
    if (!reduceOnly) return this.#request('PUT', '/order', 'ReplaceOrder', message, body);
    return this.#request('PUT', '/order', 'ReplaceOrderReduceOnly', { ...message, reduceOnly }, body);
  }

  async cancelOrder(orderId: number, nonce?: Nonce): Promise<Request<OrderUpdate>> {
    const body = { wallet: this.wallet, order_id: orderId, nonce: this.#number(nonce) };
    return this.#request('POST', '/cancel', 'CancelOrder', { wallet: this.wallet, orderId: String(orderId), nonce: body.nonce }, body);
  }

  async cancelOrderByClientId(clientId: string, nonce?: Nonce): Promise<Request<OrderUpdate>> {
    const body = { wallet: this.wallet, client_id: clientId, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, clientId, nonce: body.nonce };
    return this.#request('POST', '/cancel-by-cloid', 'CancelOrderByClientId', message, body);
  }

  /** Orders of an underlying, of a symbol, or with '' all. */
  async cancelAll(scope = '', nonce?: Nonce): Promise<Request<CancelAllAnswer>> {
    const message = { wallet: this.wallet, scope, nonce: this.#number(nonce) };
    return this.#request('POST', '/cancel-all', 'CancelAll', message, message);
  }

  async placeOrders(orders: readonly OrderTerms[]): Promise<Request<BulkAnswer>> {
    return bulk('POST', '/bulk_order', 'orders', await Promise.all(orders.map((terms) => this.placeOrder(terms))));
  }

  async replaceOrders(orders: readonly ReplaceTerms[]): Promise<Request<BulkAnswer>> {
    return bulk('PUT', '/bulk_order', 'replacements', await Promise.all(orders.map((terms) => this.replaceOrder(terms))));
  }

  async cancelOrders(orderIds: readonly number[]): Promise<Request<BulkAnswer>> {
    return bulk('DELETE', '/bulk_order', 'cancels', await Promise.all(orderIds.map((id) => this.cancelOrder(id))));
  }

  async cancelOrdersByClientId(clientIds: readonly string[]): Promise<Request<BulkAnswer>> {
    return bulk('DELETE', '/bulk_order_cloid', 'cancels', await Promise.all(clientIds.map((id) => this.cancelOrderByClientId(id))));
  }

  /** Signed by the owner. `expiresAt` in ms; without it the agent stays until it is revoked. */
  async approveAgent(agent: string, expiresAt?: number, nonce?: Nonce): Promise<Request<AgentAnswer>> {
    const message = { agent, nonce: this.#number(nonce) };
    const body = { wallet: this.wallet, ...message };
    if (expiresAt === undefined) return this.#request('POST', '/approve-agent', 'ApproveAgent', message, body);
    const until = { ...message, expiresAt: BigInt(expiresAt) };
    return this.#request('POST', '/approve-agent', 'ApproveAgentUntil', until, { ...body, expires_at: expiresAt });
  }

  async revokeAgent(agent: string, nonce?: Nonce): Promise<Request<AgentAnswer>> {
    const message = { agent, nonce: this.#number(nonce) };
    return this.#request('POST', '/revoke-agent', 'RevokeAgent', message, { wallet: this.wallet, ...message });
  }

  async revokeAllAgents(nonce?: Nonce): Promise<Request<AgentAnswer>> {
    const message = { nonce: this.#number(nonce) };
    return this.#request('DELETE', '/revoke-all-agents', 'RevokeAllAgents', message, { wallet: this.wallet, ...message });
  }

  async setMarginMode(mode: 'standard' | 'portfolio', nonce?: Nonce): Promise<Request<Api<MarginModeData>>> {
    const body = { wallet: this.wallet, margin_mode: mode, nonce: this.#number(nonce) };
    return this.#request('POST', '/margin-mode', 'SetMarginMode', { wallet: this.wallet, marginMode: mode, nonce: body.nonce }, body);
  }

  async setMmp(terms: MmpTerms, nonce?: Nonce): Promise<Request<MmpConfigData>> {
    const { currency, interval_ms: interval, frozen_time_ms: frozen } = terms;
    const { qty_limit: qtyLimit = '', delta_limit: deltaLimit = '', vega_limit: vegaLimit = '' } = terms;
    const body = { wallet: this.wallet, ...terms, nonce: this.#number(nonce) };
    const times = { intervalMs: BigInt(interval), frozenTimeMs: BigInt(frozen) };
    const message = { wallet: this.wallet, currency, ...times, qtyLimit, deltaLimit, vegaLimit, nonce: body.nonce };
    return this.#request('POST', '/mmp/config', 'SetMmpConfig', message, body);
  }

  async deleteMmp(currency: string, nonce?: Nonce): Promise<Request<null>> {
    const message = { wallet: this.wallet, currency, nonce: this.#number(nonce) };
    return this.#request('DELETE', '/mmp/config', 'DeleteMmpConfig', message, message);
  }

  async resetMmp(currency: string, nonce?: Nonce): Promise<Request<null>> {
    const message = { wallet: this.wallet, currency, nonce: this.#number(nonce) };
    return this.#request('POST', '/mmp/reset', 'ResetMmp', message, message);
  }

  async setUsername(username: string, nonce?: Nonce): Promise<Request<UsernameAnswer>> {
    const message = { wallet: this.wallet, username: username.trim(), nonce: this.#number(nonce) };
    return this.#request('POST', '/username', 'SetUsername', message, message);
  }

  async requestUsername(username: string, nonce?: Nonce): Promise<Request<Api<UsernameRequestData>>> {
    const message = { wallet: this.wallet, requestedUsername: username.trim(), nonce: this.#number(nonce) };
    const body = { wallet: this.wallet, requested_username: message.requestedUsername, nonce: message.nonce };
    return this.#request('POST', '/profile/username-request', 'SubmitUsernameRequest', message, body);
  }

  async markPayoutsSeen(ids: readonly number[], nonce?: Nonce): Promise<Request<PayoutsSeenAnswer>> {
    const body = { wallet: this.wallet, ids, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, payoutIds: ids.join(','), seen: true, nonce: body.nonce };
    return this.#request('POST', '/settlement-payouts/seen', 'SetSettlementPayoutSeen', message, body);
  }

  /** Of another wallet; the signer must be one of the operator's. */
  async setUserTier(wallet: string, tier: string, nonce?: Nonce): Promise<Request<TierAnswer>> {
    const message = { wallet, tier, nonce: this.#number(nonce) };
    return this.#request('POST', '/user-tier', 'SetUserTier', message, message);
  }

  #number(nonce: Nonce | undefined): bigint {
    if (typeof nonce === 'number' && !Number.isSafeInteger(nonce)) throw invalid(`Nonce ${nonce} is no safe integer: give a bigint`);
    const number = BigInt(nonce ?? this.#nonces.next());
    if (number < 0n || number >= 1n << 64n) throw invalid(`Nonce ${number} is not from 0 to 2^64 - 1`);
    return number;
  }

  async #perp(body: Body & { readonly symbol: string }, terms: PerpTexts): Promise<Request<OrderUpdate>> {
    const perp = this.#facts.perp_assets.find(({ symbol }) => symbol === body.symbol);
    if (perp === undefined) throw invalid(`${body.symbol} is no perp of this venue`);
    const agentFor = this.wallet === this.#signer.address.toLowerCase() ? null : this.wallet;
    const data = perpTypedData(this.#facts.perp_source, { ...terms, asset: perp.asset, agentFor });
    return this.#sign('POST', '/order', data, { ...body, underlying: perp.underlying });
  }

  #request<S extends StructureName, A>(method: Method, path: string, structure: S, message: Message<S>, body: Body): Promise<Request<A>> {
    return this.#sign(method, path, typedDataOf(this.#domain, structure, message), body);
  }

  async #sign<A>(method: Method, path: string, data: TypedData, body: Body): Promise<Request<A>> {
    const signature = await this.#signer.signTypedData(data);
    return { method, path, body: jsonOf({ ...body, signature }) };
  }
}

type PerpTexts = Omit<Parameters<typeof perpTypedData>[1], 'asset' | 'agentFor'>;

/** JSON in which a bigint is an integer with all its digits. */
function jsonOf(body: Body): string {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `"${name}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`).join(',')}}`;
}

/** The items are the bodies of the single requests, each with its own signature. */
function bulk(method: Method, path: string, name: string, items: readonly Request<OrderUpdate>[]): Request<BulkAnswer> {
  return { method, path, body: `{"${name}":[${items.map(({ body }) => body).join(',')}]}` };
}

function invalid(message: string): StrikebookError {
  return new StrikebookError('invalid_argument', message);
}
