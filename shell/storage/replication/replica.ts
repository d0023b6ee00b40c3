// One node of a replicated log: the rules of reading, appending, taking over and of answers about the present, joined. Inputs are what
// was read, results of appends, and the time (steady ms); outputs are effects. Pure: plain data, no clock, no I/O, so that a test can try
// every order of inputs.

import { assert } from '../../../core/assert.ts';
import { begin, publishDue, settle, startAppend, takeResult, type AppendState, type Publish } from './append.ts';
import { isWithinLease } from './confirmed.ts';
import type { Content, Kind, Member, Message } from './message.ts';
import type { AppendResult } from './port.ts';
import { isSame, judge, passCut, readAgain, startReader, type Halt, type ReaderState, type ResumePoint } from './reader-rule.ts';
import { mayLead, type Fitness, type Waiting } from './takeover.ts';

export type Effect =
  | ({ readonly type: 'publish' } & Publish)
  | { readonly type: 'accepted'; readonly message: Message; readonly position: number; readonly isOwn: boolean }
  | { readonly type: 'leading'; readonly epoch: number }
  /** What was under way and is not accepted never will be. */
  | { readonly type: 'deposed' }
  | { readonly type: 'resigned' }
  | { readonly type: 'halted'; readonly halt: Halt };

export type Out = Effect[];

export type Frame = Pick<Content, 'first' | 'last' | 'bytes' | 'digests'>;

export type Versions = Pick<Content, 'behaviour' | 'codec'>;

export type Replica = {
  readonly me: Member;
  readonly versions: Versions;
  readonly hashOf: (content: Content) => string;
  readonly reader: ReaderState;
  readonly append: AppendState;
  readonly waiting: Waiting;
  isLeading: boolean;
  confirmed: number;
  confirmedId: number;
  /** An EMPTY is wanted until a message with this number or a later one is accepted. */
  wantedId: number;
  isResigning: boolean;
  halted: Halt | null;
};

const NEVER = -Infinity;
const NO_RECORDS: Frame = { first: 0, last: 0, bytes: new Uint8Array(), digests: [] };

type Start = Pick<Replica, 'me' | 'versions' | 'hashOf'> & {
  readonly from: ResumePoint; readonly firstPosition: number; readonly heard: number; readonly now: number;
};

export function startReplica({ me, versions, hashOf, from, firstPosition, heard, now }: Start): Replica {
  return {
    me, versions, hashOf, reader: startReader(from, firstPosition), append: startAppend(),
    waiting: { lastNews: now, lastHeartbeat: NEVER, heard },
    isLeading: false, confirmed: NEVER, confirmedId: 0, wantedId: 0, isResigning: false, halted: null,
  };
}

/** Null: it is not a message of this log. */
export function onRead(replica: Replica, position: number, message: Message | null, now: number, out: Out): void {
  const { reader } = replica;
  if (replica.halted !== null || position !== reader.next) return;
  const verdict = judge(reader, message);
  if (typeof verdict === 'object') return halt(replica, verdict, out);
  if (verdict === 'accepted' && !isOfVersion(replica, message!)) return halt(replica, otherVersion(replica, message!), out);
  if (verdict === 'accepted') onAccepted(replica, message!, now, out);
  else if (message === null) onUnreadable(replica, now);
  advance(replica, now, out);
}

export function onGap(replica: Replica, position: number, next: number, out: Out): void {
  const { reader, halted } = replica;
  if (halted !== null || position !== reader.next || passCut(reader, next)) return;
  const detail = `positions ${position} to ${next - 1} are not in the log; the newest accepted seq is ${reader.seq}`;
  halt(replica, { name: 'log_gap', detail }, out);
}

export function onResult(replica: Replica, id: number, result: AppendResult, now: number, out: Out): void {
  if (replica.halted !== null) return;
  const { reader, append } = replica;
  const message = append.publish?.message;
  const counts = takeResult(append, reader, id, result);
  if (typeof counts === 'object') return halt(replica, counts, out);
  // A refused LEAD means that the log has a newer message.
  if (result.type === 'refused' && append.pending?.kind === 'lead' && append.publish === null) {
    append.pending = null;
    replica.waiting.lastNews = now;
  }
  if (counts) onRead(replica, message!.at, message!, now, out);
  else advance(replica, now, out);
}

export function onTick(replica: Replica, now: number, out: Out): void {
  if (replica.halted !== null) return;
  if (replica.reader.unreadable > 0) readAgain(replica.reader);
  advance(replica, now, out);
}

export function canOffer({ isLeading, isResigning, append, halted }: Replica): boolean {
  return isLeading && !isResigning && append.pending === null && halted === null;
}

