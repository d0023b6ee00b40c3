// HTTP against a real server on a loopback port: whatever is sent, the client gets the right answer and the next client is served.
// Requests that a library would not send use bare sockets.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import net from 'node:net';
import { BOUNDS, KEEP_ALIVE_SECONDS } from '../../../../shell/http/limits.ts';
import { exchange, openVenue, parseAnswers, requestText, until, type Answer, type Venue } from './client.ts';

const WALLET = `0x${'aB'.repeat(20)}`;
const ORDER = { wallet: WALLET, size: '1.0', nonce: 7 };
const MIB = 1_048_576;

let venue: Venue;
let base: string;
before(() => {
  venue = openVenue();
  base = `http://127.0.0.1:${venue.edge.port}`;
});
after(() => venue.edge.close());

async function one(...parts: (string | Uint8Array)[]): Promise<Answer> {
  const { answers } = await exchange(venue.edge.port, parts, 1);
  assert.equal(answers.length, 1, 'an answer');
  return answers[0]!;
}

function assertError(answer: Answer, status: number, code: string): void {
  const body = JSON.parse(answer.body);
  assert.deepEqual([answer.status, body.error], [status, code], answer.body);
  assert.equal(typeof body.message, 'string');
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
}

/** All that comes until the web server ends the connection, if it was asked to; otherwise until there is a head. */
function wireOf(request: string): Promise<string> {
  return new Promise((resolve) => {
    let wire = '';
    const socket = net.connect(venue.edge.port, '127.0.0.1', () => socket.write(request));
    socket.on('data', (data) => {
      wire += data.toString('latin1');
      if (!/\bclose\b/i.test(request) && wire.includes('\r\n\r\n')) socket.end();
    });
    socket.on('close', () => resolve(wire));
  });
}

