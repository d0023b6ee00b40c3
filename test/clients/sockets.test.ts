// ccxt and @nktkas/hyperliquid, unchanged, follow a venue by the dialect's socket, and go on after it was killed.

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

test('after kill -9 a session goes on: no fill is missing', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { of } = await follow([['userFills', { user }], ['orderUpdates', { user }], ['l2Book', { coin: 'BTC' }]]);
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
});
