// The perp action hash against Hyperliquid's published vectors, and its suffix against a plain concatenation.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { concat, keccak256 as reference, toBeHex } from 'ethers';
import {
  digestPerpOrder, exchangeHasher, hashAction, hashPerpOrder, perpSources, type PerpOrder,
} from '../../../../shell/api/auth/perp-action.ts';
import { toHex } from '../../../../shell/http/hex.ts';
import { loadBackend } from '../../../../shell/api/auth/recover-signer.ts';
import { bytesOf, digestOf, u64Of } from './samples.ts';

type WireOrder = { a: number; b: boolean; p: string; s: string; r: boolean; t: { limit?: { tif: PerpOrder['tif'] } }; c?: string };
type Vector = {
  name: string;
  address: string;
  action: { type: string; orders?: WireOrder[] };
  vaultAddress: string | null;
  nonce: number;
  expiresAfter: number | null;
  agentSource: string;
  msgpackHex: string;
  connectionId: string;
  eip712Digest: string;
  expected?: { r: string; s: string; v: number };
};

const file = new URL('../../../vectors/signing.json', import.meta.url);
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { l1_action_vectors: Vector[] }).l1_action_vectors;
const backend = loadBackend();
const WALLET = '0x1719884eb866cb12b2287399b15f7db5e7d775ea';

function orderOf({ a, b, p, s, r, t, c }: WireOrder): PerpOrder | null {
  if (t.limit === undefined) return null;
  return { asset: a, isBuy: b, price: p, size: s, reduceOnly: r, tif: t.limit.tif, ...(c === undefined ? {} : { cloid: c }) };
}

test('every published vector: connection id and digest match, and the signature recovers to the signer', () => {
  let signed = 0;
  for (const vector of vectors) {
    const id = new Uint8Array(32);
    const account = vector.vaultAddress === null ? null : bytesOf(vector.vaultAddress);
    const expiry = vector.expiresAfter === null ? null : u64Of(vector.expiresAfter);
    hashAction(vector.action, u64Of(vector.nonce), account, expiry, id);
    assert.equal(toHex(id), vector.connectionId, vector.name);
    const digest = digestOf(exchangeHasher, 'Agent', { source: vector.agentSource, connectionId: toHex(id) });
    assert.equal(toHex(digest), vector.eip712Digest, vector.name);
    if (vector.expected === undefined) continue;
    const signature = bytesOf(concat([vector.expected.r, vector.expected.s, toBeHex(vector.expected.v)]));
    const address = new Uint8Array(20);
    assert.equal(backend.recover(digest, signature, address), true, vector.name);
    assert.equal(toHex(address), vector.address, vector.name);
    signed++;
  }
  assert.deepEqual([vectors.length, signed], [12, 10]);
});

test('the published limit orders sign the expected fields', () => {
  for (const vector of vectors) {
    const order = vector.action.orders === undefined ? null : orderOf(vector.action.orders[0]!);
    if (order === null || vector.expiresAfter !== null || vector.vaultAddress !== null) continue;
    const digest = new Uint8Array(32);
    digestPerpOrder(vector.agentSource, order, u64Of(vector.nonce), null, digest);
    assert.equal(toHex(digest), vector.eip712Digest, vector.name);
  }
});

test('the signed source is the service\'s name; with the default name also b, and never a', () => {
  assert.deepEqual(perpSources({ name: 'Strikebook' }), ['Strikebook', 'b']);
  for (const name of ['Somewhere', 'strikebook', 'Strikebook 2']) assert.deepEqual(perpSources({ name }), [name]);
});

test('a limit order built from its fields has the published connection id', () => {
  let orders = 0;
  for (const vector of vectors) {
    const order = vector.action.orders === undefined ? null : orderOf(vector.action.orders[0]!);
    if (order === null || vector.expiresAfter !== null) continue;
    const id = new Uint8Array(32);
    hashPerpOrder(order, u64Of(vector.nonce), null, id);
    assert.equal(toHex(id), vector.connectionId, vector.name);
    orders++;
  }
  assert.equal(orders, 4);
});

test('nonces up to 2^64 - 1 and an agent\'s wallet are in the hash, in their place', () => {
  const { msgpackHex, action } = vectors.find((vector) => vector.name === 'limit order')!;
  const order = orderOf(action.orders![0]!)!;
  for (const nonce of [0n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
    for (const [agentFor, suffix] of [[null, '0x00'], [WALLET, concat(['0x01', WALLET])]] as const) {
      const id = new Uint8Array(32);
      hashPerpOrder(order, u64Of(nonce), agentFor === null ? null : bytesOf(agentFor), id);
      assert.equal(toHex(id), reference(concat([`0x${msgpackHex}`, toBeHex(nonce, 8), suffix])));
    }
  }
});

test('changing any field changes the hash', () => {
  const order: PerpOrder = { asset: 0, isBuy: true, price: '100', size: '1', reduceOnly: false, tif: 'Gtc' };
  const variants: PerpOrder[] = [
    order,
    { ...order, asset: 1 },
    { ...order, isBuy: false },
    { ...order, price: '100.0' },
    { ...order, size: '1.0' },
    { ...order, reduceOnly: true },
    { ...order, tif: 'Ioc' },
    { ...order, tif: 'Fok' },
    { ...order, cloid: '0x00000000000000000000000000000001' },
  ];
  const seen = new Set<string>();
  const id = new Uint8Array(32);
  for (const variant of variants) {
    for (const agentFor of [null, bytesOf(WALLET)]) {
      hashPerpOrder(variant, u64Of(1), agentFor, id);
      seen.add(toHex(id));
    }
  }
  assert.equal(seen.size, 2 * variants.length);
});

test('an account of the wrong length throws', () => {
  assert.throws(() => hashAction({ type: 'order' }, u64Of(1), new Uint8Array(32), null, new Uint8Array(32)), RangeError);
});
