// GET /metrics of a running venue: Prometheus can read it, client activity moves the counters, clients outside loopback need the token,
// and the dashboard uses only metrics that exist.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createWallet, Http, signerFor, type RequestSigner } from '../../../../scripts/client.ts';
import { VenueProcess } from '../../../../scripts/venue-process.ts';
import { parseMetrics, type Family } from './parse.ts';

const THREADS = ['main', 'journal', 'reader', 'history', 'api 0', 'api 1'];
const TOKEN = 'token-of-the-metrics-test';
const folder = mkdtempSync(join(tmpdir(), 'metrics-'));
let venue: VenueProcess;
let http: Http;
let signer: RequestSigner;

before(async () => {
  const flags = ['--feed', 'manual', '--admin-token', TOKEN, '--trust-proxy', 'on', '--workers', '2'];
  venue = await VenueProcess.start({ data: join(folder, 'data'), flags });
  await venue.ready();
  http = new Http(venue.url);
  signer = await signerFor(http);
  const admin = { authorization: `Bearer ${TOKEN}` };
  assert.equal((await http.post('/admin/index-price', { underlying: 'BTC', price: '100000' }, admin)).status, 200);
});
after(async () => {
  http?.close();
  await venue?.stop();
  rmSync(folder, { recursive: true });
});

async function scrape(): Promise<Map<string, Family>> {
  const { status, headers, text } = await http.get('/metrics');
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parseMetrics(text);
}

/** The sum of the samples whose labels have at least these values. */
function value(families: Map<string, Family>, name: string, labels: Record<string, string> = {}, suffix = ''): number {
  const samples = families.get(name)?.samples ?? assert.fail(`no family ${name}`);
  const fits = samples.filter((sample) => (
    sample.name === name + suffix && Object.entries(labels).every(([label, text]) => sample.labels[label] === text)
  ));
  return fits.reduce((total, sample) => total + sample.value, 0);
}

test('orders, refusals, requests and stages are counted exactly', async () => {
  const wallet = createWallet();
  const order = { symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '90000' } as const;
  const named = { ...order, client_id: `0x${'1'.repeat(32)}` };
  const start = await scrape();
  for (const terms of [...Array.from({ length: 6 }, () => order), named]) {
    assert.equal((await http.send(signer.placeOrder(wallet, terms))).status, 200);
  }
  const refused = await http.send(signer.placeOrder(wallet, named));
  assert.equal((refused.body as { status: string }).status, 'REJECTED', refused.text);
  assert.equal((await http.get('/nothing-here')).status, 404);
  const end = await scrape();
  const moved = (name: string, labels: Record<string, string> = {}, suffix = ''): number => (
    value(end, name, labels, suffix) - value(start, name, labels, suffix)
  );
  assert.equal(moved('strikebook_orders_total'), 7);
  assert.equal(moved('strikebook_commands_total', { kind: 'place_order' }), 8);
  assert.equal(moved('strikebook_rejects_total', { kind: 'place_order', reason: 'duplicate_client_id' }), 1);
  assert.equal(moved('strikebook_http_requests_total', { method: 'POST', route: '/order', status: '200' }), 8);
  assert.equal(moved('strikebook_http_requests_total', { route: '(none)', status: '404' }), 1);
  for (const stage of ['check', 'ring', 'apply']) assert.equal(moved('strikebook_stage_seconds', { stage }, '_count'), 8, stage);
  assert.equal(moved('strikebook_stage_seconds', { stage: 'reply' }, '_count'), 7);
  assert.ok(moved('strikebook_stage_seconds', { stage: 'durable' }, '_count') >= 8);
  for (const stage of ['check', 'ring', 'apply', 'durable', 'reply']) {
    const seconds = moved('strikebook_stage_seconds', { stage }, '_sum');
    assert.ok(seconds > 0 && seconds < 60, `${stage}: ${seconds} s`);
  }
  assert.equal(moved('strikebook_http_request_seconds', {}, '_count'), 10);
});

