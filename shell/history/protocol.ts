// Rows that the reader hands to the history thread, and the questions it asks. Messages over one port, in order: the
// reader sends batches and queries; history answers each query and says how far its store is committed. A query's answer is
// as of the `appliedSeq` it carries; what came later is still in the reader's memory, which merges it (newest first).
// Money, prices, sizes: integers in 1e-6; times ms; addresses lower-case 0x hex; ids from 1; seq of the command that made it.

export type FillRow = {
  seq: number; fillId: number; tradeId: number; orderId: number; wallet: string; symbol: string; underlying: string; side: number;
  price: number; size: number; fee: number; isTaker: boolean; realized: number; time: number;
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
};

export type Rows = { fills: FillRow[]; trades: TradeRow[]; orders: OrderRow[]; outcomes: OutcomeRow[] };

/** Sent by the reader: everything that commands up to `seq` made, in order. */
export type Batch = { type: 'batch'; seq: number; rows: Rows };

/** Newest first; `skip` rows of the store are passed over, at most `limit` come. */
export type HistoryQuery =
  | { name: 'fills'; wallet: string; limit: number; skip: number }
  | { name: 'trades'; symbol?: string; underlying?: string; limit: number; skip: number }
  | { name: 'orders'; wallet: string; reasons: readonly number[] | null; limit: number; skip: number }
  | { name: 'order'; wallet: string; orderId?: number; clientId?: string }
  | { name: 'outcome'; wallet: string; nonce: string };
type Ask = { type: 'ask'; request: number; query: HistoryQuery };
/** The reader is stopping: commit what has come, then answer `Closed`. */
type Close = { type: 'close' };
export type ToHistory = Batch | Ask | Close;

type Committed = { type: 'committed'; seq: number };
export type Answered = { type: 'answered'; request: number; appliedSeq: number; rows: readonly object[] };
/** First message: how far the store is; the reader emits only rows above it. */
export type Opened = { type: 'opened'; appliedSeq: number };
type Closed = { type: 'closed' };
export type FromHistory = Opened | Committed | Answered | Closed;
