// A venue for the tests of the trading page: index prices set by hand, and one option with a bid and an ask.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { connect, createPrivateKey, privateKeySigner, roundPrice, type OrderBook, type Strikebook } from '../../client/src/main.ts';
import type { VenueProcess } from '../../scripts/venue-process.ts';
import { runningVenue } from '../support/running.ts';
import { lastFirst, temporaryFolder, type Ends } from '../support/temporary.ts';

export const ADMIN_TOKEN = 'token-of-the-tests-of-the-page';
export const INDEX = '100000';
const FLAGS = ['--feed', 'manual', '--rate-limits', 'off', '--workers', '1', '--admin-token', ADMIN_TOKEN];
const LOOK_EVERY_MS = 50;
/** No file of tests takes as long. */
const NEAR_MS = 600_000;

export type Market = {
  readonly venue: VenueProcess; readonly url: string; readonly data: string; readonly maker: Strikebook;
  /** The call of the first expiry at the index, and its book. */
  readonly symbol: string; readonly book: OrderBook;
};

/** `flags`: settings of the venue beyond those of all tests. */
export async function marketWithBook(t: Ends, flags: readonly string[] = []): Promise<Market> {
  const ends = lastFirst(t);
  const data = temporaryFolder(ends);
  const { venue } = await runningVenue(ends, { data, flags: [...FLAGS, ...flags] });
  const { url } = venue;
  for (const [underlying, price] of [['BTC', INDEX], ['ETH', '3500']]) await admin(url, '/admin/index-price', { underlying, price });
  const maker = await connect(url, { signer: privateKeySigner(createPrivateKey()) });
  const symbol = await firstCall(maker);
  const { mark_price: mark } = await maker.get('/orderbook', { instrument_name: symbol });
  const quote = { symbol, size: '0.5' };
  await maker.placeOrder({ ...quote, side: 'Buy', price: roundPrice(mark * 0.9, 'down') });
  await maker.placeOrder({ ...quote, side: 'Sell', price: roundPrice(mark * 1.1, 'up') });
  return { venue, url, data, maker, symbol, book: await maker.get('/orderbook', { instrument_name: symbol }) };
}

/** The same venue again, on its data and its port. */
export async function startAgain(t: Ends, { data, url }: Market): Promise<VenueProcess> {
  return (await runningVenue(lastFirst(t), { data, flags: FLAGS, port: Number(new URL(url).port) })).venue;
}

/** What the console says of a venue that is away. */
export const AWAY = /ERR_CONNECTION|ERR_EMPTY|WebSocket connection|Failed to load resource/;

/** As the page sees it, which is the same page before and after. `meanwhile`: before it is back. */
export async function killAndStartAgain(t: Ends, market: Market, page: Page, meanwhile = async (): Promise<void> => {}): Promise<void> {
  const away = page.locator('.banner').filter({ hasText: 'The venue has not answered since' });
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await market.venue.kill();
  await away.waitFor();
  await meanwhile();
  await startAgain(t, market);
  await away.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => (window as unknown as { readonly isSame?: boolean }).isSame), true);
}

/** A request of the operator. */
export async function admin(url: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.text());
}

/** A contract that expires soon would be gone during the test: then this waits until it is. */
async function firstCall(client: Strikebook): Promise<string> {
  for (;; await sleep(LOOK_EVERY_MS)) {
    const listed = await client.get('/instruments', { currency: 'BTC' });
    const atIndex = listed.filter((one) => one.option_type === 'call' && one.strike === Number(INDEX));
    const [first] = atIndex.sort((one, other) => one.expiration_timestamp - other.expiration_timestamp);
    if (first !== undefined && first.expiration_timestamp - Date.now() > NEAR_MS) return first.instrument_name;
  }
}
