// The questions of protocol.ts as SQL. A page is a range of ordinals, newest first: its cost does not grow with how deep it
// lies. Orders of some reasons are merged from one index range per reason, which costs as much as rows are passed over.
// Reads what is committed: must not be called within a transaction.

import type Database from 'better-sqlite3';
import type { Db } from './file.ts';
import type { FillRow, HistoryQuery, OrderRow, OutcomeRow, TradeRow } from './protocol.ts';
import type { Entries, NameEntry, WalletEntry } from './names.ts';
import { nonceKey } from './outcomes.ts';

const FILLS = `SELECT seq, fill_id AS fillId, trade_id AS tradeId, order_id AS orderId, s.name AS symbol, u.name AS underlying, side,
    price, size, fee, is_taker AS isTaker, realized, time
  FROM fills CROSS JOIN names s ON s.id = symbol CROSS JOIN names u ON u.id = underlying
  WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const TRADE_COLUMNS = `seq, trade_id AS tradeId, s.name AS symbol, u.name AS underlying, price, size, m.address AS maker,
    t.address AS taker, maker_fee AS makerFee, taker_fee AS takerFee, taker_side AS takerSide, time`;
const TRADE_JOINS = `CROSS JOIN names s ON s.id = symbol CROSS JOIN names u ON u.id = underlying
  CROSS JOIN wallets m ON m.id = maker CROSS JOIN wallets t ON t.id = taker`;
const TRADES = `SELECT ${TRADE_COLUMNS} FROM trades ${TRADE_JOINS} WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const TRADES_OF_NAME = `SELECT ${TRADE_COLUMNS} FROM trade_pages p CROSS JOIN trades d ON d.ordinal = p.trade ${TRADE_JOINS}
  WHERE p.name = ? AND p.ordinal BETWEEN ? AND ? ORDER BY p.ordinal DESC`;
const ORDER_COLUMNS = `seq, order_id AS orderId, s.name AS symbol, side, price, size, filled, tif, flags, client_id AS clientId, reason,
    created_at AS createdAt, done_at AS doneAt`;
