// Errors of the history. After damage the file is set aside and rebuilt from the journal. Other failures (disk full,
// no permission) leave it alone.

import Database from 'better-sqlite3';

export class HistoryRefusal extends Error {
  override readonly name = 'HistoryRefusal';
}

export class UnusableStore extends Error {
  override readonly name = 'UnusableStore';
}

/** An interrupted creation: the file is empty, but only a writing connection may roll back. */
export function isUnfinished(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK';
}

export function isDamage(error: unknown): error is Error {
  if (error instanceof UnusableStore) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}
