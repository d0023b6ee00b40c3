// Market data of options against a separate Black-76 on a skewed surface: greeks by finite differences, volatilities of quotes by
// bisection, and every body agrees about a contract. Cached rows equal fresh ones, whatever happened in between.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { CALL, FLAG_SURFACE_AGELESS, PERP, PUT } from '../../../core/codec/commands.ts';
import { PPM } from '../../../core/settings.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { GreeksCache } from '../../../shell/reader/market/greeks-cache.ts';
import { Statistics } from '../../../shell/reader/market/statistics.ts';
import { Summaries } from '../../../shell/reader/market/summary.ts';
import { Names, slotOfSymbol } from '../../../shell/reader/text.ts';
import { contractValue } from '../../core/margin/scenario-oracle.ts';
import { START } from '../../support/venue.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, ROOMY, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const PUT_90 = { ...CALL_100, strike: 90_000e6, kind: PUT };
const PUT_90_SYMBOL = 'BTC-20260106-90000-P';

/** A day without trades, in a row of the summary. */
const NO_TRADES = { volume: 0, volume_usd: 0, high: null, low: null, last: null, price_change: null };

type Row = Record<string, any>;

/** A skewed surface, quotes in a call and a put, one trade. */
function skewed(t: TestContext): Bench {
  const bench = new Bench(t, { limits: ROOMY });
  const { venue } = bench;
  venue.venue(venue.write.surface(0, 0, 550_000, -200_000, 400_000, FLAG_SURFACE_AGELESS));
  venue.settle();
  bench.feed();
  bench.place({ wallet: 1, side: SELL, price: 1_500 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 1_500 * USDC, size: 0.5 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 1_200 * USDC, size: 3 * ONE });
  bench.place({ ...PUT_90, wallet: 2, side: BUY, price: 5 * USDC, size: 4 * ONE });
  return bench;
}

type Terms = { value: (spot: number, sigma: number, time: number) => number; spot: number; sigma: number; time: number };

/** What the oracle values a contract with: everything from the state's raw columns. */
function terms(bench: Bench, symbol: string): Terms {
  const { instruments, valuation } = bench.reader.state;
  const slot = slotOfSymbol(bench.reader.state, symbol);
  return {
    value: (spot, sigma, time) => contractValue(
      instruments.kind[slot] === CALL, spot, instruments.strike[slot]! / 1e6, instruments.expiry[slot]!, time,
      valuation.average[0]! / 1e6, sigma,
    ),
    spot: valuation.markIndex[0]! / 1e6, sigma: valuation.sigma[slot]! / 1e6, time: valuation.markedAt[0]!,
  };
}

function near(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * Math.max(1e-9, Math.abs(expected)), `${what}: ${actual} is not ${expected}`);
}

/** Greeks by differences of the oracle's value; vega a vol point, theta a day. */
function differences(bench: Bench, symbol: string): Row {
  const { value, spot, sigma, time } = terms(bench, symbol);
  const step = spot * 1e-4;
  const at = (x: number): number => value(x, sigma, time);
  return {
    delta: (at(spot + step) - at(spot - step)) / (2 * step),
    gamma: (at(spot + step) - 2 * at(spot) + at(spot - step)) / (step * step),
    vega: (value(spot, sigma + 1e-4, time) - value(spot, sigma - 1e-4, time)) / 2e-4 / 100,
    theta: (value(spot, sigma, time + 1_000) - value(spot, sigma, time - 1_000)) / 2_000 * 86_400_000,
  };
}

