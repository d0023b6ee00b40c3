// Rates through a real venue with two workers: reads are counted in one place whichever worker answers, success and error have the
// headers, only a 429 has Retry-After, and cancels count as cancels wherever they come from.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { bulk, createWallet, Http, type Answer, type Wallet } from '../../../scripts/client.ts';
import { LIMITS } from '../../../shell/http/limits.ts';
import { RestVenue, type Body } from './venue.ts';

/** The minute in which the venue's clock starts. */
const RESET = String(Date.UTC(2026, 0, 5, 0, 1) / 1_000);

let venue: RestVenue;
let symbol: string;
before(async () => {
  venue = await RestVenue.start({ default: { orders: 7, cancels: 6, requests: 5 }, tier2: { requests: 9 } }, ['--workers', '2']);
  symbol = (await venue.symbols())[0]!;
});
after(() => venue.stop());

type Told = [limit: string, left: string, reset: string];

function told({ headers }: Answer): Told {
  return ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]) as Told;
}

function limited(answer: Answer & { body: Body }, limit: number, left = 0): void {
  assert.deepEqual([answer.status, answer.body['error'], answer.body['limit']], [429, 'rate_limit_exceeded', limit]);
  assert.equal(answer.body['message'], `Rate limit exceeded: ${limit} per minute`);
  assert.deepEqual(told(answer), [String(limit), String(left), RESET]);
  const seconds = answer.body['retry_after_secs'];
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
  assert.equal(answer.headers['retry-after'], String(seconds));
}

test('reads of a wallet share its tier\'s budget, on whichever worker', async () => {
  const wallet = await venue.opened(symbol);
  const paths = ['/portfolio', '/orders', '/fills', '/user-tier', '/mmp/config'];
  const answers = await Promise.all(paths.map((path) => venue.get(`${path}?wallet=${wallet.address}`)));
  assert.deepEqual(answers.map((answer) => Number(told(answer)[1])).sort(), [0, 1, 2, 3, 4]);
  for (const answer of answers) {
    assert.deepEqual([answer.status, told(answer)[0], told(answer)[2]], [200, '5', RESET]);
    assert.equal(answer.headers['retry-after'], undefined);
  }
  for (let i = 0; i < 8; i++) limited(await venue.get(`/portfolio?wallet=${wallet.address}`), 5);
  const greeks = await venue.get(`/portfolio/greeks?wallet=${wallet.address}`);
  assert.deepEqual([greeks.status, greeks.body['success'], greeks.body['data']], [429, false, null], 'in the shape of its route');
  assert.equal((await venue.get(`/portfolio?wallet=${createWallet().address}`)).status, 200, 'another wallet has its own');
  await venue.admin('POST', '/user-tier', { wallet: wallet.address, tier: 'tier2' });
  assert.deepEqual(told(await venue.get(`/portfolio?wallet=${wallet.address}`)), ['9', '3', RESET]);
});

test('reads without a wallet count for their source', async () => {
  const first = await venue.get('/markets');
  const second = await venue.get('/orderbook?instrument_name=NONE');
  assert.deepEqual([first.status, second.status], [200, 404]);
  assert.deepEqual([told(first)[0], told(second)[0]], [String(LIMITS.sourceRequests.loopback), String(LIMITS.sourceRequests.loopback)]);
  assert.equal(Number(told(second)[1]), Number(told(first)[1]) - 1);
});

test('a source\'s remaining budget counts all its requests, also for a read without a wallet', async () => {
  // On one connection, so that one worker counts them.
  const http = new Http(venue.url);
  try {
    let left = Infinity;
    for (let i = 0; i < 40; i++) left = Number(told(await http.send({ method: 'POST', path: '/order', body: '{}' }))[1]);
    for (const path of ['/trades', '/competitions', '/compat/instruments']) {
      assert.deepEqual(told(await http.get(path)), [String(LIMITS.sourceRequests.loopback), String(--left), RESET], path);
    }
  } finally {
    http.close();
  }
});

