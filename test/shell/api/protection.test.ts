// Market-maker protection in answers: an order whose fills breach its own wallet's limits is acknowledged with its id, filled size,
// `mmp_triggered` and reason, alone, in bulk, as a replace and when repeated. The counterparty's breach is not mentioned.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Harness } from './harness.ts';
import { mmpConfig, mmpName, order, replace } from './requests.ts';
import { ethersSigner, nobleSigner, type Signer } from './wallets.ts';

const REASON = 'MMP triggered during fill processing';
const maker = ethersSigner(1_401);
const guarded = nobleSigner(1_402);
const plain = ethersSigner(1_403);

let venue: Harness;
let symbol: string;
let price = 150;
before(async () => {
  venue = new Harness();
  [symbol] = venue.calls() as [string];
  assert.equal((await venue.post('/mmp/config', mmpConfig(guarded, { qty_limit: '0.5', frozen_time_ms: 0 }))).status, 200);
});
after(() => venue.close());

/** Offers of 0.4 at three prices, dearer each time; the price of the third. */
async function offers(seller: Signer = maker): Promise<string> {
  for (let i = 0; i < 3; i++) {
    price++;
    const { body } = await venue.post('/order', order(seller, { symbol, side: 'Sell', size: '0.4', price: String(price) }));
    assert.equal(body.status, 'ACKED');
  }
  return String(price);
}

/** What an order of two contracts is told that meets a limit of half a contract after its second fill. */
function checkOwn(update: Record<string, unknown>): void {
  const { status, reason, filled_size: filled, mmp_triggered: isTriggered, order_id: id } = update;
  assert.deepEqual([status, reason, filled, isTriggered], ['ACKED', REASON, 0.8, true]);
  assert.ok(typeof id === 'number' && id > 0);
  assert.deepEqual([update['order_status'], update['end_reason']], ['canceled', REASON]);
}

/** Lets the wallet trade again, and takes what is left of the offers. */
async function thaw(): Promise<void> {
  await venue.post('/order', order(plain, { symbol, size: '5', price: String(price), tif: 'ioc' }));
  assert.equal((await venue.post('/mmp/reset', mmpName('ResetMmp', guarded))).status, 200);
}

test('an order that breaches its own wallet\'s limits is ACKED with filled size, trigger and reason, also repeated', async () => {
  const limit = await offers();
  const body = order(guarded, { symbol, size: '2', price: limit });
  const first = await venue.post('/order', body);
  checkOwn(first.body);
  const again = await venue.post('/order', body);
  assert.deepEqual([again.headers['idempotent-replay'], again.body], ['true', first.body]);
  await thaw();
});

test('in a bulk such an order is a success with the same message, and the other items do not mention it', async () => {
  const limit = await offers();
  const orders = [
    order(guarded, { symbol, size: '2', price: limit }), order(plain, { symbol, size: '0.1', price: limit, tif: 'ioc' }),
    order(guarded, { symbol, size: '0.1', price: limit }),
  ];
  const { results } = (await venue.post('/bulk_order', { orders })).body;
  assert.equal(results[0].success, true);
  checkOwn(results[0].data);
  assert.deepEqual([results[1].data.mmp_triggered, results[1].data.reason, results[1].data.filled_size], [false, null, 0.1]);
  assert.deepEqual([results[2].success, results[2].error, results[2].data.mmp_triggered], [false, 'Order canceled by MMP trigger', false]);
  await thaw();
});

test('a replace that breaches its own wallet\'s limits is answered in the same way', async () => {
  const resting = (await venue.post('/order', order(guarded, { symbol, size: '2', price: '100' }))).body.order_id;
  const limit = await offers();
  checkOwn((await venue.send('PUT', '/order', replace(guarded, resting, { symbol, size: '2', price: limit }))).body);
  await thaw();
});

test('an order fully filled by its breach is filled, and has the trigger too', async () => {
  const limit = await offers();
  const { body } = await venue.post('/order', order(guarded, { symbol, size: '0.8', price: limit }));
  assert.deepEqual([body.status, body.reason, body.filled_size, body.mmp_triggered], ['ACKED', REASON, 0.8, true]);
  assert.equal(body.order_status, 'filled');
  await thaw();
});

test('an order that meets a protected counterparty gets its fill, and not the other\'s trigger', async () => {
  for (let i = 0; i < 2; i++) {
    price++;
    const { body } = await venue.post('/order', order(guarded, { symbol, side: 'Sell', size: '0.6', price: String(price) }));
    assert.equal(body.status, 'ACKED');
  }
  const before = venue.faults.length;
  const { body } = await venue.post('/order', order(plain, { symbol, size: '5', price: String(price), tif: 'ioc' }));
  assert.deepEqual([body.status, body.mmp_triggered, body.reason], ['ACKED', false, null]);
  assert.ok(body.filled_size >= 0.6 && body.filled_size < 5);
  assert.equal(venue.faults.length, before);
  const frozen = await venue.post('/order', order(guarded, { symbol, size: '0.1', price: '100' }));
  assert.equal(frozen.body.reason, 'Order canceled by MMP trigger', 'it was triggered');
});
