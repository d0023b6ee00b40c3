// Fee estimates from a chain's node, cached briefly, failures too. Concurrent callers share a request. The node must first confirm its
// chain id. Times in ms.

import { askUpstream, UpstreamFailure } from './upstream.ts';
import { CHAIN_REQUEST, checkChain, FEE_REQUEST, readFees, type Fees } from './gas-fees.ts';

export const CACHE_MS = 3_000;
export const TIMEOUT_MS = 3_000;
export const MAX_BYTES = 65_536;

export type Estimate = { readonly fees: Fees; readonly time: number };
type Provider = {
  readonly url: string;
  readonly chainId: number;
  readonly now: () => number;
  readonly steady: () => number;
  readonly stop: AbortSignal;
};

export class GasProvider {
  readonly #provider: Provider;
  #last: Promise<Estimate> | null = null;
  #cachedUntil = 0;
  #isChainConfirmed = false;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** Rejects with UpstreamFailure. */
  estimate(): Promise<Estimate> {
    if (this.#last === null || this.#provider.steady() >= this.#cachedUntil) {
      this.#cachedUntil = Infinity;
      this.#last = this.#ask();
    }
    return this.#last;
  }

  async #ask(): Promise<Estimate> {
    const { chainId, now, steady } = this.#provider;
    try {
      if (!this.#isChainConfirmed) checkChain(await this.#answer(CHAIN_REQUEST), chainId);
      this.#isChainConfirmed = true;
      return { fees: readFees(await this.#answer(FEE_REQUEST)), time: now() };
    } catch (error) {
      throw error instanceof UpstreamFailure ? error : new UpstreamFailure('the answer cannot be read');
    } finally {
      this.#cachedUntil = steady() + CACHE_MS;
    }
  }

  #answer(body: object): Promise<unknown> {
    const { url, stop } = this.#provider;
    return askUpstream({ url, body, withinMs: TIMEOUT_MS, maxBytes: MAX_BYTES, stop });
  }
}
