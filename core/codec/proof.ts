// The proof of a signed command, for the audit: it derives digest and signer again. It follows the fixed fields; the core never reads it.
//
//   u16 structure (its place in STRUCTURES of signed-commands.ts, plus one)   u8 count of texts   u8 reserved   65 bytes signature
//   then each text: u16 length, UTF-8 as the client sent it; zeros up to the record's alignment

import type { PutText } from './fields.ts';
import type { Views } from './record.ts';

export const SIGNATURE_BYTES = 65;
const HEAD = 4;
const TEXTS = HEAD + SIGNATURE_BYTES;

export function proofBytes(texts: number, textBytes: number): number {
  return TEXTS + texts * 2 + textBytes;
}

export function writeProof(
  views: Views, at: number, structure: number, signature: Uint8Array, texts: readonly string[], put: PutText,
): void {
  const { u8 } = views;
  u8[at] = structure & 0xff;
  u8[at + 1] = structure >>> 8;
  u8[at + 2] = texts.length;
  u8[at + 3] = 0;
  u8.set(signature, at + HEAD);
  let to = at + TEXTS;
  for (let i = 0; i < texts.length; i++) {
    const length = put(u8, to + 2, texts[i]);
    u8[to] = length & 0xff;
    u8[to + 1] = length >>> 8;
    to += 2 + length;
  }
}

type Proof = { structure: number; signature: Uint8Array; texts: Uint8Array[] };

/** `end`: where the record ends. Throws if the texts do not fit. */
export function readProof(views: Views, at: number, end: number): Proof {
  const { u8 } = views;
  const count = u8[at + 2];
  const texts: Uint8Array[] = [];
  let from = at + TEXTS;
  for (let i = 0; i < count; i++) {
    const length = u8[from] | (u8[from + 1] << 8);
    if (from + 2 + length > end) throw new RangeError('proof: a text runs out of its record');
    texts.push(u8.slice(from + 2, from + 2 + length));
    from += 2 + length;
  }
  return { structure: u8[at] | (u8[at + 1] << 8), signature: u8.slice(at + HEAD, at + TEXTS), texts };
}
