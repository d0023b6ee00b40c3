// Keeps the page's own key in IndexedDB, encrypted by an AES key that cannot be exported. Its facts are authenticated, so a changed expiry
// or venue makes it unreadable. Without WebCrypto it lives in memory only.

import type { TypedData } from '../../src/main.ts';

export type Domain = TypedData['domain'];

/** `expires_at` in ms; null: never. */
export type KeyFacts = {
  readonly kind: 'agent' | 'throwaway'; readonly venue_id: string; readonly domains: readonly Domain[];
  readonly wallet: string; readonly address: string; readonly expires_at: number | null;
};
export type HeldKey = { readonly facts: KeyFacts; readonly secret: Uint8Array };

/** The store of one record. The record holds a CryptoKey, which only a structured clone can store. */
export type RecordPlace = { read(): Promise<unknown>; write(record: unknown): Promise<void>; clear(): Promise<void> };

type Crypto = typeof globalThis.crypto;
/** `subtle` is missing over plain HTTP from another machine. */
type CryptoOfPage = Pick<Crypto, 'getRandomValues'> & { readonly subtle?: Crypto['subtle'] };
type AesKey = Parameters<Crypto['subtle']['encrypt']>[1];
type Kept = { readonly facts: KeyFacts; readonly key: AesKey; readonly iv: Uint8Array<ArrayBuffer>; readonly sealed: ArrayBuffer };

export const NOT_SECURE = 'This page came over plain HTTP from another machine, where the browser has no WebCrypto. The key is kept in '
  + 'memory only and is gone when you close or reload the page. Open the page over HTTPS or on the machine of the venue to keep it.';
const NO_STORE = 'The browser lets this page store nothing (a private window, perhaps). The key is kept in memory only and is gone when '
  + 'you close or reload the page.';

const IV_BYTES = 12;

export class Vault {
  readonly #crypto: CryptoOfPage;
  readonly #place: RecordPlace | null;
  #whyMemory: string | null;

  constructor(crypto: CryptoOfPage, place: RecordPlace | null) {
    this.#crypto = crypto;
    this.#place = place;
    this.#whyMemory = crypto.subtle === undefined ? NOT_SECURE : place === null ? NO_STORE : null;
  }

  get whyMemory(): string | null {
    return this.#whyMemory;
  }

  async keep({ facts, secret }: HeldKey): Promise<boolean> {
    const { subtle } = this.#crypto;
    if (subtle === undefined || this.#place === null || this.#whyMemory !== null) return false;
    const key = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']) as AesKey;
    const iv = this.#crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const copy = Uint8Array.from(secret);
    const sealed = await subtle.encrypt(cipher(iv, facts), key, copy);
    copy.fill(0);
    try {
      await this.#place.write({ facts, key, iv, sealed } satisfies Kept);
      return true;
    } catch {
      this.#whyMemory = NO_STORE;
      return false;
    }
  }

  /** Null without a key; one that cannot be decrypted is removed. */
  async read(): Promise<HeldKey | null> {
    const { subtle } = this.#crypto;
    if (subtle === undefined || this.#place === null || this.#whyMemory !== null) return null;
    let kept: unknown;
    try {
      kept = await this.#place.read();
    } catch {
      this.#whyMemory = NO_STORE;
      return null;
    }
    if (kept === undefined || kept === null) return null;
    try {
      const { facts, key, iv, sealed } = kept as Kept;
      return { facts, secret: new Uint8Array(await subtle.decrypt(cipher(iv, facts), key, sealed)) };
    } catch {
      await this.clear();
      return null;
    }
  }

  async clear(): Promise<void> {
    await this.#place?.clear().catch(() => {});
  }
}

function cipher(iv: Uint8Array<ArrayBuffer>, facts: KeyFacts) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(JSON.stringify(facts)) };
}
