// What a refusal names: the symbol as sent, the valid form of a size or price (`hint`), the form of a perp's client id. It is the same
// over REST, in a bulk, in a replace and by socket, where `tif` and `client_id` may be absent.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { SocketClient } from '../../support/socket.ts';
import { Harness, TOKEN } from './harness.ts';
import { perp } from './perps.ts';
import { order, replace } from './requests.ts';
import { ethersSigner } from './wallets.ts';

const owner = ethersSigner(590);
let venue: Harness;
let symbol: string;
let socket: SocketClient;
before(async () => {
  venue = new Harness();
  symbol = venue.calls()[0]!;
  socket = await SocketClient.open(venue.url);
});
after(() => {
  socket.close();
  venue.close();
});

type Told = { status?: string; error?: string | undefined; text?: string | undefined; hint?: string | undefined };

/** How the order, or the replace of order `of`, is refused over REST, in a bulk and by socket. */
async function told(item: object, of?: number): Promise<[rest: Told, bulk: Told, bySocket: Told]> {
  const method = of === undefined ? 'POST' : 'PUT';
  const { body } = await venue.send(method, '/order', item);
  const list = of === undefined ? 'orders' : 'replacements';
  const [one] = (await venue.send(method, '/bulk_order', { [list]: [item] })).body.results;
  socket.send({ type: of === undefined ? 'PlaceOrder' : 'ReplaceOrder', id: 1, ...item });
  const result = await socket.until(({ type }) => type === 'OrderResult') as Record<string, any>;
  return [
    { status: body.status, error: body.error, text: body.reason ?? body.message, hint: body.hint },
    { status: one.data?.status, text: one.error, hint: one.hint },
    { status: result['status'], error: result['error'], text: result['reason'], hint: result['hint'] },
  ];
}

/** The symbol with its date as DDMMMYY. */
function styled(text: string): string {
  const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  const [underlying, date, ...rest] = text.split('-') as [string, string];
  const styledDate = `${date.slice(6)}${months[Number(date.slice(4, 6)) - 1]}${date.slice(2, 4)}`;
  return [underlying, styledDate, ...rest].join('-');
}

test('an unlisted symbol is named as it was sent', async () => {
  const resting = (await venue.post('/order', order(owner, { symbol, price: '90' }))).body.order_id as number;
  const unlisted = styled(symbol.replace('-100000-', '-100001.5-'));
  assert.match(unlisted, /^BTC-\d\d[A-Z]{3}\d\d-100001\.5-C$/);
  const reason = `Invalid symbol: ${unlisted}`;
  const answers = [
    ...await told(order(owner, { symbol: unlisted })), ...await told(replace(owner, resting, { symbol: unlisted }), resting),
  ];
  for (const { status, text } of answers) assert.deepEqual([status, text], ['REJECTED', reason]);
});

test('a lower-case symbol and an unlisted perp are named as they were sent', async () => {
  const lower = symbol.toLowerCase();
  const [rest, bulk, bySocket] = await told(order(owner, { symbol: lower }));
  assert.deepEqual([rest.error, rest.text], ['invalid_parameter', `Invalid option symbol: ${lower}`]);
  assert.equal(bulk.text, rest.text);
  assert.match(bySocket.text!, /^Failed to parse symbol: /);
  for (const [sent, more] of [['SOL-PERP', {}], ['SOL', { is_perp: true }], ['btc-PERP', {}]] as const) {
    const [single, item, message] = await told(perp(owner, { symbol: sent, ...more }));
    assert.deepEqual([single.error, single.text], ['invalid_parameter', `Invalid perp symbol: ${sent}`]);
    assert.deepEqual([item.text, message.text, message.error], [single.text, single.text, single.error]);
  }
  const listed = (await venue.post('/order', order(owner, { symbol, price: '90' }))).body.order_id as number;
  for (const { text } of await told(replace(owner, listed, { symbol: 'SOL-PERP' }), listed)) assert.equal(text, 'Invalid symbol: SOL-PERP');
});

const SIZE_HINT = 'size is plain decimal text: 1 to 20 digits, then optionally a point and 1 to 18 digits, without sign, exponent or '
  + 'blanks; at least 0.000001';
const PRICE_HINT = 'price is plain decimal text: 1 to 20 digits, then optionally a point and 1 to 18 digits, without sign, exponent or '
  + 'blanks; at least 0.000001, at most 5 significant figures';

