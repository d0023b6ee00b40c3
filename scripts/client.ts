// A small signing client for the scripts, benches and tests: keys, EIP-712 signatures over the venue's own structures,
// and JSON over kept-alive HTTP connections, one request at a time on each. Prices and sizes are the texts that get
// signed; nonces are milliseconds, raised by one where two fall into the same. A signed request is a value of its own, so
// that the very same bytes can be sent again when an answer was lost.

import { createRequire } from 'node:module';
import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { underlyingOfPerp } from '../core/instruments/symbol.ts';
import { perpOrderOf } from '../shell/api/perp-order.ts';
import type { OrderTexts } from '../shell/api/values.ts';
import { STRUCTURES, createHasher, type Hasher, type StructureName, type U64, type Values } from '../shell/auth/eip712.ts';
import { parseHex, toHex } from '../shell/auth/hex.ts';
import { digestPerpOrder, perpSource } from '../shell/auth/perp-action.ts';
import { keccak256 } from '../shell/auth/keccak.ts';

type Curve = {
  publicKeyCreate(key: Uint8Array, compressed: false): Uint8Array;
  privateKeyVerify(key: Uint8Array): boolean;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
};

const HIGH = 4_294_967_296;
const FIGURES = 5;
const DECIMALS = 6;
const curve = createRequire(import.meta.url)('secp256k1/bindings.js') as Curve;

export type Wallet = {
  /** Lower-case 0x address. */
  readonly address: string;
  readonly key: Uint8Array;
  /** The next nonce of this wallet. */
  nonce(): number;
};

/** A wallet from 64 hex digits (0x or not), or a new one. Throws a RangeError on a text that is no key. */
export function createWallet(hex?: string): Wallet {
  const key = hex === undefined ? new Uint8Array(randomBytes(32)) : new Uint8Array(32);
  if (hex !== undefined && !parseHex(hex.startsWith('0x') ? hex : `0x${hex}`, key)) throw new RangeError('a key has 64 hex digits');
  if (!curve.privateKeyVerify(key)) throw new RangeError('this is no private key of the curve');
  const hash = new Uint8Array(32);
  keccak256(curve.publicKeyCreate(key, false).subarray(1), hash, 0);
  let last = 0;
  const nonce = (): number => {
    last = Math.max(last + 1, Date.now());
    return last;
  };
  return { address: toHex(hash.subarray(12)), key, nonce };
}

/** One request as it goes over the wire; `signed` is what a reader may want to see of it. */
export type Request = {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signed?: { readonly structure: string; readonly message: Readonly<Record<string, unknown>>; readonly digest: string };
};

/** `body` is what JSON made of `text`; null for a body that is no JSON. */
export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string; readonly body: unknown };

export type OrderTerms = {
  readonly symbol: string; readonly side: 'Buy' | 'Sell'; readonly size: string; readonly price: string;
  readonly tif?: 'gtc' | 'ioc' | 'fok'; readonly client_id?: string; readonly mmp_enabled?: boolean; readonly reduce_only?: boolean;
};

/** Times in ms, limits as the texts that get signed; a limit that is absent is none. */
export type MmpTerms = {
  readonly currency: string; readonly interval_ms: number; readonly frozen_time_ms: number;
  readonly qty_limit?: string; readonly delta_limit?: string; readonly vega_limit?: string;
};

/** What POST /order and the cancels answer. */
export type OrderUpdate = {
  readonly timestamp: number; readonly status: string; readonly reason: string | null; readonly filled_size: number;
  readonly order_id: number | null; readonly wallet_address: string; readonly mmp_triggered: boolean;
  readonly info: Readonly<Record<string, unknown>>;
};

/** Signs the requests of the write endpoints for one domain. `wallet` is acted on, `signer` holds the key (an agent's, or its own). */
export class RequestSigner {
  readonly hasher: Hasher;
  /** The underlyings in the order of their asset index. */
  readonly #assets: readonly string[];

