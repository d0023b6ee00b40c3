// Records of the query and answer rings between api threads and the reader. Bodies are UTF-8. The answer to
// `subscribe` gives a topic and its snapshot; stream records after it happened later. The u32 words, then the body:
//   query    length, kind (index into QUERIES), request, bytes, network source, charge; JSON parameters
//   answer   length, ANSWER, request, bytes, HTTP status or READ_TIMED_OUT, and of the charged budget: limit, left,
//            window end (s; 0: none charged), then seq low, high; the body for the client
//   stream   length, STREAM, topic, bytes, seq low, seq high, second topic or 0, 0, 0, 0; one message
//   large    length, LARGE, request or topic; the body is sent by port (Large)

import type { OrderTerms } from './order-terms.ts';
import type { WinCondition } from '../../core/units.ts';
import type {
  CandlePrice, CompetitionState, INSTRUMENT_FILTERS, Interval, LedgerKind, ORDER_FILTERS, Resolution, TIFS, WALLET_MODES,
} from './enum-names.ts';

export const QUERIES = [
  'instruments', 'markets', 'orderbook', 'orders', 'orderStatus', 'trades', 'trade', 'fills', 'portfolio', 'agents', 'tier',
  'mmp', 'exchange', 'cancelAfter', 'cancelOnDisconnect',
  'expirySummary', 'optionsChain', 'optionsSummary', 'greeks', 'limitIv', 'portfolioGreeks', 'riskGrid', 'simulatePortfolio',
  'simulateOrders', 'riskInputs',
  'perps', 'perpMarket', 'perpBook', 'funding', 'fundingHistory', 'fundingPayments', 'liquidations', 'settlements', 'openInterest',
  'insuranceFund',
  'username', 'payouts', 'ledger', 'historicalPnl', 'historicalTheos', 'historicalGreeks', 'candles', 'instrumentCandles',
  'volIndex', 'volIndexCandles', 'profile',
  'competitions', 'competition', 'leaderboard', 'export', 'exportEnd',
  'accounts', 'backup', 'backupFile', 'backupJournal', 'order', 'outcome', 'agentOf', 'namedAgents', 'ordersUsed',
  'subscribe', 'unsubscribe',
] as const;
export type QueryName = (typeof QUERIES)[number];

export const READ_TIMED_OUT = 0;

export const QUERY_HEAD_BYTES = 24;
export const QUERY_WORD_KIND = 1;
export const QUERY_WORD_REQUEST = 2;
export const QUERY_WORD_BYTES = 3;
export const QUERY_WORD_SOURCE = 4;
export const QUERY_WORD_CHARGE = 5;
export const ANSWER_HEAD_BYTES = 40;
export const ANSWER_WORD_KIND = 1;
export const ANSWER_WORD_NUMBER = 2;
export const ANSWER_WORD_BYTES = 3;
export const ANSWER_WORD_STATUS = 4;
export const STREAM_WORD_ALSO = 6;
export const ANSWER_WORD_LIMIT = 5;
export const ANSWER_WORD_LEFT = 6;
export const ANSWER_WORD_WINDOW_END = 7;
export const ANSWER_WORD_SEQ = 8;
export const ANSWER = 1;
export const STREAM = 2;
export const LARGE = 3;

/** Charged to no budget, to the reads of a wallet or source, or to risk simulations (reader/budgets.ts). */
export const CHARGE_NONE = 0;
export const CHARGE_API = 1;
export const CHARGE_RISK = 2;
export const LOOPBACK = 256;
export type Charged = { readonly charge: number; readonly source: number; readonly isLoopback: boolean };
/** `windowEnd`: seconds. */
export type Budget = { readonly limit: number; readonly left: number; readonly windowEnd: number } | null;

