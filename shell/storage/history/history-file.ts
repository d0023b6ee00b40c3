// `history.db`: the read model of one venue, in SQLite. The journal can rebuild it, so `synchronous` is NORMAL. Rows and `applied_seq`
// agree (one transaction). An unusable file is set aside, never deleted; another venue's file is refused. Rows are clustered by (wallet,
// ordinal), with ordinals from 1 without gaps, so a page at any depth is one range.

import Database from 'better-sqlite3';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { FLAG_QUOTE } from '../../../core/codec/commands.ts';
import { withFileErrors } from '../journal/journal-errors.ts';
import { makeFolder } from '../journal/files.ts';
import { HistoryRefusal, UnusableStore, isDamage, isUnfinished } from './history-errors.ts';

export type Db = Database.Database;
type OpenFile = { readonly db: Db; readonly appliedSeq: number; readonly notice: string | null };

/** Raise it with every change of SCHEMA. All versions read `meta` alike. */
const SCHEMA_VERSION = 13;
const FILE = 'history.db';
const OPEN_WAIT_MS = 5_000;
const CACHE_KIB = 65_536;
/**
 * WAL pages between checkpoints. A checkpoint's fsync of megabytes delays the journal's. At four commits a second and 2,500 orders/s, an
 * order's p99 was 4 ms with 128 pages, 12 ms with 512, 109 ms with 2,048 (one run each, shared machine).
 */
const CHECKPOINT_PAGES = 128;
const PRAGMAS = [
  ['journal_mode', 'wal', 'wal'], ['synchronous', 'NORMAL', 1], ['wal_autocheckpoint', CHECKPOINT_PAGES, CHECKPOINT_PAGES],
  ['cache_size', -CACHE_KIB, -CACHE_KIB],
] as const;

