// Sends the signed requests of the traders, counts requests and replies, and tracks the venue's time. Every request must get a reply: a
// missing one, or a fault of the venue, ends the day with its error. Refusals are replies. Times are venue time in ms unless called real.

import { setTimeout as sleep } from 'node:timers/promises';
import type { MmpTerms, OrderTerms } from '../../client/src/forms.ts';
import type { Answer, Http, OrderUpdate, Request, RequestSigner, Wallet } from '../client.ts';

/** Attempts for a request that gets "busy" and for one without a reply in time, and the real pause between attempts. */
const TRIES = 100;
const UNKNOWN_TRIES = 3;
const RETRY_MS = 20;

/** The part of an /orderbook reply that the traders use. */
type Book = {
  readonly bids: readonly (readonly [number, number])[]; readonly asks: readonly (readonly [number, number])[];
  readonly index_price: number; readonly mark_price: number;
};

/** A trader: `signer` is the wallet itself or its agent. */
export type Actor = { readonly name: string; readonly wallet: Wallet; readonly signer: Wallet };

export type DayClock = {
  now(): number;
  /** Time of a reply. */
  observe(timestamp: number): void;
  /** Waits for at least one turn of the event loop. */
  sleep(ms: number): Promise<void>;
  /** Called when a reply has come. */
  look(): void;
};

/**
 * Of a venue whose time stands still until everybody sleeps. Then it steps to the next who wakes. So what is done in a day does not
 * depend on the machine.
 */
export class StepClock implements DayClock {
  #time: number;
  readonly #grain: number;
  readonly #step: (to: number) => Promise<void>;
  readonly #isIdle: () => boolean;
  #isLooking = false;
  #asleep: { readonly at: number; readonly wake: (error?: unknown) => void }[] = [];

  /** Everybody wakes at multiples of `grain` ms only. `isIdle`: nobody waits for a reply. */
  constructor(start: number, grain: number, step: (to: number) => Promise<void>, isIdle: () => boolean) {
    this.#time = start;
    this.#grain = grain;
    this.#step = step;
    this.#isIdle = isIdle;
  }

  now(): number {
    return this.#time;
  }

  observe(): void {
    // It moves by steps only.
  }

