// Writes a shared value without pause, for a test that reads it meanwhile. Each text contains its own length, so that a torn one shows.
// Ends at any message.

import { parentPort, workerData } from 'node:worker_threads';
import { SharedValue, type SharedValueDescription } from '../../../shell/ipc/shared-value.ts';

const value = new SharedValue<object>(workerData as SharedValueDescription);
let isOver = false;
parentPort!.on('message', () => { isOver = true; });

function turn(from: number): void {
  for (let count = from; count < from + 200; count++) {
    const length = (count * 997) % 8_000;
    value.publish({ count, length, text: '€'.repeat(length / 3) });
  }
  if (isOver) parentPort!.close();
  else setImmediate(turn, from + 200);
}
turn(1);
