// Perps, reduce-only orders, replaces and protections as the reader shows them: the rows and messages that differ from those of a plain
// order in an option.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CALL, DELETE_MARKET, DELETE_MMP, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, PERP } from '../../../core/codec/commands.ts';
import { NO_ORDERBOOK, PERP_WITHOUT_UNDERLYING } from '../../../core/errors.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { PerpBook } from '../../../shell/http/shapes/perps.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, ROOMY, walletText, type Sent } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ALICE = walletText(1);
const BOB = walletText(2);
const BTC_PERP = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };

type Row = Record<string, unknown>;
type Rows = { data: Row[] };

/** Alice has sold 1 perp to Bob at 100,000 and offers 1 more. */
function traded(bench: Bench): void {
  bench.place({ ...BTC_PERP, wallet: 1, side: SELL, price: 100_000 * USDC, size: 2 * ONE });
  bench.place({ ...BTC_PERP, wallet: 2, side: BUY, price: 100_000 * USDC, size: ONE });
}

test('option listings have no perps, and the book of a perp is found by its name', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  for (const currency of ['BTC', 'ETH']) {
    const listed = bench.body<Row[]>('instruments', { currency, status: ['all'] });
    assert.ok(listed.length > 0 && listed.every((one) => /-[CP]$/.test(one.instrument_name as string)));
  }
  const { data } = bench.body<Rows>('markets', { include_instruments: true });
  assert.ok(data.every((one) => (one.expiry as number) > 0));
  traded(bench);
  const book = bench.body('orderbook', { instrument_name: 'BTC-PERP', depth: 5 });
  assert.deepEqual([book.instrument_name, book.state, book.last_price, book.open_interest], ['BTC-PERP', 'open', 100_000, 1]);
  assert.deepEqual(book.asks, [[100_000, 1]]);
  assert.deepEqual(book.greeks, { delta: 1, gamma: 0, vega: 0, theta: 0, rho: 0 });
  assert.equal('mark_iv' in book, false);
  assert.equal(bench.body('orderbook', { instrument_name: 'ETH-PERP', depth: 5 }).last_price, null);
  assert.equal(bench.answer('orderbook', { instrument_name: 'DOGE-PERP', depth: 5 }).status, 404);
});

test('a perp order without underlying is REJECTED on the stream, like any order the engine refuses', (t) => {
  const bench = new Bench(t);
  assert.equal(bench.answer('subscribe', { channel: 'order_updates', key: ALICE }).status, 200);
  bench.place({ ...BTC_PERP, wallet: 1, side: BUY, price: 100_000 * USDC, size: ONE, code: PERP_WITHOUT_UNDERLYING });
  assert.deepEqual(bench.sent.map(({ message }) => [message.status, (message.request as Row).symbol, message.reason, message.seq]),
    [['REJECTED', 'BTC-PERP', 'Perp order missing underlying symbol', 1]]);
});

test('rows and messages of a perp name the perp and its type', (t) => {
  const bench = new Bench(t);
  const topics = [['order_updates', ALICE], ['fills', BOB], ['trades', 'BTC-PERP'], ['orderbook', 'BTC-PERP']] as const;
  for (const [channel, key] of topics) assert.equal(bench.answer('subscribe', { channel, key }).status, 200);
  traded(bench);
  for (const { message } of bench.sent) {
    const { symbol = (message.request as Row).symbol, instrument_type: type = 'perp' } = message as Row;
    assert.deepEqual([symbol, type], ['BTC-PERP', 'perp'], message.type as string);
  }
  assert.equal(new Set(bench.sent.map(({ topic }) => topic)).size, 4);
  for (const round of ['in memory', 'in the history']) {
    const [fill] = bench.body<Rows>('fills', { wallet: BOB, limit: 5, offset: 0 }).data;
    assert.deepEqual([fill!.symbol, fill!.instrument_type], ['BTC-PERP', 'perp'], round);
    const [order] = bench.body<Rows>('orders', { wallet: BOB, limit: 5, offset: 0 }).data;
    assert.deepEqual([order!.symbol, order!.instrument_type, order!.status], ['BTC-PERP', 'perp', 'filled'], round);
    const { data } = bench.body<Rows>('trades', { symbol: 'BTC-PERP', limit: 5, offset: 0 });
    assert.deepEqual(data.map((one) => [one.symbol, one.size]), [['BTC-PERP', '1']], round);
    bench.commit();
  }
});

