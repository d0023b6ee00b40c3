// Builds signed requests: the data to sign, and the body that the signature completes. Signs and sends nothing, so a request can be signed
// elsewhere and sent later.

import { priceText, sizeText, type Amount } from './amounts.ts';
import { StrikebookError } from './strikebook-error.ts';
import type { Request } from './http.ts';
import { nonceSourceOf, type Nonce, type NonceSource } from './nonces.ts';
import { perpTypedData } from './perps.ts';
import type { Signer } from './signer.ts';
import { domainOf, typedDataOf, type Domain, type StructureMessage, type TypedData } from './typed-data.ts';
import type { StructureName } from '../../core/codec/signed-commands.ts';
import type {
  MarginModeData, MmpConfigData, PayoutsSeenAnswer, TierAnswer, UsernameAnswer, UsernameRequestData,
} from '../../shell/http/shapes/account.ts';
import type { AgentAnswer } from '../../shell/http/shapes/answers.ts';
import type { ExchangeInfo } from '../../shell/http/shapes/service.ts';
import type { Api } from '../../shell/http/shapes/shape.ts';
import type {
  BulkAnswer, CancelAfterData, CancelAllAnswer, CancelOnDisconnectData, CancelQuotesAnswer, OrderUpdate, QuoteAnswer, VoidNoncesData,
} from '../../shell/http/shapes/trading.ts';
import type { MarginMode, Side, Tif } from '../../shell/http/shapes/enums.ts';

export type SigningFacts = Pick<ExchangeInfo, 'chain_id' | 'signing_domain' | 'perp_source' | 'perp_assets'>;

export type OrderTerms = {
  readonly symbol: string; readonly side: Side; readonly size: Amount; readonly price: Amount;
  /** Default gtc. */
  readonly tif?: Tif;
  readonly client_id?: string; readonly reduce_only?: boolean; readonly mmp_enabled?: boolean;
  readonly route?: 'best_execution' | 'book_only' | 'rfq_only';
} & ExtendedTerms;
/** Any of these makes an extended order. Times in ms. */
type ExtendedTerms = {
  /** `true`: refused if it would trade on arrival; `slide`: moved behind the best opposite order. */
  readonly post_only?: boolean | 'slide';
  /** When the order ends. */
  readonly expires_at?: number;
  /** The request must be sequenced before this time. Default of an extended order: 10 s from now. */
  readonly valid_until?: number;
  readonly stp?: 'cancel_maker' | 'cancel_taker' | 'cancel_both';
  readonly trigger?: { readonly by: 'index' | 'theo' | 'mark'; readonly direction: 'above' | 'below'; readonly price: Amount };
  readonly link_id?: string;
};
/** `size` is the new total, filled part included. `valid_until` in ms, default 10 s from now. */
export type AmendTerms = {
  readonly order_id: number; readonly size: Amount; readonly price: Amount; readonly trigger_price?: Amount; readonly valid_until?: number;
};
/** Size 0 removes the quote; without a price it keeps its price. */
type QuoteSide = { readonly size: Amount; readonly price?: Amount };
/** A side that is left out stays as it is. */
export type QuoteTerms = { readonly symbol: string; readonly bid?: QuoteSide; readonly ask?: QuoteSide };
/** `crossing`: for a quote that could trade on arrival, default `reject`. `valid_until` in ms, default 10 s from now. */
export type MassQuoteTerms = {
  readonly quote_set: string; readonly quotes: readonly QuoteTerms[]; readonly crossing?: 'reject' | 'slide'; readonly valid_until?: number;
  readonly detailed?: boolean;
};
export type ReplaceTerms = Omit<OrderTerms, 'route'> & { readonly order_id: number };
/** `connection`: the socket whose loss counts; default: the wallet's last with a signed request. */
export type DisconnectTerms = { readonly enabled: boolean; readonly grace_ms: number; readonly connection?: string };
/** Times in ms. A missing limit is no limit. */
export type MmpTerms = {
  readonly currency: string; readonly interval_ms: number; readonly frozen_time_ms: number;
  readonly qty_limit?: string; readonly delta_limit?: string; readonly vega_limit?: string;
};

