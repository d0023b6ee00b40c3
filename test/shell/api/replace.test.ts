// PUT /order and reduce-only orders over HTTP: the structures they are signed as, and every answer they can get.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Harness } from './harness.ts';
import { perp } from './perps.ts';
import { cancel, freshNonce, order, replace } from './requests.ts';
import { ethersSigner, nobleSigner } from './wallets.ts';

const maker = ethersSigner(301);
const taker = nobleSigner(302);

let venue: Harness;
let symbol: string;
let other: string;
before(() => {
  venue = new Harness();
  [symbol, other] = venue.calls() as [string, string];
});
after(() => venue.close());

async function resting(fields: object = {}): Promise<number> {
  const { body } = await venue.post('/order', order(maker, { symbol, ...fields }));
  assert.equal(body.status, 'ACKED', body.reason);
  return body.order_id;
}

const put = (body: unknown) => venue.send('PUT', '/order', body);

async function rejected(body: unknown, reason: string): Promise<void> {
  const answer = await put(body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(
    [answer.body.status, answer.body.reason, answer.body.order_id, answer.body.filled_size], ['REJECTED', reason, null, 0],
  );
}

test('a replace is acknowledged with a new id, and the old order is gone', async () => {
  const old = await resting({ client_id: 'named' });
  const { status, body } = await put(replace(maker, old, { symbol, price: '101.0', size: '0.50', client_id: 'named', nonce: 9 }));
  assert.equal(status, 200);
  const { info } = body;
  assert.ok(body.order_id > old);
  assert.deepEqual([body.status, body.reason, body.filled_size, body.wallet_address], ['ACKED', null, 0, maker.address]);
  assert.deepEqual([info.order_id, info.price, info.size, info.client_id, info.nonce], [body.order_id, '101.0', '0.50', 'named', 9]);
  await rejected(replace(maker, old, { symbol }), `Order ${old} was already cancelled`);
  assert.equal((await venue.post('/cancel', cancel(maker, body.order_id))).body.status, 'CANCELED');
});

test('a replace may trade at once, and may change side, contract and kind', async () => {
  const old = await resting({ symbol: other, price: '110' });
  await venue.post('/order', order(taker, { symbol, side: 'Sell', price: '120', size: '0.3' }));
  const { body } = await put(replace(maker, old, { symbol, price: '120', tif: 'ioc' }));
  assert.deepEqual([body.status, body.filled_size], ['ACKED', 0.3]);
  const again = await resting({ symbol: other });
  const asPerp = await put(replace(maker, again, { symbol: 'BTC-PERP', price: '90000' }));
  assert.deepEqual([asPerp.body.status, asPerp.body.info.is_perp, asPerp.body.info.underlying], ['ACKED', true, 'BTC']);
  const mine = { symbol: 'BTC-PERP', price: '90001', client_id: 'mine' };
  const text = 'Invalid parameter: client_id of a perp order must be empty or 0x and 32 hex digits';
  assert.equal((await put(replace(maker, asPerp.body.order_id, mine))).body.message, text);
  const back = await put(replace(maker, asPerp.body.order_id, { symbol }));
  assert.deepEqual([back.body.status, back.body.info.is_perp], ['ACKED', false]);
});

test('a replace of an order that is not open is rejected, and says why', async () => {
  const filled = await resting({ price: '130' });
  assert.equal((await venue.post('/order', order(taker, { symbol, side: 'Sell', price: '130', tif: 'ioc' }))).body.filled_size, 1);
  await rejected(replace(maker, filled, { symbol }), `Order ${filled} is already filled and cannot be cancelled`);
  await rejected(replace(maker, 999_999, { symbol }), 'Order not found for cancellation: 999999');
  const foreign = await resting();
  await rejected(replace(taker, foreign, { symbol }), `Order not found for cancellation: ${foreign}`);
  venue.forgotten.set(filled, symbol);
  await rejected(replace(maker, filled, { symbol }), `Order ${filled} not found in orderbook ${symbol}`);
  assert.equal((await venue.post('/cancel', cancel(maker, foreign))).body.status, 'CANCELED');
});

test('when the new order is refused, the old one stays open', async () => {
  const old = await resting();
  const unlisted = symbol.replace('-100000-', '-100001-');
  await rejected(replace(maker, old, { symbol: unlisted }), `Invalid symbol: ${unlisted}`);
  await rejected(
    replace(maker, old, { symbol: 'BTC-20261332-1-C' }),
    'Failed to parse symbol: the expiry is not a date as YYYYMMDD or DDMMMYY from 2000 to 2099',
  );
  const zero = await put(replace(maker, old, { symbol, size: '0' }));
  assert.deepEqual([zero.status, zero.body.message], [400, 'Size must be greater than 0']);
  assert.equal((await venue.post('/cancel', cancel(maker, old))).body.status, 'CANCELED');
});

test('a replace checks fields, signature and nonce', async () => {
  const old = await resting();
  const body = replace(maker, old, { symbol });
  for (const name of ['wallet', 'order_id', 'symbol', 'side', 'size', 'price', 'tif', 'nonce', 'signature']) {
    const answer = await put({ ...body, [name]: undefined });
    assert.deepEqual([answer.status, answer.body.message], [400, `Missing required field: ${name}`]);
  }
  const changes = {
    wallet: taker.address, order_id: old + 1, symbol: other, side: 'Sell', size: '1.1', price: '100.1', tif: 'ioc', client_id: 'x',
    reduce_only: true, nonce: freshNonce(),
  };
  for (const [name, value] of Object.entries(changes)) assert.equal((await put({ ...body, [name]: value })).status, 401, name);
  const { client_id: _, ...nameless } = body;
  const first = await put(nameless);
  assert.equal(first.body.status, 'ACKED', first.body.reason);
  const again = await put(body);
  assert.equal(again.headers['idempotent-replay'], 'true');
  assert.deepEqual(again.body, first.body);
  const padded = await put(replace(maker, `0${first.body.order_id}`, { symbol }));
  assert.equal(padded.body.status, 'ACKED', 'the text of the id is what is signed');
});

test('reduce-only of an option needs a route and its own structure', async () => {
  const bare = { ...order(maker, { symbol }), reduce_only: true };
  const missing = await venue.post('/order', bare);
  assert.deepEqual([missing.status, missing.body.message], [400, 'Missing required field: route']);
  const routed = order(maker, { symbol, route: 'book_only' });
  assert.equal((await venue.post('/order', { ...routed, reduce_only: true })).status, 401);
  const fresh = ethersSigner(310);
  const none = await venue.post('/order', order(fresh, { symbol, side: 'Sell', route: 'book_only', reduce_only: true }));
  assert.deepEqual([none.body.status, none.body.reason], ['REJECTED', 'Reduce-only order would increase position']);
  await venue.post('/order', order(fresh, { symbol: other, price: '140', size: '0.2' }));
  const sold = await venue.post('/order', order(taker, { symbol: other, side: 'Sell', price: '140', size: '0.2' }));
  assert.equal(sold.body.filled_size, 0.2);
  const reduce = { symbol: other, side: 'Sell', price: '500', route: 'best_execution', reduce_only: true };
  const { body } = await venue.post('/order', order(fresh, reduce));
  assert.deepEqual([body.status, body.info.reduce_only], ['ACKED', true], body.reason);
  const next = await put(replace(fresh, body.order_id, { symbol: other, side: 'Sell', price: '510', reduce_only: true }));
  assert.deepEqual([next.body.status, next.body.info.reduce_only], ['ACKED', true], next.body.reason);
  const gone = await venue.post('/cancel', cancel(fresh, next.body.order_id));
  assert.deepEqual([gone.body.status, gone.body.info.reduce_only], ['CANCELED', true]);
});

test('a replace counts as a placement', async () => {
  const rated = new Harness({ flags: ['--rate-limits', 'on'] });
  try {
    const first = await rated.post('/order', perp(maker, { price: '90000' }));
    const second = await rated.send('PUT', '/order', replace(maker, first.body.order_id, { symbol: 'BTC-PERP', price: '90001' }));
    const headers = [first, second].map(({ headers: sent }) => [sent['x-ratelimit-limit'], sent['x-ratelimit-remaining']]);
    assert.deepEqual(headers, [['60', '59'], ['60', '58']]);
  } finally {
    rated.close();
  }
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
