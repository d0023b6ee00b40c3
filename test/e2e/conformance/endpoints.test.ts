// Every endpoint of the law in one venue: its route has the law's parameters, defaults and maxima, its 200 has exactly the law's fields,
// and an invalid query is refused.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { ApiContext } from '../../../shell/api/context.ts';
import type { Leadership } from '../../../shell/api/leadership.ts';
import type { Readiness } from '../../../shell/api/readiness.ts';
import { serviceRoutes } from '../../../shell/process/threads/service.ts';
import { healthRoutes } from '../../../shell/api/routes/health.ts';
import { ASKS, World } from './asks.ts';
import { Desk, TOKEN, type Answer } from './desk.ts';
import { misfits } from '../../../client/conformance/fits.ts';
import { ENDPOINTS, type Endpoint, type Parameter } from '../../../client/conformance/law/endpoints.ts';
import { REQUESTS } from '../../../client/conformance/law/requests.ts';

const ADMIN = `Bearer ${TOKEN}`;

let desk: Desk;
let world: World;
let description: { readonly paths: Record<string, Record<string, { readonly responses: object }>> };
before(async () => {
  desk = await Desk.open({ start: '2026-01-05T07:50:00Z', speed: 0.1 });
  world = new World(desk);
  await world.build();
  description = (await desk.get('/openapi.json')).body;
});
after(() => desk?.close());

const routes = [...healthRoutes({} as Readiness, {} as Leadership), ...serviceRoutes({} as ApiContext)];
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

test('exactly the endpoints that this venue can show have a request here', () => {
  assert.deepEqual(Object.keys(ASKS).sort(), ENDPOINTS.filter(({ shown }) => shown === undefined).map(nameOf).sort());
});

for (const endpoint of ENDPOINTS) {
  const name = nameOf(endpoint);
  test(`endpoint: ${name}`, async () => {
    checkRow(endpoint);
    checkDescribed(endpoint);
    const ask = ASKS[name];
    if (ask === undefined) return;
    checkAnswer(endpoint, await ask(world));
    if (endpoint.method === 'GET') await checkQuery(endpoint);
    else await checkBody(endpoint);
  });
}

test('an operator\'s request gets its own answer, whatever falls due at the same moment', async () => {
  const price = { underlying: 'BTC', expiry: '2026-03-27', price: '100000' };
  for (let i = 0; i < 200; i++) {
    const { status, text } = await desk.post('/admin/settlement-price', price, { authorization: ADMIN });
    assert.equal(status, 409, text);
  }
});

function checkRow(endpoint: Endpoint): void {
  const row = routes.find(({ method, path }) => method === endpoint.method && path === endpoint.path);
  assert.ok(row !== undefined, 'it is not in the route table');
  assert.equal(row.auth, endpoint.auth);
  for (const [name, parameter] of Object.entries(endpoint.query)) {
    const field = row.query?.[name];
    assert.ok(field !== undefined, `${name} is no parameter of it`);
    const { default: standard, max, values, optional } = field as { default?: unknown; max?: unknown; values?: unknown; optional?: true };
    assert.equal(optional !== true && standard === undefined, parameter.required === true, `${name}: required or not`);
    const told = Array.isArray(standard) ? standard.join(',') : standard;
    if (parameter.default !== undefined) assert.equal(told, parameter.default, `${name}: default`);
    if (parameter.max !== undefined) assert.equal(max, parameter.max, `${name}: maximum`);
    if (parameter.values !== undefined) assert.deepEqual(values, parameter.values, `${name}: values`);
  }
}

function checkAnswer({ shape }: Endpoint, { status, headers, body, text }: Answer): void {
  assert.equal(status, 200, text);
  assert.match(headers.get('content-type')!, /^application\/json/);
  if (shape === '') return assert.equal(text, '');
  assert.deepEqual(misfits(shape, body), []);
  for (const rows of [body, body.data, body.results, body.rows, body.positions, body.agents, body.data?.points, body.data?.candles]) {
    if (Array.isArray(rows)) assert.ok(rows.length > 0, `a list has nothing to show: ${text.slice(0, 200)}`);
  }
}

