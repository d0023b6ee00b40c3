// Rows that the reader hands to the history thread, and the questions it asks. Messages over one port, in order: the
// reader sends batches and queries; history answers each query and says how far its store is. A query's answer is
// as of the `appliedSeq` it carries; what came later is still in the reader's memory, which merges it (newest first).
// Money, prices, sizes: integers in 1e-6; times ms; addresses lower-case 0x hex; ids from 1; seq of the command that made it.

import type { TradeTotals } from './trade-totals.ts';

/**
 * `kind`: index of FILL_KINDS (shell/ipc/enum-names); of other than trades `tradeId` and `orderId` are 0. `fee` of a liquidation's order
 * has its part of the liquidation fee in it.
 */
export type FillRow = {
  kind: number; seq: number; fillId: number; tradeId: number; orderId: number; wallet: string; symbol: string; underlying: string;
  side: number; price: number; size: number; fee: number; isTaker: boolean; realized: number; time: number;
};
export type TradeRow = {
  seq: number; tradeId: number; symbol: string; underlying: string; price: number; size: number; maker: string; taker: string;
  makerFee: number; takerFee: number; takerSide: number; time: number;
};
/** A done order; `reason` is a DONE_ code of core/errors. */
export type OrderRow = {
  seq: number; orderId: number; wallet: string; symbol: string; side: number; price: number; size: number; filled: number; tif: number;
  flags: number; clientId: string; reason: number; createdAt: number; doneAt: number;
};
/** What a used nonce did: nonce as decimal text (u64), digest 64 hex digits, kind of command, code and numbers of its reply. */
export type OutcomeRow = {
  seq: number; wallet: string; nonce: string; kind: number; digest: string; code: number; numbers: readonly number[]; time: number;
  /** The order a cancel was about, 0 for none. */
  orderId: number;
  /** Flags of the order that was placed (core/codec/commands), 0 for none: no signature covers all of them. */
  flags: number;
  isMmpTriggered: boolean;
};

/** One position paid at its settlement; `position`, `value`, `cost` and `net` are signed. */
export type PayoutRow = {
  seq: number; payoutId: number; wallet: string; symbol: string; expiry: number; position: number; price: number; value: number;
  cost: number; net: number; time: number; isSeen: boolean;
};
/** The wallet has marked a payout of its own as seen. */
export type SeenRow = { seq: number; payoutId: number };
/** Equity at a moment; of two rows of a wallet and moment the later seq counts. */
export type EquityRow = { seq: number; wallet: string; time: number; equity: number };
/** A wallet with a row of equity for a moment that is still to come. */
export type FutureEquityRow = { wallet: string };
/** Theoretical price of an instrument at a mark of five minutes. */
export type TheoRow = { seq: number; symbol: string; time: number; price: number };
/** An index price that came into force. */
export type TickRow = { seq: number; underlying: string; time: number; price: number };
/** What one fill adds to a wallet's standing in a competition; volume in 1e-2 USDC. */
export type ScoreRow = { seq: number; competition: number; wallet: string; volume: number; adjustment: number };

/** What of the distance of one fill of two wallets from the mark counts in a competition, micros; as an answer the sum. */
export type DealingRow = { seq: number; competition: number; one: string; other: string; amount: number };
/** An order of the wallet that was accepted while the competition ran had this signer, for the first time. */
export type SignerRow = { seq: number; competition: number; signer: string; wallet: string };

/** Streams whose messages are kept as such, in the order of their numbers in the store. */
export const MESSAGE_CHANNELS = ['order_updates', 'liquidation', 'competition'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];
/** How many of the newest messages of one wallet's stream are kept. */
export const KEPT_MESSAGES: Readonly<Record<MessageChannel, number>> = { order_updates: 100_000, liquidation: 1_000, competition: 1_000 };
/** One message of a wallet's stream; `number` is its seq there, `text` what the reader makes the message of again, in one line. */
export type MessageRow = { seq: number; wallet: string; channel: MessageChannel; number: number; text: string };
/**
 * What a wallet was told last of its standing in a competition: rank, and in micros profit, volume and what it lacks to the next
 * rank (null: it leads); `number`: its newest message of the stream then.
 */
export type SentStandingRow = {
  seq: number; competition: number; wallet: string; rank: number; pnl: number; volume: number; gap: number | null; number: number;
};
/** The same as an answer, with the newest number of any competition; null of one that it was told nothing of. */
export type LastSentStanding = {
  wallet: string; number: number; standing: Pick<SentStandingRow, 'rank' | 'pnl' | 'volume' | 'gap'> | null;
};
/** The same as an answer. */
export type KeptMessage = { number: number; text: string };

/** `fills` are those of trades, `moves` the others. */
export type Rows = {
  fills: FillRow[]; moves: FillRow[]; trades: TradeRow[]; orders: OrderRow[]; outcomes: OutcomeRow[]; payouts: PayoutRow[]; seen: SeenRow[];
  equity: EquityRow[]; theos: TheoRow[]; ticks: TickRow[]; scores: ScoreRow[]; dealings: DealingRow[]; signers: SignerRow[];
  messages: MessageRow[]; sentStandings: SentStandingRow[];
};
export const ROW_KINDS = [
  'fills', 'moves', 'trades', 'orders', 'outcomes', 'payouts', 'seen', 'equity', 'theos', 'ticks', 'scores', 'dealings',
  'signers', 'messages', 'sentStandings',
] as const;

