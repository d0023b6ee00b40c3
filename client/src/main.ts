// The client of one venue: `await connect(url, { signer })`. Answers are the interface's, unchanged; a REJECTED order is an answer. Other
// refusals throw a StrikebookError.

import type { CallOptions } from './retries.ts';
import { StrikebookError } from './strikebook-error.ts';
import { Forms, type MmpTerms } from './forms.ts';
import { Http, type HttpOptions, type Request } from './http.ts';
import type { NonceSource } from './nonces.ts';
import type { Reads, Simulations } from './reads.ts';
import type { Signer } from './signer.ts';
import { VenueSocket, type SocketOptions } from './socket.ts';
import { Trading, type Account, type ActOptions, type SignedAct } from './trading.ts';
import type { ExchangeInfo } from '../../shell/http/shapes/service.ts';
import type { MarginMode } from '../../shell/http/shapes/enums.ts';

// Money of accounts is decimal text; market data are numbers. Times end in their unit: ms (`timestamp`, `…_ms`), seconds (`expiry`,
// `expiry_ts`) or ISO 8601 (`…_at`, except `created_at` of orders and payouts, in ms). Integers above 2^53 (`nonce`, `up_to`) are rounded
// by JavaScript.
export { priceText, roundPrice, sizeText, type Amount } from './amounts.ts';
export type {
  AccountRow, Competition, LedgerEntry, MarginModeData, MmpConfigData, MmpState, Payout, PayoutsSeenAnswer, PnlData, Portfolio,
  PortfolioGreeks, Position, Profile, RiskGrid, RiskInputs, StreamedPosition, TierAnswer, UsernameAnswer, UsernameRequestData,
} from '../../shell/http/shapes/account.ts';
export type { AgentAnswer, CreditAnswer, Leaderboard } from '../../shell/http/shapes/answers.ts';
export type {
  Candle, CandlesData, ChainLeg, GasData, Greeks, GreeksData, Instrument, InstrumentCandle, InstrumentCandlesData, Market, MarketInstrument,
  OptionsChain, OptionSummary, OrderBook, PastGreeksData, TheosData, VolIndexData,
} from '../../shell/http/shapes/markets.ts';
export type { ExchangeInfo, Ready } from '../../shell/http/shapes/service.ts';
export type { Api, Decimal, List, One, Paged } from '../../shell/http/shapes/shape.ts';
export type {
  BulkAnswer, BulkResult, CancelAfterData, CancelAllAnswer, CancelOnDisconnectData, CancelQuotesAnswer, Fill, LimitIvData, Order, OrderInfo,
  OrderUpdate, QuoteAnswer, Trade, VoidNoncesData,
} from '../../shell/http/shapes/trading.ts';
export type { InstrumentStatus, InstrumentType, MarginMode, OrderStatus, Side, Tif } from '../../shell/http/shapes/enums.ts';
export { RESOLUTIONS, type Resolution } from '../../shell/ipc/enum-names.ts';
export type { AnswerFacts, CallOptions } from './retries.ts';
export { LocalBook, type Level } from './book.ts';
export { CLIENT_CODES, mayHaveActed, StrikebookError, VENUE_CODES, type ErrorCode } from './strikebook-error.ts';
export {
  Forms, type AmendTerms, type DisconnectTerms, type FormOptions, type MassQuoteTerms, type MmpTerms, type OrderTerms, type QuoteTerms,
  type ReplaceTerms, type SigningFacts, type Unsigned,
} from './forms.ts';
export type { HttpOptions, Request } from './http.ts';
export { NonceSource, type Nonce } from './nonces.ts';
export { Operator, type OperatorRequests, type OperatorRoute, type VenueStatus } from './operator.ts';
export type { Reads, Simulations } from './reads.ts';
export { createPrivateKey, privateKeySigner, type Signer } from './signer.ts';
export { VenueSocket, type SocketEvents, type SocketOptions, type SubscribeOptions } from './socket.ts';
export type {
  BookUpdate, CandleUpdate, ChannelName, CompetitionMessage, FillMessage, IndexPriceUpdate, LiquidationStateChange, MarketUpdate,
  MessageOf, OptionsChainUpdate, OrderbookUpdate, OrderUpdateMessage, PortfolioUpdate, PositionExpired, TradeMessage, VolIndexUpdate,
  FundingUpdate, LedgerUpdate, PerpTickerUpdate, QuotesUpdate,
} from './messages.ts';
export type { Stream } from './stream.ts';
export { isWalletChannel } from './messages.ts';
export type { Gap } from './subscriptions.ts';
export {
  bracketOrders, entryOrders, Trading, type Account, type ActOptions, type BracketTerms, type EntryTerms, type SignedAct, type StopTerms,
} from './trading.ts';
export { digestHex, digestOf, DOMAIN_MEMBERS, type Domain, type TypedData } from './typed-data.ts';

const EXPORT_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
type ExportOptions = CallOptions & { readonly format?: keyof typeof EXPORT_TYPES };
type ExportedList = '/fills' | '/ledger' | '/orders' | '/trades';

