// ccxt, @nktkas/hyperliquid and hyperliquid, unchanged, place, change and cancel orders by the dialect; our own reads
// tell what became of each.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Wallet } from 'ethers';
import { lastFirst } from '../support/temporary.ts';
import { installedClients } from './installed.ts';
import { SYMBOL, tradedVenue, type TradedVenue } from './traded-venue.ts';

const clients = await installedClients();
const ends = lastFirst({ after });
const MARKET = 'BTC/USDC:USDC';
const CLOID = `0x${'ab'.repeat(16)}`;
const MINUTE = 60_000;

let venue: TradedVenue;
let user: string;
before(async () => {
  if (clients === null) return;
  venue = await tradedVenue(ends);
  user = venue.trader.wallet;
});

async function orderOf(id: number | string): Promise<unknown[]> {
  const { data } = await venue.trader.get('/orders/status', { wallet: user, order_id: String(id) });
  return data === null ? [] : [data.symbol, data.side, data.price, data.size, data.status, data.client_id];
}

async function ccxtOf(): Promise<any> {
  const { default: ccxt } = await clients!.load('ccxt');
  const exchange = new ccxt.pro.hyperliquid({ privateKey: venue.key, walletAddress: user, enableRateLimit: false });
  exchange.setSandboxMode(true);
  const socketUrl = `${venue.url.replace('http', 'ws')}/hl/ws`;
  Object.assign(exchange.urls.api, { public: `${venue.url}/hl`, private: `${venue.url}/hl`, ws: { public: socketUrl } });
  ends.after(() => exchange.close());
  await exchange.loadMarkets();
  await exchange.loadHttpProxyAgent();
  return exchange;
}

test('ccxt places, edits and cancels orders, by REST and by socket', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const exchange = await ccxtOf();
  const placed = await exchange.createOrder(MARKET, 'limit', 'buy', 0.01, 98_000);
  assert.deepEqual(await orderOf(placed.id), [SYMBOL, 'Buy', '98000', '0.01', 'open', '']);
  const edited = await exchange.editOrder(placed.id, MARKET, 'limit', 'buy', 0.02, 98_002);
  assert.deepEqual(await orderOf(placed.id), [SYMBOL, 'Buy', '98000', '0.01', 'canceled', '']);
  assert.deepEqual(await orderOf(edited.id), [SYMBOL, 'Buy', '98002', '0.02', 'open', '']);
  assert.equal((await exchange.cancelOrder(edited.id, MARKET)).status, 'success');
  await assert.rejects(exchange.cancelOrder(edited.id, MARKET), /OrderNotFound/);
  const named = await exchange.createOrder(MARKET, 'limit', 'buy', 0.01, 98_001, { postOnly: true, clientOrderId: CLOID });
  assert.deepEqual(await orderOf(CLOID), await orderOf(named.id));
  assert.equal((await exchange.cancelOrder(undefined, MARKET, { clientOrderId: CLOID })).status, 'success');
  await assert.rejects(exchange.createOrder(MARKET, 'limit', 'buy', 0.01, 100_200, { postOnly: true }), /would have immediately matched/);
  const bought = await exchange.createOrder(MARKET, 'market', 'buy', 0.01, 100_100);
  assert.deepEqual([bought.filled, bought.average], [0.01, 100_100]);
  const stop = await exchange.createOrder(MARKET, 'market', 'sell', 0.01, 90_000, { stopLossPrice: 95_000, reduceOnly: true });
  assert.equal((await orderOf(stop.id))[4], 'untriggered');
  const order = { symbol: MARKET, type: 'limit', side: 'buy', amount: 0.01 };
  const both = await exchange.createOrders([{ ...order, price: 97_000 }, { ...order, price: 97_001 }]);
  const ids = both.map(({ id }: { id: string }) => id);
  assert.deepEqual((await exchange.cancelOrders(ids, MARKET)).map(({ status }: { status: string }) => status), ['success', 'success']);
  assert.equal((await exchange.cancelAllOrdersAfter(MINUTE)).status, 'ok');
  assert.equal((await exchange.setLeverage(5, MARKET, { marginMode: 'cross' })).status, 'ok');
  assert.equal((await exchange.fetchPositions())[0].leverage, 5);
  await assert.rejects(exchange.setLeverage(11, MARKET, { marginMode: 'cross' }), /Invalid leverage value/);
  await assert.rejects(exchange.setMarginMode('isolated', MARKET, { leverage: 5 }), /Isolated margin is not supported/);
  const bySocket = await exchange.createOrderWs(MARKET, 'limit', 'buy', 0.01, 96_500);
  assert.deepEqual(await orderOf(bySocket.id), [SYMBOL, 'Buy', '96500', '0.01', 'open', '']);
  assert.equal((await exchange.cancelOrderWs(bySocket.id, MARKET)).status, 'success');
  assert.equal((await orderOf(bySocket.id))[4], 'canceled');
});

