// A thread that writes a board on end, for the test that reads it meanwhile: each text says how long it is, so that one that is
// torn shows. Ends when it is told anything.

import { parentPort, workerData } from 'node:worker_threads';
import { SharedValue, type SharedValueDescription } from '../../../shell/ipc/shared-value.ts';

const board = new SharedValue<object>(workerData as SharedValueDescription);
let isOver = false;
parentPort!.on('message', () => { isOver = true; });

function turn(from: number): void {
  for (let count = from; count < from + 200; count++) {
    const length = (count * 997) % 8_000;
    board.publish({ count, length, text: '€'.repeat(length / 3) });
  }
  if (isOver) parentPort!.close();
  else setImmediate(turn, from + 200);
}
turn(1);
