// What the records of a command ring carry beside the command, between an api thread and main: when a command was sent and by which
// connection it came, in places that the sequencer fills in the logged copy; and notes, which are no commands.

import { readSafe, writeSafe } from '../../core/codec/commands.ts';
import { HEADER_BYTES, WORD_SEQ, writeHeader, type Views } from '../../core/codec/record.ts';

const DOUBLE_SENT = 2;

/**
 * When a command was put into its ring, ms of `sharedSteady`: in the place where the sequencer writes the time into the
 * logged copy, which is empty until then.
 */
export function sentAt(views: Views, at: number): number {
  return views.f64[(at >>> 3) + DOUBLE_SENT]!;
}

export function stampSent(views: Views, at: number, ms: number): void {
  views.f64[(at >>> 3) + DOUBLE_SENT] = ms;
}

/**
 * The connection that a command came by, or that a note is about: in the place where the sequencer writes the seq into the logged
 * copy. 0: none.
 */
export function connectionOf(views: Views, at: number): number {
  return readSafe(views, (at >>> 2) + WORD_SEQ);
}

export function stampConnection(views: Views, at: number, number: number): void {
  writeSafe(views, (at >>> 2) + WORD_SEQ, number);
}

/** Records of a command ring that are no commands: a connection was opened, or is over; its id in 8 bytes behind the header. */
export const CONNECTION_OPENED = 1;
export const CONNECTION_CLOSED = 2;
export const NOTICE_BYTES = HEADER_BYTES + 8;

export function writeConnectionNotice(views: Views, at: number, kind: number, number: number, id: bigint): void {
  writeHeader(views, at, NOTICE_BYTES, kind, 0, 0);
  stampConnection(views, at, number);
  const word = (at + HEADER_BYTES) >>> 2;
  views.u32[word] = Number(id & 0xffff_ffffn);
  views.u32[word + 1] = Number(id >> 32n);
}

export function connectionIdOf(views: Views, at: number): bigint {
  const word = (at + HEADER_BYTES) >>> 2;
  return BigInt(views.u32[word]!) | (BigInt(views.u32[word + 1]!) << 32n);
}
