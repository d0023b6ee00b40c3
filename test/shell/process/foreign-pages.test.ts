// A venue on a loopback address and the pages of strangers in a browser beside it: what they can send without the browser's leave, raw.
// They can do what a stranger on the network can, and no more. Clients that are no pages notice nothing of it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bulk, createWallet, Http, signerFor, type Request, type RequestSigner } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const data = join(temporaryFolder({ after }), 'data');
const PAGE = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'content-type': 'text/plain' };
const TERMS = { symbol: 'BTC-PERP', side: 'Buy', size: '0.01', price: '1', tif: 'gtc' } as const;
const INDEX: Request = { method: 'POST', path: '/admin/index-price', body: '{"underlying":"BTC","price":"100000"}' };
let venue: VenueProcess;
let http: Http;
let signer: RequestSigner;
let token: string;

before(async () => {
  venue = await VenueProcess.start({ data, flags: ['--feed', 'manual'] });
  await venue.ready();
  http = new Http(venue.url);
  signer = await signerFor(http);
  token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  assert.equal((await http.send({ ...INDEX, headers: { authorization: `Bearer ${token}` } })).status, 200);
});
after(() => {
  http.close();
  return venue.kill();
});

type Got = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string };

/** Node's own client sends any header; `fetch` does not. */
async function sent({ method, path, body, headers }: Request): Promise<Got> {
  const { port } = new URL(venue.url);
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const call = request({ host: '127.0.0.1', port, method, path, agent: false, headers: { ...headers, ...length } });
  call.end(body);
  const [answer] = await once(call, 'response');
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part;
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** The status of an upgrade; 101 if it is a socket. */
async function upgraded(headers: Readonly<Record<string, string>>): Promise<number> {
  const { port } = new URL(venue.url);
  const upgrade = {
    upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const call = request({ host: '127.0.0.1', port, path: '/ws', agent: false, headers: { ...upgrade, ...headers } });
  call.end();
  return new Promise((resolve, reject) => {
    call.once('error', reject);
    call.once('upgrade', (_, socket) => { socket.destroy(); resolve(101); });
    call.once('response', (answer) => { answer.resume(); resolve(answer.statusCode ?? 0); });
  });
}

test('a page whose name was pointed to this machine reads nothing, writes nothing and opens no socket, even with the token', async () => {
  const rebound = { host: `evil.example:${new URL(venue.url).port}` };
  const admin = { authorization: `Bearer ${token}` };
  const wallet = createWallet();
  const order = signer.placeOrder(wallet, TERMS);
  const requests: readonly Request[] = [
    { method: 'GET', path: '/' }, { method: 'GET', path: '/ready' }, { method: 'GET', path: `/portfolio?wallet=${wallet.address}` },
    { method: 'GET', path: '/metrics' }, { method: 'GET', path: '/metrics', headers: admin }, { ...INDEX, headers: admin },
    { method: 'GET', path: '/admin/status', headers: admin }, order, bulk('POST /bulk_order', [order]),
    { method: 'OPTIONS', path: '/order' }, { method: 'GET', path: '/compat/instruments' },
  ];
  for (const one of requests) {
    const got = await sent({ ...one, headers: { ...one.headers, ...rebound } });
    assert.deepEqual([got.status, got.headers['x-content-type-options']], [403, 'nosniff'], `${one.method} ${one.path}`);
    assert.equal((JSON.parse(got.text) as { error: string }).error, 'forbidden');
  }
  assert.equal(await upgraded(rebound), 403);
  assert.equal(await upgraded({ ...rebound, origin: `http://${rebound.host}` }), 403);
  const { headers } = await http.send(order);
  assert.equal(headers['idempotent-replay'], undefined, 'the order had not acted before');
});

test('a page of another origin is a stranger: without the token no admin route and no metrics, with a form as without', async () => {
  for (const path of ['/metrics', '/admin/status', '/admin/accounts']) {
    assert.equal((await sent({ method: 'GET', path, headers: PAGE })).status, 401, path);
  }
  for (const path of ['/admin/index-price', '/admin/halt', '/admin/credit', '/user-tier', '/markets']) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json']) {
      const body = JSON.stringify({
        underlying: 'BTC', price: '1', scope: '', mode: 'halted', wallet: `0x${'2'.repeat(40)}`, tier: 'tier2', amount: '1', reason: 'x',
        id: 'x', symbol: 'BTC-20300101-100000-C', expiry: '2030-01-01', strike: '100000', option_type: 'call',
      });
      const { status } = await sent({ method: 'POST', path, body, headers: { ...PAGE, 'content-type': type } });
      assert.ok(status === 401 || status === 400, `${path} ${type} ${status}`);
    }
  }
  // An image or a script names no Origin.
  const { origin: _, ...image } = PAGE;
  assert.equal((await sent({ method: 'GET', path: '/metrics', headers: image })).status, 401);
  assert.equal((await sent({ method: 'GET', path: '/metrics', headers: { 'sec-fetch-site': 'same-site' } })).status, 401);
  assert.equal((await sent({ method: 'GET', path: '/metrics' })).status, 200);
});

test('a browser asks before it sends a token, and is told what the interface allows to all, without credentials', async () => {
  const asked = { ...PAGE, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const { status, headers } = await sent({ method: 'OPTIONS', path: INDEX.path, headers: asked });
  assert.deepEqual([status, headers['access-control-allow-origin'], headers['access-control-allow-credentials']], [204, '*', undefined]);
  assert.match(String(headers['access-control-allow-headers']), /authorization/);
});

test('a signed order of a page acts as any signed order, and counts for a network source of its own', async () => {
  const { body, status } = await http.send(signer.placeOrder(createWallet(), TERMS));
  assert.deepEqual([status, (body as { status: string }).status], [200, 'ACKED']);
  const made: number[] = [];
  for (let at = 0; at < 22; at++) made.push((await sent({ ...signer.placeOrder(createWallet(), TERMS), headers: PAGE })).status);
  assert.deepEqual(made, [...Array<number>(20).fill(200), 429, 429], 'new wallets an hour, as of a stranger');
  assert.equal((await http.send(signer.placeOrder(createWallet(), TERMS))).status, 200, 'a program on this machine has no such limit');
});
