// Markup in whatever a client sends: what comes back of it is JSON or a socket message, never a page, and no browser may take it for one.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Http, type Request } from '../../../scripts/client.ts';
import { Harness } from '../api/harness.ts';

const MARKUP = '<img src=x onerror=alert(1)><script>alert(1)</script>';
const CODED = encodeURIComponent(MARKUP);
const harness = new Harness();
const http = new Http(harness.url);
after(() => {
  http.close();
  harness.close();
});

test('an answer that repeats markup of its request is JSON which no browser may take for a page', async () => {
  const json = (body: object) => JSON.stringify(body);
  const order = { wallet: MARKUP, symbol: MARKUP, side: MARKUP, size: MARKUP, price: MARKUP, tif: MARKUP, client_id: MARKUP, nonce: 1 };
  const requests: readonly Request[] = [
    ...[
      `/${CODED}`, `/docs/${CODED}`, `/docs/socket/${CODED}`, `/compat/${CODED}`, `/orderbook?instrument_name=${CODED}`,
      `/trades?symbol=${CODED}`, `/portfolio?wallet=${CODED}`, `/username?username=${CODED}`, `/candles?resolution=${CODED}`,
      `/instruments?currency=${CODED}&status=${CODED}`, `/competitions?state=${CODED}`, `/gas-provider/${CODED}`,
      `/orders?wallet=0x${'2'.repeat(40)}&status=${CODED}`,
    ].map((path) => ({ method: 'GET', path })),
    { method: 'POST', path: '/order', body: json(order) }, { method: 'POST', path: `/${CODED}`, body: '{}' },
    { method: 'POST', path: '/order', body: MARKUP }, { method: 'POST', path: '/limit_iv', body: json({ symbol: MARKUP, iv: 0.5 }) },
    { method: 'POST', path: '/bulk_order', body: json({ orders: [order] }) },
    { method: 'POST', path: '/username', body: json({ username: MARKUP }) },
    { method: 'PATCH', path: '/order' },
  ];
  for (const one of requests) {
    const { status, headers, text } = await http.send({ ...one, headers: { accept: 'text/html', 'x-request-id': MARKUP } });
    assert.ok(status === 200 || (status >= 400 && status < 500), `${one.path} ${status}`);
    assert.deepEqual([headers['content-type'], headers['x-content-type-options']], ['application/json', 'nosniff'], one.path);
    assert.doesNotThrow(() => { JSON.parse(text); }, one.path);
    assert.doesNotMatch(String(headers['x-request-id']), /</);
  }
});