  sleep(ms: number): Promise<void> {
    const at = Math.ceil((this.#time + Math.max(1, ms)) / this.#grain) * this.#grain;
    return new Promise((resolve, reject) => {
      this.#asleep.push({ at, wake: (error) => (error === undefined ? resolve() : reject(error)) });
      this.look();
    });
  }

  look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // Whoever goes on has sent a request by then, or sleeps.
    setImmediate(() => {
      this.#isLooking = false;
      if (this.#isIdle() && this.#asleep.length > 0) void this.#wakeNext();
    });
  }

  async #wakeNext(): Promise<void> {
    const at = Math.min(...this.#asleep.map((one) => one.at));
    let failure: unknown;
    await this.#step(at).catch((error: unknown) => { failure = error; });
    this.#time = at;
    const isDue = (one: { readonly at: number }): boolean => failure !== undefined || one.at <= at;
    const woken = this.#asleep.filter(isDue);
    this.#asleep = this.#asleep.filter((one) => !isDue(one));
    for (const { wake } of woken) wake(failure);
  }
}

/** The venue's time, from the times in its replies: never ahead, and behind by less than a round trip. */
export class VenueClock implements DayClock {
  readonly speed: number;
  #offset: number;

  constructor(start: number, speed: number) {
    this.speed = speed;
    this.#offset = start - performance.now() * speed;
  }

  observe(timestamp: number): void {
    this.#offset = Math.max(this.#offset, timestamp - performance.now() * this.speed);
  }

  now(): number {
    return this.#offset + performance.now() * this.speed;
  }

  async sleep(ms: number): Promise<void> {
    await sleep(Math.max(1, ms / this.speed));
  }

  look(): void {
    // It runs by itself.
  }
}

export class Desk {
  readonly http: Http;
  readonly signer: RequestSigner;
  readonly clock: DayClock;
  readonly #token: string;
  /** Numbers of requests and replies by kind. */
  readonly sent = new Map<string, number>();
  readonly refused = new Map<string, number>();
  accepted = 0;
  answered = 0;
  readonly #broke = new Set<string>();
  #waiting = 0;

  constructor(http: Http, signer: RequestSigner, clock: DayClock, token: string) {
    this.http = http;
    this.signer = signer;
    this.clock = clock;
    this.#token = token;
  }

  async book(symbol: string): Promise<Book> {
    return await this.read(`/orderbook?instrument_name=${symbol}&depth=1`) as Book;
  }

  /** The body of a read, which must be there. */
  async read(path: string): Promise<unknown> {
    const { status, body, text } = await this.#send('read', { method: 'GET', path });
    if (status !== 200) throw new Error(`${path} answers ${status} ${text.slice(0, 200)}`);
    return body;
  }

  /** True if the wallet was refused for lack of funds: it was taken over. */
  isBroke({ wallet }: Actor): boolean {
    return this.#broke.has(wallet.address);
  }

  async place({ wallet, signer }: Actor, terms: OrderTerms): Promise<OrderUpdate | null> {
    return this.#order('order', this.signer.placeOrder(wallet, terms, signer));
  }

  async replace({ wallet, signer }: Actor, orderId: number, terms: OrderTerms): Promise<OrderUpdate | null> {
    return this.#order('replace', this.signer.replaceOrder(wallet, orderId, terms, signer));
  }

  async cancel({ wallet, signer }: Actor, orderId: number): Promise<void> {
    const answer = await this.#send('cancel', this.signer.cancel(wallet, orderId, signer));
    const update = answer.body as OrderUpdate;
    if (answer.status !== 200 || update.status !== 'CANCELED') this.#refuse('cancel', answer);
  }

  approve({ wallet, signer }: Actor): Promise<void> {
    return this.#must('agent', this.signer.approveAgent(wallet, signer.address));
  }

  setMode({ wallet }: Actor, mode: 'standard' | 'portfolio'): Promise<void> {
    return this.#must('margin mode', this.signer.setMarginMode(wallet, mode));
  }

  protect({ wallet }: Actor, terms: MmpTerms): Promise<void> {
    return this.#must('protection', this.signer.setMmp(wallet, terms));
  }

  resetProtection({ wallet }: Actor, currency: string): Promise<void> {
    return this.#must('reset', this.signer.resetMmp(wallet, currency));
  }

  setIndex(underlying: string, price: string): Promise<void> {
    return this.#must('index price', this.#admin('/admin/index-price', { underlying, price }));
  }

  /** To a time of a venue whose clock moves by steps. */
  stepClock(to: number): Promise<void> {
    return this.#must('clock', this.#admin('/admin/clock', { to_ms: to }));
  }

  /** Nobody waits for a reply. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  raise({ wallet }: Actor): Promise<void> {
    return this.#must('tier', this.#admin('/user-tier', { wallet: wallet.address, tier: 'market_maker' }));
  }

  #admin(path: string, body: object): Request {
    return { method: 'POST', path, body: JSON.stringify(body), headers: { authorization: `Bearer ${this.#token}` } };
  }

  /** An accepted order, or null for a refused one. */
  async #order(what: string, request: Request): Promise<OrderUpdate | null> {
    const answer = await this.#send(what, request);
    const update = answer.body as OrderUpdate;
    if (answer.status === 200) this.clock.observe(update.timestamp);
    if (answer.status === 200 && update.status === 'ACKED') {
      this.accepted++;
      return update;
    }
    this.#refuse(what, answer);
    if (update.reason?.startsWith('Account has no funds') === true) this.#broke.add(update.wallet_address);
    return null;
  }

  async #must(what: string, request: Request): Promise<void> {
    const { status, text } = await this.#send(what, request);
    if (status !== 200) throw new Error(`${what}: ${request.path} answers ${status} ${text.slice(0, 200)}`);
  }

  /**
   * Sends the same bytes again if the venue had no room, or did not know the outcome in time. A signed request acts
   * once, by its nonce; an operator's setting may be made twice.
   */
  async #send(what: string, request: Request): Promise<Answer> {
    this.#waiting++;
    try {
      return await this.#insist(what, request);
    } finally {
      this.#waiting--;
      this.clock.look();
    }
  }

  async #insist(what: string, request: Request): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      this.sent.set(what, (this.sent.get(what) ?? 0) + 1);
      const answer = await this.http.send(request);
      this.answered++;
      if (answer.status < 500) return answer;
      const most = answer.status === 503 ? TRIES : answer.text.includes('No answer in time') ? UNKNOWN_TRIES : 1;
      if (tries >= most) {
        throw new Error(`${what}: ${request.path} answers ${answer.status} ${answer.text.slice(0, 200)}`);
      }
      this.#refuse(what, answer);
      await sleep(RETRY_MS);
    }
  }

  #refuse(what: string, { status, body, text }: Answer): void {
    const said = (body as { reason?: string; message?: string } | null)?.reason ?? (body as { message?: string } | null)?.message ?? text;
    const key = `${what}: ${status === 200 ? '' : `${status} `}${said.replace(/\d[\d.,]*/g, '#')}`;
    this.refused.set(key, (this.refused.get(key) ?? 0) + 1);
  }
}
