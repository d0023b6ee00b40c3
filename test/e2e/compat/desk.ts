// A venue that calls itself Hypercall, and traders that use only the published client: they sign with ethers what its builders give, and
// send it with its clients. The venue's clock starts ten minutes before an expiry, too late for its own settlement price, and hardly
// moves; at the expiry it runs sixty times as fast.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExchangeClient, HttpTransport, InfoClient } from '@hypercallxyz/sdk';
import * as signing from '@hypercallxyz/sdk/signing';
import { Wallet, type TypedDataField } from 'ethers';
import { VenueProcess } from '../../../scripts/venue-process.ts';

const START = '2026-01-05T07:50:00Z';
const EXPIRY = '2026-01-05T08:00:00Z';
const CHAIN = 998;
const TOKEN = 'a-token-of-the-tests-only';
const WITHIN_MS = 60_000;
/** The option that expires ten minutes after the start, and one that stays. */
export const DAILY = 'BTC-20260105-100000-C';
export const DAILY_EXPIRY = '2026-01-05';
export const LONG = 'BTC-20260327-100000-C';

export type Clients = { readonly info: InfoClient; readonly exchange: ExchangeClient };
type Terms = {
  readonly symbol?: string; readonly side?: 'Buy' | 'Sell'; readonly size?: string; readonly price?: string;
  readonly tif?: 'gtc' | 'ioc' | 'fok'; readonly clientId?: string;
};

let lastNonce = 0;

/** One who trades: its requests as the client's methods take them. */
export class Trader {
  readonly wallet = new Wallet(`0x${(0x5eed + lastNonce++).toString(16).padStart(64, '0')}`);
  readonly address: `0x${string}` = this.wallet.address.toLowerCase() as `0x${string}`;

