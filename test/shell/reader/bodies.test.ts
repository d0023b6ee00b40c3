// Every body of the reader, field by field, against the interface: names in order, kinds of values, and the numbers of one small market
// in which every amount can be checked by hand.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { DONE_FILLED } from '../../../core/errors.ts';
import { TIER2 } from '../../../core/tiers.ts';
import { BUY, DAY, HOUR, IOC, SELL } from '../../../core/units.ts';
import type { OrderFilter } from '../../../shell/ipc/queries.ts';
import { slotOfSymbol } from '../../../shell/reader/text.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, ROOMY, VENUE, walletText } from './support.ts';
import { START } from '../../support/venue.ts';

const [USDC, ONE] = [1e6, 1e6];
const [ALICE, BOB] = [walletText(1), walletText(2)] as const;
type Rows = { data: Record<string, unknown>[] };
/** Alice asks 1.5 at 2,000 and 1 at 2,100; Bob takes 0.5 at 2,000 and bids 2 at 1,900. */
function market(t: TestContext): Bench {
  const bench = new Bench(t, { limits: ROOMY });
  assert.equal(bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 1.5 * ONE, clientId: 'first "ask"' }), 0);
  assert.equal(bench.place({ wallet: 1, side: SELL, price: 2_100 * USDC, size: ONE }), 0);
  assert.equal(bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 0.5 * ONE, tif: IOC, clientId: 'take' }), 0);
  assert.equal(bench.place({ wallet: 2, side: BUY, price: 1_900 * USDC, size: 2 * ONE }), 0);
  return bench;
}

const INSTRUMENT_KEYS = ['price_index', 'rfq', 'orderbook', 'kind', 'instrument_name', 'option_token_address', 'maker_commission',
  'taker_commission', 'instrument_type', 'expiration_timestamp', 'creation_timestamp', 'option_type', 'contract_size', 'tick_size',
  'strike', 'instrument_id', 'settlement_period', 'min_trade_amount', 'block_trade_commission', 'block_trade_min_trade_amount',
  'block_trade_tick_size', 'settlement_currency', 'base_currency', 'counter_currency', 'quote_currency', 'tick_size_steps', 'is_active',
  'status', 'trading_mode'];

test('GET /instruments: 27 fields, the status and the trading mode, by currency and status', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  const all = bench.body<Record<string, unknown>[]>('instruments', { currency: 'BTC', status: ['ACTIVE'] });
  assert.ok(all.length > 100);
  for (const one of all) assert.deepEqual(Object.keys(one), INSTRUMENT_KEYS);
  const call = all.find((one) => one.instrument_name === CALL_100_SYMBOL)!;
  assert.equal(call.price_index, 'btc_usd');
  assert.equal(call.strike, 100_000);
  assert.equal(call.option_type, 'call');
  assert.equal(call.expiration_timestamp, EXPIRY);
  assert.equal(call.is_active, true);
  assert.equal(call.settlement_period, 'day');
  assert.deepEqual((call.tick_size_steps as object[])[0], { tick_size: 0.00001, above_price: 0.1 });
  assert.equal(bench.body<object[]>('instruments', { currency: 'ETH', status: ['all'] }).length > 100, true);
  for (const name of ['XRP', '', 'btc']) {
    const { status, body } = bench.answer('instruments', { currency: name, status: ['all'] });
    assert.deepEqual([status, (JSON.parse(body) as { message: string }).message], [400, `Unknown currency: ${name}`]);
  }
  assert.deepEqual(bench.body('instruments', { currency: 'BTC', status: ['SETTLED'] }), []);
  bench.venue.advance(EXPIRY - START);
  bench.feed();
  const expired = bench.body<Record<string, unknown>[]>('instruments', { currency: 'BTC', status: ['SETTLED', 'EXPIRED_PENDING_PRICE'] });
  assert.ok(expired.length > 10);
  assert.ok(expired.every((one) => one.is_active === false && one.status === 'SETTLED'), 'an index that does not age gives the price');
  const periods = new Set(all.map((one) => one.settlement_period));
  assert.deepEqual([...periods].sort(), ['day', 'month', 'week']);
});

