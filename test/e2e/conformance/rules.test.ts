// Rules of the interface that no error, bound or endpoint shows, each on a venue process: states and their changes, who may sign what,
// nonces, budgets, encodings, the socket. Requests are signed by ethers.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { perp } from '../../shell/api/perps.ts';
import { approve, cancel, freshNonce, mmpConfig, order, revoke } from '../../shell/api/requests.ts';
import { SocketClient } from '../../support/socket.ts';
import { Desk, LONG, NEXT, someone, type Answer } from './desk.ts';
import { TIERS } from '../../../client/conformance/law/bounds.ts';
import { UNLISTED } from './provoke.ts';

let desk: Desk;
/** A minute lasts six seconds. */
before(async () => { desk = await Desk.open({ start: '2026-01-05T07:00:00Z', speed: 10, caps: {} }); });
after(() => desk?.close());

const place = (body: object): Promise<Answer> => desk.post('/order', body);
const told = ({ body }: Answer): unknown[] => [body.status, body.reason];
const openOf = async (wallet: string): Promise<any[]> => (await desk.get(`/orders?wallet=${wallet}&status=open`)).body.data;
/** The venue's time, ms. */
const now = async (): Promise<number> => (await desk.get(`/orderbook?instrument_name=${LONG}`)).body.timestamp;

test('rule: a protection trigger cancels the wallet\'s other orders in the underlying', async () => {
  const [maker, taker] = [someone(), someone()];
  assert.equal((await desk.post('/mmp/config', mmpConfig(maker, { qty_limit: '1' }))).status, 200);
  await desk.rest(maker, { symbol: LONG, side: 'Sell', price: '90', size: '2' });
  const other = await desk.rest(maker, { symbol: NEXT, side: 'Sell', price: '95000', size: '1' });
  assert.equal((await place(order(taker, { symbol: LONG, price: '90', size: '2', tif: 'ioc' }))).body.filled_size, 2);
  await desk.until(async () => (await openOf(maker.address)).length === 0);
  const { body } = await desk.get(`/orders/status?wallet=${maker.address}&order_id=${other}`);
  assert.deepEqual([body.data.status, body.data.end_reason], ['canceled', 'Order canceled by MMP trigger']);
});

test('rule: an agent acts once its wallet has approved it, and no longer once it is revoked', async () => {
  const [owner, agent] = [someone(), someone()];
  const byAgent = (): Promise<Answer> => place({ ...order(agent, { symbol: LONG, wallet: owner.address, price: '1' }) });
  await desk.rest(owner, { symbol: LONG, price: '1' });
  assert.equal((await byAgent()).status, 401);
  assert.equal((await desk.post('/approve-agent', approve(owner, agent.address))).body.success, true);
  assert.equal((await byAgent()).body.status, 'ACKED');
  assert.deepEqual((await desk.get(`/authorized-agents?wallet=${owner.address}`)).body.agents, [agent.address]);
  assert.equal((await desk.post('/revoke-agent', revoke(owner, agent.address))).body.success, true);
  assert.equal((await byAgent()).status, 401);
});

test('rule: an agent does not act after its expiry', async () => {
  const [owner, agent] = [someone(), someone()];
  await desk.rest(owner, { symbol: LONG, price: '1' });
  const expires = await now() + 20_000;
  assert.equal((await desk.post('/approve-agent', approve(owner, agent.address, { expires_at: expires }))).body.success, true);
  const byAgent = (): Promise<Answer> => place(order(agent, { symbol: LONG, wallet: owner.address, price: '1', tif: 'ioc' }));
  let last = await byAgent();
  for (; last.status === 200; await sleep(250), last = await byAgent()) assert.equal(last.body.status, 'ACKED');
  assert.deepEqual([last.status, last.body.error], [401, 'unauthorized']);
  assert.ok(await now() >= expires);
});

test('rule: price and size are signed exactly as the texts in the body', async () => {
  const signer = someone();
  const body = order(signer, { symbol: LONG, price: '50.0', size: '1.50' });
  for (const changed of [{ price: '50' }, { price: '50.00' }, { size: '1.5' }, { size: '1.500' }]) {
    assert.equal((await place({ ...body, ...changed })).status, 401, JSON.stringify(changed));
  }
  for (const changed of [{ price: 50 }, { size: 1.5 }, { side: 'Sell' }, { symbol: NEXT }, { client_id: 'b' }, { tif: 'ioc' }]) {
    assert.ok([400, 401].includes((await place({ ...body, ...changed })).status), JSON.stringify(changed));
  }
  assert.deepEqual(await openOf(signer.address), [], 'nothing has acted');
  const placed = await place(body);
  assert.deepEqual([placed.body.status, placed.body.info.price, placed.body.info.size], ['ACKED', '50.0', '1.50']);
});