const SYMBOL_OF_ORDER = 'CROSS JOIN names s ON s.id = symbol';
const ORDERS = `SELECT ${ORDER_COLUMNS} FROM orders ${SYMBOL_OF_ORDER} WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
// Left to itself the planner would look for the newest among all orders of the wallet.
const ORDER_BY_ID = `SELECT ${ORDER_COLUMNS} FROM orders INDEXED BY orders_by_id ${SYMBOL_OF_ORDER}
  WHERE order_id = ? AND wallet = ? ORDER BY ordinal DESC LIMIT 1`;
const ORDER_BY_CLIENT_ID = `SELECT ${ORDER_COLUMNS} FROM orders INDEXED BY orders_by_client_id ${SYMBOL_OF_ORDER}
  WHERE wallet = ? AND client_id = ? AND client_id <> '' ORDER BY ordinal DESC LIMIT 1`;
const OUTCOME = `SELECT seq, kind, lower(hex(digest)) AS digest, code, numbers, time, order_id AS orderId
  FROM outcomes INDEXED BY outcomes_by_nonce WHERE wallet = ? AND nonce = ? ORDER BY ordinal LIMIT 1`;

/** The reasons there are (core/errors) fit many times; each number of them is a statement kept. */
const MOST_REASONS = 32;

export type Entered = { readonly wallets: Entries<WalletEntry>; readonly names: Entries<NameEntry> };
/** Answers one question, newest first. Throws RangeError for a skip or limit that is none, or too many reasons. */
export type Answering = (query: HistoryQuery) => readonly object[];

export function prepareQueries(db: Db, { wallets, names }: Entered): Answering {
  const [fills, trades, tradesOfName, orders] = [FILLS, TRADES, TRADES_OF_NAME, ORDERS].map((text) => db.prepare(text)) as Statements;
  const [orderById, orderByClientId, outcome] = [ORDER_BY_ID, ORDER_BY_CLIENT_ID, OUTCOME].map((text) => db.prepare(text)) as Statements;
  const newestTrade = db.prepare('SELECT ifnull(max(ordinal), 0) FROM trades').pluck();
  const byReasons = new Map<number, Statement>();

  const fillPage = (wallet: string, query: Page): FillRow[] => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    const rows = fills.all(entry.id, ...ordinals(entry.fills, query)) as FillRow[];
    for (const row of rows) {
      row.wallet = wallet;
      row.isTaker = Number(row.isTaker) === 1;
    }
    return rows;
  };

  const tradePage = (query: Page & { symbol?: string; underlying?: string }): TradeRow[] => {
    const { symbol, underlying } = query;
    const name = symbol ?? underlying;
    if (name === undefined) return trades.all(...ordinals(newestTrade.get() as number, query)) as TradeRow[];
    const entry = names.find(name);
    if (entry === null) return [];
    const rows = tradesOfName.all(entry.id, ...ordinals(entry.trades, query)) as TradeRow[];
    // A symbol has one underlying: a page of it fits the one asked for as a whole, or not at all.
    return underlying === undefined || rows[0]?.underlying === underlying ? rows : [];
  };

  const orderPage = (wallet: string, reasons: readonly number[] | null, query: Page): OrderRow[] => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    if (reasons === null) return ofWallet(wallet, orders.all(entry.id, ...ordinals(entry.orders, query)));
    const { skip, limit } = checked(query);
    const wanted = [...new Set(reasons)];
    if (wanted.length === 0) return [];
    if (wanted.length > MOST_REASONS) throw new RangeError(`${wanted.length} reasons, at most ${MOST_REASONS}`);
    let statement = byReasons.get(wanted.length);
    if (statement === undefined) byReasons.set(wanted.length, statement = db.prepare(ordersByReasons(wanted.length)));
    return ofWallet(wallet, statement.all(...wanted.flatMap((reason) => [entry.id, reason]), limit, skip, entry.id));
  };

  const oneOrder = (wallet: string, orderId: number | undefined, clientId: string | undefined): OrderRow[] => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    if (orderId !== undefined) return ofWallet(wallet, orderById.all(orderId, entry.id));
    return clientId === undefined ? [] : ofWallet(wallet, orderByClientId.all(entry.id, clientId));
  };

  const oneOutcome = (wallet: string, nonce: string): OutcomeRow[] => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    const rows = outcome.all(entry.id, nonceKey(nonce)) as (Omit<OutcomeRow, 'numbers'> & { numbers: string })[];
    return rows.map((row) => ({ ...row, wallet, nonce, numbers: JSON.parse(row.numbers) as number[] }));
  };

  return (query) => {
    switch (query.name) {
      case 'fills': return fillPage(query.wallet, query);
      case 'trades': return tradePage(query);
      case 'orders': return orderPage(query.wallet, query.reasons, query);
      case 'order': return oneOrder(query.wallet, query.orderId, query.clientId);
      case 'outcome': return oneOutcome(query.wallet, query.nonce);
    }
  };
}

type Statement = Database.Statement<unknown[]>;
type Statements = [Statement, Statement, Statement, Statement];
type Page = { readonly skip: number; readonly limit: number };

/** The lowest and the highest ordinal of a page of `count` rows; an empty range for an empty page. */
function ordinals(count: number, page: Page): [low: number, high: number] {
  const { skip, limit } = checked(page);
  const high = count - skip;
  return [high - limit + 1, high];
}

function checked(page: Page): Page {
  for (const value of [page.skip, page.limit]) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`skip ${page.skip}, limit ${page.limit}`);
  }
  return page;
}

/** Rows of one wallet, with its address, which no table repeats. */
function ofWallet(wallet: string, rows: unknown[]): OrderRow[] {
  for (const row of rows as { wallet: string }[]) row.wallet = wallet;
  return rows as OrderRow[];
}

/** Takes (wallet, reason) for each, limit, skip, wallet. Each range is in order already: SQLite merges them and stops at the page's end. */
function ordersByReasons(count: number): string {
  const ranges = Array.from({ length: count }, () => 'SELECT ordinal FROM orders WHERE wallet = ? AND reason = ?');
  return `SELECT ${ORDER_COLUMNS} FROM (${ranges.join(' UNION ALL ')} ORDER BY 1 DESC LIMIT ? OFFSET ?) p
    CROSS JOIN orders o ON o.wallet = ? AND o.ordinal = p.ordinal ${SYMBOL_OF_ORDER} ORDER BY p.ordinal DESC`;
}
