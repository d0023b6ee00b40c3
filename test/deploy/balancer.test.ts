// The file for HAProxy in front of three nodes that only say who they are: what acts goes to the leader, reads and listeners to all.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ends } from '../support/temporary.ts';
import { ask, HAPROXY, startHaproxy, type Proxy } from './proxy.ts';

const TIMES = 12;
const ALL = 'one,three,two';
const LOOK_EVERY_MS = 100;
const ORDER = { method: 'POST', path: '/order', headers: { 'content-length': 2 } } as const;
const SOCKET = {
  path: '/ws',
  headers: {
    upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13',
  },
} as const;
const LISTENER = { path: '/ws', servername: 'localhost', headers: { ...SOCKET.headers, host: 'stream.localhost' } } as const;

/** Answers each request, of sockets too, with its name; ready or leading as the test says. */
async function node(t: Ends, name: string, isLeader: () => boolean): Promise<string> {
  const server = createServer(({ url }, answer) => {
    answer.statusCode = url === '/ready?role=leader' && !isLeader() ? 503 : 200;
    answer.end(name);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Waits until these nodes, and no other, answer requests of this kind; a check may be late on a busy machine. */
async function answered(proxy: Proxy, options: Parameters<typeof ask>[1], by: string | RegExp, body?: string): Promise<void> {
  for (;;) {
    const names = new Set<string>();
    for (let time = 0; time < TIMES; time++) names.add((await ask(proxy, options, body)).text);
    const all = [...names].sort().join();
    if (typeof by === 'string' ? all === by : by.test(all)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

test('HAProxy sends orders and sockets to the node that leads, reads and listeners to all, and orders to any while nobody leads', {
  skip: !existsSync(HAPROXY.program) && `no ${HAPROXY.program}`,
  timeout: 120_000,
}, async (t) => {
  let leader = 'two';
  const nodes = await Promise.all(['one', 'two', 'three'].map((name) => node(t, name, () => leader === name)));
  const proxy = await startHaproxy(t, nodes);
  for (const led of ['two', 'three']) {
    leader = led;
    await answered(proxy, ORDER, led, '{}');
    await answered(proxy, SOCKET, led);
    await answered(proxy, { path: '/orderbook' }, ALL);
    await answered(proxy, LISTENER, ALL);
  }
  leader = '';
  await answered(proxy, ORDER, ALL, '{}');
  // A socket would stay where no orders are taken.
  await answered(proxy, SOCKET, /^<html>.*503 Service Unavailable/);
});