test('an invalid size or price is refused with the interface\'s text and a hint at the valid form', async () => {
  const resting = (await venue.post('/order', order(owner, { symbol, price: '90' }))).body.order_id as number;
  const forms = ['1e3', '.5', '5.', '-1', '+1', ' 1', '', 'NaN', '0', '0.0', '1,5', '9'.repeat(65), '1'.repeat(21)];
  const cases = [
    ...[...forms, '0.0000001'].map((size) => [{ size }, 'Size must be greater than 0', SIZE_HINT] as const),
    ...forms.map((price) => [{ price }, 'Price must be greater than 0', PRICE_HINT] as const),
  ];
  for (const [fields, text, hint] of cases) {
    const terms = { symbol, ...fields };
    const answers = [await told(order(owner, terms)), await told(replace(owner, resting, terms), resting)];
    for (const [rest, bulk, bySocket] of answers) {
      assert.deepEqual([rest, bulk, bySocket], [
        { status: undefined, error: 'invalid_parameter', text, hint }, { status: undefined, text, hint },
        { status: 'REJECTED', error: 'invalid_parameter', text, hint },
      ], JSON.stringify(fields));
    }
  }
  const [right] = await told(order(owner, { symbol, side: 'hold' }));
  assert.equal(right!.hint, undefined, 'no hint where the text says it');
  const simulated = await venue.post('/risk/simulate/orders', { wallet: owner.address, orders: [{ symbol, side: 'Buy', size: '0' }] });
  assert.deepEqual([simulated.body.message, simulated.body.hint], ['Item 0: Size must be greater than 0', SIZE_HINT]);
});

test('the operator\'s index price has the same hint', async () => {
  const manual = await venue.post('/admin/index-price', { underlying: 'BTC', price: '0' }, { authorization: `Bearer ${TOKEN}` });
  assert.deepEqual([manual.body.message, manual.body.hint], ['Price must be greater than 0', PRICE_HINT]);
});

test('a perp\'s client id of another form is 400 that names the form, not 401', async () => {
  const text = 'Invalid parameter: client_id of a perp order must be empty or 0x and 32 hex digits';
  const resting = (await venue.post('/order', perp(owner, { price: '90000' }))).body.order_id as number;
  for (const id of ['mine', '0x12', `0x${'g'.repeat(32)}`, `0X${'a'.repeat(32)}`, `0x${'a'.repeat(33)}`]) {
    // Signed with the client id as a part of the action, as its client does.
    const [rest, bulk, bySocket] = await told(perp(owner, { client_id: id, price: '90000' }));
    assert.deepEqual([rest.error, rest.text], ['invalid_parameter', text], id);
    assert.deepEqual([bulk.text, bySocket.status, bySocket.error, bySocket.text], [text, 'REJECTED', 'invalid_parameter', text]);
    const moved = replace(owner, resting, { symbol: 'BTC-PERP', price: '90001', client_id: id });
    for (const one of await told(moved, resting)) assert.equal(one.text, text);
  }
  const named = await venue.post('/order', perp(owner, { client_id: `0x${'aB'.repeat(16)}`, price: '90000' }));
  assert.equal(named.body.status, 'ACKED', named.body.message);
});

test('by socket tif and client_id may be absent, also in a bulk and a replace; REST requires both', async () => {
  const bare = (): Record<string, unknown> => {
    const { tif: _, client_id: __, ...rest } = order(owner, { symbol, price: '90' });
    return rest;
  };
  for (const [name, more] of [['tif', { client_id: '' }], ['client_id', { tif: 'gtc' }]] as const) {
    const { status, body } = await venue.post('/order', { ...bare(), ...more });
    assert.deepEqual([status, body.error, body.message], [400, 'missing_field', `Missing required field: ${name}`]);
  }
  const ask = async (message: object): Promise<Record<string, any>> => {
    socket.send(message);
    return socket.until(({ type }) => type.endsWith('Result')) as Promise<Record<string, any>>;
  };
  const placed = await ask({ type: 'PlaceOrder', ...bare() });
  assert.deepEqual([placed['status'], placed['info'].tif, placed['info'].client_id], ['ACKED', 'gtc', '']);
  const { results } = await ask({ type: 'BulkPlaceOrder', orders: [bare()] });
  assert.deepEqual([results[0].data.status, results[0].data.info.tif], ['ACKED', 'gtc']);
  const { tif: _, client_id: __, ...moved } = replace(owner, placed['order_id'], { symbol, price: '91' });
  const replaced = await ask({ type: 'ReplaceOrder', ...moved });
  assert.deepEqual([replaced['status'], replaced['info'].tif, replaced['info'].client_id], ['ACKED', 'gtc', '']);
  assert.equal((await venue.send('PUT', '/order', moved)).body.message, 'Missing required field: tif');
});

test('both descriptions say in the same words where tif and client_id may be absent', async () => {
  const { body: rest } = await venue.get('/openapi.json');
  const { body: bySocket } = await venue.get('/asyncapi.json');
  const fields = (schema: any): unknown[] => [schema.properties.tif.description, schema.properties.client_id.description];
  const { PlaceOrderRequest: posted, ReplaceOrderRequest: put } = rest.components.schemas;
  const placed = bySocket.components.messages.PlaceOrder.payload;
  assert.deepEqual(fields(posted), fields(placed));
  assert.deepEqual(fields(posted), [
    'Required by REST. By socket optional, default `gtc`.',
    'Required by REST unless `route` or a field of an extended order is given. By socket optional, default empty. For a perp: empty, or '
      + '0x and 32 hex digits.',
  ]);
  assert.deepEqual(['tif', 'client_id'].map((name) => placed.required.includes(name)), [false, false]);
  assert.ok(posted.required.includes('tif'));
  const replaced = bySocket.components.messages.ReplaceOrder.payload;
  assert.deepEqual(fields(replaced), fields(put));
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
