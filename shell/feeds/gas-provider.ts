// Fee estimates of one chain: asked of its node when somebody wants to know, kept for a moment, and asked once however many
// want to know at the same time. A failure is kept as long, so that a node in trouble is left alone. Before its first
// fees are believed, the node has to say that it is of this chain. Times ms.

import { askUpstream, UpstreamFailure } from './upstream.ts';
import { CHAIN_REQUEST, checkChain, FEE_REQUEST, readFees, type Fees } from './gas-fees.ts';

export const KEPT_MS = 3_000;
export const WITHIN_MS = 3_000;
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
  /** Infinity while an answer is on its way. */
  #keptUntil = 0;
  #isOfChain = false;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** `time`: when the node said so. Rejects with UpstreamFailure. */
  estimate(): Promise<Estimate> {
    if (this.#last === null || this.#provider.steady() >= this.#keptUntil) {
      this.#keptUntil = Infinity;
      this.#last = this.#ask();
    }
    return this.#last;
  }

  async #ask(): Promise<Estimate> {
    const { chainId, now, steady } = this.#provider;
    try {
      if (!this.#isOfChain) checkChain(await this.#answer(CHAIN_REQUEST), chainId);
      this.#isOfChain = true;
      return { fees: readFees(await this.#answer(FEE_REQUEST)), time: now() };
    } catch (error) {
      throw error instanceof UpstreamFailure ? error : new UpstreamFailure('the answer cannot be read');
    } finally {
      this.#keptUntil = steady() + KEPT_MS;
    }
  }

  #answer(body: object): Promise<unknown> {
    const { url, stop } = this.#provider;
    return askUpstream({ url, body, withinMs: WITHIN_MS, maxBytes: MAX_BYTES, stop });
  }
}
