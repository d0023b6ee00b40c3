// A bare WebSocket client: the upgrade, and frames that no library sends, such as control frames in a flood.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';

export const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];

/** A client that speaks only the upgrade, and answers no ping. Resolves with what it was sent until the end. */
export function mute(port: number, after: (socket: net.Socket) => void = () => undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const key = randomBytes(16).toString('base64');
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      const isFirst = received.length === 0;
      received = Buffer.concat([received, data]);
      if (!isFirst) return;
      assert.ok(received.includes(accept), 'the upgrade is accepted');
      after(socket);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(received.subarray(received.indexOf('\r\n\r\n') + 4)));
    socket.write(`GET /ws HTTP/1.1\r\nHost: localhost\r\n${upgradeHeaders(key)}\r\n`);
  });
}

export function upgradeHeaders(key: string): string {
  return `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n`;
}

export function maskedFrame(opcode: number, payload: string): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}
