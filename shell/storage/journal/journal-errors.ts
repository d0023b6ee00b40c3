// Errors of the journal. Nobody catches one to continue with what was read: the venue stops or does not start.

/** Stored bytes differ from what was written. */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage';
  readonly seq: number;

  constructor(segment: number, frame: number, seq: number, reason: string) {
    super(`journal damaged: segment ${segment}, frame ${frame}, seq ${seq}: ${reason}`);
    this.seq = seq;
  }
}

type RefusalCode = 'segment_missing' | 'ends_early' | 'other_venue' | 'pragma' | 'file' | 'unusable' | 'writer_failed' | 'file_changed';

/**
 * There is no known damage. `unusable`: the system refuses to open, read or write a file. `file_changed`: somebody
 * moved or changed a file that the venue was writing.
 */
export class JournalRefusal extends Error {
  override readonly name = 'JournalRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

const SYSTEM_ERRORS = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PERM|PROTOCOL|READONLY)/;
/** Too large for Node to read; the venue writes no such file. */
const TOO_LARGE = ['ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'];
const SHORT_READ = 'SQLITE_IOERR_SHORT_READ';

export function segmentName(segment: number): string {
  return `segment-${String(segment).padStart(6, '0')}.db`;
}

export function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isSystemError(error) ? unusable(path, error) : error;
  }
}

function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return 'syscall' in error || TOO_LARGE.includes(code) || (SYSTEM_ERRORS.test(code) && code !== SHORT_READ);
}

function unusable(path: string, error: Error): JournalRefusal {
  const code = 'code' in error && !('syscall' in error) ? ` (${String(error.code)})` : '';
  return new JournalRefusal('unusable', `${path} cannot be used: ${error.message}${code}`);
}

export function withDamageErrors<T>(segment: number, seq: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error, segment, seq);
  }
}

export function toStorageError(error: unknown, segment: number, seq: number): Error {
  if (error instanceof JournalDamage || error instanceof JournalRefusal) return error;
  if (isSystemError(error)) return unusable(`journal/${segmentName(segment)}`, error);
  return new JournalDamage(segment, seq, seq, error instanceof Error ? error.message : String(error));
}
