// The client of one venue: `await connect(url, { signer })`. Signs what it sends in the domain that the venue states on
// /exchange-info, sends the very same bytes again when an answer was lost, and throws a StrikebookError for what the venue
// refuses. Answers and fields are those of the interface, unchanged; a REJECTED order is an answer.

import type { ExchangeInfo } from './answers.ts';
import { StrikebookError } from './errors.ts';
import { Http, type CallOptions, type HttpOptions, type Request } from './http.ts';
import type { Nonce, NonceSource } from './nonces.ts';
import type { Reads, Simulations } from './reads.ts';
import { Requests, type MmpTerms, type OrderTerms, type ReplaceTerms, type SigningFacts } from './requests.ts';
import type { Signer } from './signer.ts';
import { VenueSocket, type SocketOptions } from './socket.ts';

export { priceText, roundPrice, sizeText, type Amount } from './amounts.ts';
export type {
  Decimal, Side, Tif, InstrumentType, InstrumentStatus, Api, One, List, Paged, OrderInfo, OrderUpdate, BulkResult, BulkAnswer,
  CancelAllAnswer, Order, Fill, Trade, AgentAnswer, MarginMode, MarginModeData, MmpConfigData, UsernameAnswer,
  UsernameRequestData, PayoutsSeenAnswer, TierAnswer, ExchangeInfo, Instrument, MarketInstrument, Market, Greeks, OrderBook,
  OptionSummary, ChainLeg, OptionsChain, GreeksData, LimitIvData, Candle, CandlesData, TheosData, GasData, Position, Portfolio,
  PortfolioGreeks, PnlData, Payout, Profile, RiskGrid, Competition, Leaderboard, Ready,
} from './answers.ts';
export { LocalBook, type Level } from './book.ts';
export { CLIENT_CODES, StrikebookError, VENUE_CODES, type ErrorCode } from './errors.ts';
export type { AnswerFacts, CallOptions, HttpOptions, Request } from './http.ts';
export { NonceSource, type Nonce } from './nonces.ts';
export type { Reads, Simulations } from './reads.ts';
export { Requests, type MmpTerms, type OrderTerms, type ReplaceTerms, type SigningFacts } from './requests.ts';
export { createPrivateKey, privateKeySigner, type Signer } from './signer.ts';
export { VenueSocket, type Gap, type SocketEvents, type SocketOptions, type SubscribeOptions } from './socket.ts';
export type { ChannelName, FillMessage, Messages, OrderbookUpdate, OrderUpdateMessage, TradeMessage } from './messages.ts';
export type { Stream } from './stream.ts';
export { digestOf, DOMAIN_MEMBERS, type Domain, type TypedData } from './typed-data.ts';

export type ConnectOptions = HttpOptions & {
  /** Without it the client only reads. */
  readonly signer?: Signer;
  /** The wallet acted on; without it the signer's own. */
  readonly wallet?: string;
  /** Instead of the one that this process keeps for the wallet. */
  readonly nonces?: NonceSource;
};

/** Of one signed call. */
export type ActOptions = CallOptions & { readonly nonce?: Nonce };

