// Names that a process holds and that go with it, however it ends: abstract sockets of Linux, which nobody can remove. They are of a
// network namespace, so two containers do not see each other's. On other systems there are none, and every name is free.

import { createServer } from 'node:net';

/** Holds the name until the release that it answers; null: another process, or this one, has it. */
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
