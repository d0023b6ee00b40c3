// How many bytes of messages and bodies a thread reads per tick, from one network source and from all of them.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { WebSocket as Client } from 'ws';
import { type Bounds, BOUNDS } from '../../../../shell/http/limits.ts';
import { exchange, openVenue, requestText, until } from './client.ts';

const KILOBYTE = 1_024;

type Opened = { readonly client: Client; readonly closed: Promise<[number, string]> };
type Edge = {
  readonly read: string[];
  /** Without a network that a proxy names: loopback. */
  open(network?: string): Promise<Opened>;
};

/** An edge that tells the first byte of each message it reads. */
function openEdge(t: TestContext, bounds: Partial<Bounds>): Edge {
  const read: string[] = [];
  const { edge } = openVenue({
    bounds, trustProxy: true,
    sockets: {
      path: '/ws', admit: () => null, errorFrame: (_, { message }) => message,
      open: () => ({ message: (bytes) => read.push(String.fromCharCode(bytes[0]!)), close: () => undefined }),
    },
  });
  t.after(() => edge.close());
  const open = async (network?: string): Promise<Opened> => {
    const headers = network === undefined ? {} : { 'x-forwarded-for': network };
    const client = new Client(`ws://127.0.0.1:${edge.port}/ws`, { headers });
    const closed = new Promise<[number, string]>((resolve) => client.once('close', (code, reason) => resolve([code, String(reason)])));
    await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
    return { client, closed };
  };
  return { read, open };
}

const say = ({ client }: Opened, letter: string, bytes: number): void => client.send(letter.repeat(bytes));

test('the sockets of one source share a bound on bytes per tick, checked before a message is read', async (t) => {
  const edge = openEdge(t, { tickMs: 1_000_000, readBytes: 4 * KILOBYTE });
  const [one, two, three] = [await edge.open('203.0.113.1'), await edge.open('203.0.113.1'), await edge.open('203.0.113.1')];
  say(one, 'a', KILOBYTE - BOUNDS.frameBytes);
  await until(() => edge.read.length === 1);
  say(two, 'b', BOUNDS.frameBytes + 1);
  assert.deepEqual(await two.closed, [1008, 'more than 1024 bytes of one source in a second']);
  // Counts as much as the shortest frame does.
  say(three, 'c', 1);
  await until(() => edge.read.length === 2);
  const local = await edge.open();
  say(local, 'd', 3 * KILOBYTE);
  await until(() => edge.read.length === 3);
  // Whom nothing is left for, for all of them have had it.
  const late = await edge.open('203.0.113.2');
  say(late, 'e', 1);
  assert.deepEqual(await late.closed, [1008, 'more messages than are read in a second']);
  assert.equal(edge.read.join(''), 'acd');
});

test('bodies count with the messages, and a body beyond the bound is refused by name', async (t) => {
  const bodies: number[] = [];
  const { edge } = openVenue({
    bounds: { tickMs: 1_000_000, readBytes: 4 * KILOBYTE }, trustProxy: true,
    route: ({ body }, responder) => {
      bodies.push(body!.length);
      responder.send(200, '{}');
    },
  });
  t.after(() => edge.close());
  const post = async (network: string | null, bytes: number): Promise<{ status: number; body: string }> => {
    const forwarded = network === null ? '' : `X-Forwarded-For: ${network}\r\n`;
    const { answers } = await exchange(edge.port, [requestText('POST', '/', 'x'.repeat(bytes), forwarded)], 1);
    return answers[0]!;
  };
  assert.equal((await post('203.0.113.1', KILOBYTE)).status, 200);
  const refused = await post('203.0.113.1', 1);
  assert.deepEqual([refused.status, JSON.parse(refused.body)], [429, {
    error: 'rate_limit_exceeded', message: 'Too many bytes of bodies and messages in a second: 1024 is the maximum of one source',
    retry_after_secs: 1, limit: KILOBYTE,
  }]);
  assert.equal((await post(null, 3 * KILOBYTE)).status, 200);
  assert.equal((await post('203.0.113.2', 1)).status, 503);
  assert.deepEqual(bodies, [KILOBYTE, 3 * KILOBYTE]);
});

test('each tick starts a new budget', async (t) => {
  const edge = openEdge(t, { tickMs: 20, readBytes: 4 * KILOBYTE });
  const one = await edge.open('203.0.113.1');
  for (let round = 1; round <= 3; round++) {
    say(one, 'a', KILOBYTE);
    await until(() => edge.read.length === round);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  assert.equal(one.client.readyState, Client.OPEN);
});

test('when one source sends 25 MB on 100 sockets at once, only its share is read', async (t) => {
  const edge = openEdge(t, { tickMs: 1_000_000 });
  const sockets = [];
  for (let i = 0; i < 100; i++) sockets.push(await edge.open('203.0.113.1'));
  const ends: number[] = [];
  for (const one of sockets) void one.closed.then(([code]) => ends.push(code));
  for (const one of sockets) say(one, 'x', BOUNDS.messageBytes);
  await until(() => edge.read.length + ends.length === sockets.length);
  assert.equal(edge.read.length, BOUNDS.readBytes / 4 / BOUNDS.messageBytes);
  assert.ok(ends.every((code) => code === 1008), ends.join());
});