  constructor(name: string, chainId: number, assets: readonly string[] = []) {
    this.hasher = createHasher(name, chainId);
    this.#assets = assets;
  }

  placeOrder(wallet: Wallet, terms: OrderTerms, signer = wallet, nonce = wallet.nonce()): Request {
    const { symbol, side, size, price, tif = 'gtc', client_id: clientId = '', reduce_only: reduceOnly } = terms;
    const body = { wallet: wallet.address, ...terms, tif, client_id: clientId, nonce };
    const underlying = underlyingOfPerp(symbol);
    if (underlying !== null) return this.#perp(wallet, { symbol, side, size, price, tif, clientId }, underlying, signer, nonce, body);
    const message = { wallet: bytesOf(wallet.address), symbol, side, size, price, tif, clientId, nonce: u64(nonce) };
    if (reduceOnly !== true) return this.#request('/order', 'PlaceOrder', message, signer, body);
    const routed = { ...message, route: 'book_only', reduceOnly };
    return this.#request('/order', 'PlaceOrderReduceOnly', routed, signer, { ...body, route: routed.route });
  }

  replaceOrder(wallet: Wallet, orderId: number, terms: OrderTerms, signer = wallet, nonce = wallet.nonce()): Request {
    const { symbol, side, size, price, tif = 'gtc', client_id: clientId = '', reduce_only: reduceOnly } = terms;
    const order = { symbol, side, size, price, tif, clientId, nonce: u64(nonce) };
    const message = { wallet: bytesOf(wallet.address), orderId: String(orderId), ...order };
    const body = { wallet: wallet.address, order_id: orderId, ...terms, tif, client_id: clientId, nonce };
    const request = reduceOnly === true
      ? this.#request('/order', 'ReplaceOrderReduceOnly', { ...message, reduceOnly }, signer, body)
      : this.#request('/order', 'ReplaceOrder', message, signer, body);
    return { ...request, method: 'PUT' };
  }

