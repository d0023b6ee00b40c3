// Extended orders over REST and in bulk: which fields make one, how it is signed, what is refused before and after the signature, and what
// a client is told that signed another form.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Harness } from './harness.ts';
import { extendedOrder, extendedReplace, freshNonce, order, replace } from './requests.ts';
import { ethersSigner } from './wallets.ts';

const owner = ethersSigner(931);

let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness();
  symbol = venue.calls()[0]!;
});
after(() => venue.close());

async function told(body: object, method = 'POST'): Promise<unknown[]> {
  const { status, body: { status: outcome, error, message, reason } } = await venue.send(method, '/order', body);
  return status === 200 ? [outcome, reason] : [error, message];
}

const invalid = (text: string): string[] => ['invalid_parameter', `Invalid parameter: ${text}`];

test('each field of an extended order makes one, and a client id or route is not needed', async () => {
  const { now } = venue.core;
  const cases = [
    { post_only: true }, { post_only: 'slide' as const }, { post_only: false }, { expires_at: now + 60_000 }, { valid_until: now + 60_000 },
    { stp: 'cancel_maker' }, { stp: 'cancel_taker' }, { stp: 'cancel_both' }, { link_id: 'a-Z_9' },
    { stp: 'cancel_both', reduce_only: true },
  ];
  for (const fields of cases) {
    const expected = 'reduce_only' in fields ? ['REJECTED', 'Reduce-only order would increase position'] : ['ACKED', null];
    assert.deepEqual(await told(extendedOrder(owner, { symbol, price: '90', ...fields })), expected, JSON.stringify(fields));
  }
});

test('an order with a trigger is accepted and waits; it takes part in protection only if it says so', async () => {
  const trigger = { by: 'index', direction: 'above', price: '900000' };
  for (const [fields, enabled] of [[{}, false], [{ mmp_enabled: false }, false], [{ mmp_enabled: true }, true]] as const) {
    const { body } = await venue.send('POST', '/order', extendedOrder(owner, { symbol, price: '90', tif: 'ioc', trigger, ...fields }));
    assert.deepEqual([body.status, body.order_status, body.filled_size, body.info.mmp_enabled], ['ACKED', 'untriggered', 0, enabled]);
  }
  const many = Array.from({ length: 17 }, () => extendedOrder(owner, { symbol, price: '90', trigger }));
  for (const one of many) assert.deepEqual(await told(one), ['ACKED', null]);
  assert.deepEqual(await told(extendedOrder(owner, { symbol, price: '90', trigger })), ['REJECTED', 'Too many trigger orders']);
});

test('null counts as absent: the order is a plain one, signed as such', async () => {
  const nothing = { post_only: null, expires_at: null, valid_until: null, stp: null, trigger: null, link_id: null };
  assert.deepEqual(await told({ ...order(owner, { symbol, price: '90' }), ...nothing }), ['ACKED', null]);
});

test('form and enumerations are refused before the signature', async () => {
  const trigger = { by: 'index', direction: 'above', price: '100' };
  const cases: [object, string[]][] = [
    [{ post_only: 'maker' }, invalid('post_only must be true, false or one of slide')],
    [{ stp: 'cancel_newest' }, invalid('stp must be one of cancel_maker, cancel_taker, cancel_both')],
    [{ expires_at: 1.5 }, invalid('expires_at must be an integer from 1 to 9007199254740991')],
    [{ expires_at: 2 ** 53 }, invalid('expires_at must be an integer from 1 to 9007199254740991')],
    [{ valid_until: -1 }, invalid('valid_until must be an integer from 1 to 9007199254740991')],
    [{ link_id: '' }, invalid('link_id must be 1 to 32 letters, digits, underscores or hyphens')],
    [{ link_id: 'a b' }, invalid('link_id must be 1 to 32 letters, digits, underscores or hyphens')],
    [{ link_id: 'x'.repeat(33) }, invalid('link_id must be 1 to 32 letters, digits, underscores or hyphens')],
    [{ trigger: 5 }, invalid('trigger must be an object with by, direction, price')],
    [{ trigger: { ...trigger, by: 'last' } }, invalid('trigger.by must be one of index, theo, mark')],
    [{ trigger: { ...trigger, direction: 'up' } }, invalid('trigger.direction must be one of above, below')],
    [{ trigger: { ...trigger, limit: '1' } }, ['invalid_parameter', 'Unknown field: trigger.limit']],
    [{ trigger: { by: 'index', direction: 'above' } }, ['missing_field', 'Missing required field: trigger.price']],
    [{ link_id: 'a', route: 'rfq_only' }, invalid('an extended order cannot have the route rfq_only')],
  ];
  for (const [more, expected] of cases) {
    assert.deepEqual(await told({ ...order(owner, { symbol, price: '90' }), ...more }), expected, JSON.stringify(more));
  }
});

