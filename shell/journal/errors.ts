// What storage says when it will not go on: each refusal has a name and says where it stands.
// None of these is ever caught to go on with what was read: the venue stops, or does not start.

/** Stored bytes are not what was written. Nothing from `seq` on may be used. */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage';
  /** Number of the segment. */
  readonly segment: number;
  /** The frame, by the seq its first record has or must have; 0 where no frame is concerned. */
  readonly frame: number;
  /** The first bad seq. */
  readonly seq: number;
  readonly reason: string;

  constructor(segment: number, frame: number, seq: number, reason: string) {
    super(`journal damaged: segment ${segment}, frame ${frame}, seq ${seq}: ${reason}`);
    this.segment = segment;
    this.frame = frame;
    this.seq = seq;
    this.reason = reason;
  }
}

type RefusalCode = 'segment_missing' | 'ends_early' | 'other_venue' | 'pragma' | 'file' | 'writer_failed';

/** The folder is sound as far as it goes, but is not what was asked for. */
export class JournalRefusal extends Error {
  override readonly name = 'JournalRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs one piece of reading; what SQLite or the runtime throws becomes damage at this place. */
export function damageFrom<T>(segment: number, seq: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDamage(error, segment, seq);
  }
}

export function asDamage(error: unknown, segment: number, seq: number): Error {
  if (!(error instanceof Error)) return new JournalDamage(segment, seq, seq, String(error));
  const busy = 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
  if (busy || error instanceof JournalDamage || error instanceof JournalRefusal) return error;
  return new JournalDamage(segment, seq, seq, error.message);
}