  setMarginMode(wallet: Wallet, mode: 'standard' | 'portfolio', signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), marginMode: mode, nonce: u64(nonce) };
    return this.#request('/margin-mode', 'SetMarginMode', message, signer, { wallet: wallet.address, margin_mode: mode, nonce });
  }

  setMmp(wallet: Wallet, terms: MmpTerms, signer = wallet, nonce = wallet.nonce()): Request {
    const { currency, interval_ms: interval, frozen_time_ms: frozen } = terms;
    const { qty_limit: qtyLimit = '', delta_limit: deltaLimit = '', vega_limit: vegaLimit = '' } = terms;
    const message = {
      wallet: bytesOf(wallet.address), currency, intervalMs: u64(interval), frozenTimeMs: u64(frozen), qtyLimit, deltaLimit, vegaLimit,
      nonce: u64(nonce),
    };
    return this.#request('/mmp/config', 'SetMmpConfig', message, signer, { wallet: wallet.address, ...terms, nonce });
  }

  deleteMmp(wallet: Wallet, currency: string, signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), currency, nonce: u64(nonce) };
    const request = this.#request('/mmp/config', 'DeleteMmpConfig', message, signer, { wallet: wallet.address, currency, nonce });
    return { ...request, method: 'DELETE' };
  }

  resetMmp(wallet: Wallet, currency: string, signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), currency, nonce: u64(nonce) };
    return this.#request('/mmp/reset', 'ResetMmp', message, signer, { wallet: wallet.address, currency, nonce });
  }

  cancel(wallet: Wallet, orderId: number, signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), orderId: String(orderId), nonce: u64(nonce) };
    return this.#request('/cancel', 'CancelOrder', message, signer, { wallet: wallet.address, order_id: orderId, nonce });
  }

  cancelByCloid(wallet: Wallet, clientId: string, signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), clientId, nonce: u64(nonce) };
    const body = { wallet: wallet.address, client_id: clientId, nonce };
    return this.#request('/cancel-by-cloid', 'CancelOrderByClientId', message, signer, body);
  }

  /** Every open order of the wallet, or those of one underlying or symbol. */
  cancelAll(wallet: Wallet, scope = '', signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), scope, nonce: u64(nonce) };
    return this.#request('/cancel-all', 'CancelAll', message, signer, { wallet: wallet.address, scope, nonce });
  }

  setUsername(wallet: Wallet, username: string, signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), username, nonce: u64(nonce) };
    return this.#request('/username', 'SetUsername', message, signer, { wallet: wallet.address, username, nonce });
  }

  requestUsername(wallet: Wallet, username: string, signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), requestedUsername: username, nonce: u64(nonce) };
    const body = { wallet: wallet.address, requested_username: username, nonce };
    return this.#request('/profile/username-request', 'SubmitUsernameRequest', message, signer, body);
  }

  seePayouts(wallet: Wallet, ids: readonly number[], signer = wallet, nonce = wallet.nonce()): Request {
    const message = { wallet: bytesOf(wallet.address), payoutIds: ids.join(','), seen: true, nonce: u64(nonce) };
    return this.#request('/settlement-payouts/seen', 'SetSettlementPayoutSeen', message, signer, { wallet: wallet.address, ids, nonce });
  }

  /** Signed by a wallet of ADMIN_WALLETS, with a nonce of its own. */
  setUserTier(wallet: string, tier: string, admin: Wallet, nonce = admin.nonce()): Request {
    const message = { wallet: bytesOf(wallet), tier, nonce: u64(nonce) };
    return this.#request('/user-tier', 'SetUserTier', message, admin, { wallet, tier, nonce });
  }

  /** Names the wallet in the body too, so that it opens the account. */
  approveAgent(wallet: Wallet, agent: string, nonce = wallet.nonce()): Request {
    return this.#agentRequest('/approve-agent', 'ApproveAgent', wallet, agent, nonce);
  }

  revokeAgent(wallet: Wallet, agent: string, nonce = wallet.nonce()): Request {
    return this.#agentRequest('/revoke-agent', 'RevokeAgent', wallet, agent, nonce);
  }

  revokeAllAgents(wallet: Wallet, nonce = wallet.nonce()): Request {
    const body = { wallet: wallet.address, nonce };
    return { ...this.#request('/revoke-all-agents', 'RevokeAllAgents', { nonce: u64(nonce) }, wallet, body), method: 'DELETE' };
  }

  #perp(wallet: Wallet, texts: OrderTexts, underlying: string, signer: Wallet, nonce: number, body: { reduce_only?: boolean }): Request {
    const asset = this.#assets.indexOf(underlying);
    if (asset < 0) throw new RangeError(`${texts.symbol} is no perp of the venue`);
    const order = perpOrderOf(asset, texts, body.reduce_only === true);
    const source = perpSource(this.hasher.domain);
    const digest = new Uint8Array(32);
    digestPerpOrder(source, order, u64(nonce), signer.address === wallet.address ? null : bytesOf(wallet.address), digest);
    const signed = { structure: STRUCTURES.Agent as string, message: { source, ...order, nonce }, digest: toHex(digest) };
    const signature = signDigest(digest, signer.key);
    return { method: 'POST', path: '/order', body: JSON.stringify({ ...body, underlying, signature }), signed };
  }

  #agentRequest(path: string, structure: 'ApproveAgent' | 'RevokeAgent', wallet: Wallet, agent: string, nonce: number): Request {
    const message = { agent: bytesOf(agent), nonce: u64(nonce) };
    return this.#request(path, structure, message, wallet, { wallet: wallet.address, agent, nonce });
  }

  #request<S extends StructureName>(path: string, structure: S, message: Values<S>, signer: Wallet, body: object): Request {
    const digest = new Uint8Array(32);
    this.hasher.digest(structure, message, digest);
    const signature = signDigest(digest, signer.key);
    const signed = { structure: STRUCTURES[structure] as string, message: shown(message), digest: toHex(digest) };
    return { method: 'POST', path, body: JSON.stringify({ ...body, signature }), signed };
  }
}

