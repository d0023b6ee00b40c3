// One checkpoint of a segment from beside its writer: what is committed so far goes from the WAL into the main file.
// Never waits for the writer or a reader, and never resets the WAL, which is the writer's.

import Database from 'better-sqlite3';

/** Opens the segment, moves what can be moved, closes. The writer's own connection keeps the WAL alive meanwhile. */
export function checkpointPassively(path: string): void {
  const db = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma('synchronous=FULL');
    db.pragma('wal_checkpoint(PASSIVE)');
  } finally {
    db.close();
  }
}
