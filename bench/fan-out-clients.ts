// The subscribers of bench/fan-out.ts, in a process of their own. They subscribe one after the other; then received bytes are read from
// the sockets every 20 ms and discarded, so that the clients take little time from the venue's machine. Pings are discarded too, because
// unsolicited pongs keep a connection open as well. The last subscriber stops and resumes reading on request. Times in ms.

import { readSync } from 'node:fs';
import { pinToLastCore } from './machine.ts';
import { clientFrame, openSocket } from './socket-load.ts';

export type ToClients =
  | { readonly type: 'open'; readonly port: number; readonly wishes: readonly (readonly string[])[] }
  | { readonly type: 'cpu' } | { readonly type: 'stick' } | { readonly type: 'read' };
export type FromClients =
  | { readonly type: 'open'; readonly pinned: string } | { readonly type: 'cpu'; readonly ms: number } | { readonly type: 'done' };

const READ_EVERY = 20;
/** The venue closes a silent connection after 60 s. */
const PONG_EVERY = 15_000;
/** An empty client frame with a mask of zeros. */
const PONG = Uint8Array.of(0x8a, 0x80, 0, 0, 0, 0);
const SUBSCRIBED = Buffer.from('"Subscribed"');
const tell = (message: FromClients): void => void process.send!(message);
const buffer = Buffer.alloc(65_536);
/** File descriptors of the sockets. */
const files: number[] = [];
let isLastStuck = false;

async function open(port: number, symbols: readonly string[], isLast: boolean): Promise<void> {
  let subscribed = (): void => undefined;
  const socket = await openSocket(port, isLast ? '/ws?unwatched' : '/ws', (chunk) => {
    if (chunk.includes(SUBSCRIBED)) subscribed();
  });
  await new Promise<void>((resolve) => {
    subscribed = resolve;
    socket.write(clientFrame(JSON.stringify({ type: 'Subscribe', channel: 'book', symbols })));
  });
  socket.pause();
  setInterval(() => socket.write(PONG), PONG_EVERY);
  files.push((socket as unknown as { _handle: { fd: number } })._handle.fd);
}

async function openAll(port: number, wishes: readonly (readonly string[])[]): Promise<void> {
  const pinned = pinToLastCore();
  // A read without data throws; the stack trace is not needed.
  Error.stackTraceLimit = 0;
  setInterval(readAll, READ_EVERY);
  for (const [i, symbols] of wishes.entries()) await open(port, symbols, i === wishes.length - 1);
  tell({ type: 'open', pinned });
}

function readAll(): void {
  for (let i = 0; i < (isLastStuck ? files.length - 1 : files.length); i++) read(files[i]!);
}

function read(file: number): void {
  try {
    while (readSync(file, buffer) === buffer.length) { /* there is more */ }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}

process.on('message', (message: ToClients) => {
  if (message.type === 'open') void openAll(message.port, message.wishes);
  else if (message.type === 'cpu') {
    const { user, system } = process.cpuUsage();
    tell({ type: 'cpu', ms: (user + system) / 1_000 });
  } else {
    isLastStuck = message.type === 'stick';
    tell({ type: 'done' });
  }
});
process.on('disconnect', () => process.exit());