test('post-only needs gtc, and a trigger a price: refused after the signature, in their places', async () => {
  const trigger = { by: 'index', direction: 'above', price: '0' };
  const cases: [object, string][] = [
    [{ post_only: true, tif: 'ioc' }, 'Invalid parameter: post_only needs tif gtc'],
    [{ post_only: 'slide', tif: 'fok', size: '0' }, 'Invalid parameter: post_only needs tif gtc'],
    [{ post_only: true, tif: 'day' }, 'Invalid parameter: tif must be one of gtc, ioc, fok'],
    [{ trigger, size: '0' }, 'Size must be greater than 0'],
    [{ trigger }, 'Invalid parameter: trigger.price must be a price above 0 of at most 5 significant figures and 6 decimals, at most '
      + '1000000000 USDC'],
  ];
  for (const [more, message] of cases) {
    const body = extendedOrder(owner, { symbol, price: '90', ...more } as Parameters<typeof extendedOrder>[1]);
    assert.deepEqual(await told(body), ['invalid_parameter', message]);
    assert.deepEqual((await told({ ...body, price: '91' }))[0], 'unauthorized', 'the signature comes first');
  }
});

test('an order that comes too late or has expired is rejected, and its nonce stays free', async () => {
  const { now } = venue.core;
  const nonce = freshNonce();
  assert.deepEqual(await told(extendedOrder(owner, { symbol, price: '90', valid_until: now, expires_at: now, nonce })), [
    'REJECTED', 'Request came too late',
  ]);
  assert.deepEqual(await told(extendedOrder(owner, { symbol, price: '90', expires_at: now, nonce })), ['REJECTED', 'Order expired']);
  assert.deepEqual(await told(extendedOrder(owner, { symbol, price: '90', expires_at: now + 60_000, nonce })), ['ACKED', null]);
});

test('every value that is signed must be the one that is sent', async () => {
  const { now } = venue.core;
  const trigger = { by: 'index', direction: 'above', price: '100' };
  const body = extendedOrder(owner, {
    symbol, price: '90', post_only: true, expires_at: now + 60_000, valid_until: now + 60_000, stp: 'cancel_both', link_id: 'a', trigger,
  });
  const changes: object[] = [
    { post_only: 'slide' }, { expires_at: now + 60_001 }, { valid_until: now + 60_001 }, { stp: 'cancel_taker' }, { link_id: 'b' },
    { trigger: { ...trigger, by: 'mark' } }, { trigger: { ...trigger, direction: 'below' } }, { trigger: { ...trigger, price: '100.0' } },
    { reduce_only: true }, { link_id: undefined }, { client_id: 'c' },
  ];
  for (const change of changes) assert.equal((await told({ ...body, ...change }))[0], 'unauthorized', JSON.stringify(change));
});

test('perps are signed the same way, by the symbol alone', async () => {
  const perp = { symbol: 'BTC-PERP', price: '90000', size: '0.01', link_id: 'p' };
  assert.deepEqual(await told(extendedOrder(owner, { ...perp, underlying: 'BTC' })), ['ACKED', null]);
  assert.deepEqual(await told(extendedOrder(owner, perp)), ['REJECTED', 'Perp order missing underlying symbol']);
  assert.deepEqual(await told(extendedOrder(owner, { ...perp, underlying: 'ETH' })), invalid('underlying must be that of BTC-PERP'));
});

test('a replacement may be extended', async () => {
  const { body: { order_id: id } } = await venue.post('/order', order(owner, { symbol, price: '80' }));
  assert.deepEqual(await told(extendedReplace(owner, id, { symbol, price: '81', link_id: 'r', post_only: true }), 'PUT'), ['ACKED', null]);
});

test('a client that signed the plain form of an extended order, or the other way round, is told so', async () => {
  const made = (form: string): string[] => ['signature_verification_failed', `Signature verification failed: it was made for ${form}`];
  const plain = 'an order without the fields of an extended one';
  const extended = 'an extended order, whose body has none of its fields';
  assert.deepEqual(await told({ ...order(owner, { symbol, price: '90' }), link_id: 'a' }), made(plain));
  assert.deepEqual(await told({ ...replace(owner, 1, { symbol, price: '90' }), post_only: true }, 'PUT'), made(plain));
  assert.deepEqual(await told({ ...extendedOrder(owner, { symbol, price: '90', client_id: '' }) }), made(extended));
  assert.deepEqual(await told(extendedReplace(owner, 1, { symbol, price: '90' }), 'PUT'), made(extended));
});

test('in bulk the same fields and texts hold for each item', async () => {
  const orders = [
    extendedOrder(owner, { symbol, price: '90', link_id: 'bulk' }), { ...order(owner, { symbol, price: '90' }), stp: 'none' },
    order(owner, { symbol, price: '90' }),
  ];
  const { body } = await venue.post('/bulk_order', { orders });
  assert.deepEqual(body.results.map((one: any) => [one.success, one.error]), [
    [true, undefined], [false, 'Invalid parameter: stp must be one of cancel_maker, cancel_taker, cancel_both'], [true, undefined],
  ]);
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
