// The demo's makers and takers, each with its own wallet, against any venue. Refusals are reported once and tried again; any other error
// ends the market.

import { connect, Operator, privateKeySigner, StrikebookError, type Strikebook } from '../src/main.ts';
import { Maker, type Tally } from './maker.ts';
import { Prices } from './prices.ts';
import { Taker } from './taker.ts';

const CHAINS = [{ underlying: 'BTC', size: 1.5 }, { underlying: 'ETH', size: 20 }];
const EDGES = [1, 1.6];
const TAKERS = 2;
const TIER = 'market_maker';
/** USDC beside the balance of a new account. */
const CREDIT = '90000000';
/** Without the tier, a maker has the caps and rates of a new wallet. */
const [QUOTE_MS, SLOW_QUOTE_MS] = [1_000, 5_000];
const [CONTRACTS, FEW_CONTRACTS] = [950, 24];
const LOOK_MS = 15_000;
/** Least and most between two orders: within the rate of any wallet. */
const TRADE_MS = [1_500, 5_000] as const;
/** Quotes stay that long without a connection. */
const GRACE_MS = 5_000;
const [RETRY_MS, LONGEST_RETRY_MS] = [500, 15_000];

type DemoOptions = {
  readonly url: string;
  /** Null if the venue is somebody else's. */
  readonly token: string | null;
  readonly keyOf: (name: string) => string;
  readonly say: (text: string) => void;
};

export class DemoMarket {
  readonly makers: Maker[] = [];
  readonly takers: Taker[] = [];
  readonly tally: Tally = { placed: 0, quoted: 0, refused: 0, trades: 0, lastRefusal: '' };
  readonly #options: DemoOptions;
  readonly #loops: Promise<void>[] = [];
  readonly #ending = new AbortController();
  #hasTier = true;

  constructor(options: DemoOptions) {
    this.#options = options;
  }

  /** Resolves when every wallet is there and trades. */
  async open(): Promise<void> {
    const { url, token, say } = this.#options;
    const reader = await this.#patient('connect', () => connect(url));
    const operator = token === null ? null : new Operator(url, token);
    for (const { underlying, size } of CHAINS) {
      const prices = new Prices(reader, underlying);
      const makers: Maker[] = [];
      for (const [at, edge] of EDGES.entries()) {
        makers.push(await this.#maker(operator, `maker ${underlying} ${at}`, { prices, size, edge }));
      }
      this.#quoteBy(prices, makers);
      for (let at = 0; at < TAKERS; at++) {
        const venue = await this.#connect(`taker ${underlying} ${at}`);
        const taker = new Taker(venue, prices, size / 5, this.tally);
        this.takers.push(taker);
        this.#loop(() => TRADE_MS[0] + Math.random() * (TRADE_MS[1] - TRADE_MS[0]), () => taker.trade());
      }
    }
    const tier = this.#hasTier ? `tier ${TIER}` : 'without an admin token their tier stays, so that they quote a few contracts only';
    const [makers, takers] = [this.makers.length, this.takers.length];
    say(`${makers} makers (${tier}) and ${takers} takers trade ${CHAINS.map(({ underlying }) => underlying).join(' and ')}`);
  }

  /** Settles when the market is closed; rejects when it failed. */
  get ended(): Promise<unknown> {
    return Promise.all(this.#loops);
  }

  /** The venue cancels the quotes once the connections are gone. */
  close(): void {
    this.#ending.abort();
    for (const { socket } of this.makers) socket.close();
  }

  #connect(name: string): Promise<Strikebook> {
    const { url, keyOf } = this.#options;
    return this.#patient('connect', () => connect(url, { signer: privateKeySigner(keyOf(name)) }));
  }

  async #maker(operator: Operator | null, name: string, terms: { prices: Prices; size: number; edge: number }): Promise<Maker> {
    const venue = await this.#connect(name);
    const { wallet } = venue;
    if (operator !== null) {
      await this.#patient(name, () => operator.act('POST /user-tier', { wallet, tier: TIER }));
      const credit = { wallet, amount: CREDIT, reason: 'demo', id: `demo-${wallet.slice(2, 26)}` };
      await this.#patient(name, () => operator.act('POST /admin/credit', credit));
    }
    const { data } = await this.#patient(name, () => venue.get('/user-tier', { wallet }));
    this.#hasTier &&= data.tier === TIER;
    const maker = new Maker(venue, { ...terms, most: data.tier === TIER ? CONTRACTS : FEW_CONTRACTS }, this.tally);
    this.makers.push(maker);
    await this.#patient(name, () => maker.socket.setCancelOnDisconnect({ enabled: true, grace_ms: GRACE_MS }));
    await this.#patient(name, () => this.#usePortfolioMargin(venue));
    await this.#patient(name, () => maker.watchFills());
    return maker;
  }

  async #usePortfolioMargin(venue: Strikebook): Promise<void> {
    const { margin_mode: mode } = await venue.get('/portfolio', { wallet: venue.wallet });
    if (mode !== 'portfolio') await venue.setMarginMode('portfolio').catch((error: unknown) => this.#note(error));
  }

  #quoteBy(prices: Prices, makers: readonly Maker[]): void {
    let lookAt = 0;
    this.#loop(() => (this.#hasTier ? QUOTE_MS : SLOW_QUOTE_MS), async () => {
      await prices.readIndex();
      if (Date.now() >= lookAt && prices.index > 0) {
        await prices.readContracts();
        lookAt = Date.now() + LOOK_MS;
      }
      // The trouble of one maker is not that of the others.
      const done = await Promise.allSettled(makers.map((maker) => maker.quote()));
      for (const one of done) if (one.status === 'rejected') throw one.reason;
    });
  }

  /** Until the market is closed; a refusal waits longer each time. */
  #loop(everyMs: () => number, step: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      for (let refusals = 0; !this.#ending.signal.aborted;) {
        const started = Date.now();
        try {
          await step();
          refusals = 0;
        } catch (error) {
          this.#note(error);
          refusals++;
        }
        const wait = everyMs() - (Date.now() - started);
        await this.#sleep(refusals === 0 ? wait : Math.min(RETRY_MS * 2 ** refusals, LONGEST_RETRY_MS));
      }
    };
    const loop = run();
    // Kept for `ended`, even if nobody waits yet.
    loop.catch(() => undefined);
    this.#loops.push(loop);
  }

  /** Until it succeeds, the market is closed, or the token is wrong. */
  async #patient<T>(what: string, act: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await act();
      } catch (error) {
        const isForbidden = error instanceof StrikebookError && error.code === 'unauthorized';
        if (this.#ending.signal.aborted || isForbidden) throw error;
        this.#note(error);
        if (tries === 1) this.#options.say(`${what}: ${this.tally.lastRefusal}; it is tried again`);
        await this.#sleep(Math.min(RETRY_MS * 2 ** tries, LONGEST_RETRY_MS));
      }
    }
  }

  #note(error: unknown): void {
    if (this.#ending.signal.aborted) return;
    if (!(error instanceof StrikebookError)) throw error;
    this.tally.refused++;
    this.tally.lastRefusal = error.message;
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#ending;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, ms));
      signal.addEventListener('abort', end);
    });
  }
}
