// @nktkas/hyperliquid and hyperliquid, unchanged, read a venue through the dialect: what they tell equals our answers.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { lastFirst } from '../support/temporary.ts';
import { installedClients } from './installed.ts';
import { CLOID, SYMBOL, tradedVenue, type TradedVenue } from './traded-venue.ts';

const clients = await installedClients();
const ends = lastFirst({ after });

let venue: TradedVenue;
let user: string;
let info: any;
let sdk: any;
before(async () => {
  if (clients === null) return;
  venue = await tradedVenue(ends);
  user = venue.trader.wallet;
  const { HttpTransport, InfoClient } = await clients.load('@nktkas/hyperliquid');
  info = new InfoClient({ transport: new HttpTransport({ isTestnet: true, apiUrl: `${venue.url}/hl` }) });
  const { BASE_URLS, Hyperliquid } = await clients.load('hyperliquid');
  BASE_URLS.TESTNET = `${venue.url}/hl`;
  sdk = new Hyperliquid({ testnet: true, enableWs: false, disableAssetMapRefresh: true, privateKey: venue.key, walletAddress: user });
});

test('nktkas reads assets, mids, a book, candles and trades', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const [perp] = (await venue.trader.get('/perps', { underlying: 'BTC' })).data;
  const [meta, contexts] = await info.metaAndAssetCtxs();
  assert.deepEqual(await info.meta(), meta);
  assert.deepEqual(meta.universe.map(({ name }: { name: string }) => name), ['BTC', 'ETH']);
  const [context] = contexts;
  assert.deepEqual([context.markPx, context.oraclePx, context.openInterest, context.dayBaseVlm].map(Number), [
    perp!.mark_price, perp!.index_price, perp!.open_interest, perp!.volume_24h,
  ]);
  assert.deepEqual(context.impactPxs, ['99900', '100100']);
  assert.deepEqual(await info.allMids(), { BTC: '100000', ETH: '3500.5' });
  const book = await info.l2Book({ coin: 'BTC', nSigFigs: 3 });
  assert.deepEqual(book.levels[1], [{ px: '101000', sz: '2.5', n: 2 }]);
  const [candle] = await info.candleSnapshot({ coin: 'BTC', interval: '1d', startTime: 0 });
  assert.deepEqual([candle.o, candle.c, candle.v], ['100100', '99900', '0.7']);
  const trades = (await venue.trader.get('/trades', { symbol: SYMBOL })).data;
  assert.deepEqual(
    (await info.recentTrades({ coin: 'BTC' })).map((row: any) => [row.tid, row.px, row.sz, row.side === 'B' ? 'Buy' : 'Sell']),
    trades.map((row) => [row.trade_id, row.price, row.size, row.taker_side]),
  );
  const [[coin, [[, predicted]]]] = await info.predictedFundings();
  assert.deepEqual([coin, predicted.nextFundingTime], ['BTC', perp!.next_funding_time]);
  assert.deepEqual([await info.perpDexs(), (await info.spotMeta()).universe], [[null], []]);
  assert.equal((await info.exchangeStatus()).specialStatuses, null);
});

test('nktkas reads the account, its orders, fees and limits', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const portfolio = await venue.trader.get('/portfolio', { wallet: user });
  const state = await info.clearinghouseState({ user });
  const [own] = portfolio.positions;
  assert.deepEqual([state.marginSummary.accountValue, state.marginSummary.totalMarginUsed, state.withdrawable], [
    portfolio.margin_summary!.equity, portfolio.total_margin_used, portfolio.available_balance,
  ]);
  const [{ position }] = state.assetPositions;
  assert.deepEqual([position.szi, position.entryPx, position.unrealizedPnl, position.liquidationPx, position.marginUsed], [
    own!.amount, own!.entry_price, own!.unrealized_pnl, own!.liquidation_price, own!.margin_posted,
  ]);
  const orders = (await venue.trader.get('/orders', { wallet: user, status: 'working' })).data;
  assert.deepEqual(
    (await info.openOrders({ user })).map((row: any) => [row.oid, row.limitPx, row.origSz]),
    orders.map((row) => [row.order_id, row.price, row.size]),
  );
  const [stop] = await info.frontendOpenOrders({ user });
  assert.deepEqual([stop.orderType, stop.triggerPx, stop.isTrigger], ['Stop Market', '95000', true]);
  const byCloid = await info.orderStatus({ user, oid: CLOID });
  assert.deepEqual(await info.orderStatus({ user, oid: byCloid.order.order.oid }), byCloid);
  assert.equal(byCloid.order.status, 'open');
  assert.deepEqual(await info.orderStatus({ user, oid: 999_999 }), { status: 'unknownOid' });
  const states = (await info.historicalOrders({ user })).map(({ status }: { status: string }) => status);
  assert.deepEqual(states.sort(), ['canceled', 'filled', 'filled', 'open', 'open']);
  const data = await info.activeAssetData({ user, coin: 'BTC' });
  assert.deepEqual([data.markPx, data.availableToTrade], ['100000', [portfolio.available_balance, portfolio.available_balance]]);
  assert.equal((await info.userFees({ user })).userCrossRate, '0');
  assert.equal((await info.userRateLimit({ user })).nRequestsUsed, 0);
  assert.deepEqual([await info.userFunding({ user }), await info.extraAgents({ user }), await info.subAccounts({ user })], [[], [], null]);
  await assert.rejects(info.vaultDetails({ vaultAddress: user }), /422/);
});

test('hyperliquid reads mids, assets, account and orders', { skip: clients === null && 'npm reaches no registry' }, async () => {
  assert.deepEqual(await sdk.info.getAllMids(), { 'BTC-PERP': 100_000, 'ETH-PERP': 3_500.5 });
  assert.equal((await sdk.info.perpetuals.getMeta()).universe[0].name, 'BTC-PERP');
  const portfolio = await venue.trader.get('/portfolio', { wallet: user });
  const state = await sdk.info.perpetuals.getClearinghouseState(user);
  assert.equal(state.assetPositions[0].position.szi, Number(portfolio.positions[0]!.amount));
  assert.equal((await sdk.info.getUserOpenOrders(user)).length, 2);
  assert.equal((await sdk.info.getL2Book('BTC-PERP')).levels[0][0].px, 99_900);
});
