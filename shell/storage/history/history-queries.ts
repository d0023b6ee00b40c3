// The queries of protocol.ts in SQL. A page is a range of dense numbers, so its cost does not depend on its depth.
// Queries read uncommitted rows too.

import { FLAG_QUOTE, MASS_QUOTE } from '../../../core/codec/commands.ts';
import type { Db } from './history-file.ts';
import type {
  HistoryQuery, LastPriceRow, OrderRow, OutcomeRow, PayoutRow, TradeTotalsRow, TradeRow,
} from './protocol.ts';
import { prepareFills } from './fill-pages.ts';
import type { LookupTables } from './lookup-tables.ts';
import { prepareLedger } from './ledger-pages.ts';
import { checkedPage, lastWhere, pageRange, prepareAll, type RowRange } from './page-range.ts';
import type { Page } from './merge-page.ts';
import { prepareMessages } from './message-pages.ts';
import { nonceKey } from './outcomes.ts';
import type { CandleSeries } from './candle-series.ts';
import { prepareSeries } from './time-series.ts';
import { prepareVenueRecords } from './venue-records.ts';
import { addTrade, emptyTradeTotals, type TradeTotals } from './trade-totals.ts';

const TRADE_COLUMNS = `seq, trade_id AS tradeId, s.name AS symbol, u.name AS underlying, price, size, m.address AS maker,
    t.address AS taker, maker_fee AS makerFee, taker_fee AS takerFee, taker_side AS takerSide, time`;
const TRADE_JOINS = `CROSS JOIN names s ON s.id = symbol CROSS JOIN names u ON u.id = underlying
  CROSS JOIN wallets m ON m.id = maker CROSS JOIN wallets t ON t.id = taker`;
const TRADES = `SELECT ${TRADE_COLUMNS} FROM trades ${TRADE_JOINS} WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const TRADE_AT = 'SELECT seq, time FROM trades WHERE ordinal = ?';
const TRADES_TO_SUM = 'SELECT symbol, price, size FROM trades WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal';
// The newest page of each name; that of an underlying may hold trades of other symbols.
const LAST_PRICES = `SELECT n.name AS symbol, price FROM names n CROSS JOIN trades d ON d.ordinal = (
    SELECT trade FROM trade_pages p WHERE p.name = n.id ORDER BY p.ordinal DESC LIMIT 1
  ) WHERE d.symbol = n.id ORDER BY d.ordinal DESC LIMIT ?`;
const OF_NAME = 'FROM trade_pages p CROSS JOIN trades d ON d.ordinal = p.trade';
const TRADES_OF_NAME = `SELECT ${TRADE_COLUMNS} ${OF_NAME} ${TRADE_JOINS}
  WHERE p.name = ? AND p.ordinal BETWEEN ? AND ? ORDER BY p.ordinal DESC`;
const TRADE_OF_NAME_AT = `SELECT seq, time ${OF_NAME} WHERE p.name = ? AND p.ordinal = ?`;
const ORDER_COLUMNS = `seq, order_id AS orderId, s.name AS symbol, side, price, size, filled, tif, flags, client_id AS clientId, reason,
    created_at AS createdAt, done_at AS doneAt, terms`;
const SYMBOL_OF_ORDER = 'CROSS JOIN names s ON s.id = symbol';
const ORDERS = `SELECT ${ORDER_COLUMNS} FROM orders ${SYMBOL_OF_ORDER} WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const ORDER_AT = 'SELECT seq, done_at AS time FROM orders WHERE wallet = ? AND ordinal = ?';
const BY_ENDING = 'FROM orders INDEXED BY orders_by_ending';
const ORDERS_BY_ENDING = `SELECT ${ORDER_COLUMNS} ${BY_ENDING} ${SYMBOL_OF_ORDER}
  WHERE wallet = ? AND is_filled = ? AND nth BETWEEN ? AND ? ORDER BY nth DESC`;
