// The client against a real venue: orders of a wallet and its agent, options and perps, bulks, protection and margin mode, every read,
// streams that agree with the reads, a venue that is killed and returns, an answer that is lost.

import { after, test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { createPrivateKey, privateKeySigner, StrikebookError, type AnswerFacts, type Gap, type Strikebook } from '../../client/src/main.ts';
import type { FillMessage, OrderUpdateMessage } from '../../client/src/messages.ts';
import { freePort } from '../../scripts/venue-process.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { option, startVenue, trader } from './venue.ts';
import { until } from './until.ts';

/** One venue for the tests that leave it alone; each has wallets of its own, and prices that nobody else meets. */
const { url } = await startVenue({ after });

const codeOf = (error: unknown): string => (error as StrikebookError).code;

test('a wallet places, replaces and cancels; an agent does so until revoked; perps are signed their own way', async () => {
  const facts: AnswerFacts[] = [];
  const maker = await trader(url, { onAnswer: (one) => facts.push(one) });
  const { symbol, low, middle, high } = await option(maker);
  const placed = await maker.placeOrder({ symbol, side: 'Buy', size: '1.50', price: low, client_id: 'first' });
  assert.deepEqual([placed.status, placed.info.size, placed.filled_size], ['ACKED', '1.50', 0]);
  const replaced = await maker.replaceOrder({ order_id: placed.order_id!, symbol, side: 'Buy', size: 2, price: low });
  assert.ok(replaced.status === 'ACKED' && replaced.order_id! > placed.order_id!);
  const again = await maker.cancelOrder(placed.order_id!);
  assert.deepEqual([again.status, again.reason], ['REJECTED', `Order ${placed.order_id} was already cancelled`]);
  await maker.placeOrder({ symbol, side: 'Sell', size: '1', price: high, client_id: 'second' });
  assert.equal((await maker.cancelOrderByClientId('second')).status, 'CANCELED');
  assert.deepEqual((await maker.get('/orders', { wallet: maker.wallet, status: 'open' })).data.map(({ order_id: id, size }) => [id, size]),
    [[replaced.order_id, '2']]);
  assert.ok(facts.every(({ status, attempts }) => status === 200 && attempts === 1));

  const key = createPrivateKey();
  const asAgent = await trader(url, { signer: privateKeySigner(key), wallet: maker.wallet });
  const terms = { symbol, side: 'Buy', size: '1', price: middle } as const;
  await assert.rejects(asAgent.placeOrder(terms), (error: StrikebookError) => error.code === 'unauthorized' && error.status === 401);
  const agent = privateKeySigner(key).address;
  assert.deepEqual(await maker.approveAgent(agent, { expires_at: Date.now() + 3_600_000 }), { success: true, error: null });
  assert.equal((await asAgent.placeOrder(terms)).status, 'ACKED');
  const perp = { symbol: 'BTC-PERP', side: 'Buy', size: '0.1', price: '10000' } as const;
  assert.equal((await asAgent.placeOrder({ ...perp, client_id: `0x${'ab'.repeat(16)}` })).status, 'ACKED');
  assert.equal((await maker.placeOrder({ ...perp, tif: 'ioc' })).status, 'ACKED');
  assert.equal((await maker.placeOrder({ ...perp, side: 'Sell', reduce_only: true })).reason, 'Reduce-only order would increase position');
  assert.equal((await maker.placeOrder({ ...terms, side: 'Sell', reduce_only: true })).reason, 'Reduce-only order would increase position');
  assert.equal((await maker.placeOrder({ ...terms, route: 'rfq_only' })).reason, 'RFQ is not available');
  assert.deepEqual((await maker.get('/authorized-agents', { wallet: maker.wallet })).agents, [agent]);
  assert.deepEqual(await maker.revokeAgent(agent), { success: true, error: null });
  await assert.rejects(asAgent.placeOrder(terms), (error) => codeOf(error) === 'unauthorized');
  const unsigned = await trader(url, { signer: { address: maker.wallet, signTypedData: () => Promise.resolve(`0x${'00'.repeat(65)}`) } });
  await assert.rejects(unsigned.placeOrder(terms), (error) => codeOf(error) === 'signature_verification_failed');
});

test('a caller\'s nonce keeps every digit, and the same request again is a replay', async () => {
  const client = await trader(url);
  const { symbol, low } = await option(client);
  const nonce = 2n ** 63n + 1n;
  const request = await client.sign(client.forms.placeOrder({ symbol, side: 'Buy', size: '1', price: low }, nonce));
  const facts: AnswerFacts[] = [];
  const [first, second] = [await client.send(request), await client.send(request, { onAnswer: (one) => facts.push(one) })];
  assert.deepEqual([first.status, second.order_id, facts[0]!.isReplay], ['ACKED', first.order_id, true]);
  const other = await client.sign(client.forms.placeOrder({ symbol, side: 'Buy', size: '2', price: low }, nonce));
  await assert.rejects(client.send(other), (error: StrikebookError) => error.message.endsWith(`Nonce ${nonce} already used`));
});

test('settings: margin mode, protection and names are set, and a client without a key reads', async () => {
  const client = await trader(url);
  const { wallet } = client;
  assert.deepEqual((await client.setMarginMode('portfolio')).data, { wallet, margin_mode: 'portfolio', previous_mode: 'standard' });
  const config = await client.setMmp({ currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 0, qty_limit: '10' });
  assert.deepEqual(config, {
    wallet_address: wallet, currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 0, qty_limit: '10', enabled: true,
  });
  assert.equal(await client.resetMmp('BTC'), null);
  assert.equal(await client.deleteMmp('BTC'), null);
  const reader = await trader(url, { signer: undefined as never });
  const unused = { is_frozen: false, frozen_until: null, qty_used: '0', delta_used: '0', vega_used: '0', last_triggered_ms: null };
  assert.deepEqual((await reader.get('/mmp/config', { wallet })).data, [{ ...config, enabled: false, ...unused }]);
  assert.equal((await reader.get('/user-tier', { wallet })).data.tier, 'default');
  await assert.rejects(reader.cancelAll(), (error) => codeOf(error) === 'invalid_argument');
  assert.throws(() => reader.wallet, (error) => codeOf(error) === 'invalid_argument');
  const portfolio = await reader.get('/portfolio', { wallet });
  assert.deepEqual([portfolio.margin_mode, portfolio.available_balance, portfolio.positions], ['portfolio', '10000000', []]);
  await assert.rejects(reader.get('/orderbook', { instrument_name: 'BTC-20990101-1-C' }), (error: StrikebookError) => (
    error.code === 'not_found' && error.status === 404
  ));
});

test('ending a stream of all symbols leaves that of one, and later requests are answered at once', async (t) => {
  const client = await trader(url);
  const { symbol } = await option(client);
  const downs: string[] = [];
  const socket = client.socket({ onDown: (reason) => downs.push(reason), onError: (error) => downs.push(String(error)) });
  t.after(() => socket.close());
  for (const channel of ['trades', 'book', 'orderbook'] as const) {
    const [all, one] = [await socket.subscribe(channel), await socket.subscribe(channel, { symbols: [symbol] })];
    all.close();
    // Answered in their order.
    await socket.subscribe('index_prices');
    one.close();
  }
  await socket.subscribe('fills');
  assert.deepEqual(downs, []);
});

/** No more than one page of orders. */
const BIDS = 40;

/** What a wallet hears of itself. */
async function listen(client: Strikebook, gaps: Gap[], ups: boolean[] = []) {
  const socket = client.socket({
    firstWaitMs: 20, longestWaitMs: 200, timeoutMs: 120_000, onGap: (gap) => gaps.push(gap), onUp: (isAgain) => ups.push(isAgain),
  });
  const [updates, fills]: [OrderUpdateMessage[], FillMessage[]] = [[], []];
  await socket.subscribe('order_updates', { onMessage: (message) => updates.push(message) });
  await socket.subscribe('fills', { onMessage: (message) => fills.push(message) });
  return { socket, updates, fills };
}

test('streams and book agree with the reads, and continue after kill -9', async (t) => {
  const data = temporaryFolder(t);
  const port = await freePort();
  const venue = await startVenue(t, data, port);
  const [maker, taker] = [await trader(venue.url), await trader(venue.url)];
  const { symbol, low, middle, high } = await option(maker);
  const [gaps, ups]: [Gap[], boolean[]] = [[], []];
  const { socket, updates, fills } = await listen(maker, gaps, ups);
  t.after(() => socket.close());
  const book = await socket.book(symbol);
  const trades = await socket.subscribe('trades', { symbols: [symbol] });
  const sell = { symbol, side: 'Sell', size: '2', price: middle } as const;
  const { order_id: id } = await maker.placeOrder(sell);
  await taker.placeOrder({ symbol, side: 'Buy', size: '0.5', price: middle });
  await until('the fill', () => fills.length === 1);
  await until('the book after it', () => book.bestAsk?.size === '1.5');
  const agrees = async (): Promise<void> => {
    const read = await maker.get('/orderbook', { instrument_name: symbol });
    await until('the seq of the read', () => book.seq >= read.change_id);
    const levels = [book.bids, book.asks].map((side) => side.map(({ price, size }) => [Number(price), Number(size)]));
    assert.deepEqual(levels, [read.bids, read.asks]);
    const rows = (await maker.get('/fills', { wallet: maker.wallet })).data;
    assert.deepEqual(fills.map(({ fill_id: fill }) => fill), rows.map(({ fill_id: fill }) => fill).reverse());
  };
  await agrees();
  assert.deepEqual(updates.map(({ status, order_id: order }) => [status, order]), [['ACKED', id], ['OPEN', id], ['PARTIALLY_FILLED', id]]);

  const before = book.seq;
  // Some of these have no answer when the venue is killed, whether it has acted or not.
  const bids = Array.from({ length: BIDS }, () => socket.placeOrder({ symbol, side: 'Buy', size: '1', price: low }));
  await bids[0];
  await venue.kill();
  await until('the book is old', () => !book.isLive);
  // A write while the venue is away: the same bytes until it is back.
  const call = { retries: 1_000, timeoutMs: 2_000, signal: AbortSignal.timeout(100_000) };
  const placing = maker.placeOrder({ ...sell, price: high, size: '3' }, call);
  await startVenue(t, data, port);
  assert.equal((await placing).status, 'ACKED');
  const ids = (await Promise.all(bids)).map(({ order_id: bid }) => bid!);
  const { data: open } = await maker.get('/orders', { wallet: maker.wallet, status: 'open', limit: 50 });
  assert.deepEqual(open.filter(({ side }) => side === 'Buy').map(({ order_id: bid }) => bid), ids.sort((a, b) => b - a));
  await until('the socket is back', () => ups.length === 2 && book.isLive);
  await taker.placeOrder({ symbol, side: 'Buy', size: '1.5', price: middle });
  await until('the second fill', () => fills.length === 2);
  await until('the order that is left', () => book.bestAsk?.price === high);
  await agrees();
  assert.ok(book.seq > before);
  const seen: number[] = [];
  for await (const { seq } of trades) {
    seen.push(seq);
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, [1, 2]);
  // What was said of the wallet while nobody listened, here perhaps the placing, came afterwards.
  const count = 6 + 2 * BIDS;
  await until('every update', () => updates.length === count);
  assert.deepEqual([updates.map(({ seq }) => seq), gaps], [Array.from({ length: count }, (_, at) => at + 1), []]);
});

/** Passes bytes on; while `cut.isOn`, ends a connection instead of passing the first answer to a POST. */
async function proxy(t: TestContext, port: number): Promise<{ address: string; cut: { isOn: boolean; times: number } }> {
  const cut = { isOn: false, times: 0 };
  const server = net.createServer((client) => {
    const venue = net.connect(port, '127.0.0.1');
    let isPost = false;
    client.on('data', (bytes) => {
      isPost = bytes.toString('latin1').startsWith('POST') || isPost;
      venue.write(bytes);
    });
    venue.on('data', (bytes) => {
      if (!cut.isOn || !isPost) return void client.write(bytes);
      cut.times++;
      cut.isOn = false;
      client.destroy();
    });
    for (const [one, other] of [[client, venue], [venue, client]] as const) {
      one.on('close', () => other.destroy());
      one.on('error', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, cut };
}

test('when an answer is lost after the venue acted, the order exists once and the caller gets its id', async (t) => {
  const { address, cut } = await proxy(t, Number(new URL(url).port));
  const facts: AnswerFacts[] = [];
  const client = await trader(address);
  const { symbol, low } = await option(client);
  cut.isOn = true;
  const update = await client.placeOrder({ symbol, side: 'Buy', size: '1', price: low }, { onAnswer: (one) => facts.push(one) });
  assert.deepEqual([update.status, cut.times], ['ACKED', 1]);
  assert.deepEqual(facts.map(({ isReplay, attempts }) => [isReplay, attempts]), [[true, 2]]);
  const { data } = await client.get('/orders', { wallet: client.wallet });
  assert.deepEqual(data.map(({ order_id: id }) => id), [update.order_id]);
  cut.isOn = true;
  const once = client.placeOrder({ symbol, side: 'Buy', size: '1', price: low }, { retries: 0 });
  await assert.rejects(once, (error) => codeOf(error) === 'no_answer');
});
