// What a start that cannot be is refused with: one line and exit code 2. What recovery finds in the data folder is such a refusal,
// and what the system or SQLite says when the folder is opened: no fault of the venue, and started again it would find the same.

import { HistoryRefusal } from '../storage/history/history-errors.ts';
import { JournalDamage, JournalRefusal } from '../storage/journal/journal-errors.ts';
import { FolderInUse } from '../storage/journal/lock.ts';
import { CommandFailed, SnapshotMismatch, VersionMismatch, RecoveryCancelled } from '../storage/recovery-errors.ts';

/** A start that cannot be: the line to print. */
export class StartRefusal extends Error {}

const REFUSALS = [
  StartRefusal, FolderInUse, JournalRefusal, JournalDamage, HistoryRefusal, VersionMismatch, SnapshotMismatch, CommandFailed,
  RecoveryCancelled,
];

/** What a refused start throws; anything else is a fault of the venue. */
export function isStartRefusal(error: unknown): error is Error {
  return REFUSALS.some((refusal) => error instanceof refusal);
}

/** What opening or recovering something of the data folder threw, as a refusal where it is one; null of anything else, which is a fault. */
export function folderRefusal(dataFolder: string, error: unknown): Error | null {
  if (isStartRefusal(error)) return error;
  if (!(error instanceof Error)) return null;
  const isOfSystem = 'syscall' in error || ('code' in error && String(error.code).startsWith('SQLITE_'));
  return isOfSystem ? new StartRefusal(`data folder ${dataFolder}: ${error.message}`) : null;
}
