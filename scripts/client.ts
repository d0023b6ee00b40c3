// The client library for scripts, benches and tests with unusual needs: many wallets, signing at once with native code, invalid requests on
// purpose, any sender, raw replies. Forms of requests come from the library; here are keys, and JSON over keep-alive HTTP connections, one
// request at a time on each. A signed request is a value, so that the same bytes can be sent again when a reply was lost.

import { createRequire } from 'node:module';
import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Forms, signedRequest, type MassQuoteTerms, type MmpTerms, type OrderTerms, type SigningFacts, type Unsigned } from
  '../client/src/forms.ts';
import { NonceSource, type Nonce } from '../client/src/nonces.ts';
import { digestOf, type TypedData } from '../client/src/typed-data.ts';
import { parseHex, toHex } from '../shell/http/hex.ts';
import { keccak256 } from '../shell/api/auth/keccak.ts';

type Curve = {
  publicKeyCreate(key: Uint8Array, compressed: false): Uint8Array;
  privateKeyVerify(key: Uint8Array): boolean;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
};

const curve = createRequire(import.meta.url)('secp256k1/bindings.js') as Curve;

export type Wallet = {
  /** Lower-case 0x address. */
  readonly address: string;
  readonly key: Uint8Array;
  /** The next nonce of this wallet. */
  nonce(): number;
};

/** A wallet from 64 hex digits (with or without 0x), or a new one. Throws a RangeError for a text that is not a key. */
export function createWallet(hex?: string): Wallet {
  const key = hex === undefined ? new Uint8Array(randomBytes(32)) : new Uint8Array(32);
  if (hex !== undefined && !parseHex(hex.startsWith('0x') ? hex : `0x${hex}`, key)) throw new RangeError('a key has 64 hex digits');
  if (!curve.privateKeyVerify(key)) throw new RangeError('this is no private key of the curve');
  const hash = new Uint8Array(32);
  keccak256(curve.publicKeyCreate(key, false).subarray(1), hash, 0);
  const nonces = new NonceSource();
  return { address: toHex(hash.subarray(12)), key, nonce: () => nonces.next() };
}

/** One request as sent; `signed` is the signed structure for display. */
export type Request = {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signed?: { readonly data: TypedData; readonly digest: string };
};

/** `body` is `text` parsed as JSON; null if it is not JSON. */
export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string; readonly body: unknown };

/** The reply of POST /order and of cancels. */
export type OrderUpdate = {
  readonly timestamp: number; readonly status: string; readonly reason: string | null; readonly filled_size: number;
  readonly order_id: number | null; readonly wallet_address: string; readonly mmp_triggered: boolean;
  readonly info: Readonly<Record<string, unknown>>;
};

/**
 * Signs the requests of the write endpoints for one venue, at once and by any wallet: the forms of the client library, with sizes and
 * prices as they are given. `wallet` is acted on, `signer` holds the key (an agent's, or its own).
 */
export class RequestSigner {
  readonly facts: SigningFacts;

  constructor(facts: SigningFacts) {
    this.facts = facts;
  }

  placeOrder(wallet: Wallet, terms: OrderTerms, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).placeOrder(terms, nonce), signer);
  }

  replaceOrder(wallet: Wallet, orderId: number, terms: OrderTerms, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).replaceOrder({ order_id: orderId, ...terms }, nonce), signer);
  }

  massQuote(wallet: Wallet, terms: MassQuoteTerms, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).massQuote(terms, nonce), signer);
  }

  setMarginMode(wallet: Wallet, mode: 'standard' | 'portfolio', signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).setMarginMode(mode, nonce), signer);
  }

  setMmp(wallet: Wallet, terms: MmpTerms, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).setMmp(terms, nonce), signer);
  }

  deleteMmp(wallet: Wallet, currency: string, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).deleteMmp(currency, nonce), signer);
  }

  resetMmp(wallet: Wallet, currency: string, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).resetMmp(currency, nonce), signer);
  }

  cancel(wallet: Wallet, orderId: number, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).cancelOrder(orderId, nonce), signer);
  }

  cancelByCloid(wallet: Wallet, clientId: string, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).cancelOrderByClientId(clientId, nonce), signer);
  }

  /** Every open order of the wallet, or those of one underlying or symbol. */
  cancelAll(wallet: Wallet, scope = '', signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).cancelAll(scope, nonce), signer);
  }

  setUsername(wallet: Wallet, username: string, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).setUsername(username, nonce), signer);
  }

  requestUsername(wallet: Wallet, username: string, signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).requestUsername(username, nonce), signer);
  }

  seePayouts(wallet: Wallet, ids: readonly number[], signer = wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, signer).markPayoutsSeen(ids, nonce), signer);
  }

  /** Signed by a wallet of ADMIN_WALLETS, with a nonce of its own. */
  setUserTier(wallet: string, tier: string, admin: Wallet, nonce: Nonce = admin.nonce()): Request {
    return signed(this.#forms(admin, admin).setUserTier(wallet, tier, nonce), admin);
  }

  /** Names the wallet in the body too, so that it opens the account. */
  approveAgent(wallet: Wallet, agent: string, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, wallet).approveAgent(agent, undefined, nonce), wallet);
  }

  revokeAgent(wallet: Wallet, agent: string, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, wallet).revokeAgent(agent, nonce), wallet);
  }

  revokeAllAgents(wallet: Wallet, nonce: Nonce = wallet.nonce()): Request {
    return signed(this.#forms(wallet, wallet).revokeAllAgents(nonce), wallet);
  }

  #forms(wallet: Wallet, signer: Wallet): Forms {
    return new Forms(this.facts, signer.address, { wallet: wallet.address, areAmountsRaw: true });
  }
}

