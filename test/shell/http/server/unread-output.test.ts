// Clients that send requests and do not read: the memory that waits for them is bounded, a connection beyond the bound ends, and every
// client that reads, however slowly, gets every byte.

import { once } from 'node:events';
import net from 'node:net';
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bounds, BOUNDS } from '../../../../shell/http/limits.ts';
import { UnreadOutput, type Consumer } from '../../../../shell/http/server/unread-output.ts';
import { sourceOfAddress, type Source } from '../../../../shell/http/source.ts';
import { openEdge, type Edge } from '../../../../shell/http/server/edge.ts';
import { exchange, parseAnswers, until } from './client.ts';

const MIB = 1_048_576;
/** More than the system takes of an answer whose client does not read. */
const HUGE = 12 * MIB;

type Told = { readonly edge: Edge; readonly made: () => number; readonly statuses: number[] };

/** Answers `/N` at once with N bytes of text, `/later/N` in a later turn and as bytes; each byte follows from its place. */
function open(t: TestContext, bounds: Partial<Bounds> = {}): Told {
  let made = 0;
  const statuses: number[] = [];
  const faults: unknown[] = [];
  const edge = openEdge({
    host: '127.0.0.1', port: 0, trustProxy: false, cors: '*', bounds, onFault: (_, error) => faults.push(error),
    onAnswer: ({ status }) => statuses.push(status),
    route: ({ path }, responder) => {
      made++;
      const text = textOf(Number(path.split('/').at(-1)));
      if (!path.startsWith('/later/')) return responder.send(200, text);
      const lent = Buffer.from(text);
      setImmediate(() => {
        responder.send(200, lent);
        lent.fill(0);
      });
    },
    sockets: {
      path: '/ws', admit: () => null, open: () => ({ message: () => undefined, close: () => undefined }), errorFrame: () => '',
    },
  });
  t.after(() => {
    edge.close();
    assert.deepEqual(faults, []);
  });
  return { edge, made: () => made, statuses };
}

function textOf(bytes: number): string {
  return '0123456789abcdef-'.repeat(Math.ceil(bytes / 17)).slice(0, bytes);
}

function requestOf(path: string, lines = '', method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;
}

/** A socket that has sent `text` and does not read. */
async function still(edge: Edge, text: string): Promise<net.Socket> {
  const socket = net.connect({ port: edge.port, host: '127.0.0.1' }).on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  return socket;
}

/** All that comes until the end of the connection, or until `isEnough`. */
async function wireOf(socket: net.Socket, isEnough: (bytes: number) => boolean = () => false): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const closed = once(socket, 'close');
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (isEnough(bytes)) socket.destroy();
  });
  socket.resume();
  await closed;
  return Buffer.concat(parts);
}

for (const path of [`/${HUGE}`, `/later/${HUGE}`]) {
  test(`${path}: a client that reads late gets every byte, and the connection stays open`, async (t) => {
    const { edge } = open(t);
    const socket = await still(edge, requestOf(path));
    await until(() => edge.unreadBytes() > 0);
    assert.ok(edge.unreadBytes() < HUGE);
    const wire = wireOf(socket, (bytes) => bytes > HUGE + 100);
    const [answer] = parseAnswers(await wire);
    assert.ok(answer?.body === textOf(HUGE), 'the body is whole');
    await until(() => edge.counts.requests === 0);
    assert.equal(edge.unreadBytes(), 0);
  });

  test(`${path}: with Connection: close every byte arrives before the end`, async (t) => {
    const { edge } = open(t);
    const socket = await still(edge, requestOf(path, 'Connection: close\r\n'));
    await until(() => edge.unreadBytes() > 0);
    const [answer] = parseAnswers(await wireOf(socket));
    assert.ok(answer?.body === textOf(HUGE), 'the body is whole');
    assert.equal(answer?.headers['connection'], 'close');
    await until(() => edge.counts.requests === 0);
    assert.equal(edge.unreadBytes(), 0);
  });
}

test('answers of every size around the web server\'s buffers arrive whole, with and without Connection: close', async (t) => {
  const { edge } = open(t);
  for (const bytes of [1, 2, 15_000, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000]) {
    for (const lines of ['', 'Connection: close\r\n']) {
      const { answers } = await exchange(edge.port, [requestOf(`/${bytes}`, lines)], 1);
      assert.ok(answers[0]?.body === textOf(bytes), `${bytes} ${lines}`);
    }
  }
});

test('1,500 unread pipelined requests for 78 KB hold at most one answer, and the connection ends', async (t) => {
  for (const path of ['/80000', '/later/80000']) {
    const { edge, made } = open(t);
    const socket = await still(edge, requestOf(path).repeat(1_500));
    const held: number[] = [];
    const closed = new Promise<void>((resolve) => { void until(() => edge.connections() === 0).then(resolve); });
    const watch = setInterval(() => held.push(edge.unreadBytes()), 1);
    await closed;
    clearInterval(watch);
    assert.ok(Math.max(0, ...held) <= 80_000, `${path}: ${Math.max(...held)} bytes were held`);
    assert.ok(made() * 80_000 <= 2 * MIB, `${path}: ${made()} answers were made of 1,500`);
    assert.deepEqual([edge.unreadBytes(), edge.counts.requests], [0, 0]);
    socket.destroy();
  }
});