  async #signed<T extends { readonly nonce: bigint }>(types: object, value: T): Promise<{ nonce: number; signature: string }> {
    const fields = types as Record<string, TypedDataField[]>;
    const signature = await this.wallet.signTypedData(signing.createHypercallDomain(CHAIN), fields, value);
    return { nonce: Number(value.nonce), signature };
  }

  async order(terms: Terms = {}) {
    const value = signing.buildPlaceOrderValue({ ...this.#terms(terms), route: 'best_execution', nonce: ++lastNonce });
    return { ...signing.toOrderRequestPayload(value), ...await this.#signed(signing.PLACE_ORDER_TYPES, value) };
  }

  async reduceOnlyOrder(terms: Terms = {}) {
    const value = signing.buildPlaceOrderReduceOnlyValue({ ...this.#terms(terms), route: 'book_only', nonce: ++lastNonce });
    return { ...signing.toOrderReduceOnlyRequestPayload(value), ...await this.#signed(signing.PLACE_ORDER_REDUCE_ONLY_TYPES, value) };
  }

  async replacement(orderId: number, terms: Terms = {}) {
    const value = signing.buildReplaceOrderValue({ ...this.#terms(terms), orderId: String(orderId), nonce: ++lastNonce });
    return { ...signing.toReplaceOrderRequestPayload(value), ...await this.#signed(signing.REPLACE_ORDER_TYPES, value) };
  }

  async reduceOnlyReplacement(orderId: number, terms: Terms = {}) {
    const value = signing.buildReplaceOrderReduceOnlyValue({ ...this.#terms(terms), orderId: String(orderId), nonce: ++lastNonce });
    const payload = signing.toReplaceOrderReduceOnlyRequestPayload(value);
    return { ...payload, ...await this.#signed(signing.REPLACE_ORDER_REDUCE_ONLY_TYPES, value) };
  }

  async cancel(orderId: number) {
    const value = signing.buildCancelOrderValue({ wallet: this.address, orderId: String(orderId), nonce: ++lastNonce });
    return { wallet: this.address, order_id: orderId, ...await this.#signed(signing.CANCEL_ORDER_TYPES, value) };
  }

  async cancelByClientId(clientId: string) {
    const value = signing.buildCancelOrderByClientIdValue({ wallet: this.address, clientId, nonce: ++lastNonce });
    return { wallet: this.address, client_id: clientId, ...await this.#signed(signing.CANCEL_ORDER_BY_CLOID_TYPES, value) };
  }

  async approval(agent: `0x${string}`) {
    return { agent, ...await this.#signed(signing.APPROVE_AGENT_TYPES, signing.buildApproveAgentValue(agent, ++lastNonce)) };
  }

  async revocation(agent: `0x${string}`) {
    return { agent, ...await this.#signed(signing.REVOKE_AGENT_TYPES, signing.buildRevokeAgentValue(agent, ++lastNonce)) };
  }

  async revocationOfAll() {
    return this.#signed(signing.REVOKE_ALL_AGENTS_TYPES, signing.buildRevokeAllAgentsValue(++lastNonce));
  }

  async marginMode(mode: 'standard' | 'portfolio') {
    const value = signing.buildSetMarginModeValue({ wallet: this.address, marginMode: mode, nonce: ++lastNonce });
    return { wallet: this.address, margin_mode: mode, ...await this.#signed(signing.SET_MARGIN_MODE_TYPES, value) };
  }

  async seen(ids: readonly number[]) {
    const value = signing.buildSetSettlementPayoutSeenValue({ wallet: this.address, ids, nonce: ++lastNonce });
    return { wallet: this.address, ids: [...ids], ...await this.#signed(signing.SET_SETTLEMENT_PAYOUT_SEEN_TYPES, value) };
  }

  #terms({ symbol = LONG, side = 'Buy', size = '1', price = '100', tif = 'gtc', clientId = '' }: Terms) {
    return { wallet: this.address, symbol, side, size, price, tif, clientId };
  }
}

function startAt(folder: string, time: string, speed: number): Promise<VenueProcess> {
  // Marks and a look at every account each second would be most of what a venue does at sixty times the speed.
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, '{ "mark_interval": "20 s", "liquidation_interval": "20 s" }');
  const flags = ['--service-name', 'Hypercall', '--feed', 'manual', '--clock-start', time, '--clock-speed', String(speed),
    '--rate-limits', 'off', '--admin-token', TOKEN, '--settings', settings];
  return VenueProcess.start({ data: join(folder, 'data'), flags });
}

/** Owns the venue; its folder goes with the process. */
export class Desk {
  readonly maker = new Trader();
  /** Its margin is by scenarios. */
  readonly taker = new Trader();
  readonly writer = new Trader();
  #venue: VenueProcess;
  readonly #folder: string;

  private constructor(venue: VenueProcess, folder: string) {
    this.#venue = venue;
    this.#folder = folder;
  }

  static async open(): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'strikebook-compat-'));
    const desk = new Desk(await startAt(folder, START, 0.1), folder);
    // A run that is broken off leaves nothing either; the venue is ended before, by its own handler.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    await desk.#venue.ready();
    for (const [underlying, price] of [['BTC', '100000'], ['ETH', '3000']] as const) {
      assert.equal(await desk.administer('/admin/index-price', { underlying, price }), 200);
      assert.equal(await desk.administer('/admin/vol-surface', { underlying, atm_vol: '0.5' }), 200);
    }
    const { info } = desk.clients('/compat');
    const isListed = async (): Promise<boolean> => {
      const { result = [] } = await info.instruments({ currency: 'BTC' });
      return result.some(({ instrument_name: name }) => name === LONG);
    };
    await eventually('listed', isListed);
    return desk;
  }

  /** Stops the venue and starts it again at the expiry: whatever came before had all the time it took. */
  async leap(): Promise<void> {
    await this.#venue.stop();
    this.#venue = await startAt(this.#folder, EXPIRY, 60);
    await this.#venue.ready();
  }

  /** `prefix` is '' or '/compat'. */
  clients(prefix: string): Clients {
    const transport = new HttpTransport({ apiUrl: this.#venue.url + prefix });
    return { info: new InfoClient({ transport }), exchange: new ExchangeClient({ transport }) };
  }

  /** The status of the answer. */
  async administer(path: string, body: object): Promise<number> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(this.#venue.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    return answer.status;
  }

  async close(): Promise<void> {
    await this.#venue.stop();
  }
}

/** Asks until the answer is yes; a venue that never says so fails the test. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const until = performance.now() + WITHIN_MS; performance.now() < until; await sleep(50)) {
    if (await isSo()) return;
  }
  assert.fail(`not ${what} within ${WITHIN_MS} ms`);
}
