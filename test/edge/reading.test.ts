// What clients may make their thread read in a tick, one network source and all of them: bytes of messages and bodies, and frames that
// the web server has to inflate.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { WebSocket as Client } from 'ws';
import { BOUNDS, type Bounds } from '../../shell/bounds/edge.ts';
import { exchange, openVenue, requestText, until } from './client.ts';

const KILOBYTE = 1_024;

type Opened = { readonly client: Client; readonly closed: Promise<[number, string]>; readonly isCompressed: boolean };
type Edge = { readonly read: string[]; sockets(): number; open(network: string): Promise<Opened> };

/** An edge that tells the first byte of each message it reads. */
function openEdge(t: TestContext, bounds: Partial<Bounds>): Edge {
  const read: string[] = [];
  const { edge } = openVenue({
    bounds, compression: true, trustProxy: true,
    sockets: {
      path: '/ws', admit: () => null, errorFrame: (_, message) => message,
      open: () => ({ message: (bytes) => read.push(String.fromCharCode(bytes[0]!)), close: () => undefined }),
    },
  });
  t.after(() => edge.close());
  const open = async (network: string): Promise<Opened> => {
    const client = new Client(`ws://127.0.0.1:${edge.port}/ws`, {
      headers: { 'x-forwarded-for': network }, perMessageDeflate: { threshold: 0 },
    });
    const closed = new Promise<[number, string]>((resolve) => client.once('close', (code, reason) => resolve([code, String(reason)])));
    await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
    return { client, closed, isCompressed: client.extensions.includes('permessage-deflate') };
  };
  return { read, open, sockets: () => edge.counts.sockets };
}

const say = ({ client }: Opened, letter: string, bytes: number): void => client.send(letter.repeat(bytes));

test('what all sockets of one source bring in a tick has a bound, compressed or not, before anything is read', async (t) => {
  const edge = openEdge(t, { tickMs: 1_000_000, readBytes: 4 * KILOBYTE });
  const [one, two, three] = [await edge.open('203.0.113.1'), await edge.open('203.0.113.1'), await edge.open('203.0.113.1')];
  say(one, 'a', KILOBYTE - 1);
  await until(() => edge.read.length === 1);
  say(two, 'b', 2);
  assert.deepEqual(await two.closed, [1008, 'more than 1024 bytes of one source in a second']);
  say(three, 'c', 1);
  await until(() => edge.read.length === 2);
  const local = await edge.open('127.0.0.1');
  say(local, 'd', 3 * KILOBYTE);
  await until(() => edge.read.length === 3);
  // Whom nothing is left for, for all of them have had it.
  const late = await edge.open('203.0.113.2');
  say(late, 'e', 1);
  assert.deepEqual(await late.closed, [1008, 'more messages than are read in a second']);
  assert.equal(edge.read.join(''), 'acd');
});

test('bodies count with the messages, and are told by the answer that they are not read', async (t) => {
  const bodies: number[] = [];
  const { edge } = openVenue({
    bounds: { tickMs: 1_000_000, readBytes: 4 * KILOBYTE }, trustProxy: true,
    route: ({ body }, responder) => {
      bodies.push(body!.length);
      responder.send(200, '{}');
    },
  });
  t.after(() => edge.close());
  const post = async (network: string, bytes: number): Promise<{ status: number; body: string }> => {
    const { answers } = await exchange(edge.port, [requestText('POST', '/', 'x'.repeat(bytes), `X-Forwarded-For: ${network}\r\n`)], 1);
    return answers[0]!;
  };
  assert.equal((await post('203.0.113.1', KILOBYTE)).status, 200);
  const refused = await post('203.0.113.1', 1);
  assert.deepEqual([refused.status, JSON.parse(refused.body)], [429, {
    error: 'rate_limit_exceeded', message: 'Too many bytes of bodies and messages in a second: 1024 is the maximum of one source',
    retry_after_secs: 1, limit: KILOBYTE,
  }]);
  assert.equal((await post('127.0.0.1', 3 * KILOBYTE)).status, 200);
  assert.equal((await post('203.0.113.2', 1)).status, 503);
  assert.deepEqual(bodies, [KILOBYTE, 3 * KILOBYTE]);
});

test('the next tick begins anew', async (t) => {
  const edge = openEdge(t, { tickMs: 20, readBytes: 4 * KILOBYTE });
  const one = await edge.open('203.0.113.1');
  for (let round = 1; round <= 3; round++) {
    say(one, 'a', KILOBYTE);
    await until(() => edge.read.length === round);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  assert.equal(one.client.readyState, Client.OPEN);
});

test('a source has places for compressed sockets, the rest of its sockets speak uncompressed', async (t) => {
  const edge = openEdge(t, { tickMs: 1_000_000, compressedSockets: 5 });
  const foreign = [await edge.open('203.0.113.1'), await edge.open('203.0.113.1'), await edge.open('203.0.113.1')];
  assert.deepEqual(foreign.map(({ isCompressed }) => isCompressed), [true, true, false]);
  for (const one of foreign) say(one, 'x', KILOBYTE);
  await until(() => edge.read.length === 3);
  // A place is not free again before the tick, however often its socket is closed and opened.
  foreign[0]!.client.terminate();
  await until(() => edge.sockets() === 2);
  assert.equal((await edge.open('203.0.113.1')).isCompressed, false);
  const local = [];
  for (let i = 0; i < 4; i++) local.push((await edge.open('127.0.0.1')).isCompressed);
  assert.deepEqual(local, [true, true, true, false], 'five of the edge in all');
});

test('a place that was left is free at the next tick', async (t) => {
  const edge = openEdge(t, { tickMs: 20, compressedSockets: 4 });
  for (let round = 0; round < 3; round++) {
    const one = await edge.open('203.0.113.1');
    assert.equal(one.isCompressed, true);
    one.client.terminate();
    await until(() => edge.sockets() === 0);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
});

test('one source cannot hold the thread: 100 sockets of 9 compressed megabytes each are read no further than its part', async (t) => {
  const edge = openEdge(t, {});
  const sockets = [];
  for (let i = 0; i < 100; i++) sockets.push(await edge.open('203.0.113.1'));
  const compressed = sockets.filter(({ isCompressed }) => isCompressed);
  assert.equal(compressed.length, BOUNDS.compressedSockets / 4);
  const from = performance.now();
  const sendAll = (): void => {
    for (const one of compressed) {
      if (one.client.readyState !== Client.OPEN || one.client.bufferedAmount > 0) continue;
      for (let i = 0; i < 9; i++) say(one, 'x', BOUNDS.messageBytes);
    }
  };
  sendAll();
  // A busy machine reads them in more ticks, each of which has a part anew: whoever is not closed yet goes on.
  const more = setInterval(sendAll, 100);
  t.after(() => clearInterval(more));
  const closed = await Promise.all(compressed.map((one) => one.closed));
  const seconds = Math.ceil((performance.now() - from) / BOUNDS.tickMs) + 1;
  assert.ok(edge.read.length <= seconds * BOUNDS.readBytes / 4 / BOUNDS.messageBytes, `${edge.read.length} messages in ${seconds} s`);
  for (const end of closed) assert.equal(end[0], 1008);
});
