// Reads of market data, greeks and risk of a running venue: every parameter with its default, maximum and effect, and every error of
// these routes with status, code and text.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createWallet, Http, signerFor, type Answer, type RequestSigner, type Wallet } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';

const TOKEN = 'markets-test-token-of-the-operator';
/** A Monday at midnight. */
const START = '2026-01-05T00:00:00Z';
const EXPIRY = '2026-01-09';
const EXPIRY_MS = Date.UTC(2026, 0, 9, 8);
const CALL = 'BTC-20260109-100000-C';
const NOBODY = `0x${'0'.repeat(39)}1`;

type Row = Record<string, any>;

const data = fs.mkdtempSync(join(tmpdir(), 'strikebook-markets-'));
let venue: VenueProcess;
let http: Http;
let signer: RequestSigner;
let maker: Wallet;
let taker: Wallet;

before(async () => {
  const clock = ['--clock-start', START, '--clock-speed', '0.001'];
  const flags = ['--feed', 'manual', '--admin-token', TOKEN, ...clock, '--workers', '1', '--rate-limits', 'off', '--underlyings', 'SOL'];
  venue = await VenueProcess.start({ data, flags });
  await venue.ready();
  http = new Http(venue.url);
  const told = await http.get(`/greeks?symbol=${CALL}`);
  assert.equal(told.status, 404, 'nothing is listed before the first index price');
  await operate('/admin/index-price', { underlying: 'BTC', price: '100000' });
  await operate('/admin/index-price', { underlying: 'ETH', price: '3000' });
  await operate('/admin/vol-surface', { underlying: 'BTC', atm_vol: '0.55', skew: '-0.2', curvature: '0.4' });
  signer = await signerFor(http);
  [maker, taker] = [createWallet(), createWallet()];
  await listed(CALL);
  await send(signer.placeOrder(maker, { symbol: CALL, side: 'Sell', size: '2', price: '3000' }));
  await send(signer.placeOrder(taker, { symbol: CALL, side: 'Buy', size: '0.5', price: '3000' }));
  for (let i = 1; i <= 25; i++) await send(signer.placeOrder(taker, { symbol: CALL, side: 'Buy', size: '0.1', price: String(2_000 - i) }));
});

after(async () => {
  http.close();
  await venue.kill();
  fs.rmSync(data, { recursive: true, force: true });
});

async function operate(path: string, body: object): Promise<void> {
  const answer = await http.post(path, body, { authorization: `Bearer ${TOKEN}` });
  assert.equal(answer.status, 200, answer.text);
}

async function send(request: Parameters<Http['send']>[0], outcome = 'ACKED'): Promise<Row> {
  const { status, body, text } = await http.send(request);
  assert.deepEqual([status, (body as Row).status], [200, outcome], text);
  return body as Row;
}

/** Contracts are listed a moment after the index price. */
async function listed(symbol: string): Promise<void> {
  while ((await http.get(`/orderbook?instrument_name=${symbol}`)).status !== 200) await sleep(20);
}

async function get<T = Row>(path: string): Promise<T> {
  const { status, body, text } = await http.get(path);
  assert.equal(status, 200, `${path}: ${text.slice(0, 300)}`);
  return body as T;
}

function refusal({ status, body }: Answer): unknown[] {
  const { error, message } = body as Row;
  return [status, error, message];
}

const wrapped = ({ body }: Answer): boolean => 'success' in (body as Row) && (body as Row).success === false && (body as Row).data === null;

test('GET /instruments filters by currency and status, and ignores unused parameters', async () => {
  const all = await get<Row[]>('/instruments');
  assert.ok(all.length > 100 && all.every((one) => one.base_currency === 'BTC' && one.status === 'ACTIVE' && one.is_active === true));
  assert.deepEqual(await get('/instruments?currency=BTC&_kind=future&status=active'), all);
  assert.deepEqual(await get('/instruments?status=SETTLED,%20active'), all);
  assert.deepEqual(await get('/instruments?status=all'), all);
  assert.deepEqual(await get('/instruments?status=SETTLED'), []);
  assert.ok((await get<Row[]>('/instruments?currency=ETH')).every((one) => one.base_currency === 'ETH'));
  for (const name of ['XRP', 'btc', '']) assert.equal((await http.get(`/instruments?currency=${name}`)).status, 400, name);
  for (const status of ['LISTED', '', 'ACTIVE,']) {
    assert.deepEqual(refusal(await http.get(`/instruments?status=${status}`)), [
      400, 'invalid_parameter',
      'Invalid parameter: status must be one or more of ACTIVE, EXPIRED_PENDING_PRICE, SETTLED, all, separated by commas',
    ], status);
  }
  assert.equal(Object.keys(all[0]!).length, 29, '28 of the interface, and the trading mode');
});

