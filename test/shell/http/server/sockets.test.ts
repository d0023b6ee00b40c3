// The socket endpoint of a real server: upgrade, echo, guarded messages, heartbeat, bounds, close.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import type { Socket, SocketEndpoint } from '../../../../shell/http/server/sockets.ts';
import type { AnswerReport } from '../../../../shell/http/server/edge-state.ts';
import type { EdgeOptions } from '../../../../shell/http/server/edge.ts';
import { LOOPBACK_PART } from '../../../../shell/http/limits.ts';
import { refuse } from '../../../../shell/http/errors.ts';
import { exchange, openVenue, requestText, until, type Venue } from './client.ts';
import { maskedFrame, mute, upgradeHeaders } from './frames.ts';

type Log = { readonly sockets: Socket[]; readonly closed: number[] };

/** Echoes; throws on 'throw', rejects on 'reject'; floods on 'flood'. */
function endpoint(log: Log): SocketEndpoint {
  return {
    path: '/ws',
    admit: (query) => (query === 'refused' ? refuse('rate_limit_exceeded', 'Too many sockets') : null),
    errorFrame: (_, { message }) => JSON.stringify({ type: 'Error', message }),
    open: (socket) => {
      log.sockets.push(socket);
      if (socket.query === 'throws') throw new Error('open');
      if (socket.query === 'leaves') socket.close(4000, 'not you');
      return {
        message: (bytes, isBinary) => {
          const text = Buffer.from(bytes).toString();
          if (text === 'throw') throw new Error('message');
          if (text === 'reject') return Promise.reject(new Error('later'));
          return socket.send(isBinary ? Uint8Array.from(bytes) : text);
        },
        close: (code) => log.closed.push(code),
      };
    },
  };
}

async function withSockets(options: Partial<EdgeOptions>, run: (venue: Venue, log: Log, url: string) => Promise<void>): Promise<void> {
  const log: Log = { sockets: [], closed: [] };
  const venue = openVenue({ sockets: endpoint(log), ...options });
  try {
    await run(venue, log, `ws://127.0.0.1:${venue.edge.port}/ws`);
  } finally {
    venue.edge.close();
  }
}

function opened(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => resolve(socket);
    socket.onerror = () => reject(new Error('not opened'));
  });
}

const nextMessage = (socket: WebSocket) => new Promise<unknown>((resolve) => { socket.onmessage = ({ data }) => resolve(data); });
const closeOf = (socket: WebSocket) => new Promise<[number, string]>((resolve) => {
  socket.onclose = ({ code, reason }) => resolve([code, reason]);
});

test('a socket gets text and binary frames, the query and the source of its upgrade', async () => {
  await withSockets({}, async (venue, log, url) => {
    const client = await opened(`${url}?wallet=0xab&encoding=msgpack`);
    client.send('hello');
    assert.equal(await nextMessage(client), 'hello');
    client.send(Uint8Array.of(1, 2, 255));
    assert.deepEqual(new Uint8Array(await nextMessage(client) as ArrayBuffer), Uint8Array.of(1, 2, 255));
    const socket = log.sockets[0]!;
    assert.deepEqual([socket.id, socket.query, socket.source.network], [1, 'wallet=0xab&encoding=msgpack', '127.0.0.1']);
    assert.deepEqual([venue.edge.counts.sockets, socket.bufferedBytes()], [1, 0]);
    client.close(1000);
    await until(() => log.closed.length === 1);
    assert.deepEqual([socket.send('late'), socket.bufferedBytes(), venue.edge.counts.sockets], ['closed', 0, 0]);
    socket.close(1000, 'twice is harmless');
  });
});

test('a message handler that throws or rejects sends an Error to that client, and all sockets stay open', async () => {
  await withSockets({}, async (venue, _, url) => {
    const [first, second] = [await opened(url), await opened(url)];
    for (const text of ['throw', 'reject']) {
      first.send(text);
      assert.equal(await nextMessage(first), '{"type":"Error","message":"Internal error"}');
    }
    for (const client of [first, second]) {
      client.send('still here');
      assert.equal(await nextMessage(client), 'still here');
    }
    assert.deepEqual(venue.faults.map(({ place }) => place), ['socket message', 'socket message']);
    assert.deepEqual(venue.faults.map(({ error }) => String(error)), ['Error: message', 'Error: later']);
  });
});

