// The signed message of a perp order: Hyperliquid's L1 action hash as `connectionId` of an Agent structure in the
// domain Exchange / 1 / 1337 (hyperliquid-python-sdk, signing.py; MIT). Key order and the smallest MessagePack integers
// are part of the hash. Price and size are hashed as sent.

import { encode } from '@msgpack/msgpack';
import { DEFAULT_SERVICE_NAME } from '../../ipc/enum-names.ts';
import { createHasher, type Hasher } from './eip712.ts';
import type { U64 } from '../../../core/codec/signed-commands.ts';
import { keccak256 } from './keccak.ts';

/** All venues share this domain, so `source` tells them apart. */
export const exchangeHasher: Hasher = createHasher('Exchange', 1337);

/** Chains without real value: the testnet and developers' chains. */
const TEST_CHAINS = [998, 1337];

export function isTestChain(chainId: number): boolean {
  return TEST_CHAINS.includes(chainId);
}

/**
 * The venue's own first (decision 3.11): the service name, so that an order is valid on one venue only. The default name also accepts "b"
 * of Hyperliquid's testnet, never "a" of its mainnet.
 */
export function perpSources({ name }: Pick<Hasher['domain'], 'name'>): readonly string[] {
  return name === DEFAULT_SERVICE_NAME ? [name, 'b'] : [name];
}

/** `asset`: below 2^32. `cloid`: '0x' and 32 hex digits. */
export type PerpOrder = {
  readonly asset: number;
  readonly isBuy: boolean;
  readonly price: string;
  readonly size: string;
  readonly reduceOnly: boolean;
  readonly tif: string;
  readonly cloid?: string;
};

/**
 * keccak256(msgpack(action) ‖ nonce ‖ account ‖ expiry), 32 bytes. Account: 0x00 if null (the signer acts for itself),
 * else 0x01 and 20 bytes. Expiry: nothing, or 0x00 and 8 bytes.
 */
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

// for tests: published vectors
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

const connectionId = new Uint8Array(32);

/** `out`: the 32 bytes to sign; `exchangeHasher.structHash` belongs to them until the next digest. */
export function digestPerpOrder(source: string, order: PerpOrder, nonce: U64, agentFor: Uint8Array | null, out: Uint8Array): void {
  hashPerpOrder(order, nonce, agentFor, connectionId);
  exchangeHasher.digest('Agent', { source, connectionId }, out);
}
