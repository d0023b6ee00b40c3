// Streamed answers of a real server: complete for a client that reads, at most one part ahead of one that does not. They end when the
// client leaves or stalls, for HEAD, and when the service cuts them or stops.

import { once } from 'node:events';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOUNDS } from '../../../../shell/http/limits.ts';
import { openEdge, type Edge, type EdgeOptions } from '../../../../shell/http/server/edge.ts';
import type { StreamedAnswer } from '../../../../shell/http/message.ts';

const PART = 'x'.repeat(100_000);

type Told = { edge: Edge; written: () => number; over: () => number; streams: StreamedAnswer[] };

/** Streams `parts` parts at any path; none ends by itself at `/open`. */
function open(t: TestContext, parts: number, options: Partial<EdgeOptions> = {}): Told {
  let written = 0;
  let over = 0;
  const streams: StreamedAnswer[] = [];
  const edge = openEdge({
    host: '127.0.0.1', port: 0, trustProxy: false, cors: '*', onFault: (_, error) => assert.fail(String(error)),
    route: ({ path }, responder) => {
      const stream = responder.begin!(200, { 'content-type': 'text/csv' }, () => over++);
      streams.push(stream);
      const next = (left: number): void => {
        if (stream.isOver) return;
        if (left === 0) return path === '/open' ? undefined : stream.end();
        written++;
        stream.write(PART, () => next(left - 1));
      };
      next(parts);
    },
    sockets: {
      path: '/ws', admit: () => null, open: () => ({ message: () => undefined, close: () => undefined }), errorFrame: () => '',
    },
    ...options,
  });
  t.after(() => edge.close());
  return { edge, written: () => written, over: () => over, streams };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !holds(); await sleep(5)) assert.ok(performance.now() < end, what);
}

function requestOf(method: string, path: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** A socket that has asked and does not read. */
async function ask(edge: Edge, path: string, method = 'GET'): Promise<net.Socket> {
  const socket = net.connect({ port: edge.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(requestOf(method, path));
  return socket;
}

test('a client that reads gets every part, with the headers of any answer', async (t) => {
  const told = open(t, 50);
  const response = await fetch(`http://127.0.0.1:${told.edge.port}/`);
  assert.equal(response.headers.get('content-type'), 'text/csv');
  assert.ok(response.headers.get('x-request-id') !== null);
  assert.equal(await response.text(), PART.repeat(50));
  assert.deepEqual([told.written(), told.over()], [50, 1]);
});

test('a stream that only ends is an answer without a body; HEAD gets only the headers', async (t) => {
  const told = open(t, 0);
  const answer = await fetch(`http://127.0.0.1:${told.edge.port}/`);
  assert.deepEqual([answer.status, await answer.text()], [200, '']);
  const head = await fetch(`http://127.0.0.1:${told.edge.port}/`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-type'), await head.text()], [200, 'text/csv', '']);
  for (const name of ['content-length', 'transfer-encoding']) assert.equal(head.headers.get(name), null, name);
  assert.equal(told.over(), 2);
  // On the bare wire: the answer to the second request follows the first one's head at once.
  const socket = await ask(told.edge, '/', 'HEAD');
  let wire = '';
  socket.on('data', (data) => { wire += data.toString(); });
  socket.resume();
  socket.write(requestOf('GET', '/'));
  await until('both are answered', () => wire.split('HTTP/1.1 200').length === 3);
  assert.match(wire, /^HTTP\/1\.1 200 OK\r\n([^\r]+\r\n)+\r\nHTTP\/1\.1 200 OK\r\n/);
  socket.destroy();
});

test('a client that does not read stops production of parts; when it leaves the stream is over', async (t) => {
  const told = open(t, 5_000);
  const socket = await ask(told.edge, '/');
  await until('parts are written', () => told.written() > 0);
  let last = -1;
  for (; told.written() !== last; await sleep(300)) last = told.written();
  assert.ok(last < 300, `${last} parts of 5,000 were made for a client that takes none`);
  assert.equal(told.over(), 0);
  socket.destroy();
  await until('it is over', () => told.over() === 1);
  assert.equal(told.streams[0]!.isOver, true);
  assert.ok(told.written() <= last + 1);
});

test('a stalled client is cut off after a while, and all clients when the server closes', async (t) => {
  const still = open(t, 5_000, { bounds: { ...BOUNDS, tickMs: 20 } });
  const socket = await ask(still.edge, '/');
  await until('it is over', () => still.over() === 1);
  socket.destroy();
  const closing = open(t, 1);
  const waiting = await ask(closing.edge, '/open');
  waiting.resume();
  const closed = once(waiting, 'close');
  await until('a part is written', () => closing.written() === 1);
  closing.edge.close();
  await closed;
  assert.equal(closing.over(), 1);
});

test('a client sees that a cut answer is incomplete', async (t) => {
  const told = open(t, 3);
  const answer = await fetch(`http://127.0.0.1:${told.edge.port}/open`);
  await until('its parts are written', () => told.written() === 3);
  told.streams[0]!.cut();
  await assert.rejects(answer.text());
  assert.equal(told.over(), 1);
});

/** An address of this machine that is not loopback. */
const own = Object.values(networkInterfaces()).flat().find((address) => address?.family === 'IPv4' && !address.internal)?.address;

test('when connections are scarce, a streamed answer still ends normally', {
  skip: own === undefined && 'this machine has no address but loopback',
}, async (t) => {
  const { edge } = open(t, 3, { host: own!, bounds: { ...BOUNDS, connections: 5 } });
  const idle = [1, 2].map(() => net.connect(edge.port, own!));
  await until('the connections are open', () => edge.connections() === 2);
  const answer = await fetch(`http://${own!}:${edge.port}/`);
  assert.equal(await answer.text(), PART.repeat(3));
  for (const socket of idle) socket.destroy();
});
