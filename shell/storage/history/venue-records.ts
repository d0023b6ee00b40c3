// Tables of funding, liquidations and settlements, newest first. Payments are numbered by wallet, liquidations by the
// venue, so that a page is one range; hours and settlements have few rows.

import type { Db } from './history-file.ts';
import type { LookupTables } from './lookup-tables.ts';
import type { Page } from './merge-page.ts';
import { checkedPage, pageRange, prepareAll, type RowRange } from './page-range.ts';
import type { FundingRow, LiquidationRow, PaymentRow, SettlementRow, VenueQuery } from './protocol.ts';

const HOURS = 'SELECT seq, time, rate, price, premium FROM funding WHERE symbol = ? AND time BETWEEN ? AND ? ORDER BY time DESC LIMIT ?';
const FIRST_HOURS = HOURS.replace('DESC', 'ASC');
const PAYMENT_COLUMNS = 'seq, s.name AS symbol, from_time AS fromTime, to_time AS toTime, hours, rate, position, amount, time';
const PAYMENTS = `SELECT ${PAYMENT_COLUMNS} FROM payments CROSS JOIN names s ON s.id = symbol
  WHERE wallet = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const PAYMENT_AT = 'SELECT seq, time FROM payments WHERE wallet = ? AND ordinal = ?';
const PAYMENTS_OF_SYMBOL = `SELECT ${PAYMENT_COLUMNS} FROM payments INDEXED BY payments_of_symbol CROSS JOIN names s ON s.id = symbol
  WHERE wallet = ? AND symbol = ? ORDER BY ordinal DESC LIMIT ? OFFSET ?`;
const LIQUIDATIONS = `SELECT seq, kind, s.name AS symbol, side, price, size, time FROM liquidations CROSS JOIN names s ON s.id = symbol
  WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal DESC`;
const LIQUIDATION_AT = 'SELECT seq, time FROM liquidations WHERE ordinal = ?';
const SETTLEMENTS = `SELECT seq, u.name AS underlying, expiry, price, samples, contracts, time FROM settlements
  CROSS JOIN names u ON u.id = underlying WHERE ? IN ('', u.name) ORDER BY ordinal DESC LIMIT ? OFFSET ?`;

type VenueInserts = {
  readonly funding: (row: FundingRow) => void; readonly payment: (row: PaymentRow) => void;
  readonly liquidation: (row: LiquidationRow) => void; readonly settlement: (row: SettlementRow) => void;
};

export function prepareVenueInserts(db: Db, { names, wallets }: LookupTables): VenueInserts {
  const [hour, payment, liquidation, settlement] = prepareAll(
    db, 'INSERT INTO funding VALUES (?, ?, ?, ?, ?, ?)', 'INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    'INSERT INTO liquidations (seq, kind, symbol, side, price, size, time) VALUES (?, ?, ?, ?, ?, ?, ?)',
    'INSERT INTO settlements (seq, underlying, expiry, price, samples, contracts, time) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  return {
    funding: ({ seq, symbol, time, rate, price, premium }) => (
      void hour.run(names.findOrAdd(symbol).id, time, seq, rate, price, premium)
    ),
    payment: (row) => {
      const symbol = names.findOrAdd(row.symbol).id;
      const entry = wallets.findOrAdd(row.wallet);
      payment.run(entry.id, ++entry.payments, row.seq, symbol, row.fromTime, row.toTime, row.hours, row.rate, row.position, row.amount,
        row.time);
    },
    liquidation: ({ seq, kind, symbol, side, price, size, time }) => (
      void liquidation.run(seq, kind, names.findOrAdd(symbol).id, side, price, size, time)
    ),
    settlement: ({ seq, underlying, expiry, price, samples, contracts, time }) => (
      void settlement.run(seq, names.findOrAdd(underlying).id, expiry, price, samples, contracts, time)
    ),
  };
}

export function prepareVenueRecords(db: Db, { names, wallets }: LookupTables): (query: VenueQuery) => readonly object[] {
  const [hours, firstHours, payments, paymentAt, ofSymbol, liquidations, liquidationAt, settlements] = prepareAll(
    db, HOURS, FIRST_HOURS, PAYMENTS, PAYMENT_AT, PAYMENTS_OF_SYMBOL, LIQUIDATIONS, LIQUIDATION_AT, SETTLEMENTS,
  );
  const newest = db.prepare('SELECT ifnull(max(ordinal), 0) FROM liquidations').pluck();
  const paymentsOf = (wallet: string, symbol: string | undefined, query: Page & RowRange): unknown[] => {
    const entry = wallets.find(wallet);
    if (entry === null) return [];
    const { skip, limit } = checkedPage(query);
    return symbol === undefined ? payments.all(entry.id, ...pageRange(entry.payments, query, (number) => paymentAt.get(entry.id, number)))
      : ofSymbol.all(entry.id, names.find(symbol)?.id ?? -1, limit, skip);
  };
  return (query) => {
    switch (query.name) {
      case 'funding': {
        const bounds = [names.find(query.symbol)?.id ?? -1, query.from, query.to, query.skip + query.limit] as const;
        const rows = (query.isOldest === true ? firstHours.all(...bounds).toReversed() : hours.all(...bounds).slice(query.skip));
        return (rows as FundingRow[]).map((row) => ({ ...row, symbol: query.symbol }));
      }
      case 'payments':
        return (paymentsOf(query.wallet, query.symbol, query) as PaymentRow[]).map((row) => ({ ...row, wallet: query.wallet }));
      case 'liquidations':
        return liquidations.all(...pageRange(newest.get() as number, query, (number) => liquidationAt.get(number))) as object[];
      case 'settlements': {
        const { skip, limit } = checkedPage(query);
        return settlements.all(query.underlying ?? '', limit, skip) as object[];
      }
    }
  };
}
