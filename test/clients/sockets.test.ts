// ccxt, @nktkas/hyperliquid and hyperliquid, unchanged, follow a venue by the dialect's socket, and go on after it was killed.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { lastFirst } from '../support/temporary.ts';
import { installedClients } from './installed.ts';
import { startedVenue, SYMBOL, tradedVenue, type TradedVenue } from './traded-venue.ts';

const clients = await installedClients();
const ends = lastFirst({ after });
const MARKET = 'BTC/USDC:USDC';
const ORDER = { symbol: SYMBOL, tif: 'gtc', side: 'Buy', size: '0.1' } as const;

let venue: TradedVenue;
let user: string;
let socketUrl: string;
before(async () => {
  if (clients === null) return;
  venue = await tradedVenue(ends);
  user = venue.trader.wallet;
  socketUrl = `${venue.url.replace('http', 'ws')}/hl/ws`;
});

async function until<T>(find: () => T | undefined): Promise<T> {
  for (let i = 0; i < 6_000; i++) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail(`never: ${find}`);
}

/** The data of every subscription by its name, in order. */
async function follow(types: readonly (readonly [type: string, parameters?: object])[]) {
  const { InfoClient, SubscriptionClient, WebSocketTransport } = await clients!.load('@nktkas/hyperliquid');
  const transport = new WebSocketTransport({ isTestnet: true, url: socketUrl, reconnect: { maxRetries: 100, reconnectionDelay: 100 } });
  ends.after(() => transport.close());
  const client = new SubscriptionClient({ transport });
  const told = new Map<string, any[]>();
  for (const [type, parameters] of types) {
    const data: any[] = [];
    told.set(type, data);
    await client[type](...[parameters, (one: unknown) => data.push(one)].filter((each) => each !== undefined));
  }
  return { told, info: new InfoClient({ transport }), of: (type: string): any[] => told.get(type)! };
}

/** The package hyperliquid, connected. It writes what it does to the console. */
async function connected(): Promise<any> {
  const { BASE_URLS, Hyperliquid, WSS_URLS } = await clients!.load('hyperliquid');
  BASE_URLS.TESTNET = `${venue.url}/hl`;
  WSS_URLS.TESTNET = socketUrl;
  const sdk = new Hyperliquid({
    testnet: true, enableWs: true, disableAssetMapRefresh: true, privateKey: venue.key, walletAddress: user, maxReconnectAttempts: 50,
  });
  ends.after(() => sdk.disconnect());
  await sdk.connect();
  return sdk;
}

test('ccxt watches book, ticker, trades, candles and balance', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { default: ccxt } = await clients!.load('ccxt');
  const exchange = new ccxt.pro.hyperliquid({ privateKey: venue.key, walletAddress: user, enableRateLimit: false });
  exchange.setSandboxMode(true);
  Object.assign(exchange.urls.api, { public: `${venue.url}/hl`, private: `${venue.url}/hl`, ws: { public: socketUrl } });
  ends.after(() => exchange.close());
  await exchange.loadMarkets();
  await exchange.loadHttpProxyAgent();
  const own = await venue.trader.get('/orderbook', { instrument_name: SYMBOL });
  const book = await exchange.watchOrderBook(MARKET);
  assert.deepEqual([[...book.bids], [...book.asks]], [own.bids, own.asks]);
  const [perp] = (await venue.trader.get('/perps', { underlying: 'BTC' })).data;
  const ticker = await exchange.watchTicker(MARKET);
  assert.deepEqual([ticker.last, ticker.bid, ticker.ask], [perp!.mark_price, perp!.best_bid_price, perp!.best_ask_price]);
  assert.equal((await exchange.watchTickers([MARKET]))[MARKET].last, 100_000);
  const trades = (await venue.trader.get('/trades', { symbol: SYMBOL })).data;
  assert.deepEqual((await exchange.watchTrades(MARKET)).map(({ id }: { id: string }) => Number(id)), trades.map((row) => row.trade_id));
  assert.equal((await exchange.watchOHLCV(MARKET, '1d')).at(-1)[5], 0.7);
  const { margin_summary: summary } = await venue.trader.get('/portfolio', { wallet: user });
  assert.equal((await exchange.watchBalance()).USDC.total, Number(summary!.equity));
  const [position] = await exchange.watchPositions();
  assert.deepEqual([position.symbol, position.contracts], [MARKET, 0.3]);
  const fills = (await venue.trader.get('/fills', { wallet: user })).data;
  assert.deepEqual((await exchange.watchMyTrades()).map(({ id }: { id: string }) => Number(id)), fills.map((row) => row.trade_id));
  const watched = exchange.watchOrders();
  const { order_id: id } = await venue.trader.placeOrder({ ...ORDER, price: '97000' });
  const [order] = await watched;
  assert.deepEqual([Number(order.id), order.status, order.price], [id, 'open', 97_000]);
  assert.equal(await exchange.unWatchOrderBook(MARKET), true);
});

