// ccxt, unchanged, reads a venue through the dialect: what it tells equals our own answers.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { lastFirst } from '../support/temporary.ts';
import { installedClients } from './installed.ts';
import { CLOID, SYMBOL, tradedVenue, type TradedVenue } from './traded-venue.ts';

const clients = await installedClients();
const ends = lastFirst({ after });
const MARKET = 'BTC/USDC:USDC';

let venue: TradedVenue;
let exchange: any;
before(async () => {
  if (clients === null) return;
  venue = await tradedVenue(ends);
  const { default: ccxt } = await clients.load('ccxt');
  exchange = new ccxt.hyperliquid({ privateKey: venue.key, walletAddress: venue.trader.wallet, enableRateLimit: false });
  exchange.setSandboxMode(true);
  Object.assign(exchange.urls.api, { public: `${venue.url}/hl`, private: `${venue.url}/hl` });
  await exchange.loadMarkets();
});

test('ccxt finds the perps as swap markets with the grid of their prices', { skip: clients === null && 'npm reaches no registry' }, () => {
  const { type, active, id, precision, limits } = exchange.market(MARKET);
  assert.deepEqual({ type, active, id, precision }, { type: 'swap', active: true, id: '0', precision: { amount: 0.000001, price: 1 } });
  assert.equal(limits.leverage.max, 10);
  assert.deepEqual(exchange.symbols, [MARKET, 'ETH/USDC:USDC']);
  assert.equal(exchange.market('ETH/USDC:USDC').precision.price, 0.1);
});

test('ccxt’s ticker, book, candles, rates and interest are ours', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const [perp] = (await venue.trader.get('/perps', { underlying: 'BTC' })).data;
  const ticker = await exchange.fetchTicker(MARKET);
  assert.deepEqual([ticker.bid, ticker.ask, ticker.quoteVolume], [perp!.best_bid_price, perp!.best_ask_price, perp!.turnover_24h]);
  assert.equal((await exchange.fetchTickers([MARKET]))[MARKET].last, perp!.mark_price);
  const book = await exchange.fetchOrderBook(MARKET);
  const own = await venue.trader.get('/orderbook', { instrument_name: SYMBOL });
  assert.deepEqual([book.bids, book.asks], [own.bids, own.asks]);
  const [candle] = await exchange.fetchOHLCV(MARKET, '1h');
  const span = { instrument_name: SYMBOL, resolution: '1h', start_time_ms: candle[0], end_time_ms: candle[0] + 3_600_000 } as const;
  const [ours] = (await venue.trader.get('/instrument-candles', { ...span, price: 'trade' })).data!.candles;
  assert.deepEqual(candle, [ours!.start_time_ms, ours!.open, ours!.high, ours!.low, ours!.close, ours!.volume]);
  const rates = await exchange.fetchFundingRates([MARKET]);
  assert.equal(rates[MARKET].fundingTimestamp, perp!.next_funding_time);
  assert.equal((await exchange.fetchOpenInterest(MARKET)).openInterestAmount, perp!.open_interest);
  assert.equal((await exchange.fetchStatus()).status, 'ok');
});

test('ccxt’s balance, positions and orders are those of our account', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const portfolio = await venue.trader.get('/portfolio', { wallet: venue.trader.wallet });
  const { USDC } = await exchange.fetchBalance();
  assert.deepEqual(USDC, {
    total: Number(portfolio.margin_summary!.equity), used: Number(portfolio.total_margin_used), free: Number(portfolio.available_balance),
  });
  const [position] = await exchange.fetchPositions();
  const [own] = portfolio.positions;
  assert.deepEqual([position.symbol, position.side, position.contracts, position.entryPrice, position.unrealizedPnl], [
    MARKET, 'long', Number(own!.amount), Number(own!.entry_price), Number(own!.unrealized_pnl),
  ]);
  const orders = (await venue.trader.get('/orders', { wallet: venue.trader.wallet })).data;
  const told = await exchange.fetchOrders();
  assert.deepEqual(told.map(({ id }: { id: string }) => Number(id)).sort(), orders.map(({ order_id: id }) => id).sort());
  const open = await exchange.fetchOpenOrders(MARKET);
  const stop = open.find(({ triggerPrice }: { triggerPrice?: number }) => triggerPrice !== undefined);
  assert.deepEqual([open.length, stop.stopLossPrice, stop.reduceOnly, stop.side], [2, 95_000, true, 'sell']);
  const resting = await exchange.fetchOrder(undefined, MARKET, { clientOrderId: CLOID });
  assert.deepEqual([resting.status, resting.price, resting.remaining, resting.clientOrderId], ['open', 99_000, 0.1, CLOID]);
  assert.equal((await exchange.fetchOrder(resting.id, MARKET)).clientOrderId, CLOID);
  const fills = (await venue.trader.get('/fills', { wallet: venue.trader.wallet })).data;
  for (const trades of [await exchange.fetchMyTrades(MARKET), await exchange.fetchMyTrades(MARKET, 1)]) {
    const ids = trades.map((trade: { id: string; order: string }) => [Number(trade.id), Number(trade.order)]);
    assert.deepEqual(ids, fills.toReversed().map((row) => [row.trade_id, row.order_id]));
  }
  const [cancelled] = await exchange.fetchCanceledOrders(MARKET);
  assert.deepEqual([cancelled.price, cancelled.amount, cancelled.filled], [98_000, 0.4, 0]);
  assert.deepEqual((await exchange.fetchClosedOrders(MARKET)).map(({ filled }: { filled: number }) => filled), [0.5, 0.2]);
});

test('ccxt’s fees and funding of the account are answered', { skip: clients === null && 'npm reaches no registry' }, async () => {
  const { maker, taker } = await exchange.fetchTradingFee(MARKET);
  assert.deepEqual([maker, taker], [0, 0]);
  assert.deepEqual(await exchange.fetchFundingHistory(MARKET), []);
  assert.deepEqual(await exchange.fetchFundingRateHistory(MARKET), []);
});
