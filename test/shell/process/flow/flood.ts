// Floods a venue with control frames from its own thread: a number of sockets of one network source, which reconnect when closed, until
// the thread is ended. Posts 'flooding' once that many have been closed. workerData: { port, opcode }.

import net from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { maskedFrame, upgradeHeaders } from '../../http/server/frames.ts';

const SOCKETS = 24;
const { port, opcode } = workerData as { port: number; opcode: number };
const request = `GET /ws HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.1\r\n${upgradeHeaders('dGhlIHNhbXBsZSBub25jZQ==')}\r\n`;
const flood = Buffer.concat(Array<Buffer>(40_000).fill(maskedFrame(opcode, '')));
let ends = 0;

function open(): void {
  const socket = net.connect(port, '127.0.0.1');
  const pump = (): void => { while (socket.writable && socket.write(flood)); };
  socket.once('data', () => {
    socket.on('drain', pump);
    pump();
  });
  socket.resume();
  // A reset is how many of them end; while the venue stops nothing listens any more.
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    if (++ends === SOCKETS) parentPort!.postMessage('flooding');
    setTimeout(open, 5);
  });
  socket.write(request);
}

for (let i = 0; i < SOCKETS; i++) open();
