// The past as a real venue shows it, whose clock is stepped through an expiry: every listing and history with its parameters, defaults,
// bounds and errors, exports whole and in pages, and all of it again after the store was deleted.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Operator } from '../../../client/src/main.ts';
import { createWallet, Http, signerFor, type Answer, type OrderUpdate, type RequestSigner } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';

const TOKEN = 'a-token-of-the-history-tests';
const START = Date.parse('2026-01-05T07:20:00Z');
const EXPIRY = Date.parse('2026-01-05T08:00:00Z');
const [MINUTE, MARK] = [60_000, 300_000] as const;
const NOBODY = `0x${'9'.repeat(40)}`;

type Row = Record<string, any>;
type Page = { success: boolean; data: Row[]; pagination: { limit: number; offset: number; count: number } };

const folder = mkdtempSync(join(tmpdir(), 'strikebook-history-rest-'));
const [data, settings] = [join(folder, 'data'), join(folder, 'settings.json')];
/** Marks, prices and a look at every account each second would be most of what a step does; here it is a minute. */
writeFileSync(settings, '{ "mark_interval": "1 min", "liquidation_interval": "1 min", "index_stale_after": "2 min" }');
const FLAGS = [
  '--feed', 'manual', '--workers', '1', '--rate-limits', 'off', '--admin-token', TOKEN, '--clock-start', '2026-01-05T07:20:00Z',
  '--clock-speed', '0', '--settings', settings,
];
const [seller, buyer] = [createWallet(), createWallet()];
const symbols: string[] = [];
let venue: VenueProcess;
let http: Http;
let sign: RequestSigner;
let operator: Operator;

const microsOf = (text: string): number => Math.round(Number(text) * 1e6);

async function open(): Promise<void> {
  venue = await VenueProcess.start({ data, flags: FLAGS });
  await venue.ready();
  http = new Http(venue.url);
  sign = await signerFor(http);
  operator = new Operator(venue.url, TOKEN, { timeoutMs: 60_000 });
}