test('GET /markets comes with and without instruments', async () => {
  const { success, data: markets } = await get('/markets');
  assert.equal(success, true);
  const one = markets.find(({ underlying, expiry }: Row) => underlying === 'BTC' && expiry === EXPIRY_MS / 1_000);
  const call = one.instruments.find(({ id }: Row) => id === CALL);
  assert.deepEqual([call.volume_24h, call.open_interest, call.status], ['0.5', '0.5', 'ACTIVE']);
  assert.ok(new Set(one.instruments.map(({ mark_iv: iv }: Row) => iv)).size > 5, 'each strike has its own volatility');
  assert.equal(one.atm_vol, '0.55');
  const slim = await get('/markets?include_instruments=false');
  assert.ok(slim.data.every((market: Row) => !('instruments' in market)));
  assert.deepEqual(await get('/markets?include_instruments=true').then(({ data: rows }) => rows.length), markets.length);
  const wrong = await http.get('/markets?include_instruments=yes');
  assert.deepEqual(refusal(wrong), [400, 'invalid_parameter', 'Invalid parameter: include_instruments must be true or false']);
});

test('GET /orderbook takes an id, a name and a depth', async () => {
  const book = await get(`/orderbook?instrument_name=${CALL}`);
  assert.deepEqual([book.bids.length, book.asks, book.last_price], [20, [[3_000, 1.5]], 3_000], 'twenty levels without a depth');
  assert.ok(book.bid_iv > 0 && book.ask_iv > book.bid_iv && book.mark_iv > 0);
  const [{ instrument_id: id }] = (await get<Row[]>('/instruments')).filter((one) => one.instrument_name === CALL) as [Row];
  for (const query of [`instrument_id=${id}`, `instrument_id=${CALL}`, 'instrument_name=BTC-9JAN26-100000-C']) {
    const { timestamp: _, ...same } = await get(`/orderbook?${query}`);
    const { timestamp: __, ...first } = book;
    assert.deepEqual(same, first, query);
  }
  assert.equal((await get(`/orderbook?instrument_id=${id}&depth=3`)).bids.length, 3);
  assert.equal((await get(`/orderbook?instrument_id=${id}&depth=100000`)).bids.length, 25, 'above the maximum counts as it');
  const errors: [string, unknown[]][] = [
    ['', [400, 'missing_field', 'One of instrument_id and instrument_name is required']],
    ['?instrument_id=99999999', [404, 'not_found', 'Instrument not found: 99999999']],
    ['?instrument_name=BTC-20260109-1-C', [404, 'not_found', 'Instrument not found: BTC-20260109-1-C']],
    [`?instrument_name=${CALL}&depth=0`, [400, 'invalid_parameter', 'Invalid parameter: depth must be an integer from 1']],
    [`?instrument_name=${CALL}&depth=many`, [400, 'invalid_parameter', 'Invalid parameter: depth must be an integer from 1']],
  ];
  for (const [query, expected] of errors) assert.deepEqual(refusal(await http.get(`/orderbook${query}`)), expected, query);
});

