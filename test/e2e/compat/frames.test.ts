// What /compat makes of an answer: the text of the root in another frame, byte for byte, and nothing else changed.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { ApiContext } from '../../../shell/api/context.ts';
import { serviceRoutes } from '../../../shell/process/threads/service.ts';
import { withCompat } from '../../../shell/http/compat.ts';
import type { Responder } from '../../../shell/http/message.ts';
import { route, type Route } from '../../../shell/http/router.ts';

type Sent = { readonly status: number; readonly body: string | Uint8Array; readonly headers: object };

let clock = 0;
const PARTS = { isTestnet: true, now: () => 1_700_000_000_000, steady: () => clock };

/** What a route with this answer sends under the prefix, 2.5 ms later. */
function under(compat: Route['compat'], status: number, body: string | Uint8Array): Sent {
  const row = route({
    method: 'GET', path: '/it', auth: 'none', rate: 'api', envelope: 'bare', doc: 'It.', ...(compat === undefined ? {} : { compat }),
    handler: (_, responder) => {
      clock += 2.5;
      responder.send(status, body, { 'X-RateLimit-Limit': '7' });
    },
  });
  const [root, compatRow] = withCompat([row], PARTS);
  assert.equal(root, row);
  assert.equal(compatRow!.path, '/compat/it');
  let sent: Sent | null = null;
  const send: Responder['send'] = (code, answer, headers = {}) => { sent = { status: code, body: answer, headers }; };
  compatRow!.handler({ request: null as never, params: {}, query: {}, body: {} }, { aborted: false, send });
  return sent!;
}

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const text = ({ body }: Sent): string => Buffer.from(body as string).toString('utf8');

test('jsonrpc: the body becomes the result, with the request\'s times in microseconds', () => {
  const frame = '{"jsonrpc":"2.0","result":[1.50],"testnet":true,"usIn":1700000000000000,"usOut":1700000000002500,"usDiff":2500}';
  for (const body of ['[1.50]', bytes('[1.50]')]) {
    const sent = under('jsonrpc', 200, body);
    assert.deepEqual([sent.status, text(sent), sent.headers], [200, frame, { 'X-RateLimit-Limit': '7' }]);
  }
});

test('jsonrpc: an error is as at the root', () => {
  const sent = under('jsonrpc', 404, '{"error":"not_found","message":"Not found"}');
  assert.deepEqual([sent.status, text(sent)], [404, '{"error":"not_found","message":"Not found"}']);
});

test('api: the body becomes the data, and an empty body is null', () => {
  assert.equal(text(under('api', 200, bytes('{"a":"ü"}'))), '{"success":true,"data":{"a":"ü"},"error":null}');
  assert.equal(text(under('api', 200, '')), '{"success":true,"data":null,"error":null}');
});

test('api: an error gets the envelope\'s keys once', () => {
  const framed = '{"success":false,"data":null,"error":"conflict","message":"No"}';
  assert.equal(text(under('api', 409, bytes('{"error":"conflict","message":"No"}'))), framed);
  assert.equal(text(under('api', 503, framed)), framed);
});

test('order: every filled_size becomes a decimal string, and a client id that looks like one is unchanged', () => {
  const info = JSON.stringify({ client_id: '"filled_size":1,' });
  const update = (filled: string): string => `{"info":${info},"filled_size":${filled}}`;
  assert.equal(text(under('order', 200, `[${update('0.000001')},${update('0')}]`)), `[${update('"0.000001"')},${update('"0"')}]`);
});

test('a route without a compat form answers as at the root', () => {
  const body = bytes('{"filled_size":1}');
  assert.equal(under(undefined, 200, body).body, body);
});

/** Wire contract 0.3, rows 1 to 7, and decision 6.1 for the protections. Rows 1 to 3 are more names, the same at the root. */
const FORMS = {
  jsonrpc: ['GET /instruments', 'GET /options-summary', 'GET /orderbook'],
  api: ['DELETE /mmp/config', 'GET /portfolio', 'POST /mmp/reset'],
  order: [
    'DELETE /bulk_order', 'DELETE /bulk_order_cloid', 'DELETE /order', 'DELETE /order_cloid', 'POST /bulk_order', 'POST /cancel',
    'POST /cancel-by-cloid', 'POST /order', 'PUT /bulk_order', 'PUT /order',
  ],
};

test('answers under /compat differ from the others in exactly the routes that the interface names', () => {
  const rows = serviceRoutes({} as ApiContext).filter(({ path }) => !path.startsWith('/mmp-config'));
  for (const [form, expected] of Object.entries(FORMS)) {
    assert.deepEqual(rows.filter(({ compat }) => compat === form).map(({ method, path }) => `${method} ${path}`).sort(), expected);
  }
  assert.ok(serviceRoutes({} as ApiContext).some(({ method, path }) => method === 'DELETE' && path === '/revoke-agent'));
});

test('routes under /admin do not exist under /compat, so that blocking /admin blocks all of them', () => {
  const paths = withCompat(serviceRoutes({} as ApiContext), PARTS).map(({ path }) => path);
  assert.equal(paths.filter((path) => path.startsWith('/admin/')).length, 13);
  assert.deepEqual(paths.filter((path) => path.startsWith('/compat/admin/')), []);
  assert.ok(paths.includes('/compat/user-tier'));
});
