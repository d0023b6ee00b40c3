// Orders for a venue without the curve (no-curve.ts): the wallets of the setup are replaced by some whose public key has the form of
// a signature, and their orders carry it as one.

import { createRequire } from 'node:module';
import { createWallet, type Wallet } from '../scripts/client.ts';
import type { Setup } from './live-venue.ts';

type Curve = { publicKeyCreate(key: Uint8Array, compressed: false): Uint8Array };

export const NO_CURVE = new URL('no-curve.ts', import.meta.url);

const curve = createRequire(import.meta.url)('secp256k1/bindings.js') as Curve;
/** Half the order of the group: a signature's s is no larger. */
const HALF_N = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const SIGNATURE = /0x[0-9a-f]{130}/;
const ADDRESS = /0x[0-9a-f]{40}/;

/** The key of a wallet as r, s and v, or null when it cannot be a signature. */
function bareSignature({ key }: Wallet): string | null {
  const text = Buffer.from(curve.publicKeyCreate(key, false).subarray(1)).toString('hex');
  return text.slice(64) <= HALF_N ? `0x${text}1b` : null;
}

/** Gives the setup such wallets; returns what puts their "signature" into the body of an order of theirs. */
export function useBareSignatures({ wallets }: Setup): (body: string) => string {
  const signatures = new Map<string, string>();
  for (let i = 0; i < wallets.length;) {
    const wallet = createWallet();
    const signature = bareSignature(wallet);
    if (signature === null) continue;
    wallets[i++] = wallet;
    signatures.set(wallet.address, signature);
  }
  return (body) => body.replace(SIGNATURE, signatures.get(ADDRESS.exec(body)![0])!);
}