test('GET /markets: one row per underlying and expiry, with and without instruments', (t) => {
  const bench = market(t);
  const { success, data } = bench.body<{ success: boolean; data: Record<string, unknown>[] }>('markets', { include_instruments: true });
  assert.equal(success, true);
  const keys = ['underlying', 'expiry', 'index_price', 'atm_vol', 'instruments', 'total_volume_24h', 'total_open_interest',
    'trading_mode', 'perp'];
  for (const one of data) assert.deepEqual(Object.keys(one), keys);
  assert.equal(new Set(data.map((one) => `${one.underlying} ${one.expiry}`)).size, data.length);
  const own = data.find((one) => one.underlying === 'BTC' && one.expiry === EXPIRY / 1_000)!;
  assert.equal(own.index_price, '100000');
  assert.equal(own.atm_vol, '0.6');
  assert.equal(own.total_volume_24h, '0.5');
  assert.equal(own.total_open_interest, '0.5');
  const call = (own.instruments as Record<string, unknown>[]).find((one) => one.id === CALL_100_SYMBOL)!;
  assert.deepEqual(Object.keys(call), ['instrument_id', 'id', 'underlying', 'strike', 'expiry', 'option_type', 'option_token_address',
    'mark_iv', 'volume_24h', 'open_interest', 'updated_at', 'status', 'trading_mode']);
  assert.deepEqual({ ...call, instrument_id: 0 }, {
    instrument_id: 0, id: CALL_100_SYMBOL, underlying: 'BTC', strike: '100000', expiry: EXPIRY / 1_000, option_type: 'call',
    option_token_address: null, mark_iv: '0.6', volume_24h: '0.5', open_interest: '0.5', updated_at: new Date(START).toISOString(),
    status: 'ACTIVE', trading_mode: 'orderbook',
  });
  const slim = bench.body<{ data: Record<string, unknown>[] }>('markets', { include_instruments: false });
  assert.deepEqual(Object.keys(slim.data[0]!), keys.filter((key) => key !== 'instruments'));
});

test('GET /orderbook: fields, levels, depth and statistics, by id and by any form of the name', (t) => {
  const bench = market(t);
  const book = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 20 });
  assert.deepEqual(Object.keys(book), ['timestamp', 'state', 'trading_mode', 'stats', 'greeks',
    'change_id', 'index_price', 'instrument_name',
    'option_token_address', 'bids', 'asks', 'last_price', 'settlement_price', 'min_price', 'max_price', 'open_interest', 'mark_price',
    'theoretical_price', 'best_bid_price', 'best_ask_price', 'best_bid_amount', 'best_ask_amount', 'mark_iv', 'ask_iv',
    'bid_iv', 'underlying_price', 'underlying_index', 'interest_rate', 'estimated_delivery_price', 'seq']);
  assert.deepEqual(book.bids, [[1_900, 2]]);
  assert.deepEqual(book.asks, [[2_000, 1], [2_100, 1]]);
  assert.deepEqual(book.stats, { high: 2_000, low: 2_000, price_change: 0, volume: 0.5, volume_usd: 1_000 });
  assert.deepEqual(Object.keys(book.greeks as object), ['delta', 'gamma', 'vega', 'theta', 'rho']);
  assert.equal(book.state, 'open');
  assert.equal(book.change_id, 4);
  assert.equal(book.last_price, 2_000);
  assert.equal(book.open_interest, 0.5);
  assert.equal(book.mark_iv, 0.6);
  assert.deepEqual([book.best_bid_price, book.best_bid_amount, book.best_ask_price, book.best_ask_amount], [1_900, 2, 2_000, 1]);
  const id = bench.reader.state.instruments.id[slotOfSymbol(bench.reader.state, CALL_100_SYMBOL)]!;
  assert.deepEqual(bench.body('orderbook', { instrument_id: id, depth: 1 }).asks, [[2_000, 1]]);
  assert.deepEqual(bench.body('orderbook', { instrument_name: 'BTC-6JAN26-100000-C', depth: 1 }).asks, [[2_000, 1]]);
  for (const parameters of [{ instrument_id: 99_999 }, { instrument_name: 'BTC-20260106-1-C' }, { instrument_name: 'x' }]) {
    const { status, body } = bench.answer('orderbook', { ...parameters, depth: 5 });
    assert.equal(status, 404);
    assert.equal((JSON.parse(body) as { error: string }).error, 'not_found');
  }
});