/** Each parameter alone: left out, too large, too small, no number, none of its words. */
async function checkQuery(endpoint: Endpoint): Promise<void> {
  const good = goodQuery(endpoint);
  for (const [name, parameter] of Object.entries(endpoint.query)) {
    const { [name]: _, ...without } = good;
    const asked = (value: string) => desk.get(`${pathOf(endpoint)}?${new URLSearchParams({ ...without, [name]: value })}`);
    if (parameter.required) {
      const { status, body } = await desk.get(`${pathOf(endpoint)}?${new URLSearchParams(without)}`);
      assert.deepEqual([status, body.error, body.message], [400, 'missing_field', `Missing required field: ${name}`]);
    }
    if (parameter.values !== undefined) assert.deepEqual(await codeOf(asked('none of them')), [400, 'invalid_parameter'], name);
    if (name === 'wallet') assert.deepEqual(await codeOf(asked('0x12')), [400, 'invalid_wallet']);
    if (name === 'limit' || name === 'offset') assert.deepEqual(await codeOf(asked('-1')), [400, 'invalid_parameter'], name);
    if (name === 'limit') await checkLimit(endpoint, parameter, asked);
  }
}

/** 0 gives an empty page, more than the maximum counts as the maximum. */
async function checkLimit({ shape }: Endpoint, { max }: Parameter, asked: (value: string) => Promise<Answer>): Promise<void> {
  const isPaged = typeof shape === 'object' && 'pagination' in shape;
  const none = await asked('0');
  assert.equal(none.status, 200, none.text);
  assert.deepEqual(isPaged ? none.body.data : none.body.data.points, []);
  if (!isPaged) return;
  assert.deepEqual([none.body.pagination.limit, none.body.pagination.count], [1, 0]);
  if (max !== undefined) assert.equal((await asked(String(max + 1))).body.pagination.limit, max);
}

async function codeOf(asked: Promise<Answer>): Promise<[number, string]> {
  const { status, body } = await asked;
  return [status, body.error];
}

/** Each field of the body that it must have, left out alone. */
async function checkBody(endpoint: Endpoint): Promise<void> {
  const whole = REQUESTS[nameOf(endpoint)];
  assert.ok(whole !== undefined, 'its required fields are not in the law');
  const headers = { authorization: endpoint.auth === 'admin' ? ADMIN : '' };
  for (const field of Object.keys(whole)) {
    const { [field]: _, ...rest } = whole;
    const { status, body } = await desk.send(endpoint.method, endpoint.path, rest, headers);
    assert.deepEqual([status, body.error, body.message], [400, 'missing_field', `Missing required field: ${field}`]);
  }
}

/** Of every endpoint, so the law does not repeat them. */
const COMMON = [429, 500, 503];

/** The interface description says the same: each status, no other, and whether there is such an endpoint at all. */
function checkDescribed({ method, path, statuses }: Endpoint): void {
  const operation = description.paths[path]?.[method.toLowerCase()];
  assert.ok(operation !== undefined, 'it is not in /openapi.json');
  const described = Object.keys(operation.responses).map(Number).filter((status) => statuses.includes(status) || !COMMON.includes(status));
  assert.deepEqual(described, [200, ...statuses], 'statuses of /openapi.json');
}

function pathOf({ path }: Endpoint): string {
  return path.replace('{id}', String(world.competition)).replace('{trade_id}', '1');
}

/** Values with which the endpoint answers 200. */
function goodQuery({ path, query }: Endpoint): Record<string, string> {
  const known: Record<string, string> = {
    wallet: world.buyer.address, currency: 'BTC', expiry: '2026-03-27', symbol: 'BTC-20260327-100000-C', resolution: '1m', interval: '5m',
    start_time_ms: '0', end_time_ms: '60000', competition_id: String(world.competition), instrument_name: 'BTC-20260327-100000-C',
    order_id: '1',
  };
  const names = Object.keys(query).filter((name) => query[name]!.required || (path === '/orderbook' && name === 'instrument_name'));
  return Object.fromEntries(names.map((name) => [name, known[name]!]));
}
