// Compressed answers of a whole venue: whatever encoding a client accepts, it reads the same, also when many ask at once.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RestVenue } from './venue.ts';

let venue: RestVenue;
before(async () => { venue = await RestVenue.start(); });
after(() => venue.stop());

const HEADERS = { 'accept-encoding': 'gzip' };
const LARGE = ['/instruments?currency=BTC', '/markets', '/options-summary?currency=ETH', '/openapi.json', '/docs/swagger-ui-bundle.js'];

/** The answer as a client reads it that takes gzip or does not, and how it was encoded. */
async function read(path: string, headers: Record<string, string>): Promise<{ text: string; encoding: string | null }> {
  const response = await fetch(`${venue.url}${path}`, { headers });
  // `fetch` decodes by itself.
  return { text: await response.text(), encoding: response.headers.get('content-encoding') };
}

test('every large answer is the same, compressed or not', async () => {
  for (const path of LARGE) {
    const [packed, plain] = [await read(path, HEADERS), await read(path, { 'accept-encoding': 'identity' })];
    assert.deepEqual([packed.encoding, plain.encoding], ['gzip', null], path);
    assert.ok(packed.text === plain.text, path);
  }
});

test('answers that are compressed at the same time are not mixed up', async () => {
  const plain = new Map<string, string>();
  for (const path of LARGE) plain.set(path, (await read(path, { 'accept-encoding': 'identity' })).text);
  const all = Array.from({ length: 60 }, (_, i) => LARGE[i % LARGE.length]!);
  const texts = await Promise.all(all.map((path) => read(path, HEADERS)));
  texts.forEach(({ text }, i) => assert.ok(text === plain.get(all[i]!), all[i]));
});

test('an error answer is short and not compressed', async () => {
  const { status, headers, text } = await venue.http.send({ method: 'GET', path: '/orders?wallet=0x1', headers: HEADERS });
  assert.deepEqual([status, headers['content-encoding'], headers['vary']], [400, undefined, undefined]);
  assert.throws(() => gunzipSync(Buffer.from(text)));
});