async function post(body: string | Uint8Array, headers: Record<string, string> = {}, path = '/order'): Promise<Answer> {
  const response = await fetch(base + path, { method: 'POST', body, headers });
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

test('a valid order is read, with every digit of a nonce above 2^53', async () => {
  const answer = await post(JSON.stringify(ORDER).replace('7', '18446744073709551615'));
  assert.equal(answer.status, 200, answer.body);
  assert.deepEqual(JSON.parse(answer.body), {
    wallet: WALLET.toLowerCase(), size: '1.0', nonce: { lo: 2 ** 32 - 1, hi: 2 ** 32 - 1, text: '18446744073709551615' },
  });
});

test('an unreadable body is refused by name', async () => {
  assertError(await one(requestText('POST', '/order')), 400, 'invalid_request');
  assertError(await post(Uint8Array.of(0x7b, 0xff, 0x7d)), 400, 'invalid_request');
  assertError(await post(JSON.stringify(ORDER), { 'content-encoding': 'gzip' }), 400, 'invalid_request');
  assertError(await post(JSON.stringify(ORDER), { 'content-type': 'application/json; charset=utf-16' }), 400, 'invalid_request');
  for (const text of ['{', '{"a":1,}', '[]', '1', 'null', '"x"', "{'a':1}", '\u0000', '{"a":01}', ' ']) {
    assertError(await post(text), 400, 'invalid_json');
  }
});

test('a missing or invalid field is refused by name', async () => {
  assertError(await post(JSON.stringify({ wallet: 'x', size: 1 })), 400, 'missing_field');
  assertError(await post(JSON.stringify({ ...ORDER, wallet: 'x', size: 1 })), 400, 'invalid_parameter');
  assertError(await post(JSON.stringify({ ...ORDER, wallet: 'x' })), 400, 'invalid_wallet');
  for (const nonce of ['-1', '1.5', '"7"', '18446744073709551616', '1e30', 'true', '[7]', '{}']) {
    assertError(await post(JSON.stringify(ORDER).replace('7', nonce)), 400, 'invalid_parameter');
  }
});

test('a megabyte of brackets, open or closed, is refused without harm', async () => {
  assertError(await post('['.repeat(MIB)), 400, 'invalid_json');
  assertError(await post(`{"a":${'['.repeat(MIB / 2 - 10)}${']'.repeat(MIB / 2 - 10)}}`), 400, 'invalid_json');
  assertError(await post('{"a":'.repeat(200_000)), 400, 'invalid_json');
});

test('a body of exactly 1 MiB passes; one byte more is 413', async () => {
  assert.equal((await post('x'.repeat(MIB), {}, '/length')).body, String(MIB));
  assertError(await post('x'.repeat(MIB + 1), {}, '/length'), 413, 'payload_too_large');
});

test('a request with a large body, accepted or refused, is the last of its connection', async () => {
  for (const [bytes, status] of [[BOUNDS.largeBodyBytes + 1, 200], [3 * MIB, 413]] as const) {
    const large = requestText('POST', '/length', 'x'.repeat(bytes));
    const { answers, isClosed } = await exchange(venue.edge.port, [large, requestText('GET', '/orders')], 2);
    assert.deepEqual([answers.map((answer) => answer.status), isClosed], [[status], true]);
    assert.equal(answers[0]!.headers['connection'], 'close');
  }
  const small = requestText('POST', '/length', 'x'.repeat(BOUNDS.largeBodyBytes));
  const { answers } = await exchange(venue.edge.port, [small, requestText('GET', '/orders')], 2);
  assert.deepEqual(answers.map((answer) => answer.status), [200, 200]);
});

test('a body too long to drain is answered 413, then the connection closes', async () => {
  const head = 'POST /length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000000\r\n\r\n';
  const { answers, isClosed } = await exchange(venue.edge.port, [head, 'x'.repeat(MIB)], 2);
  assertError(answers[0]!, 413, 'payload_too_large');
  assert.equal(isClosed, true);
});

test('a DELETE may have a body, a POST none, and Expect: 100-continue is served', async () => {
  const text = JSON.stringify({ ...ORDER, size: '0.5' });
  assert.equal(JSON.parse((await one(requestText('DELETE', '/order', text))).body).size, '0.5');
  assert.equal(JSON.parse((await one(requestText('POST', '/order', text, 'Expect: 100-continue\r\n'))).body).size, '0.5');
  assert.equal((await one('POST /length HTTP/1.1\r\nHost: localhost\r\n\r\n')).body, '0', 'no body at all is told by no line');
});

test('a body cut off in the middle never reaches a route', async () => {
  const whole = requestText('POST', '/never', JSON.stringify(ORDER));
  const reached = venue.late.length;
  const cut = net.connect(venue.edge.port, '127.0.0.1');
  cut.write(whole.slice(0, -9));
  await until(() => venue.edge.counts.bodyBytes > 0);
  cut.destroy();
  await until(() => venue.edge.counts.requests === 0);
  assert.equal(venue.edge.counts.bodyBytes, 0);
  assert.equal(venue.late.length, reached);
});

test('pipelined requests are answered in order', async () => {
  const texts = [requestText('POST', '/order', JSON.stringify(ORDER)), requestText('GET', '/orders'), requestText('GET', '/nothing')];
  const { answers } = await exchange(venue.edge.port, [texts.join('')], 3);
  assert.deepEqual(answers.map((answer) => answer.status), [200, 200, 404]);
});

test('a request pipelined behind an unanswered one closes the connection, and nothing stays held', async () => {
  const order = requestText('POST', '/later', JSON.stringify(ORDER));
  const seen = await exchange(venue.edge.port, [order + order], 2);
  assert.deepEqual(seen, { answers: [], isClosed: true });
  await until(() => venue.edge.counts.requests === 0);
  const { answers } = await exchange(venue.edge.port, [order], 1);
  assert.equal(answers[0]!.status, 200);
});

test('a handler that throws or rejects gives 500 and a fault; one that throws after its answer only a fault', async () => {
  venue.faults.length = 0;
  assertError(await one(requestText('GET', '/throws')), 500, 'internal_error');
  assertError(await one(requestText('GET', '/rejects')), 500, 'internal_error');
  assert.equal((await one(requestText('GET', '/answers-then-throws'))).body, '"first"');
  assert.deepEqual(venue.faults.map(({ error }) => String(error)), ['Error: thrown', 'Error: rejected', 'Error: too late']);
  assert.equal((await one(requestText('GET', '/twice'))).body, '1');
  assert.equal((await one(requestText('GET', '/orders'))).status, 200);
});

test('an answer to a client that has left is ignored', async () => {
  venue.late.length = 0;
  const socket = net.connect(venue.edge.port, '127.0.0.1');
  socket.write(requestText('GET', '/never'));
  await until(() => venue.late.length === 1);
  assert.equal(venue.late[0]!.aborted, false);
  socket.destroy();
  await until(() => venue.late[0]!.aborted);
  venue.late[0]!.send(200, '{}');
  assert.equal(venue.edge.counts.requests, 0);
});

test('unknown paths and methods are refused by name (decision 6.4)', async () => {
  assertError(await one(requestText('POST', '/nothing', '{}')), 400, 'unsupported_endpoint');
  assertError(await one(requestText('POST', '/nothing')), 404, 'not_found');
  assertError(await one(requestText('GET', '/order/')), 404, 'not_found');
  const wrong = await one(requestText('PUT', '/order', '{}'));
  assertError(wrong, 405, 'method_not_allowed');
  assert.equal(wrong.headers['allow'], 'POST, DELETE, OPTIONS');
  assertError(await one(requestText('get', '/orders')), 405, 'method_not_allowed');
  assertError(await one(requestText('BREW', '/orders')), 405, 'method_not_allowed');
});

test('HEAD has the headers of GET and no body; OPTIONS is a preflight', async () => {
  const { answers } = await exchange(venue.edge.port, [requestText('OPTIONS', '/order'), requestText('GET', '/orders')], 2);
  assert.deepEqual(answers.map((answer) => answer.status), [204, 200]);
  assert.equal(answers[0]!.headers['access-control-allow-methods'], 'GET, POST, PUT, DELETE, OPTIONS');
  assert.equal(answers[0]!.headers['access-control-allow-headers'], 'content-type, authorization, x-request-id');
  assert.equal(answers[0]!.headers['content-length'], undefined);
  const head = await fetch(`${base}/orders`, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(answers[1]!.body.length));
  assert.equal(await head.text(), '');
  // On the bare wire: the answer to the second request follows the first one's head at once.
  const wire = await new Promise<string>((resolve) => {
    const socket = net.connect(venue.edge.port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
      if (!text.endsWith('}')) return;
      socket.destroy();
      resolve(text);
    });
    socket.write(requestText('HEAD', '/orders') + requestText('GET', '/orders'));
  });
  assert.match(wire, /^HTTP\/1\.1 200 OK\r\n([^\r]+\r\n)+\r\nHTTP\/1\.1 200 OK\r\n/);
});

