// The client calls what the interface description lists, and a running venue answers each call with the shape of the client's types:
// every read and every signed call once, by REST and by socket, beside trades of its own.

import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  StrikebookError, createPrivateKey, privateKeySigner, type Reads, type Simulations, type Strikebook,
} from '../../client/src/main.ts';
import { CHANNELS } from '../../shell/ipc/channels.ts';
import { ANSWERS } from '../../shell/http/shapes/answers.ts';
import { definitionsIn, type JsonSchema } from '../../shell/http/shapes/shape.ts';
import { closed, createAjv } from '../shell/describe/closed.ts';
import { option, startVenue, trader } from './venue.ts';

/** What a call was answered with, and the row of the route table that it is the answer of. */
type Answer = { readonly row: keyof typeof ANSWERS; readonly body: unknown };

/** Not part of a trader's client: the operator's, what a browser or a collector reads, the second names of a path. */
const OTHERS = new Set([
  'GET /admin/status', 'POST /admin/index-price', 'POST /admin/settlement-price', 'POST /admin/vol-surface', 'POST /admin/credit',
  'POST /admin/clock',
  'POST /admin/halt', 'POST /admin/block', 'POST /admin/cancel', 'GET /admin/accounts',
  'GET /admin/backup', 'POST /admin/backup', 'GET /admin/backup/file', 'GET /admin/backup/journal',
  'POST /markets', 'DELETE /markets', 'POST /competitions',
  'GET /metrics', 'GET /openapi.json', 'GET /asyncapi.json', 'GET /', 'GET /assets/{file}', 'GET /docs', 'GET /docs/{file}',
  'GET /docs/socket',
  'DELETE /order', 'DELETE /order_cloid', 'DELETE /revoke-agent', 'POST /mmp-config', 'DELETE /mmp-config', 'POST /mmp-config/reset',
]);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const { url } = await startVenue({ after });

/** Every call of these clients, as `METHOD /path`. */
const calls = new Set<string>();
const recording: typeof fetch = (input, init) => {
  calls.add(`${init!.method} ${String(input).slice(url.length).split('?')[0]}`);
  return fetch(input, init);
};