test('GET /orders: open orders first, then done ones, filtered by status, before and after a history commit', (t) => {
  const bench = market(t);
  bench.place({ wallet: 2, side: BUY, price: 1_800 * USDC, size: ONE });
  bench.cancel(2, 5);
  const query = { wallet: BOB, limit: 50, offset: 0 };
  for (const round of ['in memory', 'in the history']) {
    const listing = bench.body<{ success: boolean; data: Record<string, unknown>[]; pagination: object }>('orders', query);
    assert.equal(listing.success, true);
    assert.deepEqual(listing.pagination, { limit: 50, offset: 0, count: 3 }, round);
    assert.deepEqual(listing.data.map(({ order_id: id, status }) => [id, status]), [[4, 'open'], [5, 'canceled'], [3, 'filled']], round);
    assert.deepEqual(listing.data[2], {
      order_id: 3, wallet_address: BOB, symbol: CALL_100_SYMBOL, side: 'Buy', price: '2000', size: '0.5', tif: 'ioc',
      status: 'filled', order_status: 'filled', end_reason: 'Filled', created_at: START, updated_at: new Date(START).toISOString(),
      filled_size: '0.5', client_id: 'take', reduce_only: false, mmp_enabled: true, instrument_type: 'option',
    }, round);
    const ids = (...status: OrderFilter): unknown[] => bench.body<Rows>('orders', { ...query, status }).data.map((one) => one.order_id);
    assert.deepEqual(ids('filled'), [3]);
    assert.deepEqual(ids('cancelled', 'open'), [4, 5]);
    assert.deepEqual(ids('canceled'), [5]);
    for (const none of ['partially_filled', 'rejected', 'untriggered'] as const) assert.deepEqual(ids(none), [], none);
    bench.commit();
  }
  const alice = bench.body<Rows>('orders', { wallet: ALICE, limit: 1, offset: 1 });
  assert.deepEqual(alice.data.map((one) => [one.order_id, one.status, one.filled_size, one.client_id, one.updated_at]),
    [[1, 'partially_filled', '0.5', 'first "ask"', new Date(START).toISOString()]]);
});

test('an open order\'s updated_at is its last change in size, by a fill or by a shrinking position', (t) => {
  const bench = new Bench(t);
  const places = (fields: Parameters<Bench['place']>[0]): void => assert.equal(bench.place(fields), 0);
  const updated = (wallet: number): unknown => {
    const query = { wallet: walletText(wallet), limit: 50, offset: 0, status: ['open', 'partially_filled'] };
    return bench.body<Rows>('orders', query).data[0]!['updated_at'];
  };
  const clock = (): string => new Date(bench.venue.now).toISOString();
  places({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 4 * ONE });
  const created = clock();
  bench.venue.advance(1_000);
  places({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 2 * ONE, tif: IOC });
  const filled = clock();
  assert.equal(updated(1), filled);
  bench.venue.advance(1_000);
  places({ wallet: 2, side: SELL, price: 3_000 * USDC, size: 2 * ONE, flags: FLAG_REDUCE_ONLY });
  const entered = clock();
  assert.equal(updated(2), entered);
  bench.venue.advance(1_000);
  places({ wallet: 3, side: BUY, price: 1_900 * USDC, size: ONE });
  places({ wallet: 2, side: SELL, price: 1_900 * USDC, size: ONE, tif: IOC });
  assert.equal(updated(2), clock());
  assert.equal(updated(1), filled);
  assert.notEqual(created, filled);
  const again = new Bench(t, { venue: bench.venue });
  const ask = { wallet: walletText(2), limit: 50, offset: 0 };
  assert.deepEqual(again.body('orders', ask), bench.body('orders', ask));
});

test('an order is found by its id or client id, open or done, and a trade by its id', (t) => {
  const bench = market(t);
  bench.place({ wallet: 2, side: BUY, price: 1_800 * USDC, size: ONE, clientId: 'late' });
  bench.cancel(2, 5);
  for (const round of ['in memory', 'in the history']) {
    const status = (wallet: string, name: string): unknown => bench.body<{ data: object | null }>('orderStatus', { wallet, name }).data;
    const rows = bench.body<{ data: { order_id: number }[] }>('orders', { wallet: BOB, limit: 50, offset: 0 }).data;
    assert.equal(rows.length, 3, round);
    for (const row of rows) assert.deepEqual(status(BOB, String(row.order_id)), row, round);
    assert.deepEqual(status(BOB, 'late'), rows.find(({ order_id: id }) => id === 5), round);
    assert.deepEqual(status(BOB, 'take'), rows.find(({ order_id: id }) => id === 3), round);
    const [ask] = bench.body<{ data: { order_id: number }[] }>('orders', { wallet: ALICE, limit: 50, offset: 1 }).data;
    assert.deepEqual(status(ALICE, 'first "ask"'), ask, round);
    for (const name of ['1', '99', '0', '-1', 'none', '9007199254740993', 'x'.repeat(200)]) assert.equal(status(BOB, name), null, name);

    const [trade] = bench.body<{ data: { trade_id: number }[] }>('trades', { limit: 10, offset: 0 }).data;
    assert.deepEqual(bench.body('trade', { id: trade!.trade_id }), { success: true, data: trade }, round);
    const { status: code, body } = bench.answer('trade', { id: 7 });
    assert.deepEqual([code, JSON.parse(body)], [404, { error: 'not_found', message: 'Trade not found: 7' }], round);
    bench.commit();
  }
});

