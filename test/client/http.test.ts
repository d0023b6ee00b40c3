// The client's HTTP against a server that misbehaves on purpose: what is sent again and with which bytes, what is reported of an answer,
// and which error a caller gets.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AnswerFacts } from '../../client/src/retries.ts';
import { CLIENT_CODES, StrikebookError, VENUE_CODES, type ErrorCode } from '../../client/src/strikebook-error.ts';
import { Http, type HttpOptions, type Request } from '../../client/src/http.ts';
import { connect, createPrivateKey, privateKeySigner } from '../../client/src/main.ts';

type Seen = { readonly method: string; readonly url: string; readonly body: string };
type Act = (response: ServerResponse, request: IncomingMessage) => void;

const WRITE: Request<{ ok: boolean }> = { method: 'POST', path: '/order', body: '{"size":"1.0","signature":"0xab"}' };
const READ: Request<unknown> = { method: 'GET', path: '/orders?wallet=0x1' };

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Act => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === null ? '' : JSON.stringify(body));
};
const cut: Act = (response) => { response.destroy(); };
const silent: Act = () => undefined;
const fine = answer(200, { ok: true });

/** A server that does one act after the other, the last one for ever. */
async function serve(t: TestContext, acts: readonly Act[], options: HttpOptions = {}): Promise<{ http: Http; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => {
      seen.push({ method: request.method!, url: request.url!, body });
      acts[Math.min(seen.length, acts.length) - 1]!(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { http: new Http(`http://127.0.0.1:${port}/`, { timeoutMs: 5_000, ...options }), seen };
}

async function failure(call: Promise<unknown>): Promise<StrikebookError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof StrikebookError, String(error));
    return error;
  }
  return assert.fail('the call did not fail');
}

test('after a lost answer, a timeout and a busy venue the same bytes are sent again', async (t) => {
  const busy = answer(503, { error: 'engine_busy', message: 'Busy' });
  const facts: AnswerFacts[] = [];
  const { http, seen } = await serve(t, [cut, silent, busy, answer(200, { ok: true }, { 'Idempotent-Replay': 'true' })], {
    timeoutMs: 1_000, onAnswer: (one) => facts.push(one),
  });
  assert.deepEqual(await http.send(WRITE), { ok: true });
  assert.deepEqual(seen, Array.from({ length: 4 }, () => ({ method: 'POST', url: '/order', body: WRITE.body })));
  assert.deepEqual(facts.map(({ status, isReplay, attempts }) => ({ status, isReplay, attempts })), [
    { status: 503, isReplay: false, attempts: 3 }, { status: 200, isReplay: true, attempts: 4 },
  ]);
});

test('a request answered 505 because its head arrived in two pieces is sent again: it has not acted', async (t) => {
  const page: Act = (response) => { response.writeHead(505, { connection: 'close' }).end('<h1>HTTP Version Not Supported</h1>'); };
  const { http, seen } = await serve(t, [page, fine]);
  assert.deepEqual(await http.send(WRITE), { ok: true });
  assert.deepEqual(seen.map(({ body }) => body), [WRITE.body, WRITE.body]);
  const never = await serve(t, [page], { retries: 1 });
  const { code, status } = await failure(never.http.send(READ));
  assert.deepEqual([code, status, never.seen.length], ['no_answer', 505, 2]);
});

test('an error without a code is from a proxy that lost the venue: the request is sent again', async (t) => {
  const page = (status: number, text: string): Act => (response) => { response.writeHead(status).end(text); };
  const acts = [page(502, '<h1>Bad Gateway</h1>'), page(504, ''), answer(503, null), answer(500, { message: 'Internal server error' })];
  const { http, seen } = await serve(t, [...acts, answer(200, { ok: true }, { 'Idempotent-Replay': 'true' })]);
  assert.deepEqual(await http.send(WRITE), { ok: true });
  assert.deepEqual(seen.map(({ body }) => body), Array.from({ length: 5 }, () => WRITE.body));
  for (const act of acts.slice(0, 2)) {
    const never = await serve(t, [act], { retries: 1 });
    const { code, status } = await failure(never.http.send(WRITE));
    assert.deepEqual([code, status >= 502, never.seen.length], ['no_answer', true, 2]);
  }
});