test('GET /expiry-summary and /options-chain take both date forms and all their parameters', async () => {
  const summary = await get<Row[]>(`/expiry-summary?currency=BTC&expiry=${EXPIRY}`);
  const one = summary.find(({ instrument }) => instrument.instrument_name === CALL)!;
  assert.equal(one.orderbook.bids.length, 20);
  const deep = await get<Row[]>(`/expiry-summary?currency=BTC&expiry=${EXPIRY}T08:00:00Z&depth=2`);
  assert.equal(deep.find(({ instrument }) => instrument.instrument_name === CALL)!.orderbook.bids.length, 2);
  const chain = await get(`/options-chain?currency=BTC&expiry=${EXPIRY}`);
  assert.deepEqual([chain.currency, chain.expiry, chain.rows.length * 2], ['BTC', EXPIRY_MS / 1_000, summary.length]);
  const row = chain.rows.find(({ strike }: Row) => strike === 100_000);
  assert.deepEqual([row.call.bid_price_usd, row.call.ask_price_usd, row.put.symbol], [1_999, 3_000, 'BTC-20260109-100000-P']);
  assert.deepEqual(await get(`/options-chain?currency=BTC&expiry=${EXPIRY}&option_type=both&side=both`), chain);
  const calls = await get(`/options-chain?currency=BTC&expiry=${EXPIRY}&option_type=call&side=buy`);
  assert.ok(calls.rows.every((each: Row) => !('put' in each) && each.call.ask_price_usd === null));
  for (const path of ['/expiry-summary', '/options-chain']) {
    const date = (text: string): unknown[] => (
      [400, 'invalid_parameter', `Invalid expiry format: ${text}, expected an ISO date such as 2026-01-30, or 30JAN26`]
    );
    const moments = [`${EXPIRY}T99:99Z`, `${EXPIRY}T61:00:99.999Z`, `${EXPIRY}T24:00Z`, `${EXPIRY}T08:60:00Z`];
    for (const text of ['20260109', '09jan26', '30FEB26', '2026-02-30', '2026-1-9', 'tomorrow', '1767945600000', ...moments]) {
      assert.deepEqual(refusal(await http.get(`${path}?currency=BTC&expiry=${text}`)), date(text), text);
    }
    assert.deepEqual(refusal(await http.get(`${path}?expiry=${EXPIRY}`)), [400, 'missing_field', 'Missing required field: currency']);
    assert.deepEqual(refusal(await http.get(`${path}?currency=BTC`)), [400, 'missing_field', 'Missing required field: expiry']);
    const count = async (text: string): Promise<number> => {
      const rows = await get<Row>(`${path}?currency=BTC&expiry=${text}`);
      return (Array.isArray(rows) ? rows : rows.rows).length;
    };
    assert.ok(await count(EXPIRY) > 10);
    for (const text of ['09JAN26', '9JAN26']) assert.equal(await count(text), await count(EXPIRY), text);
    const unknown = refusal(await http.get(`${path}?currency=XRP&expiry=${EXPIRY}`));
    assert.deepEqual(unknown, [400, 'invalid_parameter', 'Unknown currency: XRP']);
    assert.equal((await http.get(`${path}?currency=&expiry=${EXPIRY}`)).status, 400);
  }
  const choice = (name: string, values: string): unknown[] => (
    [400, 'invalid_parameter', `Invalid parameter: ${name} must be one of ${values}`]
  );
  const filtered = (query: string) => http.get(`/options-chain?currency=BTC&expiry=${EXPIRY}&${query}`).then(refusal);
  assert.deepEqual(await filtered('option_type=C'), choice('option_type', 'call, put, both'));
  assert.deepEqual(await filtered('side=Buy'), choice('side', 'buy, sell, both'));
});

test('GET /options-summary filters by currencies, kind and expiry', async () => {
  const all = await get<Row[]>('/options-summary');
  assert.deepEqual(new Set(all.map(({ base_currency: base }) => base)), new Set(['BTC', 'ETH']));
  assert.equal((await get<Row[]>('/options-summary?currency=ALL')).length, all.length);
  assert.equal((await get<Row[]>('/options-summary?currency=BTC,ETH&kind=option')).length, all.length);
  assert.ok((await get<Row[]>('/options-summary?currency=ETH')).every(({ base_currency: base }) => base === 'ETH'));
  for (const currency of ['XRP', 'BTC,XRP', '', 'BTC,']) {
    assert.equal((await http.get(`/options-summary?currency=${currency}`)).status, 400, currency);
  }
  assert.deepEqual(await get('/options-summary?kind=future'), []);
  const expiring = await get<Row[]>(`/options-summary?currency=BTC&expiry=${EXPIRY_MS / 1_000}`);
  assert.ok(expiring.length > 0 && expiring.every((one) => one.expiration_timestamp === EXPIRY_MS));
  assert.deepEqual(refusal(await http.get('/options-summary?expiry=soon')),
    [400, 'invalid_parameter', 'Invalid parameter: expiry must be an ISO date such as 2026-01-30, or 30JAN26, or a number of seconds']);
  assert.deepEqual(await get('/options-summary?currency=BTC&expiry=09JAN26'), expiring);
  const one = all.find(({ instrument_name: name }) => name === CALL)!;
  assert.deepEqual([one.bid_price, one.ask_price, one.volume, one.volume_usd], [1_999, 3_000, 0.5, 1_500]);
});