// Wallets and names (symbols, underlyings) are integer ids. `trade_pages` lists the trades of each name. `nth` counts a
// wallet's fills of one symbol, or orders of one ending. A move is a fill without a trade; `fills` and
// `fills_of_symbol` count the fills before it. A nonce (u64) is stored as the signed integer of the same bits.
const META = 'CREATE TABLE meta (venue TEXT NOT NULL, applied_seq INTEGER NOT NULL, hash BLOB NOT NULL) STRICT';
const SCHEMA = `
  ${META};
  CREATE TABLE wallets (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE fills (wallet INTEGER NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL, fill_id INTEGER NOT NULL,
    trade_id INTEGER NOT NULL, order_id INTEGER NOT NULL, symbol INTEGER NOT NULL, underlying INTEGER NOT NULL,
    side INTEGER NOT NULL, price INTEGER NOT NULL, size INTEGER NOT NULL, fee INTEGER NOT NULL, is_taker INTEGER NOT NULL,
    realized INTEGER NOT NULL, position INTEGER NOT NULL, time INTEGER NOT NULL, nth INTEGER NOT NULL,
    PRIMARY KEY (wallet, ordinal)) STRICT, WITHOUT ROWID;
  CREATE INDEX fills_of_order ON fills (wallet, order_id);
  CREATE UNIQUE INDEX fills_of_symbol ON fills (wallet, symbol, nth);
  CREATE TABLE moves (wallet INTEGER NOT NULL, ordinal INTEGER NOT NULL, fills INTEGER NOT NULL, seq INTEGER NOT NULL,
    fill_id INTEGER NOT NULL, kind INTEGER NOT NULL, symbol INTEGER NOT NULL, underlying INTEGER NOT NULL, side INTEGER NOT NULL,
    price INTEGER NOT NULL, size INTEGER NOT NULL, realized INTEGER NOT NULL, time INTEGER NOT NULL, nth INTEGER NOT NULL,
    fills_of_symbol INTEGER NOT NULL, PRIMARY KEY (wallet, ordinal)) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX moves_of_symbol ON moves (wallet, symbol, nth);
  CREATE TABLE trades (ordinal INTEGER PRIMARY KEY, seq INTEGER NOT NULL, trade_id INTEGER NOT NULL, symbol INTEGER NOT NULL,
    underlying INTEGER NOT NULL, price INTEGER NOT NULL, size INTEGER NOT NULL, maker INTEGER NOT NULL, taker INTEGER NOT NULL,
    maker_fee INTEGER NOT NULL, taker_fee INTEGER NOT NULL, taker_side INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;
  CREATE TABLE trade_pages (name INTEGER NOT NULL, ordinal INTEGER NOT NULL, trade INTEGER NOT NULL,
    PRIMARY KEY (name, ordinal)) STRICT, WITHOUT ROWID;
  CREATE TABLE orders (wallet INTEGER NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL, order_id INTEGER NOT NULL,
    symbol INTEGER NOT NULL, side INTEGER NOT NULL, price INTEGER NOT NULL, size INTEGER NOT NULL, filled INTEGER NOT NULL,
    tif INTEGER NOT NULL, flags INTEGER NOT NULL, client_id TEXT NOT NULL, reason INTEGER NOT NULL, created_at INTEGER NOT NULL,
    done_at INTEGER NOT NULL, is_filled INTEGER NOT NULL, nth INTEGER NOT NULL, terms TEXT NOT NULL,
    PRIMARY KEY (wallet, ordinal)) STRICT, WITHOUT ROWID;
  CREATE INDEX orders_by_id ON orders (order_id);
  CREATE INDEX orders_by_client_id ON orders (wallet, client_id) WHERE client_id <> '' AND flags & ${FLAG_QUOTE} = 0;
  CREATE UNIQUE INDEX orders_by_ending ON orders (wallet, is_filled, nth);
  CREATE TABLE outcomes (wallet INTEGER NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL, nonce INTEGER NOT NULL,
    kind INTEGER NOT NULL, digest BLOB NOT NULL, code INTEGER NOT NULL, numbers TEXT NOT NULL, time INTEGER NOT NULL,
    order_id INTEGER NOT NULL, flags INTEGER NOT NULL, is_mmp_triggered INTEGER NOT NULL, PRIMARY KEY (wallet, ordinal)
    ) STRICT, WITHOUT ROWID;
  CREATE INDEX outcomes_by_nonce ON outcomes (wallet, nonce);
  CREATE TABLE quote_outcomes (wallet INTEGER NOT NULL, place INTEGER NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL,
    nonce INTEGER NOT NULL, digest BLOB NOT NULL, numbers TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (wallet, place)
    ) STRICT, WITHOUT ROWID;
  CREATE INDEX quote_outcomes_by_nonce ON quote_outcomes (wallet, nonce);
  CREATE TABLE payouts (wallet INTEGER NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL, payout_id INTEGER NOT NULL UNIQUE,
    symbol INTEGER NOT NULL, expiry INTEGER NOT NULL, position INTEGER NOT NULL, price INTEGER NOT NULL, value INTEGER NOT NULL,
    cost INTEGER NOT NULL, net INTEGER NOT NULL, time INTEGER NOT NULL, is_seen INTEGER NOT NULL, PRIMARY KEY (wallet, ordinal)
    ) STRICT, WITHOUT ROWID;
  CREATE INDEX payouts_of_symbol ON payouts (wallet, symbol);
  CREATE TABLE ledger (wallet INTEGER NOT NULL, number INTEGER NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL,
    kind INTEGER NOT NULL, symbol INTEGER NOT NULL, amount INTEGER NOT NULL, balance INTEGER NOT NULL, trade_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL, payout_id INTEGER NOT NULL, hour INTEGER NOT NULL, credit_id TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (wallet, number)) STRICT, WITHOUT ROWID;
  CREATE TABLE funding (symbol INTEGER NOT NULL, time INTEGER NOT NULL, seq INTEGER NOT NULL, rate INTEGER NOT NULL,
    price INTEGER NOT NULL, premium INTEGER NOT NULL, PRIMARY KEY (symbol, time)) STRICT, WITHOUT ROWID;
  CREATE TABLE payments (wallet INTEGER NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL, symbol INTEGER NOT NULL,
    from_time INTEGER NOT NULL, to_time INTEGER NOT NULL, hours INTEGER NOT NULL, rate INTEGER NOT NULL, position INTEGER NOT NULL,
    amount INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (wallet, ordinal)) STRICT, WITHOUT ROWID;
  CREATE INDEX payments_of_symbol ON payments (wallet, symbol);
  CREATE TABLE liquidations (ordinal INTEGER PRIMARY KEY, seq INTEGER NOT NULL, kind INTEGER NOT NULL, symbol INTEGER NOT NULL,
    side INTEGER NOT NULL, price INTEGER NOT NULL, size INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;
  CREATE TABLE settlements (ordinal INTEGER PRIMARY KEY, seq INTEGER NOT NULL, underlying INTEGER NOT NULL, expiry INTEGER NOT NULL,
    price INTEGER NOT NULL, samples INTEGER NOT NULL, contracts INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;
  CREATE TABLE messages (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE message_pages (wallet INTEGER NOT NULL, channel INTEGER NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL,
    page INTEGER NOT NULL, PRIMARY KEY (wallet, channel, last)) STRICT, WITHOUT ROWID;
  CREATE TABLE equity (wallet INTEGER NOT NULL, time INTEGER NOT NULL, seq INTEGER NOT NULL, value INTEGER NOT NULL,
    credited INTEGER NOT NULL, PRIMARY KEY (wallet, time)) STRICT, WITHOUT ROWID;
  CREATE TABLE theos (symbol INTEGER NOT NULL, time INTEGER NOT NULL, seq INTEGER NOT NULL, value INTEGER NOT NULL,
    mark_iv REAL, bid_iv REAL, ask_iv REAL, delta REAL NOT NULL, gamma REAL NOT NULL, vega REAL NOT NULL, theta REAL NOT NULL,
    open_interest INTEGER NOT NULL, PRIMARY KEY (symbol, time)) STRICT, WITHOUT ROWID;
  CREATE TABLE candles (name INTEGER NOT NULL, kind INTEGER NOT NULL, resolution INTEGER NOT NULL, time INTEGER NOT NULL,
    seq INTEGER NOT NULL, open INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, close INTEGER NOT NULL,
    volume INTEGER NOT NULL, trades INTEGER NOT NULL, PRIMARY KEY (name, kind, resolution, time)) STRICT, WITHOUT ROWID;
  CREATE TABLE scores (competition INTEGER NOT NULL, wallet INTEGER NOT NULL, seq INTEGER NOT NULL, volume INTEGER NOT NULL,
    adjustment INTEGER NOT NULL, PRIMARY KEY (competition, wallet)) STRICT, WITHOUT ROWID;
  CREATE TABLE dealings (competition INTEGER NOT NULL, one INTEGER NOT NULL, other INTEGER NOT NULL, seq INTEGER NOT NULL,
    amount INTEGER NOT NULL, PRIMARY KEY (competition, one, other)) STRICT, WITHOUT ROWID;
  CREATE TABLE signers (competition INTEGER NOT NULL, signer INTEGER NOT NULL, wallet INTEGER NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (competition, signer, wallet)) STRICT, WITHOUT ROWID;
  CREATE TABLE sent_standings (wallet INTEGER NOT NULL, competition INTEGER NOT NULL, seq INTEGER NOT NULL,
    rank INTEGER NOT NULL, pnl INTEGER NOT NULL, volume INTEGER NOT NULL, gap INTEGER, number INTEGER NOT NULL,
    PRIMARY KEY (wallet, competition)) STRICT, WITHOUT ROWID;
`;