test('a write that was not durable in time is sent again, and a read is not', async (t) => {
  const late = answer(500, { error: 'internal_error', message: 'late' });
  const write = await serve(t, [late, fine]);
  assert.deepEqual(await write.http.send(WRITE), { ok: true });
  const read = await serve(t, [late, fine]);
  assert.equal((await failure(read.http.send(READ))).code, 'internal_error');
  assert.equal(read.seen.length, 1);
});

test('once an attempt may have acted, a later refusal does not say that nothing has', async (t) => {
  const untold: readonly [status: number, error: string | undefined][] = [
    [503, 'engine_busy'], [503, 'not_ready'], [429, 'rate_limit_exceeded'], [401, 'unauthorized'], [408, 'request_timeout'],
    [403, undefined],
  ];
  for (const [status, error] of untold) {
    const { http, seen } = await serve(t, [cut, answer(status, { error, message: 'told' })], { retries: 1 });
    const { code, message, cause } = await failure(http.send(WRITE));
    assert.deepEqual([code, (cause as StrikebookError).status, seen.length], ['no_answer', status, 2], error);
    assert.match(message, /; the last attempt: POST \/order: told/, error);
  }
  const acts = [answer(500, { error: 'internal_error', message: 'late' }), answer(503, { error: 'engine_busy' })];
  const late = await serve(t, acts, { retries: 1 });
  assert.equal((await failure(late.http.send(WRITE))).code, 'internal_error');
  // What is wrong with the request itself was wrong the first time.
  const wrong = await serve(t, [cut, answer(400, { error: 'limit_exceeded', message: 'told' })]);
  assert.equal((await failure(wrong.http.send(WRITE))).code, 'limit_exceeded');
  const read = await serve(t, [cut, answer(429, { error: 'rate_limit_exceeded', message: 'told' })]);
  assert.equal((await failure(read.http.send(READ))).code, 'rate_limit_exceeded');
});

test('a refusal by the venue is final, with its code, status and whole body', async (t) => {
  const body = { error: 'rate_limit_exceeded', message: 'Rate limit exceeded: 60 per minute', retry_after_secs: 12, limit: 60 };
  const { http, seen } = await serve(t, [answer(429, body, { 'Retry-After': '12' })]);
  const error = await failure(http.send(WRITE));
  assert.deepEqual([error.code, error.status, error.details], ['rate_limit_exceeded', 429, body]);
  assert.match(error.message, /POST \/order: Rate limit exceeded: 60 per minute/);
  assert.equal(seen.length, 1);
});

test('when retries run out the error is the last one, and Retry-After was waited for', async (t) => {
  const { http, seen } = await serve(t, [answer(503, { error: 'not_ready', message: 'replaying' }, { 'Retry-After': '1' })]);
  const before = performance.now();
  const error = await failure(http.send(READ, { retries: 1 }));
  assert.deepEqual([error.code, error.status, seen.length], ['not_ready', 503, 2]);
  assert.ok(performance.now() - before >= 990);
});

test('infinite times are limited to what a timer accepts, instead of firing at once', async (t) => {
  const busy = answer(503, { error: 'engine_busy', message: 'Busy' }, { 'Retry-After': '9999999' });
  const { http, seen } = await serve(t, [(response, request) => void setTimeout(() => fine(response, request), 50), busy]);
  assert.deepEqual(await http.send(WRITE, { timeoutMs: Infinity, retries: 0 }), { ok: true });
  const [caller, timers] = [new AbortController(), t.mock.method(globalThis, 'setTimeout')];
  const onAnswer = (): void => void setImmediate(() => caller.abort());
  assert.equal((await failure(http.send(WRITE, { signal: caller.signal, onAnswer }))).code, 'aborted');
  assert.ok(timers.mock.calls.every(({ arguments: [, ms = 0] }) => ms < 2 ** 31), 'a timer that runs at once');
  assert.equal(seen.length, 2);
});

