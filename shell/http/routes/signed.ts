// What the routes of signed requests share: the fields every one of them has, and one request under way.

import type { Api } from '../../api/context.ts';
import { parseHex } from '../../auth/hex.ts';
import type { Envelope } from '../errors.ts';
import type { HttpRequest, Responder } from '../message.ts';

export const SIGNED = { wallet: { kind: 'address' }, nonce: { kind: 'uint64' }, signature: { kind: 'signature' } } as const;
export const TEXT_BYTES = 256;
export const CLIENT_ID_TEXT_BYTES = 1_024;

/** Who asks, and who is answered. */
export type Asked = { readonly api: Api; readonly request: HttpRequest; readonly responder: Responder; readonly envelope: Envelope };

/** Addresses have passed the field checks. */
export function addressOf(text: string): Uint8Array {
  const bytes = new Uint8Array(20);
  parseHex(text, bytes);
  return bytes;
}