export function emptyRows(): Rows {
  return {
    fills: [], moves: [], trades: [], orders: [], outcomes: [], payouts: [], seen: [], equity: [], theos: [], ticks: [], scores: [],
    dealings: [], signers: [], messages: [], sentStandings: [],
  };
}

export function countRows(rows: Rows): number {
  return ROW_KINDS.reduce((sum, kind) => sum + rows[kind].length, 0);
}

/** A value in force from `time` on; `seq` of the command that was next. */
export type PointRow = { seq: number; time: number; value: number };
/** What a symbol traded within a span. */
export type TradeTotalsRow = { symbol: string } & TradeTotals;
/** That of the last trade. */
export type LastPriceRow = { symbol: string; price: number };
/** The last index price before a moment. */
export type PriceRow = { seq: number; underlying: string; price: number };
/** `time`: the start. */
export type CandleRow = { seq: number; time: number; open: number; high: number; low: number; close: number };

/**
 * The sums of a wallet's scores, and its equity at the start and at the end (null: it had no account) and when it was opened.
 */
export type StandingRow = {
  wallet: string; volume: number; adjustment: number; atStart: number | null; atEnd: number | null; opening: number | null;
};

/** Bounds of a page of fills, both ends in: times, and the newest seq that counts. Absent: none. `isAll`: moves too. */
export type FillFilter = { isAll?: boolean; symbol?: string; from?: number; to?: number; upTo?: number };
/** How an order ended, as far as a listing tells them apart. */
export type Ending = 'filled' | 'canceled';

/** Sent by the reader: everything that commands up to `seq` made, in order. */
export type Batch = { type: 'batch'; seq: number; rows: Rows };

/**
 * Newest first; `skip` rows of the store are passed over, at most `limit` come; none above seq `upTo`. `equity` and `theos`:
 * the last row in each interval that ends at a multiple of `interval` up to `to`, ends ascending. `equityAt`: the last row at or
 * before each time, null where there is none. `futureEquity`: an FutureEquityRow for each wallet with one later than `time`. `candles`:
 * starts in [from, to), ascending. `standings`: every wallet with a score and those of `wallets`. `tradesById`: in any order;
 * `tradesAfter`: of higher ids, ascending. `tradeTotals`: a row for each symbol with trades in [from, to). `lastPrices`: of the
 * symbols that traded last. `pricesBefore`: a row for each that had a price before `time`, a full minute.
 * `dealings`, `signers`: all of a competition, in any order.
 * `messages`: KeptMessage, the oldest that follow number `after`. `sentStandings`: LastSentStanding of each of the wallets.
 */
export type HistoryQuery =
  | { name: 'fills'; wallet: string; limit: number; skip: number } & FillFilter
  | { name: 'trades'; symbol?: string; underlying?: string; upTo?: number; limit: number; skip: number }
  | { name: 'tradesById'; ids: readonly number[] }
  | { name: 'tradesAfter'; tradeId: number; limit: number }
  | { name: 'tradeTotals'; from: number; to: number }
  | { name: 'lastPrices'; limit: number }
  | { name: 'orders'; wallet: string; ending: Ending | null; upTo?: number; limit: number; skip: number }
  | { name: 'order'; wallet: string; orderId?: number; clientId?: string; upTo?: number }
  | { name: 'outcome'; wallet: string; nonce: string }
  | { name: 'payouts'; wallet: string; symbol?: string; limit: number; skip: number }
  | { name: 'equity'; wallet: string; interval: number; to: number; limit: number }
  | { name: 'theos'; symbol: string; interval: number; to: number; limit: number }
  | { name: 'equityAt'; wallet: string; times: readonly number[] }
  | { name: 'futureEquity'; time: number }
  | { name: 'standings'; competition: number; start: number; end: number; wallets: readonly string[] }
  | { name: 'dealings'; competition: number }
  | { name: 'signers'; competition: number }
  | { name: 'sentStandings'; competition: number; wallets: readonly string[] }
  | { name: 'messages'; wallet: string; channel: MessageChannel; after: number; limit: number }
  | { name: 'candles'; underlying: string; resolution: number; from: number; to: number }
  | { name: 'pricesBefore'; underlyings: readonly string[]; time: number };
type Ask = { type: 'ask'; request: number; query: HistoryQuery };
/** The reader is stopping: commit what has come, then answer `Closed`. */
type Close = { type: 'close' };
export type ToHistory = Batch | Ask | Close;

/** Answers rest on everything up to `seq` from now on. */
type Taken = { type: 'taken'; seq: number };
/** The next start finds everything up to `seq`, which was taken. */
type Committed = { type: 'committed'; seq: number };
export type Answered = { type: 'answered'; request: number; appliedSeq: number; rows: readonly object[] };
/** First message: how far the store is; the reader emits only rows above it. */
export type Opened = { type: 'opened'; appliedSeq: number };
type Closed = { type: 'closed' };
export type FromHistory = Opened | Taken | Committed | Answered | Closed;
