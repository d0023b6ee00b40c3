// Through a real venue: usernames, seen payouts, cancel-all, the second forms of the cancels, revoking all agents, and the operator's
// markets and competitions.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { bulk, createWallet, type Wallet } from '../../../scripts/client.ts';
import { RestVenue, TOKEN } from './venue.ts';

let venue: RestVenue;
let wallet: Wallet;
let symbols: string[];
const admin = createWallet();
before(async () => {
  venue = await RestVenue.start(null, ['--admin-wallets', admin.address]);
  symbols = await venue.symbols();
  wallet = await venue.opened(symbols[0]!);
});
after(() => venue.stop());

/** Orders far from the market; resolves with their ids. */
async function rest(owner: Wallet, on: readonly string[]): Promise<number[]> {
  const orders = on.map((symbol) => venue.sign.placeOrder(owner, { symbol, side: 'Buy', size: '1', price: '1' }));
  const { body } = await venue.send(bulk('POST /bulk_order', orders));
  return body['results'].map(({ data }: { data: { order_id: number } }) => data.order_id);
}

async function open(owner: Wallet): Promise<number[]> {
  const { body } = await venue.get(`/orders?wallet=${owner.address}&status=open`);
  return body['data'].map(({ order_id: id }: { order_id: number }) => id);
}

test('a username is set once a day, and found by wallet and by name in any case', async () => {
  const none = await venue.get(`/username?wallet=${wallet.address}`);
  assert.deepEqual([none.status, none.body], [404, { success: false, data: null, error: 'not_found', message: 'No username found' }]);
  assert.equal((await venue.get('/username')).status, 400);
  const body = { success: true, data: { wallet_address: wallet.address, username: 'Some_One1' }, error: null };
  const set = venue.sign.setUsername(wallet, 'Some_One1');
  const first = await venue.send(set);
  assert.deepEqual([first.status, first.body], [200, body]);
  const again = await venue.send(set);
  assert.deepEqual([again.body, again.headers['idempotent-replay']], [body, 'true']);
  for (const query of [`wallet=${wallet.address.toUpperCase().replace('0X', '0x')}`, 'username=some_one1', 'username=SOME_ONE1']) {
    assert.deepEqual((await venue.get(`/username?${query}`)).body, body, query);
  }
  const changed = await venue.send(venue.sign.setUsername(wallet, 'Another'));
  assert.deepEqual([changed.status, changed.body['error']], [409, 'conflict']);
  for (const bad of ['ab', 'a'.repeat(21), 'a b', 'ä'.repeat(5), '']) {
    const answer = await venue.send(venue.sign.setUsername(wallet, bad));
    const message = 'Invalid parameter: a username is 3 to 20 letters, digits or underscores';
    assert.deepEqual([answer.status, answer.body['error'], answer.body['message']], [400, 'invalid_parameter', message], bad);
  }
});

test('a username request is approved at once if the name is free, and 409 if it is taken', async () => {
  const other = await venue.opened(symbols[0]!);
  const taken = await venue.send(venue.sign.requestUsername(other, 'SOME_one1'));
  assert.deepEqual([taken.status, taken.body], [409, {
    success: false, data: null, error: 'conflict', message: 'Username is already taken: SOME_one1',
  }]);
  const plain = venue.sign.requestUsername(other, 'free_name');
  const { status, body } = await venue.send({ ...plain, body: plain.body!.replace('free_name', ' \\tfree_name  ') });
  const { id, created_at: created, ...data } = body['data'];
  assert.deepEqual([status, body['success'], data], [200, true, {
    wallet_address: other.address, requested_username: 'free_name', status: 'approved',
  }]);
  assert.ok(Number.isInteger(id) && id >= 1);
  assert.match(created, /^2026-01-05T00:0\d:\d\d\.\d{3}Z$/);
  assert.equal((await venue.get('/username?username=FREE_NAME')).body['data'].wallet_address, other.address);
});

test('unknown payout ids count as nothing, and another wallet in the query is 403', async () => {
  const { status, body } = await venue.send(venue.sign.seePayouts(wallet, [1, 2]));
  assert.deepEqual([status, body], [200, { success: true, requested: 2, affected: 0, error: null }]);
  const request = venue.sign.seePayouts(wallet, [1]);
  const other = await venue.send({ ...request, path: `${request.path}?wallet=0x${'00'.repeat(20)}` });
  assert.deepEqual([other.status, other.body['error']], [403, 'forbidden']);
  const many = await venue.send(venue.sign.seePayouts(wallet, Array.from({ length: 101 }, (_, i) => i + 1)));
  assert.deepEqual([many.status, many.body['message']], [400, 'Too many ids: 101, maximum is 100']);
});

