// Answers above 16 KiB are compressed for clients that accept gzip, caches are told, and other answers do not wait for it.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Compressor, MIN_BYTES, acceptsGzip, type Encoded } from '../../../../shell/http/server/compression.ts';
import type { ResponseHeaders } from '../../../../shell/http/message.ts';
import { openVenue } from './client.ts';

const LARGE = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ symbol: `BTC-20260130-${i}-C`, price: 'é' })));
const SMALL = LARGE.slice(0, MIN_BYTES);

type Got = { readonly status: number; readonly headers: Record<string, string | string[] | undefined>; readonly body: Buffer };

function get(port: number, path: string, accepted: string | null, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const headers = accepted === null ? {} : { 'accept-encoding': accepted };
    const call = request({ port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }));
    });
    call.on('error', reject).end();
  });
}

/** By path: a body, a string or bytes, and headers. */
const BODIES: Readonly<Record<string, readonly [body: string | Uint8Array, headers?: ResponseHeaders]>> = {
  '/json': [LARGE], '/bytes': [Buffer.from(LARGE)], '/small': [SMALL], '/html': [LARGE, { 'content-type': 'text/html; charset=utf-8' }],
  '/lines': [LARGE, { 'content-type': 'application/x-ndjson' }], '/picture': [LARGE, { 'content-type': 'image/png' }],
  '/packed': [LARGE, { 'content-encoding': 'br' }],
};

function openEdge(t: TestContext): number {
  const { edge } = openVenue({
    route: ({ path }, to) => {
      const [body, headers] = BODIES[path]!;
      // As an answer of the reader: its bytes are good for this call alone.
      const lent = typeof body === 'string' ? body : Uint8Array.from(body);
      to.send(200, lent, headers);
      if (typeof lent !== 'string') lent.fill(0);
    },
  });
  t.after(() => edge.close());
  return edge.port;
}

test('a large text is compressed for a client that accepts gzip, and always has Vary: Accept-Encoding', async (t) => {
  const port = openEdge(t);
  for (const path of ['/json', '/bytes', '/html', '/lines']) {
    const packed = await get(port, path, 'gzip, deflate, br');
    assert.deepEqual([packed.headers['content-encoding'], packed.headers['vary']], ['gzip', 'Accept-Encoding'], path);
    assert.equal(Number(packed.headers['content-length']), packed.body.length);
    assert.ok(packed.body.length < LARGE.length / 5);
    assert.equal(gunzipSync(packed.body).toString('utf8'), LARGE, path);
    for (const accepted of [null, 'br', 'gzip;q=0', 'gzip;q=0.5, identity']) {
      const plain = await get(port, path, accepted);
      assert.deepEqual([plain.headers['content-encoding'], plain.headers['vary']], [undefined, 'Accept-Encoding'], path);
      assert.equal(plain.body.toString('utf8'), LARGE, path);
    }
  }
});

test('a short, non-text or already encoded answer is never compressed', async (t) => {
  const port = openEdge(t);
  for (const [path, body, encoding] of [['/small', SMALL, undefined], ['/picture', LARGE, undefined], ['/packed', LARGE, 'br']] as const) {
    const { headers, body: got } = await get(port, path, 'gzip');
    assert.deepEqual([headers['content-encoding'], headers['vary'], got.toString('utf8')], [encoding, undefined, body], path);
  }
});

test('HEAD has the headers of GET, but no length for an answer that would be compressed', async (t) => {
  const port = openEdge(t);
  const packed = await get(port, '/json', 'gzip', 'HEAD');
  assert.deepEqual([packed.headers['content-encoding'], packed.headers['vary'], packed.headers['content-length'], packed.body.length],
    ['gzip', 'Accept-Encoding', undefined, 0]);
  const plain = await get(port, '/json', null, 'HEAD');
  assert.deepEqual([plain.headers['content-encoding'], plain.headers['content-length']], [undefined, String(Buffer.byteLength(LARGE))]);
});

test('Accept-Encoding is read with its weights', () => {
  for (const accepted of ['gzip', 'GZIP', 'deflate, gzip;q=0.1', '*', 'br, *;q=0.5', 'x-gzip', 'gzip ; q=1.0', 'identity;q=0, gzip;q=0.001',
    'gzip;q=0.5, identity;q=0.5']) assert.ok(acceptsGzip(accepted), accepted);
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip; q=0.000', 'identity', '*;q=0', 'gzip;q=0, *', 'gzip;q=0.4, identity;q=0.5',
    'gzip;q=x', 'gzipped']) assert.ok(!acceptsGzip(accepted), accepted);
});