const ORDER_BY_ENDING_AT = `SELECT seq, done_at AS time ${BY_ENDING} WHERE wallet = ? AND is_filled = ? AND nth = ?`;
// Without INDEXED BY, the planner searches all orders of the wallet for the newest.
const ORDER_BY_ID = `SELECT ${ORDER_COLUMNS} FROM orders INDEXED BY orders_by_id ${SYMBOL_OF_ORDER}
  WHERE order_id = ? AND wallet = ? AND seq <= ? ORDER BY ordinal DESC LIMIT 1`;
const IS_NO_QUOTE = `flags & ${FLAG_QUOTE} = 0`;
const ORDER_BY_CLIENT_ID = `SELECT ${ORDER_COLUMNS} FROM orders INDEXED BY orders_by_client_id ${SYMBOL_OF_ORDER}
  WHERE wallet = ? AND client_id = ? AND client_id <> '' AND ${IS_NO_QUOTE} AND seq <= ? ORDER BY ordinal DESC LIMIT 1`;
export const CLIENT_ID_ORDERS = 20_000;
const ORDERS_OF_CLIENT_ID = `SELECT ${ORDER_COLUMNS} FROM (
    SELECT ordinal AS place FROM orders INDEXED BY orders_by_client_id
    WHERE wallet = ? AND client_id = ? AND client_id <> '' AND ${IS_NO_QUOTE} AND ordinal BETWEEN ? AND ?
    ORDER BY ordinal DESC LIMIT ${CLIENT_ID_ORDERS}
  ) CROSS JOIN orders ON wallet = ? AND ordinal = place ${SYMBOL_OF_ORDER}
  WHERE is_filled IN (?, ?) ORDER BY place DESC LIMIT ? OFFSET ?`;
const OUTCOME = `SELECT seq, kind, lower(hex(digest)) AS digest, code, numbers, time, order_id AS orderId, flags,
  is_mmp_triggered AS isMmpTriggered
  FROM outcomes INDEXED BY outcomes_by_nonce WHERE wallet = ? AND nonce = ? ORDER BY ordinal LIMIT 1`;
const QUOTE_OUTCOME = `SELECT seq, ${MASS_QUOTE} AS kind, lower(hex(digest)) AS digest, 0 AS code, numbers, time, 0 AS orderId, 0 AS flags,
  0 AS isMmpTriggered FROM quote_outcomes INDEXED BY quote_outcomes_by_nonce WHERE wallet = ? AND nonce = ? ORDER BY ordinal LIMIT 1`;
