// `order_status` and `end_reason` in every answer about an order (decision 3.1): single and in bulk, placed, replaced and cancelled, and
// for replays. The socket uses the same bodies (test/shell/ws/order-entry).

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Harness } from './harness.ts';
import { cancel, cancelByCloid, mmpConfig, order, replace } from './requests.ts';
import { ethersSigner, nobleSigner } from './wallets.ts';

const maker = ethersSigner(901);
const taker = nobleSigner(902);

let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness();
  [symbol] = venue.calls() as [string];
});
after(() => venue.close());

type Told = readonly [status: string, orderStatus: string | null, endReason: string | null, filled?: number];
const told = ({ status, order_status: orderStatus, end_reason: reason, filled_size: filled }: any): Told => (
  [status, orderStatus, reason, filled]
);

async function sent(method: string, path: string, body: unknown, expected: Told, note?: string): Promise<any> {
  const answer = await venue.send(method, path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(told(answer.body), expected, note);
  return answer;
}

const IOC_REST = 'Immediate-or-cancel remainder';

test('an answer says whether its order is open, filled or has ended, and why', async () => {
  await sent('POST', '/order', order(maker, { symbol, side: 'Sell', price: '100', size: '2' }), ['ACKED', 'open', null, 0]);
  const filled = order(taker, { symbol, price: '100', size: '0.5' });
  await sent('POST', '/order', filled, ['ACKED', 'filled', 'Filled', 0.5]);
  const rest = order(taker, { symbol, price: '100', size: '2', tif: 'ioc' });
  await sent('POST', '/order', rest, ['ACKED', 'canceled', IOC_REST, 1.5]);
  const killed = order(taker, { symbol, price: '100', size: '2', tif: 'fok' });
  await sent('POST', '/order', killed, ['ACKED', 'canceled', 'Fill-or-kill order could not be filled', 0]);
  await sent('POST', '/order', order(maker, { symbol, side: 'Sell', price: '100', size: '1' }), ['ACKED', 'open', null, 0]);
  const partly = order(taker, { symbol, price: '100', size: '3' });
  const { body: { order_id: id } } = await sent('POST', '/order', partly, ['ACKED', 'partially_filled', null, 1]);
  const unlisted = symbol.replace('-100000-', '-100001-');
  const reason = `Invalid symbol: ${unlisted}`;
  await sent('POST', '/order', order(taker, { symbol: unlisted }), ['REJECTED', 'rejected', reason, 0]);
  await sent('PUT', '/order', replace(taker, id, { symbol: unlisted }), ['REJECTED', 'rejected', reason, 0]);
  await sent('POST', '/cancel', cancel(taker, id), ['CANCELED', 'canceled', 'Canceled on request', 1]);
  for (const [body, expected] of [
    [filled, ['ACKED', 'filled', 'Filled', 0.5]], [rest, ['ACKED', 'canceled', IOC_REST, 1.5]],
    [killed, ['ACKED', 'canceled', 'Fill-or-kill order could not be filled', 0]], [partly, ['ACKED', 'partially_filled', null, 1]],
  ] as [object, Told][]) {
    const again = await sent('POST', '/order', body, expected, 'what was told first, whatever the order is by now');
    assert.equal(again.headers['idempotent-replay'], 'true');
  }
});

test('a late cancel gives the status of its order, and one of an unknown order gives none', async () => {
  const { body } = await venue.post('/order', order(maker, { symbol, side: 'Sell', price: '90', size: '1', client_id: 'late' }));
  await sent('POST', '/order', order(taker, { symbol, price: '90', size: '1' }), ['ACKED', 'filled', 'Filled', 1]);
  await sent('POST', '/cancel', cancel(maker, body.order_id), ['REJECTED', 'filled', 'Filled', 0]);
  const { body: open } = await venue.post('/order', order(maker, { symbol, side: 'Sell', price: '200', size: '1' }));
  const one = cancel(maker, open.order_id);
  await sent('POST', '/cancel', one, ['CANCELED', 'canceled', 'Canceled on request', 0]);
  await sent('POST', '/cancel', one, ['CANCELED', 'canceled', 'Canceled on request', 0], 'again');
  await sent('POST', '/cancel', cancel(maker, open.order_id), ['REJECTED', 'canceled', 'Canceled on request', 0]);
  await sent('POST', '/cancel', cancel(maker, 999_999), ['REJECTED', null, null, 0]);
  await sent('POST', '/cancel-by-cloid', cancelByCloid(maker, 'never'), ['REJECTED', null, null, 0]);
});

test('items of a bulk give the same status, also for an order stopped by protection', async () => {
  for (const size of ['2', '1']) await venue.post('/order', order(maker, { symbol, side: 'Sell', price: '80', size }));
  assert.equal((await venue.post('/mmp/config', mmpConfig(taker, { qty_limit: '1' }))).status, 200);
  const orders = [
    order(taker, { symbol, price: '80', size: '3' }), order(maker, { symbol, side: 'Sell', price: '300' }),
    order(maker, { symbol, price: '80', size: '0.5', tif: 'ioc' }),
  ];
  const stopped: Told = ['ACKED', 'canceled', 'MMP triggered during fill processing', 2];
  const { body: { results } } = await venue.post('/bulk_order', { orders });
  assert.deepEqual(results.map(({ data }: any) => told(data)), [
    stopped, ['ACKED', 'open', null, 0], ['ACKED', 'canceled', IOC_REST, 0],
  ]);
  assert.deepEqual(told((await venue.post('/bulk_order', { orders })).body.results[0].data), stopped, 'again');
});