function signed(unsigned: Unsigned<unknown>, signer: Wallet): Request {
  const { data } = unsigned.items[0]!;
  const digest = digestOf(data);
  return { ...signedRequest(unsigned, [signDigest(digest, signer.key)]), signed: { data, digest: toHex(digest) } };
}

/** The field that lists the items of each bulk request. */
const BULK_FIELDS = {
  'POST /bulk_order': 'orders', 'PUT /bulk_order': 'replacements', 'DELETE /bulk_order': 'cancels', 'DELETE /bulk_order_cloid': 'cancels',
} as const;

/** Many requests of one kind as a bulk request: each item is the signed body of a single one. */
export function bulk(what: keyof typeof BULK_FIELDS, items: readonly Request[]): Request {
  const [method, path] = what.split(' ') as [string, string];
  return { method, path, body: `{"${BULK_FIELDS[what]}":[${items.map(({ body }) => body).join(',')}]}` };
}

/** 0x r ‖ s ‖ v with a low s (libsecp256k1 gives no other), v 27 or 28. */
export function signDigest(digest: Uint8Array, key: Uint8Array): string {
  const { signature, recid } = curve.ecdsaSign(digest, key);
  return `${toHex(signature)}${(27 + recid).toString(16)}`;
}

/** No reply: refused, reset, or timed out. It is unknown whether the request acted. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

type HttpOptions = { readonly connections?: number; readonly timeoutMs?: number };

/** HTTP to one venue: at most `connections` kept-alive connections, never two requests on one at once. */
export class Http {
  readonly url: string;
  readonly #agent: Agent;
  readonly #host: { readonly hostname: string; readonly port: string };
  readonly #timeoutMs: number;

  constructor(url: string, { connections = 16, timeoutMs = 60_000 }: HttpOptions = {}) {
    const { hostname, port, protocol } = new URL(url);
    if (protocol !== 'http:') throw new RangeError(`${url} is no http address`);
    this.url = url;
    this.#host = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
    this.#timeoutMs = timeoutMs;
    // Only an agent with a time of its own lets go of an idle connection when the venue's `Keep-Alive` says so.
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'lifo', timeout: timeoutMs });
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path });
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body), headers });
  }

  /** Rejects with NoAnswer when no complete reply came. */
  send(request: Request): Promise<Answer> {
    const { method, path, body, headers = {} } = request;
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
      call.on('error', (error: NodeJS.ErrnoException) => {
        // The venue ended an idle connection at the moment of its next use: a read is asked on another one.
        if (method === 'GET' && call.reusedSocket && error.code === 'ECONNRESET') resolve(this.send(request));
        else fail(error);
      });
      call.end(body);
    });
  }

  /** Closes every connection; requests in flight fail. */
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

/** A signer for the signing domain in the venue's /exchange-info. */
export async function signerFor(http: Http): Promise<RequestSigner> {
  const { status, body, text } = await http.get('/exchange-info');
  if (status !== 200 || typeof (body as Partial<SigningFacts> | null)?.signing_domain?.name !== 'string') {
    throw new Error(`${http.url}/exchange-info states no signing domain: ${status} ${text.slice(0, 200)}`);
  }
  return new RequestSigner(body as SigningFacts);
}
