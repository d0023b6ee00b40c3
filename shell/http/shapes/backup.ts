// What a copy of a running venue is answered, page by page (shell/storage/backup, docs/OPERATIONS.md).

import { BACKUP_STATES } from '../../ipc/backup.ts';
import { COUNT, described, INTEGER, list, MILLIS, named, nullable, oneOf, record, TEXT } from './shape.ts';

const BASE64 = described(TEXT, 'Base64.');
const HASH = described(TEXT, 'Hex digits.');

export const BACKUP_STATUS = named('BackupStatus', record({
  id: described(TEXT, 'Of the copy; empty without one.'), venue_id: TEXT,
  state: described(oneOf(...BACKUP_STATES), '`ready`: its files can be read.'),
  reason: described(nullable(TEXT), 'Why it failed.'), copied_bytes: described(COUNT, 'Of the history.'), total_bytes: COUNT,
  files: list(record({ name: TEXT, bytes: COUNT })), venue_file: described(TEXT, 'The text of venue.json.'),
  log_file: described(nullable(TEXT), 'Of a node of a cluster: the text of journal/log.json.'),
  first_seq: described(INTEGER, 'Where the journal begins.'), head_seq: described(INTEGER, 'Where it ends now.'),
}));
export const BACKUP_FILE = named('BackupFilePage', record({
  offset: COUNT, bytes: BASE64, size: described(COUNT, 'Bytes of the whole file.'),
}));
export const BACKUP_JOURNAL = named('BackupJournalPage', record({
  segment: described(nullable(named('BackupSegment', record({
    segment: INTEGER, behaviour: INTEGER, codec: INTEGER, first_seq: INTEGER, previous_hash: HASH, venue: TEXT, created: MILLIS,
  }))), 'The one that the frames are of. Null at the end of the journal.'),
  frames: list(named('BackupFrame', record({ first_seq: INTEGER, last_seq: INTEGER, hash: HASH, bytes: BASE64 }))),
  digests: list(record({ seq: INTEGER, low: COUNT, high: COUNT })),
  head_seq: described(INTEGER, 'Where the journal ends now.'),
}));