test('rule: the signer is the wallet or an active agent', async () => {
  const [owner, stranger] = [someone(), someone()];
  assert.equal((await place(order(owner, { symbol: LONG, price: '1' }))).body.status, 'ACKED');
  const { status, body } = await place(order(stranger, { symbol: LONG, price: '1', wallet: owner.address }));
  assert.deepEqual([status, body.error], [401, 'unauthorized']);
});

test('rule: a perp order is signed as an Agent in the domain Exchange, 1337', async () => {
  const signer = someone();
  const { body } = await place(perp(signer, { price: '90000', size: '0.1' }));
  assert.deepEqual([body.status, body.info.symbol, body.info.is_perp], ['ACKED', 'BTC-PERP', true], body.message);
  const foreign = await place(perp(signer, { price: '90000', source: 'a' }));
  assert.deepEqual([foreign.status, foreign.body.error], [400, 'signature_verification_failed'], 'an order of another venue');
});

test('rule: each item of a bulk is verified by itself', async () => {
  const signer = someone();
  const good = (price: string): object => order(signer, { symbol: LONG, price });
  const orders = [good('1'), { ...good('2'), price: '3' }, { ...good('4'), size: 1 }, good('5')];
  const { status, body } = await desk.post('/bulk_order', { orders });
  assert.equal(status, 200);
  assert.deepEqual(body.results.map(({ index, success }: any) => [index, success]), [[0, true], [1, false], [2, false], [3, true]]);
  assert.equal(body.results[1].error, 'Unauthorized: signer not authorized for wallet');
  assert.deepEqual((await openOf(signer.address)).map(({ price }) => price).sort(), ['1', '5']);
});

test('rule: nonces are unique per wallet, with gaps and in any order', async () => {
  const [signer, other] = [someone(), someone()];
  for (const nonce of [1_000, 5, 2 ** 40, 7]) {
    assert.equal((await place(order(signer, { symbol: LONG, price: '1', nonce }))).body.status, 'ACKED', String(nonce));
  }
  const { status, body } = await place(order(signer, { symbol: LONG, price: '2', nonce: 5 }));
  assert.deepEqual([status, body.error, body.message], [400, 'invalid_parameter', 'Nonce 5 already used']);
  assert.equal((await place(order(other, { symbol: LONG, price: '1', nonce: 5 }))).body.status, 'ACKED', 'of another wallet');
});

test('rule: a failed request may be sent again with its nonce', async () => {
  const signer = someone();
  const nonce = freshNonce();
  const refused = order(signer, { symbol: UNLISTED, nonce });
  for (let i = 0; i < 2; i++) assert.deepEqual(told(await place(refused)), ['REJECTED', `Invalid symbol: ${UNLISTED}`]);
  assert.equal((await place({ ...order(signer, { symbol: LONG, nonce }), price: '0' })).status, 401);
  assert.deepEqual(told(await place(order(signer, { symbol: LONG, price: '1', nonce }))), ['ACKED', null]);
});

test('bound: nonce', async () => {
  const signer = someone();
  const nonce = 2n ** 64n - 1n;
  const body = { ...order(signer, { symbol: LONG, price: '1', nonce }), nonce: 0 };
  const send = (digits: string): Promise<Answer> => desk.post('/order', JSON.stringify(body).replace('"nonce":0', `"nonce":${digits}`));
  const { status, text } = await send(String(nonce));
  assert.equal(status, 200, text);
  assert.ok(text.includes('"status":"ACKED"') && text.includes(`"nonce":${nonce},`), text);
  assert.equal((await send(String(nonce + 1n))).body.error, 'invalid_parameter');
  assert.equal((await send('-1')).body.error, 'invalid_parameter');
});