test('a contract\'s greeks are finite differences of its value at its own strike\'s volatility', (t) => {
  const bench = skewed(t);
  const volatilities = new Set<number>();
  for (const symbol of [CALL_100_SYMBOL, PUT_90_SYMBOL, 'BTC-20260106-104000-C', 'BTC-20260327-120000-C']) {
    const { success, data, error } = bench.body<{ success: boolean; data: Row; error: null }>('greeks', { symbol });
    assert.deepEqual([success, error], [true, null]);
    assert.deepEqual(Object.keys(data), ['symbol', 'delta', 'gamma', 'theta', 'vega', 'rho', 'iv', 'mark_price', 'underlying_price',
      'timestamp']);
    const { sigma, time, value } = terms(bench, symbol);
    const expected = differences(bench, symbol);
    for (const name of ['delta', 'gamma', 'vega', 'theta']) near(data[name], expected[name], 2e-3, `${name} of ${symbol}`);
    assert.deepEqual([data.symbol, data.iv, data.underlying_price, data.timestamp], [symbol, sigma, 100_000, time]);
    // With the rate goes the forward, discounted back: at a rate of 0 a call gains its strike's share for the time.
    const years = (Date.UTC(2026, Number(symbol.slice(8, 10)) - 1, Number(symbol.slice(10, 12)), 8) - time) / (365 * 86_400_000);
    near(data.rho, (data.delta * 100_000 - value(100_000, sigma, time)) * years / 100, 2e-3, `rho of ${symbol}`);
    volatilities.add(data.iv);
  }
  assert.equal(volatilities.size, 4, 'every strike has its own volatility');
});

test('greeks of a perp, of an unlisted contract, and before any index', (t) => {
  const bench = skewed(t);
  const { data } = bench.body<{ data: Row }>('greeks', { symbol: 'BTC-PERP' });
  assert.deepEqual([data.delta, data.gamma, data.theta, data.vega, data.rho, data.iv], [1, 0, 0, 0, 0, 0]);
  const unknown = bench.answer('greeks', { symbol: 'BTC-20260106-1-C' });
  assert.equal(unknown.status, 404);
  const message = 'Instrument not found: BTC-20260106-1-C';
  assert.deepEqual(JSON.parse(unknown.body), { success: false, data: null, error: 'not_found', message });
});

/** The volatility at which the oracle gives a price. */
function implied(bench: Bench, symbol: string, price: number): number {
  const { value, spot, time } = terms(bench, symbol);
  let [low, high] = [0.001, 20];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (value(spot, middle, time) < price) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

test('volatilities of mark, bid and ask agree in book page, chain, summary and markets', (t) => {
  const bench = skewed(t);
  const book = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 5 });
  near(book.bid_iv as number, implied(bench, CALL_100_SYMBOL, 1_200), 1e-5, 'bid_iv');
  near(book.ask_iv as number, implied(bench, CALL_100_SYMBOL, 1_500), 1e-5, 'ask_iv');
  assert.equal(book.mark_iv, terms(bench, CALL_100_SYMBOL).sigma);
  const put = bench.body('orderbook', { instrument_name: PUT_90_SYMBOL, depth: 5 });
  near(put.bid_iv as number, implied(bench, PUT_90_SYMBOL, 5), 1e-5, 'bid_iv of the put');
  assert.equal(put.ask_iv, null, 'nobody asks');
  const chain = bench.body<{ rows: Row[] }>('optionsChain', { currency: 'BTC', expiry: EXPIRY, option_type: 'both', side: 'both' });
  const leg = chain.rows.find(({ strike }) => strike === 100_000)!.call as Row;
  const summary = bench.body<Row[]>('optionsSummary', { currencies: ['BTC'] }).find((one) => one.instrument_name === CALL_100_SYMBOL)!;
  assert.deepEqual([leg.bid_iv, leg.ask_iv], [book.bid_iv, book.ask_iv]);
  assert.deepEqual([summary.bid_iv, summary.ask_iv, summary.mark_iv], [book.bid_iv, book.ask_iv, book.mark_iv]);
  const { data } = bench.body<{ data: Row[] }>('markets', { include_instruments: true });
  const market = data.find((one) => one.underlying === 'BTC' && one.expiry === EXPIRY / 1_000)!;
  const inMarket = (symbol: string): Row => (market.instruments as Row[]).find(({ id }) => id === symbol)!;
  assert.equal(inMarket(CALL_100_SYMBOL).mark_iv, String(book.mark_iv));
  assert.equal(inMarket(PUT_90_SYMBOL).mark_iv, String(put.mark_iv));
  assert.notEqual(put.mark_iv, book.mark_iv);
  assert.equal(market.atm_vol, '0.55');
});