test('an id names its own order, even if another order has it as its client id', (t) => {
  const bench = new Bench(t);
  const order = { wallet: 2, side: BUY, price: 1_800 * USDC, size: ONE };
  const found = (name: string) => bench.body<{ data: { order_id: number } }>('orderStatus', { wallet: BOB, name }).data.order_id;
  for (const clientId of ['', '1', '7']) bench.place({ ...order, clientId });
  assert.deepEqual(['1', '2', '7'].map(found), [1, 2, 3]);
  bench.cancel(2, 1);
  for (const round of ['in memory', 'in the history']) {
    assert.deepEqual(['1', '2', '7'].map(found), [1, 2, 3], round);
    bench.commit();
  }
  bench.cancel(2, 3);
  assert.equal(found('7'), 3);
});

test('trades of an account as maker or taker, and trades after an id, come in order', (t) => {
  const bench = new Bench(t);
  for (const [maker, taker] of [[1, 2], [2, 3], [3, 1], [1, 2]] as const) {
    bench.place({ wallet: maker, side: SELL, price: 2_000 * USDC, size: ONE });
    bench.place({ wallet: taker, side: BUY, price: 2_000 * USDC, size: ONE, tif: IOC });
    if (maker === 2) bench.commit();
  }
  const ids = (query: object): number[] => (
    bench.body<{ data: { trade_id: number }[] }>('trades', { limit: 10, offset: 0, ...query }).data.map(({ trade_id: id }) => id)
  );
  for (const round of ['in both', 'in the history']) {
    assert.deepEqual([ids({}), ids({ account: walletText(1) }), ids({ account: walletText(3) })], [[4, 3, 2, 1], [4, 3, 1], [3, 2]], round);
    assert.deepEqual([ids({ account: walletText(1), offset: 1, limit: 1 }), ids({ account: walletText(9) })], [[3], []], round);
    const after = [{ after: 0 }, { after: 1, limit: 2 }, { after: 4 }, { after: 9 }].map(ids);
    assert.deepEqual(after, [[1, 2, 3, 4], [2, 3], [], []], round);
    const [own] = bench.body<{ data: object[] }>('trades', { limit: 1, offset: 0, account: walletText(3) }).data;
    assert.deepEqual(bench.body('trade', { id: 3 }), { success: true, data: own }, round);
    bench.commit();
  }
});

test('the index price of a day ago is the last before that minute, and absent for a younger venue', (t) => {
  const bench = new Bench(t);
  const index = (price: number): void => {
    bench.venue.venue(bench.venue.write.index(0, price * USDC, 1));
    bench.venue.settle();
    bench.feed();
  };
  const before = (include: boolean): unknown[] => {
    const { data } = bench.body<{ data: Record<string, unknown>[] }>('markets', { include_instruments: include });
    const own = data.filter(({ underlying }) => underlying === 'BTC');
    return [...new Set(own.map((market) => market[include ? 'prev_day_price' : 'prev_day_px']))];
  };
  assert.deepEqual([before(true), before(false)], [[undefined], [undefined]]);
  bench.venue.advance(30_000);
  index(101_000);
  bench.venue.advance(60_000);
  index(102_000);
  bench.venue.advance(DAY - 30_000);
  index(103_000);
  assert.deepEqual(before(true), ['101000'], 'the price of that minute, not the one of the next');
  bench.commit();
  bench.venue.advance(60_000);
  index(104_000);
  assert.deepEqual([before(true), before(false)], [['102000'], ['102000']]);
  bench.venue.advance(12 * HOUR);
  index(104_000);
  assert.deepEqual(before(true), ['102000'], 'what was in force, however long before it came');
});

