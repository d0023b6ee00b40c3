// Messages between the reader and the history thread, over one port, in order. A query's answer is as of the
// `appliedSeq` it carries; later rows are in the reader's memory (merge-page.ts). Money, prices, sizes: integers in
// 1e-6. Times: ms. Addresses: lower-case 0x hex. `seq`: the command that made the row.

import type { BackupQuery } from '../../ipc/backup.ts';
import type { TradeTotals } from './trade-totals.ts';

/**
 * `kind`: index of FILL_KINDS (shell/ipc/enum-names). Without a trade, `tradeId` and `orderId` are 0. In a liquidation,
 * `fee` includes its part of the liquidation fee. `position`: after it; null without a trade.
 */
export type FillRow = {
  kind: number; seq: number; fillId: number; tradeId: number; orderId: number; wallet: string; symbol: string; underlying: string;
  side: number; price: number; size: number; fee: number; isTaker: boolean; realized: number; position: number | null; time: number;
};
export type TradeRow = {
  seq: number; tradeId: number; symbol: string; underlying: string; price: number; size: number; maker: string; taker: string;
  makerFee: number; takerFee: number; takerSide: number; time: number;
};
export type OrderRow = {
  seq: number; orderId: number; wallet: string; symbol: string; side: number; price: number; size: number; filled: number; tif: number;
  flags: number; clientId: string; reason: number; createdAt: number; doneAt: number;
  terms: string;
};
export type OutcomeRow = {
  seq: number; wallet: string; nonce: string; kind: number; digest: string; code: number; numbers: readonly number[]; time: number;
  orderId: number;
  /** Flags of the placed order (core/codec/commands), or 0. No signature covers all of them. */
  flags: number;
  isMmpTriggered: boolean;
};

/** `position`, `value`, `cost` and `net` are signed. */
export type PayoutRow = {
  seq: number; payoutId: number; wallet: string; symbol: string; expiry: number; position: number; price: number; value: number;
  cost: number; net: number; time: number; isSeen: boolean;
};
/** '' and 0: none. `number`: without gaps. */
export type LedgerRow = {
  seq: number; wallet: string; number: number; kind: number; symbol: string; amount: number; balance: number; tradeId: number;
  orderId: number; payoutId: number; hour: number; creditId: string; reason: string; time: number;
};
/** Newest rows kept per wallet. */
export const KEPT_LEDGER = 100_000;
export type SeenRow = { seq: number; payoutId: number };
/** For the same wallet and time, the later seq counts. `credited`: given by the operator by then, less what it had taken. */
export type EquityRow = { seq: number; wallet: string; time: number; equity: number; credited: number };
export type FutureEquityRow = { wallet: string };
/** Volatilities are fractions, null where no price implies one. `openInterest` in 1e-6. */
export type RiskPoint = {
  markIv: number | null; bidIv: number | null; askIv: number | null; delta: number; gamma: number; vega: number; theta: number;
  openInterest: number;
};
export type TheoRow = { seq: number; symbol: string; time: number; price: number } & RiskPoint;
export type TickRow = { seq: number; underlying: string; time: number; price: number };
export const CANDLE_KINDS = ['index', 'vol_index', 'mark', 'trade'] as const;
export type CandleKind = (typeof CANDLE_KINDS)[number];
/**
 * Values within five minutes from `time`, or at `time`. Without a volume, so a part that contains an earlier one may
 * follow it.
 */
export type CandlePart = {
  seq: number; kind: 'vol_index' | 'mark'; name: string; time: number; open: number; high: number; low: number; close: number;
};
/** `volume` in 1e-2 USDC. */
export type ScoreRow = { seq: number; competition: number; wallet: string; volume: number; adjustment: number };

/** How much of a fill's distance from the mark counted, micros. In answers: the sum. */
export type DealingRow = { seq: number; competition: number; one: string; other: string; amount: number };
export type SignerRow = { seq: number; competition: number; signer: string; wallet: string };

/** `time`: its end. `rate` and the mean premium in 1e-9. */
export type FundingRow = { seq: number; symbol: string; time: number; rate: number; price: number; premium: number };
/** `amount`: what its cash changed by. `rate`: the sum over the hours, in 1e-9. */
export type PaymentRow = {
  seq: number; wallet: string; symbol: string; fromTime: number; toTime: number; hours: number; rate: number; position: number;
  amount: number; time: number;
};
export type LiquidationRow = { seq: number; kind: number; symbol: string; side: number; price: number; size: number; time: number };
export type SettlementRow = {
  seq: number; underlying: string; expiry: number; price: number; samples: number; contracts: number; time: number;
};

export const MESSAGE_CHANNELS = ['order_updates', 'liquidation', 'competition'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];
export const KEPT_MESSAGES: Readonly<Record<MessageChannel, number>> = { order_updates: 100_000, liquidation: 1_000, competition: 1_000 };
/** `number`: its seq in the stream. */
export type MessageRow = { seq: number; wallet: string; channel: MessageChannel; number: number; text: string };
/**
 * The standing last sent. Profit, volume and the gap to the next rank in micros; `gap` null for the leader. `number`:
 * the newest message then.
 */
export type SentStandingRow = {
  seq: number; competition: number; wallet: string; rank: number; pnl: number; volume: number; gap: number | null; number: number;
};
/** `number`: the newest of any competition. */
export type LastSentStanding = {
  wallet: string; number: number; standing: Pick<SentStandingRow, 'rank' | 'pnl' | 'volume' | 'gap'> | null;
};
export type KeptMessage = { number: number; text: string };

