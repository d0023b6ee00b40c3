// Requests whose end or origin can be read in two ways, on the bare wire: at most one refusal, then the connection ends. Nothing behind
// them is read, be it an order or a request that would pass for one of the proxy's machine.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { exchange, openVenue, requestText } from './client.ts';

const ORDER = JSON.stringify({ wallet: `0x${'ab'.repeat(20)}`, size: '1', nonce: 1 });
const HIDDEN = requestText('POST', '/order', ORDER);
/** What a proxy that believes in `TE: chunked` would pass on of it, as if it came from its own machine. */
const LOOPBACK = requestText('GET', '/echo', '', 'X-Forwarded-For: 127.0.0.1\r\n');

type Acted = { readonly method: string; readonly status: number };

function open(t: TestContext, trustProxy = false): { port: number; acted: Acted[] } {
  const acted: Acted[] = [];
  const venue = openVenue({ trustProxy, onAnswer: ({ method, status }) => acted.push({ method, status }) });
  t.after(() => venue.edge.close());
  return { port: venue.edge.port, acted };
}

/** Sends the pieces; the statuses that came until the connection ended, which it has to. */
async function statusesOf(port: number, pieces: readonly string[]): Promise<number[]> {
  const { answers, isClosed } = await exchange(port, pieces, 99);
  assert.equal(isClosed, true, JSON.stringify(pieces));
  return answers.map(({ status }) => status);
}

