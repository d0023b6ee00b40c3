// Checkpoints of a segment: what is committed so far goes from the WAL into the main file. By the connection that writes it, and from
// beside its writer. The latter waits only for a connection that has the file to itself, as the writer's has while it closes a finished
// segment; it never resets the WAL, which is the writer's.

import Database from 'better-sqlite3';
import { PAGE_BYTES, type Db } from './segment.ts';

/** A page in the WAL with its header. */
export const WAL_PAGE_BYTES = PAGE_BYTES + 24;

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

/** Never waits for a reader. `walBytes` is what the WAL file holds in use. */
export function runCheckpoint(db: Db, mode: 'PASSIVE' | 'TRUNCATE'): { complete: boolean; walBytes: number } {
  const wait = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma('busy_timeout=0');
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as { busy: number; log: number; checkpointed: number }[];
  db.pragma(`busy_timeout=${wait}`);
  if (result === undefined) throw new Error('wal_checkpoint answered nothing');
  const { busy, log, checkpointed } = result;
  return { complete: busy === 0 && log === checkpointed, walBytes: Math.max(log, 0) * WAL_PAGE_BYTES };
}
