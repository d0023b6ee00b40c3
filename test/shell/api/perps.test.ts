// Perp orders: signed over their hash by the wallet or an agent, checked in order, answered as perps, and by socket not overtaken by
// later requests.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { accountCount } from '../../../core/accounts/accounts.ts';
import { ORDER_IDS } from '../../../core/orders/orders.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { Harness, until } from './harness.ts';
import { perp } from './perps.ts';
import { approve, cancel, cancelByCloid, freshNonce } from './requests.ts';
import { ethersSigner, nobleSigner } from './wallets.ts';

const maker = ethersSigner(201);
const taker = nobleSigner(202);
const STRANGER = 'Unauthorized: signer not authorized for wallet';

let venue: Harness;
before(() => { venue = new Harness(); });
after(() => venue.close());

async function refused(body: unknown, status: number, error: string, message: string): Promise<void> {
  const answer = await venue.post('/order', body);
  assert.deepEqual([answer.status, answer.body.error, answer.body.message], [status, error, message]);
}

async function rejected(body: unknown, reason: string): Promise<any> {
  const answer = await venue.post('/order', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual([answer.body.status, answer.body.reason, answer.body.order_id], ['REJECTED', reason, null]);
  return answer.body;
}

test('a perp order is acknowledged as such, trades, and is cancelled like an option order', async () => {
  const cloid = `0x${'0a'.repeat(16)}`;
  const body = perp(maker, { size: '0.50', price: '99000', client_id: cloid, nonce: 7 });
  const { status, body: update } = await venue.post('/order', body);
  assert.equal(status, 200, JSON.stringify(update));
  assert.deepEqual(update, {
    timestamp: venue.core.now,
    info: {
      symbol: 'BTC-PERP', price: '99000', size: '0.50', side: 'Buy', tif: 'gtc', client_id: cloid, order_id: update.order_id, is_perp: true,
      underlying: 'BTC', reduce_only: false, nonce: 7, signature: null, mmp_enabled: true, builder_code_address: null,
    },
    status: 'ACKED', reason: null, order_status: 'open', end_reason: null, filled_size: 0, order_id: update.order_id,
    wallet_address: maker.address, mmp_triggered: false,
  });
  const sold = await venue.post('/order', perp(taker, { side: 'Sell', size: '0.2', price: '99000', tif: 'ioc' }));
  assert.deepEqual([sold.body.status, sold.body.filled_size], ['ACKED', 0.2]);
  const gone = await venue.post('/cancel', cancel(maker, update.order_id));
  const { info } = gone.body;
  assert.deepEqual([gone.body.status, gone.body.filled_size], ['CANCELED', 0.2]);
  assert.deepEqual([info.symbol, info.is_perp, info.underlying, info.reduce_only], ['BTC-PERP', true, 'BTC', false]);
});

test('the asset index is that of the symbol, and with is_perp the bare underlying is enough', async () => {
  const eth = { symbol: 'ETH-PERP', underlying: 'ETH', asset: 1, price: '2900' };
  assert.equal((await venue.post('/order', perp(maker, eth))).body.status, 'ACKED');
  assert.equal((await venue.post('/order', perp(maker, { ...eth, asset: 0 }))).status, 401);
  const bare = await venue.post('/order', perp(maker, { ...eth, symbol: 'ETH', is_perp: true }));
  assert.deepEqual([bare.body.status, bare.body.info.symbol], ['ACKED', 'ETH-PERP']);
  for (const symbol of ['DOGE-PERP', 'btc-PERP', '-PERP']) {
    await refused(perp(maker, { symbol }), 400, 'invalid_parameter', `Invalid perp symbol: ${symbol}`);
  }
  const option = venue.calls()[0]!;
  await refused(perp(maker, { symbol: option, is_perp: true }), 400, 'invalid_parameter', `Invalid perp symbol: ${option}`);
});

test('every time in force and client id is part of the hash', async () => {
  for (const tif of ['gtc', 'ioc', 'fok']) {
    for (const clientId of ['', `0x${freshNonce().toString(16).padStart(32, '0')}`]) {
      const { body } = await venue.post('/order', perp(maker, { tif, client_id: clientId, price: '90000' }));
      assert.deepEqual([body.status, body.info.tif, body.info.client_id], ['ACKED', tif, clientId], body.reason);
    }
  }
});

test('a perp order with any signed field changed is refused', async () => {
  const body = perp(maker, { client_id: `0x${'0b'.repeat(16)}`, price: '90000' });
  const changes = {
    wallet: taker.address, symbol: 'ETH-PERP', side: 'Sell', size: '1.1', price: '90001', tif: 'ioc', client_id: '', reduce_only: true,
    nonce: freshNonce(),
  };
  for (const [name, value] of Object.entries(changes)) {
    const answer = await venue.post('/order', { ...body, [name]: value });
    assert.deepEqual([answer.status, answer.body.error, answer.body.message], [401, 'unauthorized', STRANGER], name);
    assert.deepEqual([answer.body.domain.name, answer.body.domain.chainId], ['Exchange', 1337]);
  }
  assert.equal((await venue.post('/order', perp(maker, { source: 'elsewhere' }))).status, 401);
  assert.equal((await venue.post('/order', { ...body, signature: `0x${'00'.repeat(65)}` })).body.error, 'signature_verification_failed');
  assert.equal((await venue.post('/order', body)).body.status, 'ACKED');
});

test('an agent signs in its own form, and neither form is accepted for the other', async () => {
  const agent = nobleSigner(210);
  const byAgent = () => perp(agent, { wallet: maker.address, price: '90000' });
  assert.equal((await venue.post('/order', byAgent())).status, 401);
  assert.equal((await venue.post('/approve-agent', approve(maker, agent.address))).body.success, true);
  const { body } = await venue.post('/order', byAgent());
  assert.deepEqual([body.status, body.wallet_address], ['ACKED', maker.address], body.reason);
  assert.equal((await venue.post('/order', { ...perp(agent, { wallet: maker.address }), wallet: taker.address })).status, 401);
  assert.equal((await venue.post('/order', perp(agent, { wallet: maker.address, form: 'wallet' }))).status, 401);
  assert.equal((await venue.post('/order', perp(maker, { form: 'agent' }))).status, 401);
});

test('values are checked after the signature, in order', async () => {
  const cases: [object, string][] = [
    [{ side: 'hold', tif: 'day' }, 'Invalid parameter: side must be one of Buy, Sell'],
    [{ tif: 'Gtc', size: '0' }, 'Invalid parameter: tif must be one of gtc, ioc, fok'],
    [{ size: '0', price: '0' }, 'Size must be greater than 0'],
    [{ price: '100000.5', client_id: '' }, 'Price validation failed: Price 100000.5 has 7 significant figures, maximum allowed is 5'],
    [{ underlying: 'ETH' }, 'Invalid parameter: underlying must be that of BTC-PERP'],
  ];
  for (const [fields, message] of cases) await refused(perp(maker, fields), 400, 'invalid_parameter', message);
  const named = { ...perp(maker, {}), client_id: 'mine', underlying: undefined };
  const text = 'Invalid parameter: client_id of a perp order must be empty or 0x and 32 hex digits';
  await refused(named, 400, 'invalid_parameter', text);
});

test('a perp order without underlying is rejected after signer, rate and caps, before the engine', async () => {
  const body = perp(maker, { underlying: undefined, price: '90000' });
  const { info } = await rejected(body, 'Perp order missing underlying symbol');
  assert.deepEqual([info.is_perp, info.underlying], [true, null]);
  const accounts = accountCount(venue.core.state.accounts);
  await rejected(perp(nobleSigner(203), { underlying: undefined }), 'Perp order missing underlying symbol');
  assert.equal(accountCount(venue.core.state.accounts), accounts + 1, 'the engine’s rejections open the account');
  await refused({ ...body, wallet: taker.address }, 401, 'unauthorized', STRANGER);
  assert.equal((await venue.post('/order', { ...body, underlying: 'BTC' })).body.status, 'ACKED', 'its nonce was not used');
  const capped = new Harness({ table: DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 0 })) });
  try {
    const answer = await capped.post('/order', perp(maker, { underlying: undefined }));
    assert.deepEqual([answer.status, answer.body.error], [400, 'limit_exceeded']);
  } finally {
    capped.close();
  }
});

