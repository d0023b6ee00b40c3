// The message of a perp order: Hyperliquid's L1 action hash, which becomes `connectionId` of the Agent structure in
// the domain Exchange / 1 / 1337 (hyperliquid-python-sdk, signing.py; MIT). The order of the keys and the
// smallest MessagePack form of every integer are part of the hash, so nothing here may be sorted or padded.
// Price and size are the texts of the request and go in unchanged.

import { encode } from '@msgpack/msgpack';
import type { U64 } from './eip712.ts';
import { keccak256 } from './keccak.ts';

// seam: perp orders
/** The EIP-712 domain of perp orders: name and chain id. */
export const PERP_DOMAIN_NAME = 'Exchange';
// seam: perp orders
export const PERP_CHAIN_ID = 1337;

/** `asset` is the index of the perp in the venue's list, 0 .. 2^32 - 1; `cloid` is '0x' and 32 hex digits. */
// seam: perp orders
export type PerpOrder = {
  readonly asset: number;
  readonly isBuy: boolean;
  readonly price: string;
  readonly size: string;
  readonly reduceOnly: boolean;
  readonly tif: 'Gtc' | 'Ioc' | 'Fok';
  readonly cloid?: string;
};

/**
 * Writes keccak256(msgpack(action) ‖ nonce ‖ account ‖ expiry) to `out`, 32 bytes. The account part is 0x00 when `account` is
 * null (the signer acts for itself), else 0x01 and its 20 bytes; the expiry part is nothing, or 0x00 and 8 bytes.
 */
// seam: perp orders
export function hashAction(action: object, nonce: U64, account: Uint8Array | null, expiresAfter: U64 | null, out: Uint8Array): void {
  const packed = encode(action);
  const bytes = new Uint8Array(packed.length + 8 + (account === null ? 1 : 21) + (expiresAfter === null ? 0 : 9));
  const view = new DataView(bytes.buffer);
  bytes.set(packed);
  view.setUint32(packed.length, nonce.hi);
  view.setUint32(packed.length + 4, nonce.lo);
  if (account !== null) {
    if (account.length !== 20) throw new RangeError(`An account has 20 bytes, got ${account.length}`);
    bytes[packed.length + 8] = 1;
    bytes.set(account, packed.length + 9);
  }
  if (expiresAfter !== null) {
    view.setUint32(bytes.length - 8, expiresAfter.hi);
    view.setUint32(bytes.length - 4, expiresAfter.lo);
  }
  keccak256(bytes, out, 0);
}

/** The connectionId of one order, 32 bytes in `out`. `agentFor` is the wallet an agent signs for, null when it signs itself. */
// seam: perp orders
export function hashPerpOrder(order: PerpOrder, nonce: U64, agentFor: Uint8Array | null, out: Uint8Array): void {
  const wire = {
    a: order.asset,
    b: order.isBuy,
    p: order.price,
    s: order.size,
    r: order.reduceOnly,
    t: { limit: { tif: order.tif } },
    ...(order.cloid === undefined ? {} : { c: order.cloid }),
  };
  hashAction({ type: 'order', orders: [wire], grouping: 'na' }, nonce, agentFor, null, out);
}