test('GET /greeks and POST /limit_iv agree, and their errors are named', async () => {
  const { data: greeks } = await get(`/greeks?symbol=${CALL}`);
  assert.ok(greeks.delta > 0.3 && greeks.delta < 0.7 && greeks.gamma > 0 && greeks.vega > 0 && greeks.theta < 0);
  assert.deepEqual((await get('/greeks?symbol=BTC-9JAN26-100000-C')).data, greeks);
  assert.deepEqual((await get('/greeks?symbol=BTC-PERP')).data.delta, 1);
  const price = async (body: object): Promise<Row> => {
    const { status, body: told, text } = await http.post('/limit_iv', body);
    assert.equal(status, 200, text);
    return (told as Row).data as Row;
  };
  const limit = await price({ symbol: CALL, iv: greeks.iv });
  assert.ok(Math.abs(limit.theoretical_price - greeks.mark_price) < 1e-5);
  const [buy, sell] = [await price({ symbol: CALL, iv: 0.7, side: 'Buy' }), await price({ symbol: CALL, iv: 0.7, side: 'Sell' })];
  assert.ok(Number(buy.limit_price) <= buy.theoretical_price && Number(sell.limit_price) >= sell.theoretical_price);
  assert.ok(buy.limit_price !== sell.limit_price);
  await send(signer.placeOrder(taker, { symbol: CALL, side: 'Buy', size: '0.1', price: limit.limit_price as string }));
  const errors: [object | string, unknown[]][] = [
    [{ iv: 0.5 }, [400, 'missing_field', 'Missing required field: symbol']],
    [{ symbol: CALL }, [400, 'missing_field', 'Missing required field: iv']],
    [{ symbol: CALL, iv: '0.5' }, [400, 'invalid_parameter', 'Invalid parameter: iv must be a number from 0.0001 to 10']],
    [{ symbol: CALL, iv: 0 }, [400, 'invalid_parameter', 'Invalid parameter: iv must be a number from 0.0001 to 10']],
    [{ symbol: CALL, iv: 55 }, [400, 'invalid_parameter', 'Invalid parameter: iv must be a number from 0.0001 to 10']],
    [{ symbol: CALL, iv: 0.5, side: 'buy' }, [400, 'invalid_parameter', 'Invalid parameter: side must be one of Buy, Sell']],
    [{ symbol: 'BTC', iv: 0.5 }, [400, 'invalid_parameter', 'Invalid option symbol: BTC']],
    [{ symbol: 'BTC-20260109-1-C', iv: 0.5 }, [400, 'invalid_parameter', 'Invalid symbol: BTC-20260109-1-C']],
    [{ symbol: 'BTC-PERP', iv: 0.5 }, [400, 'invalid_parameter', 'A perp has no implied volatility: BTC-PERP']],
  ];
  for (const [body, expected] of errors) {
    const answer = await http.post('/limit_iv', body as object);
    assert.deepEqual(refusal(answer), expected, JSON.stringify(body));
    assert.ok(wrapped(answer));
  }
  const unknown = await http.get('/greeks?symbol=BTC-20260109-1-C');
  assert.deepEqual([...refusal(unknown), wrapped(unknown)], [404, 'not_found', 'Instrument not found: BTC-20260109-1-C', true]);
  assert.deepEqual(refusal(await http.get('/greeks')), [400, 'missing_field', 'Missing required field: symbol']);
});

