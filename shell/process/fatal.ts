// Ends a process that cannot go on: one synchronous line, then SIGKILL. process.exit would abort inside uWebSockets.js, and an
// unsure venue must not send anything more.

import { log } from './observability/log.ts';

export function fatal(thread: string, error: unknown): never {
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  log('error', 'fatal', `fatal in ${thread}: ${text}`);
  process.kill(process.pid, 'SIGKILL');
  throw error;
}

export function guardThread(thread: string): void {
  process.on('uncaughtException', (error) => fatal(thread, error));
  process.on('unhandledRejection', (error) => fatal(thread, error));
}

/** Never call it while the thread has open sockets. */
export function endThread(): never {
  process.exit(0);
}
