// WAL checkpoints: committed pages of a segment move from the WAL into the main file. Only the writer may reset the
// WAL.

import Database from 'better-sqlite3';
import { PAGE_BYTES, type SegmentDb } from './segment.ts';

export const WAL_PAGE_BYTES = PAGE_BYTES + 24;

export function checkpointPassively(path: string): void {
  const db = new Database(path, { fileMustExist: true });
  try {
    db.pragma('synchronous=FULL');
    db.pragma('wal_checkpoint(PASSIVE)');
  } finally {
    db.close();
  }
}

export function runCheckpoint(db: SegmentDb, mode: 'PASSIVE' | 'TRUNCATE'): { complete: boolean; walBytes: number } {
  const wait = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma('busy_timeout=0');
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as { busy: number; log: number; checkpointed: number }[];
  db.pragma(`busy_timeout=${wait}`);
  if (result === undefined) throw new Error('wal_checkpoint returned no row');
  const { busy, log, checkpointed } = result;
  return { complete: busy === 0 && log === checkpointed, walBytes: Math.max(log, 0) * WAL_PAGE_BYTES };
}
