// The account ledger: rows of a wallet by their number, which has no gaps. At least the newest KEPT_LEDGER are kept.
// The last row before them becomes one row `opening` with its balance, so rows always sum to a wallet's cash.

import type { Db } from './history-file.ts';
import type { LookupTables } from './lookup-tables.ts';
import type { Page } from './merge-page.ts';
import { pageRange, prepareAll, type At } from './page-range.ts';
import { KEPT_LEDGER, type LedgerFilter, type LedgerRow } from './protocol.ts';

const CARRIED = -1;
const OPENING = 0;
const REMOVE_EVERY = 512;

const INSERT = `INSERT INTO ledger VALUES (@wallet, @number, @seq, @time, @kind, @symbol, @amount, @balance, @tradeId, @orderId,
  @payoutId, @hour, @creditId, @reason)`;
const CARRY = `UPDATE ledger SET kind = ${CARRIED}, symbol = 0, amount = balance, trade_id = 0, order_id = 0, payout_id = 0, hour = 0,
  credit_id = '', reason = '' WHERE wallet = ? AND number = ?`;
const REMOVE = 'DELETE FROM ledger WHERE wallet = ? AND number < ?';
const FIRST = 'SELECT min(number) FROM ledger WHERE wallet = ?';
const COLUMNS = `seq, number, max(kind, ${OPENING}) AS kind, ifnull(n.name, '') AS symbol, amount, balance, trade_id AS tradeId,
  order_id AS orderId, payout_id AS payoutId, hour, credit_id AS creditId, reason, time`;
const ROWS = `SELECT ${COLUMNS} FROM ledger l LEFT JOIN names n ON n.id = l.symbol WHERE wallet = ?`;
const PAGE = `${ROWS} AND number BETWEEN ? AND ? ORDER BY number DESC`;
const FILTERED = `${ROWS} AND number BETWEEN ? AND ? AND (? IS NULL OR max(kind, ${OPENING}) = ?) AND (? IS NULL OR l.symbol = ?)
  ORDER BY number DESC LIMIT ? OFFSET ?`;
const AFTER = `${ROWS} AND number > ? AND kind <> ${CARRIED} ORDER BY number LIMIT ?`;
const AT = 'SELECT seq, time FROM ledger WHERE wallet = ? AND number = ?';

export function prepareLedgerInsert(db: Db, { wallets, names }: LookupTables): (row: LedgerRow) => void {
  const [carry, remove] = prepareAll(db, CARRY, REMOVE);
  const insert = db.prepare(INSERT);
  return (row) => {
    const entry = wallets.findOrAdd(row.wallet);
    const { number } = row;
    const stored = { ...row, wallet: entry.id, symbol: row.symbol === '' ? 0 : names.findOrAdd(row.symbol).id };
    if (number !== entry.ledger + 1) {
      remove.run(entry.id, number);
      insert.run({ ...stored, number: number - 1, balance: row.balance - row.amount });
      carry.run(entry.id, number - 1);
    }
    insert.run(stored);
    entry.ledger = number;
    if (number % REMOVE_EVERY !== 0 || number <= KEPT_LEDGER) return;
    carry.run(entry.id, number - KEPT_LEDGER);
    remove.run(entry.id, number - KEPT_LEDGER);
  };
}

type Ledger = {
  page(wallet: string, query: Page & LedgerFilter): LedgerRow[];
  after(wallet: string, number: number, limit: number): LedgerRow[];
};

export function prepareLedger(db: Db, { wallets, names }: LookupTables): Ledger {
  const [rows, filtered, after, at] = prepareAll(db, PAGE, FILTERED, AFTER, AT);
  const firstOf = db.prepare(FIRST).pluck();
  const ofWallet = (wallet: string, found: unknown[]): LedgerRow[] => {
    for (const row of found as LedgerRow[]) row.wallet = wallet;
    return found as LedgerRow[];
  };
  return {
    page: (wallet, query) => {
      const entry = wallets.find(wallet);
      if (entry === null || entry.ledger === 0) return [];
      const before = (firstOf.get(entry.id) as number) - 1;
      const count = entry.ledger - before;
      const rowAt = (place: number): ReturnType<At> => at.get(entry.id, before + place) as ReturnType<At>;
      const { kind = null, symbol, skip, limit } = query;
      if (kind === null && symbol === undefined) {
        const [low, high] = pageRange(count, query, rowAt);
        return ofWallet(wallet, rows.all(entry.id, before + low, before + high));
      }
      const [low, high] = pageRange(count, { ...query, skip: 0, limit: count }, rowAt);
      const name = symbol === undefined ? null : names.find(symbol)?.id ?? CARRIED;
      return ofWallet(wallet, filtered.all(entry.id, before + low, before + high, kind, kind, name, name, limit, skip));
    },
    after: (wallet, number, limit) => {
      const entry = wallets.find(wallet);
      return entry === null ? [] : ofWallet(wallet, after.all(entry.id, number, limit));
    },
  };
}
