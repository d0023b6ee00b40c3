// Unknown fields of signed writes are refused by name, over REST, in each item of a bulk and by socket, with no effect: an order with
// `reduceOnly` or `stop_price` is not a plain order. Under /compat they are ignored.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { refuse } from '../../../shell/http/errors.ts';
import type { Schema } from '../../../shell/http/fields.ts';
import { readStrictBody } from '../../../shell/http/unknown-fields.ts';
import { PLACE } from '../../../shell/api/routes/orders.ts';
import { examplesOf } from '../../../shell/describe/examples.ts';
import { ORDER_IDS } from '../../../core/orders/orders.ts';
import { SocketClient } from '../../support/socket.ts';
import { Harness } from './harness.ts';
import { cancel, order, replace } from './requests.ts';
import { ethersSigner } from './wallets.ts';

const owner = ethersSigner(580);
let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness();
  symbol = venue.calls()[0]!;
});
after(() => venue.close());

const placed = (): number => venue.core.state.orders.counters[ORDER_IDS]!;
const plain = (more: object = {}): object => ({ ...order(owner, { symbol, price: '90' }), ...more });

test('an order with a misspelt or unknown field is refused, naming it and the likely intended field', async () => {
  const cases: [object, string][] = [
    [{ reduceOnly: true }, 'Unknown field: reduceOnly, did you mean reduce_only?'],
    [{ reduceonly: true }, 'Unknown field: reduceonly, did you mean reduce_only?'],
    [{ Reduce_Only: true }, 'Unknown field: Reduce_Only, did you mean reduce_only?'],
    [{ reduce_onl: true }, 'Unknown field: reduce_onl, did you mean reduce_only?'],
    [{ reduce_onlyy: true }, 'Unknown field: reduce_onlyy, did you mean reduce_only?'],
    [{ reduse_only: true }, 'Unknown field: reduse_only, did you mean reduce_only?'],
    [{ clientId: 'mine' }, 'Unknown field: clientId, did you mean client_id?'],
    [{ mmpEnabled: false }, 'Unknown field: mmpEnabled, did you mean mmp_enabled?'],
    [{ stop_price: '80' }, 'Unknown field: stop_price'],
    [{ postOnly: true }, 'Unknown field: postOnly, did you mean post_only?'],
    [{ id: 5 }, 'Unknown field: id'],
    [JSON.parse('{"__proto__":{"reduce_only":true}}') as object, 'Unknown field: __proto__'],
    [{ constructor: 1 }, 'Unknown field: constructor'],
    [{ ['x'.repeat(5_000)]: 1 }, `Unknown field: ${'x'.repeat(64)}...`],
  ];
  const count = placed();
  for (const [more, message] of cases) {
    const { status, body } = await venue.post('/order', JSON.stringify(plain()).replace(/\}$/, `,${JSON.stringify(more).slice(1)}`));
    assert.deepEqual([status, body.error, body.message], [400, 'invalid_parameter', message]);
  }
  assert.equal(placed(), count, 'nothing was placed');
  assert.equal((await venue.post('/order', plain({ reduceOnly: null }))).body.status, 'ACKED', 'null counts as absent');
});

test('an unknown field is reported after a missing field or wrong type, and before wallet and signature', async () => {
  const text = async (more: object): Promise<unknown> => (await venue.post('/order', plain({ stop_price: '1', ...more }))).body.message;
  assert.equal(await text({ size: undefined }), 'Missing required field: size');
  assert.equal(await text({ is_perp: 1 }), 'Invalid parameter: is_perp must be true or false');
  const told = 'Unknown field: stop_price';
  for (const more of [{ wallet: '0x1' }, { signature: '0x' }, { signature: `0x${'00'.repeat(65)}` }]) assert.equal(await text(more), told);
});

test('every signed write refuses unknown fields, and ignores them under /compat', async () => {
  const examples = examplesOf({ symbol, now: venue.core.now, feed: 'manual' });
  const rows = examples.filter(({ signed }) => signed !== undefined);
  assert.ok(rows.length >= 25, `${rows.length} rows`);
  for (const { row, body } of rows) {
    const [method, path] = row.split(' ') as [string, string];
    const sent = { leverage: 10, ...body, signature: `0x${'00'.repeat(65)}` };
    const { status, body: answer } = await venue.send(method, path, sent);
    assert.deepEqual([status, answer.error, answer.message], [400, 'invalid_parameter', 'Unknown field: leverage'], row);
    const compat = await venue.send(method, `/compat${path}`, sent);
    assert.doesNotMatch(JSON.stringify(compat.body), /Unknown field/, row);
  }
  const tier = { level: 2, wallet: owner.address, tier: 'tier1', nonce: 1, signature: `0x${'00'.repeat(65)}` };
  assert.equal((await venue.post('/user-tier', tier)).body.message, 'Unknown field: level');
});

