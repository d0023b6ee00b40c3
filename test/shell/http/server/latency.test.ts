// Delayed answers and socket messages on a real server: nothing comes early, is overtaken, or is lost at a close, and bytes that the caller
// uses again go out as they were.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { BadSetting } from '../../../../shell/process/bad-setting.ts';
import { readConfig } from '../../../../shell/process/config.ts';
import { createRandom } from '../../../../shell/feeds/random.ts';
import { Latency } from '../../../../shell/http/server/latency.ts';
import type { Socket, SocketEndpoint } from '../../../../shell/http/server/sockets.ts';
import { openVenue } from './client.ts';

const COUNT = 300;

type Seen = { sockets: Socket[]; drains: number };

function endpoint(seen: Seen): SocketEndpoint {
  return {
    path: '/ws', admit: () => null, errorFrame: () => 'error',
    open: (socket) => {
      seen.sockets.push(socket);
      const scratch = new Uint8Array(4);
      return {
        message: () => {
          for (let at = 0; at < COUNT; at++) {
            new DataView(scratch.buffer).setUint32(0, at);
            socket.send(scratch, true);
          }
          socket.close(4000, 'that was all');
        },
        drain: () => seen.drains++,
        close: () => undefined,
      };
    },
  };
}

function open(t: TestContext, delay: number, jitter: number): { readonly port: number; readonly seen: Seen } {
  const seen: Seen = { sockets: [], drains: 0 };
  const venue = openVenue({ sockets: endpoint(seen), latency: new Latency({ delay, jitter }, createRandom(1)) });
  t.after(() => venue.edge.close());
  return { port: venue.edge.port, seen };
}

test('an answer takes at least the delay less the jitter', async (t) => {
  // Far above what an answer takes without it.
  const { port } = open(t, 1_000, 100);
  const from = performance.now();
  const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(`http://127.0.0.1:${port}/`)));
  assert.ok(performance.now() - from >= 899);
  assert.ok(answers.every(({ status }) => status > 0));
});

test('socket messages keep their order and their bytes under any jitter, and a close comes after them', async (t) => {
  const { port, seen } = open(t, 40, 40);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  socket.binaryType = 'arraybuffer';
  const got: number[] = [];
  socket.onmessage = ({ data }) => got.push(new DataView(data as ArrayBuffer).getUint32(0));
  await new Promise((resolve) => { socket.onopen = resolve; });
  const closed = new Promise<number>((resolve) => { socket.onclose = ({ code }) => resolve(code); });
  socket.send('go');
  assert.equal(await closed, 4000);
  assert.deepEqual(got, Array.from({ length: COUNT }, (_, at) => at));
  assert.equal(seen.sockets[0]!.bufferedBytes(), 0);
});

test('what waits counts as unread, and its listener hears when all of it has left', async (t) => {
  const { port, seen } = open(t, 50, 0);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await new Promise((resolve) => { socket.onopen = resolve; });
  const [served] = seen.sockets;
  const got = new Promise((resolve) => { socket.onmessage = resolve; });
  assert.equal(served!.send('12345'), 'sent');
  assert.equal(served!.send('678'), 'queued');
  assert.equal(served!.bufferedBytes(), 8);
  await got;
  while (seen.drains === 0) await new Promise(setImmediate);
  assert.equal(served!.bufferedBytes(), 0);
  socket.close();
});

test('a delay stays within its jitter, and a setting beyond the bounds is refused', () => {
  fc.assert(fc.property(fc.nat({ max: 2_500 }), fc.nat({ max: 2_500 }), fc.nat(), (one, other, seed) => {
    const terms = { delay: Math.max(one, other), jitter: Math.min(one, other) };
    const latency = new Latency(terms, createRandom(seed));
    for (let i = 0; i < 20; i++) {
      const next = latency.next();
      assert.ok(next >= terms.delay - terms.jitter && next <= terms.delay + terms.jitter);
    }
  }));
  const latencyOf = (text: string): unknown => (readConfig(['--latency', text], {}) as { latency: unknown }).latency;
  assert.deepEqual([latencyOf('40'), latencyOf('40,15'), latencyOf('')], [{ delay: 40, jitter: 0 }, { delay: 40, jitter: 15 }, null]);
  for (const text of ['-1', '1,2', '5001', '4000,2000', '1.5', '40ms', '40,', 'x']) assert.throws(() => latencyOf(text), BadSetting);
});
