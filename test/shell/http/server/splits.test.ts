// A request in two pieces, split at every byte of its head. The web server's parser answers 505 and closes if a piece ends before the
// path or within ` HTTP/1.1`; nothing has acted then. When a later parser mends this, the test fails, and docs/OPERATIONS.md and the
// client can drop their handling of 505.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { openVenue, parseAnswers } from './client.ts';

const BODY = `{"wallet":"0x${'ab'.repeat(20)}","size":"1","nonce":1}`;
const VERSION = ' HTTP/1.1\r\n';

/** The status of the answer, and whether the connection has ended with it. */
async function inTwo(port: number, first: string, second: string): Promise<string> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  let received = Buffer.alloc(0);
  let isClosed = false;
  socket.on('data', (data) => { received = Buffer.concat([received, data]); }).on('end', () => { isClosed = true; });
  // What is refused by its first piece has ended when the second one goes out.
  socket.on('error', () => { isClosed = true; });
  const turns = async (): Promise<void> => { for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 2)); };
  await once(socket, 'connect');
  for (const part of [first, second]) {
    socket.write(part);
    await turns();
  }
  while (parseAnswers(received).length === 0 && !isClosed) await turns();
  await turns();
  socket.destroy();
  return `${parseAnswers(received)[0]?.status}${isClosed ? ', closed' : ''}`;
}

for (const [method, path, rest] of [
  ['GET', '/orders', 'Host: localhost\r\n\r\n'], ['POST', '/order', `Host: test\r\nContent-Length: ${BODY.length}\r\n\r\n`],
] as const) {
  test(`${method} in two pieces is answered wherever it is split, except before its path and in its version`, async (t) => {
    const acted: string[] = [];
    const venue = openVenue({ onAnswer: ({ status }) => acted.push(String(status)) });
    t.after(() => venue.edge.close());
    const line = `${method} ${path}`;
    const head = line + VERSION + rest;
    const text = head + (method === 'POST' ? BODY : '');
    const refused = [`${method} `.length, ...Array.from({ length: VERSION.length - 1 }, (_, i) => line.length + 1 + i)];
    for (let at = 1; at <= Math.min(head.length, text.length - 1); at++) {
      acted.length = 0;
      const isRefused = refused.includes(at);
      const cut = `${JSON.stringify(text.slice(0, at))} and the rest`;
      assert.equal(await inTwo(venue.edge.port, text.slice(0, at), text.slice(at)), isRefused ? '505, closed' : '200', cut);
      assert.deepEqual(acted, isRefused ? [] : ['200'], cut);
    }
  });
}
