// The route table: which row a path and method match, what the handler gets, and the answers when nothing matches.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { errorBody, sendError } from '../../../shell/http/errors.ts';
import type { HttpRequest, Responder, ResponseHeaders } from '../../../shell/http/message.ts';
import { createRouter, route } from '../../../shell/http/router.ts';

type Sent = { status: number; body: unknown; headers: ResponseHeaders };

const row = { auth: 'none', rate: 'none', envelope: 'bare', doc: '' } as const;
const name = { kind: 'text', maxBytes: 9 } as const;
const answer = (text: string) => (_: unknown, to: Responder) => to.send(200, JSON.stringify(text));

const send = createRouter([
  route({
    ...row, method: 'GET', path: '/competitions/{id}', params: { id: { kind: 'integer', min: 0, max: 1e15 } },
    handler: ({ params }, to) => to.send(200, JSON.stringify(params)),
  }),
  route({ ...row, method: 'GET', path: '/competitions/leaderboard', handler: answer('leaderboard') }),
  route({
    ...row, method: 'GET', path: '/pairs/{left}/x/{right}', params: { left: name, right: name },
    handler: ({ params }, to) => to.send(200, JSON.stringify(params)),
  }),
  route({ ...row, method: 'GET', path: '/order', handler: answer('get') }),
  route({ ...row, method: 'PUT', path: '/order', handler: answer('put') }),
  route({
    ...row, method: 'POST', path: '/mmp/{id}', params: { id: { kind: 'integer', min: 0, max: 9 } },
    query: { wallet: { kind: 'address', optional: true } }, body: { currency: name, signature: { kind: 'signature' } },
    handler: answer('mmp'),
  }),
  route({ ...row, method: 'POST', path: '/limit_iv', envelope: 'api', body: { iv: { kind: 'number' } }, handler: answer('iv') }),
]);

function ask(method: string, path: string, body: string | null = null): Sent {
  let sent: Sent | null = null;
  const responder: Responder = {
    aborted: false,
    send: (status, text, headers = {}) => { sent = { status, body: JSON.parse(String(text)), headers }; },
  };
  const [bare, query] = path.split('?') as [string, string?];
  const request: HttpRequest = {
    method, path: bare, query: query ?? '', body: body === null ? null : new TextEncoder().encode(body),
    headers: {
      accept: '', authorization: '', 'content-encoding': '', 'content-type': '', host: '', origin: '',
      'accept-encoding': '', 'if-none-match': '',
    },
    source: { network: '127.0.0.1', digest: 1, loopback: true },
  };
  send(request, responder);
  assert.ok(sent);
  return sent;
}

const codeOf = ({ status, body }: Sent) => [status, (body as { error: string }).error];

test('a static path wins over a pattern', () => {
  assert.equal(ask('GET', '/competitions/leaderboard').body, 'leaderboard');
  assert.deepEqual(ask('GET', '/competitions/17').body, { id: 17 });
});

test('path parameters fill whole segments and are decoded and checked', () => {
  assert.deepEqual(ask('GET', '/pairs/a%20b/x/%C3%A9').body, { left: 'a b', right: 'é' });
  assert.deepEqual(ask('GET', '/pairs/a%2Fb/x/y').body, { left: 'a/b', right: 'y' });
  assert.deepEqual(codeOf(ask('GET', '/competitions/x')), [400, 'invalid_parameter']);
  assert.deepEqual(codeOf(ask('GET', '/competitions/-1')), [400, 'invalid_parameter']);
  assert.deepEqual(codeOf(ask('GET', '/pairs/%zz/x/y')), [400, 'invalid_parameter']);
  for (const path of ['/pairs//x/y', '/pairs/a/x', '/pairs/a/x/y/z', '/competitions/', '/competitions']) {
    assert.deepEqual(codeOf(ask('GET', path)), [404, 'not_found'], path);
  }
});

test('paths are compared as sent', () => {
  for (const path of ['/order/', '//order', '/Order', '/%6frder', '', '/', 'order', '/competitions/{id}/', '/__proto__']) {
    assert.deepEqual(codeOf(ask('GET', path)), [404, 'not_found'], path);
  }
  assert.deepEqual(codeOf(ask('GET', '/competitions/{id}')), [400, 'invalid_parameter']);
});

