// What api threads ask the reader, and what it sends them, as records of the query and answer rings.
//
//   query    u32 length, u32 kind (index into QUERIES), u32 request, u32 bytes of JSON, u32 network source, u32 charge, then the
//            JSON of the parameters
//   answer   u32 length, u32 ANSWER, u32 request, u32 bytes, u32 HTTP status or READ_TIMED_OUT, u32 limit, left and end of the
//            window (s) of the budget that was charged, an end of 0 for none; then the body as it goes to the client
//   stream   u32 length, u32 STREAM, u32 topic number, u32 bytes, u32 seq low, u32 seq high, u32 number of a second topic that the
//            message is of or 0, u32 0, then one message
//   large    u32 length, u32 LARGE, u32 request or topic: an answer or message too large for a record, which is in the port (Large)
//
// A topic number is given by the `subscribe` query's answer, which also carries the snapshot; stream records that follow in
// the same ring are what happened after it. Bodies are UTF-8.

import { WIN_CONDITIONS } from '../../core/registry/competitions.ts';
import type { INSTRUMENT_FILTERS, ORDER_FILTERS } from './enum-names.ts';

/** Every query, by name. `perps`, `order` and `outcome` are asked by api threads for themselves, not by a route. */
export const QUERIES = [
  'instruments', 'markets', 'orderbook', 'orders', 'orderStatus', 'trades', 'trade', 'fills', 'portfolio', 'agents', 'tier',
  'mmp', 'exchange', 'cancelAfter', 'cancelOnDisconnect',
  'expirySummary', 'optionsChain', 'optionsSummary', 'greeks', 'limitIv', 'portfolioGreeks', 'riskGrid', 'simulatePortfolio',
  'simulateOrders',
  'username', 'payouts', 'historicalPnl', 'historicalTheos', 'candles', 'profile',
  'competitions', 'competition', 'leaderboard', 'export', 'exportEnd',
  'perps', 'order', 'outcome', 'subscribe', 'unsubscribe',
] as const;
export type QueryName = (typeof QUERIES)[number];

/** In the place of an HTTP status: there is no answer, the read has waited too long. */
export const READ_TIMED_OUT = 0;

export const QUERY_HEAD_BYTES = 24;
export const QUERY_WORD_KIND = 1;
export const QUERY_WORD_REQUEST = 2;
export const QUERY_WORD_BYTES = 3;
export const QUERY_WORD_SOURCE = 4;
export const QUERY_WORD_CHARGE = 5;
export const ANSWER_HEAD_BYTES = 32;
export const ANSWER_WORD_KIND = 1;
/** The request or the topic. */
export const ANSWER_WORD_NUMBER = 2;
export const ANSWER_WORD_BYTES = 3;
/** The first of the four words that differ between an answer and a stream's message. */
export const ANSWER_WORD_STATUS = 4;
/** Of a stream's message. */
export const STREAM_WORD_ALSO = 6;
export const ANSWER_WORD_LIMIT = 5;
export const ANSWER_WORD_LEFT = 6;
export const ANSWER_WORD_WINDOW_END = 7;
export const ANSWER = 1;
export const STREAM = 2;
export const LARGE = 3;

/** The budget a query is charged to (reader/budgets.ts): none, the reads of a wallet or source, the risk simulations. */
export const CHARGE_NONE = 0;
export const CHARGE_API = 1;
export const CHARGE_RISK = 2;
/** Added to the charge of a source that is loopback. */
export const LOOPBACK = 256;
/** `source`: the 32-bit digest of the network source. */
export type Charged = { readonly charge: number; readonly source: number; readonly isLoopback: boolean };
/** Where the budget stands that a query was charged to; null: it was charged to none. `windowEnd` in seconds. */
export type Budget = { readonly limit: number; readonly left: number; readonly windowEnd: number } | null;

/** `budget`: where the one stands that the read was charged to; with status 429 the body is the text of the refusal. */
export type Answer = { readonly status: number; readonly body: Uint8Array; readonly budget: Budget };
/** What travels by port. */
export type Large = { readonly request: number; readonly answer: Answer }
  | { readonly topic: number; readonly also: number; readonly body: Uint8Array };