test('cancel-all cancels a market, an underlying or everything', async () => {
  const [one, two] = symbols as [string, string];
  const [eth] = await venue.symbols('ETH') as [string];
  const ids = await rest(wallet, [one, two, one, eth]);
  assert.deepEqual((await open(wallet)).sort(), [...ids].sort());
  const cancelled = async (scope: string) => {
    const { status, body } = await venue.send(venue.sign.cancelAll(wallet, scope));
    return [status, body['success'], body['data'] ?? body['error']];
  };
  const told = (scope: string, count: number) => [200, true, { wallet_address: wallet.address, scope, cancelled: count, pending: false }];
  assert.deepEqual(await cancelled(one), told(one, 2));
  assert.deepEqual(await cancelled('BTC'), told('BTC', 1));
  assert.deepEqual(await open(wallet), [ids[3]]);
  assert.deepEqual(await cancelled(''), told('', 1));
  assert.deepEqual(await cancelled(''), told('', 0));
  assert.deepEqual(await open(wallet), []);
  const unknown = await venue.send(venue.sign.cancelAll(wallet, 'DOGE'));
  assert.deepEqual([unknown.status, unknown.body['message']], [400, 'Unknown underlying: DOGE']);
  const unlisted = await venue.send(venue.sign.cancelAll(wallet, 'BTC-20260105-7-C'));
  assert.deepEqual([unlisted.status, unlisted.body], [200, { success: false, data: null, error: 'Invalid symbol: BTC-20260105-7-C' }]);
});

test('DELETE /order and /order_cloid answer the order update in an envelope', async () => {
  const [id] = await rest(wallet, [symbols[0]!]) as [number];
  const request = { ...venue.sign.cancel(wallet, id), method: 'DELETE', path: '/order' };
  const done = await venue.send(request);
  assert.deepEqual([done.status, done.body['success'], done.body['error'], done.body['data'].status], [200, true, null, 'CANCELED']);
  const again = await venue.send({ ...venue.sign.cancel(wallet, id), method: 'DELETE', path: '/order' });
  const reason = `Order ${id} was already cancelled`;
  assert.deepEqual([again.status, again.body['success'], again.body['error'], again.body['data'].reason], [200, false, reason, reason]);
  const named = await venue.send({ ...venue.sign.cancelByCloid(wallet, 'nameless'), method: 'DELETE', path: '/order_cloid' });
  assert.deepEqual([named.body['success'], named.body['error']], [false, 'Order not found for cancellation: nameless']);
  const stranger = { ...venue.sign.cancel(wallet, id, createWallet()), method: 'DELETE', path: '/order' };
  const refused = await venue.send(stranger);
  const { success, data, error } = refused.body;
  assert.deepEqual([refused.status, success, data, error], [401, false, null, 'unauthorized']);
});

test('every agent of a wallet is revoked at once', async () => {
  const agents = [createWallet(), createWallet()];
  for (const agent of agents) await venue.send(venue.sign.approveAgent(wallet, agent.address));
  const listed = async () => (await venue.get(`/authorized-agents?wallet=${wallet.address}`)).body['agents'];
  assert.equal((await listed()).length, 2);
  const { status, body } = await venue.send(venue.sign.revokeAllAgents(wallet));
  assert.deepEqual([status, body], [200, { success: true, error: null }]);
  assert.deepEqual(await listed(), []);
});

test('an admin wallet\'s signature sets a tier, and nobody else\'s does', async () => {
  const own = await venue.send(venue.sign.setUserTier(wallet.address, 'market_maker', wallet));
  assert.deepEqual([own.status, own.body['error']], [401, 'unauthorized']);
  const { status, body } = await venue.send(venue.sign.setUserTier(wallet.address, 'tier2', admin));
  assert.deepEqual([status, body['success'], body['data'].wallet_address, body['data'].tier], [200, true, wallet.address, 'tier2']);
  assert.deepEqual((await venue.get(`/user-tier?wallet=${wallet.address}`)).body, body);
});

