// How the venue serves the trading page: headers, revalidation, parts that are cached for a year, and that nothing else is served.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Http } from '../../../scripts/client.ts';
import { Harness } from '../api/harness.ts';

const harness = new Harness();
const http = new Http(harness.url);
after(() => {
  http.close();
  harness.close();
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(harness.url + path, { headers });
const partsOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map((match) => `/${match[1]!}`);

test('given the root path, then the page comes with a policy that allows no inline code and no other host', async () => {
  const { status, headers, text } = await http.get('/');
  assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'text/html; charset=utf-8', 'no-cache']);
  assert.equal(headers['content-security-policy'], "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  const names = ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'cross-origin-opener-policy'];
  assert.deepEqual(names.map((name) => headers[name]), ['nosniff', 'DENY', 'no-referrer', 'same-origin']);
  assert.doesNotMatch(text, /https?:|<script>|<style| style="| on\w+="/);
});

test('given the page\'s ETag, when the page is asked for with it, then the answer is an empty 304, else the page', async () => {
  const first = await get('/');
  const etag = first.headers.get('etag')!;
  assert.match(etag, /^W\/"[0-9a-f]{16}"$/);
  for (const known of [etag, `"other", ${etag}`, '*']) {
    const again = await get('/', { 'if-none-match': known });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag], known);
    assert.deepEqual([again.headers.get('content-type'), again.headers.get('cache-control')], ['text/html; charset=utf-8', 'no-cache']);
  }
  assert.equal((await get('/', { 'if-none-match': '"other"' })).status, 200);
});

test('given a HEAD, then the answer has the headers of the GET and no body', async () => {
  const page = await http.get('/');
  const path = partsOf(page.text)[0]!;
  for (const one of ['/', path]) {
    const whole = await http.get(one);
    const head = await fetch(harness.url + one, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    for (const name of ['content-type', 'cache-control', 'content-length']) assert.equal(head.headers.get(name), whole.headers[name], one);
  }
});

test('given the parts that the page names, then each is cached for a year, and compressed once for all', async () => {
  const parts = partsOf((await http.get('/')).text);
  assert.ok(parts.some((part) => part.endsWith('.js')) && parts.some((part) => part.endsWith('.css')));
  for (const part of parts) {
    assert.match(part, /^\/assets\/[a-z]+-[0-9A-Z]{8}\.(js|css)$/);
    const plain = await http.get(part);
    assert.deepEqual([plain.status, plain.headers['cache-control'], plain.headers['x-content-type-options'], plain.headers['vary']], [
      200, 'public, max-age=31536000, immutable', 'nosniff', 'Accept-Encoding',
    ]);
    const { bytes, encoding } = await packedPart(part);
    assert.equal(encoding, 'gzip');
    assert.equal(gunzipSync(bytes).toString(), plain.text);
  }
});

test('given a name that the build did not make, or a source map, then the answer is 404', async () => {
  const script = partsOf((await http.get('/')).text).find((part) => part.endsWith('.js'))!.slice('/assets/'.length);
  const names = ['page.js', `${script}.map`, `${script}.gz`, 'index.html', '..%2Findex.html', '%2e%2e', '__proto__', 'constructor'];
  for (const name of names) {
    const { status, body } = await http.get(`/assets/${name}`);
    assert.deepEqual([status, (body as { error: string }).error], [404, 'not_found'], name);
  }
});

/** As it is on the wire: `fetch` would unpack it. */
async function packedPart(path: string): Promise<{ readonly bytes: Buffer; readonly encoding: string | undefined }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    request(harness.url + path, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => (
        resolve({ bytes: Buffer.concat(chunks), encoding: answer.headers['content-encoding'] })
      ));
    }).on('error', reject).end();
  });
}