test('an endpoint may throw in open, close in open, or refuse the upgrade', async () => {
  await withSockets({}, async (venue, log, url) => {
    assert.deepEqual(await closeOf(await opened(`${url}?throws`)), [1011, 'internal error']);
    assert.deepEqual(await closeOf(await opened(`${url}?leaves`)), [4000, 'not you']);
    assert.deepEqual(log.closed, [1000]);
    const upgrade = upgradeHeaders('dGhlIHNhbXBsZSBub25jZQ==');
    const { answers } = await exchange(venue.edge.port, [requestText('GET', '/ws?refused', '', upgrade)], 1);
    assert.deepEqual([answers[0]!.status, JSON.parse(answers[0]!.body).error], [429, 'rate_limit_exceeded']);
    const plain = await exchange(venue.edge.port, [requestText('GET', '/ws')], 1);
    assert.equal(plain.answers[0]!.status, 404);
    assert.equal(venue.edge.counts.sockets, 0);
  });
});

test('a connection counts from its opening to its end, plain or upgraded, refused or closed by either side', async () => {
  await withSockets({}, async ({ edge }, log, url) => {
    const plain = net.connect(edge.port, '127.0.0.1');
    await until(() => edge.connections() === 1);
    const [byClient, , last] = [await opened(url), await opened(url), await opened(url)];
    assert.deepEqual([edge.connections(), edge.counts.sockets], [4, 3]);
    byClient.close();
    log.sockets[1]!.close(4000, 'not you');
    await until(() => edge.connections() === 2);
    await assert.rejects(opened(`${url}?refused`));
    await until(() => edge.connections() === 2);
    plain.destroy();
    await until(() => edge.connections() === 1);
    last.close();
    await until(() => edge.connections() === 0);
  });
});

test('sockets beyond the bound are refused with 503 until one leaves', async () => {
  await withSockets({ bounds: { sockets: 1 } }, async (venue, _, url) => {
    const client = await opened(url);
    await assert.rejects(opened(url));
    client.close();
    await until(() => venue.edge.counts.sockets === 0);
    (await opened(url)).close();
  });
});

test('sockets beyond a source\'s share are refused with 429 until one leaves; other sources are served', async () => {
  await withSockets({ bounds: { sockets: 4, loopbackPart: 1 / 2 }, trustProxy: true }, async (venue, _, url) => {
    const upgrade = async () => (await exchange(venue.edge.port, [
      requestText('GET', '/ws', '', upgradeHeaders('dGhlIHNhbXBsZSBub25jZQ==')),
    ], 1)).answers[0]!;
    const clients = [await opened(url), await opened(url)];
    const refused = await upgrade();
    assert.deepEqual([refused.status, JSON.parse(refused.body).error, refused.headers['retry-after']], [429, 'rate_limit_exceeded', '1']);
    const neighbour = net.connect(venue.edge.port, '127.0.0.1');
    neighbour.write(requestText('GET', '/ws', '', `${upgradeHeaders('dGhlIHNhbXBsZSBub25jZQ==')}X-Forwarded-For: 127.0.0.2\r\n`));
    await until(() => venue.edge.counts.sockets === 3);
    clients[0]!.close();
    await until(() => venue.edge.counts.sockets === 2);
    clients.push(await opened(url));
    neighbour.destroy();
    for (const client of clients) client.close();
    await until(() => venue.edge.counts.sockets === 0);
  });
});

test('a client that sends no pong is pinged, then closed with 1008; one that answers stays', async () => {
  await withSockets({ bounds: { tickMs: 10, pingTicks: 4, pongTicks: 12 } }, async (venue, log, url) => {
    const answering = await opened(url);
    const frames = await mute(venue.edge.port);
    const ping = Buffer.from([0x89, 0]);
    const close = Buffer.concat([Buffer.from([0x88, 14, 1008 >> 8, 1008 & 255]), Buffer.from('pong timeout')]);
    assert.deepEqual(frames, Buffer.concat([ping, ping, ping, close]));
    assert.deepEqual(log.closed, [1008]);
    for (let i = 0; i < 3; i++) await mute(venue.edge.port);
    answering.send('still here');
    assert.equal(await nextMessage(answering), 'still here');
  });
});

