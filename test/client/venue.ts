// A real venue for the client's tests, and clients of it. It has the feed `sim` and its own folder, which is removed after the test.

import assert from 'node:assert/strict';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { connect, createPrivateKey, privateKeySigner, roundPrice, type ConnectOptions, type Strikebook } from '../../client/src/main.ts';
import { temporaryFolder, type Ends } from '../support/temporary.ts';

export const ADMIN_TOKEN = 'token-of-the-tests-of-the-client';

export async function startVenue(t: Ends, data = temporaryFolder(t), port?: number): Promise<VenueProcess> {
  const flags = ['--feed', 'sim', '--rate-limits', 'off', '--admin-token', ADMIN_TOKEN];
  const venue = await VenueProcess.start({ data, flags, ...(port !== undefined && { port }) });
  t.after(() => venue.kill());
  await venue.ready(120_000);
  return venue;
}

/** Done by the operator. */
export async function setTier(url: string, wallet: string, tier: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/user-tier`, { method: 'POST', headers, body: JSON.stringify({ wallet, tier }) });
  assert.equal(answer.status, 200, await answer.text());
}

/** A client with a wallet of its own. */
export function trader(url: string, options: ConnectOptions = {}): Promise<Strikebook> {
  return connect(url, { signer: privateKeySigner(createPrivateKey()), ...options });
}

/** The call nearest the money of the last expiry, whose mark is far from nothing, and prices around it. */
export async function option(client: Strikebook): Promise<{ symbol: string; low: string; middle: string; high: string }> {
  const { data } = await client.get('/markets', { include_instruments: false });
  const markets = data.filter(({ underlying }) => underlying === 'BTC');
  const { expiry, index_price: index } = markets.reduce((a, b) => (a.expiry > b.expiry ? a : b));
  const instruments = await client.get('/instruments', { currency: 'BTC' });
  const calls = instruments.filter((one) => one.option_type === 'call' && one.expiration_timestamp === expiry * 1_000);
  const distance = ({ strike }: { strike: number }): number => Math.abs(strike - Number(index));
  const { instrument_name: symbol } = calls.reduce((a, b) => (distance(a) <= distance(b) ? a : b));
  const { mark_price: mark } = await client.get('/orderbook', { instrument_name: symbol });
  return { symbol, low: roundPrice(mark * 0.9, 'down'), middle: roundPrice(mark, 'near'), high: roundPrice(mark * 1.1, 'up') };
}
