// Two clients that trade normally while the venue is fuzzed: one offers, the other takes, both read. Every order must be accepted and
// filled, and at the end the books match what the two know. Throws at the first error.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderTerms } from '../../../client/src/forms.ts';
import { createWallet, type Http, type OrderUpdate, type RequestSigner, type Wallet } from '../../../scripts/client.ts';

const SYMBOL = 'ETH-PERP';
const SIZE = 0.01;

export class Monitor {
  rounds = 0;
  readonly #http: Http;
  readonly #signer: RequestSigner;
  readonly #maker = createWallet();
  readonly #taker = createWallet();
  /** Contracts the taker holds. */
  #held = 0;

  constructor(http: Http, signer: RequestSigner) {
    this.#http = http;
    this.#signer = signer;
  }

  /** Trades until `until`, ms of performance.now. */
  async run(until: number): Promise<void> {
    while (performance.now() < until) {
      await this.#round();
      await sleep(20);
    }
    await this.#compare();
  }

  async #round(): Promise<void> {
    const isBuy = this.rounds % 3 !== 0;
    const [offer, take] = isBuy ? ['Sell', 'Buy'] as const : ['Buy', 'Sell'] as const;
    const terms = { symbol: SYMBOL, size: String(SIZE), price: String(3_000 + this.rounds % 7) };
    const resting = await this.#order(this.#maker, { ...terms, side: offer });
    assert.equal(resting.filled_size, 0, 'the offer rests');
    const taken = await this.#order(this.#taker, { ...terms, side: take, tif: 'ioc' });
    assert.equal(taken.filled_size, SIZE, 'the offer is taken');
    this.#held += isBuy ? SIZE : -SIZE;
    const unwanted = await this.#order(this.#maker, { ...terms, side: 'Buy', price: '2000' });
    const { status, body, text } = await this.#http.send(this.#signer.cancel(this.#maker, unwanted.order_id!));
    assert.deepEqual([status, (body as OrderUpdate).status], [200, 'CANCELED'], text);
    this.rounds++;
    if (this.rounds % 20 === 0) await this.#compare();
  }

  async #order(wallet: Wallet, terms: OrderTerms): Promise<OrderUpdate> {
    const { status, body, text } = await this.#http.send(this.#signer.placeOrder(wallet, terms));
    assert.deepEqual([status, (body as OrderUpdate).status], [200, 'ACKED'], text);
    return body as OrderUpdate;
  }

  /** What the venue says the two hold, and that nothing of theirs is left open. */
  async #compare(): Promise<void> {
    for (const [wallet, sign] of [[this.#taker, 1], [this.#maker, -1]] as const) {
      const { body, text } = await this.#http.get(`/portfolio?wallet=${wallet.address}`);
      const { positions } = body as { readonly positions: readonly { readonly symbol: string; readonly amount: string }[] };
      const amount = Number(positions.find(({ symbol }) => symbol === SYMBOL)?.amount ?? 0);
      assert.ok(Math.abs(amount - sign * this.#held) < 1e-9, `${amount} instead of ${sign * this.#held}: ${text}`);
      const open = (await this.#http.get(`/orders?wallet=${wallet.address}&status=open`)).body as { readonly data: readonly unknown[] };
      assert.deepEqual(open.data, []);
    }
  }
}