test('a volatility is null if the price does not determine it', (t) => {
  const bench = skewed(t);
  const deep = 'BTC-20260106-92000-C';
  bench.place({ ...CALL_100, strike: 92_000e6, wallet: 2, side: BUY, price: 8_000 * USDC, size: ONE });
  assert.equal(bench.body('orderbook', { instrument_name: deep, depth: 1 }).bid_iv, null, 'no more than intrinsic value');
  bench.place({ ...CALL_100, strike: 92_000e6, wallet: 2, side: BUY, price: 8_000.1 * USDC, size: ONE });
  assert.equal(bench.place({ ...CALL_100, strike: 92_000e6, wallet: 2, side: BUY, price: 8_001 * USDC, size: ONE }), 0);
  const iv = bench.body('orderbook', { instrument_name: deep, depth: 1 }).bid_iv as number;
  near(iv, implied(bench, deep, 8_001), 1e-4, 'bid_iv of a little time value');
});

test('options-chain: rows by strike, legs, quotes in USDC, greeks in both forms, and filters', (t) => {
  const bench = skewed(t);
  const ask = (filter: object = {}) => bench.body<{ currency: string; expiry: number; rows: Row[] }>(
    'optionsChain', { currency: 'BTC', expiry: EXPIRY, option_type: 'both', side: 'both', ...filter },
  );
  const { currency, expiry, rows } = ask();
  assert.deepEqual([currency, expiry], ['BTC', EXPIRY / 1_000]);
  const strikes = rows.map(({ strike }) => strike as number);
  assert.deepEqual(strikes, [...new Set(strikes)].sort((a, b) => a - b));
  assert.ok(rows.length >= 15 && rows.every((row) => row.call !== undefined && row.put !== undefined));
  const call = rows.find(({ strike }) => strike === 100_000)!.call as Row;
  const { bid_iv: bidIv, ask_iv: askIv, greeks_abs: abs, greeks_cash: cash, ...quotes } = call;
  assert.ok(bidIv > 0 && askIv > bidIv);
  assert.deepEqual(quotes, {
    symbol: CALL_100_SYMBOL, option_token_address: null, bid_price_usd: 1_200, bid_size_contracts: 3, bid_size_usd_notional: 300_000,
    ask_price_usd: 1_500, ask_size_contracts: 1.5, ask_size_usd_notional: 150_000,
  });
  const expected = differences(bench, CALL_100_SYMBOL);
  for (const name of ['delta', 'gamma', 'theta', 'vega']) near(abs[name], expected[name], 2e-3, name);
  near(cash.delta_1pct_usd, abs.delta * 1_000, 1e-12, 'delta of 1 %');
  near(cash.gamma_1pct_usd, abs.gamma * 1e6, 1e-12, 'gamma of 1 %');
  assert.deepEqual([cash.theta_1d_usd, cash.vega_1vol_usd], [abs.theta, abs.vega]);
  assert.ok(ask({ option_type: 'call' }).rows.every((row) => 'call' in row && !('put' in row)));
  assert.ok(ask({ option_type: 'put' }).rows.every((row) => 'put' in row && !('call' in row)));
  const buy = ask({ side: 'buy' }).rows.find(({ strike }) => strike === 100_000)!.call as Row;
  assert.deepEqual([buy.bid_price_usd, buy.ask_price_usd, buy.ask_iv], [1_200, null, null]);
  assert.deepEqual([buy.ask_size_contracts, buy.ask_size_usd_notional], [null, null]);
  const sell = ask({ side: 'sell' }).rows.find(({ strike }) => strike === 100_000)!.call as Row;
  assert.deepEqual([sell.bid_price_usd, sell.bid_iv, sell.ask_price_usd], [null, null, 1_500]);
  assert.deepEqual(ask({ expiry: EXPIRY + 1 }).rows, []);
  for (const currency of ['XRP', 'btc']) assert.throws(() => ask({ currency }), /answered 400: .*Unknown currency/);
});

test('expiry-summary: each contract\'s instrument and book are as on their own pages', (t) => {
  const bench = skewed(t);
  const all = bench.body<{ instrument: Row; orderbook: Row }[]>('expirySummary', { currency: 'BTC', expiry: EXPIRY, depth: 20 });
  const listed = bench.body<Row[]>('instruments', { currency: 'BTC', status: ['ACTIVE'] })
    .filter((one) => one.expiration_timestamp === EXPIRY);
  assert.equal(all.length, listed.length);
  const order = all.map(({ instrument }) => `${String(instrument.strike).padStart(9)} ${instrument.option_type}`);
  assert.deepEqual(order, [...order].sort(), 'by strike, a call before its put');
  for (const { instrument, orderbook } of all) {
    assert.equal(Object.keys(orderbook).length, 30);
    assert.deepEqual(listed.find((one) => one.instrument_id === instrument.instrument_id), instrument);
    assert.deepEqual(bench.body('orderbook', { instrument_id: instrument.instrument_id as number, depth: 20 }), orderbook);
  }
});