/** How the parser refuses what it takes for a broken chunk or head. */
const isOfTheParser = (status: number): boolean => status === 400 || status === 505;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const head = (lines: string, line = 'POST /order'): string => `${line} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;
const CHUNK = `${ORDER.length.toString(16)}\r\n${ORDER}\r\n`;

test('a chunked order is 411 and has no effect, whole or in pieces, with extensions and trailers', async (t) => {
  const { port, acted } = open(t);
  for (const body of [
    `${CHUNK}0\r\n\r\n`, `${ORDER.length.toString(16)};a=b\r\n${ORDER}\r\n0\r\n\r\n`, `${CHUNK}0\r\nA: b\r\n\r\n`,
    `${CHUNK}0\r\n${HIDDEN}\r\n`, '0\r\n\r\n', '',
  ]) {
    for (const pieces of [[head(CHUNKED) + body], [head(CHUNKED), body], [head(CHUNKED), ...body]]) {
      acted.length = 0;
      const [first, ...more] = await statusesOf(port, pieces.filter((piece) => piece !== ''));
      assert.equal(first, 411, body);
      assert.ok(more.every(isOfTheParser), body);
      assert.deepEqual(acted, [{ method: 'POST', status: 411 }], body);
    }
  }
});

test('after a chunked request nothing is read: no junk, bare line feed or bytes after the last chunk', async (t) => {
  const { port, acted } = open(t);
  for (const body of [
    `${CHUNK}0\r\n\r\n`, `${CHUNK}junk\r\n`, `${CHUNK}0\n\n`, `${ORDER.length.toString(16)}\n${ORDER}\n0\n\n`, '0\r\n', '0\r\nX',
    `${CHUNK}0\r\nA: b\r\n\r\n`, 'zz\r\n', '-1\r\n', 'ffffffffffffffff\r\n', '\r\n', ' 0\r\n\r\n', '0x0\r\n\r\n', '',
  ]) {
    for (const line of ['POST /order', 'GET /orders', 'DELETE /order', 'OPTIONS /order', 'GET /ws']) {
      acted.length = 0;
      const [first, ...more] = await statusesOf(port, [head(CHUNKED, line) + body + HIDDEN + HIDDEN]);
      assert.equal(first, 411, line + body);
      assert.ok(more.every(isOfTheParser), line + body);
      assert.deepEqual(acted.map(({ status }) => status), [411], line + body);
    }
  }
});

const CODINGS = [
  'Transfer-Encoding: Chunked\r\n', 'transfer-encoding: CHUNKED\r\n', 'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: chunked, identity\r\n', 'Transfer-Encoding: gzip\r\n', 'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding: identity\r\n', 'Transfer-Encoding:\tchunked\r\n', 'Transfer-Encoding:chunked\r\n', 'Transfer-Encoding: \r\n',
  'Transfer-Encoding: "chunked"\r\n', 'Transfer-Encoding: chunked\t\r\n', `${CHUNKED}Transfer-Encoding: identity\r\n`,
  `Transfer-Encoding: identity\r\n${CHUNKED}`,
];
/** What the parser itself refuses, or reads no further than: it gives no answer then, and ends the connection for its silence. */
const CODINGS_OF_NO_HEAD = [
  'Transfer-Encoding : chunked\r\n', 'Transfer-Encoding\t: chunked\r\n', 'Transfer-Encoding: chunked\r\n , identity\r\n',
  'X: a\r\n Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: chunked\n', 'Transfer-Encoding: \vchunked\r\n',
  `Content-Length: 0\r\n${CHUNKED}`, `${CHUNKED}Content-Length: 0\r\n`,
];

test('every transfer coding is refused, however it is spelled', async (t) => {
  const { port, acted } = open(t);
  for (const lines of CODINGS) {
    for (const line of ['POST /order', 'GET /orders']) {
      acted.length = 0;
      const [first, ...more] = await statusesOf(port, [`${head(lines, line)}0\r\n\r\n${HIDDEN}`]);
      assert.deepEqual([first, more.filter((status) => !isOfTheParser(status))], [411, []], line + lines);
      assert.deepEqual(acted.map(({ status }) => status), [411], line + lines);
    }
  }
});

test('a malformed transfer coding has no effect: the parser answers or not, and the connection ends', async (t) => {
  const { port, acted } = open(t);
  await Promise.all(CODINGS_OF_NO_HEAD.flatMap((lines) => ['POST /order', 'GET /orders'].map(async (line) => {
    const statuses = await statusesOf(port, [`${head(lines, line)}0\r\n\r\n${HIDDEN}`]);
    assert.ok(statuses.every(isOfTheParser), line + lines);
  })));
  assert.deepEqual(acted, []);
});

test('a repeated or non-decimal Content-Length is 400, and nothing behind it is read', async (t) => {
  const { port, acted } = open(t);
  for (const value of [
    '5\r\nContent-Length: 0', '0\r\nContent-Length: 5', '0\r\nContent-Length: 0', '\r\nContent-Length: 5', '', '+5', '-5', '0x5', '5, 5',
    '5 5', '5.0', '1e1', '18446744073709551621', 'five',
  ]) {
    for (const line of ['POST /length', 'GET /orders', 'OPTIONS /orders', 'DELETE /order']) {
      const text = head(`Content-Length: ${value}\r\n`, line);
      acted.length = 0;
      assert.deepEqual(await statusesOf(port, [text]), [400], text);
      assert.deepEqual(await statusesOf(port, [`${text}0\r\n\r\n${HIDDEN}`]), [400], text);
      assert.deepEqual(acted.map(({ status }) => status), [400, 400], text);
    }
  }
  acted.length = 0;
  await Promise.all(['Content-Length : 5\r\n', 'Content-Length: 0\r\n 5\r\n'].map((lines) => statusesOf(port, [head(lines) + HIDDEN])));
  assert.deepEqual(acted, []);
});

test('two Host lines are 400 and end the connection', async (t) => {
  const { port, acted } = open(t);
  for (const hosts of ['Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n', 'Host: \r\nHost: b\r\n']) {
    acted.length = 0;
    const { answers, isClosed } = await exchange(port, [`GET /orders HTTP/1.1\r\n${hosts}\r\n${HIDDEN}`], 2);
    assert.deepEqual([answers.map(({ status }) => status), isClosed], [[400], true]);
    assert.deepEqual(JSON.parse(answers[0]!.body), { error: 'invalid_request', message: 'Host must be told once' });
    assert.deepEqual(acted, [{ method: 'GET', status: 400 }]);
  }
});

test('Connection: close is honoured whatever follows the request: at most the pipelined one is read', async (t) => {
  const { port, acted } = open(t);
  const behind = [HIDDEN, HIDDEN + HIDDEN, 'junk\r\n\r\n', '\r\n', requestText('GET', '/orders', '', 'Connection: keep-alive\r\n')];
  for (const close of ['close', 'Close', 'TE, close', 'keep-alive\r\nConnection: close', 'close\r\nConnection: keep-alive']) {
    for (const first of [
      ['GET', '/orders'], ['POST', '/length', 'abc'], ['POST', '/later', ORDER], ['GET', '/nowhere'], ['HEAD', '/orders'], ['OPTIONS', '/'],
    ].map(([method, path, body]) => requestText(method!, path!, body, `Connection: ${close}\r\n`))) {
      const alone = await exchange(port, [first], 2);
      assert.deepEqual([alone.answers.length <= 1, alone.isClosed], [true, true], first);
      if (!first.startsWith('HEAD')) assert.equal(alone.answers[0]!.headers['connection'], 'close', first);
      for (const more of behind) {
        acted.length = 0;
        for (const pieces of [[first + more], [first, more]]) {
          const { answers, isClosed } = await exchange(port, pieces, 9);
          assert.ok(isClosed && answers.length <= 2, first + more);
        }
        assert.ok(acted.length <= 2 && acted.every(({ method }) => first.startsWith(method)), `${first + more}: ${JSON.stringify(acted)}`);
      }
    }
  }
});

test('behind a proxy no smuggled request passes as loopback', async (t) => {
  const { port, acted } = open(t, true);
  const outside = 'X-Forwarded-For: 203.0.113.7\r\n';
  const length = `${LOOPBACK.length.toString(16)}\r\n`;
  for (const text of [
    `${head(outside + CHUNKED)}0\r\n\r\n${LOOPBACK}`,
    `${head(outside + CHUNKED)}2\r\n{}junk\r\n0\r\n\r\n${LOOPBACK}`,
    `${head(outside + CHUNKED)}0\r\n${LOOPBACK}\r\n`,
    `${head(`${outside}Content-Length: 0\r\n${CHUNKED}`)}${length}${LOOPBACK}\r\n0\r\n\r\n`,
    `${head(`${outside}Content-Length: 0\r\nContent-Length: ${LOOPBACK.length}\r\n`)}${LOOPBACK}`,
    `${head(`${outside}Content-Length: ${LOOPBACK.length}\r\nContent-Length: 0\r\n`)}${LOOPBACK}`,
    `${head(`${outside}Transfer-Encoding: identity\r\n`)}${LOOPBACK}`,
    `${head(`${outside}Connection: close\r\n`, 'GET /orders')}${LOOPBACK}`,
  ]) {
    acted.length = 0;
    const { answers } = await exchange(port, [text], 99);
    assert.doesNotMatch(answers.map(({ body }) => body).join(''), /loopback/, text);
    assert.ok(acted.length <= 1, text);
  }
});
