// What a start finds at the end of the journal may be in the kernel's memory only: a kill between a commit's write and its fsync leaves
// it there, so does a run with DURABILITY=normal, and a failed fsync leaves it there for good, marked as written, so that no later fsync
// of the WAL would bring it to the disk and a power cut would take it with everything behind it. So before anybody builds on it, it is
// written anew: into the main file, which is synced, and the WAL begins again. Must run while nobody writes the journal.

import * as fs from 'node:fs';
import { writeHeadFile } from './head-file.ts';
import { runCheckpoint } from './checkpoint.ts';
import { DISK } from './files.ts';
import type { JournalHead } from './read.ts';
import { openForWriting, segmentPath } from './segment.ts';

/** False when another process that reads the segment has kept its WAL: all of it is in the main file then, but it does not begin again. */
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
