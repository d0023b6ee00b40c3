// A real venue for tests of the REST interface: one process, with its clock at the start of a minute, so that no window ends while a test
// counts.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createWallet, Http, signerFor, type Answer, type Request, type RequestSigner, type Wallet } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';

export const TOKEN = 'a-token-of-the-rest-tests';
const ADMIN = { authorization: `Bearer ${TOKEN}` };

export type Body = Record<string, any>;

/** Owns the process and its folder. */
export class RestVenue {
  readonly http: Http;
  readonly sign: RequestSigner;
  readonly #process: VenueProcess;
  readonly #folder: string;
  readonly #flags: readonly string[];

  private constructor(process: VenueProcess, folder: string, flags: readonly string[], http: Http, sign: RequestSigner) {
    this.#process = process;
    this.#folder = folder;
    this.#flags = flags;
    this.http = http;
    this.sign = sign;
  }

  /** `table`: rows that replace those of the law's; without it nothing is rated. */
  static async start(table: object | null = null, flags: readonly string[] = []): Promise<RestVenue> {
    const folder = mkdtempSync(join(tmpdir(), 'strikebook-rest-'));
    const limits = join(folder, 'limits.json');
    if (table !== null) writeFileSync(limits, JSON.stringify(table));
    return RestVenue.#open(folder, [
      '--feed', 'manual', '--clock-start', '2026-01-05T00:00:00Z', '--admin-token', TOKEN, '--workers', '1',
      '--rate-limits', table === null ? 'off' : limits, ...flags,
    ]);
  }

  static async #open(folder: string, flags: readonly string[]): Promise<RestVenue> {
    const process = await VenueProcess.start({ data: join(folder, 'data'), flags });
    await process.ready().catch(async (error: unknown) => {
      await process.kill();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    });
    const http = new Http(process.url);
    const venue = new RestVenue(process, folder, flags, http, await signerFor(http));
    for (const [underlying, price] of [['BTC', '100000'], ['ETH', '4000']]) {
      await venue.admin('POST', '/admin/index-price', { underlying, price });
    }
    return venue;
  }

  /** The same venue at a later time: stopped, and started again with its clock there; `between` is given the data folder meanwhile. */
  async at(time: string, between?: (data: string) => void): Promise<RestVenue> {
    this.http.close();
    await this.#process.stop();
    between?.(join(this.#folder, 'data'));
    return RestVenue.#open(this.#folder, [...this.#flags, '--clock-start', time]);
  }

  get url(): string {
    return this.#process.url;
  }

  async send(request: Request): Promise<Answer & { body: Body }> {
    return await this.http.send(request) as Answer & { body: Body };
  }

  async get(path: string): Promise<Answer & { body: Body }> {
    return await this.http.get(path) as Answer & { body: Body };
  }

  admin(method: string, path: string, body: object, headers: Record<string, string> = ADMIN): Promise<Answer & { body: Body }> {
    return this.send({ method, path, body: JSON.stringify(body), headers });
  }

  /** A new wallet with an account; `symbol` is any listed one. */
  async opened(symbol: string): Promise<Wallet> {
    const wallet = createWallet();
    await this.send(this.sign.placeOrder(wallet, { symbol, side: 'Buy', size: '1', price: '1', tif: 'ioc' }));
    return wallet;
  }

  async symbols(currency = 'BTC'): Promise<string[]> {
    const { body } = await this.get(`/instruments?currency=${currency}`);
    return (body as unknown as { instrument_name: string }[]).map(({ instrument_name: name }) => name);
  }

  async stop(): Promise<void> {
    this.http.close();
    await this.#process.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The connections to a venue with these flags, which is gone when the test is over. */
export async function venueOf(t: TestContext, flags: readonly string[]): Promise<Http> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-rest-'));
  const venue = await VenueProcess.start({ data: join(folder, 'data'), flags: ['--workers', '1', ...flags] });
  t.after(async () => {
    await venue.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await venue.ready();
  const http = new Http(venue.url);
  t.after(() => http.close());
  return http;
}
