// A client that pipelines against a whole venue: 10,000 requests of each route with a large answer, and refused ones, read and unread.
// The venue's memory hardly grows, and another client gets every answer.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http } from '../../../../scripts/client.ts';
import { VenueProcess } from '../../../../scripts/venue-process.ts';
import { requestText } from './client.ts';

const REQUESTS = 10_000;
const MIB = 1_048_576;
/** What an attacker's requests may add to the venue's memory. */
const MOST_BYTES = 64 * MIB;
const KIB = 1_024;

const folder = mkdtempSync(join(tmpdir(), 'pipelining-'));
let venue: VenueProcess;
let port: number;
let http: Http;

before(async () => {
  venue = await VenueProcess.start({ data: join(folder, 'data'), flags: ['--feed', 'sim', '--clock-speed', '1', '--workers', '1'] });
  await venue.ready();
  port = Number(new URL(venue.url).port);
  http = new Http(venue.url);
  for (let listed = 0; listed === 0; await sleep(100)) listed = ((await http.get('/instruments')).body as unknown[]).length;
});
after(async () => {
  http?.close();
  await venue?.stop();
  rmSync(folder, { recursive: true });
});

function residentBytes(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${venue.pid}/status`, 'utf8'))![1]) * KIB;
}

/** Every route whose answer is large, or is given at once: how each is refused among them. */
function targets(expiry: string): readonly string[] {
  return [
    '/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/favicon-32x32.png', '/docs/start.js',
    '/docs/socket', '/docs/none', '/openapi.json', '/asyncapi.json', '/instruments', '/instruments?status=all',
    `/options-chain?currency=BTC&expiry=${expiry}`, `/expiry-summary?currency=BTC&expiry=${expiry}`, '/markets',
    '/options-summary?currency=ALL', '/metrics', '/health', '/ready', '/exchange-info', '/trades?limit=1000',
    '/compat/instruments', '/nowhere', '/orders', '/order', '/ws',
  ];
}

/** Sends all requests at once, and reads what comes or does not, until the venue has ended the connection or has answered all. */
async function flood(text: string, reads: boolean): Promise<void> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  const closed = new Promise<void>((resolve) => { socket.on('close', () => resolve()); });
  let bytes = 0;
  socket.on('data', (data) => { bytes += data.length; });
  if (!reads) socket.pause();
  socket.write(text.repeat(REQUESTS));
  for (let seen = -1; seen !== bytes && !socket.destroyed;) {
    seen = bytes;
    await Promise.race([closed, sleep(200)]);
  }
  socket.destroy();
  await closed;
}

test('10,000 pipelined requests of any large route add at most 64 MiB, and another client is answered', async (t) => {
  const chain = (await http.get('/instruments')).body as object[];
  const day = /20\d{6}/.exec(JSON.stringify(chain[0]))![0];
  const paths = targets(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`);
  let [most, isOver] = [0, false];
  const waits: number[] = [];
  const watch = setInterval(() => { most = Math.max(most, residentBytes()); }, 10);
  const other = (async () => {
    while (!isOver) {
      const from = performance.now();
      assert.equal((await http.get('/markets')).status, 200);
      waits.push(performance.now() - from);
    }
  })();
  // What answers take to be made, garbage among it, is not what is held for a client that does not read.
  for (let round = 0; round < 40; round++) {
    for (const path of paths) assert.notEqual((await http.get(path)).status, 500, path);
  }
  const before = most;
  waits.length = 0;
  for (const reads of [false, true]) {
    for (const path of paths) await flood(requestText('GET', path), reads);
    for (const method of ['HEAD', 'POST', 'OPTIONS']) await flood(requestText(method, '/docs/swagger-ui-bundle.js'), reads);
  }
  clearInterval(watch);
  isOver = true;
  await other;
  waits.sort((a, b) => a - b);
  const p99 = waits.at(-Math.ceil(waits.length / 100))!;
  t.diagnostic(`${((most - before) / MIB).toFixed(0)} MiB; ${waits.length} answers to the other, p99 ${p99.toFixed(0)} ms`);
  assert.ok(waits.length > 0);
  assert.ok(most - before <= MOST_BYTES, `the venue grew by ${((most - before) / MIB).toFixed(0)} MiB`);
  assert.equal(venue.isOver, false);
});
