// Where a frame goes before the journal, which writes only what the log has accepted. In one process the journal is the log, and a frame
// is accepted as soon as it is offered. A replicated log accepts it later.
import type { Digest } from '../journal/digests.ts';

/** Records of consecutive seqs. `bytes` stay as they are until the frame is accepted. */
export type OfferedFrame = {
  readonly bytes: Uint8Array; readonly first: number; readonly last: number; readonly digests: readonly Digest[];
};

export type AcceptedLog = {
  readonly frameBytes: number;
  /** A frame also ends with this seq: it is there already, and its records came from the log. Infinity: not known. */
  readonly frameEnd: number;
  /** False while a frame is under way, or while this node may not offer one. */
  readonly isIdle: () => boolean;
  readonly offer: (frame: OfferedFrame) => void;
};

export const FRAME_BYTES = 1_048_576;

export function journalAsLog(accepted: (frame: OfferedFrame) => void): AcceptedLog {
  return { frameBytes: FRAME_BYTES, frameEnd: Infinity, isIdle: () => true, offer: accepted };
}
