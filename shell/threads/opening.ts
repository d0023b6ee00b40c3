// How a thread opens its part of the data folder: what refuses it is said to main as the line to print, and the thread ends.
// Anything else that is thrown is a fault.

import { parentPort } from 'node:worker_threads';
import { endThread } from '../fatal.ts';
import { folderRefusal } from '../refusal.ts';

export function openOrRefuse<T>(dataFolder: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const refusal = folderRefusal(dataFolder, error);
    if (refusal === null) throw error;
    parentPort!.postMessage({ type: 'refused', text: refusal.message });
    endThread();
  }
}
