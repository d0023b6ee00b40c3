// How new connections are counted: the share of a source when connections are scarce, and for how long it counts.

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import net from 'node:net';
import { BOUNDS } from '../../../../shell/http/limits.ts';
import type { EdgeState } from '../../../../shell/http/server/edge-state.ts';
import { Compressor } from '../../../../shell/http/server/compression.ts';
import { ActiveList } from '../../../../shell/http/server/active-list.ts';
import { ConnectionLimiter } from '../../../../shell/http/server/connection-limiter.ts';
import { createQuotas } from '../../../../shell/http/server/quotas.ts';
import { OutputBudget } from '../../../../shell/http/server/output-budget.ts';
import { UnreadOutput } from '../../../../shell/http/server/unread-output.ts';
import { sourceOfAddress } from '../../../../shell/http/source.ts';
import { exchange, openVenue, requestText, until } from './client.ts';

const FOREIGN = sourceOfAddress(Uint8Array.of(203, 0, 113, 7));
const OTHER = sourceOfAddress(Uint8Array.of(203, 0, 113, 8));
const LOOPBACK = sourceOfAddress(Uint8Array.of(127, 0, 0, 1));

function stateOf(connections: number): EdgeState {
  const bounds = { ...BOUNDS, connections };
  return {
    bounds, counts: { requests: 0, sockets: 0, bodyBytes: 0 }, quotas: createQuotas(bounds, () => 0), floodDetector: null,
    unreadAnswers: new UnreadOutput(bounds.unreadBytes), unreadMessages: new UnreadOutput(bounds.backlogBytes),
    outputBudget: new OutputBudget(bounds),
    compressor: new Compressor(), latency: null, epoch: () => 0, connections: 0, active: new ActiveList(), tick: 0,
    headers: '', keepAliveHeaders: '', idPrefix: '', lastId: 0, answered: () => undefined, fault: () => undefined,
  };
}

/** How many of `wanted` connections the source gets. */
function opened(state: EdgeState, openings: ConnectionLimiter, source: typeof FOREIGN, wanted: number): number {
  const before = state.connections;
  for (let i = 0; i < wanted; i++) {
    state.connections++;
    if (!openings.take(source)) state.connections--;
  }
  return state.connections - before;
}

test('half of the connections are free for all; of the rest a source gets half, loopback all but a reserve', () => {
  const [first, second] = [stateOf(12_000), stateOf(12_000)];
  const openings = new ConnectionLimiter(first);
  assert.equal(opened(first, openings, FOREIGN, 12_300), 6_000);
  assert.equal(opened(first, openings, OTHER, 12_300), 3_000);
  assert.equal(opened(second, new ConnectionLimiter(second), LOOPBACK, 12_300), 9_000);
});

test('sockets take no share: only the connections they leave are shared out', () => {
  const state = stateOf(12_000);
  state.counts.sockets = state.connections = 10_000;
  assert.equal(opened(state, new ConnectionLimiter(state), FOREIGN, 2_000), 1_000);
});

test('new connections are forgotten within two windows; a source whose connections end is never refused', () => {
  const state = stateOf(100);
  const openings = new ConnectionLimiter(state);
  for (let i = 0; i < 1_000; i++) assert.equal(openings.take(OTHER), true, 'come and gone');
  assert.equal(opened(state, openings, FOREIGN, 100), 50);
  for (state.tick = 1; state.tick < 24; state.tick++) assert.equal(opened(state, openings, FOREIGN, 1), 0);
  assert.equal(opened(state, openings, FOREIGN, 100), 25);
});

/** An address of this machine that is not loopback. */
const own = Object.values(networkInterfaces()).flat().find((address) => address?.family === 'IPv4' && !address.internal)?.address;

test('when connections are scarce, an answer closes the connection of a foreign source', {
  skip: own === undefined && 'this machine has no address but loopback',
}, async (t) => {
  const { edge } = openVenue({ host: own!, bounds: { connections: 5 } });
  t.after(() => edge.close());
  const idle = [1, 2].map(() => net.connect(edge.port, own!));
  await until(() => edge.connections() === 2);
  /** What comes until the connection ends, which the client does where it is not told to expect it. */
  const wireOf = (method: string): Promise<string> => new Promise((resolve) => {
    let wire = '';
    const socket = net.connect(edge.port, own!, () => socket.write(requestText(method, '/orders')));
    socket.on('data', (data) => {
      wire += data.toString('latin1');
      if (!/connection: close/i.test(wire)) socket.end();
    });
    socket.on('close', () => resolve(wire));
  });
  for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
    const wire = await wireOf(method);
    assert.match(wire, /^HTTP\/1\.1 (200 OK|204 No Content|405 Method Not Allowed)\r\n([^\r]+\r\n)+\r\n/, method);
    assert.match(wire, /\r\nconnection: close\r\n/i, method);
    assert.doesNotMatch(wire, /keep-alive/i, method);
  }
  for (const socket of idle) socket.destroy();
  await until(() => edge.connections() === 0);
  assert.match(await wireOf('GET'), /\r\nconnection: keep-alive\r\n/i);
  assert.equal((await exchange(edge.port, [], 1)).isClosed, true, 'nobody listens on loopback');
});
