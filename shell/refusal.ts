// What a start that cannot be is refused with: one line and exit code 2. What the system or SQLite says when the data folder is
// opened is such a refusal too: no fault of the venue, and started again it would find the same.

import { HistoryRefusal } from './history/errors.ts';
import { JournalDamage, JournalRefusal } from './journal/errors.ts';
import { FolderInUse } from './journal/lock.ts';

/** A start that cannot be: the line to print. */
export class Refusal extends Error {}

const OF_THE_FOLDER = [Refusal, FolderInUse, JournalRefusal, JournalDamage, HistoryRefusal];

/** What opening something of the data folder threw, as a refusal where it is one; null of anything else, which is a fault. */
export function folderRefusal(dataFolder: string, error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  if (OF_THE_FOLDER.some((refusal) => error instanceof refusal)) return error;
  const isOfSystem = 'syscall' in error || ('code' in error && String(error.code).startsWith('SQLITE_'));
  return isOfSystem ? new Refusal(`data folder ${dataFolder}: ${error.message}`) : null;
}
