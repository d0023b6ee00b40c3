// Signed requests of every route with random changes, and raw garbage, against a whole venue while two clients trade: no 5xx but "busy",
// answers as the interface promises, correct orders, no memory growth, a clean stop, a sound journal. FUZZ_SECONDS and FUZZ_SEED set
// length and seed; the length is 60 s with STRIKEBOOK_LONG=1, else 15 s. Memory is judged from 60 s on, by its growth after a third.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditFolder } from '../../../scripts/audit/replay.ts';
import { Http, NoAnswer, signerFor, type Answer } from '../../../scripts/client.ts';
import { freePort, VenueProcess } from '../../../scripts/venue-process.ts';
import { exchange, requestText } from '../../shell/http/server/client.ts';
import type { Document } from '../../shell/describe/served.ts';
import { Random } from '../../sim/random.ts';
import { collectGarbage } from './collect.ts';
import { Forge, type Forged } from './forge.ts';
import { sendGarbage } from './garbage.ts';
import { Monitor } from './monitor.ts';
import { render } from './mutate.ts';

const TOKEN = 'token-of-the-fuzz-test';
const isLong = process.env['STRIKEBOOK_LONG'] === '1';
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (isLong ? 60 : 15));
const SEED = Number(process.env['FUZZ_SEED'] ?? (isLong ? Date.now() % 1_000_000 : 1));
/** From here on growth of memory is judged, against what was held at WARM; garbage is collected before both looks. */
const JUDGED_SECONDS = 60;
const WARM_SECONDS = 20;
const WARM = Math.max(WARM_SECONDS, SECONDS / 3);
const MOST_GROWTH = 32;
const CLIENTS = 6;
/** What a process with an inspector says of it. */
const INSPECTOR = /^(Debugger |For help, see: )/;
const WARMERS = 8;
/** Between two of one warmer: the clients and the tests beside them need the processor, too. */
const WARM_PAUSE_MS = 50;

type Seen = { readonly statuses: Map<string, number>; readonly faults: string[] };

test(`${SECONDS} s of changed requests and garbage do no harm, seed ${SEED}`, { timeout: (SECONDS + 120) * 1_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const data = join(folder, 'data');
  const clock = ['--feed', 'manual', '--clock-start', '2026-01-05T12:00:00Z'];
  const flags = [...clock, '--admin-token', TOKEN, '--rate-limits', 'off', '--workers', '2'];
  // Pages of 2 MiB count as a whole once a byte of them is used, and the state is spread over many: here each counts as used.
  process.env['GLIBC_TUNABLES'] = 'glibc.malloc.hugetlb=0';
  const inspector = await freePort();
  process.env['NODE_OPTIONS'] = `--inspect=127.0.0.1:${inspector}`;
  const venue = await VenueProcess.start({ data, flags });
  try {
    await venue.ready();
    const http = new Http(venue.url, { connections: CLIENTS + 4 });
    const admin = { authorization: `Bearer ${TOKEN}` };
    for (const [underlying, price] of [['BTC', '100000'], ['ETH', '3000']]) {
      assert.equal((await http.post('/admin/index-price', { underlying, price }, admin)).status, 200);
    }
    const seen: Seen = { statuses: new Map(), faults: [] };
    const until = performance.now() + SECONDS * 1_000;
    const monitor = new Monitor(http, await signerFor(http));
    const [, growth] = await Promise.all([
      monitor.run(until), watchMemory(venue.pid, inspector, until), warm(venue.url), noise(venue.url, until),
      ...Array.from({ length: CLIENTS }, (_, i) => fuzz(http, until, SEED * 100 + i, seen)),
    ]);
    const ready = await http.get('/ready');
    http.close();
    const total = [...seen.statuses.values()].reduce((sum, count) => sum + count, 0);
    context.diagnostic(`${total} requests, ${monitor.rounds} rounds of the monitor, memory ${growth ?? '-'} MB`);
    assert.deepEqual(seen.faults.slice(0, 5), [], `${seen.faults.length} faults, seed ${SEED}`);
    assert.equal(ready.status, 200);
    assert.ok(monitor.rounds >= SECONDS / 4, `the monitor made ${monitor.rounds} rounds`);
    for (const status of ['200', '400', '401', '404']) assert.ok((seen.statuses.get(status) ?? 0) > 0, `some answers are ${status}`);
    if (SECONDS >= JUDGED_SECONDS) assert.ok(growth! <= mostGrowth(total), `memory grew by ${growth} MB`);
    const { code, err } = await venue.stop();
    const said = err.split('\n').filter((line) => line !== '' && !INSPECTOR.test(line));
    assert.deepEqual([code, said], [0, []], 'a clean stop, and nothing said on standard error');
    const audit = { dataFolder: data, name: 'Strikebook', chainId: 998, fromSnapshot: false, knownHead: null, onProgress: () => undefined };
    assert.ok(auditFolder(audit).signatures > 0, 'the journal is sound');
  } finally {
    await venue.kill();
    rmSync(folder, { recursive: true });
  }
});