export function historyPath(dataFolder: string): string {
  return join(dataFolder, FILE);
}

export function openFile(dataFolder: string, venue: string): OpenFile {
  if (!/^[0-9a-f]{16}$/.test(venue)) throw new RangeError(`venue id ${venue} is not 16 hex digits`);
  makeFolder(dataFolder);
  return withFileErrors(historyPath(dataFolder), () => {
    try {
      return { ...openChecked(dataFolder, venue), notice: null };
    } catch (error) {
      if (!isDamage(error)) throw error;
      const notice = setAside(dataFolder, error);
      return { ...openChecked(dataFolder, venue), notice };
    }
  });
}

/** Works on any version's file. Throws as `openFile`, and HistoryRefusal if it is not a file. */
export function appliedSeqOf(dataFolder: string, venue: string): number | null {
  return readOnly(dataFolder, (db) => readMeta(db, versionOf(db), venue));
}

/** Null also if `openFile` would set the file aside. */
export function usableSeqOf(dataFolder: string, venue: string): number | null {
  return readOnly(dataFolder, (db) => check(db, venue));
}

function readOnly(dataFolder: string, read: (db: Db) => number): number | null {
  const path = historyPath(dataFolder);
  if (!fs.existsSync(path)) return null;
  if (!fs.statSync(path).isFile()) throw new HistoryRefusal(`${path} is not a file`);
  return withFileErrors(path, () => {
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: OPEN_WAIT_MS });
    try {
      return read(db);
    } catch (error) {
      if (isDamage(error) || isUnfinished(error)) return null;
      throw error;
    } finally {
      db.close();
    }
  });
}

