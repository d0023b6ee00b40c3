// Opens a thread's part of the data folder. Main prints a refusal, and the thread ends; any other error is a fault.

import { parentPort } from 'node:worker_threads';
import { endThread } from '../fatal.ts';
import { folderRefusal } from '../start-refusal.ts';

export function openOrRefuse<T>(dataFolder: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    reportRefusal(dataFolder, error);
    endThread();
  }
}

export function reportRefusal(dataFolder: string, error: unknown): void {
  const refusal = folderRefusal(dataFolder, error);
  if (refusal === null) throw error;
  parentPort!.postMessage({ type: 'refused', text: refusal.message });
}
