// Stores what the reader has seen. Batches arrive in seq order and can be queried at once. A commit holds whole batches and their seq; a
// repeated batch is skipped. After any failure the store refuses all calls.

import { CandleSeries } from './candle-series.ts';
import { HistoryRefusal, isDamage } from './history-errors.ts';
import { metaHash, openFile, setAside, type Db } from './history-file.ts';
import { fillCounts, moveCounts, nameEntries, orderCounts, walletEntries, type LookupTables } from './lookup-tables.ts';
import { prepareLedgerInsert } from './ledger-pages.ts';
import { MessagePages } from './message-pages.ts';
import { KEPT_QUOTES, nonceKey, outcomePruning } from './outcomes.ts';
import { prepareQueries, type AnswerQuery } from './history-queries.ts';
import { prepareSeriesInserts } from './time-series.ts';
import { prepareVenueInserts } from './venue-records.ts';
import type {
  Batch, CandlePart, FillRow, HistoryQuery, LedgerRow, OrderRow, OutcomeRow, PayoutRow, SeenRow, TradeRow,
} from './protocol.ts';
import { MASS_QUOTE } from '../../../core/codec/commands.ts';
import { DONE_FILLED } from '../../../core/errors.ts';

const INSERT_FILL = insertInto('fills', 17);
const INSERT_MOVE = insertInto('moves', 15);
const INSERT_TRADE = insertInto('trades', 13);
const INSERT_TRADE_PAGE = insertInto('trade_pages', 3);
const INSERT_ORDER = insertInto('orders', 18);
const INSERT_PAYOUT = insertInto('payouts', 13);
const UPDATE_SEEN = 'UPDATE payouts SET is_seen = 1 WHERE payout_id = ?';
const INSERT_QUOTE_OUTCOME = 'INSERT OR REPLACE INTO quote_outcomes VALUES (?, ?, ?, ?, ?, unhex(?), ?, ?)';
const INSERT_OUTCOME = 'INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, unhex(?), ?, ?, ?, ?, ?, ?)';

export class HistoryStore {
  readonly notice: string | null;
  readonly #folder: string;
  readonly #venue: string;
  readonly #db: Db;
  readonly #insert: Inserts & ReturnType<typeof prepareSeriesInserts> & ReturnType<typeof prepareVenueInserts>;
  readonly #ask: AnswerQuery;
  readonly #messages: MessagePages;
  readonly #candles: CandleSeries;
  readonly #prune: (newestTime: number) => number;
  readonly #run: { begin: Run; commit: Run; meta: Run };
  #appliedSeq: number;
  #newestTime = 0;
  #failure: Error | null = null;

  static open(dataFolder: string, venue: string): HistoryStore {
    return new HistoryStore(dataFolder, venue);
  }

