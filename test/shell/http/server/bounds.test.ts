// Every bound of the HTTP server is answered by name, and nothing stays held afterwards.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { freePort } from '../../../../scripts/venue-process.ts';
import { exchange, openVenue, requestText, until, type Venue } from './client.ts';

async function withVenue(options: Parameters<typeof openVenue>[0], run: (venue: Venue, port: number) => Promise<void>): Promise<void> {
  const venue = openVenue(options);
  try {
    await run(venue, venue.edge.port);
  } finally {
    venue.edge.close();
  }
}

function codeOf(seen: Awaited<ReturnType<typeof exchange>>): [number, string] {
  const answer = seen.answers[0]!;
  return [answer.status, JSON.parse(answer.body).error];
}

test('too many requests in flight: 503 engine_busy without Retry-After, until some end', async () => {
  await withVenue({ bounds: { requests: 3 } }, async (venue, port) => {
    const waiting = [1, 2, 3].map(() => exchange(port, [requestText('GET', '/never')], 1));
    await until(() => venue.late.length === 3);
    const refused = await exchange(port, [requestText('GET', '/orders')], 1);
    assert.deepEqual(codeOf(refused), [503, 'engine_busy']);
    assert.equal(refused.answers[0]!.headers['retry-after'], undefined);
    assert.equal(JSON.parse(refused.answers[0]!.body).retry_after_secs, 1);
    for (const responder of venue.late) responder.send(200, '{}');
    for (const seen of await Promise.all(waiting)) assert.equal(seen.answers[0]!.status, 200);
    assert.equal((await exchange(port, [requestText('GET', '/orders')], 1)).answers[0]!.status, 200);
    assert.equal(venue.edge.counts.requests, 0);
  });
});

test('a connection beyond the bound is closed and counted; when others leave, sockets too, there is room again', async () => {
  await withVenue({ bounds: { connections: 2 } }, async ({ edge }, port) => {
    const idle = net.connect(port, '127.0.0.1');
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    await new Promise((resolve) => { socket.onopen = resolve; });
    await until(() => edge.connections() === 2);
    assert.deepEqual(await exchange(port, [], 1), { answers: [], isClosed: true });
    assert.deepEqual([edge.refused(), edge.connections()], [1, 2]);
    socket.close();
    await until(() => edge.connections() === 1);
    assert.equal((await exchange(port, [requestText('GET', '/orders')], 1)).answers[0]!.status, 200);
    idle.destroy();
    await until(() => edge.connections() === 0);
    assert.equal(edge.refused(), 1);
  });
});

test('too many bytes of arriving bodies: 503 engine_busy', async () => {
  await withVenue({ bounds: { bodyMemoryBytes: 1_000, loopbackPart: 1 } }, async (venue, port) => {
    const slow = net.connect(port, '127.0.0.1');
    slow.write(requestText('POST', '/length', 'x'.repeat(900)).slice(0, -10));
    await until(() => venue.edge.counts.bodyBytes === 890);
    assert.deepEqual(codeOf(await exchange(port, [requestText('POST', '/length', 'x'.repeat(200))], 1)), [503, 'engine_busy']);
    slow.destroy();
    await until(() => venue.edge.counts.bodyBytes === 0);
    assert.equal((await exchange(port, [requestText('POST', '/length', 'x'.repeat(200))], 1)).answers[0]!.body, '200');
  });
});

test('too many requests in flight from one source: 429 with the limit until they end; others are served', async () => {
  await withVenue({ bounds: { requests: 4, sourcePart: 1 / 2 }, trustProxy: true }, async (venue, port) => {
    const from = (network: string) => `X-Forwarded-For: ${network}\r\n`;
    const slow = [1, 2].map(() => net.connect(port, '127.0.0.1').on('error', () => undefined));
    for (const socket of slow) socket.write(requestText('POST', '/length', 'x'.repeat(9), from('203.0.113.1')).slice(0, -1));
    await until(() => venue.edge.counts.requests === 2);
    const refused = await exchange(port, [requestText('GET', '/orders', '', from('203.0.113.1'))], 1);
    assert.deepEqual(codeOf(refused), [429, 'rate_limit_exceeded']);
    const { headers, body } = refused.answers[0]!;
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['retry-after']], ['2', '0', '1']);
    assert.deepEqual([JSON.parse(body).limit, JSON.parse(body).retry_after_secs], [2, 1]);
    assert.equal((await exchange(port, [requestText('GET', '/orders', '', from('203.0.113.2'))], 1)).answers[0]!.status, 200);
    for (const socket of slow) socket.destroy();
    await until(() => venue.edge.counts.requests === 0);
    assert.equal((await exchange(port, [requestText('GET', '/orders', '', from('203.0.113.1'))], 1)).answers[0]!.status, 200);
  });
});

test('too many body bytes from one source: 429, and a body from another is accepted', async () => {
  await withVenue({ bounds: { bodyMemoryBytes: 1_000, sourcePart: 1 / 2 }, trustProxy: true }, async (venue, port) => {
    const post = (network: string, bytes: number) =>
      requestText('POST', '/length', 'x'.repeat(bytes), `X-Forwarded-For: ${network}\r\n`);
    const slow = net.connect(port, '127.0.0.1');
    slow.write(post('203.0.113.1', 410).slice(0, -10));
    await until(() => venue.edge.counts.bodyBytes === 400);
    assert.deepEqual(codeOf(await exchange(port, [post('203.0.113.1', 200)], 1)), [429, 'rate_limit_exceeded']);
    assert.equal((await exchange(port, [post('203.0.113.2', 200)], 1)).answers[0]!.body, '200');
    slow.destroy();
    await until(() => venue.edge.counts.bodyBytes === 0);
    assert.equal((await exchange(port, [post('203.0.113.1', 200)], 1)).answers[0]!.body, '200');
  });
});

