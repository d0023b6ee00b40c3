// Locks by name: Linux abstract sockets, which nobody can remove and which end with the process. Each network namespace, so each
// container, has its own.

import { createServer } from 'node:net';

export async function acquireName(name: string): Promise<(() => void) | null> {
  if (process.platform !== 'linux') return () => undefined;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: `\0strikebook-${name}` }, resolve);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
  server.unref();
  return () => server.close();
}
