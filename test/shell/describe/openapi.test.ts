// The interface description of a running venue: valid by the official OpenAPI 3.1 schema, with an answer and an example for every route.
// Each example, sent as it is, gets its status and an answer that fits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { ENDED_TEXTS, parseFailureText } from '../../../shell/http/outcome-texts.ts';
import { examplesOf } from '../../../shell/describe/examples.ts';
import { description } from '../../../shell/describe/openapi-intro.ts';
import { closed, createAjv } from './closed.ts';
import { operationsOf, sendExample, TOKEN, whileServed, type Document, type Operation } from './served.ts';

/** Their answers have a schema of their own, which the next tests go by. */
const DESCRIPTIONS = ['GET /openapi.json', 'GET /asyncapi.json'];

let document: Document;
const venue = whileServed(async (http) => { document = (await http.get('/openapi.json')).body as Document; });

const operations = (): [string, Operation][] => operationsOf(document);
/** Rows and statuses are the same whatever is listed. */
const EXAMPLES = examplesOf({ symbol: 'BTC-20260130-100000-C', now: 0, feed: 'manual' });

test('the description is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>);
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(validator.version, '3.1');
  const ids = operations().map(([, operation]) => (operation as unknown as { operationId: string }).operationId);
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
});

test('the description states source limits as they count: reads in total, the rest per api thread', () => {
  const told = (...flags: string[]): string => description(readConfig(flags, {}) as Config, []).replaceAll('\n', ' ');
  const reads = '6000 reads a minute (loopback 600000)';
  const each = '6000 requests a minute with each api thread (loopback 600000)';
  assert.ok(told().includes(`A network source, which is an IPv4 address or an IPv6 /64, has ${reads}, and ${each}.`));
  const unrated = told('--rate-limits', 'off');
  assert.ok(unrated.includes('has 12000 failed signatures a minute with each api thread (loopback 1200000).'));
  assert.doesNotMatch(unrated, / 6000 re/);
  assert.ok(unrated.includes('20 from an IPv4 address or IPv6 /64, 60 from a /56, 200 from a /48, 2000 in all'));
  assert.ok(told('--new-wallets', '1,2,3,4').includes('1 from an IPv4 address or IPv6 /64, 2 from a /56, 3 from a /48, 4 in all'));
});

test('every bound in both descriptions is a number that JSON readers keep exactly', async () => {
  for (const path of ['/openapi.json', '/asyncapi.json']) {
    const { text } = await venue().get(path);
    const bounds = [...text.matchAll(/"(?:minimum|maximum)":\s*([^,}\s]+)/g)].map(([, digits]) => digits!);
    assert.ok(bounds.length > 10, path);
    for (const digits of bounds) assert.ok(Number.isSafeInteger(Number(digits)) || !Number.isInteger(Number(digits)), `${path}: ${digits}`);
    assert.match(text, /"format":\s*"uint64",\s*"minimum":\s*0,\s*"description":\s*"[^"]*At most 18446744073709551615\./, path);
    const texts = text.match(/"pattern":\s*"\^\[0-9\]\{1,20\}\$"(?:,\s*"description":\s*"[^"]*")?/g) ?? [];
    assert.ok(texts.length > 0, path);
    for (const one of texts) assert.match(one, /At most 18446744073709551615\./, path);
  }
});

test('every route has an answer and an example, and every example a route', () => {
  const names = operations().map(([name]) => name);
  const missing = names.filter((name) => !EXAMPLES.some(({ row }) => row === name));
  assert.deepEqual(missing, [], 'rows without an example');
  const bare = operations().filter(([name, { responses }]) => {
    const schema = responses['200']?.content?.['application/json']?.schema;
    return schema !== undefined && !DESCRIPTIONS.includes(name) && ['{}', '{"type":"object"}'].includes(JSON.stringify(schema));
  });
  assert.deepEqual(bare.map(([name]) => name), [], 'rows without an answer');
  assert.deepEqual(EXAMPLES.filter(({ row }) => !names.includes(row)).map(({ row }) => row), [], 'examples without a row');
});