/** `seq`: the last command applied before, 0 if that does not matter. */
export type Answer = { readonly status: number; readonly body: Uint8Array; readonly budget: Budget; readonly seq: number };
export type Large = { readonly request: number; readonly answer: Answer }
  | { readonly topic: number; readonly also: number; readonly body: Uint8Array };

/** Validated: addresses in lower case, limits clamped; amounts in 1e-6; symbols in any accepted form. */
export type QueryParameters = {
  agentOf: { signer: string };
  namedAgents: { wallet: string };
  ordersUsed: { wallet: string };
  instruments: { currency: string; status: readonly (typeof INSTRUMENT_FILTERS)[number][] };
  markets: { include_instruments: boolean };
  orderbook: { instrument_id?: number; instrument_name?: string; depth: number };
  expirySummary: { currency: string; expiry: number; depth: number };
  optionsChain: { currency: string; expiry: number; option_type: 'call' | 'put' | 'both'; side: 'buy' | 'sell' | 'both' };
  /** `currencies` null: all. A `kind` other than options has no rows. */
  optionsSummary: { currencies: readonly string[] | null; kind?: string; expiry?: number };
  greeks: { symbol: string };
  limitIv: { symbol: string; iv: number; side?: 'Buy' | 'Sell' };
  portfolioGreeks: { wallet: string; orders: readonly SimulatedOrder[] };
  riskGrid: { wallet: string };
  riskInputs: { wallet: string; symbols: readonly string[] };
  /** `wallet`: only for defaults of cash and mode. */
  simulatePortfolio: {
    wallet?: string; positions: readonly { symbol: string; amount: number; entry_price?: number }[]; balance?: number;
    margin_mode?: 'standard' | 'portfolio';
  };
  simulateOrders: { wallet: string; orders: readonly (SimulatedOrder & { price?: number })[] };
  orders: { wallet: string; status?: OrderFilter; clientId?: string; from?: number; to?: number; limit: number; offset: number };
  orderStatus: { wallet: string; name: string };
  /** `account`: the maker or taker. `after`: higher ids, ascending; excludes filters and offset. */
  trades: {
    limit: number; offset: number; symbol?: string; underlying?: string; account?: string; after?: number; from?: number; to?: number;
  };
  trade: { id: number };
  /** Times in ms, inclusive. With `order` PlacedFill rows, without other filters and offset; the oldest ascend. */
  fills: {
    wallet: string; kind?: 'trade' | 'all'; limit: number; offset: number; symbol?: string; orderId?: number; from?: number;
    to?: number; competition_id?: number; order?: FillOrder;
  };
  payouts: { wallet: string; limit: number; offset: number; symbol?: string; ledger_applied?: boolean };
  ledger: LedgerQuery & { limit: number; offset: number };
  historicalPnl: { wallet: string; interval: Interval; limit: number };
  historicalTheos: { instrument_name: string; interval: Interval; limit: number };
  candles: { underlying: string; resolution: Resolution; start: number; end: number };
  historicalGreeks: { instrument_name: string; interval: Interval; limit: number };
  instrumentCandles: { instrument_name: string; price: CandlePrice; resolution: Resolution; start: number; end: number };
  volIndex: { underlying: string };
  volIndexCandles: { underlying: string; resolution: Resolution; start: number; end: number };
  profile: { wallet: string };
  competitions: { state?: CompetitionState; from?: number; to?: number; limit: number; offset: number };
  competition: { id: number };
  leaderboard: {
    competition_id: number; sort_by?: WinCondition; sort_order: 'asc' | 'desc'; limit: number; offset: number; wallet?: string;
  };
  perps: { underlying?: string };
  perpMarket: { wallet?: string };
  perpBook: { underlying: string; depth: number };
  funding: { symbol: string };
  /** Bounds of the ends of hours, inclusive, ms. `isOldest`: the oldest hours, ascending. */
  fundingHistory: { symbol: string; start?: number; end?: number; limit: number; isOldest?: true };
  /** `isOldest`: the oldest of these times, ascending, without offset. */
  fundingPayments: { wallet: string; symbol?: string; from?: number; to?: number; limit: number; offset: number; isOldest?: true };
  liquidations: { limit: number; offset: number; from?: number; to?: number };
  settlements: { underlying?: string; limit: number; offset: number };
  openInterest: { underlying?: string };
  insuranceFund: Record<string, never>;
  portfolio: { wallet: string };
  agents: { wallet: string };
  tier: { wallet: string };
  accounts: { limit: number; offset: number; mode?: (typeof WALLET_MODES)[number] };
  backup: { action?: 'begin' | 'end' };
  backupFile: { id: string; file: string; offset: number };
  backupJournal: { from: number };
  username: { wallet?: string; username?: string };
  mmp: { wallet: string; currency?: string };
  cancelAfter: { wallet: string };
  cancelOnDisconnect: { wallet: string };
  exchange: Record<string, never>;
  /** Answers ExportPart as JSON. The first part has no `as_of` and offset 0. */
  export: ExportQuery;
  exportEnd: { source: number; id: string };
  /** How an order had ended by command `as_of`; of several with one client id, the last done. Answers OrderStanding as JSON. */
  order: { wallet: string; as_of: number; order_id?: string; client_id?: string };
  outcome: { wallet: string; nonce: string };
  /** `follows`: this node of a cluster does, so it may be behind what the client has seen elsewhere. */
  subscribe: { channel: string; key: string; from_seq?: number; min_seq?: number; follows?: true };
  unsubscribe: { topic: number; count: number };
};