test('a client that sends requests one by one and never reads is cut off when its TCP window is full', async (t) => {
  const { edge, made } = open(t);
  const socket = await still(edge, requestOf('/8000'));
  let isOpen = true;
  socket.on('close', () => { isOpen = false; });
  let held = 0;
  for (; isOpen && made() < 5_000; await sleep(0)) {
    socket.write(requestOf('/8000'));
    held = Math.max(held, edge.unreadBytes());
  }
  await until(() => edge.connections() === 0);
  assert.ok(made() < 2_000, `${made()} answers of 8,000 bytes were made for a client that reads none`);
  assert.ok(held <= 8_000, `${held} bytes were held`);
});

test('while one connection floods, every request of another is answered', async (t) => {
  const { edge } = open(t);
  const floods = await Promise.all(Array.from({ length: 8 }, () => still(edge, requestOf('/80000').repeat(1_500))));
  for (let i = 0; i < 100; i++) assert.equal((await exchange(edge.port, [requestOf('/1000')], 1)).answers.length, 1);
  for (const socket of floods) socket.destroy();
});

test('a client that reads nothing is cut off after a while; a slow reader is not', async (t) => {
  const { edge } = open(t, { tickMs: 50, answerTicks: 60 });
  const stuck = await still(edge, requestOf(`/${HUGE}`));
  const slow = await still(edge, requestOf(`/${HUGE}`));
  const whole = (async () => {
    const parts: Buffer[] = [];
    slow.on('data', (part: Buffer) => {
      parts.push(part);
      slow.pause();
      setTimeout(() => slow.resume(), 1);
    });
    slow.resume();
    while (!slow.closed && parts.reduce((sum, { length }) => sum + length, 0) <= HUGE) await sleep(5);
    return parseAnswers(Buffer.concat(parts));
  })();
  const [answer] = await whole;
  assert.ok(answer?.body === textOf(HUGE));
  await until(() => edge.unreadBytes() === 0);
  slow.destroy();
  await until(() => edge.connections() <= 1);
  assert.deepEqual(parseAnswers(await wireOf(stuck)), [], 'its answer is not whole');
});

test('a connection ends after a number of unreadable bodiless answers per tick', async (t) => {
  const { edge, statuses } = open(t, { tickMs: 3_600_000 });
  for (const method of ['HEAD', 'OPTIONS']) {
    const socket = await still(edge, requestOf('/10', '', method).repeat(100));
    await wireOf(socket);
    assert.ok(statuses.length <= BOUNDS.bodilessPerTick, `${method}: ${statuses.length}`);
    statuses.length = 0;
  }
});

type Held = Consumer & { isCut: boolean };

function heldOf(source: Source | null): Held {
  return { source, isCut: false, cut() { this.isCut = true; } };
}

const FIRST = sourceOfAddress(Uint8Array.of(203, 0, 113, 7));
const LOOPBACK = sourceOfAddress(Uint8Array.of(127, 0, 0, 1));
const others = (number: number): Source => sourceOfAddress(Uint8Array.of(203, 0, 114, number));

test('beyond a source\'s share of unread bytes its oldest answer is cut off, and no other source\'s', () => {
  const unread = new UnreadOutput(400);
  const [mine, next, other, own] = [heldOf(FIRST), heldOf(FIRST), heldOf(others(1)), heldOf(LOOPBACK)];
  unread.set(other, 60);
  unread.set(own, 190);
  unread.set(mine, 60);
  unread.set(next, 40);
  assert.deepEqual([mine, next, other, own].map(({ isCut }) => isCut), [false, false, false, false]);
  assert.equal(unread.bytes, 350);
  unread.set(next, 41);
  assert.deepEqual([mine, next, other, own].map(({ isCut }) => isCut), [true, false, false, false]);
  assert.equal(unread.bytes, 291);
  unread.set(next, 101);
  assert.equal(next.isCut, true, 'one that is too large by itself is cut off too');
  assert.equal(unread.bytes, 250);
});

test('beyond the bound on all unread bytes the oldest answer is cut off; reading makes room', () => {
  const unread = new UnreadOutput(400);
  const held = [1, 2, 3, 4, 5].map((number) => heldOf(others(number)));
  for (const each of held.slice(0, 4)) unread.set(each, 100);
  unread.set(held[0]!, 10);
  unread.set(held[4]!, 90);
  assert.ok(held.every(({ isCut }) => !isCut));
  unread.set(held[4]!, 91);
  assert.deepEqual(held.map(({ isCut }) => isCut), [true, false, false, false, false]);
  for (const each of held.slice(1)) unread.set(each, 0);
  assert.equal(unread.bytes, 0);
});