test('a reduce-only order is shown as such while open, shrunk and done, and its stream has no gap', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 2 * ONE });
  bench.answer('subscribe', { channel: 'order_updates', key: BOB });
  bench.place({ wallet: 2, side: SELL, price: 2_500 * USDC, size: 2 * ONE, flags: FLAG_REDUCE_ONLY | FLAG_MMP_OPT_OUT });
  const [open] = bench.body<Rows>('orders', { wallet: BOB, limit: 1, offset: 0 }).data;
  assert.deepEqual([open!.reduce_only, open!.mmp_enabled, open!.size], [true, false, '2']);
  bench.place({ wallet: 1, side: BUY, price: 2_100 * USDC, size: ONE });
  bench.place({ wallet: 2, side: SELL, price: 2_100 * USDC, size: ONE });
  const [shrunk] = bench.body<Rows>('orders', { wallet: BOB, status: ['open'], limit: 1, offset: 0 }).data;
  assert.deepEqual([shrunk!.order_id, shrunk!.size], [open!.order_id, '1']);
  bench.place({ wallet: 1, side: BUY, price: 2_100 * USDC, size: ONE });
  bench.place({ wallet: 2, side: SELL, price: 2_100 * USDC, size: ONE });
  const own = bench.sent.map(({ message }) => message).filter((message) => message.order_id === open!.order_id);
  assert.deepEqual(own.map(({ status, request, reason }) => [status, (request as Row).size, reason]), [
    ['ACKED', '2', null], ['OPEN', '2', null], ['OPEN', '1', null], ['CANCELED', '1', 'Reduce-only order has nothing to reduce'],
  ]);
  const first = bench.sent[0]!.seq;
  assert.deepEqual(bench.sent.map(({ seq }) => seq), bench.sent.map((_, at) => first + at));
  const canceled = bench.body<Rows>('orders', { wallet: BOB, status: ['canceled'], limit: 1, offset: 0 }).data;
  assert.deepEqual(canceled.map((one) => [one.order_id, one.reduce_only]), [[open!.order_id, true]]);
});

test('a replace sends the end of the old order and the new one; a refused replace is sent too', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  const fields = { ...CALL_100, wallet: 1, side: BUY, size: ONE };
  bench.place({ ...fields, price: 100 * USDC, clientId: 'old' });
  bench.answer('subscribe', { channel: 'order_updates', key: ALICE });
  assert.equal(venue.send(venue.write.replace({ ...fields, nonce: 50, price: 101 * USDC, clientId: 'new' }, 1)), 0);
  assert.notEqual(venue.send(venue.write.replace({ ...fields, nonce: 51, price: 102 * USDC, clientId: 'late' }, 1)), 0);
  assert.notEqual(venue.send(venue.write.replace({ ...fields, nonce: 52, price: 102 * USDC, clientId: 'never' }, 9)), 0);
  bench.feed();
  const seen = bench.sent.map(({ message: { order_id: id, status, reason, request } }) => [id, status, reason, (request as Row).client_id]);
  assert.deepEqual(seen, [
    [1, 'CANCELED', 'Order replaced', 'old'], [2, 'ACKED', null, 'new'], [2, 'OPEN', null, 'new'],
    [null, 'REJECTED', 'Order 1 was already cancelled', 'late'],
    [null, 'REJECTED', 'Order not found for cancellation: 9', 'never'],
  ]);
  assert.deepEqual(bench.sent.map(({ seq }) => seq), [3, 4, 5, 6, 7]);
  const { data } = bench.body<Rows>('orders', { wallet: ALICE, limit: 5, offset: 0 });
  assert.deepEqual(data.map((one) => [one.order_id, one.status, one.client_id]), [[2, 'open', 'new'], [1, 'canceled', 'old']]);
  assert.equal(data[0]!.symbol, CALL_100_SYMBOL);
});

