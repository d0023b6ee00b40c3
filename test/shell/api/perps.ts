// Perp orders as a client signs them, with another MessagePack encoder and hash, so that none of our code is part of the proof.

import { concat, keccak256, toBeHex, toUtf8Bytes } from 'ethers';
import { freshNonce } from './requests.ts';
import { digestOfMessage, DOMAIN, type Signer } from './wallets.ts';

export const EXCHANGE = { ...DOMAIN, name: 'Exchange', chainId: 1337 };

type Packable = string | number | boolean | readonly Packable[] | { readonly [key: string]: Packable };

/** Short texts, small integers, small lists and maps: all that an order has. */
function pack(value: Packable): string {
  if (typeof value === 'boolean') return value ? '0xc3' : '0xc2';
  if (typeof value === 'number') return toBeHex(value, 1);
  if (typeof value === 'string') {
    const bytes = toUtf8Bytes(value);
    return concat([bytes.length < 32 ? toBeHex(0xa0 | bytes.length, 1) : concat(['0xd9', toBeHex(bytes.length, 1)]), bytes]);
  }
  if (Array.isArray(value)) return concat([toBeHex(0x90 | value.length, 1), ...value.map(pack)]);
  const entries = Object.entries(value as { [key: string]: Packable });
  return concat([toBeHex(0x80 | entries.length, 1), ...entries.flatMap(([key, item]) => [pack(key), pack(item)])]);
}

type PerpFields = {
  symbol?: string; side?: string; size?: string; price?: string; tif?: string; client_id?: string; reduce_only?: boolean;
  nonce?: number | bigint; wallet?: string; underlying?: string | undefined; is_perp?: boolean; asset?: number; source?: string;
  /** How the hash ends: as the wallet's or as its agent's. Told by the signer unless the test says otherwise. */
  form?: 'wallet' | 'agent';
};

type Terms = { side: string; size: string; price: string; tif: string; clientId: string; reduceOnly: boolean; nonce: number | bigint };

export function connectionIdOf(asset: number, terms: Terms, agentFor: string | null): string {
  const { side, size, price, tif, clientId, reduceOnly, nonce } = terms;
  const capital = `${tif.slice(0, 1).toUpperCase()}${tif.slice(1)}`;
  const order = { a: asset, b: side === 'Buy', p: price, s: size, r: reduceOnly, t: { limit: { tif: capital } } };
  const orders = [clientId === '' ? order : { ...order, c: clientId }];
  const action = pack({ type: 'order', orders, grouping: 'na' });
  return keccak256(concat([action, toBeHex(nonce, 8), agentFor === null ? '0x00' : concat(['0x01', agentFor])]));
}

export function perpDigest(source: string, connectionId: string): string {
  return digestOfMessage('Agent', { source, connectionId }, EXCHANGE);
}

/** The body of POST /order. */
export function perp(signer: Signer, fields: PerpFields = {}) {
  const { symbol = 'BTC-PERP', side = 'Buy', size = '1', price = '100000', tif = 'gtc', client_id: clientId = '' } = fields;
  const { nonce = freshNonce(), wallet = signer.address, asset = 0, source = DOMAIN.name, reduce_only: reduceOnly = false } = fields;
  const form = fields.form ?? (wallet === signer.address ? 'wallet' : 'agent');
  const connectionId = connectionIdOf(asset, { side, size, price, tif, clientId, reduceOnly, nonce }, form === 'agent' ? wallet : null);
  return {
    wallet, symbol, side, size, price, tif, client_id: clientId, nonce, signature: signer.sign('Agent', { source, connectionId }, EXCHANGE),
    underlying: 'underlying' in fields ? fields.underlying : 'BTC',
    reduce_only: fields.reduce_only, is_perp: fields.is_perp,
  };
}
