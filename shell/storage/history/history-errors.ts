// What the history store says when it will not go on, and how damage is told from other failures. Damage leads to the file
// being set aside and made again from the journal; anything else (disk full, no permission) does not touch the file.

import Database from 'better-sqlite3';

/** The store is sound, but is not what was asked for, or is asked for what it cannot do. */
export class HistoryRefusal extends Error {
  override readonly name = 'HistoryRefusal';
}

/** The file is not as written, or of another version. Caught where files are opened. */
export class UnusableStore extends Error {
  override readonly name = 'UnusableStore';
}

/** A kill while the file was made left what only a writing connection may roll back: nothing is in it yet. */
export function isUnfinished(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK';
}

export function isDamage(error: unknown): error is Error {
  if (error instanceof UnusableStore) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}
