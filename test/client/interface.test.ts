// The client has what the venue's interface description lists, and its declared answers and messages are what a living venue says:
// every read and every signed call is made once, by REST and by socket, every channel is listened to, and the compiler compares
// each answer and message with its type.

import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  StrikebookError, createPrivateKey, privateKeySigner, type Reads, type Simulations, type Strikebook, type VenueSocket,
} from '../../client/src/main.ts';
import { CHANNELS } from '../../shell/ipc/channels.ts';
import { until } from './until.ts';
import { option, startVenue, trader } from './venue.ts';

type Answer = { readonly type: string; readonly body: unknown };

/** Not part of a trader's client: the operator's, what a browser or a collector reads, the second names of a path. */
const OTHERS = new Set([
  'GET /admin/status', 'POST /admin/index-price', 'POST /admin/settlement-price', 'POST /admin/vol-surface', 'POST /markets',
  'DELETE /markets', 'POST /competitions',
  'GET /metrics', 'GET /openapi.json', 'GET /asyncapi.json', 'GET /', 'GET /docs', 'GET /docs/{file}', 'GET /docs/socket',
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
  const { socket, messages } = await listen(maker);
  const taker = await trader(url);
  const { symbol, low, middle, high } = await option(maker);
  await maker.placeOrder({ symbol, side: 'Sell', size: '1', price: middle });
  await taker.placeOrder({ symbol, side: 'Buy', size: '1', price: middle });
  await maker.placeOrder({ symbol, side: 'Buy', size: '1', price: low, client_id: 'low' });
  const day = symbol.split('-')[1]!;
  return { maker, socket, messages, symbol, low, high, expiry: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}` };
}

/** The queries of every read; a read without one here does not compile. */
function queries(wallet: string, symbol: string, expiry: string): { [P in keyof Reads]: Reads[P]['query'] } {
  const end = Date.now();
  return {
    '/health': {}, '/ready': {}, '/exchange-info': {}, '/instruments': { currency: 'BTC', status: 'all' }, '/markets': {},
    '/orderbook': { instrument_name: symbol, depth: 5 }, '/expiry-summary': { currency: 'BTC', expiry },
    '/options-chain': { currency: 'BTC', expiry },
    '/options-summary': { currency: 'BTC' }, '/greeks': { symbol }, '/trades': { symbol, limit: 10 },
    '/candles': { underlying: 'BTC', resolution: '1m', start_time_ms: end - 600_000, end_time_ms: end },
    '/historical-theos': { instrument_name: symbol, interval: '5m' }, '/gas-provider/{chain_id}': { chain_id: 998 },
    '/orders': { wallet, limit: 5, offset: 0 }, '/fills': { wallet }, '/portfolio': { wallet },
    '/trades/{trade_id}': { trade_id: 1 }, '/orders/status': { wallet, order_id: 'low' },
    '/portfolio/greeks': { wallet, simulated_orders: JSON.stringify([{ symbol, side: 'Buy', size: '1' }]) },
    '/historical-pnl': { wallet, interval: '5m' }, '/settlement-payouts': { wallet }, '/authorized-agents': { wallet },
    '/cancel-after': { wallet }, '/cancel-on-disconnect': { wallet },
    '/user-tier': { wallet },
    '/mmp/config': { wallet }, '/profile': { wallet }, '/profile/trades': { wallet, from_ts_ms: 0 }, '/username': { wallet },
    '/competitions': {}, '/competitions/leaderboard': { competition_id: 1 }, '/competitions/{id}': { id: 1 }, '/risk/grid': { wallet },
  };
}

/** What this venue has not: no gas node, no competition. */
const MISSING = new Set(['/gas-provider/{chain_id}', '/competitions/leaderboard', '/competitions/{id}']);

async function read(maker: Strikebook, symbol: string, expiry: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [path, query] of Object.entries(queries(maker.wallet, symbol, expiry)) as [keyof Reads, never][]) {
    try {
      answers.push({ type: `Reads['${path}']['answer']`, body: await maker.get(path, query) });
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
    answers.push({ type: `Simulations['${path}']['answer']`, body: await maker.simulate(path, body) });
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
  const byClientId = await maker.cancelOrdersByClientId(['two', 'one']);
  assert.deepEqual(byClientId.results.map(({ success }) => success), [true, false]);
  const [fresh, another] = [await maker.placeOrder({ ...terms, client_id: 'three' }), await maker.placeOrder(terms)];
  const agent = privateKeySigner(createPrivateKey()).address;
  const other = await trader(url, { fetch: recording });
  const name = `u${createPrivateKey().slice(2, 14)}`;
  const answers: Record<string, unknown> = {
    BulkAnswer: placed, OrderUpdate: await maker.replaceOrder({ ...terms, order_id: fresh.order_id!, client_id: 'four' }),
    AgentAnswer: await maker.approveAgent(agent), 'Api<CancelAfterData>': await maker.cancelAfter(600_000),
    'Api<VoidNoncesData>': await maker.voidNonces(1),
    'Api<CancelOnDisconnectData>': await maker.setCancelOnDisconnect({ enabled: true, grace_ms: 5_000 }),
    MmpConfigData: await maker.setMmp({ currency: 'BTC', interval_ms: 1_000, frozen_time_ms: 0, qty_limit: '1' }),
    'Api<MarginModeData>': await other.setMarginMode('portfolio'), UsernameAnswer: await maker.setUsername(` ${name}`),
    'Api<UsernameRequestData>': await other.requestUsername(`v${name}`), PayoutsSeenAnswer: await maker.markPayoutsSeen([1]),
  };
  assert.equal((await maker.cancelOrder(another.order_id!)).status, 'CANCELED');
  assert.equal((await maker.cancelOrderByClientId('four')).status, 'CANCELED');
  const all = await maker.cancelAll('BTC');
  assert.ok(all.data!.cancelled >= 2, JSON.stringify(all));
  for (const done of [await maker.revokeAgent(agent), await maker.revokeAllAgents()]) assert.equal(done.success, true);
  assert.deepEqual([await maker.resetMmp('BTC'), await maker.deleteMmp('BTC')], [null, null]);
  assert.equal((await other.cancelAll()).data!.cancelled, 0);
  await assert.rejects(maker.setUserTier(other.wallet, 'tier2'), (error: StrikebookError) => error.code === 'unauthorized');
  const rows = Object.entries({ ...answers, CancelAllAnswer: all, 'BulkAnswer ': replaced, ' BulkAnswer': cancelled });
  return rows.map(([type, body]) => ({ type, body }));
}

/** The kinds of messages that this test brings about: a type, and what a portfolio tells. */
const HEARD = [
  'OrderbookUpdate', 'BookUpdate', 'Trade', 'IndexPriceUpdate', 'OptionsChainUpdate', 'CandleUpdate', 'OrderUpdate', 'Fill',
  'Initial', 'PositionUpdate', 'BalanceUpdate', 'MarginUpdate', 'GreeksUpdate',
];

/** Subscribes to every channel; `messages` has the first of each kind. */
async function listen(maker: Strikebook): Promise<{ socket: VenueSocket; messages: Map<string, Answer> }> {
  const socket = maker.socket();
  after(() => socket.close());
  const messages = new Map<string, Answer>();
  for (const { name } of CHANNELS) {
    const channel = name === 'candles' ? 'candles:BTC:1m' : name;
    const note = (body: { readonly type: string; readonly update_type?: string }): void => {
      const kind = body.update_type ?? body.type;
      if (!messages.has(kind)) messages.set(kind, { type: `MessageOf<'${channel}'>`, body });
    };
    await socket.subscribe(channel, { onMessage: note });
  }
  return { socket, messages };
}

/** What an answer by socket has beside that of REST: which message it is, and what it is about. */
const HEAD = new Set(['type', 'id', 'action', 'symbol', 'side', 'price', 'size']);

/** The calls that the socket takes too. */
async function say(socket: VenueSocket, symbol: string, low: string): Promise<Answer[]> {
  const terms = { symbol, side: 'Buy', size: '1', price: low } as const;
  const placed = await socket.placeOrder(terms);
  const replaced = await socket.replaceOrder({ ...terms, order_id: placed.order_id!, client_id: 'mine' });
  const bulk = await socket.placeOrders([{ ...terms, client_id: 'yours' }, terms]);
  const [yours, last] = bulk.results.map(({ data }) => data!.order_id!) as [number, number];
  const moved = await socket.replaceOrders([{ ...terms, order_id: yours, client_id: 'ours' }]);
  const cancelled = [await socket.cancelOrder(last), await socket.cancelOrderByClientId('mine')];
  assert.deepEqual(cancelled.map(({ status }) => status), ['CANCELED', 'CANCELED']);
  const many = [await socket.cancelOrdersByClientId(['ours']), await socket.cancelOrders([last])];
  assert.deepEqual(many.map(({ results }) => results[0]!.success), [true, false]);
  const after = await socket.cancelAfter(60_000);
  const { connection } = socket;
  const disconnect = await socket.setCancelOnDisconnect({ enabled: true, grace_ms: 1_000, connection: connection! });
  assert.deepEqual([disconnect.data.connection, after.data.timeout_ms], [connection, 60_000]);
  const answers = [
    ...[placed, replaced, ...cancelled].map((body) => ({ type: 'OrderUpdate', body })),
    ...[bulk, moved, ...many].map((body) => ({ type: 'BulkAnswer', body })),
    { type: 'Api<CancelAfterData>', body: after }, { type: 'Api<CancelOnDisconnectData>', body: disconnect },
    { type: 'CancelAllAnswer', body: await socket.cancelAll('ETH', { voidNonces: true }) },
    { type: 'Api<VoidNoncesData>', body: await socket.voidNonces() },
  ];
  return answers.map(({ type, body }) => ({ type, body: Object.fromEntries(Object.entries(body).filter(([name]) => !HEAD.has(name))) }));
}

type Described = Readonly<Record<string, any>>;

/** Messages of which this venue has no occasion to tell, as its description has them: with all fields, and null where that may be. */
async function untold(maker: Strikebook, heard: ReadonlyMap<string, Answer>): Promise<Answer[]> {
  const { components } = await maker.send<{ components: Described }>({ method: 'GET', path: '/asyncapi.json' });
  const sample = (schema: Described, isNull: boolean): unknown => {
    const { $ref: to, anyOf, type } = schema;
    if (to !== undefined) return sample(components['schemas'][to.split('/').at(-1)], isNull);
    if (isNull && [type].flat().concat((anyOf ?? []).map((one: Described) => one['type'])).includes('null')) return null;
    if (anyOf !== undefined) return sample(anyOf[0], isNull);
    if ('const' in schema || 'enum' in schema) return schema['const'] ?? schema['enum'][0];
    switch ([type].flat()[0]) {
      case 'integer': case 'number': return 1;
      case 'boolean': return true;
      case 'array': return [sample(schema['items'], isNull)];
      case 'object': {
        const fields = Object.entries(schema['properties'] as Described);
        return Object.fromEntries(fields.map(([name, field]) => [name, sample(field, isNull)]));
      }
      default: return '1';
    }
  };
  const told = new Set([...heard.values()].map(({ body }) => (body as { type: string }).type));
  return CHANNELS.flatMap(({ name, messages }) => messages.filter((type) => !told.has(type)).flatMap((type) => (
    [false, true].map((isNull) => ({ type: `MessageOf<'${name as 'fills'}'>`, body: sample(components['messages'][type].payload, isNull) }))
  )));
}

/** Names of queries that are not this client's: of reads whose answer is no JSON, not looked at, and refused. */
const UNREAD = new Set(['export', '_kind', '/candles instrument_name']);

/** The names of each read's query, as the venue describes them: each is one of the client's, and the client has no other. */
function named(paths: Described): Answer[] {
  return Object.keys(queries('', '', '')).flatMap((path) => {
    const { parameters = [] } = paths[path]['get'] as { readonly parameters?: readonly { readonly in: string; readonly name: string }[] };
    const names = parameters.filter(({ in: place }) => place !== 'header').map(({ name }) => name)
      .filter((name) => !UNREAD.has(name) && !UNREAD.has(`${path} ${name}`));
    const query = `keyof Reads['${path}']['query']`;
    return [
      { type: `readonly (${query})[]`, body: names },
      { type: `{ readonly [name in ${query}]: true }`, body: Object.fromEntries(names.map((name) => [name, true])) },
    ];
  });
}

/** What the compiler says of a file in which each answer is given to its type: as it is written there, no field may be unknown. */
function compare(answers: readonly Answer[]): string {
  const folder = `${ROOT}.cache/client-answers`;
  mkdirSync(folder, { recursive: true });
  try {
    const lines = answers.map(({ type, body }, i) => `export const a${i}: ${type} = ${JSON.stringify(body)};\n`);
    writeFileSync(`${folder}/answers.ts`, `import type {
      AgentAnswer, Api, BulkAnswer, CancelAfterData, CancelAllAnswer, CancelOnDisconnectData, MarginModeData, MessageOf,
      MmpConfigData, OrderUpdate, PayoutsSeenAnswer, Reads, Simulations,
      UsernameAnswer, UsernameRequestData, VoidNoncesData,
    } from '../../client/src/main.ts';\n${lines.join('')}`);
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] }));
    const tsc = `${ROOT}node_modules/.bin/tsc`;
    const { stdout, status } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8', timeout: 120_000 });
    return status === 0 ? '' : stdout.replaceAll(/(.{600}).*/g, '$1');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lists are cut to a few rows, for their types do not change with their length; a level of a book is a pair. */
function short(answers: readonly Answer[]): Answer[] {
  const cut = (_: string, value: unknown): unknown => (Array.isArray(value) && value !== answers ? value.slice(0, 3) : value);
  return JSON.parse(JSON.stringify(answers, cut)) as Answer[];
}

test('every call of the interface, each answer of its declared type', async () => {
  const { maker, socket, messages, symbol, low, high, expiry } = await scene();
  const answers = [...await say(socket, symbol, low), ...await write(maker, symbol, low, high), ...await read(maker, symbol, expiry)];
  await until('a message of each kind', () => HEARD.every((kind) => messages.has(kind)));
  const others = await untold(maker, messages);
  assert.ok(others.length >= 2 * 9, `${others.length} messages`);
  answers.push(...messages.values(), ...others);
  const { paths } = await maker.send<{ paths: Record<string, Record<string, unknown>> }>({ method: 'GET', path: '/openapi.json' });
  assert.equal(compare([...short(answers), ...named(paths)]), '');

  const described = Object.entries(paths).flatMap(([path, row]) => Object.keys(row).map((method) => `${method.toUpperCase()} ${path}`));
  const generic = (call: string): string => call.replace(/(?<=provider\/)998$/, '{chain_id}').replace(/(?<=competitions\/)1$/, '{id}')
    .replace(/(?<=trades\/)1$/, '{trade_id}');
  const rows = new Set([...calls].map(generic));
  assert.deepEqual(described.filter((row) => !rows.has(row) && !OTHERS.has(row)), [], 'rows of the venue that the client does not call');
  assert.deepEqual([...rows].filter((row) => !described.includes(row) && !OTHERS.has(row)), [], 'calls that no row of the venue describes');
});

test('the compiler does see a wrong answer, and a field that the type has not', () => {
  const error = compare([{ type: 'AgentAnswer', body: { success: 'yes', error: null } }, {
    type: `MessageOf<'portfolio'>`, body: { type: 'PortfolioUpdate', update_type: 'GreeksUpdate', per_leg: [], aggregate: null, more: 1 },
  }]);
  assert.match(error, /boolean/);
  assert.match(error, /more/);
});