export type Rows = {
  fills: FillRow[]; moves: FillRow[]; trades: TradeRow[]; orders: OrderRow[]; outcomes: OutcomeRow[]; payouts: PayoutRow[]; seen: SeenRow[];
  equity: EquityRow[]; theos: TheoRow[]; ticks: TickRow[]; candleParts: CandlePart[]; scores: ScoreRow[]; dealings: DealingRow[];
  signers: SignerRow[]; messages: MessageRow[]; sentStandings: SentStandingRow[]; ledger: LedgerRow[];
  funding: FundingRow[]; payments: PaymentRow[]; liquidations: LiquidationRow[]; settlements: SettlementRow[];
};
export const ROW_KINDS = [
  'fills', 'moves', 'trades', 'orders', 'outcomes', 'payouts', 'seen', 'equity', 'theos', 'ticks', 'candleParts', 'scores', 'dealings',
  'signers', 'messages', 'sentStandings', 'ledger', 'funding', 'payments', 'liquidations', 'settlements',
] as const;

export function emptyRows(): Rows {
  return {
    fills: [], moves: [], trades: [], orders: [], outcomes: [], payouts: [], seen: [], equity: [], theos: [], ticks: [], candleParts: [],
    scores: [], dealings: [], signers: [], messages: [], sentStandings: [], ledger: [], funding: [], payments: [], liquidations: [],
    settlements: [],
  };
}

export function countRows(rows: Rows): number {
  return ROW_KINDS.reduce((sum, kind) => sum + rows[kind].length, 0);
}

export type PointRow = { seq: number; time: number; value: number };
/** `value`: the contract's theoretical price. */
export type ContractPointRow = PointRow & RiskPoint;
export type EquityPointRow = PointRow & { credited: number };
export type TradeTotalsRow = { symbol: string } & TradeTotals;
export type LastPriceRow = { symbol: string; price: number };
export type PriceRow = { seq: number; underlying: string; price: number };
export type CandleRow = {
  seq: number; time: number; open: number; high: number; low: number; close: number; volume: number; trades: number;
};

/** `atStart`, `atEnd`, `opening`: equity less credits, null without an account. */
export type StandingRow = {
  wallet: string; volume: number; adjustment: number; atStart: number | null; atEnd: number | null; opening: number | null;
};

/** `upTo`: newest seq. `isAll`: moves too. `isOldest`: the oldest rows, still newest first. */
export type FillFilter = {
  isAll?: boolean; symbol?: string; orderId?: number; from?: number; to?: number; upTo?: number; isOldest?: boolean;
};
export type LedgerFilter = { kind?: number; symbol?: string; from?: number; to?: number; upTo?: number };
export type Ending = 'filled' | 'canceled';

export type Batch = { type: 'batch'; seq: number; rows: Rows };

/**
 * Rows come newest first: `skip` rows are skipped, at most `limit` returned, none above seq `upTo`. `equity`, `theos`: the last row of
 * each interval up to `to`, ascending; intervals end at multiples of `interval`. `equityAt`: the last row at or before each time, or
 * null. `candles`: starts in [from, to), ascending. `tradesById`: any order. `tradesAfter`: higher ids, ascending. `pricesBefore`: `time`
 * is a full minute. `messages`, `ledgerAfter`: the oldest after number `after`.
 */
export type HistoryQuery =
  | { name: 'fills'; wallet: string; limit: number; skip: number } & FillFilter
  | { name: 'trades'; symbol?: string; underlying?: string; from?: number; to?: number; upTo?: number; limit: number; skip: number }
  | { name: 'tradesById'; ids: readonly number[] }
  | { name: 'tradesAfter'; tradeId: number; limit: number }
  | { name: 'tradeTotals'; from: number; to: number }
  | { name: 'lastPrices'; limit: number }
  | {
    name: 'orders'; wallet: string; ending: Ending | null; clientId?: string; from?: number; to?: number; upTo?: number; limit: number;
    skip: number;
  }
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
  | { name: 'candles'; kind: CandleKind; of: string; resolution: number; from: number; to: number }
  | { name: 'ledger'; wallet: string; limit: number; skip: number } & LedgerFilter
  | { name: 'ledgerAfter'; wallet: string; after: number; limit: number }
  | { name: 'pricesBefore'; underlyings: readonly string[]; time: number }
  | VenueQuery;
export type VenueQuery =
  | { name: 'funding'; symbol: string; from: number; to: number; limit: number; skip: number; isOldest?: boolean }
  | {
    name: 'payments'; wallet: string; symbol?: string; from?: number; to?: number; limit: number; skip: number; isOldest?: boolean;
  }
  | { name: 'liquidations'; from?: number; to?: number; limit: number; skip: number }
  | { name: 'settlements'; underlying?: string; limit: number; skip: number };
type Ask = { type: 'ask'; request: number; query: HistoryQuery | BackupQuery };
export type Close = { type: 'close'; candles: readonly CandlePart[] };
export type ToHistory = Batch | Ask | Close;

/** Queries now see everything up to `seq`. */
type Taken = { type: 'taken'; seq: number };
/** A restart finds everything up to `seq`. */
type Committed = { type: 'committed'; seq: number };
export type Answered = { type: 'answered'; request: number; appliedSeq: number; rows: readonly object[] };
/** The reader sends only rows above `appliedSeq`. */
export type Opened = { type: 'opened'; appliedSeq: number };
type Closed = { type: 'closed' };
export type FromHistory = Opened | Taken | Committed | Answered | Closed;