/** Reads the venue's signing domain; throws when nothing answers. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Strikebook> {
  const http = new Http(url, options);
  const info = await http.send<ExchangeInfo>({ method: 'GET', path: '/exchange-info' });
  return new Strikebook(http, info, options);
}

export class Strikebook {
  readonly info: SigningFacts;
  readonly #http: Http;
  readonly #sign: Requests | null;

  constructor(http: Http, info: SigningFacts, { signer, wallet, nonces }: ConnectOptions = {}) {
    this.info = info;
    this.#http = http;
    this.#sign = signer === undefined ? null : new Requests(info, signer, wallet, nonces);
  }

  /** Makes signed requests without sending them; `send` sends. Throws when the client has no signer. */
  get sign(): Requests {
    if (this.#sign === null) throw new StrikebookError('invalid_argument', 'This client has no signer');
    return this.#sign;
  }

  /** The wallet acted on. */
  get wallet(): string {
    return this.sign.wallet;
  }

  /** Sends a request, or the same one again. */
  send<Answer>(request: Request<Answer>, call?: CallOptions): Promise<Answer> {
    return this.#http.send(request, call);
  }

  /** `get('/orderbook', { instrument_name })`: every read of the interface by its path. */
  get<P extends keyof Reads>(path: P, query: Reads[P]['query'], call?: CallOptions): Promise<Reads[P]['answer']> {
    return this.send({ method: 'GET', path: pathOf(path, query) }, call);
  }

  /** The reads whose question is a body: an implied volatility's price, risk of what is not held. */
  simulate<P extends keyof Simulations>(path: P, body: Simulations[P]['body'], call?: CallOptions): Promise<Simulations[P]['answer']> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body) }, call);
  }

  async placeOrder(terms: OrderTerms, act: ActOptions = {}) {
    return this.send(await this.sign.placeOrder(terms, act.nonce), act);
  }

  async replaceOrder(terms: ReplaceTerms, act: ActOptions = {}) {
    return this.send(await this.sign.replaceOrder(terms, act.nonce), act);
  }

  async cancelOrder(orderId: number, act: ActOptions = {}) {
    return this.send(await this.sign.cancelOrder(orderId, act.nonce), act);
  }

  async cancelOrderByClientId(clientId: string, act: ActOptions = {}) {
    return this.send(await this.sign.cancelOrderByClientId(clientId, act.nonce), act);
  }

  /** Orders of an underlying, of a symbol, or with '' all. */
  async cancelAll(scope = '', act: ActOptions = {}) {
    return this.send(await this.sign.cancelAll(scope, act.nonce), act);
  }

  /** At most 50; each item has its own outcome. */
  async placeOrders(orders: readonly OrderTerms[], call: CallOptions = {}) {
    return this.send(await this.sign.placeOrders(orders), call);
  }

  async replaceOrders(orders: readonly ReplaceTerms[], call: CallOptions = {}) {
    return this.send(await this.sign.replaceOrders(orders), call);
  }

  async cancelOrders(orderIds: readonly number[], call: CallOptions = {}) {
    return this.send(await this.sign.cancelOrders(orderIds), call);
  }

  async cancelOrdersByClientId(clientIds: readonly string[], call: CallOptions = {}) {
    return this.send(await this.sign.cancelOrdersByClientId(clientIds), call);
  }

  /** `expires_at` in ms; without it the agent stays until it is revoked. */
  async approveAgent(agent: string, { expires_at: until, ...act }: ActOptions & { readonly expires_at?: number } = {}) {
    return this.send(await this.sign.approveAgent(agent, until, act.nonce), act);
  }

  async revokeAgent(agent: string, act: ActOptions = {}) {
    return this.send(await this.sign.revokeAgent(agent, act.nonce), act);
  }

  async revokeAllAgents(act: ActOptions = {}) {
    return this.send(await this.sign.revokeAllAgents(act.nonce), act);
  }

  async setMarginMode(mode: 'standard' | 'portfolio', act: ActOptions = {}) {
    return this.send(await this.sign.setMarginMode(mode, act.nonce), act);
  }

  async setMmp(terms: MmpTerms, act: ActOptions = {}) {
    return this.send(await this.sign.setMmp(terms, act.nonce), act);
  }

  async deleteMmp(currency: string, act: ActOptions = {}) {
    return this.send(await this.sign.deleteMmp(currency, act.nonce), act);
  }

  async resetMmp(currency: string, act: ActOptions = {}) {
    return this.send(await this.sign.resetMmp(currency, act.nonce), act);
  }

  async setUsername(username: string, act: ActOptions = {}) {
    return this.send(await this.sign.setUsername(username, act.nonce), act);
  }

  async requestUsername(username: string, act: ActOptions = {}) {
    return this.send(await this.sign.requestUsername(username, act.nonce), act);
  }

  async markPayoutsSeen(ids: readonly number[], act: ActOptions = {}) {
    return this.send(await this.sign.markPayoutsSeen(ids, act.nonce), act);
  }

  /** Of another wallet; the signer must be one of the operator's. */
  async setUserTier(wallet: string, tier: string, act: ActOptions = {}) {
    return this.send(await this.sign.setUserTier(wallet, tier, act.nonce), act);
  }

  /** The socket of this venue, with this client's wallet for the private channels. It reconnects until it is closed. */
  socket(options: SocketOptions = {}): VenueSocket {
    return new VenueSocket(this.#http.url, { ...(this.#sign !== null && { wallet: this.#sign.wallet }), ...options });
  }
}

function pathOf(path: string, query: Readonly<Record<string, unknown>>): string {
  const rest = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (filled.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    else rest.set(name, String(value));
  }
  return rest.size === 0 ? filled : `${filled}?${rest}`;
}
