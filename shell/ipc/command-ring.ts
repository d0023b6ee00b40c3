// What a record in a command ring carries besides the command: send time and connection, in fields that the sequencer overwrites.
// Connection notices travel here too.

import { readSafe, writeSafe } from '../../core/codec/commands.ts';
import { HEADER_BYTES, WORD_SEQ, writeHeader, type Views } from '../../core/codec/record.ts';

const DOUBLE_SENT = 2;

/** Ms of `sharedSteady`, in the field for the sequenced time. */
export function sentAt(views: Views, at: number): number {
  return views.f64[(at >>> 3) + DOUBLE_SENT]!;
}

export function stampSent(views: Views, at: number, ms: number): void {
  views.f64[(at >>> 3) + DOUBLE_SENT] = ms;
}

export function connectionOf(views: Views, at: number): number {
  return readSafe(views, (at >>> 2) + WORD_SEQ);
}

export function stampConnection(views: Views, at: number, number: number): void {
  writeSafe(views, (at >>> 2) + WORD_SEQ, number);
}

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