test('an answer has the keep-alive time of its connection, or closes it if the client asked for that', async () => {
  for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
    assert.match(await wireOf(requestText(method, '/orders')), /\r\nconnection: keep-alive\r\nkeep-alive: timeout=7\r\n/, method);
    for (const close of ['close', 'Close', 'TE, close']) {
      const wire = await wireOf(requestText(method, '/orders', '', `Connection: ${close}\r\n`));
      assert.match(wire, /^HTTP\/1\.1 [^\r]+\r\n([^\r]+\r\n)+\r\n/, `${method} ${close}`);
      assert.doesNotMatch(wire, /keep-alive/i, `${method} ${close}`);
    }
  }
});

test('an idle connection stays open longer than announced, and Node\'s agent drops it in time', async () => {
  const agent = new Agent({ keepAlive: true, timeout: 60_000 });
  get(`${base}/orders`, { agent }, (answer) => answer.resume());
  const [socket] = await once(agent, 'free') as [net.Socket];
  assert.equal(socket.timeout, 1_000 * (KEEP_ALIVE_SECONDS - 1));
  agent.destroy();
  const from = performance.now();
  await new Promise((resolve) => {
    const idle = net.connect(venue.edge.port, '127.0.0.1', () => idle.write(requestText('GET', '/orders')));
    idle.resume().on('close', resolve);
  });
  assert.ok(performance.now() - from >= 1_000 * KEEP_ALIVE_SECONDS);
});

