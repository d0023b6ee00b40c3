// Hostile clients against a whole venue: slow, endless or too many headers, slow or too long bodies, and many idle connections. Each gets
// its answer or is cut off, and the next client is served.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { Http } from '../../../../scripts/client.ts';
import { VenueProcess } from '../../../../scripts/venue-process.ts';
import { BOUNDS, HEAD_BYTES } from '../../../../shell/http/limits.ts';
import { exchange, requestText } from './client.ts';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
let venue: VenueProcess;
let port: number;
let http: Http;

before(async () => {
  venue = await VenueProcess.start({ data: join(folder, 'data'), flags: ['--feed', 'manual', '--workers', '1'] });
  await venue.ready();
  port = Number(new URL(venue.url).port);
  http = new Http(venue.url);
});
afterEach(async () => {
  const { answers } = await exchange(port, [requestText('GET', '/markets')], 1);
  assert.equal(answers[0]?.status, 200, 'the next client is served');
  assert.equal(venue.isOver, false);
});
after(async () => {
  http?.close();
  await venue?.stop();
  rmSync(folder, { recursive: true });
});

/** Sends, and tells what came until the venue closed the connection. */
function untilClosed(first: string, every: string, everyMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = '';
    const timer = setInterval(() => socket.write(every), everyMs);
    socket.on('data', (data) => { received += data.toString('latin1'); });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(received);
    });
    socket.write(first);
  });
}

test('a request head that arrives a byte at a time is cut off', async () => {
  const seen = await untilClosed('GET /markets HTTP/1.1\r\nHost: localhost\r\nX-A: ', 'a', 500);
  assert.doesNotMatch(seen, /HTTP\/1\.1 200/);
});

test('a connection that sends nothing is closed', async () => {
  assert.equal(await untilClosed('', '', 60_000), '');
});

test('a body that arrives a byte at a time is 408 and closes the connection', async () => {
  const seen = await untilClosed('POST /order HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{', ' ', 500);
  assert.match(seen, /^HTTP\/1\.1 408 [^]*"error":"request_timeout"/);
});

test('too many headers, a too long header and a too long URL are refused by the parser alone', async () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `X-${i}: 1\r\n`).join('');
  const long = `X-Long: ${'x'.repeat(HEAD_BYTES)}\r\n`;
  for (const text of [
    requestText('GET', '/markets', '', many), requestText('GET', '/markets', '', long),
    requestText('GET', `/markets?x=${'y'.repeat(HEAD_BYTES)}`), requestText('GET', `/${'z'.repeat(HEAD_BYTES)}`),
  ]) {
    const { answers, isClosed } = await exchange(port, [text], 2);
    assert.ok(isClosed, text.slice(0, 40));
    assert.ok(answers.length === 0 || (answers.length === 1 && [400, 431].includes(answers[0]!.status)), `${answers[0]?.status}`);
    assert.doesNotMatch(answers[0]?.body ?? '', /at .*\.ts|Error:/);
  }
});

test('a URL and headers just below the bound are served', async () => {
  const query = 'y'.repeat(HEAD_BYTES - 2_048);
  const { answers } = await exchange(port, [requestText('GET', `/markets?x=${query}`)], 1);
  assert.equal(answers[0]?.status, 200);
});

test('a body of 1 MiB and one byte is 413 with the reason, and closes the connection', async () => {
  const tooLong = requestText('POST', '/order', ' '.repeat(BOUNDS.bodyBytes + 1));
  const { answers, isClosed } = await exchange(port, [tooLong, requestText('GET', '/health')], 2);
  assert.deepEqual([answers.map(({ status }) => status), isClosed], [[413], true]);
  assert.deepEqual(JSON.parse(answers[0]!.body), { error: 'payload_too_large', message: 'Request body is larger than 1048576 bytes' });
  const whole = await exchange(port, [requestText('POST', '/order', ' '.repeat(BOUNDS.bodyBytes))], 1);
  assert.equal(JSON.parse(whole.answers[0]!.body).error, 'invalid_json', '1 MiB itself is read');
});

test('500 idle connections do not keep another client from being served', async () => {
  const idle = await Promise.all(Array.from({ length: 500 }, () => new Promise<net.Socket>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  })));
  assert.equal((await http.get('/markets')).status, 200);
  for (const socket of idle) socket.destroy();
});

test('an unreadable body is 400 without a stack or a path', async () => {
  for (const body of ['{', 'null', '[]', '{"__proto__":{"a":1}}', '\u0000', '{"wallet":{}}', '['.repeat(100_000)]) {
    const { answers } = await exchange(port, [requestText('POST', '/order', body)], 1);
    assert.equal(answers[0]!.status, 400);
    assert.doesNotMatch(answers[0]!.body, /node_modules|\.ts\b|at \w+ \(/);
  }
});