type Body = Readonly<Record<string, string | number | boolean | bigint | readonly number[] | Readonly<Record<string, string>> | undefined>>;
type Item = { readonly data: TypedData; readonly body: Body };
/** `list`: the field with the items of a bulk, each signed by itself; null: the single item is the body. */
export type Unsigned<Answer> = {
  readonly method: Request<unknown>['method']; readonly path: string; readonly list: string | null; readonly items: readonly Item[];
  /** Never set; carries the answer's type. */
  readonly answer?: Answer;
};

export type FormOptions = {
  /** Default: the signer's own. */
  readonly wallet?: string | undefined;
  readonly nonces?: NonceSource | undefined;
  readonly now?: () => number;
  /** Sends sizes and prices unchecked, to test what a venue refuses. */
  readonly areAmountsRaw?: boolean;
};

const PERP = '-PERP';
/** How long an extended order may be on its way. */
const VALID_MS = 10_000;
/** One per venue, so that it is hashed once. */
const domains = new WeakMap<SigningFacts, Domain>();

export function signedRequest<Answer>({ method, path, list, items }: Unsigned<Answer>, signatures: readonly string[]): Request<Answer> {
  const bodies = items.map(({ body }, at) => jsonOf({ ...body, signature: signatures[at] }));
  return { method, path, body: list === null ? bodies[0]! : `{"${list}":[${bodies.join(',')}]}` };
}

export async function sign<Answer>(unsigned: Unsigned<Answer>, signer: Signer): Promise<Request<Answer>> {
  return signedRequest(unsigned, await Promise.all(unsigned.items.map(({ data }) => signer.signTypedData(data))));
}

export class Forms {
  readonly wallet: string;
  readonly #facts: SigningFacts;
  readonly #domain: Domain;
  #nonces: NonceSource | undefined;
  readonly #now: () => number;
  readonly #areAmountsRaw: boolean;
  /** The wallet, if an agent signs for it; used by perp orders. */
  readonly #agentFor: string | null;

