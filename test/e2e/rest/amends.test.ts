// Amends over REST, in bulk and by socket: what the answers say, replays, refusals, the order's row and the stream.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { SocketClient } from '../../support/socket.ts';
import { amend, extendedOrder, freshNonce, order } from '../../shell/api/requests.ts';
import { ethersSigner, type Signer } from '../../shell/api/wallets.ts';
import { RestVenue } from './venue.ts';

let venue: RestVenue;
let symbol: string;
before(async () => {
  venue = await RestVenue.start();
  symbol = (await venue.symbols()).find((name) => name.endsWith('-100000-C'))!;
});
after(() => venue.stop());

const send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => (
  venue.send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) })
);
const post = (path: string, body: unknown) => send('POST', path, body);

async function rest(signer: Signer, fields: object = {}): Promise<number> {
  const { body } = await post('/order', order(signer, { symbol, price: '10', size: '5', client_id: 'mine', ...fields }));
  assert.equal(body.status, 'ACKED');
  return body.order_id;
}

test('an amend answers with the order’s own terms, price and size as sent, and what it filled at once', async () => {
  const [owner, other] = [ethersSigner(601), ethersSigner(602)];
  const id = await rest(owner);
  const { body } = await post('/amend', amend(owner, id, { size: '6.50', price: '11.0' }));
  assert.deepEqual([body.status, body.order_status, body.filled_size, body.order_id, body.reason], ['ACKED', 'open', 0, id, null]);
  const { info } = body;
  assert.deepEqual([info.symbol, info.side, info.size, info.price, info.client_id], [symbol, 'Buy', '6.50', '11.0', 'mine']);
  await post('/order', order(other, { symbol, side: 'Sell', price: '12', size: '2' }));
  const taken = await post('/amend', amend(owner, id, { size: '6.5', price: '12' }));
  assert.deepEqual([taken.body.order_status, taken.body.filled_size], ['partially_filled', 2]);
  const row = (await send('GET', `/orders/status?wallet=${owner.address}&order_id=${id}`)).body.data;
  assert.deepEqual([row.price, row.size, row.filled_size, row.client_id], ['12', '6.5', '2', 'mine']);
  const whole = await post('/amend', amend(owner, id, { size: '2', price: '12' }));
  assert.deepEqual([whole.body.status, whole.body.reason, whole.body.order_status, whole.body.end_reason], [
    'CANCELED', 'Amended to filled size', 'canceled', 'Amended to filled size',
  ]);
});

test('a replay of an amend has its first answer, whatever became of the order since', async () => {
  const owner = ethersSigner(603);
  const id = await rest(owner);
  const sent = amend(owner, id, { size: '4', price: '10' });
  const first = await post('/amend', sent);
  await post('/amend', amend(owner, id, { size: '3', price: '9' }));
  for (const size of ['2', '1']) {
    const again = await post('/amend', sent);
    assert.deepEqual([again.body, again.headers['idempotent-replay']], [first.body, 'true']);
    await post('/amend', amend(owner, id, { size, price: '9' }));
  }
});

test('refused amends name why: form, value, time, an order that is not open, the engine', async () => {
  const owner = ethersSigner(604);
  const id = await rest(owner);
  for (const [fields, text] of [
    [{ size: '0' }, /size/i], [{ price: '1.234567' }, /significant/], [{ price: '-1' }, /price/i], [{ trigger_price: 'x' }, /trigger/i],
  ] as const) {
    const { status, body } = await post('/amend', amend(owner, id, fields));
    assert.deepEqual([status, body.error], [400, 'invalid_parameter'], JSON.stringify(fields));
    assert.match(body.message, text);
  }
  const { size: _, ...without } = amend(owner, id);
  assert.equal((await post('/amend', without)).status, 400);
  const refusals: [object, string][] = [
    [{ valid_until: 1 }, 'Request came too late'], [{ trigger_price: '5' }, 'Order does not wait for a trigger'],
  ];
  for (const [fields, reason] of refusals) {
    const { body } = await post('/amend', amend(owner, id, fields));
    assert.deepEqual([body.status, body.reason, body.order_status, body.info.symbol], ['REJECTED', reason, 'open', symbol]);
  }
  const poor = await post('/amend', amend(owner, id, { size: '900', price: '99999' }));
  assert.match(poor.body.reason, /^Insufficient margin: required=/);
  assert.equal((await post('/amend', amend(owner, 999_999))).body.reason, 'Order not found for cancellation: 999999');
  await post('/amend', amend(owner, id, { size: '0.000001', price: '10' }));
  const { body } = await post('/amend', { ...amend(owner, id, { size: '3' }), size: '2' });
  assert.equal(body.error, 'unauthorized', 'size is signed');
});

test('a sliding order that an amend moves tells the price that it got', async () => {
  const [owner, other] = [ethersSigner(605), ethersSigner(606)];
  const { body: ask } = await post('/order', order(other, { symbol, side: 'Sell', price: '20', size: '1' }));
  assert.equal(ask.status, 'ACKED');
  const placed = await post('/order', extendedOrder(owner, { symbol, price: '10', size: '1', post_only: 'slide' }));
  const { body } = await post('/amend', amend(owner, placed.body.order_id, { size: '1', price: '25' }));
  assert.deepEqual([body.status, body.info.price], ['ACKED', '19.999']);
});