test('nktkas is told every change on every channel', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { of, info } = await follow([
    ['allMids'], ['l2Book', { coin: 'BTC' }], ['bbo', { coin: 'BTC' }], ['trades', { coin: 'BTC' }],
    ['candle', { coin: 'BTC', interval: '1m' }], ['activeAssetCtx', { coin: 'BTC' }], ['activeAssetData', { user, coin: 'BTC' }],
    ['orderUpdates', { user }], ['userFills', { user }], ['userEvents', { user }], ['userFundings', { user }],
    ['userHistoricalOrders', { user }], ['clearinghouseState', { user }], ['openOrders', { user }], ['spotState', { user }],
    ['notification', { user }],
  ]);
  const { order_id: id } = await venue.trader.placeOrder({ ...ORDER, price: '96000' });
  assert.equal((await until(() => of('orderUpdates').flat().find(({ order }) => order.oid === id))).status, 'open');
  await venue.trader.cancelOrder(id!);
  await until(() => of('orderUpdates').flat().find(({ order, status }) => order.oid === id && status === 'canceled'));
  await venue.trader.placeOrder({ ...ORDER, price: '100100', tif: 'ioc' });
  const [fill] = (await venue.trader.get('/fills', { wallet: user, limit: 1 })).data;
  const told = await until(() => of('userFills').find(({ isSnapshot, fills }) => isSnapshot !== true && fills[0].tid === fill!.trade_id));
  const { px, sz, side, oid, crossed, fee, closedPnl } = told.fills[0];
  assert.deepEqual([px, sz, side, oid, crossed, fee, closedPnl], [
    fill!.price, fill!.size, 'B', fill!.order_id, fill!.is_taker, fill!.fee, fill!.realized_pnl,
  ]);
  assert.deepEqual([told.fills[0].startPosition, told.fills[0].dir], ['0.3', 'Open Long']);
  await until(() => of('userEvents').find(({ fills }) => fills?.[0].tid === fill!.trade_id));
  assert.deepEqual(of('userFills')[0].fills, (await info.userFills({ user })).slice(1), 'the first message had what was there before');
  assert.deepEqual(
    (await info.userFillsByTime({ user, startTime: 0 })).map(({ tid }: { tid: number }) => tid),
    (await info.userFills({ user })).map(({ tid }: { tid: number }) => tid).reverse(), 'by time the oldest come first',
  );
  await until(() => of('trades').flat().find(({ tid }) => tid === fill!.trade_id));
  const book = await info.l2Book({ coin: 'BTC' });
  const shown = await until(() => of('l2Book').find(({ levels }) => JSON.stringify(levels) === JSON.stringify(book.levels)));
  await until(() => of('bbo').find(({ bbo }) => bbo[1].sz === shown.levels[1][0].sz));
  await until(() => of('candle').at(-1));
  await until(() => of('clearinghouseState').find(({ clearinghouseState: { assetPositions: [{ position }] } }) => position.szi === '0.4'));
  await until(() => of('activeAssetCtx').find(({ ctx }) => ctx.openInterest === '0.4'));
  await until(() => of('activeAssetData').at(-1));
  assert.deepEqual(of('openOrders').at(-1).orders, await info.frontendOpenOrders({ user }));
  assert.deepEqual([of('allMids')[0], of('spotState')[0].spotState.balances, of('userFundings')[0].fundings, of('notification')], [
    { mids: { BTC: '100000', ETH: '3500.5' } }, [], [], [],
  ]);
  assert.equal(of('userHistoricalOrders')[0].isSnapshot, true);
  await assert.rejects(info.vaultDetails({ vaultAddress: user }), /deserialize/);
});