/** Parameters, already validated: addresses lower case, limits clamped; prices, sizes and money are integers of 1e-6. */
export type QueryParameters = {
  instruments: { currency: string; status: readonly (typeof INSTRUMENT_FILTERS)[number][] };
  markets: { include_instruments: boolean };
  /** The name in any accepted form. */
  orderbook: { instrument_id?: number; instrument_name?: string; depth: number };
  /** `expiry`: ms, at 08:00 UTC of its date. */
  expirySummary: { currency: string; expiry: number; depth: number };
  optionsChain: { currency: string; expiry: number; option_type: 'call' | 'put' | 'both'; side: 'buy' | 'sell' | 'both' };
  /** `currencies` null: all. A `kind` other than options has no rows. */
  optionsSummary: { currencies: readonly string[] | null; kind?: string; expiry?: number };
  greeks: { symbol: string };
  limitIv: { symbol: string; iv: number; side?: 'Buy' | 'Sell' };
  portfolioGreeks: { wallet: string; orders: readonly SimulatedOrder[] };
  riskGrid: { wallet: string };
  /** Of the positions alone; a wallet only says what is usual for cash and mode. Without an entry price: the mark. */
  simulatePortfolio: {
    wallet?: string; positions: readonly { symbol: string; amount: number; entry_price?: number }[]; balance?: number;
    margin_mode?: 'standard' | 'portfolio';
  };
  /** Without a price: the mark. */
  simulateOrders: { wallet: string; orders: readonly (SimulatedOrder & { price?: number })[] };
  orders: { wallet: string; status?: OrderFilter; limit: number; offset: number };
  /** `name`: an order id as decimal text, or a client id. */
  orderStatus: { wallet: string; name: string };
  /** `account`: maker or taker, without another filter. `after`: those of higher ids, ascending, without filter and offset. */
  trades: { limit: number; offset: number; symbol?: string; underlying?: string; account?: string; after?: number };
  trade: { id: number };
  /** Times are ms, both in; so is the symbol's, in any accepted form. */
  fills: {
    wallet: string; kind?: 'trade' | 'all'; limit: number; offset: number; symbol?: string; from?: number; to?: number;
    competition_id?: number;
  };
  payouts: { wallet: string; limit: number; offset: number; symbol?: string; ledger_applied?: boolean };
  historicalPnl: { wallet: string; interval: Interval; limit: number };
  historicalTheos: { instrument_name: string; interval: Interval; limit: number };
  /** Of the venue's own index; the span is checked by who asks. */
  candles: { underlying: string; resolution: Resolution; start: number; end: number };
  profile: { wallet: string };
  /** Those that touch [from, to]. */
  competitions: { state?: CompetitionState; from?: number; to?: number; limit: number; offset: number };
  competition: { id: number };
  /** Without `sort_by` by what the competition is won by. */
  leaderboard: {
    competition_id: number; sort_by?: WinCondition; sort_order: 'asc' | 'desc'; limit: number; offset: number; wallet?: string;
  };
  portfolio: { wallet: string };
  agents: { wallet: string };
  tier: { wallet: string };
  /** One of the two; 404 without a name. */
  username: { wallet?: string; username?: string };
  /** Protections of a wallet, of one underlying or of all. */
  mmp: { wallet: string; currency?: string };
  cancelAfter: { wallet: string };
  cancelOnDisconnect: { wallet: string };
  exchange: Record<string, never>;
  /** The underlyings in the order of their asset index, as a JSON array. */
  perps: Record<string, never>;
  /** A part of an export; answers ExportPart as JSON. The first names no `as_of` and no offset. */
  export: ExportQuery;
  exportEnd: { source: number; id: string };
  /**
   * How a wallet's order that was not open at the command `as_of` had ended by then: by id (decimal text), or by client id, which
   * several may have had (the last that was done). Answers OrderStanding as JSON.
   */
  order: { wallet: string; as_of: number; order_id?: string; client_id?: string };
  /** The first outcome of a used nonce (decimal text). Answers Outcome as JSON. */
  outcome: { wallet: string; nonce: string };
  subscribe: { channel: string; key: string; from_seq?: number };
  /** `count`: how many subscriptions of the topic have ended. */
  unsubscribe: { topic: number; count: number };
};

/** Names of statuses; all orders without it. */
export type OrderFilter = readonly (typeof ORDER_FILTERS)[number][];

/** Levels of a side that a book shows at most (decision 6.5). */
export const MOST_DEPTH = 500;

/** Intervals of the histories and lengths of candles, ms. */
export const INTERVALS = { '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
export type Interval = keyof typeof INTERVALS;
export const RESOLUTIONS = {
  '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000,
} as const;
export type Resolution = keyof typeof RESOLUTIONS;

/** An order that is not there. */
type SimulatedOrder = { symbol: string; side: 'Buy' | 'Sell'; size: number };

/** `id` tells the exports of a source apart: it has one at a time. The rows are those of the command `as_of`. */
export type ExportQuery = {
  source: number; id: string; as_of?: number; offset: number; limit: number; filter:
    | { list: 'fills'; wallet: string; isAll?: boolean } | { list: 'trades'; symbol?: string; underlying?: string }
    | { list: 'orders'; wallet: string; status?: OrderFilter };
};
export type ExportPart = { as_of: number; rows: readonly Readonly<Record<string, unknown>>[] };

export const COMPETITION_STATES = ['pre', 'active', 'post'] as const;
export const SORT_ORDERS = ['asc', 'desc'] as const;
type CompetitionState = (typeof COMPETITION_STATES)[number];
export type WinCondition = (typeof WIN_CONDITIONS)[number];

/** One order as the reader knows it, texts canonical. */
export type OrderFacts = {
  order_id: number; symbol: string; side: 'Buy' | 'Sell'; price: string; size: string; filled_size: string; tif: string;
  client_id: string; created_at: number; mmp_enabled: boolean; reduce_only: boolean;
};

/**
 * state 'unknown': not issued by then, another wallet's, or not this client id; 'forgotten': issued, own, no longer known. `reason`: a
 * DONE_ code of core/errors, where the end is known.
 */
export type OrderStanding = {
  state: 'filled' | 'cancelled' | 'no_orderbook' | 'forgotten' | 'unknown'; order: OrderFacts | null; reason: number | null;
};

/**
 * `kind` is the command's kind (core/codec/commands), `digest` 64 hex digits, `numbers` as in its reply, `flags` those of the order
 * that was placed. Null: not known any more.
 */
export type Outcome = {
  digest: string; numbers: [number, number, number, number]; time: number; order: OrderFacts | null; flags: number;
  isMmpTriggered: boolean;
} | null;
