// Ids of texts (wallets, symbols, underlyings) with their row counts, cached. A count is the highest ordinal. Discard
// the caches after a failed transaction: they would be ahead.

import type { Db } from './history-file.ts';

/** `outcomes`, `quotes` and `ledger` count deleted rows too. */
export type WalletEntry = {
  readonly id: number; fills: number; moves: number; orders: number; outcomes: number; quotes: number; payouts: number; ledger: number;
  payments: number;
};
export type NameEntry = { readonly id: number; trades: number };

const ENTRIES = 65_536;
const PAIRS = 262_144;

const WALLET = `SELECT id, ifnull((SELECT max(ordinal) FROM fills WHERE wallet = id), 0) AS fills,
  ifnull((SELECT max(ordinal) FROM moves WHERE wallet = id), 0) AS moves,
  ifnull((SELECT max(ordinal) FROM orders WHERE wallet = id), 0) AS orders,
  ifnull((SELECT max(ordinal) FROM outcomes WHERE wallet = id), 0) AS outcomes,
  ifnull((SELECT max(ordinal) FROM quote_outcomes WHERE wallet = id), 0) AS quotes,
  ifnull((SELECT max(ordinal) FROM payouts WHERE wallet = id), 0) AS payouts,
  ifnull((SELECT max(number) FROM ledger WHERE wallet = id), 0) AS ledger,
  ifnull((SELECT max(ordinal) FROM payments WHERE wallet = id), 0) AS payments FROM wallets WHERE address = ?`;
const NAME = `SELECT id, ifnull((SELECT max(ordinal) FROM trade_pages t WHERE t.name = n.id), 0) AS trades
  FROM names n WHERE n.name = ?`;

export class LookupTable<Entry> {
  readonly #inUse = new Map<string, Entry>();
  readonly #select: (text: string) => unknown;
  readonly #insert: (text: string) => unknown;

  constructor(db: Db, select: string, insert: string) {
    const [selecting, inserting] = [db.prepare(select), db.prepare(insert)];
    this.#select = (text) => selecting.get(text);
    this.#insert = (text) => inserting.run(text);
  }

  find(text: string): Entry | null {
    const known = this.#inUse.get(text);
    if (known !== undefined) return known;
    const found = this.#select(text) as Entry | undefined;
    if (found === undefined) return null;
    if (this.#inUse.size >= ENTRIES) this.#inUse.clear();
    this.#inUse.set(text, found);
    return found;
  }

  findOrAdd(text: string): Entry {
    const found = this.find(text);
    if (found !== null) return found;
    this.#insert(text);
    return this.find(text)!;
  }
}

/** `select` returns the highest `nth`. */
class RowCounts {
  readonly #inUse = new Map<number, number>();
  readonly #select: (first: number, second: number) => number;

  constructor(db: Db, select: string) {
    const statement = db.prepare(select).pluck();
    this.#select = (first, second) => statement.get(first, second) as number;
  }

  of(first: number, second: number): number {
    const key = keyOf(first, second);
    const known = this.#inUse.get(key);
    if (known !== undefined) return known;
    const count = this.#select(first, second);
    if (this.#inUse.size >= PAIRS) this.#inUse.clear();
    this.#inUse.set(key, count);
    return count;
  }

  next(first: number, second: number): number {
    const number = this.of(first, second) + 1;
    this.#inUse.set(keyOf(first, second), number);
    return number;
  }
}

export type LookupTables = {
  readonly wallets: LookupTable<WalletEntry>; readonly names: LookupTable<NameEntry>;
  readonly fillCounts: RowCounts; readonly moveCounts: RowCounts; readonly orderCounts: RowCounts;
};

function keyOf(first: number, second: number): number {
  return first * 0x200_0000 + second;
}

export function fillCounts(db: Db): RowCounts {
  return new RowCounts(db, 'SELECT ifnull(max(nth), 0) FROM fills WHERE wallet = ? AND symbol = ?');
}

export function moveCounts(db: Db): RowCounts {
  return new RowCounts(db, 'SELECT ifnull(max(nth), 0) FROM moves WHERE wallet = ? AND symbol = ?');
}

export function orderCounts(db: Db): RowCounts {
  return new RowCounts(db, 'SELECT ifnull(max(nth), 0) FROM orders WHERE wallet = ? AND is_filled = ?');
}

export function walletEntries(db: Db): LookupTable<WalletEntry> {
  return new LookupTable<WalletEntry>(db, WALLET, 'INSERT INTO wallets (address) VALUES (?)');
}

export function nameEntries(db: Db): LookupTable<NameEntry> {
  return new LookupTable<NameEntry>(db, NAME, 'INSERT INTO names (name) VALUES (?)');
}