  constructor(facts: SigningFacts, signer: string, { wallet = signer, nonces, now = Date.now, areAmountsRaw }: FormOptions = {}) {
    this.wallet = wallet.toLowerCase();
    this.#facts = facts;
    this.#domain = domains.get(facts) ?? domainOf(facts.signing_domain.name, facts.chain_id);
    domains.set(facts, this.#domain);
    this.#nonces = nonces;
    this.#now = now;
    this.#areAmountsRaw = areAmountsRaw ?? false;
    this.#agentFor = this.wallet === signer.toLowerCase() ? null : this.wallet;
  }

  placeOrder(terms: OrderTerms, nonce?: Nonce): Unsigned<OrderUpdate> {
    const { symbol, side, tif = 'gtc', client_id: clientId = '', reduce_only: reduceOnly = false } = terms;
    const { size, price } = this.#amounts(terms);
    const message = { wallet: this.wallet, symbol, side, size, price, tif, clientId, nonce: this.#number(nonce) };
    const body = { ...this.#body(terms, message), route: terms.route };
    const extended = this.#extended(terms);
    if (extended !== null) {
      const perp = textOf('symbol', symbol).endsWith(PERP) ? { underlying: symbol.slice(0, -PERP.length) } : {};
      const signed = { ...message, ...extended.message, reduceOnly };
      return this.#form('POST', '/order', 'PlaceOrderExtended', signed, { ...body, ...perp, ...extended.body });
    }
    if (textOf('symbol', symbol).endsWith(PERP)) return this.#perp({ ...message, reduceOnly }, body);
    const route = terms.route ?? (reduceOnly ? 'book_only' : undefined);
    if (route === undefined) return this.#form('POST', '/order', 'PlaceOrder', message, body);
    if (!reduceOnly) return this.#form('POST', '/order', 'PlaceOrderRouted', { ...message, route }, body);
    return this.#form('POST', '/order', 'PlaceOrderReduceOnly', { ...message, route, reduceOnly }, { ...body, route });
  }

  replaceOrder(terms: ReplaceTerms, nonce?: Nonce): Unsigned<OrderUpdate> {
    const { order_id: id, symbol, side, tif = 'gtc', client_id: clientId = '', reduce_only: reduceOnly = false } = terms;
    const { size, price } = this.#amounts(terms);
    const order = { symbol, side, size, price, tif, clientId, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, orderId: String(id), ...order };
    const body = { ...this.#body(terms, message), order_id: id };
    const extended = this.#extended(terms);
    if (extended !== null) {
      const signed = { ...message, ...extended.message, reduceOnly };
      return this.#form('PUT', '/order', 'ReplaceOrderExtended', signed, { ...body, ...extended.body });
    }
    if (!reduceOnly) return this.#form('PUT', '/order', 'ReplaceOrder', message, body);
    return this.#form('PUT', '/order', 'ReplaceOrderReduceOnly', { ...message, reduceOnly }, body);
  }

  amendOrder(terms: AmendTerms, nonce?: Nonce): Unsigned<OrderUpdate> {
    const { order_id: id, trigger_price: trigger, valid_until: validUntil = this.#now() + VALID_MS } = terms;
    const { size, price } = this.#amounts(terms);
    const triggerPrice = trigger === undefined ? undefined : this.#price(trigger);
    const own = this.#number(nonce);
    const message = {
      wallet: this.wallet, orderId: String(id), size, price, triggerPrice: triggerPrice ?? '', validUntil: msOf('valid_until', validUntil),
      nonce: own,
    };
    const body = { wallet: this.wallet, order_id: id, size, price, trigger_price: triggerPrice, valid_until: validUntil, nonce: own };
    return this.#form('POST', '/amend', 'AmendOrder', message, body);
  }

  cancelOrder(orderId: number, nonce?: Nonce): Unsigned<OrderUpdate> {
    const body = { wallet: this.wallet, order_id: orderId, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, orderId: String(orderId), nonce: body.nonce };
    return this.#form('POST', '/cancel', 'CancelOrder', message, body);
  }

  cancelOrderByClientId(clientId: string, nonce?: Nonce): Unsigned<OrderUpdate> {
    const body = { wallet: this.wallet, client_id: clientId, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, clientId, nonce: body.nonce };
    return this.#form('POST', '/cancel-by-cloid', 'CancelOrderByClientId', message, body);
  }

  /** Sign with an agent's key: no wallet can display the text. */
  massQuote(terms: MassQuoteTerms, nonce?: Nonce): Unsigned<QuoteAnswer> {
    const { quote_set, crossing = 'reject', detailed, valid_until = this.#now() + VALID_MS } = terms;
    const quotes = terms.quotes.map((line) => this.#line(line)).join('\n');
    const message = {
      wallet: this.wallet, quoteSet: quote_set, validUntil: msOf('valid_until', valid_until), crossing, quotes, nonce: this.#number(nonce),
    };
    const body = { wallet: this.wallet, quote_set, valid_until, crossing, quotes, detailed, nonce: message.nonce };
    return this.#form('POST', '/mass-quote', 'MassQuote', message, body);
  }

  /** `quoteSet`: '' for all sets. `scope`: an underlying, a symbol, or ''. */
  cancelQuotes(quoteSet = '', scope = '', nonce?: Nonce): Unsigned<CancelQuotesAnswer> {
    const message = { wallet: this.wallet, quoteSet, scope, nonce: this.#number(nonce) };
    return this.#form('POST', '/cancel-quotes', 'CancelQuotes', message, { ...message, quote_set: quoteSet, quoteSet: undefined });
  }

  #line({ symbol, bid, ask }: QuoteTerms): string {
    const texts = [bid, ask].flatMap((side) => [
      side === undefined ? '-' : this.#areAmountsRaw || side.size === 0 ? String(side.size) : sizeText(side.size),
      side?.price === undefined ? '-' : this.#areAmountsRaw ? String(side.price) : priceText(side.price),
    ]);
    return [symbol, ...texts].join(' ');
  }

  /** `scope`: an underlying, a symbol, or '' for all orders. */
  cancelAll(scope = '', nonce?: Nonce): Unsigned<CancelAllAnswer> {
    return this.#plain('POST', '/cancel-all', 'CancelAll', { wallet: this.wallet, scope, nonce: this.#number(nonce) });
  }

  /** Requests with a nonce up to `upTo`, by default this one's own, can no longer act. The wallet itself must sign. */
  voidNonces(upTo?: Nonce, nonce?: Nonce): Unsigned<Api<VoidNoncesData>> {
    if (this.#agentFor !== null) throw invalid('An agent cannot void the nonces of its wallet');
    const own = this.#number(nonce);
    const last = upTo === undefined ? own : this.#number(upTo);
    if (last > own || own >= 1n << 63n) throw invalid(`Nonces up to ${last} cannot be voided with nonce ${own}`);
    const body = { wallet: this.wallet, up_to: last, nonce: own };
    return this.#form('POST', '/void-nonces', 'VoidNonces', { wallet: this.wallet, upTo: last, nonce: own }, body);
  }

  /** 0 turns it off; asking again restarts it. */
  cancelAfter(timeoutMs: number, nonce?: Nonce): Unsigned<Api<CancelAfterData>> {
    const signed = msOf('timeoutMs', timeoutMs);
    const body = { wallet: this.wallet, timeout_ms: timeoutMs, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, timeoutMs: signed, nonce: body.nonce };
    return this.#form('POST', '/cancel-after', 'CancelAfter', message, body);
  }

  setCancelOnDisconnect(terms: DisconnectTerms, nonce?: Nonce): Unsigned<Api<CancelOnDisconnectData>> {
    const { enabled, grace_ms: grace, connection = '' } = terms;
    const graceMs = msOf('grace_ms', grace);
    const body = { wallet: this.wallet, enabled, grace_ms: grace, connection, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, enabled, graceMs, connection, nonce: body.nonce };
    return this.#form('POST', '/cancel-on-disconnect', 'SetCancelOnDisconnect', message, body);
  }

  placeOrders(orders: readonly OrderTerms[]): Unsigned<BulkAnswer> {
    return bulk('POST', '/bulk_order', 'orders', orders.map((terms) => this.placeOrder(terms)));
  }

  replaceOrders(orders: readonly ReplaceTerms[]): Unsigned<BulkAnswer> {
    return bulk('PUT', '/bulk_order', 'replacements', orders.map((terms) => this.replaceOrder(terms)));
  }

  amendOrders(amends: readonly AmendTerms[]): Unsigned<BulkAnswer> {
    return bulk('PUT', '/bulk_amend', 'amends', amends.map((terms) => this.amendOrder(terms)));
  }

  cancelOrders(orderIds: readonly number[]): Unsigned<BulkAnswer> {
    return bulk('DELETE', '/bulk_order', 'cancels', orderIds.map((id) => this.cancelOrder(id)));
  }

  cancelOrdersByClientId(clientIds: readonly string[]): Unsigned<BulkAnswer> {
    return bulk('DELETE', '/bulk_order_cloid', 'cancels', clientIds.map((id) => this.cancelOrderByClientId(id)));
  }

  /** The wallet itself must sign. `expiresAt` in ms; without it the agent stays until revoked. */
  approveAgent(agent: string, expiresAt?: number, nonce?: Nonce): Unsigned<AgentAnswer> {
    const until = expiresAt === undefined ? null : { expiresAt: msOf('expires_at', expiresAt) };
    const message = { agent, nonce: this.#number(nonce) };
    const body = { wallet: this.wallet, ...message };
    if (until === null) return this.#form('POST', '/approve-agent', 'ApproveAgent', message, body);
    return this.#form('POST', '/approve-agent', 'ApproveAgentUntil', { ...message, ...until }, { ...body, expires_at: expiresAt });
  }

  revokeAgent(agent: string, nonce?: Nonce): Unsigned<AgentAnswer> {
    const message = { agent, nonce: this.#number(nonce) };
    return this.#form('POST', '/revoke-agent', 'RevokeAgent', message, { wallet: this.wallet, ...message });
  }

  revokeAllAgents(nonce?: Nonce): Unsigned<AgentAnswer> {
    const message = { nonce: this.#number(nonce) };
    return this.#form('DELETE', '/revoke-all-agents', 'RevokeAllAgents', message, { wallet: this.wallet, ...message });
  }

  setMarginMode(mode: MarginMode, nonce?: Nonce): Unsigned<Api<MarginModeData>> {
    const body = { wallet: this.wallet, margin_mode: mode, nonce: this.#number(nonce) };
    return this.#form('POST', '/margin-mode', 'SetMarginMode', { wallet: this.wallet, marginMode: mode, nonce: body.nonce }, body);
  }

  setMmp(terms: MmpTerms, nonce?: Nonce): Unsigned<MmpConfigData> {
    const { currency, interval_ms: interval, frozen_time_ms: frozen } = terms;
    const { qty_limit: qtyLimit = '', delta_limit: deltaLimit = '', vega_limit: vegaLimit = '' } = terms;
    const times = { intervalMs: msOf('interval_ms', interval), frozenTimeMs: msOf('frozen_time_ms', frozen) };
    const message = { wallet: this.wallet, currency, ...times, qtyLimit, deltaLimit, vegaLimit, nonce: this.#number(nonce) };
    const limits = { qty_limit: terms.qty_limit, delta_limit: terms.delta_limit, vega_limit: terms.vega_limit };
    const body = { wallet: this.wallet, currency, interval_ms: interval, frozen_time_ms: frozen, ...limits, nonce: message.nonce };
    return this.#form('POST', '/mmp/config', 'SetMmpConfig', message, body);
  }

  deleteMmp(currency: string, nonce?: Nonce): Unsigned<null> {
    return this.#plain('DELETE', '/mmp/config', 'DeleteMmpConfig', { wallet: this.wallet, currency, nonce: this.#number(nonce) });
  }

  resetMmp(currency: string, nonce?: Nonce): Unsigned<null> {
    return this.#plain('POST', '/mmp/reset', 'ResetMmp', { wallet: this.wallet, currency, nonce: this.#number(nonce) });
  }

  /** Surrounding spaces are not signed. */
  setUsername(name: string, nonce?: Nonce): Unsigned<UsernameAnswer> {
    const username = textOf('username', name).trim();
    return this.#plain('POST', '/username', 'SetUsername', { wallet: this.wallet, username, nonce: this.#number(nonce) });
  }

  requestUsername(name: string, nonce?: Nonce): Unsigned<Api<UsernameRequestData>> {
    const message = { wallet: this.wallet, requestedUsername: textOf('username', name).trim(), nonce: this.#number(nonce) };
    const body = { wallet: this.wallet, requested_username: message.requestedUsername, nonce: message.nonce };
    return this.#form('POST', '/profile/username-request', 'SubmitUsernameRequest', message, body);
  }

  markPayoutsSeen(ids: readonly number[], nonce?: Nonce): Unsigned<PayoutsSeenAnswer> {
    const body = { wallet: this.wallet, ids, nonce: this.#number(nonce) };
    const message = { wallet: this.wallet, payoutIds: ids.join(','), seen: true, nonce: body.nonce };
    return this.#form('POST', '/settlement-payouts/seen', 'SetSettlementPayoutSeen', message, body);
  }

  /** For another wallet; the operator must sign. */
  setUserTier(wallet: string, tier: string, nonce?: Nonce): Unsigned<TierAnswer> {
    return this.#plain('POST', '/user-tier', 'SetUserTier', { wallet, tier, nonce: this.#number(nonce) });
  }

  #number(nonce: Nonce | undefined): bigint {
    if (typeof nonce === 'number' && !Number.isSafeInteger(nonce)) throw invalid(`Nonce ${nonce} is no safe integer: give a bigint`);
    const number = BigInt(nonce ?? (this.#nonces ??= nonceSourceOf(this.wallet)).next());
    if (number < 0n || number >= 1n << 64n) throw invalid(`Nonce ${number} is not from 0 to 2^64 - 1`);
    return number;
  }

  #amounts({ size, price }: { readonly size: Amount; readonly price: Amount }): { readonly size: string; readonly price: string } {
    return { size: this.#areAmountsRaw ? String(size) : sizeText(size), price: this.#price(price) };
  }

  #price(price: Amount): string {
    return this.#areAmountsRaw ? String(price) : priceText(price);
  }

  /** The caller's object may have more fields, which would change the message. */
  #body({ reduce_only, mmp_enabled }: Omit<OrderTerms, 'route'>, { clientId, ...texts }: OrderTexts): Body {
    const { wallet, symbol, side, size, price, tif, nonce } = texts;
    return { wallet, symbol, side, size, price, tif, client_id: clientId, reduce_only, mmp_enabled, nonce };
  }

  /** Null for a plain order. */
  #extended(terms: ExtendedTerms): { readonly message: ExtendedMembers; readonly body: Body } | null {
    const { post_only, expires_at, stp, trigger, link_id } = terms;
    if ([post_only, expires_at, terms.valid_until, stp, trigger, link_id].every((one) => one === undefined)) return null;
    const validUntil = terms.valid_until ?? this.#now() + VALID_MS;
    const price = trigger === undefined ? '' : this.#price(trigger.price);
    const message = {
      postOnly: post_only === true ? 'reject' : post_only === 'slide' ? post_only : '', expiresAt: msOf('expires_at', expires_at ?? 0),
      validUntil: msOf('valid_until', validUntil), stp: stp ?? '', triggerBy: trigger?.by ?? '', triggerDirection: trigger?.direction ?? '',
      triggerPrice: price, linkId: link_id ?? '',
    };
    const waits = trigger === undefined ? {} : { trigger: { by: trigger.by, direction: trigger.direction, price } };
    return { message, body: { post_only, expires_at, valid_until: validUntil, stp, link_id, ...waits } };
  }

  #perp({ symbol, ...terms }: PerpTexts & { readonly symbol: string }, body: Body): Unsigned<OrderUpdate> {
    const perp = this.#facts.perp_assets.find((one) => one.symbol === symbol);
    if (perp === undefined) throw invalid(`${symbol} is no perp of this venue, or was listed after this client connected`);
    const data = perpTypedData(this.#facts.perp_source, { ...terms, asset: perp.asset, agentFor: this.#agentFor });
    return { method: 'POST', path: '/order', list: null, items: [{ data, body: { ...body, underlying: perp.underlying } }] };
  }

  #form<S extends StructureName, A>(method: Method, path: string, structure: S, message: StructureMessage<S>, body: Body): Unsigned<A> {
    return { method, path, list: null, items: [{ data: typedDataOf(this.#domain, structure, message), body }] };
  }

  #plain<S extends StructureName, A>(method: Method, path: string, structure: S, message: StructureMessage<S> & Body): Unsigned<A> {
    return this.#form(method, path, structure, message, message);
  }
}

type Method = Request<unknown>['method'];
type OrderTexts = StructureMessage<'PlaceOrder'>;
type ExtendedMembers = Omit<StructureMessage<'PlaceOrderExtended'>, keyof OrderTexts | 'reduceOnly'>;
type PerpTexts = Omit<Parameters<typeof perpTypedData>[1], 'asset' | 'agentFor'>;

/** A bigint keeps all its digits. */
function jsonOf(body: Body): string {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `"${name}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`).join(',')}}`;
}

function bulk(method: Method, path: string, list: string, requests: readonly Unsigned<OrderUpdate>[]): Unsigned<BulkAnswer> {
  return { method, path, list, items: requests.flatMap(({ items }) => items) };
}

/** JavaScript callers may omit the text. */
function textOf(name: string, value: string): string {
  if (typeof value !== 'string') throw invalid(`${name} must be a text`);
  return value;
}

function msOf(name: string, ms: number): bigint {
  if (!Number.isSafeInteger(ms) || ms < 0) throw invalid(`${name} ${ms} is no whole number of milliseconds from 0`);
  return BigInt(ms);
}

function invalid(message: string): StrikebookError {
  return new StrikebookError('invalid_argument', message);
}