/** A maker and a taker who have traded, with orders open. */
async function scene() {
  const maker = await trader(url, { fetch: recording });
  const taker = await trader(url);
  const { symbol, low, middle, high } = await option(maker);
  await maker.placeOrder({ symbol, side: 'Sell', size: '1', price: middle });
  await taker.placeOrder({ symbol, side: 'Buy', size: '1', price: middle });
  await maker.placeOrder({ symbol, side: 'Buy', size: '1', price: low, client_id: 'low' });
  const day = symbol.split('-')[1]!;
  return { maker, symbol, low, high, expiry: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}` };
}

/** The queries of every read; a read without one here does not compile. */
function queries(wallet: string, symbol: string, expiry: string): { [P in keyof Reads]: Reads[P]['query'] } {
  const end = Date.now();
  return {
    '/health': {}, '/ready': { role: 'leader' }, '/cluster': {}, '/exchange-info': {},
    '/instruments': { currency: 'BTC', status: 'all' }, '/markets': {},
    '/orderbook': { instrument_name: symbol, depth: 5 }, '/expiry-summary': { currency: 'BTC', expiry },
    '/options-chain': { currency: 'BTC', expiry },
    '/options-summary': { currency: 'BTC' }, '/greeks': { symbol }, '/trades': { symbol, limit: 10 },
    '/candles': { underlying: 'BTC', resolution: '1m', start_time_ms: end - 600_000, end_time_ms: end },
    '/perps': {}, '/funding': { symbol: 'BTC-PERP' }, '/open-interest': { underlying: 'BTC' }, '/insurance-fund': {}, '/time': {},
    '/funding/history': { symbol: 'BTC-PERP' }, '/funding/payments': { wallet }, '/liquidations': {}, '/settlements': { underlying: 'BTC' },
    '/historical-theos': { instrument_name: symbol, interval: '5m' }, '/historical-greeks': { instrument_name: symbol, interval: '5m' },
    '/instrument-candles': { instrument_name: symbol, resolution: '5m', start_time_ms: end - 600_000, end_time_ms: end, price: 'mark' },
    '/vol-index': { underlying: 'BTC' },
    '/vol-index/candles': { underlying: 'BTC', resolution: '1m', start_time_ms: end - 600_000, end_time_ms: end },
    '/gas-provider/{chain_id}': { chain_id: 998 },
    '/orders': { wallet, limit: 5, offset: 0 }, '/fills': { wallet }, '/portfolio': { wallet },
    '/trades/{trade_id}': { trade_id: 1 }, '/orders/status': { wallet, order_id: 'low' },
    '/portfolio/greeks': { wallet, simulated_orders: JSON.stringify([{ symbol, side: 'Buy', size: '1' }]) },
    '/historical-pnl': { wallet, interval: '5m' }, '/settlement-payouts': { wallet }, '/authorized-agents': { wallet },
    '/cancel-after': { wallet }, '/cancel-on-disconnect': { wallet },
    '/user-tier': { wallet }, '/ledger': { wallet, kind: 'opening', from_ms: 0 },
    '/mmp/config': { wallet }, '/profile': { wallet }, '/profile/trades': { wallet, from_ts_ms: 0 }, '/username': { wallet },
    '/competitions': {}, '/competitions/leaderboard': { competition_id: 1 }, '/competitions/{id}': { id: 1 }, '/risk/grid': { wallet },
    '/risk/inputs': { wallet, symbols: symbol },
  };
}

/** What this venue has not: no gas node, no competition. */
const MISSING = new Set(['/gas-provider/{chain_id}', '/competitions/leaderboard', '/competitions/{id}']);

async function read(maker: Strikebook, symbol: string, expiry: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [path, query] of Object.entries(queries(maker.wallet, symbol, expiry)) as [keyof Reads, never][]) {
    try {
      answers.push({ row: `GET ${path}`, body: await maker.get(path, query) });
      assert.ok(!MISSING.has(path), path);
    } catch (error) {
      assert.ok(error instanceof StrikebookError && error.code === 'not_found' && MISSING.has(path), `${path}: ${String(error)}`);
    }
  }
  const bodies: { [P in keyof Simulations]: Simulations[P]['body'] } = {
    '/limit_iv': { symbol, iv: 0.6 }, '/risk/simulate/portfolio': { positions: [{ symbol, amount: '-1' }] },
    '/risk/simulate/orders': { wallet: maker.wallet, orders: [{ symbol, side: 'Sell', size: '1' }] },
  };
  for (const [path, body] of Object.entries(bodies) as [keyof Simulations, never][]) {
    answers.push({ row: `POST ${path}`, body: await maker.simulate(path, body) });
  }
  return answers;
}

async function write(maker: Strikebook, symbol: string, low: string, high: string): Promise<Answer[]> {
  const terms = { symbol, side: 'Buy', size: '1', price: low } as const;
  const sell = { ...terms, price: high, side: 'Sell' } as const;
  const placed = await maker.placeOrders([{ ...terms, client_id: 'one' }, { ...terms, client_id: 'two' }, sell]);
  assert.deepEqual(placed.results.map(({ index, success }) => [index, success]), [[0, true], [1, true], [2, true]]);
  const ids = placed.results.map(({ data }) => data!.order_id!);
  const replaced = await maker.replaceOrders([{ ...terms, order_id: ids[2]!, size: '2' }]);
  const cancelled = await maker.cancelOrders([ids[0]!, ids[2]!]);
  assert.deepEqual(cancelled.results.map(({ success }) => success), [true, false]);
  const stops = await maker.stopMarket({ symbol, side: 'Buy', size: '1', price: high, stop: '900000', by: 'index' });
  assert.deepEqual([stops.status, stops.order_status], ['ACKED', 'untriggered']);
  const exit = { symbol, side: 'Buy', size: '1', price: high, stop: '900000', target: low, link_id: 'exit' } as const;
  const pair = (await maker.bracket(exit)).results.map(({ data }) => data!);
  assert.deepEqual(pair.map(({ order_status }) => order_status), ['open', 'untriggered']);
  const ended = await maker.cancelOrders([stops.order_id!, ...pair.map(({ order_id }) => order_id!)]);
  assert.deepEqual(ended.results.map(({ success }) => success), [true, true, true]);
  const entry = { symbol, side: 'Buy', size: '1', price: low, stop: '1', worst: '1', target: high, link_id: 'entry' } as const;
  const entered = (await maker.enter(entry)).results.map(({ data }) => data!);
  assert.deepEqual(entered.map(({ order_status }) => order_status), ['open', 'untriggered', 'untriggered']);
  await maker.cancelOrders(entered.map(({ order_id }) => order_id!));
  const byClientId = await maker.cancelOrdersByClientId(['two', 'one']);
  assert.deepEqual(byClientId.results.map(({ success }) => success), [true, false]);
  const [fresh, another] = [await maker.placeOrder({ ...terms, client_id: 'three' }), await maker.placeOrder(terms)];
  const amended = await maker.amendOrder({ order_id: another.order_id!, size: '2', price: low });
  assert.deepEqual([amended.status, amended.info.symbol, amended.info.size, amended.order_id], ['ACKED', symbol, '2', another.order_id]);
  const page = [{ symbol, bid: { size: 1, price: low }, ask: { size: 1, price: high } }];
  const quoted = await maker.massQuote({ quote_set: 'main', quotes: page });
  assert.deepEqual(quoted.counts, { unchanged: 0, reduced: 0, open: 2, removed: 0, rejected: 0 });
  const again = await maker.massQuote({ quote_set: 'main', quotes: [...page], detailed: false });
  assert.deepEqual([again.counts.unchanged, again.results], [2, []]);
  const agent = privateKeySigner(createPrivateKey()).address;
  const other = await trader(url, { fetch: recording });
  const name = `u${createPrivateKey().slice(2, 14)}`;
  const answers: Answer[] = [
    { row: 'POST /bulk_order', body: placed }, { row: 'PUT /bulk_order', body: replaced }, { row: 'DELETE /bulk_order', body: cancelled },
    { row: 'DELETE /bulk_order_cloid', body: byClientId }, { row: 'POST /amend', body: amended },
    { row: 'PUT /bulk_amend', body: await maker.amendOrders([{ order_id: another.order_id!, size: '1.5', price: low }]) },
    { row: 'PUT /order', body: await maker.replaceOrder({ ...terms, order_id: fresh.order_id!, client_id: 'four' }) },
    { row: 'POST /approve-agent', body: await maker.approveAgent(agent) },
    { row: 'POST /cancel-after', body: await maker.cancelAfter(600_000) }, { row: 'POST /void-nonces', body: await maker.voidNonces(1) },
    { row: 'POST /cancel-on-disconnect', body: await maker.setCancelOnDisconnect({ enabled: true, grace_ms: 5_000 }) },
    { row: 'POST /mass-quote', body: quoted }, { row: 'POST /cancel-quotes', body: await maker.cancelQuotes('main', 'BTC') },
    { row: 'POST /mmp/config', body: await maker.setMmp({ currency: 'BTC', interval_ms: 1_000, frozen_time_ms: 0, qty_limit: '1' }) },
    { row: 'POST /margin-mode', body: await other.setMarginMode('portfolio') },
    { row: 'POST /username', body: await maker.setUsername(` ${name}`) },
    { row: 'POST /profile/username-request', body: await other.requestUsername(`v${name}`) },
    { row: 'POST /settlement-payouts/seen', body: await maker.markPayoutsSeen([1]) },
  ];
  assert.equal((await maker.cancelOrder(another.order_id!)).status, 'CANCELED');
  assert.equal((await maker.cancelOrderByClientId('four')).status, 'CANCELED');
  const all = await maker.cancelAll('BTC');
  assert.ok(all.data!.cancelled >= 2, JSON.stringify(all));
  for (const done of [await maker.revokeAgent(agent), await maker.revokeAllAgents()]) assert.equal(done.success, true);
  assert.deepEqual([await maker.resetMmp('BTC'), await maker.deleteMmp('BTC')], [null, null]);
  assert.equal((await other.cancelAll()).data!.cancelled, 0);
  await assert.rejects(maker.setUserTier(other.wallet, 'tier2'), (error: StrikebookError) => error.code === 'unauthorized');
  return [...answers, { row: 'POST /cancel-all', body: all }];
}

/** What an answer by socket has beside that of REST: which message it is, and what it is about. */
const HEAD = new Set(['type', 'id', 'action', 'symbol', 'side', 'price', 'size']);

/** The calls that the socket takes too. */
async function say(maker: Strikebook, symbol: string, low: string): Promise<Answer[]> {
  const socket = maker.socket();
  after(() => socket.close());
  const terms = { symbol, side: 'Buy', size: '1', price: low } as const;
  const placed = await socket.placeOrder(terms);
  const replaced = await socket.replaceOrder({ ...terms, order_id: placed.order_id!, client_id: 'mine' });
  const bulk = await socket.placeOrders([{ ...terms, client_id: 'yours' }, terms]);
  const [yours, last] = bulk.results.map(({ data }) => data!.order_id!) as [number, number];
  const moved = await socket.replaceOrders([{ ...terms, order_id: yours, client_id: 'ours' }]);
  const smaller = { order_id: last, size: '0.5', price: low };
  const amends = [await socket.amendOrder(smaller), (await socket.amendOrders([smaller])).results[0]!.data!];
  assert.deepEqual(amends.map(({ status, order_id: id }) => [status, id]), [['ACKED', last], ['ACKED', last]]);
  const cancelled = [await socket.cancelOrder(last), await socket.cancelOrderByClientId('mine')];
  assert.deepEqual(cancelled.map(({ status }) => status), ['CANCELED', 'CANCELED']);
  const many = [await socket.cancelOrdersByClientId(['ours']), await socket.cancelOrders([last])];
  assert.deepEqual(many.map(({ results }) => results[0]!.success), [true, false]);
  const switched = await socket.cancelAfter(60_000);
  const { connection } = socket;
  const disconnect = await socket.setCancelOnDisconnect({ enabled: true, grace_ms: 1_000, connection: connection! });
  assert.deepEqual([disconnect.data.connection, switched.data.timeout_ms], [connection, 60_000]);
  const answers: Answer[] = [
    ...[placed, replaced, ...cancelled].map((body) => ({ row: 'POST /order', body }) as const),
    ...[bulk, moved, ...many].map((body) => ({ row: 'POST /bulk_order', body }) as const),
    { row: 'POST /cancel-after', body: switched }, { row: 'POST /cancel-on-disconnect', body: disconnect },
    { row: 'POST /cancel-all', body: await socket.cancelAll('ETH', { voidNonces: true }) },
    { row: 'POST /void-nonces', body: await socket.voidNonces() },
  ];
  return answers.map(({ row, body }) => (
    { row, body: Object.fromEntries(Object.entries(body as object).filter(([field]) => !HEAD.has(field))) }
  ));
}

type Described = Readonly<Record<string, any>>;

/** Names of queries that are not this client's: of reads whose answer is no JSON, not looked at, and refused. */
const UNREAD = new Set(['export', '_kind', '/candles instrument_name']);

/** The compiler's word on names of queries: those that the venue describes for each read are the client's, and the client has no other. */
function compareNames(paths: Described): string {
  const lines = Object.keys(queries('', '', '')).flatMap((path, i) => {
    const { parameters = [] } = paths[path]['get'] as { readonly parameters?: readonly { readonly in: string; readonly name: string }[] };
    const names = parameters.filter(({ in: place }) => place !== 'header').map(({ name }) => name)
      .filter((name) => !UNREAD.has(name) && !UNREAD.has(`${path} ${name}`));
    const all = Object.fromEntries(names.map((name) => [name, true]));
    return `export const a${i}: { readonly [name in keyof Reads['${path}']['query']]-?: true } = ${JSON.stringify(all)};\n`;
  });
  const folder = `${ROOT}.cache/client-queries`;
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(`${folder}/queries.ts`, `import type { Reads } from '../../client/src/main.ts';\n${lines.join('')}`);
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] }));
    const tsc = `${ROOT}node_modules/.bin/tsc`;
    const { stdout, status } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8', timeout: 120_000 });
    return status === 0 ? '' : stdout.replaceAll(/(.{600}).*/g, '$1');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What does not fit the schema of its row; a field that is not described is a fault too. */
function misfits(answers: readonly Answer[]): string[] {
  const ajv = createAjv();
  return answers.flatMap(({ row, body }) => {
    const schema: JsonSchema = ANSWERS[row].body!;
    const validate = ajv.compile(closed(schema, { schemas: definitionsIn(schema) }));
    return validate(body) ? [] : [`${row}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 300)}`];
  });
}

test('every call of the interface works, and each answer has the shape of its route', async () => {
  const { maker, symbol, low, high, expiry } = await scene();
  const answers = [...await say(maker, symbol, low), ...await write(maker, symbol, low, high), ...await read(maker, symbol, expiry)];
  assert.deepEqual(misfits(answers), []);
  const { paths } = await maker.send<{ paths: Record<string, Record<string, unknown>> }>({ method: 'GET', path: '/openapi.json' });
  assert.equal(compareNames(paths), '');

  const described = Object.entries(paths).flatMap(([path, row]) => Object.keys(row).map((method) => `${method.toUpperCase()} ${path}`));
  const generic = (call: string): string => call.replace(/(?<=provider\/)998$/, '{chain_id}').replace(/(?<=competitions\/)1$/, '{id}')
    .replace(/(?<=trades\/)1$/, '{trade_id}');
  const rows = new Set([...calls].map(generic));
  assert.deepEqual(described.filter((row) => !rows.has(row) && !OTHERS.has(row)), [], 'rows of the venue that the client does not call');
  assert.deepEqual([...rows].filter((row) => !described.includes(row) && !OTHERS.has(row)), [], 'calls that no row of the venue describes');
});

test('each message of a channel has a type, and the package exports it', () => {
  const source = readFileSync(new URL('../../client/src/messages.ts', import.meta.url), 'utf8');
  const exported = readFileSync(new URL('../../client/src/main.ts', import.meta.url), 'utf8');
  const types = source.matchAll(/^export type (\w+) = MessageNamed<'(\w+)'>;$/gm);
  const names = new Map([...types].map(([, name, message]) => [message!, name!]));
  const alone = CHANNELS.filter(({ name }) => name !== 'competition').flatMap(({ messages }): readonly string[] => messages);
  assert.deepEqual(alone.filter((message) => !names.has(message)), []);
  assert.deepEqual([...names.values()].filter((name) => !new RegExp(`\\b${name}\\b`).test(exported)), []);
});