test('each example gets its status, and an answer with exactly the described fields', async () => {
  const ajv = createAjv();
  const faults: string[] = [];
  for (const example of EXAMPLES) {
    const found = operations().find(([name]) => name === example.row);
    if (found === undefined) continue;
    const [name, operation] = found;
    const { status, headers, text, body } = await sendExample(venue(), name, operation, example);
    const wanted = example.status ?? 200;
    if (status !== wanted) {
      faults.push(`${name}: ${status} instead of ${wanted}: ${text.slice(0, 200)}`);
      continue;
    }
    const described = operation.responses[status]?.content;
    if (described === undefined) {
      if (text !== '') faults.push(`${name}: a body that is not described`);
      continue;
    }
    const [media, { schema }] = Object.entries(described)[0]!;
    if (media !== 'application/json') continue;
    if (!headers['content-type']?.startsWith(media)) faults.push(`${name}: ${headers['content-type']}`);
    const validate = ajv.compile(closed(schema, document.components));
    if (validate(body)) continue;
    const [first] = validate.errors!;
    faults.push(`${name}: ${first!.instancePath} ${first!.message} ${JSON.stringify(first!.params)} in ${text.slice(0, 300)}`);
  }
  assert.deepEqual(faults, []);
});

test('a signed example sent for another wallet is refused as described', async () => {
  const ajv = createAjv();
  const faults: string[] = [];
  let refused = 0;
  for (const [name, operation] of operations()) {
    const example = operation.requestBody?.content['application/json'].example as Record<string, unknown> | undefined;
    if (example?.['signature'] === undefined || example['wallet'] === undefined) continue;
    const [method, path] = name.split(' ') as [string, string];
    const body = JSON.stringify({ ...example, wallet: `0x${'77'.repeat(20)}` });
    const answer = await venue().send({ method, path: path.replaceAll(/\{\w+\}/g, '1'), body });
    if (![400, 401, 403].includes(answer.status)) {
      faults.push(`${name}: ${answer.status}: ${answer.text.slice(0, 200)}`);
      continue;
    }
    refused++;
    const { schema } = operation.responses[answer.status]!.content!['application/json']!;
    const validate = ajv.compile(closed(schema, document.components));
    if (!validate(answer.body)) faults.push(`${name}: ${ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 300)}`);
  }
  assert.deepEqual(faults, []);
  assert.ok(refused >= 15, `${refused}`);
});

test('the validator finds a field that is missing, surplus or of another type', () => {
  const ajv = createAjv();
  const validate = ajv.compile(closed({ $ref: '#/components/schemas/Trade' }, document.components));
  const trade = {
    trade_id: 1, symbol: 'BTC-PERP', price: '1', size: '1', maker_address: `0x${'1'.repeat(40)}`, taker_address: `0x${'2'.repeat(40)}`,
    maker_fee: '0', taker_fee: '0', taker_side: 'Buy', timestamp: 1, created_at: '2026-01-05T12:00:00.000Z',
  };
  assert.ok(validate(trade), ajv.errorsText(validate.errors));
  for (const wrong of [{ ...trade, price: 1 }, { ...trade, more: 1 }, { ...trade, taker_side: 'buy' }, { ...trade, size: undefined }]) {
    assert.equal(validate(JSON.parse(JSON.stringify(wrong))), false, JSON.stringify(wrong));
  }
});