test('options-summary: fields, currencies, expiry', (t) => {
  const bench = skewed(t);
  const all = bench.body<Row[]>('optionsSummary', { currencies: null });
  const one = all.find(({ instrument_name: name }) => name === CALL_100_SYMBOL)!;
  assert.deepEqual(Object.keys(one).sort(), ['ask_iv', 'ask_price', 'base_currency', 'best_ask_size', 'best_bid_size', 'bid_iv',
    'bid_price',
    'creation_timestamp', 'estimated_delivery_price', 'expiration_timestamp', 'greeks', 'high', 'instrument_id', 'instrument_name',
    'interest_rate', 'last', 'low', 'mark_iv', 'mark_price', 'mid_price', 'open_interest', 'option_token_address', 'price_change',
    'quote_currency', 'theoretical_price', 'trading_mode', 'underlying_index', 'underlying_price', 'volume', 'volume_usd'].sort());
  const book = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 });
  assert.deepEqual(one.greeks, book.greeks);
  assert.deepEqual([one.bid_price, one.ask_price, one.mid_price, one.best_bid_size, one.best_ask_size], [1_200, 1_500, 1_350, 3, 1.5]);
  assert.deepEqual([one.volume, one.volume_usd, one.high, one.low, one.last, one.price_change], [0.5, 750, 1_500, 1_500, 1_500, 0]);
  assert.deepEqual([one.mark_price, one.theoretical_price, one.open_interest], [book.mark_price, book.theoretical_price, 0.5]);
  const { underlying_price: price, underlying_index: index, base_currency: base, quote_currency: quote } = one;
  assert.deepEqual([price, index, base, quote], [100_000, 'btc_usd', 'BTC', 'USDC']);
  const quiet = all.find(({ instrument_name: name }) => name === 'BTC-20260106-104000-C')!;
  assert.deepEqual([quiet.bid_price, quiet.ask_price, quiet.mid_price], [0, 0, 0]);
  assert.deepEqual([quiet.bid_iv, quiet.best_bid_size, quiet.last], [null, null, null]);
  const of = (parameters: { currencies: readonly string[] | null; expiry?: number }) => bench.body<Row[]>('optionsSummary', parameters);
  assert.equal(of({ currencies: ['BTC', 'ETH'] }).length, all.length);
  assert.ok(of({ currencies: ['ETH'] }).every(({ base_currency: base }) => base === 'ETH'));
  assert.throws(() => of({ currencies: ['BTC', 'XRP'] }), /answered 400: .*Unknown currency: XRP/);
  assert.ok(of({ currencies: null, expiry: EXPIRY }).every((row) => row.expiration_timestamp === EXPIRY));
  assert.deepEqual(of({ currencies: null, expiry: EXPIRY + 1 }), []);
});

test('options-summary: cached rows equal fresh ones', (t) => {
  const bench = skewed(t);
  const { venue, reader: { state } } = bench;
  const prices = [1_300, 1_400, 1_450];
  const steps: (() => void)[] = [
    () => { bench.place({ wallet: 1, side: SELL, price: 1_490 * USDC, size: ONE }); },
    () => { bench.place({ wallet: 2, side: BUY, price: 1_490 * USDC, size: ONE }); },
    () => venue.venue(venue.write.index(0, 101_000e6, 1)),
    () => venue.advance(30 * 60_000),
    () => venue.venue(venue.write.surface(0, 0, 500_000, 0, 0, FLAG_SURFACE_AGELESS)),
    ...prices.map((price) => () => { bench.place({ ...PUT_90, wallet: 1, side: SELL, price: price * USDC, size: ONE }); }),
    () => venue.advance(EXPIRY - venue.now),
    () => venue.advance(24 * 3_600_000),
  ];
  for (const step of steps) {
    step();
    venue.settle();
    bench.feed();
    const kept = bench.body<Row[]>('optionsSummary', { currencies: null });
    const fresh = new Summaries(state, new Names(state), new Statistics(), new GreeksCache(state));
    // Statistics of the day are not made of the state: those of the fresh body are empty.
    const timeless = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, ...NO_TRADES }));
    assert.deepEqual(timeless(kept), timeless(JSON.parse(fresh.body(null, undefined, venue.now)) as Row[]));
    const book = bench.answer('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 });
    const one = kept.find(({ instrument_name: name }) => name === CALL_100_SYMBOL);
    if (one !== undefined) assert.equal(one.volume, (JSON.parse(book.body) as { stats: Row }).stats.volume);
  }
});