test('nktkas places, modifies and cancels, by an agent too', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { ExchangeClient, HttpTransport, InfoClient, WebSocketTransport } = await clients!.load('@nktkas/hyperliquid');
  const transport = new HttpTransport({ isTestnet: true, apiUrl: `${venue.url}/hl` });
  const socket = new WebSocketTransport({ isTestnet: true, url: `${venue.url.replace('http', 'ws')}/hl/ws` });
  ends.after(() => socket.close());
  const [wallet, agent] = [new Wallet(venue.key), Wallet.createRandom()];
  const limit = (p: string, tif: string) => ({ a: 0, b: true, p, s: '0.01', r: false, t: { limit: { tif } } });
  const info = new InfoClient({ transport });
  for (const [round, client] of [transport, socket].map((one) => new ExchangeClient({ transport: one, wallet })).entries()) {
    const { response } = await client.order({ orders: [limit(`9700${round}`, 'Gtc'), limit('100100', 'Ioc')], grouping: 'na' });
    const [{ resting: { oid } }, { filled }] = response.data.statuses;
    assert.deepEqual([filled.totalSz, filled.avgPx], ['0.01', '100100']);
    assert.deepEqual(await orderOf(oid), [SYMBOL, 'Buy', `9700${round}`, '0.01', 'open', '']);
    await client.modify({ oid, order: limit('97010', 'Alo') });
    assert.equal((await orderOf(oid))[4], 'canceled');
    const changed = (await info.openOrders({ user })).find(({ limitPx }: { limitPx: string }) => limitPx === '97010');
    await client.cancel({ cancels: [{ a: 0, o: changed.oid }] });
    assert.equal((await orderOf(changed.oid))[4], 'canceled');
    await assert.rejects(client.cancel({ cancels: [{ a: 0, o: changed.oid }] }), /never placed, already canceled, or filled/);
    await client.scheduleCancel({ time: Date.now() + MINUTE });
    const cloid = `0x${`0${round}`.repeat(16)}`;
    await client.order({ orders: [{ ...limit('97020', 'Gtc'), c: cloid }], grouping: 'na' });
    const [{ oid: named }] = (await info.openOrders({ user })).filter(({ cloid: own }: { cloid?: string }) => own === cloid);
    const again = await client.batchModify({ modifies: [{ oid: named, order: limit('97030', 'Gtc') }] });
    assert.equal(again.response.data.statuses[0].resting.cloid, cloid, 'the cloid is kept, and told');
    await client.cancelByCloid({ cancels: [{ asset: 0, cloid }] });
    await client.updateLeverage({ asset: 0, isCross: true, leverage: 2 + round });
    const { assetPositions: [{ position }] } = await info.clearinghouseState({ user });
    assert.deepEqual([position.leverage, position.cumFunding], [
      { type: 'cross', value: 2 + round }, { allTime: '0', sinceOpen: '0', sinceChange: '0' },
    ]);
  }
  await new ExchangeClient({ transport, wallet }).approveAgent({ agentAddress: agent.address, agentName: 'bot' });
  const [{ name, address }] = await info.extraAgents({ user });
  assert.deepEqual([name, address], ['bot', agent.address.toLowerCase()]);
  assert.deepEqual(await info.userRole({ user: agent.address }), { role: 'agent', data: { user } });
  const [own, nobody] = [await info.userRole({ user }), await info.userRole({ user: `0x${'99'.repeat(20)}` })];
  assert.deepEqual([own, nobody], [{ role: 'user' }, { role: 'missing' }]);
  const byAgent = await new ExchangeClient({ transport, wallet: agent }).order({ orders: [limit('96001', 'Gtc')], grouping: 'na' });
  assert.equal((await orderOf(byAgent.response.data.statuses[0].resting.oid))[4], 'open');
});

test('hyperliquid places and cancels', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { BASE_URLS, Hyperliquid } = await clients!.load('hyperliquid');
  BASE_URLS.TESTNET = `${venue.url}/hl`;
  const sdk = new Hyperliquid({ testnet: true, enableWs: false, disableAssetMapRefresh: true, privateKey: venue.key, walletAddress: user });
  const terms = { is_buy: true, sz: 0.01, limit_px: 95_500, order_type: { limit: { tif: 'Gtc' } }, reduce_only: false };
  const { response } = await sdk.exchange.placeOrder({ coin: SYMBOL, ...terms });
  const { oid } = response.data.statuses[0].resting;
  assert.deepEqual(await orderOf(oid), [SYMBOL, 'Buy', '95500', '0.01', 'open', '']);
  await sdk.exchange.cancelOrder({ coin: SYMBOL, o: oid });
  assert.equal((await orderOf(oid))[4], 'canceled');
});