export function setAside(dataFolder: string, error: Error): string {
  const path = historyPath(dataFolder);
  let count = 1;
  let aside = '';
  do aside = join(dataFolder, `history.aside-${count++}.db`); while (fs.existsSync(aside));
  for (const suffix of ['', '-wal', '-shm']) {
    if (fs.existsSync(path + suffix)) fs.renameSync(path + suffix, aside + suffix);
  }
  return `history_set_aside: ${FILE} cannot be used (${error.message}); kept as ${aside}, to be made again from the journal`;
}

export function metaHash(venue: string, appliedSeq: number): Uint8Array {
  return hashOf(SCHEMA_VERSION, venue, appliedSeq);
}

function hashOf(version: number, venue: string, appliedSeq: number): Uint8Array {
  return createHash('sha256').update(`history ${version} ${venue} ${appliedSeq}`).digest();
}

function openChecked(dataFolder: string, venue: string): { db: Db; appliedSeq: number } {
  const db = new Database(historyPath(dataFolder), { timeout: OPEN_WAIT_MS });
  try {
    // Writes nothing, not even the journal mode, before the file is known to be ours.
    if (versionOf(db) === 0 && schemaOf(db) === '') make(db, venue);
    const appliedSeq = check(db, venue);
    for (const [name, value, expected] of PRAGMAS) {
      db.pragma(`${name}=${value}`);
      const found = db.pragma(name, { simple: true });
      if (found !== expected) throw new HistoryRefusal(`${FILE}: ${name} is ${String(found)}, not ${expected}`);
    }
    return { db, appliedSeq };
  } catch (error) {
    db.close();
    throw error;
  }
}

function make(db: Db, venue: string): void {
  db.transaction(() => {
    db.exec(SCHEMA);
    db.prepare('INSERT INTO meta VALUES (?, 0, ?)').run(venue, metaHash(venue, 0));
    db.pragma(`user_version=${SCHEMA_VERSION}`);
  })();
}

/** A broken page is found in use. Rows have no checksum, so a flipped bit inside one goes unnoticed. */
function check(db: Db, venue: string): number {
  const version = versionOf(db);
  const appliedSeq = readMeta(db, version, venue);
  if (version !== SCHEMA_VERSION) throw new UnusableStore(`its schema is version ${version}, not ${SCHEMA_VERSION}`);
  if (schemaOf(db) !== expectedSchema()) throw new UnusableStore('its schema is not as written');
  const newest = db.prepare('SELECT seq FROM trades ORDER BY ordinal DESC LIMIT 1').pluck().get() as number | undefined;
  if (newest !== undefined && newest > appliedSeq) throw new UnusableStore(`it has a trade of seq ${newest}, its end is ${appliedSeq}`);
  return appliedSeq;
}

function readMeta(db: Db, version: number, venue: string): number {
  const table = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'meta'").pluck().get();
  if (table !== META) throw new UnusableStore('no meta table');
  const rows = db.prepare('SELECT venue, applied_seq, hash FROM meta').raw().all() as unknown[][];
  const [owner, appliedSeq, hash] = rows[0] ?? [];
  if (rows.length !== 1 || typeof owner !== 'string' || !Number.isSafeInteger(appliedSeq) || !(hash instanceof Uint8Array)) {
    throw new UnusableStore('meta row malformed');
  }
  if (Buffer.compare(hashOf(version, owner, appliedSeq as number), hash) !== 0) throw new UnusableStore('meta row has a wrong hash');
  if (owner !== venue) throw new HistoryRefusal(`${FILE} is of venue ${owner}, this folder of ${venue}`);
  return appliedSeq as number;
}

function versionOf(db: Db): number {
  return db.pragma('user_version', { simple: true }) as number;
}

function schemaOf(db: Db): string {
  return (db.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').pluck().all() as string[]).join('\n');
}

function expectedSchema(): string {
  const db = new Database(':memory:');
  try {
    db.exec(SCHEMA);
    return schemaOf(db);
  } finally {
    db.close();
  }
}
