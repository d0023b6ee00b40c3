// Whether the venue can have its port. The api threads share it (SO_REUSEPORT), and so could another venue of the same user: a
// port is free if it can be bound without sharing. Between that look and the threads' listening another start may look too, so
// only one at a time does: it holds a name made of the port (shell/storage/abstract-socket.ts), of the same network namespace as the port.

import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireName } from '../storage/abstract-socket.ts';
import { StartRefusal } from './start-refusal.ts';

const HELD_FOR_MS = 10_000;
const POLL_MS = 20;

/**
 * A port that nobody listens on, and nobody else starts on before `release`. `host` is the address that was looked at: a name may have
 * several, and what listens on it by the name may choose another one.
 */
type HeldPort = { readonly host: string; readonly port: number; release(): void };
type Bound = { readonly host: string; readonly port: number };

/** Port 0 picks one. Throws Refusal where the port is in use or cannot be bound. */
export async function holdPort(host: string, wanted: number): Promise<HeldPort> {
  // Looked at out of turn it would be taken, for that moment, from the start that is just about to listen on it.
  const port = wanted === 0 ? (await bindOnce(host, 0)).port : wanted;
  const release = await takePortName(port);
  try {
    const bound = await bindOnce(host, port);
    return { ...bound, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function bindOnce(host: string, port: number): Promise<Bound> {
  try {
    const server = await listening({ host, port, exclusive: true });
    const { address, port: bound } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return { host: address, port: bound };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartRefusal(code === 'EADDRINUSE' ? `port ${port} on ${host} is in use` : `cannot listen on ${host}:${port}: ${message}`);
  }
}

/** Waits while another start has the turn: that may be on another address, and both are right. Answers its end. */
async function takePortName(port: number): Promise<() => void> {
  for (let waited = 0; waited < HELD_FOR_MS; waited += POLL_MS) {
    const release = await acquireName(`${process.getuid?.() ?? 0}-${port}`);
    if (release !== null) return release;
    await sleep(POLL_MS);
  }
  throw new StartRefusal(`port ${port} is in use: another venue has been starting on it for ${HELD_FOR_MS / 1_000} s`);
}

function listening(options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(options, () => resolve(server));
  });
}
