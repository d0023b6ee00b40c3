// The signature path of one order on one core: JSON text, hex, digest, recovery, comparison with the wallet; then the same without the
// curve, and with the portable curve. Run it alone on a quiet machine: node bench/signature.ts
// Every order has another price, nonce and client id; an invalid signature ends the run with an error.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Backend, loadBackend } from '../shell/api/auth/recover-signer.ts';
import { createHasher } from '../shell/api/auth/eip712.ts';
import type { Values } from '../core/codec/signed-commands.ts';
import { parseHex, toHex } from '../shell/http/hex.ts';
import { keccak256 } from '../shell/api/auth/keccak.ts';
import { figure, heading, median } from './machine.ts';

const ORDERS = 4_000;
const ROUNDS = 5;
const HIGH = 4_294_967_296;

type Body = {
  wallet: string;
  symbol: string;
  side: string;
  size: string;
  price: string;
  tif: string;
  client_id: string;
  mmp_enabled: boolean;
  nonce: number;
  signature: string;
};

const hasher = createHasher('Strikebook', 998);
const wallet = new Uint8Array(20);
const signature = new Uint8Array(65);
const digest = new Uint8Array(32);
const signer = new Uint8Array(20);

function valuesOf(body: Body): Values<'PlaceOrder'> {
  if (!parseHex(body.wallet, wallet)) throw new Error('wallet');
  const { symbol, side, size, price, tif } = body;
  const nonce = { lo: body.nonce >>> 0, hi: Math.floor(body.nonce / HIGH) };
  return { wallet, symbol, side, size, price, tif, clientId: body.client_id, nonce };
}

function orderTexts(): string[] {
  const key = new Uint8Array(32).fill(11);
  const hash = new Uint8Array(32);
  keccak256(secp256k1.getPublicKey(key, false).subarray(1), hash, 0);
  return Array.from({ length: ORDERS }, (_, i) => {
    const unsigned = {
      wallet: toHex(hash.subarray(12)),
      symbol: `BTC-20260131-${100_000 + 1_000 * (i % 200)}-${i % 2 === 0 ? 'C' : 'P'}`,
      side: i % 3 === 0 ? 'Sell' : 'Buy',
      size: `0.${1 + (i % 9)}`,
      price: `${100 + (i % 900)}.${i % 10}`,
      tif: 'gtc',
      client_id: `desk-2:maker-7:quote-${i}:20260131T080000Z`,
      mmp_enabled: true,
      nonce: 1_769_000_000_000 + i,
    };
    hasher.digest('PlaceOrder', valuesOf({ ...unsigned, signature: '' }), digest);
    const recovered = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
    const text = `${toHex(recovered.subarray(1))}${(27 + recovered[0]!).toString(16)}`;
    return JSON.stringify({ ...unsigned, signature: text });
  });
}

function digestOrder(text: string): void {
  const body = JSON.parse(text) as Body;
  if (!parseHex(body.signature, signature)) throw new Error('signature');
  hasher.digest('PlaceOrder', valuesOf(body), digest);
}

function checkOrder(text: string, backend: Backend): void {
  digestOrder(text);
  if (!backend.recover(digest, signature, signer)) throw new Error('not recovered');
  for (let i = 0; i < 20; i++) if (signer[i] !== wallet[i]) throw new Error('another signer');
}

function measure(label: string, texts: readonly string[], run: (text: string) => void): void {
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    for (const text of texts) run(text);
    if (round > 0) rates.push(Math.round((texts.length / (performance.now() - start)) * 1_000));
  }
  figure(label, median(rates), 'orders/s', `median of ${ROUNDS} rounds of ${texts.length} after one to warm up`);
}

const native = loadBackend();
const noble = loadBackend('noble');
const texts = orderTexts();
heading(`one thread, bodies of ${texts[0]!.length} bytes: JSON, hex, digest, recovery, comparison`);
measure(`whole path, ${native.name}`, texts, (text) => checkOrder(text, native));
measure('whole path, noble', texts.slice(0, ORDERS / 10), (text) => checkOrder(text, noble));
measure('everything but the curve', texts, digestOrder);