export type ConnectOptions = HttpOptions & {
  /** Without it, read only. */
  readonly signer?: Signer;
  /** Default: the signer's own. */
  readonly wallet?: string;
  readonly nonces?: NonceSource;
  /** The venue's time in ms, from which the standard `valid_until` is counted. Default: this machine's. */
  readonly now?: () => number;
  /** Gets each signed request as it is sent, by REST or socket. Its exceptions are ignored. */
  readonly onSigned?: (act: SignedAct) => void;
};

/** Reads the signing domain. Throws if nothing, or no venue, answers. Several addresses are nodes of one venue. */
export async function connect(url: string | readonly string[], options: ConnectOptions = {}): Promise<Strikebook> {
  const http = new Http(url, options);
  const info = await http.send<Partial<ExchangeInfo> | null>({ method: 'GET', path: '/exchange-info' });
  if (!isExchangeInfo(info)) {
    throw new StrikebookError('bad_answer', 'GET /exchange-info: the answer is not that of a venue', { status: 200, details: info });
  }
  const { onSigned, signer } = options;
  const account = signer === undefined ? null : { signer, forms: new Forms(info, signer.address, options), onSigned };
  return new Strikebook(http, info, account);
}

export class Strikebook extends Trading {
  /** As of `connect`. */
  readonly info: ExchangeInfo;
  readonly #http: Http;
  readonly #account: Account | null;

  constructor(http: Http, info: ExchangeInfo, account: Account | null) {
    super(account);
    this.info = info;
    this.#http = http;
    this.#account = account;
  }

  /**
   * The newest command that an answer included; by socket only nodes of a cluster tell it. As `min_seq` of a read, also at another node,
   * nothing before it is missing.
   */
  get seq(): number {
    return this.#http.seq;
  }

  /** The node that is asked now. */
  get url(): string {
    return this.#http.url;
  }

  override send<Answer>(request: Request<Answer>, call?: CallOptions): Promise<Answer> {
    return this.#http.send(request, call);
  }

  /** Every read by its path: `get('/orderbook', { instrument_name })`. */
  get<P extends keyof Reads>(path: P, query: Reads[P]['query'], call?: CallOptions): Promise<Reads[P]['answer']> {
    return this.send({ method: 'GET', path: pathOf(path, query) }, call);
  }

  /** All rows of a list, by default as CSV; otherwise one JSON text a line. One export at a time. */
  export<P extends ExportedList>(
    path: P, query: Omit<Reads[P]['query'], 'limit' | 'offset'>, { format = 'csv', ...call }: ExportOptions = {},
  ): Promise<string> {
    return this.send({ method: 'GET', path: pathOf(path, { ...query, export: 'all' }), accept: EXPORT_TYPES[format] }, call);
  }

  /** Reads that take a body, such as the price of a volatility. */
  simulate<P extends keyof Simulations>(path: P, body: Simulations[P]['body'], call?: CallOptions): Promise<Simulations[P]['answer']> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body) }, call);
  }

  /** Prometheus text. Venues give it to their own machine only; others need the admin token (operator.ts). */
  metrics(call?: CallOptions): Promise<string> {
    return this.send({ method: 'GET', path: '/metrics', accept: 'text/plain' }, call);
  }

  /** `expires_at` in ms; without it the agent stays until revoked. */
  async approveAgent(agent: string, { expires_at: until, ...act }: ActOptions & { readonly expires_at?: number } = {}) {
    return this.act(this.forms.approveAgent(agent, until, act.nonce), act);
  }

  async revokeAgent(agent: string, act: ActOptions = {}) {
    return this.act(this.forms.revokeAgent(agent, act.nonce), act);
  }

  async revokeAllAgents(act: ActOptions = {}) {
    return this.act(this.forms.revokeAllAgents(act.nonce), act);
  }

  async setMarginMode(mode: MarginMode, act: ActOptions = {}) {
    return this.act(this.forms.setMarginMode(mode, act.nonce), act);
  }

  async setMmp(terms: MmpTerms, act: ActOptions = {}) {
    return this.act(this.forms.setMmp(terms, act.nonce), act);
  }

  async deleteMmp(currency: string, act: ActOptions = {}) {
    return this.act(this.forms.deleteMmp(currency, act.nonce), act);
  }

  async resetMmp(currency: string, act: ActOptions = {}) {
    return this.act(this.forms.resetMmp(currency, act.nonce), act);
  }

  async setUsername(username: string, act: ActOptions = {}) {
    return this.act(this.forms.setUsername(username, act.nonce), act);
  }

  async requestUsername(username: string, act: ActOptions = {}) {
    return this.act(this.forms.requestUsername(username, act.nonce), act);
  }

  async markPayoutsSeen(ids: readonly number[], act: ActOptions = {}) {
    return this.act(this.forms.markPayoutsSeen(ids, act.nonce), act);
  }

  /** For another wallet; the operator must sign. */
  async setUserTier(wallet: string, tier: string, act: ActOptions = {}) {
    return this.act(this.forms.setUserTier(wallet, tier, act.nonce), act);
  }

  socket(options: SocketOptions = {}): VenueSocket {
    return new VenueSocket(this.#http.addresses, options, this.#account);
  }
}

/** Another server may answer on this port. */
function isExchangeInfo(info: Partial<ExchangeInfo> | null): info is ExchangeInfo {
  return typeof info?.signing_domain?.name === 'string' && typeof info.chain_id === 'number'
    && typeof info.perp_source === 'string' && Array.isArray(info.perp_assets);
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