test('GET /portfolio/greeks has positions, simulated orders, and their errors', async () => {
  const path = `/portfolio/greeks?wallet=${taker.address}`;
  const { data: held } = await get(path);
  const quantity = Number(held.per_leg[0].quantity);
  assert.deepEqual([held.wallet_address, held.per_leg.length, held.per_leg[0].symbol], [taker.address, 1, CALL]);
  const simulated = (orders: unknown): Promise<Answer> => (
    http.get(`${path}&simulated_orders=${encodeURIComponent(JSON.stringify(orders))}`)
  );
  const sale = (await simulated([{ symbol: CALL, side: 'Sell', size: '2.5' }])).body as Row;
  assert.equal(Number(sale.data.per_leg[0].quantity), quantity - 2.5);
  assert.ok(Math.abs(sale.data.aggregate.delta - held.aggregate.delta * (quantity - 2.5) / quantity) < 1e-9);
  assert.deepEqual((await get(`/portfolio/greeks?wallet=${NOBODY}`)).data, { wallet_address: NOBODY, per_leg: [] });
  const one = { symbol: CALL, side: 'Buy', size: '1' };
  const list = 'Invalid parameter: simulated_orders must be a list of 0 to 100 items';
  const errors: [unknown, string][] = [
    [{}, list], ['x', list],
    [Array.from({ length: 101 }, () => one), 'Too many simulated_orders: 101, maximum is 100'],
    [[one, { ...one, side: 'buy' }], 'Item 1: Invalid parameter: side must be one of Buy, Sell'],
    [[{ ...one, size: '0' }], 'Item 0: Size must be greater than 0'], [[{ ...one, size: '-1' }], 'Item 0: Size must be greater than 0'],
    [[{ ...one, size: '1000000001' }], 'Item 0: Size must be at most 1000000000 contracts'],
    [[{ ...one, symbol: 'BTC' }], 'Item 0: Invalid option symbol: BTC'],
    [[{ ...one, symbol: 'BTC-20260109-1-C' }], 'Invalid symbol: BTC-20260109-1-C'],
  ];
  for (const [orders, message] of errors) {
    const answer = await simulated(orders);
    assert.deepEqual([...refusal(answer), wrapped(answer)], [400, 'invalid_parameter', message, true], JSON.stringify(orders).slice(0, 80));
  }
  const sizeless = await simulated([{ symbol: CALL, side: 'Buy' }]);
  assert.deepEqual(refusal(sizeless), [400, 'missing_field', 'Item 0: Missing required field: size']);
  assert.deepEqual(refusal(await http.get('/portfolio/greeks?wallet=0x12')),
    [400, 'invalid_wallet', 'Invalid wallet address: wallet must be 0x and 40 hex digits']);
  assert.deepEqual(refusal(await http.get(`${path}&simulated_orders=[`)), [400, 'invalid_parameter', list]);
  assert.deepEqual((await simulated([])).status, 200, 'none is as good as no list');
});