test('options-summary: a day after a trade only its price remains, although nothing else has moved', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  bench.place({ wallet: 1, side: SELL, price: 1_500 * USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: 1_500 * USDC, size: ONE });
  const row = (): Row => bench.body<Row[]>('optionsSummary', { currencies: ['BTC'] })
    .find((one) => one.instrument_name === CALL_100_SYMBOL)!;
  assert.deepEqual([row().volume, row().high, row().price_change, row().last], [1, 1_500, 0, 1_500]);
  bench.venue.now += 25 * 3_600_000;
  assert.deepEqual([row().volume, row().high, row().price_change, row().last], [0, null, null, 1_500]);
});

test('limit_iv: the price of a volatility, and for a side never worse than the theoretical price', (t) => {
  const bench = skewed(t);
  const ask = (parameters: object) => bench.body<{ data: Row }>('limitIv', { symbol: CALL_100_SYMBOL, iv: 0.6, ...parameters }).data;
  const { value, spot, sigma, time } = terms(bench, CALL_100_SYMBOL);
  const data = ask({});
  assert.deepEqual(Object.keys(data), ['symbol', 'iv', 'limit_price', 'theoretical_price', 'underlying_price', 'timestamp']);
  near(data.theoretical_price, value(spot, 0.6, time), 1e-9, 'theory');
  const [buy, nearest, sell] = [ask({ side: 'Buy' }), data, ask({ side: 'Sell' })].map((one) => Number(one.limit_price)) as
    [number, number, number];
  assert.ok(buy < data.theoretical_price && data.theoretical_price < sell, 'a price of 5 figures on each side of it');
  assert.ok(Math.abs(nearest - data.theoretical_price) <= (sell - buy) / 2 + 1e-9);
  for (const price of [buy, sell]) assert.equal(Number(price.toPrecision(5)), price);
  const mark = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 }).mark_price as number;
  near(ask({ iv: sigma }).theoretical_price, mark, 1e-8, 'theory at the volatility of the mark');
  assert.equal(ask({ symbol: 'BTC-20260106-104000-C', iv: 0.001, side: 'Buy' }).limit_price, '0.000001', 'the least price that there is');
  const errors: [object, string][] = [
    [{ symbol: 'BTC-20260106-1-C' }, 'Invalid symbol: BTC-20260106-1-C'],
    [{ symbol: 'BTC-PERP' }, 'A perp has no implied volatility: BTC-PERP'],
  ];
  for (const [parameters, message] of errors) {
    const answer = bench.answer('limitIv', { symbol: CALL_100_SYMBOL, iv: 0.6, ...parameters });
    assert.deepEqual([answer.status, JSON.parse(answer.body)], [400, { success: false, data: null, error: 'invalid_parameter', message }]);
  }
  bench.venue.now = EXPIRY;
  assert.match(bench.answer('limitIv', { symbol: CALL_100_SYMBOL, iv: 0.6 }).body, /Instrument has expired/);
});

test('in the settlement window greeks, volatilities and estimated delivery price follow the average', (t) => {
  const bench = skewed(t);
  const { venue } = bench;
  venue.advance(EXPIRY - 15 * 60_000 - START);
  venue.venue(venue.write.index(0, 101_000e6, 1));
  venue.advance(1_000);
  bench.feed();
  assert.ok(bench.reader.state.valuation.average[0]! > 0, 'the window has an average');
  const { data } = bench.body<{ data: Row }>('greeks', { symbol: CALL_100_SYMBOL });
  const expected = differences(bench, CALL_100_SYMBOL);
  for (const name of ['delta', 'gamma', 'vega']) near(data[name], expected[name], 5e-3, name);
  const book = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 });
  near(book.ask_iv as number, implied(bench, CALL_100_SYMBOL, 1_500), 1e-4, 'ask_iv');
  const share = (EXPIRY - venue.now) / 1_800_000;
  const sampled = bench.reader.state.valuation.windowAverage[0]! / 1e6;
  near(book.estimated_delivery_price as number, (1 - share) * sampled + share * 101_000, 1e-9, 'estimated delivery price');
  venue.advance(EXPIRY - venue.now);
  bench.feed();
  const settled = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 });
  assert.equal(settled.state, 'settled');
  assert.ok((settled.settlement_price as number) > 100_000 && settled.estimated_delivery_price === settled.settlement_price);
  assert.deepEqual([settled.mark_iv, settled.bid_iv, settled.ask_iv], [null, null, null]);
});