test('rule: success and error have X-RateLimit headers, and a spent window ends', async () => {
  const signer = someone();
  await desk.tier(signer, 'tier1');
  const limit = TIERS.tier1[0];
  const head = ({ headers }: Answer): string[] => ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`) ?? '');
  const send = (fields: object = {}): Promise<Answer> => place(order(signer, { symbol: LONG, price: '1', tif: 'ioc', ...fields }));
  let left: number | null = null;
  let last = await send();
  for (let sent = 1; last.status !== 429; sent++, last = await send(sent % 2 === 0 ? {} : { symbol: UNLISTED })) {
    assert.ok(sent <= 3 * limit, 'the budget never ends');
    const [of, remaining, reset] = head(last);
    assert.equal(of, String(limit));
    assert.equal(Number(reset) % 60, 0);
    // A window that has just begun has a whole budget again.
    assert.ok(left === null || Number(remaining) === left - 1 || Number(remaining) === limit - 1, `${remaining} after ${left}`);
    left = Number(remaining);
  }
  const [of, remaining, reset] = head(last);
  assert.deepEqual([of, remaining, last.body.error], [String(limit), '0', 'rate_limit_exceeded']);
  await desk.until(async () => await now() >= Number(reset) * 1_000);
  const again = await send();
  assert.deepEqual([again.status, head(again)[1]], [200, String(limit - 1)]);
});

test('rule: a bulk\'s budget is all or nothing per wallet, and another wallet\'s items act', async () => {
  const [spender, other] = [someone(), someone()];
  await desk.tier(spender, 'tier1');
  const items = Array.from({ length: TIERS.tier1[0] + 1 }, () => order(spender, { symbol: LONG, price: '1', tif: 'ioc' }));
  const { body } = await desk.post('/bulk_order', { orders: [...items, order(other, { symbol: LONG, price: '1' })] });
  assert.deepEqual(body.results.slice(0, -1).map(({ error }: any) => error), items.map(() => 'rate_limit_exceeded'));
  assert.equal(body.results.at(-1).success, true);
  const alone = await desk.post('/bulk_order', { orders: items });
  assert.deepEqual([alone.status, alone.body.error], [429, 'rate_limit_exceeded']);
  assert.equal((await place(items[0]!)).body.status, 'ACKED', 'none of them was counted');
});

test('rule: an expiry may be written as DDMMMYY', async () => {
  const symbol = LONG.replace('-20260327-', '-27MAR26-');
  const { body } = await place(order(someone(), { symbol, price: '1' }));
  assert.deepEqual([body.status, body.info.symbol], ['ACKED', LONG]);
  assert.equal((await desk.get(`/orderbook?instrument_name=${symbol}`)).body.instrument_name, LONG);
  const chain = await desk.get('/options-chain?currency=BTC&expiry=27MAR26');
  assert.ok(chain.body.rows.some(({ call }: any) => call?.symbol === LONG));
});

test('rule: a private channel without a wallet is refused by name', async () => {
  const socket = await SocketClient.open(desk.url);
  for (const channel of ['order_updates', 'fills', 'portfolio', 'liquidation']) {
    socket.send({ type: 'Subscribe', channel });
    const { message } = await socket.until(({ type }) => type === 'Error');
    assert.equal(message, 'Authentication required for this channel', channel);
  }
  socket.close();
});

test('rule: order updates and book updates arrive over the socket', async () => {
  const signer = someone();
  const socket = await SocketClient.open(desk.url, `?wallet=${signer.address}`);
  for (const channel of ['order_updates', 'orderbook']) {
    socket.send({ type: 'Subscribe', channel, ...(channel === 'orderbook' && { symbols: [NEXT] }) });
    await socket.until(({ type, channel: of }) => type === 'Subscribed' && of === channel);
  }
  const id = await desk.rest(signer, { symbol: NEXT, price: '3', size: '2.5' });
  const update = await socket.until(({ type, status }) => type === 'OrderUpdate' && status === 'OPEN');
  assert.deepEqual([update['order_id'], update['wallet_address']], [id, signer.address]);
  const holds = ({ bids }: any): boolean => bids.some(([price, size]: [unknown, unknown]) => Number(price) === 3 && Number(size) === 2.5);
  if (!socket.told.some((one) => one.type === 'OrderbookUpdate' && holds(one))) {
    await socket.until((one) => one.type === 'OrderbookUpdate' && holds(one));
  }
  assert.equal((await desk.post('/cancel', cancel(signer, id))).body.status, 'CANCELED');
  await socket.until(({ type, status }) => type === 'OrderUpdate' && status === 'CANCELED');
  socket.close();
});