test('the route of a perp is unsigned, and rfq_only is still rejected', async () => {
  const body = perp(maker, { price: '80000', tif: 'ioc' });
  const refusal = await rejected({ ...body, route: 'rfq_only' }, 'RFQ is not available');
  assert.equal(refusal.info.symbol, 'BTC-PERP');
  for (const route of ['best_execution', 'book_only']) {
    const { client_id: _, ...bare } = perp(maker, { price: '80000', tif: 'ioc' });
    assert.equal((await venue.post('/order', { ...bare, route })).body.status, 'ACKED');
  }
  // The rejection has not used the nonce, and the signature is the same.
  assert.equal((await venue.post('/order', body)).body.status, 'ACKED');
});

test('reduce-only is signed as r and needs no route', async () => {
  const alone = nobleSigner(220);
  await rejected(perp(alone, { reduce_only: true }), 'Reduce-only order would increase position');
  const fields = { side: 'Sell', size: '1', price: '90000', tif: 'ioc' };
  assert.equal((await venue.post('/order', perp(alone, { size: '0.1', price: '95000' }))).body.status, 'ACKED');
  assert.equal((await venue.post('/order', perp(taker, { ...fields, price: '95000', size: '0.1' }))).body.filled_size, 0.1);
  const { body } = await venue.post('/order', perp(alone, { ...fields, reduce_only: true }));
  assert.deepEqual([body.status, body.info.reduce_only], ['ACKED', true], body.reason);
  assert.ok(body.filled_size <= 0.1);
});