test('a caller can abort a call while it waits for an answer or for its next attempt', async (t) => {
  const [first, second] = [new AbortController(), new AbortController()];
  const busy = answer(503, { error: 'engine_busy', message: 'Busy' }, { 'Retry-After': '60' });
  const { http, seen } = await serve(t, [() => first.abort(new Error('enough')), busy]);
  const { code, cause } = await failure(http.send(WRITE, { signal: first.signal }));
  assert.deepEqual([code, String(cause)], ['aborted', 'Error: enough']);
  assert.equal(seen.length, 1);
  // In the turn after the answer, when the next attempt is waited for.
  const onAnswer = (): void => void setImmediate(() => second.abort());
  assert.equal((await failure(http.send(WRITE, { signal: second.signal, onAnswer }))).code, 'aborted');
  assert.equal((await failure(http.send(WRITE, { signal: AbortSignal.abort() }))).code, 'aborted');
  assert.equal(seen.length, 2);
});

test('a finished call leaves no listener on its caller\'s signal', async () => {
  const caller = new AbortController();
  const given: AbortSignal[] = [];
  const http = new Http('http://venue.example', {
    fetch: (_, init) => {
      given.push(init!.signal!);
      return Promise.resolve(Response.json({}));
    },
  });
  await http.send(READ, { signal: caller.signal });
  assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
  caller.abort();
  assert.deepEqual(given.map(({ aborted }) => aborted), [false]);
});

test('no answer, an answer that is not JSON, an error without a code, and an empty 200 are told apart', async (t) => {
  const nobody = await failure(new Http('http://127.0.0.1:9', { retries: 0 }).send(READ));
  assert.equal(nobody.code, 'no_answer');
  const page: Act = (response) => { response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>'); };
  const { http } = await serve(t, [page, answer(404, { detail: 'none' }), answer(200, null)]);
  const [first, second] = [await failure(http.send(READ)), await failure(http.send(READ))];
  assert.deepEqual([first.code, first.status, first.details], ['bad_answer', 403, '<h1>Forbidden</h1>']);
  assert.deepEqual([second.code, second.status, second.details], ['bad_answer', 404, { detail: 'none' }]);
  assert.equal(await http.send(READ), null);
});

test('onAnswer has the rate-limit headers of an answer, or null without them', async (t) => {
  const limited = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '59', 'X-RateLimit-Reset': '1795301460' };
  const { http } = await serve(t, [answer(200, {}, limited), fine]);
  const facts: AnswerFacts[] = [];
  const call = { onAnswer: (one: AnswerFacts) => facts.push(one) };
  await http.send(READ, call);
  await http.send(READ, call);
  assert.deepEqual(facts, [
    { status: 200, isReplay: false, limit: 60, remaining: 59, reset: 1_795_301_460, seq: null, attempts: 1 },
    { status: 200, isReplay: false, limit: null, remaining: null, reset: null, seq: null, attempts: 1 },
  ]);
});

test('a caller can add headers and replace fetch', async (t) => {
  const got: (string | undefined)[] = [];
  const { http } = await serve(t, [(response, request) => {
    got.push(request.headers['x-proxy'] as string, request.headers['content-type'], request.headers.accept);
    fine(response, request);
  }], { headers: { 'x-proxy': 'a' } });
  await http.send(WRITE);
  assert.deepEqual(got, ['a', 'application/json', 'application/json']);
  const own = new Http('http://venue.example', { fetch: (url) => Promise.resolve(Response.json({ url })) });
  assert.deepEqual(await own.send(READ), { url: 'http://venue.example/orders?wallet=0x1' });
});

test('an answer from something else than a venue is bad_answer, with a signer and without', async (t) => {
  const bodies = [null, {}, [], 'text', { signing_domain: null }, { signing_domain: { name: 'Strikebook' } }];
  const { http } = await serve(t, bodies.flatMap((body) => [answer(200, body), answer(200, body)]));
  const signer = privateKeySigner(createPrivateKey());
  for (const body of bodies) {
    for (const options of [{ signer }, {}]) {
      const error = await failure(connect(http.url, options));
      assert.deepEqual([error.code, error.status, error.details], ['bad_answer', 200, body]);
    }
  }
});

test('no error code of the client equals one of the venue', () => {
  const codes: readonly ErrorCode[] = [...VENUE_CODES, ...CLIENT_CODES];
  assert.equal(new Set(codes).size, codes.length);
});