test('errors before the wallet is known show the source\'s budget', async () => {
  for (const answer of [
    await venue.get('/portfolio'), await venue.get('/nowhere'), await venue.admin('POST', '/order', {}),
    await venue.admin('POST', '/markets', {}, {}), await venue.send({ method: 'PATCH', path: '/order' }),
  ]) {
    assert.ok(answer.status >= 400 && answer.status < 500);
    assert.deepEqual([told(answer)[0], told(answer)[2]], [String(LIMITS.sourceRequests.loopback), RESET]);
  }
  assert.deepEqual(told(await venue.get('/health')), [undefined, undefined, undefined]);
});

test('placements, cancels and other writes have a budget each, counted by items, and the dialect tells the orders', async () => {
  const wallet = await venue.opened(symbol);
  const orders = async (): Promise<unknown[]> => {
    const { body } = await venue.admin('POST', '/hl/info', { type: 'userRateLimit', user: wallet.address }, {});
    return [body['nRequestsUsed'], body['nRequestsCap']];
  };
  assert.deepEqual(await orders(), [1, 7]);
  const place = () => venue.sign.placeOrder(wallet, { symbol, side: 'Buy', size: '1', price: '1', tif: 'ioc' });
  const replace = () => venue.sign.replaceOrder(wallet, 1, { symbol, side: 'Buy', size: '1', price: '1' });
  assert.deepEqual(told(await venue.send(place())), ['7', '5', RESET]);
  assert.deepEqual(told(await venue.send(replace())), ['7', '4', RESET]);
  assert.deepEqual(told(await venue.send(bulk('POST /bulk_order', [place(), place()]))), ['7', '2', RESET]);
  limited(await venue.send(bulk('PUT /bulk_order', [replace(), replace(), replace()])), 7, 2);
  assert.deepEqual(told(await venue.send(bulk('PUT /bulk_order', [replace(), replace()]))), ['7', '0', RESET]);
  limited(await venue.send(place()), 7);
  limited(await venue.send(replace()), 7);
  assert.deepEqual(await orders(), [7, 7], 'what was refused is not counted');
  const cancel = () => venue.sign.cancel(wallet, 1);
  const cloid = () => venue.sign.cancelByCloid(wallet, 'x');
  assert.deepEqual(told(await venue.send(cancel())), ['6', '5', RESET]);
  assert.deepEqual(told(await venue.send(cloid())), ['6', '4', RESET]);
  assert.deepEqual(told(await venue.send({ ...cancel(), method: 'DELETE', path: '/order' })), ['6', '3', RESET]);
  assert.deepEqual(told(await venue.send(bulk('DELETE /bulk_order', [cancel(), cancel()]))), ['6', '1', RESET]);
  assert.deepEqual(told(await venue.send(bulk('DELETE /bulk_order_cloid', [cloid()]))), ['6', '0', RESET]);
  limited(await venue.send(cancel()), 6);
  limited(await venue.send(bulk('DELETE /bulk_order_cloid', [cloid()])), 6);
  assert.deepEqual(told(await venue.send(venue.sign.setMarginMode(wallet, 'standard'))), ['5', '4', RESET]);
});

test('simulations: a source has 60 a minute', async () => {
  const body = { positions: [{ symbol, amount: '1' }] };
  const all = await Promise.all(Array.from({ length: 70 }, () => venue.admin('POST', '/risk/simulate/portfolio', body, {})));
  const answered = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 429);
  assert.equal(answered.length + refused.length, 70);
  assert.ok(answered.length >= 4 && answered.length <= 60);
  let last = refused[0];
  const orders = { wallet: anyone, orders: [{ symbol, side: 'Buy', size: '1' }] };
  for (let i = answered.length; i < 62; i++) last = await venue.admin('POST', '/risk/simulate/orders', orders, {});
  assert.deepEqual([last!.status, last!.body['success'], last!.body['message']], [429, false, 'Rate limit exceeded: 60 per minute']);
});

const anyone: Wallet['address'] = `0x${'07'.repeat(20)}`;
