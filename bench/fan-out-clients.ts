// The subscribers of bench/fan-out.ts, in a process of their own: they subscribe one after the other, and then what has come is read
// and forgotten every 20 ms, straight from the sockets. Clients of other machines cost this one no wake-up for each packet, and
// these should take little of it. The last one stops reading when it is told to. Times in ms.

import { readSync } from 'node:fs';
import { pinToLastCore } from './machine.ts';
import { clientFrame, openSocket } from './socket-load.ts';

export type ToClients =
  | { readonly type: 'open'; readonly port: number; readonly wishes: readonly (readonly string[])[] }
  | { readonly type: 'cpu' } | { readonly type: 'stick' };
export type FromClients = { readonly type: 'open'; readonly pinned: string } | { readonly type: 'cpu'; readonly ms: number };

const READ_EVERY = 20;
const SUBSCRIBED = Buffer.from('"Subscribed"');
const tell = (message: FromClients): void => void process.send!(message);
const buffer = Buffer.alloc(65_536);
/** Files of the sockets that read. */
const files: number[] = [];

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
  files.push((socket as unknown as { _handle: { fd: number } })._handle.fd);
}

async function openAll(port: number, wishes: readonly (readonly string[])[]): Promise<void> {
  const pinned = pinToLastCore();
  // Nothing to be read is an error, and nobody looks at where.
  Error.stackTraceLimit = 0;
  setInterval(() => files.forEach(read), READ_EVERY);
  for (const [i, symbols] of wishes.entries()) await open(port, symbols, i === wishes.length - 1);
  tell({ type: 'open', pinned });
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
  else if (message.type === 'stick') files.pop();
  else {
    const { user, system } = process.cpuUsage();
    tell({ type: 'cpu', ms: (user + system) / 1_000 });
  }
});
process.on('disconnect', () => process.exit());