/** An open connection from `from` that says nothing, or null when it was closed at once. */
async function idleFrom(venue: Venue, port: number, from: string): Promise<net.Socket | null> {
  const [open, refused] = [venue.edge.connections(), venue.edge.refused()];
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => undefined);
  await until(() => venue.edge.connections() > open || venue.edge.refused() > refused);
  return venue.edge.refused() > refused ? null : socket;
}

test('scarce connections: each source gets its share; behind a proxy all are one source', async () => {
  const bounds = { connections: 60, loopbackPart: 1 / 2 };
  await withVenue({ bounds }, async (venue, port) => {
    for (let i = 0; i < 30; i++) assert.notEqual(await idleFrom(venue, port, '127.0.0.1'), null);
    assert.equal(await idleFrom(venue, port, '127.0.0.1'), null);
    assert.notEqual(await idleFrom(venue, port, '127.0.0.2'), null);
    assert.deepEqual([venue.edge.connections(), venue.edge.refused()], [31, 1]);
  });
  await withVenue({ bounds, trustProxy: true }, async (venue, port) => {
    for (let i = 0; i < 60; i++) assert.notEqual(await idleFrom(venue, port, '127.0.0.1'), null);
  });
});

test('a body that does not arrive is 408 and closes the connection; a slow body is served', async () => {
  await withVenue({ bounds: { tickMs: 20, stallTicks: 5, stallBytes: 100 } }, async (venue, port) => {
    const seen = await exchange(port, [requestText('POST', '/length', 'x'.repeat(50)).slice(0, -1)], 2);
    assert.deepEqual([...codeOf(seen), seen.isClosed], [408, 'request_timeout', true]);
    assert.equal(venue.edge.counts.requests, 0);
    // 40 pieces of 1,000 bytes cover several windows, and each window brings more than 100 bytes.
    const socket = net.connect(port, '127.0.0.1');
    socket.write('POST /length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40000\r\n\r\n');
    for (let i = 0; i < 40; i++) {
      socket.write('x'.repeat(1_000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 200 [^]*40000$/);
  });
});

test('a request that is never answered gets 500 and is reported as a fault', async () => {
  await withVenue({ bounds: { tickMs: 10, answerTicks: 3 } }, async (venue, port) => {
    assert.deepEqual(codeOf(await exchange(port, [requestText('GET', '/never')], 1)), [500, 'internal_error']);
    assert.equal(venue.faults.length, 1);
    venue.late[0]!.send(200, 'too late');
    assert.equal(venue.edge.counts.requests, 0);
  });
});

test('a fault observer that throws does not prevent the answer', async () => {
  await withVenue({ onFault: () => { throw new Error('observer'); } }, async (_, port) => {
    assert.deepEqual(codeOf(await exchange(port, [requestText('GET', '/throws')], 1)), [500, 'internal_error']);
  });
});

test('with TRUST_PROXY the last entry of the last X-Forwarded-For line is the source', async () => {
  await withVenue({ trustProxy: true }, async (_, port) => {
    const seenOf = async (headers: string) => {
      const seen = await exchange(port, [requestText('GET', '/echo', '', headers)], 1);
      return JSON.parse(seen.answers[0]!.body).source as { network: string; loopback: boolean };
    };
    const sourceOf = async (headers: string) => (await seenOf(headers)).network;
    assert.equal(await sourceOf(''), '127.0.0.1');
    for (const unusable of ['', 'unknown', '8.8.8.8,']) {
      const { network, loopback } = await seenOf(`X-Forwarded-For: ${unusable}\r\n`);
      assert.deepEqual([network, loopback], ['unknown', false], unusable);
    }
    assert.equal(await sourceOf('X-Forwarded-For: 1.1.1.1, 2.2.2.2\r\n'), '2.2.2.2');
    assert.equal(await sourceOf('X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 3.3.3.3\r\n'), '3.3.3.3');
  });
});

test('CORS can name one origin or be off', async () => {
  await withVenue({ cors: 'https://app.example' }, async (_, port) => {
    const { headers } = (await exchange(port, [requestText('GET', '/orders')], 1)).answers[0]!;
    assert.deepEqual([headers['access-control-allow-origin'], headers['vary']], ['https://app.example', 'Origin']);
  });
  await withVenue({ cors: null }, async (_, port) => {
    const { headers } = (await exchange(port, [requestText('OPTIONS', '/orders')], 1)).answers[0]!;
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['access-control-allow-methods'], undefined);
  });
});

test('close() answers open requests, may be called twice, and frees the port', async () => {
  const port = await freePort();
  const venue = openVenue({ port });
  const waiting = exchange(venue.edge.port, [requestText('GET', '/never')], 1);
  await until(() => venue.late.length === 1);
  venue.edge.close();
  venue.edge.close();
  assert.deepEqual(codeOf(await waiting), [500, 'internal_error']);
  assert.equal(venue.late[0]!.aborted, false);
  venue.late[0]!.send(200, 'after the close');
  const again = openVenue({ port });
  assert.equal((await exchange(again.edge.port, [requestText('GET', '/orders')], 1)).answers[0]!.status, 200);
  again.edge.close();
});

test('listening on an address of another machine fails', () => {
  assert.throws(() => openVenue({ host: '192.0.2.1', port: 9 }), /cannot listen on 192\.0\.2\.1:9/);
});
