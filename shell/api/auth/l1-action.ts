// The digest of a Hyperliquid L1 action: its MessagePack in the order of the client's own keys, nonce, vault and expiry, hashed as
// `connectionId` of an Agent structure in the domain Exchange / 1 / 1337.

import type { U64 } from '../../../core/codec/signed-commands.ts';
import { exchangeHasher, hashAction } from './perp-action.ts';

const SOURCE = 'b';
const connectionId = new Uint8Array(32);

/** `out`: the 32 bytes to sign; `exchangeHasher.structHash` belongs to them until the next digest. */
export function digestAction(
  action: object, nonce: U64, vault: Uint8Array | null, expiresAfter: U64 | null, out: Uint8Array,
): void {
  hashAction(action, nonce, vault, expiresAfter, connectionId);
  exchangeHasher.digest('Agent', { source: SOURCE, connectionId }, out);
}
