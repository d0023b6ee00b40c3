// Reserves the venue's port. Api threads share it (SO_REUSEPORT), as another venue of the same user could, so it is first bound without
// sharing. One start at a time does so: it holds a name made from the port.

import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireName } from '../storage/abstract-socket.ts';
import { StartRefusal } from './start-refusal.ts';

const HELD_FOR_MS = 10_000;
const POLL_MS = 20;

/** `host`: the address that was bound; a host name may have several. */
type HeldPort = { readonly host: string; readonly port: number; release(): void };
type Bound = { readonly host: string; readonly port: number };

export async function holdPort(host: string, wanted: number): Promise<HeldPort> {
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
