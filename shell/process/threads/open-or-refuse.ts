// How a thread opens its part of the data folder: what refuses it is said to main as the line to print. Anything else that is
// thrown is a fault.

import { parentPort } from 'node:worker_threads';
import { endThread } from '../fatal.ts';
import { folderRefusal } from '../refusal.ts';

/** What is opened; a thread that is refused ends. */
export function openOrRefuse<T>(dataFolder: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    reportRefusal(dataFolder, error);
    endThread();
  }
}

/** Tells main that the folder refuses the start. Throws what is no refusal. */
export function reportRefusal(dataFolder: string, error: unknown): void {
  const refusal = folderRefusal(dataFolder, error);
  if (refusal === null) throw error;
  parentPort!.postMessage({ type: 'refused', text: refusal.message });
}