export type FillOrder = 'newest' | 'oldest';

export type LedgerQuery = { wallet: string; kind?: LedgerKind; symbol?: string; from?: number; to?: number };

export type OrderFilter = readonly (typeof ORDER_FILTERS)[number][];

/** Most levels per side (decision 6.5). */
export const MAX_DEPTH = 500;

type SimulatedOrder = { symbol: string; side: 'Buy' | 'Sell'; size: number };

export type ExportQuery = {
  source: number; id: string; as_of?: number; offset: number; limit: number; filter:
    | { list: 'fills'; wallet: string; isAll?: boolean; orderId?: number; from?: number; to?: number }
    | { list: 'trades'; symbol?: string; underlying?: string; from?: number; to?: number }
    | { list: 'orders'; wallet: string; status?: OrderFilter; clientId?: string; from?: number; to?: number }
    | { list: 'ledger' } & LedgerQuery;
};
export type ExportPart = { as_of: number; rows: readonly Readonly<Record<string, unknown>>[] };

export type OrderFacts = {
  order_id: number; symbol: string; side: 'Buy' | 'Sell'; price: string; size: string; filled_size: string; tif: (typeof TIFS)[number];
  client_id: string | null; created_at: number; mmp_enabled: boolean; reduce_only: boolean;
  quote_set?: string;
  waits?: true;
} & OrderTerms;

/**
 * `unknown`: not issued by then, another wallet's, or another client id. `forgotten`: own, but no longer known.
 * `reason`: a DONE_ code.
 */
export type OrderStanding = {
  state: 'filled' | 'cancelled' | 'no_orderbook' | 'forgotten' | 'unknown'; order: OrderFacts | null; reason: number | null;
};

/** `digest`: 64 hex digits. `numbers`: as in the reply, of a mass quote all of its answers. Null: no longer known. */
/** `isWallet`: it has an account itself. `wallets`: those that it is an active agent of. */
export type SignerFacts = { readonly isWallet: boolean; readonly wallets: readonly string[] };

/** `name` empty: it has none. `expires` in ms, 0: never. */
export type NamedAgents = readonly { readonly address: string; readonly name: string; readonly expires: number }[];

export type Outcome = {
  digest: string; numbers: readonly number[]; time: number; order: OrderFacts | null; flags: number;
  isMmpTriggered: boolean;
} | null;
