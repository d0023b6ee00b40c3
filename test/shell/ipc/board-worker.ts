// A thread that writes a board on end, for the test that reads it meanwhile: each text says how long it is, so that one that is
// torn shows. Ends when it is told anything.

import { parentPort, workerData } from 'node:worker_threads';
import { Board, type BoardDescription } from '../../../shell/ipc/board.ts';

const board = new Board<object>(workerData as BoardDescription);
let isOver = false;
parentPort!.on('message', () => { isOver = true; });

function turn(from: number): void {
  for (let count = from; count < from + 200; count++) {
    const length = (count * 997) % 8_000;
    board.show({ count, length, text: '€'.repeat(length / 3) });
  }
  if (isOver) parentPort!.close();
  else setImmediate(turn, from + 200);
}
turn(1);
