// A venue process for the probes: the operator's index prices, the law's rate limits but small caps for one tier, and a clock that starts
// shortly before an expiry. Code that shares nothing with the venue builds and signs the requests.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import * as requests from '../../shell/api/requests.ts';
import { ethersSigner, type Signer } from '../../shell/api/wallets.ts';

export const TOKEN = 'a-token-of-the-tests-only';
/** Caps of the tier `tier2`; its budgets and the other tiers are the law's. */
export const CAPS = { openOrders: 1, positions: 1 } as const;
/** Listed with one strike for all probes: one expires a few seconds after the start. */
export const DAILY = 'BTC-20260105-100000-C';
export const NEXT = 'BTC-20260106-100000-C';
export const LONG = 'BTC-20260327-100000-C';
const EXPIRY = '2026-01-05T08:00:00Z';
const WITHIN_MS = 60_000;
let lastSeed = 5_000;

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any; readonly text: string };

type Options = {
  readonly start: string; readonly speed?: number;
  /** Of the tier `tier2`; without it CAPS. */
  readonly caps?: Partial<typeof CAPS>;
  readonly flags?: readonly string[];
};

/** A wallet that nobody has used. */
export function someone(): Signer {
  return ethersSigner(++lastSeed);
}

/** Owns the venue; its folder goes with the process. */
export class Desk {
  #venue: VenueProcess;
  readonly #data: string;
  readonly #flags: readonly string[];

  private constructor(venue: VenueProcess, data: string, flags: readonly string[]) {
    this.#venue = venue;
    this.#data = data;
    this.#flags = flags;
  }

  static async open({ start, speed = 1, caps = CAPS, flags: more = [] }: Options): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'strikebook-conformance-'));
    const limits = join(folder, 'limits.json');
    writeFileSync(limits, JSON.stringify({ tier2: caps }));
    const settings = join(folder, 'settings.json');
    // Marks and a look at every account each second of a fast clock would be most of what the venue does.
    writeFileSync(settings, '{ "mark_interval": "20 s", "liquidation_interval": "20 s" }');
    const data = join(folder, 'data');
    const flags = [
      '--feed', 'manual', '--clock-start', start, '--clock-speed', String(speed), '--rate-limits', limits, '--admin-token', TOKEN,
      '--settings', settings, ...more,
    ];
    const venue = await VenueProcess.start({ data, flags });
    // A run that is broken off leaves nothing either; the venue is ended before, by its own handler.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const desk = new Desk(venue, data, flags);
    await venue.ready();
    await desk.administer('/admin/index-price', { underlying: 'BTC', price: '100000' });
    await desk.administer('/admin/vol-surface', { underlying: 'BTC', atm_vol: '0.5' });
    await desk.until(async () => (await desk.get(`/orderbook?instrument_name=${LONG}`)).status === 200);
    return desk;
  }

  get url(): string {
    return this.#venue.url;
  }

  /** Headers of the operator. */
  readonly admin = { authorization: `Bearer ${TOKEN}` };

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    const sent = isRaw ? body : JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    const response = await fetch(this.#venue.url + path, { method, headers, ...(sent === undefined ? {} : { body: sent as string }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  async administer(path: string, body: object): Promise<Answer> {
    const answer = await this.post(path, body, { authorization: `Bearer ${TOKEN}` });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** The id of an order that was taken. */
  async rest(signer: Signer, fields: Parameters<typeof requests.order>[1]): Promise<number> {
    const { body } = await this.post('/order', requests.order(signer, fields));
    if (body.status !== 'ACKED') throw new Error(`not taken: ${JSON.stringify(body)}`);
    return body.order_id;
  }

  /** Both trade with each other. */
  async trade(buyer: Signer, seller: Signer, { symbol = LONG, size = '1', price = '50' } = {}): Promise<void> {
    await this.rest(buyer, { symbol, side: 'Buy', size, price });
    await this.rest(seller, { symbol, side: 'Sell', size, price, tif: 'fok' });
  }

  async tier(signer: Signer, tier: string): Promise<void> {
    await this.rest(signer, { symbol: LONG, price: '1', tif: 'ioc' });
    await this.administer('/user-tier', { wallet: signer.address, tier });
  }

  /** Stops the venue and starts it again at the expiry of the day: whatever came before had all the time it took. */
  async leap(speed: number): Promise<void> {
    await this.#venue.stop();
    this.#venue = await VenueProcess.start({
      data: this.#data, flags: [...this.#flags, '--clock-start', EXPIRY, '--clock-speed', String(speed)],
    });
    await this.#venue.ready();
    await this.expired();
  }

  /** Waits until the option of the day has expired. */
  async expired(): Promise<void> {
    await this.until(async () => {
      const { body } = await this.get(`/orderbook?instrument_name=${LONG}`);
      return body.timestamp > Date.parse(EXPIRY);
    });
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(50)) {
      if (await isSo()) return;
    }
    throw new Error(`not within ${WITHIN_MS} ms`);
  }

  async close(): Promise<void> {
    await this.#venue.stop();
  }
}