export function offer(replica: Replica, frame: Frame, now: number, out: Out): void {
  assert(canOffer(replica), 'a frame is offered to an idle leader');
  compose(replica, 'frame', frame, now);
  advance(replica, now, out);
}

export function canLead(replica: Replica, now: number, fitness: Fitness): boolean {
  const { reader, append, waiting, halted } = replica;
  return halted === null && !isSame(reader.owner, replica.me) && append.pending === null && append.publish === null
    && mayLead(reader, waiting, now, fitness);
}

export function lead(replica: Replica, frame: Frame, now: number, out: Out): void {
  compose(replica, 'lead', frame, now);
  advance(replica, now, out);
}

/** The leader gives its office up as soon as what is under way is accepted. */
export function resign(replica: Replica, now: number, out: Out): void {
  if (!replica.isLeading || replica.halted !== null) return;
  replica.isResigning = true;
  advance(replica, now, out);
}

export function mayAnswer({ isLeading, isResigning, confirmed, halted }: Replica, pickedUp: number): boolean {
  return isLeading && !isResigning && halted === null && isWithinLease(confirmed, pickedUp);
}

export function ticket({ append }: Replica): number {
  return append.nextId;
}

/**
 * Asks for an acceptance of something that is sent after `ticket` was taken. It is there when `confirmedId` has reached the ticket, and
 * shows without any clock that this node still led then.
 */
export function confirm(replica: Replica, ticketTaken: number, now: number, out: Out): void {
  replica.wantedId = Math.max(replica.wantedId, ticketTaken);
  if (replica.halted === null) advance(replica, now, out);
}

function advance(replica: Replica, now: number, out: Out): void {
  const { append, reader } = replica;
  if (replica.isLeading && append.pending === null && append.publish === null) {
    if (replica.isResigning) compose(replica, 'resign', NO_RECORDS, now);
    else if (replica.confirmedId < replica.wantedId) compose(replica, 'empty', NO_RECORDS, now);
  }
  // A message is only sent where the node can tell what is before it.
  if (reader.unreadable > 0) return;
  const publish = publishDue(append, reader, now);
  if (publish !== null) out.push({ type: 'publish', ...publish });
}

function compose(replica: Replica, kind: Kind, frame: Frame, now: number): void {
  const { me, versions, reader, append } = replica;
  const epoch = kind === 'lead' ? reader.epoch + 1 : reader.epoch;
  const content: Content = { ...me, ...versions, ...frame, kind, epoch, prev: reader.head };
  begin(append, { ...content, hash: replica.hashOf(content) }, now);
}

function onAccepted(replica: Replica, message: Message, now: number, out: Out): void {
  const { me, reader, append, waiting } = replica;
  const isOwn = isSame(me, message);
  waiting.lastNews = now;
  const sent = settle(append, message, now);
  out.push({ type: 'accepted', message, position: reader.position, isOwn });
  const wasLeading = replica.isLeading;
  replica.isLeading = isSame(reader.owner, me);
  if (!replica.isLeading) {
    replica.isResigning = false;
    replica.wantedId = 0;
  }
  // A LEAD that was given up may have been the same, and sent long before.
  if (isOwn && sent !== null && message.kind !== 'lead') {
    replica.confirmed = Math.max(replica.confirmed, sent.time);
    replica.confirmedId = sent.id;
  }
  if (message.kind === 'lead' && isOwn) out.push({ type: 'leading', epoch: message.epoch });
  else if (message.kind === 'resign' && isOwn) out.push({ type: 'resigned' });
  else if (wasLeading && !replica.isLeading) out.push({ type: 'deposed' });
}

/** Within the lease it cannot be another's LEAD; later, a leader writes no more until it can read on. */
function onUnreadable(replica: Replica, now: number): void {
  if (!replica.isLeading) return;
  if (isWithinLease(replica.confirmed, now)) replica.reader.unreadable = 0;
  else replica.isLeading = replica.reader.unreadable === 0;
}

function isOfVersion({ versions }: Replica, { first, behaviour, codec }: Message): boolean {
  return first === 0 || (behaviour === versions.behaviour && codec === versions.codec);
}

function otherVersion({ versions }: Replica, { first, behaviour, codec }: Message): Halt {
  const here = `this node has ${versions.behaviour} and ${versions.codec}`;
  return { name: 'other_version', detail: `seq ${first} has BEHAVIOUR ${behaviour} and CODEC ${codec}, ${here}` };
}

export function haltBy(replica: Replica, reason: Halt, out: Out): void {
  if (replica.halted === null) halt(replica, reason, out);
}

function halt(replica: Replica, reason: Halt, out: Out): void {
  replica.halted = reason;
  replica.isLeading = false;
  out.push({ type: 'halted', halt: reason });
}