const PAYOUT_COLUMNS = 'seq, payout_id AS payoutId, s.name AS symbol, expiry, position, price, value, cost, net, time, is_seen AS isSeen';
const PAYOUTS = `SELECT ${PAYOUT_COLUMNS} FROM payouts CROSS JOIN names s ON s.id = symbol
  WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const PAYOUTS_OF_SYMBOL = `SELECT ${PAYOUT_COLUMNS} FROM payouts INDEXED BY payouts_of_symbol CROSS JOIN names s ON s.id = symbol
  WHERE wallet = ? AND symbol = ? ORDER BY ordinal DESC LIMIT ? OFFSET ?`;

/** One by one takes twice the time. */
const TRADES_AT_ONCE = 8_192;

type StoredOutcome = Omit<OutcomeRow, 'numbers' | 'isMmpTriggered'> & { readonly numbers: string; readonly isMmpTriggered: 0 | 1 };

export type AnswerQuery = (query: HistoryQuery) => readonly object[];

export function prepareQueries(db: Db, tables: LookupTables, candles: CandleSeries): AnswerQuery {
  const { wallets } = tables;
  const fills = prepareFills(db, tables);
  const trades = prepareTrades(db, tables);
  const orders = prepareOrders(db, tables);
  const payouts = preparePayouts(db, tables);
  const series = prepareSeries(db, tables);
  const messages = prepareMessages(db, wallets);
  const ledger = prepareLedger(db, tables);
  const venue = prepareVenueRecords(db, tables);
  const outcome = db.prepare(OUTCOME);
  const quoteOutcome = db.prepare(QUOTE_OUTCOME);
  const lastPrices = db.prepare(LAST_PRICES);

  const oneOutcome = (wallet: string, nonce: string): OutcomeRow[] => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    const key = nonceKey(nonce);
    const rows = [...outcome.all(entry.id, key), ...quoteOutcome.all(entry.id, key)] as StoredOutcome[];
    return rows.map((row) => (
      { ...row, wallet, nonce, numbers: JSON.parse(row.numbers) as number[], isMmpTriggered: row.isMmpTriggered === 1 }
    ));
  };

  return (query) => {
    switch (query.name) {
      case 'fills': return fills(query.wallet, query);
      case 'trades': return trades.page(query);
      case 'tradesById': return trades.byId(query.ids);
      case 'tradesAfter': return trades.after(query.tradeId, query.limit);
      case 'tradeTotals': return trades.totals(query.from, query.to);
      case 'lastPrices': return lastPrices.all(query.limit) as LastPriceRow[];
      case 'orders': return orders.page(query);
      case 'order': return orders.one(query);
      case 'outcome': return oneOutcome(query.wallet, query.nonce);
      case 'payouts': return payouts(query.wallet, query.symbol, query);
      case 'ledger': return ledger.page(query.wallet, query);
      case 'ledgerAfter': return ledger.after(query.wallet, query.after, query.limit);
      case 'equity': return series.equity(query.wallet, query);
      case 'theos': return series.theos(query.symbol, query);
      case 'equityAt': return series.equityAt(query.wallet, query.times);
      case 'futureEquity': return series.futureEquity(query.time);
      case 'standings': return series.standings(query);
      case 'messages': return messages(query);
      case 'dealings': return series.dealings(query.competition);
      case 'signers': return series.signers(query.competition);
      case 'sentStandings': return series.sentStandings(query.competition, query.wallets);
      case 'funding': case 'payments': case 'liquidations': case 'settlements': return venue(query);
      case 'candles': return candles.page(query);
      case 'pricesBefore': return candles.pricesBefore(query.underlyings, query.time);
    }
  };
}

type TradeQuery = Page & RowRange & { symbol?: string; underlying?: string };

type Trades = {
  page(query: TradeQuery): TradeRow[];
  byId(ids: readonly number[]): TradeRow[];
  after(id: number, limit: number): TradeRow[];
  totals(from: number, to: number): TradeTotalsRow[];
};

function prepareTrades(db: Db, { names }: LookupTables): Trades {
  const [trades, tradeAt, ofName, ofNameAt] = prepareAll(db, TRADES, TRADE_AT, TRADES_OF_NAME, TRADE_OF_NAME_AT);
  const newest = db.prepare('SELECT ifnull(max(ordinal), 0) FROM trades').pluck();
  const idAt = db.prepare('SELECT trade_id FROM trades WHERE ordinal = ?').pluck();
  const [toSum, nameOf] = [db.prepare(TRADES_TO_SUM).raw(), db.prepare('SELECT name FROM names WHERE id = ?').pluck()];
  // Ids have few gaps, so a guess usually hits.
  const ordinalOf = (id: number): number => {
    const count = newest.get() as number;
    const guess = count - ((idAt.get(count) as number | undefined) ?? 0) + id;
    return idAt.get(guess) === id ? guess : lastWhere(count, (number) => (idAt.get(number) as number) <= id);
  };
  return {
    page: (query) => {
      const { symbol, underlying } = query;
      const name = symbol ?? underlying;
      if (name === undefined) return trades.all(...pageRange(newest.get() as number, query, (number) => tradeAt.get(number))) as TradeRow[];
      const entry = names.find(name);
      if (entry === null) return [];
      const rows = ofName.all(entry.id, ...pageRange(entry.trades, query, (number) => ofNameAt.get(entry.id, number))) as TradeRow[];
      return underlying === undefined || rows[0]?.underlying === underlying ? rows : [];
    },
    byId: (ids) => ids.flatMap((id) => {
      const ordinal = ordinalOf(id);
      return (trades.all(ordinal, ordinal) as TradeRow[]).filter((row) => row.tradeId === id);
    }),
    after: (id, limit) => {
      const ordinal = ordinalOf(id);
      return (trades.all(ordinal + 1, ordinal + limit) as TradeRow[]).reverse();
    },
    totals: (from, to) => {
      const sums = new Map<number, TradeTotals>();
      const all = { skip: 0, limit: Number.MAX_SAFE_INTEGER, from, to: to - 1 };
      const [low, high] = pageRange(newest.get() as number, all, (number) => tradeAt.get(number));
      for (let first = low; first <= high; first += TRADES_AT_ONCE) {
        for (const [symbol, price, size] of toSum.all(first, Math.min(high, first + TRADES_AT_ONCE - 1)) as [number, number, number][]) {
          let sum = sums.get(symbol);
          if (sum === undefined) sums.set(symbol, sum = emptyTradeTotals());
          addTrade(sum, price, size);
        }
      }
      return [...sums].map(([symbol, sum]) => ({ symbol: nameOf.get(symbol) as string, ...sum }));
    },
  };
}

type Orders = {
  page(query: HistoryQuery & { name: 'orders' }): OrderRow[];
  one(query: HistoryQuery & { name: 'order' }): OrderRow[];
};

function prepareOrders(db: Db, { wallets, orderCounts }: LookupTables): Orders {
  const [orders, orderAt, byEnding, byEndingAt] = prepareAll(db, ORDERS, ORDER_AT, ORDERS_BY_ENDING, ORDER_BY_ENDING_AT);
  const [byId, byClientId, ofClientId] = prepareAll(db, ORDER_BY_ID, ORDER_BY_CLIENT_ID, ORDERS_OF_CLIENT_ID);
  return {
    page: (query) => {
      const { wallet, ending, clientId } = query;
      const entry = wallets.find(wallet);
      if (entry === null) return [];
      if (clientId !== undefined) {
        const wanted = ending === null ? [0, 1] : [Number(ending === 'filled'), Number(ending === 'filled')];
        const { skip, limit } = checkedPage(query);
        const range = pageRange(entry.orders, { ...query, skip: 0, limit: entry.orders }, (number) => orderAt.get(entry.id, number));
        return ofWallet<OrderRow>(wallet, ofClientId.all(entry.id, clientId, ...range, entry.id, ...wanted, limit, skip));
      }
      if (ending === null) {
        const range = pageRange(entry.orders, query, (number) => orderAt.get(entry.id, number));
        return ofWallet<OrderRow>(wallet, orders.all(entry.id, ...range));
      }
      const isFilled = Number(ending === 'filled');
      const page = pageRange(orderCounts.of(entry.id, isFilled), query, (nth) => byEndingAt.get(entry.id, isFilled, nth));
      return ofWallet<OrderRow>(wallet, byEnding.all(entry.id, isFilled, ...page));
    },
    one: ({ wallet, orderId, clientId, upTo = Infinity }) => {
      const entry = wallets.find(wallet);
      if (entry === null) return [];
      if (orderId !== undefined) return ofWallet<OrderRow>(wallet, byId.all(orderId, entry.id, upTo));
      return clientId === undefined ? [] : ofWallet<OrderRow>(wallet, byClientId.all(entry.id, clientId, upTo));
    },
  };
}

type PayoutPage = (wallet: string, symbol: string | undefined, query: Page) => PayoutRow[];

function preparePayouts(db: Db, { wallets, names }: LookupTables): PayoutPage {
  const [payouts, ofSymbol] = prepareAll(db, PAYOUTS, PAYOUTS_OF_SYMBOL);
  return (wallet, symbol, query) => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    const { skip, limit } = checkedPage(query);
    const rows = ofWallet<PayoutRow>(wallet, symbol === undefined
      ? payouts.all(entry.id, ...pageRange(entry.payouts, query))
      : ofSymbol.all(entry.id, names.find(symbol)?.id ?? -1, limit, skip));
    for (const row of rows) row.isSeen = Number(row.isSeen) === 1;
    return rows;
  };
}

function ofWallet<Row>(wallet: string, rows: unknown[]): Row[] {
  for (const row of rows as { wallet: string }[]) row.wallet = wallet;
  return rows as Row[];
}