test('GET /fills and GET /trades: rows of both sides, and filters', (t) => {
  const bench = market(t);
  for (const round of ['in memory', 'in the history']) {
    const fills = bench.body<{ data: object[]; pagination: object }>('fills', { wallet: ALICE, limit: 100, offset: 0 });
    assert.deepEqual(fills.data, [{
      fill_id: 2, trade_id: 1, wallet_address: ALICE, symbol: CALL_100_SYMBOL, price: '2000', size: '0.5', fee: '0', side: 'Sell',
      is_taker: false, timestamp: START, created_at: new Date(START).toISOString(), builder_code_address: null, builder_code_fee: null,
      realized_pnl: '0', explorer_url: null, instrument_type: 'option', order_id: 1, kind: 'trade',
    }], round);
    const trades = (filter: object) => bench.body<{ data: object[] }>('trades', { limit: 100, offset: 0, ...filter }).data;
    assert.deepEqual(trades({}), [{
      trade_id: 1, symbol: CALL_100_SYMBOL, price: '2000', size: '0.5', maker_address: ALICE, taker_address: BOB, maker_fee: '0',
      taker_fee: '0', taker_side: 'Buy', timestamp: START, created_at: new Date(START).toISOString(),
    }], round);
    assert.equal(trades({ symbol: 'BTC-06JAN26-100000-C' }).length, 1);
    assert.equal(trades({ symbol: 'BTC-20260106-100000-P' }).length, 0);
    assert.equal(trades({ symbol: 'no symbol' }).length, 0);
    assert.equal(trades({ underlying: 'BTC' }).length, 1);
    assert.equal(trades({ underlying: 'ETH' }).length, 0);
    bench.commit();
  }
});

test('a fill has the profit it realised, also when the position closes and opens again', (t) => {
  const bench = new Bench(t);
  const trade = (price: number, buyer: number): void => {
    bench.place({ wallet: 3 - buyer, side: SELL, price: price * USDC, size: ONE });
    bench.place({ wallet: buyer, side: BUY, price: price * USDC, size: ONE });
  };
  trade(1_000, 1);
  trade(1_200, 2);
  trade(1_000, 1);
  trade(900, 2);
  const { data } = bench.body<{ data: { realized_pnl: string }[] }>('fills', { wallet: ALICE, limit: 10, offset: 0 });
  assert.deepEqual(data.map((one) => one.realized_pnl), ['-100', '0', '200', '0']);
});

test('GET /user-tier, /agents and /exchange-info', (t) => {
  const bench = new Bench(t);
  const limits = {
    max_open_orders: 100, max_open_positions: 50, orders_per_minute: 60, cancels_per_minute: 120, api_requests_per_minute: 600,
  };
  assert.deepEqual(bench.body('tier', { wallet: BOB }), { success: true, data: { wallet_address: BOB, tier: 'default', limits } });
  const { venue } = bench;
  // Approvals wait while the wallet has no account.
  venue.send(venue.write.agent('approve', 2, 11, 8));
  venue.send(venue.write.agent('approve', 2, 12, 9, START + 5));
  bench.feed();
  assert.deepEqual(bench.body('agents', { wallet: BOB }), { agents: [walletText(8), walletText(9)] });
  bench.place({ wallet: 2, side: BUY, price: USDC, size: ONE });
  venue.send(venue.write.tier(2, TIER2));
  bench.feed();
  const { data } = bench.body<{ data: { tier: string; limits: object } }>('tier', { wallet: BOB });
  assert.deepEqual([data.tier, data.limits], ['tier2', {
    max_open_orders: 500, max_open_positions: 200, orders_per_minute: 120, cancels_per_minute: 300, api_requests_per_minute: 1_200,
  }]);
  assert.equal(bench.body<{ agents: string[] }>('agents', { wallet: BOB }).agents.length, 2);
  venue.now = START + 5;
  assert.deepEqual(bench.body('agents', { wallet: BOB }), { agents: [walletText(8)] });
  assert.deepEqual(bench.body('agents', { wallet: ALICE }), { agents: [] });
  assert.deepEqual(bench.body('exchange', {}), {
    exchange_address: `0x${'0'.repeat(40)}`, chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' },
    perp_signing_domain: { name: 'Exchange', version: '1', chain_id: 1337 }, perp_source: 'Strikebook', venue_id: VENUE, head_seq: 7,
    head_hash: 'ab'.repeat(32),
    perp_assets: [{ asset: 0, symbol: 'BTC-PERP', underlying: 'BTC' }, { asset: 1, symbol: 'ETH-PERP', underlying: 'ETH' }],
  });
});

