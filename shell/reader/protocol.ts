// What api threads ask the reader, and what it sends them, as records of the query and answer rings.
//
//   query    u32 length, u32 kind (index into QUERIES), u32 request, u32 bytes of JSON, then the JSON of the parameters
//   answer   u32 length, u32 ANSWER, u32 request, u32 bytes, u32 HTTP status, u32 0, then the body as it goes to the client
//   stream   u32 length, u32 STREAM, u32 topic number, u32 bytes, u32 seq low, u32 seq high, then one message
//   large    u32 length, u32 LARGE, u32 request: the answer itself comes by port as {request, status, body}
//
// A topic number is given by the `subscribe` query's answer, which also carries the snapshot; stream records that follow in
// the same ring are what happened after it. Bodies are UTF-8.

/** Every query, by name. `perps`, `order` and `outcome` are asked by api threads for themselves, not by a route. */
export const QUERIES = [
  'instruments', 'markets', 'orderbook', 'orders', 'trades', 'fills', 'portfolio', 'agents', 'tier', 'mmp', 'exchange',
  'perps', 'order', 'outcome', 'subscribe', 'unsubscribe',
] as const;
export type QueryName = (typeof QUERIES)[number];

export const QUERY_HEAD_BYTES = 16;
export const ANSWER_HEAD_BYTES = 24;
export const ANSWER = 1;
export const STREAM = 2;
export const LARGE = 3;

/** Parameters, already validated: addresses lower case, limits clamped. Prices and sizes never occur in queries. */
export type QueryParameters = {
  instruments: { currency: string; status: string };
  markets: { include_instruments: boolean };
  orderbook: { instrument_id?: number; instrument_name?: string; depth: number };
  orders: { wallet: string; status?: string; limit: number; offset: number };
  trades: { limit: number; offset: number; symbol?: string; underlying?: string };
  fills: { wallet: string; limit: number; offset: number };
  portfolio: { wallet: string };
  agents: { wallet: string };
  tier: { wallet: string };
  /** Protections of a wallet, of one underlying or of all. */
  mmp: { wallet: string; currency?: string };
  exchange: Record<string, never>;
  /** The underlyings in the order of their asset index, as a JSON array. */
  perps: Record<string, never>;
  /** How a wallet's order stands or ended: by id (decimal text) or by client id. Answers OrderStanding as JSON. */
  order: { wallet: string; order_id?: string; client_id?: string };
  /** The first outcome of a used nonce (decimal text). Answers Outcome as JSON. */
  outcome: { wallet: string; nonce: string };
  subscribe: { channel: string; key: string; from_seq?: number };
  unsubscribe: { topic: number };
};

/** One order as the reader knows it, texts canonical. */
export type OrderFacts = {
  order_id: number; symbol: string; side: 'Buy' | 'Sell'; price: string; size: string; filled_size: string; tif: string;
  client_id: string; created_at: number; mmp_enabled: boolean; reduce_only: boolean;
};

/** state 'unknown': never issued, another wallet's, or never this client id; 'forgotten': issued, own, no longer known. */
export type OrderStanding = {
  state: 'open' | 'filled' | 'cancelled' | 'forgotten' | 'unknown'; order: OrderFacts | null; reason: string | null;
};

/** `kind` is the command's kind (core/codec/commands), `digest` 64 hex digits, `numbers` as in its reply. Null: not known any more. */
export type Outcome = {
  kind: number; digest: string; code: number; numbers: [number, number, number, number]; time: number; order: OrderFacts | null;
} | null;

/** Channels of `subscribe`; the key is a symbol in any accepted form ('' for all), or a wallet. */
export const CHANNELS = ['orderbook', 'trades', 'order_updates', 'fills'] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * Answers `subscribe`: what stands at `seq`, complete messages as they go to clients; stream records of the topic that
 * follow in the ring are what came after. `orderbook` has one message for the symbol; for all symbols one for each book
 * that is not empty, and `seq` is null, for each message carries its own symbol's. The other channels have none. A topic
 * is good until as many `unsubscribe` as `subscribe` have come from this thread. `from_seq` is not looked at: a
 * subscriber that finds a gap asks the listings.
 */
export type Subscription = { topic: number; seq: number | null; messages: readonly object[] };
