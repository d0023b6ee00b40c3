// Pings and pongs count as messages and bytes of their socket, so that a flood of them from many sockets cannot block the thread.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Bounds } from '../../../../shell/http/limits.ts';
import { openVenue, until } from './client.ts';
import { CLOSE, maskedFrame, mute, PING, PONG, TEXT } from './frames.ts';

const LONGEST = 125;
const FLOOD = 1_000;

type Edge = { readonly port: number; readonly read: string[]; readonly closed: number[] };

/** An edge that counts each message as one that is no order; no second of it ends during a test. */
function openEdge(t: TestContext, bounds: Partial<Bounds> = {}): Edge {
  const read: string[] = [];
  const closed: number[] = [];
  const { edge } = openVenue({
    bounds: { tickMs: 1_000_000, ...bounds },
    sockets: {
      path: '/ws', admit: () => null, errorFrame: (_, { message }) => message,
      open: (socket) => ({
        message: (bytes) => {
          if (socket.countMessage()) read.push(Buffer.from(bytes).toString());
        },
        close: (code) => closed.push(code),
      }),
    },
  });
  t.after(() => edge.close());
  return { port: edge.port, read, closed };
}

/** What the venue sends to a client that sends these frames in one piece and closes if it may. */
async function sent(edge: Edge, frames: readonly Buffer[]): Promise<{ pongs: number; reason: string }> {
  const bytes = await mute(edge.port, (socket) => socket.write(Buffer.concat([...frames, maskedFrame(CLOSE, '')])));
  let pongs = 0;
  let at = 0;
  for (; at < bytes.length && bytes[at] === (0x80 | PONG); at += 2 + bytes[at + 1]!) pongs++;
  assert.equal(bytes[at], 0x80 | CLOSE);
  return { pongs, reason: bytes.toString('utf8', at + 4) };
}

const many = (opcode: number, count: number, payload = ''): Buffer[] => Array<Buffer>(count).fill(maskedFrame(opcode, payload));

for (const [name, opcode] of [['pings', PING], ['pongs', PONG]] as const) {
  test(`a flood of ${name} closes its socket as a flood of messages does`, async (t) => {
    const edge = openEdge(t, { messagesPerTick: 10 });
    const { pongs, reason } = await sent(edge, many(opcode, FLOOD));
    assert.equal(reason, 'message rate exceeded');
    assert.equal(pongs, opcode === PING ? 11 : 0, 'the ping that is too many has its pong before it is counted');
    assert.deepEqual(edge.closed, [1008]);
  });

  test(`${name} count as messages of their socket, and exactly as many as the bound are accepted`, async (t) => {
    const edge = openEdge(t, { messagesPerTick: 10 });
    assert.equal((await sent(edge, [...many(opcode, 6), ...many(TEXT, 4, 'a')])).reason, '');
    assert.equal((await sent(edge, [...many(opcode, 7), ...many(TEXT, 4, 'b')])).reason, 'message rate exceeded');
    assert.deepEqual([edge.read.join(''), edge.closed], ['aaaabbb', [1005, 1008]]);
  });

  test(`${name} count as bytes of their socket`, async (t) => {
    const edge = openEdge(t, { socketBytes: 10 * LONGEST });
    assert.equal((await sent(edge, many(opcode, 10, 'x'.repeat(LONGEST)))).reason, '');
    const { reason } = await sent(edge, [...many(opcode, 10, 'x'.repeat(LONGEST)), ...many(opcode, 1, 'x')]);
    assert.equal(reason, `more than ${10 * LONGEST} bytes in a second`);
  });

  test(`a source with few ${name} on each of many sockets is closed at its share of bytes`, async (t) => {
    const edge = openEdge(t, { readBytes: 4_096 });
    for (let i = 0; i < 11; i++) assert.equal((await sent(edge, many(opcode, 1))).reason, '');
    const { reason } = await sent(edge, many(opcode, 2));
    assert.equal(reason, 'more than 3072 bytes of one source in a second', 'the 13th frame of 256 bytes, the least that one counts');
  });
}

test('messages count as bytes of their socket', async (t) => {
  const edge = openEdge(t, { socketBytes: 1_000 });
  assert.equal((await sent(edge, many(TEXT, 10, 'x'.repeat(100)))).reason, '');
  assert.equal((await sent(edge, [...many(TEXT, 10, 'x'.repeat(100)), ...many(TEXT, 1, 'y')])).reason, 'more than 1000 bytes in a second');
  assert.equal(edge.read.length, 20);
});

test('a client that reads no pongs is closed before they fill the memory', async (t) => {
  const edge = openEdge(t, { messagesPerTick: 1_000_000, ordersPerTick: 1_000_000, socketBytes: Infinity, readBytes: Infinity });
  const bytes = mute(edge.port, (socket) => {
    socket.pause();
    const pings = Buffer.concat(many(PING, 100_000, 'x'.repeat(LONGEST)));
    socket.write(pings);
    void until(() => edge.closed.length > 0).then(() => socket.resume());
  });
  // It is cut off when it pings on.
  await bytes;
  assert.deepEqual(edge.closed, [1008]);
});
