// The files for Caddy, nginx and HAProxy, run by Debian's: what they send on, and the client library at work through TLS, HTTP and socket.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runningVenue } from '../support/running.ts';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { deployed, ROOT } from './folder.ts';
import { ask, CADDY, HAPROXY, NGINX, type Answer, type Proxy } from './proxy.ts';

const TOKEN = 'a-token-of-this-test';
const KIB = 1_024;
/** Of the venue, which closes idle connections after 8 s; a proxy closes them before. */
const IDLE_S = 7;
const run = promisify(execFile);

/** What a client of the library does, in a process that trusts the proxy's authority. */
const CLIENT = `
import { connect, createPrivateKey, privateKeySigner, roundPrice } from '${pathToFileURL(join(ROOT, 'client/src/main.ts')).href}';
const venue = await connect(process.argv[1], { signer: privateKeySigner(createPrivateKey()) });
const socket = venue.socket();
const updates = await socket.subscribe('order_updates');
const { mark_price: mark } = await venue.get('/orderbook', { instrument_name: 'BTC-PERP' });
const terms = { symbol: 'BTC-PERP', side: 'Buy', size: '0.1', price: roundPrice(mark / 2, 'down') };
const { order_id: byRest } = await venue.placeOrder(terms);
const { order_id: bySocket } = await socket.placeOrder(terms);
const open = [];
for await (const { status, order_id } of updates) if (status === 'OPEN' && open.push(order_id) === 2) break;
console.log(JSON.stringify(open) === JSON.stringify([byRest, bySocket]));
socket.close();
`;

/** A server that answers each request with 200 and keeps its head, unless a proxy asks whether it is ready. */
async function recorder(t: TestContext): Promise<{ address: string; heads: string[] }> {
  const heads: string[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined).on('data', (bytes) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      if (!text.startsWith('GET /ready')) heads.push(text.slice(0, end));
      text = '';
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, heads };
}

function valuesOf(head: string, name: string): string[] {
  const lines = head.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).trim());
}

/** A request by HTTP/2, as browsers send them. */
async function askByHttp2({ url, authority }: Proxy, path: string, body: string): Promise<number> {
  const session = connectHttp2(url, { ca: readFileSync(authority) });
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-length': Buffer.byteLength(body) });
  stream.end(body);
  const [headers] = await once(stream, 'response') as [{ ':status': number }];
  stream.resume();
  await once(stream, 'end');
  session.close();
  return headers[':status'];
}

function messageOf({ text }: Answer): string {
  return (JSON.parse(text) as { error: string }).error;
}