test('an answer is JSON unless it says otherwise, even if it is empty', async () => {
  assert.equal((await one(requestText('GET', '/empty'))).headers['content-type'], 'application/json');
  assert.equal((await one(requestText('GET', '/text'))).headers['content-type'], 'text/csv');
});

test('a route gets the path, the raw query, the listed headers and the source', async () => {
  const answer = await one(requestText('GET', '/echo?a=%41&b', '', 'Authorization: Bearer t\r\nX-Forwarded-For: 9.9.9.9\r\n'));
  const { path, query, headers, source } = JSON.parse(answer.body);
  assert.deepEqual([path, query, headers.authorization, headers.accept], ['/echo', 'a=%41&b', 'Bearer t', '']);
  assert.deepEqual([source.network, source.loopback], ['127.0.0.1', true]);
});

test('input that is not HTTP/1.1 is answered by the parser, and the connection closes', async () => {
  for (const text of ['\u0000\u0001 garbage\r\n\r\n', 'GET /orders HTTP/1.0\r\n\r\n', 'GET /orders HTTP/1.1\r\nA: b\r\n\r\n']) {
    const { answers, isClosed } = await exchange(venue.edge.port, [text], 2);
    assert.ok(isClosed && answers.length === 1 && [400, 505].includes(answers[0]!.status), text);
  }
});

test('1,000 random requests give no 500 and no dropped connection, and the server runs on', async () => {
  venue.faults.length = 0;
  let seed = 1;
  const random = (below: number) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff) % below;
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const texts = ['"x"', '""', `"${WALLET}"`, '"1.0"', '"\\ud800"'];
  const values = [...texts, '1', '-1', '1e400', 'null', 'true', '[]', '{}', '[1]', '99999999999999999999'];
  const names = ['wallet', 'size', 'nonce', 'count', '__proto__', 'constructor'];
  const paths = ['/order', '/orders', '/later', '/echo', '/%zz', '/orders?limit=%', '/orders?limit=9&limit=x', '/__proto__'];
  const garbage = () => String.fromCharCode(...Array.from({ length: random(60) }, () => random(300)));
  const field = () => `"${pick([...names, garbage().replace(/["\\]/g, '')])}":${pick(values)}`;
  for (let i = 0; i < 1_000; i++) {
    const method = pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
    const path = pick([...paths, `/${encodeURI(garbage())}`]);
    const fields = Array.from({ length: random(6) }, field);
    const body = pick([`{${fields.join(',')}}`, `{${fields.join(',')}`, garbage(), '', `{"a":"${garbage()}"}`]);
    const { answers } = await exchange(venue.edge.port, [requestText(method, path, body)], 1);
    assert.ok(answers.length === 1 && answers[0]!.status < 500, `${method} ${path} ${body}: ${answers[0]?.status}`);
    JSON.parse(answers[0]!.body);
  }
  assert.deepEqual(venue.faults, []);
  assert.deepEqual({ ...venue.edge.counts }, { requests: 0, sockets: 0, bodyBytes: 0 });
});

test('the test client parses interim, complete and cut answers', () => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 X\r\nContent-Length: 9\r\n\r\ncut';
  assert.deepEqual(parseAnswers(Buffer.from(text)).map((answer) => [answer.status, answer.body]), [[200, 'ok']]);
});