test('HEAD is served as GET; other unsupported methods are 405 with Allow', () => {
  assert.equal(ask('HEAD', '/order').body, 'get');
  assert.equal(ask('PUT', '/order').body, 'put');
  for (const method of ['POST', 'DELETE', 'PATCH', 'get', 'TRACE']) {
    const sent = ask(method, '/order', '{}');
    assert.deepEqual(codeOf(sent), [405, 'method_not_allowed'], method);
    assert.equal(sent.headers['allow'], 'GET, PUT, HEAD, OPTIONS');
  }
});

test('an unknown path with a body is unsupported_endpoint only for writes', () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    assert.deepEqual(codeOf(ask(method, '/none', '{}')), [400, 'unsupported_endpoint']);
    assert.deepEqual(codeOf(ask(method, '/none')), [404, 'not_found']);
  }
  for (const method of ['GET', 'HEAD', 'PATCH']) assert.deepEqual(codeOf(ask(method, '/none', '{}')), [404, 'not_found']);
});

test('an error of an api route carries both error shapes', () => {
  assert.deepEqual(ask('POST', '/limit_iv', '{}').body, {
    success: false, data: null, error: 'missing_field', message: 'Missing required field: iv',
  });
  assert.deepEqual(codeOf(ask('POST', '/limit_iv')), [400, 'invalid_request']);
  assert.equal(ask('POST', '/limit_iv', '{"iv":0.5}').body, 'iv');
});

test('the body is read before the query, and the first class of failure in either wins', () => {
  const signature = `0x${'00'.repeat(65)}`;
  const bodies: [string | null, string][] = [
    [null, 'invalid_request'], ['{', 'invalid_json'], ['{}', 'missing_field'], ['{"currency":1}', 'missing_field'],
    [`{"currency":1,"signature":"${signature}"}`, 'invalid_parameter'], ['{"currency":"BTC","signature":"0x"}', 'invalid_wallet'],
    [`{"currency":"BTC","signature":"${signature}"}`, 'invalid_wallet'],
  ];
  for (const [body, code] of bodies) assert.deepEqual(codeOf(ask('POST', '/mmp/1?wallet=zz', body)), [400, code], String(body));
  assert.deepEqual(codeOf(ask('POST', '/mmp/x?wallet=%zz', '{}')), [400, 'missing_field']);
  assert.deepEqual(codeOf(ask('POST', '/mmp/1', '{"currency":"BTC","signature":"0x"}')), [400, 'signature_verification_failed']);
});

test('two routes with the same method and path are refused', () => {
  const twice = route({ ...row, method: 'GET', path: '/a/{b}', handler: answer('') });
  assert.throws(() => createRouter([twice, twice]), /two routes GET \/a\/\{b\}/);
});

test('error bodies may have extra keys; a 503 has retry_after_secs in its body, and no Retry-After header', () => {
  assert.equal(
    errorBody('bare', 'rate_limit_exceeded', 'Rate limit exceeded: 60 per minute', { retry_after_secs: 7, limit: 60 }),
    '{"error":"rate_limit_exceeded","message":"Rate limit exceeded: 60 per minute","retry_after_secs":7,"limit":60}',
  );
  const sent: unknown[] = [];
  const responder: Responder = { aborted: false, send: (status, body, headers) => {
    sent.push([status, headers?.['Retry-After'], (JSON.parse(String(body)) as { retry_after_secs?: number }).retry_after_secs]);
  } };
  sendError(responder, 'bare', 'not_ready', 'Recovering');
  sendError(responder, 'bare', 'engine_busy', 'Full', { headers: { 'X-RateLimit-Limit': '5' } });
  sendError(responder, 'bare', 'margin_unavailable', 'No index price');
  sendError(responder, 'bare', 'conflict', 'Taken');
  assert.deepEqual(sent, [[503, undefined, 1], [503, undefined, 1], [503, undefined, 1], [409, undefined, undefined]]);
});
