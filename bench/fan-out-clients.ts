// The subscribers of bench/fan-out.ts, in a process of their own: they subscribe one after the other and then read and forget. The
// last one stops reading when it is told to.

import type { Socket } from 'node:net';
import { pinToLastCore } from './machine.ts';
import { clientFrame, openSocket } from './socket-load.ts';

export type ToClients =
  | { readonly type: 'open'; readonly port: number; readonly wishes: readonly (readonly string[])[] }
  | { readonly type: 'cpu' } | { readonly type: 'stick' };
export type FromClients = { readonly type: 'open'; readonly pinned: string } | { readonly type: 'cpu'; readonly ms: number };

const SUBSCRIBED = Buffer.from('"Subscribed"');
const tell = (message: FromClients): void => void process.send!(message);
const sockets: Socket[] = [];

async function open(port: number, symbols: readonly string[], isLast: boolean): Promise<void> {
  let subscribed = (): void => undefined;
  let isWaiting = true;
  const socket = await openSocket(port, isLast ? '/ws?unwatched' : '/ws', (chunk) => {
    if (!isWaiting || !chunk.includes(SUBSCRIBED)) return;
    isWaiting = false;
    subscribed();
  });
  sockets.push(socket);
  await new Promise<void>((resolve) => {
    subscribed = resolve;
    socket.write(clientFrame(JSON.stringify({ type: 'Subscribe', channel: 'book', symbols })));
  });
}

async function openAll(port: number, wishes: readonly (readonly string[])[]): Promise<void> {
  const pinned = pinToLastCore();
  for (const [i, symbols] of wishes.entries()) await open(port, symbols, i === wishes.length - 1);
  tell({ type: 'open', pinned });
}

process.on('message', (message: ToClients) => {
  if (message.type === 'open') void openAll(message.port, message.wishes);
  else if (message.type === 'stick') sockets.at(-1)!.pause();
  else {
    const { user, system } = process.cpuUsage();
    tell({ type: 'cpu', ms: (user + system) / 1_000 });
  }
});
process.on('disconnect', () => process.exit());
