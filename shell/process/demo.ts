// The traders of `--demo`, as a thread of this process. Their errors are one line each, and the venue goes on.

import { Worker } from 'node:worker_threads';
import { log } from './observability/log.ts';

const ENTRY = import.meta.url.endsWith('.ts') ? '../../client/demo/thread.ts' : './threads/demo.js';
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

export function startDemo(url: string, token: string, seed: string): () => Promise<unknown> {
  const worker = new Worker(new URL(ENTRY, import.meta.url), { name: 'demo', workerData: { url, token, seed }, resourceLimits: MEMORY });
  worker.on('message', (text: string) => log('info', 'demo', `demo: ${text}`));
  worker.on('error', (error: Error) => log('warn', 'demo', `demo: it has ended, and the venue goes on: ${error.message}`));
  return () => worker.terminate();
}