test('a refused replace of an order in a deleted market reports the market of the old order, not that of the replacement', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  const fields = { ...CALL_100, wallet: 1, side: BUY, size: ONE, price: 100 * USDC };
  bench.place(fields);
  bench.answer('subscribe', { channel: 'order_updates', key: ALICE });
  venue.venue(venue.write.market(DELETE_MARKET, 0, CALL_100.expiry, CALL_100.strike, CALL));
  assert.equal(venue.send(venue.write.replace({ ...fields, nonce: 50, strike: 1e6 }, 1)), NO_ORDERBOOK);
  bench.feed();
  const [{ message }] = bench.sent as [Sent];
  const { symbol } = message.request as Row;
  assert.deepEqual([message.reason, symbol], [`Orderbook not found for symbol: ${CALL_100_SYMBOL}`, 'BTC-20260106-1-C']);
});

test('a wallet\'s protections are shown as set, unset or deleted', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  assert.deepEqual(bench.body('mmp', { wallet: ALICE }), { success: true, data: [] });
  venue.send(venue.write.mmp(1, 60, 'BTC', { interval: 60_000, frozen: 0, quantity: 10.5 * ONE }));
  venue.send(venue.write.mmp(1, 61, 'ETH', { interval: 1, frozen: 5, delta: 0, vega: 1 }));
  venue.send(venue.write.endMmp(DELETE_MMP, 1, 62, 'BTC'));
  bench.feed();
  const unused = { is_frozen: false, frozen_until: null, qty_used: '0', delta_used: '0', vega_used: '0', last_triggered_ms: null };
  const btc = {
    wallet_address: ALICE, currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 0, qty_limit: '10.5', enabled: false, ...unused,
  };
  const eth = {
    wallet_address: ALICE, currency: 'ETH', interval_ms: 1, frozen_time_ms: 5, delta_limit: '0', vega_limit: '0.000001', enabled: true,
    ...unused,
  };
  assert.deepEqual(bench.body('mmp', { wallet: ALICE }), { success: true, data: [btc, eth] });
  assert.deepEqual(bench.body('mmp', { wallet: ALICE, currency: 'ETH' }), { success: true, data: [eth] });
  for (const other of [{ wallet: BOB }, { wallet: BOB, currency: 'ETH' }]) {
    assert.deepEqual(bench.body('mmp', other), { success: true, data: [] });
  }
  const unknown = bench.answer('mmp', { wallet: ALICE, currency: 'DOGE' });
  assert.deepEqual([unknown.status, JSON.parse(unknown.body).message], [400, 'Unknown currency: DOGE']);
});

test('a book for the dialect tells the orders of each level, as they come, fill and go', (t) => {
  const bench = new Bench(t);
  const books = () => bench.body<PerpBook>('perpBook', { underlying: 'BTC', depth: 2 });
  const order = { ...BTC_PERP, wallet: 1, size: ONE };
  for (const price of [100_000, 100_000, 100_010, 100_020]) bench.place({ ...order, side: SELL, price: price * USDC });
  bench.place({ ...order, wallet: 3, side: SELL, price: 100_000 * USDC, size: 2 * ONE });
  bench.place({ ...order, side: BUY, price: 99_000 * USDC });
  assert.deepEqual(books(), { timestamp: bench.venue.now, bids: [[99_000, 1, 1]], asks: [[100_000, 4, 3], [100_010, 1, 1]] });
  bench.place({ ...order, wallet: 2, side: BUY, price: 100_000 * USDC });
  bench.cancel(1, 2);
  assert.deepEqual(books().asks, [[100_000, 2, 1], [100_010, 1, 1]]);
  assert.deepEqual(bench.body<PerpBook>('perpBook', { underlying: 'ETH', depth: 2 }).bids, []);
  assert.equal(bench.answer('perpBook', { underlying: 'DOGE', depth: 2 }).status, 404);
});