test('order query: how an order had ended by a seq, by id or client id, and never another wallet\'s order', (t) => {
  const bench = market(t);
  bench.cancel(1, 2);
  const done = bench.venue.seq();
  for (const round of ['in memory', 'in the history']) {
    const standing = (parameters: object) => {
      const all = { wallet: ALICE, as_of: done, ...parameters };
      const { state, order } = bench.body<{ state: string; order: { order_id: number } | null }>('order', all);
      return [state, order?.order_id ?? null];
    };
    assert.deepEqual(standing({ order_id: '2' }), ['cancelled', 2], round);
    assert.deepEqual(standing({ wallet: BOB, order_id: '3' }), ['filled', 3], round);
    assert.deepEqual(standing({ wallet: BOB, client_id: 'take' }), ['filled', 3], round);
    assert.deepEqual(standing({ order_id: '2', as_of: done - 1 }), ['unknown', null], `${round}: it was open`);
    const none = [
      { order_id: '1' }, { client_id: 'first "ask"' }, { order_id: '3' }, { order_id: '77' }, { order_id: `${2n ** 64n - 1n}` },
      { client_id: 'take' }, { client_id: '' }, {},
    ];
    for (const unknown of none) {
      assert.deepEqual(standing(unknown), ['unknown', null], `${round} ${JSON.stringify(unknown)}`);
    }
    bench.commit();
  }
});

test('order query: of orders with one client id, the last one done by the seq', (t) => {
  const bench = new Bench(t);
  const again = { wallet: 1, side: BUY, price: 1_900 * USDC, size: ONE, clientId: 'again' } as const;
  const moments = [bench.venue.seq()];
  for (const id of [1, 2]) {
    assert.equal(bench.place(again), 0);
    assert.equal(bench.cancel(1, id), 0);
    moments.push(bench.venue.seq());
  }
  assert.equal(bench.place({ ...again, tif: IOC }), 0);
  moments.push(bench.venue.seq());
  assert.equal(bench.place(again), 0);
  for (const round of ['in memory', 'in the history']) {
    const told = moments.map((seq) => {
      const parameters = { wallet: ALICE, client_id: 'again', as_of: seq };
      return bench.body<{ order: { order_id: number } | null }>('order', parameters).order?.order_id ?? null;
    });
    assert.deepEqual(told, [null, 1, 2, 3], round);
    bench.commit();
  }
});

test('outcome query: what a used nonce did, with the order of a cancel', (t) => {
  const bench = market(t);
  assert.equal(bench.venue.send(bench.venue.write.cancel(1, 900, 1)), 0);
  bench.feed();
  for (const round of ['in memory', 'in the history']) {
    const cancel = bench.body('outcome', { wallet: ALICE, nonce: '900' });
    assert.deepEqual([cancel.numbers, cancel.time], [[1, 0.5 * ONE, 0, 0], START], round);
    assert.match(cancel.digest as string, /^[0-9a-f]{64}$/);
    assert.deepEqual(cancel.order, {
      order_id: 1, symbol: CALL_100_SYMBOL, side: 'Sell', price: '2000', size: '1.5', filled_size: '0.5', tif: 'gtc',
      client_id: 'first "ask"', created_at: START, mmp_enabled: true, reduce_only: false,
    }, round);
    const placed = bench.body<Record<string, unknown>>('outcome', { wallet: BOB, nonce: '3' });
    assert.deepEqual([placed.numbers, placed.order], [[3, 0.5 * ONE, 0, DONE_FILLED], null], round);
    assert.equal(bench.answer('outcome', { wallet: BOB, nonce: '900' }).body, 'null', round);
    bench.commit();
  }
});

test('an expired contract keeps its book page', (t) => {
  const bench = market(t);
  bench.venue.advance(EXPIRY - START);
  bench.feed();
  const book = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 20 });
  assert.deepEqual([book.state, book.bids, book.asks], ['settled', [], []]);
  assert.equal(bench.place({ ...CALL_100, wallet: 1, side: BUY, price: USDC, size: ONE }), 200);
});