test('lags, rings, memory and threads have metrics', async () => {
  // The sampler of each thread speaks once a second, so a venue that has just started shows zeros for a moment.
  let families = await scrape();
  const isSampled = (thread: string): boolean => value(families, 'strikebook_heap_used_bytes', { thread }) > 0;
  while (!THREADS.every(isSampled)) families = await scrape();
  while (value(families, 'strikebook_table_used_rows', { table: 'instruments' }) <= 100) families = await scrape();
  assert.ok(value(families, 'strikebook_seq') > 0);
  assert.equal(value(families, 'strikebook_table_size_rows', { table: 'instruments' }), 65_536);
  for (const lag of ['durable', 'reader', 'history']) assert.ok(value(families, `strikebook_${lag}_lag_commands`) >= 0, lag);
  assert.ok(value(families, 'process_resident_memory_bytes') > 50e6);
  assert.ok(value(families, 'strikebook_ring_size_bytes', { ring: 'log to journal' }) > 0);
  assert.equal(value(families, 'strikebook_ready'), 1);
  while (value(families, 'strikebook_http_connections') === 0) families = await scrape();
});

test('a client outside loopback needs the admin token', async () => {
  const from = { 'x-forwarded-for': '203.0.113.7' };
  const status = async (headers: Record<string, string>): Promise<number> => (
    (await http.send({ method: 'GET', path: '/metrics', headers })).status
  );
  assert.equal(await status(from), 401);
  assert.equal(await status({ ...from, authorization: 'Bearer wrong' }), 401);
  assert.equal(await status({ ...from, authorization: `Bearer ${TOKEN}` }), 200);
});

test('a foreign page in a browser on this machine needs the token, also after DNS rebinding', async () => {
  const status = async (headers: Record<string, string>): Promise<number> => (
    (await http.send({ method: 'GET', path: '/metrics', headers })).status
  );
  for (const host of ['127.0.0.1:8080', '127.0.0.1', 'localhost:8080', '[::1]:8080']) assert.equal(await status({ host }), 200, host);
  for (const host of ['rebound.example:8080', 'localhost.example', '127.0.0.1.example']) assert.equal(await status({ host }), 401, host);
  const { port } = new URL(venue.url);
  for (const origin of ['http://page.example', 'null', `http://page.example:${port}`, 'http://127.0.0.1:1', `https://127.0.0.1:${port}`]) {
    assert.equal(await status({ origin }), 401, origin);
    assert.equal(await status({ origin, host: origin.slice(7) }), 401, `${origin} that calls us so`);
  }
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`]) {
    assert.equal(await status({ origin }), 200, origin);
  }
  assert.equal(await status({ origin: 'http://page.example', authorization: `Bearer ${TOKEN}` }), 200);
});

test('every query of the dashboard uses a metric and label that the venue has', async () => {
  const families = await scrape();
  const text = readFileSync('docs/deploy/grafana/dashboard.json', 'utf8');
  const dashboard = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] };
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(queries.length >= 10);
  for (const query of queries) {
    const names = query.match(/\b(?:strikebook|process)_\w+/g) ?? [];
    assert.ok(names.length > 0, query);
    for (const name of names) {
      const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
      assert.ok(family, `${query}: no ${name}`);
      assert.equal(family.type === 'histogram', /_(bucket|sum|count)$/.test(name), query);
      assert.equal(family.type === 'counter' || family.type === 'histogram', /rate\(|increase\(/.test(query), query);
    }
    const known = new Set(names.flatMap((name) => (
      (families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, '')))!.samples.flatMap(({ labels }) => Object.keys(labels))
    )));
    for (const label of query.match(/(?<=by \()[^)]+/g)?.flatMap((text) => text.split(/,\s*/)) ?? []) {
      assert.ok(known.has(label), `${query}: no label ${label}`);
    }
  }
});

test('the parser of the metrics format refuses malformed text', () => {
  const good = '# HELP a b\n# TYPE a counter\na{x="1"} 2\n';
  assert.equal(parseMetrics(good).get('a')!.samples[0]!.value, 2);
  for (const bad of [
    good.slice(0, -1), 'a 1\n', good + 'a{x="1"} 3\n', good + 'b 1\n', good.replace('2', '-2'), good.replace('2', 'x'), good.replace('x=',
    '1x='),
    '# HELP h b\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    '# HELP h b\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
  ]) assert.throws(() => parseMetrics(bad), bad);
});