/** What each row that may answer 404 says so of. */
const ABSENT: Readonly<Record<string, { readonly path: string; readonly body?: object }>> = {
  'POST /admin/credit': {
    path: '/admin/credit', body: { wallet: `0x${'77'.repeat(20)}`, amount: '1', reason: 'none', id: 'absent' },
  },
  'POST /admin/halt': { path: '/admin/halt', body: { scope: 'BTC-20260130-123456-C', mode: 'halted' } },
  'POST /admin/block': { path: '/admin/block', body: { wallet: `0x${'77'.repeat(20)}`, mode: 'blocked' } },
  'POST /admin/cancel': { path: '/admin/cancel', body: { wallet: `0x${'77'.repeat(20)}` } },
  'GET /admin/backup/file': { path: '/admin/backup/file?id=none&name=history.db' },
  'GET /admin/backup/journal': { path: '/admin/backup/journal?from_seq=1000000000' },
  'DELETE /markets': { path: '/markets', body: { symbol: 'BTC-20260130-123456-C' } },
  'GET /trades/{trade_id}': { path: '/trades/1000000' },
  'GET /orderbook': { path: '/orderbook?instrument_name=BTC-20260130-123456-C' },
  'GET /funding': { path: '/funding?symbol=DOGE-PERP' },
  'GET /funding/history': { path: '/funding/history?symbol=DOGE-PERP' },
  'GET /funding/payments': { path: `/funding/payments?wallet=0x${'77'.repeat(20)}&symbol=DOGE-PERP` },
  'GET /greeks': { path: '/greeks?symbol=BTC-20260130-123456-C' },
  'GET /historical-theos': { path: '/historical-theos?instrument_name=BTC-20260130-123456-C&interval=5m' },
  'GET /historical-greeks': { path: '/historical-greeks?instrument_name=BTC-20260130-123456-C&interval=5m' },
  'GET /instrument-candles': {
    path: '/instrument-candles?instrument_name=BTC-20260130-123456-C&resolution=1h&start_time_ms=0&end_time_ms=3600000',
  },
  'GET /gas-provider/{chain_id}': { path: '/gas-provider/1' },
  'GET /username': { path: '/username?username=nobody' },
  'GET /competitions/leaderboard': { path: '/competitions/leaderboard?competition_id=1000000' },
  'GET /competitions/{id}': { path: '/competitions/1000000' },
  'GET /docs/{file}': { path: '/docs/none' },
  'GET /assets/{file}': { path: '/assets/none.js' },
};

test('every route that may answer 404 does so for a missing thing, and no other route describes a 404', async () => {
  const described = operations().filter(([, { responses }]) => '404' in responses).map(([name]) => name);
  assert.deepEqual(described.sort(), Object.keys(ABSENT).sort());
  // No competition is in the way of another: names may be alike.
  assert.ok(!('409' in document.paths['/competitions']!['post']!.responses));
  for (const [name, { path, body }] of Object.entries(ABSENT)) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const request = { method: name.split(' ')[0]!, path, headers };
    const { status, text } = await venue().send(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    assert.equal(status, 404, `${name}: ${text}`);
  }
});

test('every exportable route describes 409 for a second export of the same source', () => {
  const exported = operations().filter(([, { responses }]) => responses['200']?.content?.['text/csv'] !== undefined);
  assert.deepEqual(exported.map(([name]) => name).sort(), ['GET /fills', 'GET /ledger', 'GET /orders', 'GET /trades']);
  for (const [name, { responses }] of exported) {
    assert.deepEqual(responses['409']?.content?.['application/json']?.schema, { $ref: '#/components/schemas/Error' }, name);
  }
});

test('the description names the unsigned fields, this venue\'s signing domain and the error texts', () => {
  const [, order] = operations().find(([name]) => name === 'POST /order')!;
  assert.match(order.description, /Not signed: .*`mmp_enabled`/);
  assert.doesNotMatch(order.description, /Not signed: .*`price`/);
  const [, orders] = operations().find(([name]) => name === 'GET /orders')!;
  assert.match(JSON.stringify(orders.parameters.find(({ name }) => name === 'status')), /`open`: every order in the book/);
  assert.match(document.info.description, /name `Strikebook`, version `1`, chainId `998`/);
  assert.match(document.info.description, /`source` is `Strikebook` or `b`/);
  assert.ok(document.info.description.includes('`{type: "order", orders: [{a, b, p, s, r, t: {limit: {tif}}, c}], grouping: "na"}`'));
  assert.match(document.info.description, /Account has no funds\. Please deposit before trading\./);
  for (const text of [parseFailureText('{detail}'), ...Object.values(ENDED_TEXTS).map((one) => one('{order}', '{symbol}'))]) {
    assert.ok(document.info.description.includes(`| 200 rejected | ${text} |`), text);
  }
  const said = document.info.description.split('\n').filter((line) => line.startsWith('| 4') || line.startsWith('| 200'));
  assert.deepEqual(said, [...new Set(said)], 'each text once');
  assert.match(document.info.description, /\| tier1 \| 30 \| 60 \| 300 \| 50 \| 20 \|/);
  const theirs = description(readConfig(['--service-name', 'Another', '--chain-id', '7'], {}) as Config, []);
  assert.match(theirs, /name `Another`, version `1`, chainId `7`/);
  assert.match(theirs, /`source` is `Another` here/);
});