  private constructor(dataFolder: string, venue: string) {
    const { db, appliedSeq, notice } = openFile(dataFolder, venue);
    this.notice = notice;
    this.#folder = dataFolder;
    this.#venue = venue;
    this.#db = db;
    this.#appliedSeq = appliedSeq;
    const tables: LookupTables = {
      wallets: walletEntries(db), names: nameEntries(db), fillCounts: fillCounts(db), moveCounts: moveCounts(db),
      orderCounts: orderCounts(db),
    };
    this.#insert = { ...prepareInserts(db, tables), ...prepareSeriesInserts(db, tables), ...prepareVenueInserts(db, tables) };
    this.#candles = new CandleSeries(db, tables.names);
    this.#ask = prepareQueries(db, tables, this.#candles);
    this.#messages = new MessagePages(db, tables.wallets);
    this.#prune = outcomePruning(db);
    this.#run = {
      begin: runOf(db, 'BEGIN IMMEDIATE'), commit: runOf(db, 'COMMIT'), meta: runOf(db, 'UPDATE meta SET applied_seq = ?, hash = ?'),
    };
  }

  /** All rows up to here are stored, none above. */
  get appliedSeq(): number {
    return this.#appliedSeq;
  }

  take(batches: readonly Batch[]): number {
    return this.#guarded(() => {
      const fresh = batches.filter(({ seq }) => seq > this.#appliedSeq);
      if (fresh.length === 0) return this.#appliedSeq;
      if (!this.#db.inTransaction) this.#run.begin();
      for (const batch of fresh) {
        this.#add(batch, this.#appliedSeq);
        this.#appliedSeq = Math.max(this.#appliedSeq, batch.seq);
      }
      this.#messages.flush();
      this.#candles.flush();
      this.#prune(this.#newestTime);
      return this.#appliedSeq;
    });
  }

  commit(batches: readonly Batch[] = []): number {
    this.take(batches);
    return this.#guarded(() => {
      if (this.#db.inTransaction) {
        this.#run.meta(this.#appliedSeq, metaHash(this.#venue, this.#appliedSeq));
        this.#run.commit();
      }
      return this.#appliedSeq;
    });
  }

  finish(candles: readonly CandlePart[]): number {
    this.#guarded(() => {
      if (candles.length > 0 && !this.#db.inTransaction) this.#run.begin();
      for (const part of candles) this.#candles.addPart(part);
      this.#candles.flush();
    });
    return this.commit();
  }

  answer(query: HistoryQuery): readonly object[] {
    return this.#guarded(() => this.#ask(query));
  }

  close(): void {
    this.#failure ??= new Error('closed');
    this.#db.close();
  }

  #add({ seq, rows }: Batch, applied: number): void {
    const insert = this.#insert;
    for (const row of inOrder(above(rows.fills, applied, seq), above(rows.moves, applied, seq))) {
      if (row.kind === 0) insert.fill(row);
      else insert.move(row);
    }
    for (const row of above(rows.trades, applied, seq)) {
      insert.trade(row);
      this.#candles.addTrade(row);
    }
    for (const row of above(rows.orders, applied, seq)) insert.order(row);
    for (const row of above(rows.outcomes, applied, seq)) {
      insert.outcome(row);
      this.#newestTime = Math.max(this.#newestTime, row.time);
    }
    for (const row of above(rows.payouts, applied, seq)) insert.payout(row);
    for (const row of above(rows.seen, applied, seq)) insert.seen(row);
    for (const row of above(rows.ledger, applied, seq)) insert.ledger(row);
    for (const row of above(rows.equity, applied, seq)) insert.equity(row);
    for (const row of above(rows.theos, applied, seq)) insert.theo(row);
    for (const row of above(rows.ticks, applied, seq)) this.#candles.addTick(row);
    for (const row of above(rows.candleParts, applied, seq)) this.#candles.addPart(row);
    for (const row of above(rows.scores, applied, seq)) insert.score(row);
    for (const row of above(rows.dealings, applied, seq)) insert.dealing(row);
    for (const row of above(rows.signers, applied, seq)) insert.signer(row);
    for (const row of above(rows.sentStandings, applied, seq)) insert.sentStanding(row);
    for (const row of above(rows.funding, applied, seq)) insert.funding(row);
    for (const row of above(rows.payments, applied, seq)) insert.payment(row);
    for (const row of above(rows.liquidations, applied, seq)) insert.liquidation(row);
    for (const row of above(rows.settlements, applied, seq)) insert.settlement(row);
    for (const row of above(rows.messages, applied, seq)) this.#messages.add(row);
  }

  #guarded<T>(work: () => T): T {
    if (this.#failure !== null) throw new HistoryRefusal(`the history store is out of use: ${this.#failure.message}`);
    try {
      return work();
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#db.close();
      if (isDamage(error)) throw new HistoryRefusal(setAside(this.#folder, error));
      throw error;
    }
  }
}

type Run = (...values: unknown[]) => unknown;
type Inserts = {
  readonly fill: (row: FillRow) => void; readonly move: (row: FillRow) => void; readonly trade: (row: TradeRow) => void;
  readonly order: (row: OrderRow) => void; readonly outcome: (row: OutcomeRow) => void;
  readonly payout: (row: PayoutRow) => void; readonly seen: (row: SeenRow) => void; readonly ledger: (row: LedgerRow) => void;
};

function prepareInserts(db: Db, tables: LookupTables): Inserts {
  const { wallets, names, fillCounts, moveCounts, orderCounts } = tables;
  const fill = runOf(db, INSERT_FILL);
  const move = runOf(db, INSERT_MOVE);
  const trade = runOf(db, INSERT_TRADE);
  const tradePage = runOf(db, INSERT_TRADE_PAGE);
  const order = runOf(db, INSERT_ORDER);
  const outcome = runOf(db, INSERT_OUTCOME);
  const quoteOutcome = runOf(db, INSERT_QUOTE_OUTCOME);
  const payout = runOf(db, INSERT_PAYOUT);
  const seen = runOf(db, UPDATE_SEEN);
  let trades = db.prepare('SELECT ifnull(max(ordinal), 0) FROM trades').pluck().get() as number;
  const tradeName = (text: string): number => {
    const entry = names.findOrAdd(text);
    tradePage(entry.id, ++entry.trades, trades);
    return entry.id;
  };
  return {
    fill: (row) => {
      const [symbol, underlying] = [names.findOrAdd(row.symbol).id, names.findOrAdd(row.underlying).id];
      const entry = wallets.findOrAdd(row.wallet);
      fill(entry.id, ++entry.fills, row.seq, row.fillId, row.tradeId, row.orderId, symbol, underlying, row.side, row.price, row.size,
        row.fee, row.isTaker ? 1 : 0, row.realized, row.position, row.time, fillCounts.next(entry.id, symbol));
    },
    move: (row) => {
      const [symbol, underlying] = [names.findOrAdd(row.symbol).id, names.findOrAdd(row.underlying).id];
      const entry = wallets.findOrAdd(row.wallet);
      move(entry.id, ++entry.moves, entry.fills, row.seq, row.fillId, row.kind, symbol, underlying, row.side, row.price, row.size,
        row.realized, row.time, moveCounts.next(entry.id, symbol), fillCounts.of(entry.id, symbol));
    },
    trade: (row) => {
      trades++;
      const [symbol, underlying] = [tradeName(row.symbol), tradeName(row.underlying)];
      const [maker, taker] = [wallets.findOrAdd(row.maker).id, wallets.findOrAdd(row.taker).id];
      trade(trades, row.seq, row.tradeId, symbol, underlying, row.price, row.size, maker, taker, row.makerFee, row.takerFee, row.takerSide,
        row.time);
    },
    order: (row) => {
      const symbol = names.findOrAdd(row.symbol).id;
      const entry = wallets.findOrAdd(row.wallet);
      const isFilled = Number(row.reason === DONE_FILLED);
      order(entry.id, ++entry.orders, row.seq, row.orderId, symbol, row.side, row.price, row.size, row.filled, row.tif, row.flags,
        row.clientId, row.reason, row.createdAt, row.doneAt, isFilled, orderCounts.next(entry.id, isFilled), row.terms);
    },
    outcome: (row) => {
      const entry = wallets.findOrAdd(row.wallet);
      if (row.kind === MASS_QUOTE) {
        const ordinal = ++entry.quotes;
        const numbers = JSON.stringify(row.numbers);
        quoteOutcome(entry.id, ordinal % KEPT_QUOTES, ordinal, row.seq, nonceKey(row.nonce), row.digest, numbers, row.time);
        return;
      }
      outcome(entry.id, ++entry.outcomes, row.seq, nonceKey(row.nonce), row.kind, row.digest, row.code, JSON.stringify(row.numbers),
        row.time, row.orderId, row.flags, row.isMmpTriggered ? 1 : 0);
    },
    payout: (row) => {
      const symbol = names.findOrAdd(row.symbol).id;
      const entry = wallets.findOrAdd(row.wallet);
      payout(entry.id, ++entry.payouts, row.seq, row.payoutId, symbol, row.expiry, row.position, row.price, row.value, row.cost, row.net,
        row.time, row.isSeen ? 1 : 0);
    },
    seen: (row) => seen(row.payoutId),
    ledger: prepareLedgerInsert(db, tables),
  };
}

/** Sorted by id, because a move stores the number of fills before it. */
function inOrder(fills: readonly FillRow[], moves: readonly FillRow[]): readonly FillRow[] {
  return moves.length === 0 ? fills : [...fills, ...moves].sort((a, b) => a.fillId - b.fillId);
}

function above<Row extends { readonly seq: number }>(rows: readonly Row[], applied: number, seq: number): readonly Row[] {
  let last = 0;
  for (const row of rows) {
    if (row.seq < last || row.seq > seq) throw new HistoryRefusal(`a row of seq ${row.seq} after ${last} in a batch up to ${seq}`);
    last = row.seq;
  }
  return rows[0] === undefined || rows[0].seq > applied ? rows : rows.filter((row) => row.seq > applied);
}

function insertInto(table: string, columns: number): string {
  return `INSERT INTO ${table} VALUES (${Array.from({ length: columns }, () => '?').join(', ')})`;
}

function runOf(db: Db, text: string): Run {
  const statement = db.prepare(text);
  return (...values) => statement.run(...values);
}
