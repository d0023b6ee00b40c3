// Orders over HTTP through the whole api thread and the real core: accepted, refused with every text of the interface, and never altered
// on the way.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULT_LIMITS, TIER1 } from '../../../core/tiers.ts';
import { accountCount } from '../../../core/accounts/accounts.ts';
import { Harness, TOKEN, until } from './harness.ts';
import { approve, cancel, cancelByCloid, freshNonce, order } from './requests.ts';
import { DOMAIN, digestOfMessage, ethersSigner, nobleSigner } from './wallets.ts';

const maker = ethersSigner(1);
const taker = nobleSigner(2);
const STRANGER = 'Unauthorized: signer not authorized for wallet';

let venue: Harness;
let symbol: string;
/** Another one, whose book only the tests of cancels touch. */
let quiet: string;
before(() => {
  venue = new Harness();
  [symbol, quiet] = venue.calls() as [string, string];
});
after(() => venue.close());

async function rejected(body: unknown, reason: string): Promise<void> {
  const answer = await venue.post('/order', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(
    [answer.body.status, answer.body.reason, answer.body.order_id, answer.body.filled_size], ['REJECTED', reason, null, 0],
  );
}

async function refused(path: string, body: unknown, status: number, error: string, message: string | RegExp): Promise<void> {
  const answer = await venue.post(path, body);
  assert.deepEqual([answer.status, answer.body.error], [status, error]);
  if (typeof message === 'string') assert.equal(answer.body.message, message);
  else assert.match(answer.body.message, message);
}

test('an order is acknowledged with every field, and price and size as sent', async () => {
  const body = order(maker, { symbol, size: '0.50', price: '100.0', client_id: 'first', nonce: 1 });
  const { status, body: update } = await venue.post('/order', body);
  assert.equal(status, 200);
  assert.deepEqual(update, {
    timestamp: venue.core.now,
    info: {
      symbol, price: '100.0', size: '0.50', side: 'Buy', tif: 'gtc', client_id: 'first', order_id: update.order_id, is_perp: false,
      underlying: null, reduce_only: false, nonce: 1, signature: null, mmp_enabled: true, builder_code_address: null,
    },
    status: 'ACKED', reason: null, order_status: 'open', end_reason: null, filled_size: 0, order_id: update.order_id,
    wallet_address: maker.address, mmp_triggered: false,
  });
  assert.ok(Number.isInteger(update.order_id) && update.order_id >= 1);
  const sold = await venue.post('/order', order(taker, { symbol, side: 'Sell', size: '0.2', price: '100' }));
  assert.deepEqual([sold.body.status, sold.body.filled_size], ['ACKED', 0.2]);
  const gone = await venue.post('/cancel', cancel(maker, update.order_id));
  const { info, status: state, filled_size: filled, order_id: id, reason } = gone.body;
  assert.deepEqual([state, filled, id, reason], ['CANCELED', 0.2, update.order_id, null]);
  assert.deepEqual([info.price, info.size, info.client_id, info.nonce], ['100', '0.5', 'first', null]);
});

test('a nonce above 2^53 keeps every digit on the way in and out', async () => {
  const nonce = 18_446_744_073_709_551_615n;
  const body = order(maker, { symbol, nonce, tif: 'ioc' });
  const text = JSON.stringify({ ...body, nonce: 0 }).replace('"nonce":0', `"nonce":${nonce}`);
  const response = await fetch(`${venue.url}/order`, { method: 'POST', body: text });
  const answer = await response.text();
  assert.equal(response.status, 200, answer);
  assert.match(answer, /"status":"ACKED"/);
  assert.ok(answer.includes(`"nonce":${nonce},`), answer);
});

test('a symbol in exchange style is signed as sent and shown in canonical form', async () => {
  const [, date] = symbol.split('-') as [string, string];
  const month = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'][Number(date.slice(4, 6)) - 1];
  const styled = symbol.replace(date, `${date.slice(6)}${month}${date.slice(2, 4)}`);
  const { body } = await venue.post('/order', order(maker, { symbol: styled, tif: 'ioc' }));
  assert.deepEqual([body.status, body.info.symbol], ['ACKED', symbol]);
});

test('values are checked after the signature; the first invalid one is named with the interface\'s text', async () => {
  const cases: [object, string][] = [
    [{ side: 'buy', tif: 'GTC' }, 'Invalid parameter: side must be one of Buy, Sell'],
    [{ tif: 'GTC', size: '0' }, 'Invalid parameter: tif must be one of gtc, ioc, fok'],
    [{ size: '0', price: '0' }, 'Size must be greater than 0'],
    [{ size: '-1' }, 'Size must be greater than 0'],
    [{ size: '1e3' }, 'Size must be greater than 0'],
    [{ size: '0.0000001' }, 'Size must be greater than 0'],
    [{ size: '9'.repeat(64) }, 'Size must be greater than 0'],
    [{ size: `${'0'.repeat(70)}1` }, 'Size must be greater than 0'],
    [{ size: '1000000001' }, 'Size must be at most 1000000000 contracts'],
    [{ price: '0', symbol: 'x' }, 'Price must be greater than 0'],
    [{ price: '.5' }, 'Price must be greater than 0'],
    [{ price: '9'.repeat(65) }, 'Price must be greater than 0'],
    [{ price: '100.001' }, 'Price validation failed: Price 100.001 has 6 significant figures, maximum allowed is 5'],
    [{ price: '0123456.0' }, 'Price validation failed: Price 0123456.0 has 6 significant figures, maximum allowed is 5'],
    [{ price: '0.0000001' }, 'Price validation failed: Price 0.0000001 has more than 6 decimals'],
    [{ price: '1000100000' }, 'Price must be at most 1000000000 USDC'],
    [{ price: '90000', size: '1000000' }, 'Price times size must be at most 9000000000 USDC'],
    [{ symbol: 'BTC-20261332-1-C' }, 'Invalid option symbol: BTC-20261332-1-C'],
    [{ symbol: 'BTC', client_id: 'x'.repeat(65) }, 'Invalid option symbol: BTC'],
    [{ client_id: 'é'.repeat(33) }, 'Invalid parameter: client_id must be at most 64 bytes'],
  ];
  for (const [fields, message] of cases) await refused('/order', order(maker, { symbol, ...fields }), 400, 'invalid_parameter', message);
  const tooLong = cancelByCloid(maker, 'x'.repeat(65));
  await refused('/cancel-by-cloid', tooLong, 400, 'invalid_parameter', 'Invalid parameter: client_id must be at most 64 bytes');
});

test('missing and invalid fields are refused before the signature is checked', async () => {
  const body = order(maker, { symbol });
  const without = (name: string) => ({ ...body, [name]: undefined });
  for (const name of ['wallet', 'symbol', 'side', 'size', 'price', 'tif', 'client_id', 'nonce', 'signature']) {
    await refused('/order', without(name), 400, 'missing_field', `Missing required field: ${name}`);
  }
  assert.equal((await venue.post('/order', { ...body, price: 100 })).body.error, 'invalid_parameter');
  assert.equal((await venue.post('/order', { ...body, wallet: '0x12' })).body.error, 'invalid_wallet');
  await refused('/order', { ...body, reduce_only: true }, 400, 'missing_field', 'Missing required field: route');
});

test('a field that another one requires is reported missing before any invalid one', async () => {
  const wrong = { ...order(maker, { symbol }), wallet: '0x12', price: 100, signature: '0x' };
  await refused('/order', { ...wrong, client_id: undefined }, 400, 'missing_field', 'Missing required field: client_id');
  await refused('/order', { ...wrong, reduce_only: true }, 400, 'missing_field', 'Missing required field: route');
  await refused('/order', { ...wrong, client_id: null, reduce_only: true }, 400, 'missing_field', 'Missing required field: client_id');
  await refused('/order', { ...wrong, client_id: null, route: 'nowhere' }, 400, 'invalid_parameter', /^Invalid parameter: price must be /);
  for (const perp of [{ symbol: 'BTC-PERP' }, { symbol: 'BTC', is_perp: true }]) {
    await refused('/order', { ...wrong, ...perp, reduce_only: true }, 400, 'invalid_parameter', /^Invalid parameter: price must be /);
  }
});

test('a routed order has its own structure, and its client id may be absent', async () => {
  const body = order(maker, { symbol, route: 'book_only', tif: 'ioc' });
  assert.equal((await venue.post('/order', body)).body.status, 'ACKED');
  const bare = order(maker, { symbol, route: 'best_execution', tif: 'ioc' });
  assert.equal((await venue.post('/order', { ...bare, client_id: undefined })).body.status, 'ACKED');
  const unrouted = order(maker, { symbol, tif: 'ioc' });
  const inserted = { ...unrouted, route: 'book_only' };
  const text = 'Signature verification failed: it was made for an order without route';
  await refused('/order', inserted, 400, 'signature_verification_failed', text);
  await rejected(order(maker, { symbol, route: 'rfq_only' }), 'RFQ is not available');
});

test('an order with any signed field changed is refused and has no effect', async () => {
  const accounts = accountCount(venue.core.state.accounts);
  const body = order(ethersSigner(50), { symbol, client_id: 'signed' });
  const changes = {
    wallet: maker.address, symbol: quiet, side: 'Sell', size: '1.1', price: '100.1', tif: 'ioc', client_id: '', nonce: freshNonce(),
  };
  for (const [name, value] of Object.entries(changes)) {
    const answer = await venue.post('/order', { ...body, [name]: value });
    assert.deepEqual([answer.status, answer.body.error, answer.body.message], [401, 'unauthorized', STRANGER], name);
    assert.equal(answer.body.domain.name, DOMAIN.name);
    assert.match(answer.body.recovered, /^0x[0-9a-f]{40}$/);
  }
  assert.equal(accountCount(venue.core.state.accounts), accounts);
  assert.equal((await venue.post('/order', body)).body.status, 'ACKED');
});

test('a signature without a valid signer is refused with the values that were computed', async () => {
  const body = order(maker, { symbol });
  const message = { wallet: body.wallet, symbol, side: 'Buy', size: '1', price: '100', tif: 'gtc', clientId: '', nonce: body.nonce };
  for (const signature of [`0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `${body.signature.slice(0, -2)}1d`]) {
    const answer = await venue.post('/order', { ...body, signature });
    assert.deepEqual([answer.status, answer.body.error, answer.body.recovered], [400, 'signature_verification_failed', null]);
    assert.equal(answer.body.digest, digestOfMessage('PlaceOrder', message));
    assert.match(answer.body.struct_hash, /^0x[0-9a-f]{64}$/);
    assert.deepEqual(answer.body.domain, DOMAIN);
  }
  assert.equal((await venue.post('/order', { ...body, signature: '0x12' })).body.error, 'signature_verification_failed');
});

test('engine rejections have the interface\'s texts, word for word', async () => {
  const { state } = venue.core;
  const unlisted = symbol.replace('-100000-', '-100001-');
  await rejected(order(maker, { symbol: unlisted }), `Invalid symbol: ${unlisted}`);
  await rejected(order(maker, { symbol: 'BTC-20200103-100000-C' }), 'Instrument has expired');
  const twice = { symbol, client_id: 'twice' };
  assert.equal((await venue.post('/order', order(maker, twice))).body.status, 'ACKED');
  await rejected(order(maker, twice), 'Duplicate client order id: twice');

  const poor = ethersSigner(60);
  assert.equal((await venue.post('/order', order(poor, { symbol, tif: 'ioc' }))).body.status, 'ACKED');
  const account = accountCount(state.accounts) - 1;
  const cash = state.accounts.cash[account]!;
  state.accounts.cash[account] = 0;
  await rejected(order(poor, { symbol }), 'Account has no funds. Please deposit before trading.');
  state.accounts.cash[account] = 1_005_000;
  const margin = await venue.post('/order', order(poor, { symbol, size: '10', price: '100' }));
  assert.match(margin.body.reason, /^Insufficient margin: required=\d+\.\d\d, available=1\.01, shortfall=\d+\.\d\d$/);
  state.accounts.cash[account] = cash;
  state.accounts.tier[account] = TIER1;
  await rejected(
    order(poor, { symbol, side: 'Sell', size: '1.50' }),
    `Tier1 users cannot go short. Filled long position: 0, total sell orders (including new): 1.5 (symbol: ${symbol})`,
  );
  venue.core.venue(venue.core.write.index(0, 100_000e6, 2));
  await rejected(order(maker, { symbol }), 'Failed to get portfolio: No spot price available for underlying: BTC');
  venue.core.venue(venue.core.write.index(0, 100_000e6, 1));
  venue.makeDurable();
});

test('a cancel of an order that is not open is rejected, and says why', async () => {
  const [rest, id] = await resting('by-name');
  await refused('/cancel', { ...cancel(maker, id), order_id: `0${id}` }, 401, 'unauthorized', STRANGER);
  const named = await venue.post('/cancel-by-cloid', cancelByCloid(maker, 'by-name'));
  assert.deepEqual([named.body.status, named.body.order_id], ['CANCELED', id]);
  await notCancelled('/cancel', cancel(maker, id), `Order ${id} was already cancelled`, rest.info.price);
  const padded = await venue.post('/cancel', cancel(maker, `0${id}`));
  assert.deepEqual([padded.body.reason, padded.body.info.order_id], [`Order ${id} was already cancelled`, id]);
  venue.forgotten.set(id, quiet);
  await notCancelled('/cancel', cancel(maker, id), `Order ${id} not found in orderbook ${quiet}`, rest.info.price);

  const [, filled] = await resting('filled');
  assert.equal((await venue.post('/order', order(taker, { symbol: quiet, side: 'Sell', tif: 'ioc' }))).body.filled_size, 1);
  await notCancelled('/cancel', cancel(maker, filled), `Order ${filled} is already filled and cannot be cancelled`, '100');
  await notCancelled('/cancel', cancel(taker, filled), `Order not found for cancellation: ${filled}`, '0', () => venue.done.delete(filled));
  await notCancelled('/cancel', cancel(maker, 999_999), 'Order not found for cancellation: 999999', '0');
  await notCancelled('/cancel-by-cloid', cancelByCloid(maker, 'never'), 'Order not found for cancellation: never', '0');
});

async function resting(clientId: string): Promise<[any, number]> {
  const { body } = await venue.post('/order', order(maker, { symbol: quiet, client_id: clientId }));
  assert.equal(body.status, 'ACKED', body.reason);
  return [body, body.order_id];
}

async function notCancelled(path: string, body: unknown, reason: string, price: string, prepare = () => {}): Promise<void> {
  prepare();
  const answer = await venue.post(path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual([answer.body.status, answer.body.reason, answer.body.order_id, answer.body.filled_size], ['REJECTED', reason, null, 0]);
  assert.equal(answer.body.info.price, price);
}

test('no answer is sent before its command is durable', async () => {
  venue.isStalled = true;
  let isAnswered = false;
  const answer = venue.post('/order', order(maker, { symbol, tif: 'ioc' })).then((value) => { isAnswered = true; return value; });
  const seq = venue.core.seq();
  await until(() => venue.core.seq() > seq);
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(isAnswered, false);
  venue.isStalled = false;
  venue.makeDurable();
  assert.equal((await answer).body.status, 'ACKED');
});

test('a repeated signed request gets its first result; another request with its nonce gets none', async () => {
  const body = order(maker, { symbol, client_id: 'once' });
  const first = await venue.post('/order', body);
  assert.equal(first.headers['idempotent-replay'], undefined);
  const again = await venue.post('/order', body);
  assert.equal(again.headers['idempotent-replay'], 'true');
  assert.deepEqual(again.body, first.body);
  const other = order(maker, { symbol, client_id: 'other', nonce: body.nonce });
  await refused('/order', other, 400, 'invalid_parameter', `Nonce ${body.nonce} already used`);
  const gone = cancel(maker, first.body.order_id);
  const cancelled = await venue.post('/cancel', gone);
  const cancelledAgain = await venue.post('/cancel', gone);
  assert.equal(cancelledAgain.headers['idempotent-replay'], 'true');
  assert.deepEqual([cancelledAgain.body.status, cancelledAgain.body.order_id], ['CANCELED', cancelled.body.order_id]);
  await rejected(order(maker, { symbol, route: 'rfq_only', nonce: 77 }), 'RFQ is not available');
  const later = await venue.post('/order', order(maker, { symbol, tif: 'ioc', nonce: 77 }));
  assert.equal(later.body.status, 'ACKED', 'a refusal uses no nonce');
});

test('an agent acts for its wallet once it is approved', async () => {
  const agent = nobleSigner(70);
  const body = () => order(agent, { symbol, wallet: maker.address, tif: 'ioc' });
  assert.equal((await venue.post('/order', body())).status, 401);
  assert.equal((await venue.post('/approve-agent', approve(maker, agent.address))).body.success, true);
  const { body: update } = await venue.post('/order', body());
  assert.deepEqual([update.status, update.wallet_address], ['ACKED', maker.address]);
});

test('an order beyond a cap is 400 limit_exceeded', async () => {
  const table = DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 1, positions: 0 }));
  const capped = new Harness({ table });
  try {
    const owner = ethersSigner(80);
    const first = await capped.post('/order', order(owner, { symbol, price: '100' }));
    assert.deepEqual([first.status, first.body.error, first.body.message], [400, 'limit_exceeded', 'Maximum positions reached: 0']);
  } finally {
    capped.close();
  }
  const few = new Harness({ table: DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 1 })) });
  try {
    const owner = ethersSigner(81);
    assert.equal((await few.post('/order', order(owner, { symbol }))).body.status, 'ACKED');
    const second = await few.post('/order', order(owner, { symbol }));
    assert.deepEqual([second.status, second.body.error, second.body.message], [400, 'limit_exceeded', 'Maximum open orders reached: 1']);
    const large = await few.post('/order', order(ethersSigner(82), { symbol, size: '100000', price: '1' }));
    assert.deepEqual([large.body.error, large.body.message], ['limit_exceeded', 'Position limit reached: 100000000 USDC']);
    few.core.admission.diskLow = true;
    const low = await few.post('/order', order(ethersSigner(83), { symbol }));
    const told = [low.status, low.body.error, low.body.retry_after_secs, low.headers['retry-after']];
    assert.deepEqual(told, [503, 'engine_busy', 1, undefined]);
  } finally {
    few.close();
  }
});

test('a tier set by the operator takes effect', async () => {
  const owner = ethersSigner(90);
  assert.equal((await venue.post('/order', order(owner, { symbol, tif: 'ioc' }))).body.status, 'ACKED');
  const made = await venue.post('/user-tier', { wallet: owner.address, tier: 'tier1' }, { authorization: `Bearer ${TOKEN}` });
  const { limits, ...data } = made.body.data;
  assert.deepEqual([data, limits.max_open_orders], [{ wallet_address: owner.address, tier: 'tier1' }, 50]);
  assert.match((await venue.post('/order', order(owner, { symbol, side: 'Sell' }))).body.reason, /^Tier1 users cannot go short/);
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
