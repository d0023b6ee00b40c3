// Pages of a wallet's fills, newest first: trades alone, or with positions that changed without a trade (takeovers,
// deleveragings; here "moves"). Each move stores the number of the wallet's fills before it, so a bisection finds its
// place.

import type { Db } from './history-file.ts';
import type { Page } from './merge-page.ts';
import type { LookupTables } from './lookup-tables.ts';
import { checkedPage, lastWhere, pageRange, prepareAll, type At } from './page-range.ts';
import type { FillFilter, FillRow } from './protocol.ts';

const JOINS = 'CROSS JOIN names s ON s.id = f.symbol CROSS JOIN names u ON u.id = f.underlying';
const SHARED = 'seq, fill_id AS fillId, s.name AS symbol, u.name AS underlying, side, price, size, realized, time';
const COLUMNS = `0 AS kind, ${SHARED}, trade_id AS tradeId, order_id AS orderId, fee, is_taker AS isTaker, position`;
const FILLS = `SELECT ${COLUMNS} FROM fills f ${JOINS} WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const FILL_AT = 'SELECT seq, time FROM fills WHERE wallet = ? AND ordinal = ?';
const OF_SYMBOL = 'FROM fills f INDEXED BY fills_of_symbol';
const FILLS_OF_SYMBOL = `SELECT ${COLUMNS} ${OF_SYMBOL} ${JOINS}
  WHERE wallet = ? AND f.symbol = ? AND nth BETWEEN ? AND ? ORDER BY nth DESC`;
const FILL_OF_SYMBOL_AT = `SELECT seq, time ${OF_SYMBOL} WHERE wallet = ? AND f.symbol = ? AND nth = ?`;
const FILLS_OF_ORDER = `SELECT ${COLUMNS} FROM fills f INDEXED BY fills_of_order ${JOINS}
  WHERE wallet = ? AND order_id = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC LIMIT ? OFFSET ?`;
const MOVE_COLUMNS = `kind, ${SHARED}, 0 AS tradeId, 0 AS orderId, 0 AS fee, 0 AS isTaker,
  NULL AS position`;
const MOVES = `SELECT ${MOVE_COLUMNS} FROM moves f ${JOINS} WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const MOVE_AT = 'SELECT seq, time, fills AS before FROM moves WHERE wallet = ? AND ordinal = ?';
const MOVED = 'FROM moves f INDEXED BY moves_of_symbol';
const MOVES_OF_SYMBOL = `SELECT ${MOVE_COLUMNS} ${MOVED} ${JOINS}
  WHERE wallet = ? AND f.symbol = ? AND nth BETWEEN ? AND ? ORDER BY nth DESC`;
const MOVE_OF_SYMBOL_AT = `SELECT seq, time, fills_of_symbol AS before ${MOVED} WHERE wallet = ? AND f.symbol = ? AND nth = ?`;

/** Numbered from 1 without gaps. */
type List = {
  readonly count: number; readonly page: (low: number, high: number) => unknown[];
  readonly at: (number: number) => { seq: number; time: number; before: number };
};

export function prepareFills(db: Db, tables: LookupTables): (wallet: string, query: Page & FillFilter) => FillRow[] {
  const { fillCounts, moveCounts, names, wallets } = tables;
  const [fills, fillAt, ofSymbol, ofSymbolAt] = prepareAll(db, FILLS, FILL_AT, FILLS_OF_SYMBOL, FILL_OF_SYMBOL_AT);
  const [ofOrder] = prepareAll(db, FILLS_OF_ORDER);
  const [moves, moveAt, moved, movedAt] = prepareAll(db, MOVES, MOVE_AT, MOVES_OF_SYMBOL, MOVE_OF_SYMBOL_AT);
  type Rows = readonly [page: typeof fills, at: typeof fills];
  const listOf = (count: number, [page, at]: Rows, ...key: number[]): List => ({
    count, page: (low, high) => page.all(...key, low, high), at: (number) => at.get(...key, number) as ReturnType<List['at']>,
  });
  const fillsOfOrder = ({ id, fills: count }: { id: number; fills: number }, query: Page & FillFilter): unknown[] => {
    const { skip, limit } = checkedPage(query);
    const range = pageRange(count, { ...query, skip: 0, limit: count }, (number) => fillAt.get(id, number));
    const rows = ofOrder.all(id, query.orderId, ...range, limit, skip) as FillRow[];
    return query.symbol === undefined || rows[0]?.symbol === query.symbol ? rows : [];
  };
  return (wallet, query) => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    const { id } = entry;
    const symbol = query.symbol === undefined ? undefined : names.find(query.symbol)?.id ?? -1;
    const trades = symbol === undefined ? listOf(entry.fills, [fills, fillAt], id)
      : listOf(fillCounts.of(id, symbol), [ofSymbol, ofSymbolAt], id, symbol);
    let rows: unknown[];
    if (query.orderId !== undefined) rows = fillsOfOrder(entry, query);
    else if (query.isAll === true) {
      rows = pageOfBoth(trades, symbol === undefined ? listOf(entry.moves, [moves, moveAt], id)
        : listOf(moveCounts.of(id, symbol), [moved, movedAt], id, symbol), query);
    } else rows = trades.page(...pageRange(trades.count, query, trades.at));
    for (const row of rows as FillRow[]) {
      row.wallet = wallet;
      row.isTaker = Number(row.isTaker) === 1;
    }
    return rows as FillRow[];
  };
}

function pageOfBoth(trades: List, moves: List, query: Page & FillFilter): unknown[] {
  const movesUpTo = (place: number): number => lastWhere(moves.count, (number) => number + moves.at(number).before <= place);
  const at: At = (place) => {
    const count = movesUpTo(place);
    const last = count === 0 ? null : moves.at(count);
    return last !== null && count + last.before === place ? last : trades.at(place - count);
  };
  const [low, high] = pageRange(trades.count + moves.count, query, at);
  if (high < low) return [];
  const [first, last] = [movesUpTo(low - 1), movesUpTo(high)];
  const rows = [...trades.page(low - first, high - last), ...moves.page(first + 1, last)] as FillRow[];
  return rows.sort((a, b) => b.fillId - a.fillId);
}
