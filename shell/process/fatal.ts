// The end of the process when it cannot go on: one line, written synchronously, then SIGKILL to itself. Leaving through
// process.exit would abort inside uWebSockets.js; and a venue that is unsure must not say another word to anyone.

import { log } from './observability/log.ts';

/** Says what failed in which thread and ends the process at once. */
export function fatal(thread: string, error: unknown): never {
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  log('error', 'fatal', `fatal in ${thread}: ${text}`);
  process.kill(process.pid, 'SIGKILL');
  throw error;
}

/** Makes every error that nothing caught in this thread fatal. */
export function guardThread(thread: string): void {
  process.on('uncaughtException', (error) => fatal(thread, error));
  process.on('unhandledRejection', (error) => fatal(thread, error));
}

/** Ends this thread and not the process; what it has said to main is delivered. Never with an edge open. */
export function endThread(): never {
  process.exit(0);
}