test('GET /risk/grid and the simulations have their answers, bounds and errors', async () => {
  const readGrid = async (): Promise<Row> => (await get(`/risk/grid?wallet=${maker.address}`)).data;
  const order = { symbol: 'BTC-PERP', side: 'Sell', size: '2', price: '100100' } as const;
  const post = (path: string, body: object): Promise<Answer> => http.post(`/risk/simulate/${path}`, body);
  // Marks move each second: compared is what was read between two of them.
  for (let isOneMoment = false; !isOneMoment;) {
    const grid = await readGrid();
    assert.deepEqual([grid.margin_mode, grid.underlyings.length, grid.underlyings[0].scenarios.length], ['standard', 1, 35]);
    const { data: simulated } = (await post('orders', { wallet: maker.address, orders: [order] })).body as Row;
    const placed = await send(signer.placeOrder(maker, order));
    const { underlyings: _, ...numbers } = await readGrid();
    await send(signer.cancel(maker, placed.order_id), 'CANCELED');
    isOneMoment = isDeepStrictEqual(await readGrid(), grid);
    if (!isOneMoment) continue;
    assert.deepEqual(simulated.before, grid);
    assert.ok(Number(simulated.after.total_initial_margin) > Number(grid.total_initial_margin));
    const { underlyings: __, ...expected } = simulated.after;
    assert.deepEqual(numbers, expected, 'what was simulated is what then is');
  }
  const position = { symbol: CALL, amount: '-1', entry_price: '2500' };
  const portfolio = (await post('portfolio', { positions: [position], balance: '1000000', margin_mode: 'portfolio' })).body as Row;
  assert.equal(portfolio.data.margin_mode, 'portfolio');
  assert.ok(Number(portfolio.data.equity) < 1_000_000);
  const many = (count: number, item: object): object[] => Array.from({ length: count }, () => item);
  const errors: [string, object, string, string][] = [
    ['orders', { orders: [order] }, 'missing_field', 'Missing required field: wallet'],
    ['orders', { wallet: NOBODY }, 'missing_field', 'Missing required field: orders'],
    ['orders', { wallet: 'me', orders: [order] }, 'invalid_wallet', 'Invalid wallet address: wallet must be 0x and 40 hex digits'],
    ['orders', { wallet: NOBODY, orders: [] }, 'invalid_parameter', 'Invalid parameter: orders must be a list of 1 to 100 items'],
    ['orders', { wallet: NOBODY, orders: many(101, order) }, 'invalid_parameter', 'Too many orders: 101, maximum is 100'],
    ['orders', { wallet: NOBODY, orders: [{ ...order, price: '1.23456' }] }, 'invalid_parameter',
      'Item 0: Price validation failed: Price 1.23456 has 6 significant figures, maximum allowed is 5'],
    ['orders', { wallet: NOBODY, orders: [{ ...order, price: '0' }] }, 'invalid_parameter', 'Item 0: Price must be greater than 0'],
    ['orders', { wallet: NOBODY, orders: [order, { ...order, symbol: 'XRP-PERP' }] }, 'invalid_parameter', 'Invalid symbol: XRP-PERP'],
    ['portfolio', {}, 'missing_field', 'Missing required field: positions'],
    ['portfolio', { positions: many(501, position) }, 'invalid_parameter', 'Too many positions: 501, maximum is 500'],
    ['portfolio', { positions: [{ symbol: CALL }] }, 'missing_field', 'Item 0: Missing required field: amount'],
    ['portfolio', { positions: [{ ...position, amount: '2000000000' }] }, 'invalid_parameter',
      'Item 0: amount must be from -1000000000 to 1000000000'],
    ['portfolio', { positions: [{ ...position, entry_price: '-1' }] }, 'invalid_parameter',
      'Item 0: entry_price must be from 0 to 1000000000'],
    ['portfolio', { positions: [position], balance: '1e3' }, 'invalid_parameter',
      'Invalid parameter: balance must be a plain decimal number'],
    ['portfolio', { positions: [position], balance: '2000000000' }, 'invalid_parameter', 'balance must be from -1000000000 to 1000000000'],
    ['portfolio', { positions: [position], margin_mode: 'span' }, 'invalid_parameter',
      'Invalid parameter: margin_mode must be one of standard, portfolio'],
    ['portfolio', { positions: [{ ...position, symbol: 'BTC' }] }, 'invalid_parameter', 'Item 0: Invalid option symbol: BTC'],
    ['portfolio', { positions: many(500, { symbol: 'BTC-PERP', amount: '1000000000' }) }, 'invalid_parameter',
      'The portfolio is too large to be computed exactly'],
  ];
  for (const [path, body, error, message] of errors) {
    const answer = await post(path, body);
    assert.deepEqual([...refusal(answer), wrapped(answer)], [400, error, message, true], JSON.stringify(body).slice(0, 100));
  }
  const text = await http.send({ method: 'POST', path: '/risk/simulate/orders', body: '{' });
  assert.deepEqual(refusal(text), [400, 'invalid_json', 'Request body is not valid JSON']);
});

test('an underlying without an index price has neither greeks nor margin', async () => {
  const text = 'No index price for underlying SOL yet';
  await listed('SOL-PERP');
  assert.deepEqual(refusal(await http.get('/greeks?symbol=SOL-PERP')), [503, 'margin_unavailable', text]);
  const simulated = await http.post('/risk/simulate/portfolio', { positions: [{ symbol: 'SOL-PERP', amount: 1 }] });
  assert.deepEqual(refusal(simulated), [503, 'margin_unavailable', text]);
  const book = await get('/orderbook?instrument_name=SOL-PERP');
  assert.deepEqual([book.index_price, book.mark_price, 'greeks' in book], [0, 0, false]);
});