test('an order that waits is amended with its trigger, is told as waiting, and its answer is the same later', async () => {
  const owner = ethersSigner(609);
  const trigger = { by: 'index', direction: 'above', price: '900000' } as const;
  const { body: placed } = await post('/order', extendedOrder(owner, { symbol, price: '10', size: '5', trigger }));
  assert.equal(placed.order_status, 'untriggered');
  const id = placed.order_id;
  const client = await SocketClient.open(venue.url, `?wallet=${owner.address}`);
  client.send({ type: 'Subscribe', channel: 'order_updates' });
  await client.until(({ type }) => type === 'Subscribed');
  const sent = amend(owner, id, { size: '6', price: '11', trigger_price: '800000' });
  const { body } = await post('/amend', sent);
  assert.deepEqual([body.status, body.order_status, body.filled_size, body.order_id], ['ACKED', 'untriggered', 0, id]);
  assert.deepEqual([body.info.size, body.info.price, body.info.trigger], ['6', '11', { ...trigger, price: '800000' }]);
  const poor = await post('/amend', amend(owner, id, { size: '6', price: '11', valid_until: 1 }));
  assert.deepEqual([poor.body.reason, poor.body.order_status], ['Request came too late', 'untriggered']);
  assert.equal((await post('/amend', amend(owner, id, { size: '6', price: '11', trigger_price: '700000' }))).body.status, 'ACKED');
  assert.deepEqual((await post('/amend', sent)).body, body);
  const row = (await send('GET', `/orders/status?wallet=${owner.address}&order_id=${id}`)).body.data;
  assert.deepEqual([row.order_status, row.price, row.size, row.trigger.price], ['untriggered', '11', '6', '700000']);
  await post('/amend', amend(owner, id, { size: '4', price: '11' }));
  await client.until(({ request }) => (request as { size?: string } | undefined)?.size === '4');
  const updates = client.told.filter((message) => message.type === 'OrderUpdate' && message['order_id'] === id).map(({ status }) => status);
  assert.deepEqual(updates.slice(-5), ['ACKED', 'UNTRIGGERED', 'ACKED', 'UNTRIGGERED', 'UNTRIGGERED']);
  client.close();
});

test('amends go in bulk and by socket, each with its own result', async () => {
  const owner = ethersSigner(607);
  const [one, two] = [await rest(owner, { client_id: 'a' }), await rest(owner, { client_id: 'b' })];
  const amends = [amend(owner, one, { price: '9' }), amend(owner, 999_999), amend(owner, two, { price: '9' })];
  const bulk = await send('PUT', '/bulk_amend', { amends });
  assert.deepEqual(bulk.body.results.map((result: { success: boolean }) => result.success), [true, false, true]);
  const many = { amends: Array.from({ length: 51 }, () => amend(owner, one)) };
  assert.equal((await send('PUT', '/bulk_amend', many)).status, 400);
  const client = await SocketClient.open(venue.url, `?wallet=${owner.address}`);
  client.send({ type: 'AmendOrder', id: 1, ...amend(owner, one, { size: '0.5', price: '9', nonce: freshNonce() }) });
  const result = await client.until(({ id }) => id === 1);
  assert.deepEqual([result.type, result['status'], result['order_id']], ['OrderResult', 'ACKED', one]);
  client.send({ type: 'BulkAmendOrder', id: 2, amends: [amend(owner, two, { size: '0.5', price: '9' })] });
  const all = await client.until(({ id }) => id === 2);
  assert.deepEqual((all['results'] as { success: boolean }[]).map(({ success }) => success), [true]);
  client.close();
});

test('order_updates tell an amend in place once, and one that enters anew as accepted and then open', async () => {
  const owner = ethersSigner(608);
  const id = await rest(owner);
  const client = await SocketClient.open(venue.url, `?wallet=${owner.address}`);
  client.send({ type: 'Subscribe', channel: 'order_updates' });
  await client.until(({ type }) => type === 'Subscribed');
  await post('/amend', amend(owner, id, { size: '4', price: '10' }));
  await post('/amend', amend(owner, id, { size: '4', price: '11' }));
  await post('/amend', amend(owner, id, { size: '4', price: '11' }));
  await post('/amend', amend(owner, id, { size: '900', price: '99999' }));
  await post('/order', order(owner, { symbol, price: '9', client_id: 'last' }));
  await client.until(({ type, order_id: other, status }) => type === 'OrderUpdate' && other !== id && status === 'OPEN');
  const updates = client.told.filter((message) => message.type === 'OrderUpdate' && message['order_id'] === id)
    .map(({ status, request }) => [status, (request as { price: string }).price, (request as { size: string }).size]);
  assert.deepEqual(updates.slice(-3), [['OPEN', '10', '4'], ['ACKED', '11', '4'], ['OPEN', '11', '4']]);
  client.close();
});
