// At a start, the journal's end may be in the kernel's memory only: after a kill between write and fsync, or with DURABILITY=normal.
// After a failed fsync the pages count as written, and no later fsync writes them. So first the WAL is moved into the main file and
// restarted.

import * as fs from 'node:fs';
import { writeHeadFile } from './head-file.ts';
import { runCheckpoint } from './checkpoint.ts';
import { DISK } from './files.ts';
import type { JournalHead } from './read.ts';
import { openForWriting, segmentPath } from './segment.ts';

/** False if another process kept the WAL from restarting. */
export function syncJournal(dataFolder: string, { seq, hash, meta: { segment } }: JournalHead): boolean {
  const wal = fs.statSync(`${segmentPath(dataFolder, segment)}-wal`, { throwIfNoEntry: false });
  if (wal === undefined || wal.size === 0) return true;
  const db = openForWriting(dataFolder, segment, 'full');
  try {
    if (!runCheckpoint(db, 'TRUNCATE').complete) return false;
  } finally {
    db.close();
  }
  writeHeadFile(dataFolder, segment, { seq, hash }, DISK);
  return true;
}
