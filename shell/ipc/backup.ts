// What a copy of a running venue asks of it, and is answered. Bytes are base64, hashes hex digits, times ms.

export type BackupQuery =
  | { readonly name: 'backup'; readonly action?: 'begin' | 'end' }
  | { readonly name: 'backupFile'; readonly id: string; readonly file: string; readonly offset: number }
  | { readonly name: 'backupJournal'; readonly from: number };

export function isBackupQuery(query: { readonly name: string }): query is BackupQuery {
  return query.name.startsWith('backup');
}

export const BACKUP_STATES = ['none', 'copying', 'ready', 'failed'] as const;

export type BackupStatus = {
  /** '' without a copy. */
  readonly id: string;
  readonly venue_id: string;
  readonly state: (typeof BACKUP_STATES)[number];
  readonly reason: string | null;
  readonly copied_bytes: number;
  readonly total_bytes: number;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly venue_file: string;
  /** Null: it is no node of a cluster. */
  readonly log_file: string | null;
  readonly first_seq: number;
};
export type BackupFilePage = { readonly offset: number; readonly bytes: string; readonly size: number };
export type BackupSegment = {
  readonly segment: number; readonly behaviour: number; readonly codec: number; readonly first_seq: number;
  readonly previous_hash: string; readonly venue: string; readonly created: number;
};
export type BackupFrame = { readonly first_seq: number; readonly last_seq: number; readonly hash: string; readonly bytes: string };
/** Frames of one segment; none, and no segment, at the end of the journal. */
export type BackupJournalPage = {
  readonly segment: BackupSegment | null; readonly frames: readonly BackupFrame[]; 
  readonly digests: readonly { readonly seq: number; readonly low: number; readonly high: number }[];
};
export type BackupRefusal = { readonly error: string };
export type BackupAnswer = BackupStatus | BackupFilePage | BackupJournalPage | BackupRefusal;
