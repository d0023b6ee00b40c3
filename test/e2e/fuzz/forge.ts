// Requests of every route of the interface description, made from the description alone: its example is the template, its schemas say
// what else a field may hold, its `x-signed-as` how the body is signed. A request is valid, or was before its values were changed, and is
// signed in both cases, so that it gets past the signature check.

import { createWallet, RequestSigner, signDigest, type Wallet } from '../../../scripts/client.ts';
import { createHasher, type Hasher } from '../../../shell/api/auth/eip712.ts';
import type { StructureName } from '../../../core/codec/signed-commands.ts';
import { EXAMPLE_WALLET, messageOf, signedFields } from '../../../shell/describe/signing.ts';
import type { Document, Operation } from '../../shell/describe/served.ts';
import type { Random } from '../../sim/random.ts';
import { mutateTexts } from './mutate.ts';

export type Forged = {
  readonly row: string; readonly method: string; readonly path: string; readonly body?: object; readonly admin: boolean;
};
type Body = Record<string, unknown>;
type Row = { readonly name: string; readonly method: string; readonly path: string; readonly operation: Operation };

const WALLETS = 16;
const BULK_ITEMS = 4;
/** Values for fields that the example leaves out. */
const SPARE: Readonly<Record<string, unknown>> = {
  route: 'book_only', reduce_only: true, expires_at: 1_800_000_000_000, client_id: 'c', delta_limit: '3', vega_limit: '7',
  mmp_enabled: false,
};

/** Owns the wallets and their nonces. */
export class Forge {
  readonly rows: readonly Row[];
  readonly #random: Random;
  readonly #hasher: Hasher;
  readonly #signer: RequestSigner;
  readonly #wallets: readonly Wallet[];
  #orderId = 1;

  constructor(document: Document, domain: { readonly name: string; readonly chainId: number }, random: Random) {
    this.#random = random;
    this.#signer = new RequestSigner({
      chain_id: domain.chainId, signing_domain: { name: domain.name, version: '1' }, perp_source: domain.name,
      perp_assets: ['BTC', 'ETH'].map((underlying, asset) => ({ asset, symbol: `${underlying}-PERP`, underlying })),
    });
    this.#hasher = createHasher(domain.name, domain.chainId);
    this.#wallets = Array.from({ length: WALLETS }, () => createWallet());
    this.rows = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([lower, operation]) => {
      const method = lower.toUpperCase();
      return { name: `${method} ${path}`, method, path, operation };
    }));
  }

  /** An id that some order got: later requests name it. */
  sawOrder(id: number): void {
    if (this.#random.chance(0.2)) this.#orderId = id;
  }

  next(): Forged {
    const random = this.#random;
    const writes = this.rows.filter(({ operation }) => operation.requestBody !== undefined);
    const reads = this.rows.filter(({ operation }) => operation.requestBody === undefined);
    const row = random.chance(0.8) ? random.pick(writes) : random.pick(reads);
    if (row.name === 'POST /order' && random.chance(0.2)) return this.#perp(row);
    const { method, operation } = row;
    const body = operation.requestBody === undefined ? undefined : this.#body(row.operation);
    return { row: row.name, method, path: this.#target(row), admin: operation.security !== undefined, ...(body !== undefined && { body }) };
  }

  #body({ requestBody, ...operation }: Operation): Body {
    const { example } = requestBody!.content['application/json'];
    const wallet = this.#random.pick(this.#wallets);
    const body = this.#filled(structuredClone(example ?? {}) as Body, wallet);
    const structures = (operation['x-signed-as'] ?? []).map(({ name }) => name as StructureName).filter((name) => name !== 'Agent');
    if (structures.length === 0) return this.#varied(body);
    const [list, items] = Object.entries(body)[0]!;
    if ('signature' in body || !Array.isArray(items)) return this.#signed(body, wallet, structures);
    const count = this.#random.between(1, BULK_ITEMS);
    return { [list]: Array.from({ length: count }, () => {
      const owner = this.#random.pick(this.#wallets);
      return this.#signed(this.#filled(structuredClone(items[0]) as Body, owner), owner, structures);
    }) };
  }

  #perp(row: Row): Forged {
    const random = this.#random;
    const wallet = random.pick(this.#wallets);
    const { body } = this.#signer.placeOrder(wallet, {
      symbol: 'BTC-PERP', side: random.pick(['Buy', 'Sell']), size: random.pick(['0.001', '1', '0.5', '7']), tif: random.pick(['gtc',
      'ioc']),
      price: String(random.between(900, 1_100) * 100), client_id: random.pick(['', `0x${'5'.repeat(32)}`]), reduce_only: random.chance(0.2),
    });
    return { row: row.name, method: row.method, path: row.path, body: JSON.parse(body!) as Body, admin: false };
  }

  /** The wallet of the example becomes one of ours, numbers that must be new are new. */
  #filled(value: Body, wallet: Wallet): Body {
    const swap = (one: unknown): unknown => {
      if (Array.isArray(one)) return one.map(swap);
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, this.#swapped(name, swap(inner), wallet)]));
    };
    return swap(value) as Body;
  }

  #swapped(name: string, value: unknown, wallet: Wallet): unknown {
    if (value === EXAMPLE_WALLET) return wallet.address;
    if (name === 'nonce') return wallet.nonce();
    if (name === 'order_id') return this.#random.chance(0.9) ? this.#orderId : this.#random.between(1, this.#orderId + 3);
    if (name === 'agent') return this.#random.pick(this.#wallets).address;
    return value;
  }

  /** Fields of the form are there, some values are changed, then it is signed, by the wallet or by another one. */
  #signed(body: Body, wallet: Wallet, structures: readonly StructureName[]): Body {
    const random = this.#random;
    const structure = random.pick(structures);
    const covered = signedFields(structure);
    const optional = structures.flatMap(signedFields).filter((name) => !covered.includes(name));
    const spare = covered.filter((name) => name in SPARE && random.chance(0.7)).map((name) => [name, SPARE[name]] as const);
    const full: Body = { ...Object.fromEntries(spare), ...body };
    for (const name of optional) delete full[name];
    if (covered.includes('route')) full['route'] = random.pick(['book_only', 'best_execution', 'rfq_only']);
    if (covered.includes('reduce_only')) full['reduce_only'] = true;
    const varied = this.#varied(full);
    const digest = new Uint8Array(32);
    this.#hasher.digest(structure, messageOf(structure, varied), digest);
    const signer = random.chance(0.9) ? wallet : random.pick(this.#wallets);
    return { ...varied, signature: signDigest(digest, signer.key) };
  }

  /** Most bodies stay as they are; in the others some texts and numbers become others of their kind. */
  #varied(body: Body): Body {
    return this.#random.chance(0.6) ? body : mutateTexts(body, this.#random);
  }

  #target({ path, operation }: Row): string {
    const random = this.#random;
    const example = (place: string): Body => Object.fromEntries(operation.parameters.flatMap((one) => (
      one.in === place ? [[one.name, one.example ?? '1'] as const] : []
    )));
    const params = random.chance(0.7) ? example('path') : mutateTexts(example('path'), random);
    const query = this.#filled(random.chance(0.4) ? example('query') : mutateTexts(example('query'), random), random.pick(this.#wallets));
    const kept = Object.entries(query).filter(([name]) => operation.requestBody === undefined || name === 'x' || random.chance(0.05));
    const target = Object.entries(params).reduce((whole, [name, value]) => whole.replace(`{${name}}`, encode(value)), path);
    return kept.length === 0 ? target : `${target}?${kept.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`;
  }
}

function encode(value: unknown): string {
  return encodeURIComponent(String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed());
}