for (const kind of [CADDY, NGINX, HAPROXY]) {
  test(`${kind.name} sends on HTTP/1.1 with one Host, the peer as the only source, and a length`, {
    skip: !existsSync(kind.program) && `no ${kind.program}`,
  }, async (t) => {
    const { address, heads } = await recorder(t);
    const proxy = await kind.start(t, address);
    const headers = { 'x-forwarded-for': '203.0.113.9', connection: 'keep-alive', 'content-length': 2 };
    assert.equal((await ask(proxy, { method: 'POST', path: '/order?a=%2F%20b', headers }, '{}')).status, 200);
    assert.equal(await askByHttp2(proxy, '/order', '{}'), 200);
    assert.equal(heads.length, 2);
    assert.match(heads[0]!, /^POST \/order\?a=%2F%20b HTTP\/1\.1\r\n/);
    for (const head of heads) {
      const [host] = valuesOf(head, 'host');
      assert.equal(valuesOf(head, 'host').length, 1, head);
      assert.match(host!, /^localhost(:\d+)?$/);
      assert.match(valuesOf(head, 'x-forwarded-for').join(), /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
      assert.deepEqual(valuesOf(head, 'content-length'), ['2']);
      assert.deepEqual(valuesOf(head, 'connection').filter((value) => value !== 'keep-alive'), []);
    }
  });

  test(`the client library trades through ${kind.name} by REST and by socket`, {
    skip: !existsSync(kind.program) && `no ${kind.program}`,
  }, async (t) => {
    const ends = lastFirst(t);
    const data = join(temporaryFolder(ends), 'data');
    const { venue } = await runningVenue(ends, { data, flags: ['--workers', '1', '--trust-proxy', 'on'] });
    const proxy = await kind.start(ends, new URL(venue.url).host);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: proxy.authority };
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', CLIENT];
    const { stdout } = await run(process.execPath, [...flags, proxy.url], { env });
    assert.equal(stdout.trim(), 'true');
    assert.match((await ask(proxy, { path: '/' })).text, /<title>/);
  });

  test(`${kind.name} keeps bodies as the venue bounds them, and leads from http to https`, {
    skip: !existsSync(kind.program) && `no ${kind.program}`,
  }, async (t) => {
    const ends = lastFirst(t);
    const data = join(temporaryFolder(ends), 'data');
    const { venue } = await runningVenue(ends, { data, flags: ['--workers', '1', '--trust-proxy', 'on'] });
    const proxy = await kind.start(ends, new URL(venue.url).host);
    const post = (body: string | readonly string[]): Promise<Answer> => (
      ask(proxy, { method: 'POST', path: '/order', headers: typeof body === 'string' ? { 'content-length': body.length } : {} }, body)
    );
    assert.equal(messageOf(await post(`{}${' '.repeat(1_000 * KIB)}`)), 'missing_field');
    assert.equal(messageOf(await post(`{}${' '.repeat(1_500 * KIB)}`)), 'payload_too_large');
    // nginx waits for the whole body and tells its length, Caddy sends it on as it comes.
    const chunked = await post(['{', '}']);
    assert.deepEqual([chunked.status, messageOf(chunked)], kind === NGINX ? [400, 'missing_field'] : [411, 'length_required']);
    const plain = await fetch(`http://localhost:${proxy.plainPort}/time`, { redirect: 'manual' });
    assert.equal(plain.status, 308);
    assert.match(plain.headers.get('location')!, /^https:\/\/localhost(:\d+)?\/time$/);
  });

  test(`nobody reaches the admin routes or the metrics through ${kind.name}, however the path is written`, {
    skip: !existsSync(kind.program) && `no ${kind.program}`,
  }, async (t) => {
    const ends = lastFirst(t);
    const data = join(temporaryFolder(ends), 'data');
    const { venue } = await runningVenue(ends, { data, flags: ['--workers', '1', '--trust-proxy', 'on', '--admin-token', TOKEN] });
    const proxy = await kind.start(ends, new URL(venue.url).host);
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const path of ['/admin/status', '/metrics']) {
      assert.equal((await fetch(`${venue.url}${path}`, { headers })).status, 200, 'without the proxy');
      assert.equal((await ask(proxy, { path, headers })).status, 403);
    }
    const spellings = ['/admin/status', '/metrics'].flatMap((path) => {
      return [
        `/${path}`, `/.${path}`, `/x/..${path}`, `${path}?x=1`, `${path}/`, `${path}#x`, path.toUpperCase(), `${path};x`,
        `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`, path.replace(/\/(?=[^/]*$)/, '%2f'), path.replace(/\/(?=[^/]*$)/, '//'),
        `/compat${path}`, `${proxy.url}${path}`, `/hl/..%2f${path.slice(1)}`,
      ];
    });
    for (const path of spellings) {
      const { status, text } = await ask(proxy, { path, headers });
      assert.ok(status >= 400 && !text.includes('strikebook_seq'), `${path}: ${status} ${text.slice(0, 80)}`);
    }
  });
}

test('both give back idle connections before the venue closes them', () => {
  const [, caddy] = /\bkeepalive (\d+)s/.exec(deployed('Caddyfile'))!;
  const [, nginx] = /\bkeepalive_timeout (\d+)s;/.exec(deployed('nginx.conf'))!;
  for (const seconds of [caddy, nginx]) assert.ok(Number(seconds) < IDLE_S, `${seconds} s`);
});

for (const [kind, file, bound] of [
  [NGINX, 'nginx.conf', /limit_conn strikebook_clients (\d+);/], [HAPROXY, 'haproxy.cfg', /sc0_conn_cur gt (\d+) /],
] as const) {
  test(`${kind.name} bounds the connections of a client, and says so with 429`, {
    skip: !existsSync(kind.program) && `no ${kind.program}`,
  }, async (t) => {
    const waiting: (() => void)[] = [];
    const server = createServer((socket) => {
      const answer = (): void => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      socket.on('error', () => undefined).once('data', (bytes) => {
        if (bytes.toString().startsWith('GET /ready')) answer();
        else waiting.push(answer);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.close();
      for (const end of waiting) end();
    });
    const proxy = await kind.start(t, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    const most = Number(bound.exec(deployed(file))![1]);
    const held = Array.from({ length: most }, () => ask(proxy, { path: '/time', family: 4 }));
    while (waiting.length < most) await sleep(20);
    assert.equal((await ask(proxy, { path: '/time', family: 4 })).status, 429);
    for (const end of waiting) end();
    assert.deepEqual(new Set((await Promise.all(held)).map(({ status }) => status)), new Set([200]));
  });
}