type Done = (error: Error | null) => void;

/** A compressor whose work the test does, and what it gave. */
function byHand(): { compressor: Compressor; jobs: Done[]; given: Encoded[]; ask(body: string | Uint8Array): void } {
  const jobs: Done[] = [];
  const given: Encoded[] = [];
  const compressor = new Compressor((bytes, done) => jobs.push((error) => done(error, bytes.subarray(0, 1))));
  const ask = (body: string | Uint8Array): void => compressor.encode({ body, headers: {} }, 'GET', 'gzip', (answer) => given.push(answer));
  return { compressor, jobs, given, ask };
}

const isPacked = ({ headers }: Encoded): boolean => headers['content-encoding'] === 'gzip';

test('answers are compressed one at a time, asynchronously and in order', () => {
  const { jobs, given, ask } = byHand();
  for (const text of ['a', 'b', 'c']) ask(text.repeat(20_000));
  assert.deepEqual([jobs.length, given.length], [1, 0]);
  for (let at = 0; at < 3; at++) jobs[at]!(null);
  assert.deepEqual(given.map((answer) => [String(answer.body), isPacked(answer)]), [['a', true], ['b', true], ['c', true]]);
});

test('an answer\'s bytes are copied before it waits for compression, because its buffer is reused', () => {
  const { jobs, given, ask } = byHand();
  const lent = Buffer.alloc(20_000, 'a');
  ask(lent);
  lent.fill('b');
  jobs[0]!(null);
  assert.equal(String(given[0]!.body), 'a');
});

test('an answer is sent uncompressed when the queue is full or compression fails', () => {
  const { jobs, given, ask } = byHand();
  const body = Buffer.alloc(4_194_304, 'x');
  for (let at = 0; at < 4; at++) ask(body);
  assert.deepEqual([jobs.length, given.map(isPacked), given[0]!.body!.length], [1, [false], body.length], 'one in hand, two wait');
  jobs[0]!(new Error('no memory'));
  assert.deepEqual([given.map(isPacked), given[1]!.body!.length], [[false, false], body.length]);
  jobs[1]!(null);
  ask(body);
  assert.deepEqual([given.map(isPacked), jobs.length], [[false, false, true], 3], 'there is room again');
});

test('when the server closes, answers that wait for compression are sent once, uncompressed', () => {
  const { compressor, jobs, given, ask } = byHand();
  for (const text of ['a', 'b']) ask(text.repeat(20_000));
  compressor.close();
  jobs[0]!(null);
  ask('c'.repeat(20_000));
  const told = given.map((answer) => [isPacked(answer), String(answer.body).slice(0, 2)]);
  assert.deepEqual(told, [[false, 'aa'], [false, 'bb'], [false, 'cc']]);
  assert.equal(jobs.length, 1);
});

test('a streamed answer is compressed part by part into one gzip text', async (t) => {
  const parts = Array.from({ length: 30 }, (_, i) => `${i},${'x'.repeat(10_000)}\n`);
  let over = 0;
  let written = 0;
  const { edge } = openVenue({
    route: (_, to) => {
      const stream = to.begin!(200, { 'content-type': 'text/csv' }, () => over++);
      const next = (at: number): void => {
        if (stream.isOver) return;
        written = Math.max(written, at);
        if (at === parts.length) stream.end();
        else stream.write(parts[at]!, () => next(at + 1));
      };
      next(0);
    },
  });
  t.after(() => edge.close());
  for (const accepted of ['gzip', null]) {
    const { headers, body } = await get(edge.port, '/', accepted);
    assert.deepEqual([headers['content-encoding'], headers['vary']], [accepted ?? undefined, 'Accept-Encoding']);
    assert.equal((accepted === null ? body : gunzipSync(body)).toString('utf8'), parts.join(''));
  }
  assert.deepEqual([over, written], [2, parts.length]);
  const { headers, body } = await get(edge.port, '/', 'gzip', 'HEAD');
  assert.deepEqual([headers['content-encoding'], body.length, over], ['gzip', 0, 3]);
});
