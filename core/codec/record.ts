// The layout of a record. The same bytes go from a producer's ring to the log, the journal and the replay. Little-endian, 8-byte aligned.
//
//   u32 0    length in bytes with header, a multiple of 8
//   u32 1    kind (u16) | codec version (u8) << 16 | origin (u8) << 24
//   u32 2    request: the producer's number, echoed in the reply
//   u32 3    code (u16): the producer's first failed value check (core/errors), or 0; in the journal 0, or what a perp order lacks
//            | items (u8) << 16: items of a bulk request from this one on, 0 for a single command (decision 3.7)
//            | subnet (u8) << 24: the source's /56 within its /48
//   u32 4,5  time in ms       u32 6,7  seq; both low word first, written by the sequencer
//   u32 8    network source, a digest; 0: the venue or loopback
//   u32 9    the /48 of an IPv6 source, a digest; 0: others. In the journal, of an order with a trigger: caps that admission applied
//   byte 40  fields (commands.ts), then the proof. Texts are UTF-8 with a length before them.

import { CODEC } from '../version.ts';

export const HEADER_BYTES = 40;
const WORD_KIND = 1;
export const WORD_REQUEST = 2;
const WORD_CODE = 3;
const WORD_TIME = 4;
export const WORD_SEQ = 6;
export const WORD_SOURCE = 8;
export const WORD_BLOCK = 9;
/** Both bytes lie in the word of the code. */
export const BYTE_ITEMS = 14;
export const BYTE_SUBNET = 15;
/** Weight of a u64's high word. */
export const HIGH = 4_294_967_296;

export type Views = { readonly u8: Uint8Array; readonly u32: Uint32Array; readonly f64: Float64Array };

export function viewsOf(buffer: ArrayBufferLike, byteOffset = 0, byteLength = buffer.byteLength - byteOffset): Views {
  return {
    u8: new Uint8Array(buffer, byteOffset, byteLength),
    u32: new Uint32Array(buffer, byteOffset, byteLength >>> 2),
    f64: new Float64Array(buffer, byteOffset, byteLength >>> 3),
  };
}

export function alignUp(bytes: number): number {
  return (bytes + 7) & ~7;
}

export function recordKind(views: Views, at: number): number {
  return views.u32[(at >>> 2) + WORD_KIND] & 0xffff;
}

export function recordOrigin(views: Views, at: number): number {
  return views.u32[(at >>> 2) + WORD_KIND] >>> 24;
}

export function recordCode(views: Views, at: number): number {
  return views.u32[(at >>> 2) + WORD_CODE] & 0xffff;
}

export function writeCode(views: Views, at: number, code: number): void {
  const word = (at >>> 2) + WORD_CODE;
  views.u32[word] = (views.u32[word] & 0xffff0000 | code) >>> 0;
}

export function recordSeq(views: Views, at: number): number {
  const word = (at >>> 2) + WORD_SEQ;
  return views.u32[word] + views.u32[word + 1] * HIGH;
}

export function recordTime(views: Views, at: number): number {
  const word = (at >>> 2) + WORD_TIME;
  return views.u32[word] + views.u32[word + 1] * HIGH;
}

export function writeHeader(views: Views, at: number, bytes: number, kind: number, origin: number, request: number): void {
  const word = at >>> 2;
  const { u32 } = views;
  u32[word] = bytes;
  u32[word + WORD_KIND] = (kind | (CODEC << 16) | (origin << 24)) >>> 0;
  u32[word + WORD_REQUEST] = request;
  for (let i = WORD_CODE; i < HEADER_BYTES >>> 2; i++) u32[word + i] = 0;
}

export function writeCaps(views: Views, at: number, triggers: number, positions: number): void {
  views.u32[(at >>> 2) + WORD_BLOCK] = capBits(triggers) | (capBits(positions) << 16);
}

function capBits(most: number): number {
  return most < 0 || most >= 0xffff ? 0 : most + 1;
}

export function triggersCap(views: Views, at: number): number {
  return views.u32[(at >>> 2) + WORD_BLOCK] & 0xffff;
}

export function positionsCap(views: Views, at: number): number {
  return views.u32[(at >>> 2) + WORD_BLOCK] >>> 16;
}

export function stampRecord(views: Views, at: number, seq: number, time: number): void {
  const word = at >>> 2;
  const { u32 } = views;
  u32[word + WORD_TIME] = time >>> 0;
  u32[word + WORD_TIME + 1] = Math.floor(time / HIGH);
  u32[word + WORD_SEQ] = seq >>> 0;
  u32[word + WORD_SEQ + 1] = Math.floor(seq / HIGH);
}