test('a repeated signed request gets its first result', async () => {
  const body = perp(maker, { price: '90000' });
  const first = await venue.post('/order', body);
  const again = await venue.post('/order', body);
  assert.equal(again.headers['idempotent-replay'], 'true');
  assert.deepEqual(again.body, first.body);
});

test('an underlying that main has announced has its asset index at once, and others are refused', async () => {
  const fresh = new Harness();
  try {
    fresh.service.setUnderlyings(['ETH', 'BTC', 'SOL']);
    assert.equal((await fresh.post('/order', perp(maker, { asset: 1, price: '90000' }))).body.status, 'ACKED');
    const { body } = await fresh.post('/order', perp(maker, { symbol: 'SOL-PERP', underlying: 'SOL', asset: 2 }));
    assert.equal(body.reason, 'Invalid symbol: SOL-PERP', 'known here, so the engine refuses it');
    assert.deepEqual(fresh.asked, []);
  } finally {
    fresh.close();
  }
});

test('the signed source is the service\'s name; a default venue also accepts b, from wallet and agents', async () => {
  const [owner, agent] = [ethersSigner(230), nobleSigner(231)];
  assert.equal((await venue.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }))).body.success, true);
  for (const signer of [owner, agent]) {
    for (const source of ['Strikebook', 'b']) {
      const { body } = await venue.post('/order', perp(signer, { wallet: owner.address, source, tif: 'ioc' }));
      assert.equal(body.status, 'ACKED', body.message);
    }
    assert.equal((await venue.post('/order', perp(signer, { wallet: owner.address, source: 'a' }))).status, 400);
  }
  const body = perp(agent, { wallet: owner.address, source: 'b', tif: 'ioc' });
  assert.equal((await venue.post('/order', body)).body.status, 'ACKED');
  assert.equal((await venue.post('/order', body)).headers['idempotent-replay'], 'true');
  assert.equal((await venue.post('/order', { ...perp(agent, { wallet: taker.address, source: 'b' }) })).status, 401);
});

test('a venue with its own name accepts only that source, whatever its chain id', async () => {
  for (const chain of ['998', '999', '1337']) {
    const own = new Harness({ flags: ['--chain-id', chain, '--service-name', 'Somewhere'] });
    try {
      for (const source of ['a', 'b', 'Strikebook']) assert.equal((await own.post('/order', perp(maker, { source }))).status, 400, source);
      const { body } = await own.post('/order', perp(maker, { source: 'Somewhere' }));
      assert.equal(body.status, 'ACKED', body.reason);
    } finally {
      own.close();
    }
  }
});

test('an agent\'s order works with either source without asking the reader, and later messages wait for it', async () => {
  const fresh = new Harness();
  try {
    const [owner, agent] = [ethersSigner(234), nobleSigner(235)];
    await fresh.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }));
    const frames: any[] = [];
    const socket = new WebSocket(`${fresh.url.replace('http', 'ws')}/ws`);
    socket.onmessage = ({ data }) => frames.push(JSON.parse(data as string));
    await until(() => frames.splice(0).some(({ type }) => type === 'Hello'));
    for (const [nth, source] of ['b', 'Strikebook'].entries()) {
      const cloid = `0x${String(nth).repeat(32)}`;
      const placing = perp(agent, { wallet: owner.address, source, price: '90000', client_id: cloid });
      socket.send(JSON.stringify({ type: 'PlaceOrder', ...placing }));
      socket.send(JSON.stringify({ type: 'CancelOrderByClientId', ...cancelByCloid(owner, cloid) }));
    }
    await until(() => frames.length === 4);
    assert.deepEqual(frames.map(({ status, reason }) => status ?? reason), ['ACKED', 'CANCELED', 'ACKED', 'CANCELED']);
    assert.deepEqual([fresh.asked, fresh.faults], [[], []]);
    socket.close();
  } finally {
    fresh.close();
  }
});

test('one request acts once, even if the wallet has approved both addresses that may have signed it', async () => {
  const [owner, agent] = [ethersSigner(236), nobleSigner(237)];
  const body = perp(agent, { wallet: owner.address, source: 'b', price: '90000' });
  // The answer to a stranger tells the address of the venue's own source.
  const { recovered } = (await venue.post('/order', body)).body;
  assert.notEqual(recovered, agent.address);
  for (const address of [recovered, agent.address]) await venue.post('/approve-agent', approve(owner, address, { wallet: owner.address }));
  const before = venue.core.state.orders.counters[ORDER_IDS]!;
  assert.equal((await venue.post('/order', body)).body.status, 'ACKED');
  assert.equal((await venue.post('/order', body)).headers['idempotent-replay'], 'true');
  assert.equal(venue.core.state.orders.counters[ORDER_IDS], before + 1);
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
