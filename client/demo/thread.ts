// The demo as a thread of a venue's process, with which it ends. It knows the venue by its address alone. Keys follow from the seed, so a
// restart finds the same wallets.

import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { DemoMarket } from './market.ts';

const { url, token, seed } = workerData as { readonly url: string; readonly token: string; readonly seed: string };

const market = new DemoMarket({
  url, token, keyOf: (name) => createHash('sha256').update(`${seed} ${name}`).digest('hex'), say: (text) => parentPort!.postMessage(text),
});
await market.open();
await market.ended;
