// What the routes of signed requests share: the fields every one of them has, and the bound of a client id that is judged only
// after the signature.

import { parseHex } from '../auth/hex.ts';

export const SIGNED = { wallet: { kind: 'address' }, nonce: { kind: 'uint64' }, signature: { kind: 'signature' } } as const;
export const CLIENT_ID_TEXT_BYTES = 1_024;

/** Addresses have passed the field checks. */
export function addressOf(text: string): Uint8Array {
  const bytes = new Uint8Array(20);
  parseHex(text, bytes);
  return bytes;
}