/** The field that lists the items of each bulk request. */
const BULK_FIELDS = {
  'POST /bulk_order': 'orders', 'PUT /bulk_order': 'replacements', 'DELETE /bulk_order': 'cancels', 'DELETE /bulk_order_cloid': 'cancels',
} as const;

/** Many requests of one kind as one: each item is the body of a single one, signed as it is. */
export function bulk(what: keyof typeof BULK_FIELDS, items: readonly Request[]): Request {
  const [method, path] = what.split(' ') as [string, string];
  return { method, path, body: `{"${BULK_FIELDS[what]}":[${items.map(({ body }) => body).join(',')}]}` };
}

/** 0x r ‖ s ‖ v with a low s (libsecp256k1 gives no other), v 27 or 28. */
export function signDigest(digest: Uint8Array, key: Uint8Array): string {
  const { signature, recid } = curve.ecdsaSign(digest, key);
  return `${toHex(signature)}${(27 + recid).toString(16)}`;
}

/** A price as the venue takes it: at most 5 significant figures and 6 decimals, plain. */
export function priceText(price: number): string {
  const text = Number(price.toPrecision(FIGURES)).toFixed(DECIMALS);
  return text.replace(/\.?0+$/, '');
}

function bytesOf(address: string): Uint8Array {
  const bytes = new Uint8Array(20);
  if (!parseHex(address, bytes)) throw new RangeError(`${address} is no address`);
  return bytes;
}

function u64(value: number): U64 {
  return { lo: value >>> 0, hi: Math.floor(value / HIGH) };
}

/** A message as people read it: addresses as hex, u64 as numbers. */
function shown(message: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(message).map(([name, value]: [string, unknown]) => {
    if (value instanceof Uint8Array) return [name, toHex(value)];
    return typeof value === 'object' && value !== null ? [name, (value as U64).hi * HIGH + (value as U64).lo] : [name, value];
  }));
}

/** Nothing answered: refused, reset, or timed out. Whether the request acted is then not known. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export type HttpOptions = { readonly connections?: number; readonly timeoutMs?: number };

/** HTTP to one venue: at most `connections` kept-alive connections, never two requests on one at once. */
export class Http {
  readonly url: string;
  readonly #agent: Agent;
  readonly #host: { readonly hostname: string; readonly port: string };
  readonly #timeoutMs: number;

  constructor(url: string, { connections = 16, timeoutMs = 15_000 }: HttpOptions = {}) {
    const { hostname, port, protocol } = new URL(url);
    if (protocol !== 'http:') throw new RangeError(`${url} is no http address`);
    this.url = url;
    this.#host = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'lifo' });
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path });
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body), headers });
  }

  /** Rejects with NoAnswer when no whole answer came. */
  send({ method, path, body, headers = {} }: Request): Promise<Answer> {
    const content = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(new NoAnswer(`${method} ${this.url}${path}: ${error.message}`, { cause: error }));
      const call = httpRequest({ ...this.#host, method, path, agent: this.#agent, headers: { ...headers, ...content } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) });
        });
      });
      call.setTimeout(this.#timeoutMs, () => call.destroy(new Error(`no answer within ${this.#timeoutMs} ms`)));
      call.on('error', fail);
      call.end(body);
    });
  }

  /** Ends every connection; what is in flight fails. */
  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A signer for the domain that the venue states on /exchange-info. */
export async function signerFor(http: Http): Promise<RequestSigner> {
  const { status, body, text } = await http.get('/exchange-info');
  const info = body as {
    chain_id?: unknown; signing_domain?: { name?: unknown }; perp_assets?: readonly { readonly underlying: string }[];
  } | null;
  if (status !== 200 || typeof info?.chain_id !== 'number' || typeof info.signing_domain?.name !== 'string') {
    throw new Error(`${http.url}/exchange-info states no signing domain: ${status} ${text.slice(0, 200)}`);
  }
  return new RequestSigner(info.signing_domain.name, info.chain_id, (info.perp_assets ?? []).map(({ underlying }) => underlying));
}