test('the fees of the settings show in the instruments', (t) => {
  const bench = skewed(t);
  const { values } = bench.reader.state.settings;
  const settings = values.slice();
  const one = (): Row => bench.body<Row[]>('instruments', { currency: 'BTC', status: ['ACTIVE'] })[0]!;
  assert.deepEqual([one().maker_commission, one().taker_commission], [0, 0]);
  settings[12] = 200;
  settings[13] = 500;
  bench.venue.venue(bench.venue.write.configure(settings));
  bench.feed();
  assert.deepEqual([one().maker_commission, one().taker_commission], [200 / PPM, 500 / PPM]);
});

test('portfolio greeks: a leg per contract, their sums, and simulated orders as if filled', (t) => {
  const bench = skewed(t);
  bench.place({ underlying: 'BTC', expiry: 0, strike: 0, kind: PERP, wallet: 2, side: SELL, price: 100_000 * USDC, size: 2 * ONE });
  bench.place({ underlying: 'BTC', expiry: 0, strike: 0, kind: PERP, wallet: 1, side: BUY, price: 100_000 * USDC, size: 2 * ONE });
  const wallet = `0x${'0'.repeat(39)}9`;
  const none = bench.body<{ data: Row }>('portfolioGreeks', { wallet, orders: [] }).data;
  assert.deepEqual(none, { wallet_address: wallet, per_leg: [] });
  const ask = (orders: object[]) => (
    bench.body<{ data: Row }>('portfolioGreeks', { wallet: walletText(2), orders: orders as never }).data
  );
  const held = ask([]);
  const greeks = (symbol: string): Row => bench.body<{ data: Row }>('greeks', { symbol }).data;
  assert.deepEqual(held.per_leg.map((leg: Row) => [leg.symbol, leg.quantity]), [[CALL_100_SYMBOL, '0.5'], ['BTC-PERP', '-2']]);
  near(held.per_leg[0].vega, 0.5 * greeks(CALL_100_SYMBOL).vega, 1e-12, 'vega of a leg');
  assert.deepEqual([held.per_leg[1].delta, held.per_leg[1].iv], [-2, 0]);
  near(held.aggregate.delta, 0.5 * greeks(CALL_100_SYMBOL).delta - 2, 1e-12, 'delta of all');
  near(held.aggregate.iv, greeks(CALL_100_SYMBOL).iv, 1e-12, 'volatility of all, by vega');
  const simulated = ask([
    { symbol: CALL_100_SYMBOL, side: 'Sell', size: 0.5 * ONE }, { symbol: PUT_90_SYMBOL, side: 'Buy', size: ONE },
    { symbol: PUT_90_SYMBOL, side: 'Buy', size: ONE },
  ]);
  assert.deepEqual(simulated.per_leg.map((leg: Row) => [leg.symbol, leg.quantity]), [['BTC-PERP', '-2'], [PUT_90_SYMBOL, '2']]);
  near(simulated.aggregate.gamma, 2 * greeks(PUT_90_SYMBOL).gamma, 1e-12, 'gamma of all');
  assert.equal(bench.answer('portfolioGreeks', { wallet, orders: [{ symbol: 'BTC-20260106-1-C', side: 'Buy', size: 1 }] }).status, 400);
  bench.venue.now = EXPIRY;
  const late = bench.answer('portfolioGreeks', { wallet, orders: [{ symbol: CALL_100_SYMBOL, side: 'Buy', size: 1 }] });
  assert.deepEqual([late.status, (JSON.parse(late.body) as Row).message], [400, 'Instrument has expired']);
});