test('a refused upgrade is reported to the answer observer like any answer', async () => {
  const answers: AnswerReport[] = [];
  await withSockets({ bounds: { sockets: 1 }, onAnswer: (answer) => answers.push(answer) }, async (venue, log, url) => {
    const headers = `Host: localhost\r\n${upgradeHeaders(randomBytes(16).toString('base64'))}`;
    const upgrade = (query: string) => exchange(venue.edge.port, [`GET /ws?${query} HTTP/1.1\r\n${headers}\r\n`], 1);
    await upgrade('refused');
    await opened(url);
    await until(() => log.sockets.length === 1);
    await upgrade('');
  });
  const told = answers.map(({ method, path, route, status }) => [method, path, route, status]);
  assert.deepEqual(told, [['GET', '/ws', 0, 429], ['GET', '/ws', 0, 503]]);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 2);
  assert.ok(answers.every(({ seconds }) => seconds >= 0 && seconds < 1));
});

test('messages beyond the rate close the socket with 1008', async () => {
  await withSockets({ bounds: { ordersPerTick: 10 } }, async (_, log, url) => {
    const client = await opened(url);
    const closed = closeOf(client);
    for (let i = 0; i < 100; i++) client.send('x');
    assert.deepEqual(await closed, [1008, 'message rate exceeded']);
    assert.deepEqual(log.closed, [1008]);
  });
});

test('a message above the bound closes only its own socket', async () => {
  await withSockets({ bounds: { messageBytes: 1_000 } }, async (_, __, url) => {
    const [bad, good] = [await opened(url), await opened(url)];
    const closed = closeOf(bad);
    bad.send('x'.repeat(1_001));
    assert.equal((await closed)[0], 1006);
    good.send('x'.repeat(1_000));
    assert.equal((await nextMessage(good) as string).length, 1_000);
  });
});

test('a text frame that is not UTF-8 ends only its own socket, without a close frame', async () => {
  await withSockets({}, async (venue, log, url) => {
    const good = await opened(url);
    const told = await mute(venue.edge.port, (socket) => socket.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff])));
    assert.deepEqual([told.length, log.closed], [0, [1006]]);
    good.send('x');
    assert.equal(await nextMessage(good), 'x');
  });
});

test('to a client that does not read, messages are queued, then dropped, and the socket closes', async () => {
  await withSockets({ bounds: { socketBufferBytes: 100_000 } }, async (venue, log) => {
    const end = mute(venue.edge.port, (socket) => socket.pause());
    await until(() => log.sockets.length === 1);
    const socket = log.sockets[0]!;
    const frame = 'x'.repeat(60_000);
    const seen = new Set<string>();
    while (!seen.has('dropped')) {
      seen.add(socket.send(frame));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual([...seen], ['sent', 'queued', 'dropped']);
    await until(() => log.closed.length === 1);
    assert.equal(venue.edge.counts.sockets, 0);
    venue.edge.close();
    void end;
  });
});

test('a client\'s ping gets a pong; close() sends 1001 to every socket', async () => {
  await withSockets({}, async (venue, log, url) => {
    const client = await opened(url);
    const bytes = mute(venue.edge.port, (socket) => socket.write(maskedFrame(9, 'are you there')));
    await until(() => log.sockets.length === 2);
    client.send('one turn more');
    await nextMessage(client);
    const closed = closeOf(client);
    venue.edge.close();
    assert.deepEqual(await closed, [1001, 'going away']);
    assert.ok((await bytes).subarray(0, 15).equals(Buffer.concat([Buffer.from([0x8a, 13]), Buffer.from('are you there')])));
    assert.deepEqual(log.closed, [1001, 1001]);
  });
});

test('an invalid handshake is refused: 426 for another version, 400 for anything else', async () => {
  // A socket that opens all the same answers no ping, and ends soon.
  await withSockets({ bounds: { tickMs: 20, pongTicks: 100 } }, async (venue, log) => {
    const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
    const right = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${KEY}`];
    const ask = async (lines: readonly string[]) => {
      const request = `GET /ws HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
      const { answers } = await exchange(venue.edge.port, [request], 1);
      return answers[0]!;
    };
    const instead = (at: number, ...lines: string[]) => [...right.slice(0, at), ...lines, ...right.slice(at + 1)];
    for (const version of ['8', '12', '14', '013', '13, 8', 'x', '13.0']) {
      const { status, headers, body } = await ask(instead(2, `Sec-WebSocket-Version: ${version}`));
      assert.deepEqual([status, headers['sec-websocket-version'], headers['upgrade'], JSON.parse(body).error],
        [426, '13', 'websocket', 'upgrade_required'], version);
    }
    for (const lines of [
      instead(0), instead(0, 'Upgrade: h2c'), instead(0, 'Upgrade: websockets'), instead(0, 'Upgrade: web socket'),
      instead(1), instead(1, 'Connection: keep-alive'), instead(1, 'Connection: close'), instead(1, 'Connection: Upgraded'),
      instead(3), instead(3, 'Sec-WebSocket-Key: abc'), instead(3, `Sec-WebSocket-Key: ${'!'.repeat(22)}==`),
      instead(3, 'Sec-WebSocket-Key:'),
      instead(3, `Sec-WebSocket-Key: ${'a'.repeat(24)}`), instead(3, `Sec-WebSocket-Key: ${KEY}aaaa`),
      [...right, `Sec-WebSocket-Key: ${KEY}`],
      [...right, 'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA=='], [...right, 'Host: other'],
    ]) {
      const { status, body } = await ask(lines);
      assert.deepEqual([status, JSON.parse(body).error], [400, 'invalid_request'], lines.join());
    }
    assert.equal((await ask([...right, 'Transfer-Encoding: chunked'])).status, 411);
    await until(() => venue.edge.counts.requests === 0);
    assert.equal(log.sockets.length, 0);
    for (const lines of [
      instead(0, 'upgrade: WebSocket'), instead(0, 'Upgrade: h2c, websocket'), instead(1, 'Connection: keep-alive, upgrade'),
      instead(1, 'Connection: keep-alive', 'Connection: Upgrade'),
    ]) {
      const socket = net.connect(venue.edge.port, '127.0.0.1');
      socket.write(`GET /ws HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`);
      const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
      assert.match(answer, /^HTTP\/1\.1 101 /, lines.join());
      socket.destroy();
    }
    await until(() => venue.edge.counts.sockets === 0);
  });
});

