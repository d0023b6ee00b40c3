// Rule 1: which messages of the log count. Every node, the leader too, reads each position once and in order, and comes to the same
// verdict, so all journals are prefixes of one chain. Pure: no clock, no I/O.

import type { Member, Message } from './message.ts';

type HaltName =
  | 'log_gap' | 'log_rewritten' | 'log_unreadable' | 'log_lost' | 'log_out_of_order' | 'log_diverged' | 'other_version'
  | 'node_name_in_use';
export type Halt = { readonly name: HaltName; readonly detail: string };

export type ResumePoint = {
  readonly position: number;
  readonly hash: string;
  readonly seq: number;
  readonly epoch: number;
  readonly owner: Member | null;
};

export type ReaderState = {
  next: number;
  position: number;
  head: string;
  seq: number;
  epoch: number;
  /** Who may append frames; null before the first LEAD and after a RESIGN. */
  owner: Member | null;
  /** The newest position after `position` that could not be read; 0: there is no such position. The node may not lead then. */
  unreadable: number;
  /** The position of a message whose predecessor was never seen, while the log is read again up to there; 0: not so. */
  unknown: number;
  stale: number;
  /** Hashes of the newest accepted messages, oldest first, and the position of the oldest. */
  readonly accepted: Map<string, number>;
};

/**
 *   accepted  belongs to the chain
 *   skipped   does not, or was accepted before
 *   again     read on from `next`, which went back
 */
type Verdict = 'accepted' | 'skipped' | 'again' | Halt;

/** A message whose predecessor is older than these is taken for one of a rewritten log: minutes at full load. */
const REMEMBERED = 65_536;

/** `firstPosition`: where the log begins; older messages have left it with age. */
export function startReader(from: ResumePoint, firstPosition = 1): ReaderState {
  const { position, hash, seq, epoch, owner } = from;
  const accepted = new Map([[hash, position]]);
  // The newest frame is read once more and compared with the journal.
  const next = Math.max(position < firstPosition ? position + 1 : position, 1);
  return { next, position, head: hash, seq, epoch, owner, unreadable: 0, unknown: 0, stale: 0, accepted };
}

export function isSame(a: Member | null, b: Member): boolean {
  return a !== null && a.node === b.node && a.instance === b.instance;
}

export function judge(state: ReaderState, message: Message | null): Verdict {
  const { next } = state;
  if (message === null) return skipUnreadable(state);
  if (next === state.position) return compareAccepted(state, message);
  if (message.prev === state.head) return isInTurn(state, message) ? accept(state, message) : skipStale(state);
  if (state.accepted.has(message.prev)) return skipStale(state);
  if (state.unknown === next) return haltUnknown(state, message);
  state.unknown = next;
  readAgain(state);
  return 'again';
}

/** There is nothing before `next`. True: that is no gap, because only what was accepted has left the log. */
export function passCut(state: ReaderState, next: number): boolean {
  const isCut = state.next === state.position && next === state.position + 1;
  if (isCut) state.next = next;
  return isCut;
}

export function readAgain(state: ReaderState): void {
  state.next = Math.max(state.position, 1);
}

function isInTurn(state: ReaderState, { kind, at, epoch, node, instance }: Message): boolean {
  if (at !== state.next) return false;
  if (kind === 'lead') return epoch === state.epoch + 1;
  return epoch === state.epoch && isSame(state.owner, { node, instance });
}

function accept(state: ReaderState, message: Message): Verdict {
  const { kind, node, instance, hash, first, last } = message;
  if (first > 0 && first !== state.seq + 1) {
    return { name: 'log_out_of_order', detail: `position ${state.next} begins with seq ${first}, the newest is ${state.seq}` };
  }
  state.position = state.next;
  state.next++;
  state.head = hash;
  state.unreadable = 0;
  state.unknown = 0;
  if (first > 0) state.seq = last;
  if (kind === 'lead') {
    state.epoch = message.epoch;
    state.owner = { node, instance };
  } else if (kind === 'resign') {
    state.owner = null;
  }
  state.accepted.set(hash, state.position);
  if (state.accepted.size > REMEMBERED) state.accepted.delete(state.accepted.keys().next().value!);
  return 'accepted';
}

function skipUnreadable(state: ReaderState): Verdict {
  if (state.next > state.position) state.unreadable = Math.max(state.unreadable, state.next);
  state.next++;
  return 'skipped';
}

function skipStale(state: ReaderState): Verdict {
  state.stale++;
  state.next++;
  return 'skipped';
}

function compareAccepted(state: ReaderState, { hash, first, last, node }: Message): Verdict {
  if (hash === state.head) {
    state.next++;
    return 'skipped';
  }
  const found = `position ${state.position} holds seq ${first} to ${last} of ${node}`;
  return { name: 'log_lost', detail: `${found}, not what was accepted there; the newest accepted seq is ${state.seq}` };
}

function haltUnknown(state: ReaderState, { first, last, node }: Message): Halt {
  const what = `position ${state.next} (seq ${first} to ${last} of ${node}) follows a message that was never read`;
  const after = `the newest accepted is position ${state.position}, seq ${state.seq}`;
  if (state.unreadable > 0 && state.unreadable < state.next) {
    return { name: 'log_unreadable', detail: `${what}: position ${state.unreadable} is unreadable; ${after}` };
  }
  return { name: 'log_rewritten', detail: `${what}; ${after}` };
}