test('the operator lists a market and deletes it, which cancels its orders', async () => {
  const symbol = 'BTC-20260109-123456-C';
  const market = { symbol, underlying: 'BTC', expiry: Date.UTC(2026, 0, 9, 8) / 1_000, strike: '123456', option_type: 'call' };
  const signed = { wallet: 'not looked at', nonce: -1, signature: 7 };
  const made = await venue.admin('POST', '/markets', { symbol: 'BTC-9JAN26-123456-C', ...signed });
  const { timestamp, ...data } = made.body['data'];
  assert.deepEqual([made.status, made.body['success'], made.body['message'], data], [
    200, true, `Market created: ${symbol}`, { market, status: 'MARKET_CREATED' },
  ]);
  assert.ok(timestamp >= Date.UTC(2026, 0, 5));
  assert.ok((await venue.symbols()).includes(symbol));
  const twice = await venue.admin('POST', '/markets', { symbol });
  assert.deepEqual([twice.status, twice.body['error'], twice.body['message']], [409, 'conflict', `Market exists already: ${symbol}`]);
  const [id] = await rest(wallet, [symbol]) as [number];
  const gone = await venue.admin('DELETE', '/markets', { symbol });
  assert.deepEqual([gone.status, gone.body['data'].status], [200, 'MARKET_DELETED']);
  assert.ok(!(await venue.symbols()).includes(symbol));
  const cancel = await venue.send(venue.sign.cancel(wallet, id));
  assert.equal(cancel.body['status'], 'REJECTED');
  assert.equal(cancel.body['reason'], `Orderbook not found for symbol: ${symbol}`);
  await venue.admin('POST', '/markets', { symbol });
  assert.equal((await venue.send(venue.sign.cancel(wallet, id))).body['reason'], `Order ${id} was already cancelled`);
  await venue.admin('DELETE', '/markets', { symbol });
  const order = await venue.send(venue.sign.placeOrder(wallet, { symbol, side: 'Buy', size: '1', price: '1' }));
  assert.deepEqual([order.body['status'], order.body['reason']], ['REJECTED', `Invalid symbol: ${symbol}`]);
  for (const [method, body, status, error] of [
    ['DELETE', { symbol }, 404, 'not_found'], ['DELETE', { symbol: 'BTC-20260109-7-P' }, 404, 'not_found'],
    ['POST', { symbol: 'BTC-PERP' }, 400, 'invalid_parameter'], ['POST', { symbol: 'BTC' }, 400, 'invalid_parameter'],
    ['POST', { symbol: 'BTC-20200109-7-P' }, 400, 'invalid_parameter'], ['POST', { symbol: 'DOGE-20260109-7-P' }, 400, 'invalid_parameter'],
  ] as const) {
    const answer = await venue.admin(method, '/markets', body);
    assert.deepEqual([answer.status, answer.body['error']], [status, error], JSON.stringify(body));
  }
  for (const headers of [{}, { authorization: `Bearer ${TOKEN}x` }]) {
    assert.equal((await venue.admin('POST', '/markets', { symbol }, headers as Record<string, string>)).status, 401);
  }
});

test('a market with open interest cannot be deleted', async () => {
  const [, symbol] = symbols as [string, string];
  const other = await venue.opened(symbol);
  await venue.send(venue.sign.placeOrder(other, { symbol, side: 'Buy', size: '1', price: '100' }));
  const sold = await venue.send(venue.sign.placeOrder(wallet, { symbol, side: 'Sell', size: '1', price: '100' }));
  assert.equal(sold.body['filled_size'], 1, JSON.stringify(sold.body));
  const { status, body } = await venue.admin('DELETE', '/markets', { symbol });
  assert.deepEqual([status, body['error'], body['message']], [409, 'conflict', `Market has open interest: ${symbol}`]);
});

test('the operator creates a competition', async () => {
  const start = Date.UTC(2026, 0, 6);
  const body = { name: 'Cup', win_conditions: ['volume', 'pnl'], primary_win_condition: 'pnl', start_ts_ms: start, end_ts_ms: start + 1 };
  const made = await venue.admin('POST', '/competitions', body);
  const { created_at: created, updated_at: updated, ...data } = made.body['data'];
  assert.deepEqual([made.status, made.body['success'], data], [200, true, {
    id: 1, name: 'Cup', description: null, rules_url: null, rules_content: null, win_conditions: ['pnl', 'volume'],
    primary_win_condition: 'pnl', start_ts_ms: start, end_ts_ms: start + 1, state: 'pre',
  }]);
  assert.equal(created, updated);
  const bad = [
    { ...body, primary_win_condition: 'efficiency' }, { ...body, end_ts_ms: start }, { ...body, win_conditions: ['pnl', 'pnl'] },
    { ...body, win_conditions: ['luck'] }, { ...body, start_ts_ms: 1, end_ts_ms: 2 }, { ...body, name: '' },
  ];
  for (const one of bad) {
    const { status, body: { error } } = await venue.admin('POST', '/competitions', one);
    assert.deepEqual([status, error], [400, 'invalid_parameter'], JSON.stringify(one));
  }
  assert.equal((await venue.admin('POST', '/competitions', { ...body, name: 'Second' })).body['data'].id, 2);
});
