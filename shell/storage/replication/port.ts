// The replicated log as the venue sees it: positions 1, 2, 3, … of bytes. An engine (JetStream, a fake log in tests) implements this; the
// rules beside it trust no more than is said here.

/**
 * What became of one append.
 *   accepted  these bytes are at `position`, on a majority of disks
 *   refused   they are not, and the log ended at `last` when it refused
 *   full      they are not: the log has no room
 *   unknown   no answer. They may be in the log already, or come into it minutes later
 */
export type AppendResult =
  | { readonly type: 'accepted'; readonly position: number }
  | { readonly type: 'refused'; readonly last: number }
  | { readonly type: 'full' }
  | { readonly type: 'unknown' };

/**
 * What is at one position.
 *   message  these bytes, as they were published; the reader checks them
 *   notYet   the broker that answered has nothing there or after. It may be behind, so this proves nothing
 *   gap      nothing, but a later message is at `next`
 */
export type ReadResult =
  | { readonly type: 'message'; readonly bytes: Uint8Array }
  | { readonly type: 'notYet' }
  | { readonly type: 'gap'; readonly next: number };

/** There is no question for the end of the log: a broker that was paused would answer with an old value. */
export interface ReplicatedLog {
  /** Appends right after position `expected`, or refuses. Resolves within some seconds, never rejects. */
  append(frame: Uint8Array, expected: number): Promise<AppendResult>;
  /** Resolves within some seconds, never rejects: no answer is `notYet`. */
  read(position: number): Promise<ReadResult>;
  /** Calls may be lost, late or in vain. */
  onNews(listener: () => void): void;
  /** A short message to all other members of the cluster, past the log. It may be lost. */
  say(heartbeat: Uint8Array): void;
  onHeartbeat(listener: (heartbeat: Uint8Array) => void): void;
  close(): Promise<void>;
}
