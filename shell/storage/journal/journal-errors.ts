// What storage says when it will not go on: each refusal has a name and says where it stands.
// None of these is ever caught to go on with what was read: the venue stops, or does not start.

/** Stored bytes are not what was written. Nothing from `seq` on may be used. */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage';
  readonly seq: number;

  /**
   * `segment`: its number. `frame`: by the seq its first record has or must have; 0 where no frame is concerned. `seq`: the first bad
   * one.
   */
  constructor(segment: number, frame: number, seq: number, reason: string) {
    super(`journal damaged: segment ${segment}, frame ${frame}, seq ${seq}: ${reason}`);
    this.seq = seq;
  }
}

type RefusalCode = 'segment_missing' | 'ends_early' | 'other_venue' | 'pragma' | 'file' | 'unusable' | 'writer_failed' | 'file_changed';

/**
 * The folder is sound as far as it goes, but is not what was asked for. `unusable`: the system does not let a file be opened, read or
 * written, which says nothing of what is in it. `file_changed`: a file that is written is no longer where it was opened.
 */
export class JournalRefusal extends Error {
  override readonly name = 'JournalRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What SQLite says of the disk, of rights and of those who hold a file, and not of the bytes in it. */
const OF_THE_SYSTEM = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PERM|PROTOCOL|READONLY)/;
/** The runtime takes no file of this size into memory; none of ours is. */
const TOO_LARGE = ['ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'];
/** The file is shorter than it was: that is damage. */
const CUT_OFF = 'SQLITE_IOERR_SHORT_READ';

/** How the file of a segment is called. */
export function segmentName(segment: number): string {
  return `segment-${String(segment).padStart(6, '0')}.db`;
}

/** Runs one piece of work on a file; what the system does not allow becomes a refusal that names the file. */
export function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isOfSystem(error) ? unusable(path, error) : error;
  }
}

function isOfSystem(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return 'syscall' in error || TOO_LARGE.includes(code) || (OF_THE_SYSTEM.test(code) && code !== CUT_OFF);
}

/** The runtime's words begin with the code; SQLite's are without it. */
function unusable(path: string, error: Error): JournalRefusal {
  const code = 'code' in error && !('syscall' in error) ? ` (${String(error.code)})` : '';
  return new JournalRefusal('unusable', `${path} cannot be used: ${error.message}${code}`);
}

/** Runs one piece of reading; what SQLite or the runtime throws becomes damage at this place, where it speaks of stored bytes. */
export function withDamageErrors<T>(segment: number, seq: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error, segment, seq);
  }
}

export function toStorageError(error: unknown, segment: number, seq: number): Error {
  if (error instanceof JournalDamage || error instanceof JournalRefusal) return error;
  if (isOfSystem(error)) return unusable(`journal/${segmentName(segment)}`, error);
  return new JournalDamage(segment, seq, seq, error instanceof Error ? error.message : String(error));
}
