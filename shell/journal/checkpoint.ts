// One checkpoint of a segment from beside its writer: what is committed so far goes from the WAL into the main file.
// Waits only for a connection that has the file to itself, as the writer's has while it closes a finished segment; never
// resets the WAL, which is the writer's.

import Database from 'better-sqlite3';

/** Opens the segment, moves what can be moved, closes. The writer's own connection keeps the WAL alive meanwhile. */
export function checkpointPassively(path: string): void {
  const db = new Database(path, { fileMustExist: true });
  try {
    db.pragma('synchronous=FULL');
    db.pragma('wal_checkpoint(PASSIVE)');
  } finally {
    db.close();
  }
}
