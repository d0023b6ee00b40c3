// The scripts' own client against the whole api thread and the real core: each of its signed requests does what it says.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { createWallet, Http, RequestSigner, type OrderUpdate, type Request } from '../../../scripts/client.ts';
import { Harness } from './harness.ts';

const signer = new RequestSigner({
  chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'Strikebook',
  perp_assets: ['BTC', 'ETH'].map((underlying, asset) => ({ asset, symbol: `${underlying}-PERP`, underlying })),
});
const wallet = createWallet();
const agent = createWallet();

let venue: Harness;
let http: Http;
before(() => {
  venue = new Harness();
  http = new Http(venue.url, { connections: 1 });
});
after(() => {
  http.close();
  venue.close();
});

async function placed(request: Request): Promise<number> {
  const { status, body, text } = await http.send(request);
  const update = body as OrderUpdate;
  assert.deepEqual([status, update.status], [200, 'ACKED'], text);
  return update.order_id!;
}

async function done(request: Request): Promise<void> {
  const { status, text } = await http.send(request);
  assert.equal(status, 200, text);
}

test('orders in options and perps work, by the wallet and by its agent, and so do replaces', async () => {
  const [symbol] = venue.calls() as [string];
  const terms = { symbol, side: 'Buy', size: '0.1', price: '10' } as const;
  const perp = { ...terms, symbol: 'ETH-PERP', price: '2000', client_id: `0x${'1'.repeat(32)}` };
  await done(signer.approveAgent(wallet, agent.address));
  const first = await placed(signer.placeOrder(wallet, terms));
  const second = await placed(signer.replaceOrder(wallet, first, { ...terms, price: '11' }, agent));
  await placed(signer.placeOrder(wallet, perp));
  const third = await placed(signer.placeOrder(wallet, { ...perp, client_id: '', tif: 'ioc' }, agent));
  assert.ok(first < second && second < third);
  await done(signer.cancel(wallet, second, agent));
  const opens = { reason: 'Reduce-only order would increase position' };
  for (const one of [terms, perp]) {
    const { body } = await http.send(signer.placeOrder(wallet, { ...one, client_id: '', reduce_only: true }));
    assert.deepEqual({ reason: (body as OrderUpdate).reason }, opens);
  }
  assert.throws(() => signer.placeOrder(wallet, { ...perp, symbol: 'DOGE-PERP' }), /DOGE-PERP is no perp of this venue/);
});

test('margin mode and market-maker protection work', async () => {
  const other = createWallet();
  await done(signer.setMarginMode(other, 'portfolio'));
  assert.equal(venue.core.state.accounts.mode[1], PORTFOLIO);
  await done(signer.setMmp(other, { currency: 'BTC', interval_ms: 1_000, frozen_time_ms: 0, qty_limit: '1.50' }));
  await done(signer.resetMmp(other, 'BTC'));
  await done(signer.deleteMmp(other, 'BTC'));
});
