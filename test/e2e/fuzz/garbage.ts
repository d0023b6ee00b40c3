// Bytes on a bare socket that are not, or not quite, a request: endless heads, wrong lengths, broken chunks, cut bodies, several requests
// at once, false upgrades. The sender only expects that the venue runs on.

import net from 'node:net';
import type { Random } from '../../sim/random.ts';

const WAIT_MS = 300;

/** Sends one piece of garbage; resolves with what came back until the connection closed or nothing came for a while. */
export function sendGarbage(port: number, random: Random): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = '';
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(finish, WAIT_MS);
    socket.on('data', (data) => { received += data.toString('latin1'); });
    socket.on('error', finish);
    socket.on('close', finish);
    const bytes = garbage(random);
    const cut = random.between(0, bytes.length);
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => { if (!socket.destroyed) socket.write(bytes.subarray(cut)); });
  });
}

function garbage(random: Random): Buffer {
  const noise = (count: number): string => String.fromCharCode(...Array.from({ length: count }, () => random.between(0, 255)));
  const path = random.pick([
    '/order', '/orders?wallet=0x', '/markets', '/ws', '/%zz', `/${noise(20)}`, '*', 'http://x/order', '/../order', '/order/',
  ]);
  const method = random.pick(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'CONNECT', 'get', noise(3)]);
  const version = random.pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']);
  const body = random.pick(['', '{}', '{"wallet":', noise(200), '['.repeat(5_000), '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', '-1\r\n']);
  const length = random.pick([`Content-Length: ${body.length}`, 'Content-Length: -1', 'Content-Length: 99999999999999999999',
  'Content-Length: 5, 6',
    `Content-Length: ${body.length + 7}`, 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked', `X: ${noise(50)}`]);
  const extra = random.pick(['', 'Host: a\r\n', `Authorization: Bearer ${noise(40)}\r\n`, 'Content-Encoding: br\r\n',
  'Expect: 100-continue\r\n',
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n', `${noise(10)}: ${noise(10)}\r\n`,
    'X-Request-Id: a\u0000b\r\n', `Cookie: ${'c'.repeat(70_000)}\r\n`, ' folded: yes\r\n', '\r\r\n']);
  const request = `${method} ${path} ${version}\r\nHost: localhost\r\n${extra}${length}\r\n\r\n${body}`;
  const part = request.slice(0, random.between(0, request.length));
  return Buffer.from(random.pick([request, request, request + request, noise(random.between(1, 400)), part]), 'latin1');
}