test('in a bulk an unknown field fails its own item, and one beside the items fails the request', async () => {
  const { status, body } = await venue.post('/bulk_order', { orders: [plain({ stop_price: '80' }), plain(), plain({ Tif: 'ioc' })] });
  assert.equal(status, 200);
  assert.deepEqual(body.results.map(({ success, error }: { success: boolean; error?: string }) => [success, error]), [
    [false, 'Unknown field: stop_price'], [true, undefined], [false, 'Unknown field: Tif, did you mean tif?'],
  ]);
  const id = body.results[1].data.order_id as number;
  const others: [string, string, object][] = [
    ['PUT', 'replacements', { ...replace(owner, id, { symbol }), maker_only: true }],
    ['DELETE', 'cancels', { ...cancel(owner, id), symbol }],
  ];
  for (const [method, list, item] of others) {
    const answer = await venue.send(method, '/bulk_order', { [list]: [item] });
    assert.match(answer.body.results[0].error, /^Unknown field: (maker_only|symbol)$/);
  }
  const whole = await venue.post('/bulk_order', { orders: [plain()], atomic: true });
  assert.deepEqual([whole.status, whole.body.message], [400, 'Unknown field: atomic']);
  const compat = await venue.post('/compat/bulk_order', { orders: [plain({ stop_price: '80' })], atomic: true });
  assert.equal(compat.body.results[0].success, true);
});

test('by socket unknown fields are refused too; type and id are not among them', async (t) => {
  const socket = await SocketClient.open(venue.url);
  t.after(() => socket.close());
  const ask = async (message: object): Promise<Record<string, unknown>> => {
    socket.send(message);
    return socket.until(({ type }) => type.endsWith('Result'));
  };
  const count = placed();
  const single = await ask({ type: 'PlaceOrder', id: 1, ...plain({ reduceOnly: true }) });
  assert.deepEqual([single['status'], single['reason'], single['error']], [
    'REJECTED', 'Unknown field: reduceOnly, did you mean reduce_only?', 'invalid_parameter',
  ]);
  const bulk = await ask({ type: 'BulkPlaceOrder', id: 2, orders: [plain({ id: 3 })] });
  assert.deepEqual(bulk['results'], [{ index: 0, success: false, error: 'Unknown field: id' }]);
  assert.equal((await ask({ type: 'BulkPlaceOrder', orders: [plain()], atomic: true }))['reason'], 'Unknown field: atomic');
  assert.equal((await ask({ type: 'CancelAll', wallet: owner.address, nonce: 1, signature: `0x${'00'.repeat(65)}`, symbol }))['message'],
    'Unknown field: symbol');
  assert.equal(placed(), count);
  assert.equal((await ask({ type: 'PlaceOrder', id: 4, ...plain() }))['status'], 'ACKED');
});

test('the requests of the live venue\'s published client are accepted', async () => {
  for (const builder of [null, `0x${'1'.repeat(40)}`]) {
    const { body } = await venue.post('/order', plain({ builder_code_address: builder }));
    assert.equal(body.status, 'ACKED', body.message);
    const moved = { ...replace(owner, body.order_id, { symbol, price: '91' }), mmp_enabled: true, builder_code_address: builder };
    assert.equal((await venue.send('PUT', '/order', moved)).body.status, 'ACKED');
  }
});

test('the first unknown field is named, and of equally similar ones the first in the table', () => {
  const schema: Schema = { aab: { kind: 'ignored', optional: true }, abb: { kind: 'ignored', optional: true } };
  const told = (body: object): unknown => readStrictBody(schema, body);
  assert.deepEqual(told({ q: 1, ab: 1 }), refuse('invalid_parameter', 'Unknown field: q'));
  assert.deepEqual(told({ ab: 1 }), refuse('invalid_parameter', 'Unknown field: ab, did you mean aab?'));
  assert.deepEqual(told({ aBB: 1 }), refuse('invalid_parameter', 'Unknown field: aBB, did you mean abb?'));
  assert.deepEqual(told([]), refuse('invalid_parameter', 'Each item must be a JSON object'));
  assert.equal('stop_price' in PLACE, false);
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