async function admin(path: string, body: object): Promise<Answer> {
  const answer = await http.post(path, body, { authorization: `Bearer ${TOKEN}` });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

const get = (path: string, accept = 'application/json'): Promise<Answer> => http.send({ method: 'GET', path, headers: { accept } });

async function page(path: string): Promise<Page> {
  const { status, body, text } = await get(path);
  assert.equal(status, 200, `${path} ${text}`);
  return body as Page;
}

async function points(path: string): Promise<Row[]> {
  const { status, body, text } = await get(path);
  assert.equal(status, 200, `${path} ${text}`);
  assert.deepEqual([(body as Row)['success'], (body as Row)['error']], [true, null]);
  return (body as Row)['data'].points;
}

async function refused(path: string, status: number, error: string, accept?: string): Promise<string> {
  const answer = await get(path, accept);
  const body = answer.body as { error: string; message: string };
  assert.deepEqual([answer.status, body.error], [status, error], `${path} ${answer.text}`);
  return body.message;
}

async function trade(symbol: string, price: string, size: string): Promise<void> {
  for (const [wallet, side] of [[seller, 'Sell'], [buyer, 'Buy']] as const) {
    const terms = { symbol, side, price, size, tif: side === 'Buy' ? 'ioc' as const : 'gtc' as const, client_id: `=${side},"${size}"` };
    const update = (await http.send(sign.placeOrder(wallet, terms))).body as OrderUpdate;
    assert.equal(update.status, 'ACKED', JSON.stringify(update));
  }
}

before(async () => {
  await open();
  await admin('/admin/index-price', { underlying: 'BTC', price: '100000' });
  await admin('/admin/index-price', { underlying: 'ETH', price: '4000' });
  let listed: Row[] = [];
  for (; listed.length < 50; await sleep(20)) listed = (await get('/instruments')).body as Row[];
  const near = listed.filter(({ expiration_timestamp: at, strike }) => at === EXPIRY && Math.abs(strike - 100_000) < 4_000);
  const far = listed.filter(({ expiration_timestamp: at, strike }) => at > EXPIRY && strike === 100_000);
  symbols.push(near[0]!.instrument_name, near[1]!.instrument_name, far[0]!.instrument_name);
  for (const symbol of symbols) await trade(symbol, '1500', '2');
  for (let i = 0; i < 12; i++) await trade(symbols[2]!, '1600', `0.${i + 1}`);
  await http.send(sign.placeOrder(seller, { symbol: symbols[2]!, side: 'Sell', price: '9000', size: '1', client_id: 'rests' }));
  await http.send(sign.placeOrder(buyer, { symbol: symbols[2]!, side: 'Buy', price: '1', size: '1', tif: 'ioc' }));
  // The index moves each minute until the expiry has been paid and a mark has passed since.
  for (let minute = 1; START + minute * MINUTE <= EXPIRY + MARK + MINUTE; minute++) {
    await admin('/admin/index-price', { underlying: 'BTC', price: String(100_000 + 10 * (minute % 7)) });
    await operator.stepClock(START + minute * MINUTE);
  }
});

after(async () => {
  http.close();
  await venue.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('payouts of both sides are opposite to the micro, with their filters and bounds', async () => {
  const [sold, bought] = await Promise.all([seller, buyer].map(({ address }) => page(`/settlement-payouts?wallet=${address}`)));
  assert.deepEqual(sold!.pagination, { limit: 50, offset: 0, count: 2 });
  assert.deepEqual(sold!.data.map(({ symbol }) => symbol).sort(), symbols.slice(0, 2).sort());
  for (const row of sold!.data) {
    const other = bought!.data.find(({ symbol }) => symbol === row['symbol'])!;
    assert.deepEqual(Object.keys(row), [
      'id', 'wallet', 'symbol', 'expiry_ts', 'position_size', 'settlement_price', 'settlement_value', 'settlement_entry_price',
      'cost_basis', 'net_pnl', 'ledger_applied', 'is_seen', 'created_at',
    ]);
    const { position_size: size, settlement_entry_price: entry, cost_basis: cost, ledger_applied: applied } = row;
    assert.deepEqual([size, entry, cost, applied, row['is_seen']], ['-2', '1500', '-3000', true, false]);
    assert.equal(row['expiry_ts'], EXPIRY / 1_000);
    assert.ok(row['created_at'] >= EXPIRY);
    for (const name of ['position_size', 'settlement_value', 'cost_basis', 'net_pnl']) {
      assert.equal(microsOf(row[name]) + microsOf(other[name]), 0, name);
    }
    assert.equal(microsOf(row['net_pnl']), microsOf(row['settlement_value']) - microsOf(cost));
  }
  const own = `/settlement-payouts?wallet=${seller.address}`;
  const filters = [
    '&limit=1', '&limit=1&offset=1', '&offset=2', `&symbol=${symbols[0]}`, `&symbol=${symbols[2]}`, '&symbol=x', '&ledger_applied=true',
    '&ledger_applied=false', '&limit=0',
  ];
  const counts = await Promise.all(filters.map(async (more) => (await page(own + more)).data.length));
  assert.deepEqual(counts, [1, 1, 0, 1, 0, 0, 2, 0, 0]);
  assert.equal((await page(`${own}&limit=5000`)).pagination.limit, 100);
  assert.deepEqual((await page(`/settlement-payouts?wallet=${NOBODY}`)).data, []);
  await refused('/settlement-payouts', 400, 'missing_field');
  await refused('/settlement-payouts?wallet=0x12', 400, 'invalid_wallet');
  for (const bad of ['&limit=-1', '&offset=-1', '&limit=x', '&ledger_applied=yes']) await refused(own + bad, 400, 'invalid_parameter');
});

test('equity and theoretical prices are ascending marks up to the newest, with their errors', async () => {
  const path = `/historical-pnl?wallet=${seller.address}&interval=5m`;
  const all = await points(path);
  const times = all.map(({ timestamp }) => timestamp as number);
  assert.ok(times.length >= 5 && times.every((time) => time % MARK === 0), times.join());
  assert.deepEqual(times, times.toSorted((a, b) => a - b));
  assert.ok(all.every(({ equity }) => /^[0-9]+(\.[0-9]{1,6})?$/.test(equity)));
  assert.deepEqual(await points(`${path}&limit=2`), (await points(path)).slice(-2));
  assert.deepEqual((await points(`/historical-pnl?wallet=${NOBODY}&interval=1d`)), []);
  const hours = (await points(`/historical-pnl?wallet=${seller.address}&interval=1h`)).map(({ timestamp }) => timestamp);
  assert.ok(hours.includes(EXPIRY) && hours.every((time) => time % (60 * MINUTE) === 0));
  await refused('/historical-pnl?interval=5m', 400, 'missing_field');
  await refused(`/historical-pnl?wallet=${seller.address}`, 400, 'missing_field');
  await refused(`/historical-pnl?wallet=${seller.address}&interval=2m`, 400, 'invalid_parameter');
  await refused(`${path}&limit=-1`, 400, 'invalid_parameter');

  const theos = `/historical-theos?instrument_name=${symbols[2]}&interval=5m`;
  const prices = await points(theos);
  assert.ok(prices.length >= 5 && prices.every(({ theoretical_price: price }) => typeof price === 'number' && price > 0));
  assert.ok(prices.length <= 100);
  assert.deepEqual(await points(`${theos}&limit=1`), (await points(theos)).slice(-1));
  // An expired instrument has its points until it expired.
  const ended = await points(`/historical-theos?instrument_name=${symbols[0]}&interval=5m`);
  assert.ok(ended.length >= 3 && ended.at(-1)!['timestamp'] <= EXPIRY);
  await refused('/historical-theos?interval=5m', 400, 'missing_field');
  for (const blank of ['', '%20%20', 'BTC']) {
    await refused(`/historical-theos?instrument_name=${blank}&interval=5m`, 400, 'invalid_parameter');
  }
  await refused(`/historical-theos?instrument_name=${symbols[0]}&interval=15m`, 400, 'invalid_parameter');
  await refused('/historical-theos?instrument_name=BTC-20300101-1-C&interval=5m', 404, 'not_found');
});

test('candles of the venue\'s own index, and the queries that are refused', async () => {
  const span = `start_time_ms=${START}&end_time_ms=${EXPIRY}`;
  const { body } = await get(`/candles?resolution=5m&${span}`);
  const { data: { underlying, resolution, candles } } = body as { data: { underlying: string; resolution: string; candles: Row[] } };
  assert.deepEqual([underlying, resolution], ['BTC', '5m']);
  assert.equal(candles.length, (EXPIRY - START) / MARK);
  for (const { start_time_ms: start, end_time_ms: end, open: first, high, low, close: last, volume } of candles) {
    assert.ok(start >= START && end === start + MARK && start % MARK === 0 && end <= EXPIRY);
    assert.ok(low <= Math.min(first, last) && high >= Math.max(first, last) && low >= 100_000 && high <= 100_060 && volume === 0);
  }
  assert.ok(candles.some(({ high, low }) => high > low));
  const eth = (await get(`/candles?underlying=ETH&resolution=1d&start_time_ms=0&end_time_ms=${EXPIRY}`)).body as { error: string };
  assert.equal(eth.error, 'invalid_parameter', 'that is more than 5,000 days');
  for (const rest of [`&resolution=1m&${span}`, '&resolution=2m', `&underlying=${'x'.repeat(257)}`]) {
    assert.match(await refused(`/candles?instrument_name=${symbols[0]}${rest}`, 400, 'invalid_parameter'), /\/historical-theos/, rest);
  }
  await refused(`/candles?resolution=1m&start_time_ms=${EXPIRY}&end_time_ms=${EXPIRY}`, 400, 'invalid_parameter');
  await refused(`/candles?resolution=1m&start_time_ms=${EXPIRY - 5_001 * MINUTE}&end_time_ms=${EXPIRY}`, 400, 'invalid_parameter');
  assert.equal((await get(`/candles?resolution=1m&start_time_ms=${EXPIRY - 5_000 * MINUTE}&end_time_ms=${EXPIRY}`)).status, 200);
  await refused(`/candles?underlying=DOGE&resolution=1m&${span}`, 400, 'invalid_parameter');
  await refused(`/candles?resolution=2m&${span}`, 400, 'invalid_parameter');
  await refused(`/candles?${span}`, 400, 'missing_field');
  await refused('/candles?resolution=1m&end_time_ms=5', 400, 'missing_field');
});

test('the profile, and its fills within a time', async () => {
  const { body } = await get(`/profile?wallet=${seller.address}`);
  const { success, data } = body as { success: boolean; data: Row };
  assert.equal(success, true);
  assert.deepEqual([data['wallet'], data['username'], data['account_age_days']], [seller.address, '', 0]);
  assert.equal(data['margin'].deposits, '10000000');
  assert.equal(microsOf(data['margin'].total), microsOf(data['margin'].in_use) + microsOf(data['margin'].available));
  const payouts = (await page(`/settlement-payouts?wallet=${seller.address}`)).data;
  const net = payouts.reduce((sum, row) => sum + microsOf(row['net_pnl']), 0);
  assert.equal(microsOf(data['pnl'].lifetime_realized), net);
  await refused('/profile', 400, 'missing_field');

  const own = `/profile/trades?wallet=${seller.address}`;
  const all = (await page(own)).data;
  assert.equal(all.length, 15);
  const middle = all[7]!['timestamp'] as number;
  const within = (await page(`${own}&from_ts_ms=${middle}&to_ts_ms=${all[2]!['timestamp']}`)).data;
  assert.deepEqual(within, all.filter(({ timestamp }) => timestamp >= middle && timestamp <= all[2]!['timestamp']));
  assert.deepEqual((await page(`${own}&symbol=${symbols[0]}`)).data, all.filter(({ symbol }) => symbol === symbols[0]));
  assert.deepEqual((await page(`${own}&limit=3&offset=2`)).data, all.slice(2, 5));
  assert.deepEqual((await page(`${own}&competition_id=77`)).data, []);
  await refused(`${own}&from_ts_ms=x`, 400, 'invalid_parameter');
});

test('a competition runs from its creation to its end', async () => {
  const now = ((await get(`/portfolio?wallet=${NOBODY}`)).body as Row)['portfolio_snapshot_timestamp_ms'] as number;
  const [from, to] = [now + MINUTE, now + 20 * MINUTE];
  await admin('/competitions', {
    name: 'Sprint', start_ts_ms: from, end_ts_ms: to, win_conditions: ['pnl', 'volume'], primary_win_condition: 'volume',
  });
  const { data } = (await get('/competitions/1')).body as { data: Row };
  assert.deepEqual([data['id'], data['name'], data['state'], data['primary_win_condition']], [1, 'Sprint', 'pre', 'volume']);
  const isNone = async (state: string): Promise<boolean> => (await page(`/competitions?state=${state}`)).data.length === 0;
  assert.ok(await isNone('active'));
  await operator.stepClock(from);
  assert.equal(await isNone('active'), false);
  await trade(symbols[2]!, '1700', '3');
  const board = `/competitions/leaderboard?competition_id=1&wallet=${buyer.address}`;
  const active = (await get(board)).body as Row;
  assert.deepEqual([active['sort_by'], active['sort_order'], active['data'].length], ['volume', 'desc', 2]);
  assert.deepEqual(active['data'].map(({ rank, medal, volume }: Row) => [rank, medal, volume]), [[1, null, '5100'], [2, null, '5100']]);
  assert.equal(active['connected_user'].wallet, buyer.address);
  await operator.stepClock(to);
  assert.equal(await isNone('post'), false);
  await admin('/admin/index-price', { underlying: 'BTC', price: '101000' });
  const post = (await get(`${board}&sort_by=pnl&sort_order=asc&limit=1`)).body as Row;
  assert.equal(post['data'].length, 1);
  const over = (await get(board)).body as Row;
  assert.deepEqual(over['data'].map(({ medal }: Row) => medal), [1, 2]);
  assert.equal((await page(`/profile/trades?wallet=${seller.address}&competition_id=1`)).data.length, 1);
  await refused('/competitions/leaderboard', 400, 'missing_field');
  await refused('/competitions/leaderboard?competition_id=2', 404, 'not_found');
  await refused('/competitions/2', 404, 'not_found');
  await refused('/competitions/x', 400, 'invalid_parameter');
  await refused(`${board}&sort_by=luck`, 400, 'invalid_parameter');
  await refused('/competitions?state=over', 400, 'invalid_parameter');
});

test('every int64 is accepted for times, ids and offsets', async () => {
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  const own = `/profile/trades?wallet=${seller.address}`;
  assert.deepEqual((await page(`${own}&from_ts_ms=${least}&to_ts_ms=${most}`)).data, (await page(own)).data);
  assert.equal((await page(`/competitions?from_ts_ms=${least}&to_ts_ms=${most}`)).data.length, 1);
  for (const empty of [
    `${own}&from_ts_ms=${most}`, `${own}&to_ts_ms=${least}`, `${own}&competition_id=${most}`, `${own}&offset=${most}`,
    `/competitions?from_ts_ms=${most}`, `/orders?wallet=${seller.address}&offset=${most}`, `/trades?after_trade_id=${most}`,
    `/settlement-payouts?wallet=${seller.address}&offset=${most}`, `/competitions/leaderboard?competition_id=1&offset=${most}`,
  ]) assert.deepEqual((await page(empty)).data, [], empty);
  for (const none of [`/competitions/${most}`, `/trades/${most}`]) await refused(none, 404, 'not_found');
  const far = 2n ** 60n;
  const { status, body } = await get(`/candles?resolution=1m&start_time_ms=${far}&end_time_ms=${far + 60_000n}`);
  assert.deepEqual([status, (body as Row)['data'].candles], [200, []]);
  for (const beyond of [`&from_ts_ms=${least - 1n}`, `&offset=${most + 1n}`]) await refused(own + beyond, 400, 'invalid_parameter');
});

test('orders are filtered by status, an unknown or blank one is refused, and rows have every field', async () => {
  const own = `/orders?wallet=${seller.address}`;
  const count = async (status: string): Promise<number> => (await page(`${own}&status=${status}`)).data.length;
  const counts = await Promise.all(['open', 'working', 'filled', 'OPEN,%20Filled', 'cancelled', 'rejected'].map(count));
  assert.deepEqual(counts, [1, 1, 16, 17, 0, 0]);
  for (const status of ['luck', '', 'open,']) await refused(`${own}&status=${status}`, 400, 'invalid_parameter');
  assert.equal((await page(`/orders?wallet=${buyer.address}&status=canceled`)).data[0]!['updated_at'].length, 24);
  const [order] = (await page(`${own}&status=open`)).data;
  assert.deepEqual(Object.keys(order!), [
    'order_id', 'wallet_address', 'symbol', 'side', 'price', 'size', 'tif', 'status', 'created_at', 'updated_at', 'filled_size',
    'client_id', 'reduce_only', 'mmp_enabled', 'instrument_type', 'order_status', 'end_reason',
  ]);
  assert.deepEqual([order!['client_id'], order!['status'], order!['price'], order!['end_reason']], ['rests', 'open', '9000', null]);
  assert.equal(order!['updated_at'], new Date(order!['created_at']).toISOString());
});

test('trades by account and after an id; contradictory filters and an unknown underlying are refused', async () => {
  const of = async (query: string): Promise<number[]> => (await page(`/trades?${query}`)).data.map((row) => row['trade_id'] as number);
  const all = await of('limit=1000');
  assert.deepEqual(await of(`limit=1000&account=${seller.address.toUpperCase().replace('0X', '0x')}`), all);
  assert.deepEqual(await of('account=0x1212121212121212121212121212121212121212'), []);
  assert.deepEqual(await of('after_trade_id=0&limit=1000'), all.toReversed());
  for (const [query, why] of [
    [`account=${seller.address}&underlying=BTC`, 'account cannot be combined with symbol or underlying'],
    ['after_trade_id=1&underlying=BTC', 'after_trade_id cannot be combined with offset or filters'],
    ['after_trade_id=1&offset=1', 'after_trade_id cannot be combined with offset or filters'],
    ['after_trade_id=1&export=all', 'export cannot be combined with account or after_trade_id'],
  ] as const) assert.equal(await refused(`/trades?${query}`, 400, 'invalid_parameter'), `Invalid parameter: ${why}`);
  assert.equal(await refused('/trades?underlying=DOGE', 400, 'invalid_parameter'), 'Unknown underlying: DOGE');
  await refused('/trades?underlying=DOGE&export=all', 400, 'invalid_parameter', 'text/csv');
});

/** A reader of RFC 4180, of its own. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        cell += text[at];
        if (text[at] === '"') at++;
      }
      at++;
    } else while (text[at] !== ',' && text[at] !== '\r') cell += text[at++];
    row.push(cell);
    if (text[at] === ',') at++;
    else {
      assert.equal(text.slice(at, at + 2), '\r\n');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

test('exports of a page or of everything, as CSV and NDJSON, have the rows of the JSON pages', async () => {
  for (const path of [`/fills?wallet=${seller.address}`, '/trades?limit=1000', `/orders?wallet=${seller.address}`]) {
    const { data } = await page(path);
    assert.ok(data.length >= 15);
    const lines = async (query: string): Promise<Row[]> => {
      const { status, headers, text } = await get(path + query, 'application/x-ndjson');
      assert.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson'], text);
      return text === '' ? [] : text.trimEnd().split('\n').map((line) => JSON.parse(line) as Row);
    };
    assert.deepEqual(await lines('&export=all'), data);
    assert.deepEqual(await lines('&limit=2&offset=3'), data.slice(3, 5));
    assert.deepEqual(await lines('&limit=2&offset=3&export=all'), data);
    for (const query of ['', '&export=all']) {
      const { headers, text } = await get(path + query, 'text/csv');
      assert.match(headers['content-type']!, /^text\/csv/);
      const [head, ...rows] = readCsv(text);
      assert.deepEqual(head, Object.keys(data[0]!));
      assert.deepEqual(rows, data.map((row) => head!.map((name) => {
        const shown = row[name] === null ? '' : String(row[name]);
        return name === 'client_id' && shown.startsWith('=') ? `'${shown}` : shown;
      })));
    }
    await refused(`${path}&export=all`, 400, 'invalid_parameter');
    await refused(`${path}&export=some`, 400, 'invalid_parameter', 'text/csv');
    await refused(path.replace(/wallet=0x/, 'wallet=zz') + (path.startsWith('/trades') ? '&offset=-1' : ''), 400,
      path.startsWith('/trades') ? 'invalid_parameter' : 'invalid_wallet', 'text/csv');
  }
  const empty = await get(`/fills?wallet=${NOBODY}&export=all`, 'text/csv');
  assert.equal(readCsv(empty.text).length, 1, 'the header alone');
});

test('a deleted history is rebuilt with the same answers about the past', async () => {
  const paths = [seller, buyer].flatMap(({ address }) => [
    `/settlement-payouts?wallet=${address}`, `/fills?wallet=${address}`, `/orders?wallet=${address}`,
    ...['5m', '1h', '1d'].map((interval) => `/historical-pnl?wallet=${address}&interval=${interval}&limit=5`),
  ]).concat('/trades', `/historical-theos?instrument_name=${symbols[0]}&interval=5m`, '/competitions/leaderboard?competition_id=1',
    `/candles?resolution=1m&start_time_ms=${START}&end_time_ms=${EXPIRY}`);
  const answers = (): Promise<unknown[]> => Promise.all(paths.map(async (path) => (await get(path)).body));
  const before = await answers();
  http.close();
  await venue.stop();
  for (const name of readdirSync(data)) if (name.startsWith('history.db')) rmSync(join(data, name));
  await open();
  const again = await answers();
  for (let at = 0; at < paths.length; at++) assert.deepEqual(again[at], before[at], paths[at]);
  const told = await Promise.all([seller, buyer].map(async ({ address }) => (await get(`/portfolio?wallet=${address}`)).body as Row));
  const [sold, bought] = told.map(({ positions }) => positions.map(({ amount }: Row) => Number(amount)) as number[]);
  assert.ok(sold!.length > 0);
  assert.deepEqual(bought, sold!.map((amount) => -amount));
  assert.equal(told.reduce((sum, { margin_summary: { equity } }) => sum + microsOf(equity), 0), 20_000_000e6);
});
