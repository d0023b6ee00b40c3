// Worker threads for the transport tests: start, one answer each, and a watchdog that turns a hang into a failure.

import { Worker, type Transferable } from 'node:worker_threads';

/** Generous: only a hang takes this long. */
const WATCHDOG_MS = 120_000;

export type Started<Answer> = { readonly answer: Promise<Answer>; readonly stop: () => Promise<unknown> };

/** Starts `file` (beside this one); `answer` is its first message, or its error, or the watchdog's. */
export function startWorker<Answer>(file: string, workerData: unknown, transferList: Transferable[] = []): Started<Answer> {
  const worker = new Worker(new URL(file, import.meta.url), { workerData, transferList });
  const answer = new Promise<Answer>((resolve, reject) => {
    const watchdog = setTimeout(() => reject(new Error(`${file} hangs`)), WATCHDOG_MS);
    worker.once('message', (message: Answer) => resolve(message));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(watchdog);
      reject(new Error(`${file} left without an answer`));
    });
  });
  answer.catch(() => undefined);
  return { answer, stop: () => worker.terminate() };
}