async function fuzz(http: Http, until: number, seed: number, seen: Seen): Promise<void> {
  const random = new Random(seed);
  const document = (await http.get('/openapi.json')).body as Document;
  const forge = new Forge(document, { name: 'Strikebook', chainId: 998 }, random);
  while (performance.now() < until) {
    const request = forge.next();
    // A page of megabytes tells nothing new after the first time.
    if (request.path.startsWith('/docs/') && random.chance(0.95)) continue;
    const body = request.body === undefined ? undefined : render(request.body, random);
    const method = random.chance(0.02) ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD']) : request.method;
    const headers = { ...(request.admin && random.chance(0.7) && { authorization: `Bearer ${TOKEN}` }), ...oddHeaders(random) };
    const shown = `${method} ${request.path} ${body?.slice(0, 600) ?? ''} (seed ${seed})`;
    try {
      judge(await http.send({ method, path: request.path, headers, ...(body !== undefined && { body }) }), shown, request, seen, forge);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      seen.faults.push(`no answer to ${shown}: ${error.message}`);
    }
  }
}

function oddHeaders(random: Random): Record<string, string> {
  if (random.chance(0.9)) return {};
  return random.pick([
    { accept: 'text/csv' }, { accept: 'application/x-ndjson' }, { accept: '*/*;q=0' }, { 'content-encoding': 'gzip' },
    { 'x-request-id': 'f'.repeat(65) },
    { 'content-type': 'text/plain; charset=utf-16' }, { authorization: 'Bearer' }, { 'if-none-match': '*' }, { range: 'bytes=0-1' },
  ] as Record<string, string>[]);
}

function judge({ status, headers, body, text }: Answer, shown: string, { row }: Forged, seen: Seen, forge: Forge): void {
  seen.statuses.set(String(status), (seen.statuses.get(String(status)) ?? 0) + 1);
  const fault = (why: string): void => { seen.faults.push(`${why}: ${status} ${text.slice(0, 300)} to ${row}: ${shown}`); };
  const error = body as { error?: unknown; message?: unknown } | null;
  const isBusy = status === 503 && ['engine_busy', 'margin_unavailable', 'behind'].includes(String(error?.error));
  if (status >= 500 && !isBusy) fault('a failure');
  if (headers['x-request-id'] === undefined || headers['x-content-type-options'] !== 'nosniff') fault('headers are missing');
  if (shown.startsWith('HEAD ')) return;
  if (status >= 400 && (typeof error?.error !== 'string' || typeof error.message !== 'string')) fault('no error body');
  if (/node_modules|\.ts:\d|at \w+ \(/.test(text) && !/\/(docs|openapi|asyncapi)/.test(shown)) fault('a stack or a path');
  if (status !== 200) return;
  const isJson = headers['content-type'] === 'application/json';
  if (isJson && text !== '' && body === null && text !== 'null') fault('no JSON');
  const results = (body as { results?: readonly { error?: string; data?: { order_id?: number } }[] } | null)?.results ?? [];
  for (const { error: reason } of results) if (reason === 'No response from engine') fault('a bulk item without an answer');
  const id = (body as { order_id?: unknown } | null)?.order_id ?? results[0]?.data?.order_id;
  if (typeof id === 'number') forge.sawOrder(id);
}

async function noise(url: string, until: number): Promise<undefined> {
  const random = new Random(SEED * 100 + 99);
  const port = Number(new URL(url).port);
  while (performance.now() < until) {
    const received = await sendGarbage(port, random);
    assert.doesNotMatch(received, /^HTTP\/1\.1 5(?!0[35])/, 'garbage is the client\'s fault');
    await sleep(2);
  }
  return undefined;
}

/**
 * The largest bodies and the largest answers: the heaps of the threads take their room when they first need it, so what is
 * judged later must have been needed before. And answers that are not quite too large for the rings between the threads, until
 * every byte of these has been written once.
 */
async function warm(url: string): Promise<undefined> {
  if (SECONDS < JUDGED_SECONDS) return undefined;
  const port = Number(new URL(url).port);
  // A megabyte of small arrays is some ten of objects, all alive while it is read.
  const many = `[${'["x"],'.repeat(170_000)}1]`;
  const requests = [
    requestText('POST', '/order', many), requestText('POST', '/bulk_order', `{"orders":${many}}`),
    requestText('GET', '/instruments?status=all'), requestText('GET', '/options-summary'),
  ];
  const rings = [requestText('GET', '/options-chain?currency=ETH&expiry=2026-01-09')];
  const end = performance.now() + (WARM_SECONDS - 2) * 1_000;
  await Promise.all(Array.from({ length: WARMERS }, async (_, first) => {
    const turns = first % 2 === 0 ? requests : rings;
    for (let i = first; performance.now() < end; i++, await sleep(WARM_PAUSE_MS)) await exchange(port, [turns[i % turns.length]!], 1);
  }));
  return undefined;
}

/**
 * MB. What a longer run may hold more has its bounds, and they lie far off: the history's page cache is full after a quarter of an hour; a
 * used nonce has 25 bytes in main and as many in the reader until its wallet has a hundred thousand.
 */
function mostGrowth(requests: number): number {
  if (SECONDS <= JUDGED_SECONDS) return MOST_GROWTH;
  return MOST_GROWTH + (WARM < 900 ? 64 : 0) + requests * (1 - WARM / SECONDS) * 50 / 2 ** 20;
}

/** MB by which the memory grew from WARM to the end; undefined in a run that is too short. */
async function watchMemory(pid: number, inspector: number, until: number): Promise<number | undefined> {
  if (SECONDS < JUDGED_SECONDS || process.platform !== 'linux') return void await sleep(SECONDS * 1_000) as undefined;
  await sleep(WARM * 1_000);
  await collectGarbage(inspector);
  const warm = residentMb(pid);
  await sleep(Math.max(0, until - performance.now()));
  await collectGarbage(inspector);
  return Math.round(residentMb(pid) - warm);
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}
