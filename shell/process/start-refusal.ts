// Errors that refuse a start with one line and exit code 2, also those of the system and SQLite that another start
// would meet again.

import { HistoryRefusal } from '../storage/history/history-errors.ts';
import { JournalDamage, JournalRefusal } from '../storage/journal/journal-errors.ts';
import { FolderInUse } from '../storage/journal/lock.ts';
import { CommandFailed, SnapshotMismatch, VersionMismatch, RecoveryCancelled } from '../storage/recovery-errors.ts';

export class StartRefusal extends Error {}

const REFUSALS = [
  StartRefusal, FolderInUse, JournalRefusal, JournalDamage, HistoryRefusal, VersionMismatch, SnapshotMismatch, CommandFailed,
  RecoveryCancelled,
];

export function isStartRefusal(error: unknown): error is Error {
  return REFUSALS.some((refusal) => error instanceof refusal);
}

export function folderRefusal(dataFolder: string, error: unknown): Error | null {
  if (isStartRefusal(error)) return error;
  if (!(error instanceof Error)) return null;
  const isOfSystem = 'syscall' in error || ('code' in error && String(error.code).startsWith('SQLITE_'));
  return isOfSystem ? new StartRefusal(`data folder ${dataFolder}: ${error.message}`) : null;
}