/** Bytes that wait in the venue for a client that does not read. */
const BACKLOG = 3_000_000;

async function behind(venue: Venue, log: Log): Promise<{ socket: Socket; client: net.Socket; bytes: Promise<Buffer> }> {
  let client: net.Socket | null = null;
  const before = log.sockets.length;
  const bytes = mute(venue.edge.port, (opened) => { client = opened.pause(); });
  await until(() => log.sockets.length > before && client !== null);
  const socket = log.sockets.at(-1)!;
  const frame = 'x'.repeat(60_000);
  while (socket.bufferedBytes() <= BACKLOG) assert.notEqual(socket.send(frame), 'dropped');
  return { socket, client: client!, bytes };
}

const BUFFER = { socketBufferBytes: 2 * BACKLOG, pongTicks: 10_000 };

test('a socket closed while its client has unread messages counts as open until the client has read the close reason', async () => {
  await withSockets({ bounds: BUFFER }, async (venue, log) => {
    const { socket, client, bytes } = await behind(venue, log);
    socket.close(1008, 'slow reader');
    assert.deepEqual([log.closed, socket.send('late'), venue.edge.counts.sockets], [[1008], 'closed', 1]);
    client.resume();
    const close = Buffer.concat([Buffer.from([0x88, 13, 1008 >> 8, 1008 & 255]), Buffer.from('slow reader')]);
    assert.ok((await bytes).subarray(-15).equals(close));
    await until(() => venue.edge.counts.sockets === 0);
    assert.deepEqual(log.closed, [1008]);
  });
});

test('a closed socket whose client reads nothing is freed with its backlog after a while', async () => {
  await withSockets({ bounds: { ...BUFFER, tickMs: 20, endTicks: 3 } }, async (venue, log) => {
    const { socket, client } = await behind(venue, log);
    socket.close(1008, 'slow reader');
    await until(() => venue.edge.connections() === 0);
    assert.deepEqual([venue.edge.counts.sockets, socket.bufferedBytes(), log.closed], [0, 0, [1008]]);
    client.destroy();
  });
});

test('the unread bytes of all sockets have a bound: beyond it the first to fall behind is cut off', async () => {
  await withSockets({ bounds: { ...BUFFER, tickMs: 20, backlogBytes: 2 * BACKLOG / LOOPBACK_PART } }, async (venue, log) => {
    const [first, second] = [await behind(venue, log), await behind(venue, log)];
    await until(() => log.closed.length > 0);
    assert.deepEqual([log.closed, first.socket.bufferedBytes(), venue.edge.counts.sockets], [[1006], 0, 1]);
    assert.ok(second.socket.bufferedBytes() > BACKLOG);
    for (const { client } of [first, second]) client.destroy();
  });
});
