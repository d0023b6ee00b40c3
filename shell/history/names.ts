// Texts as numbers: wallets, and names of symbols and underlyings, each with the counts of its rows. A count is the highest
// ordinal in the table, so nothing else has to agree with it; here it is kept at hand for those in use. Bounded: when a
// table of those in use is full it is emptied, and what is needed is read again.
// Must never outlive a failed transaction: the counts would be ahead of the tables.

import type { Db } from './file.ts';

/** A wallet's number and how many rows it has (for outcomes: ever had). */
export type WalletEntry = { readonly id: number; fills: number; orders: number; outcomes: number };
export type NameEntry = { readonly id: number; trades: number };

const ENTRIES = 65_536;

const WALLET = `SELECT id, ifnull((SELECT max(ordinal) FROM fills WHERE wallet = id), 0) AS fills,
  ifnull((SELECT max(ordinal) FROM orders WHERE wallet = id), 0) AS orders,
  ifnull((SELECT max(ordinal) FROM outcomes WHERE wallet = id), 0) AS outcomes FROM wallets WHERE address = ?`;
const NAME = `SELECT id, ifnull((SELECT max(ordinal) FROM trade_pages t WHERE t.name = n.id), 0) AS trades
  FROM names n WHERE n.name = ?`;

export class Entries<Entry extends { readonly id: number }> {
  readonly #inUse = new Map<string, Entry>();
  readonly #select: (text: string) => unknown;
  readonly #insert: (text: string) => unknown;

  constructor(db: Db, select: string, insert: string) {
    const [selecting, inserting] = [db.prepare(select), db.prepare(insert)];
    this.#select = (text) => selecting.get(text);
    this.#insert = (text) => inserting.run(text);
  }

  /** The entry of a text that has rows, or null. */
  find(text: string): Entry | null {
    const known = this.#inUse.get(text);
    if (known !== undefined) return known;
    const found = this.#select(text) as Entry | undefined;
    if (found === undefined) return null;
    if (this.#inUse.size >= ENTRIES) this.#inUse.clear();
    this.#inUse.set(text, found);
    return found;
  }

  /** The entry of a text, numbered now if it is new; to be called within a transaction. */
  take(text: string): Entry {
    const found = this.find(text);
    if (found !== null) return found;
    this.#insert(text);
    return this.find(text)!;
  }
}

export function walletEntries(db: Db): Entries<WalletEntry> {
  return new Entries<WalletEntry>(db, WALLET, 'INSERT INTO wallets (address) VALUES (?)');
}

export function nameEntries(db: Db): Entries<NameEntry> {
  return new Entries<NameEntry>(db, NAME, 'INSERT INTO names (name) VALUES (?)');
}
