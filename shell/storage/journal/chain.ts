// The hash chain over frames, and the check that a frame holds well-formed records.
//   genesis = sha256(venue id, 16 ASCII hex digits)
//   hash    = sha256(previous hash (32) || first seq (u64 LE) || last seq (u64 LE) || bytes)

import { createHash } from 'node:crypto';
import { HEADER_BYTES, HIGH, WORD_SEQ } from '../../../core/codec/record.ts';
import { RECORD_BYTES } from '../../../core/limits.ts';

export const HASH_BYTES = 32;

export type Head = { readonly seq: number; readonly hash: Uint8Array };

export function genesisHash(venue: string): Uint8Array {
  return createHash('sha256').update(venue, 'latin1').digest();
}

export function frameHash(previous: Uint8Array, firstSeq: number, lastSeq: number, bytes: Uint8Array): Uint8Array {
  const numbers = Buffer.allocUnsafe(16);
  numbers.writeBigUInt64LE(BigInt(firstSeq), 0);
  numbers.writeBigUInt64LE(BigInt(lastSeq), 8);
  return createHash('sha256').update(previous).update(numbers).update(bytes).digest();
}

export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function hashText(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex');
}

/** Copies `bytes` if its offset does not allow 8-byte views. */
export function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}

/** The first bad seq, or null. */
export function recordFault(bytes: Uint8Array, firstSeq: number, lastSeq: number): { seq: number; reason: string } | null {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  let seq = firstSeq;
  let at = 0;
  while (at < bytes.length) {
    if (seq > lastSeq) return { seq: lastSeq, reason: `${bytes.length - at} bytes follow seq ${lastSeq}, the last its row says` };
    if (at + HEADER_BYTES > bytes.length) return { seq, reason: 'a record header runs out of the frame' };
    const word = at >>> 2;
    const length = words[word]!;
    if (length < HEADER_BYTES || length > RECORD_BYTES || length % 8 !== 0) return { seq, reason: `record length ${length}` };
    if (at + length > bytes.length) return { seq, reason: 'a record runs out of the frame' };
    const stored = words[word + WORD_SEQ]! + words[word + WORD_SEQ + 1]! * HIGH;
    if (stored !== seq) return { seq, reason: `record header holds seq ${stored}` };
    seq++;
    at += length;
  }
  return seq === lastSeq + 1 ? null : { seq, reason: `frame ends after seq ${seq - 1}, its row says ${lastSeq}` };
}