test('hyperliquid is told of the market and of its wallet, and trades by its socket', {
  skip: clients === null && 'npm reaches no registry',
}, async () => {
  const { subscriptions, wsPayloads } = await connected();
  const told = new Map<string, any[]>();
  const of = (name: string): any[] => told.get(name)!;
  for (const [name, ...parameters] of [
    ['AllMids'], ['L2Book', SYMBOL], ['Bbo', SYMBOL], ['Trades', SYMBOL], ['Candle', SYMBOL, '1m'], ['ActiveAssetCtx', SYMBOL],
    ['OrderUpdates', user], ['UserFills', user], ['UserFundings', user], ['WebData2', user], ['Notification', user],
  ] as const) {
    told.set(name, []);
    await subscriptions[`subscribeTo${name}`](...parameters, (data: unknown) => of(name).push(data));
  }
  const terms = { coin: SYMBOL, is_buy: true, sz: 0.01, limit_px: 95_500, order_type: { limit: { tif: 'Gtc' } }, reduce_only: false };
  const placed = await wsPayloads.placeOrder(terms);
  const { oid } = placed.response.data.statuses[0].resting;
  assert.equal((await until(() => of('OrderUpdates').flat().find(({ order }) => order.oid === oid))).status, 'open');
  assert.deepEqual((await wsPayloads.cancelOrder({ coin: SYMBOL, o: oid })).response.data.statuses, ['success']);
  await until(() => of('OrderUpdates').flat().find(({ order, status }) => order.oid === oid && status === 'canceled'));
  await wsPayloads.placeOrder({ ...terms, limit_px: 100_100, order_type: { limit: { tif: 'Ioc' } } });
  const [fill] = (await venue.trader.get('/fills', { wallet: user, limit: 1 })).data;
  const own = await until(() => of('UserFills').find(({ isSnapshot, fills }) => isSnapshot !== true && fills[0].tid === fill!.trade_id));
  assert.deepEqual([Number(own.fills[0].sz), own.fills[0].coin], [0.01, SYMBOL]);
  await until(() => of('Trades').flat().find(({ tid }) => tid === fill!.trade_id));
  const { asks } = await venue.trader.get('/orderbook', { instrument_name: SYMBOL });
  await until(() => of('L2Book').find(({ levels }) => Number(levels[1][0].sz) === asks[0]![1]));
  await until(() => of('Bbo').find(({ bbo }) => Number(bbo[1].sz) === asks[0]![1]));
  await until(() => of('Candle').find(({ n }) => n > 0));
  await until(() => of('AllMids').at(-1)?.[SYMBOL]);
  await until(() => of('ActiveAssetCtx').find(({ ctx }) => Number(ctx.openInterest) > 0.3));
  await until(() => of('WebData2').find(({ clearinghouseState }) => clearinghouseState.assetPositions.length === 1));
  assert.deepEqual([of('UserFundings')[0].isSnapshot, of('UserFundings')[0].fundings, of('Notification')], [true, [], []]);
});

test('after kill -9 a session goes on: no fill is missing', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { info, of } = await follow([['userFills', { user }], ['orderUpdates', { user }], ['l2Book', { coin: 'BTC' }]]);
  const sdk = await connected();
  const others = new Set<number>();
  await sdk.subscriptions.subscribeToUserFills(user, ({ fills }: { fills: { tid: number }[] }) => {
    for (const { tid } of fills) others.add(tid);
  });
  await sdk.exchange.updateLeverage(SYMBOL, 'cross', 4);
  await venue.trader.placeOrder({ ...ORDER, price: '100100', tif: 'ioc' });
  await until(() => of('userFills')[1]);
  await venue.venue.kill();
  await startedVenue(ends, venue.data, Number(new URL(venue.url).port));
  await until(() => of('userFills').filter(({ isSnapshot }) => isSnapshot === true)[1]);
  const { order_id: id } = await venue.trader.placeOrder({ ...ORDER, price: '100100', tif: 'ioc' });
  await until(() => of('orderUpdates').flat().find(({ order }) => order.oid === id));
  const rows = (await venue.trader.get('/fills', { wallet: user })).data;
  const known = (): Set<number> => new Set(of('userFills').flatMap(({ fills }) => fills.map(({ tid }: { tid: number }) => tid)));
  await until(() => (known().size === rows.length ? true : undefined));
  assert.deepEqual([...known()].sort((a, b) => b - a), rows.map((row) => row.trade_id));
  await until(() => (others.size === rows.length ? true : undefined));
  const [{ position }] = (await info.clearinghouseState({ user })).assetPositions;
  assert.deepEqual(position.leverage, { type: 'cross', value: 4 }, 'what was chosen before it was killed');
});
