// Moves the WAL of the newest segment into the main file while commits go on (PASSIVE checkpoints wait for nobody).
// While it runs, only it writes `head.json`.

import { parentPort } from 'node:worker_threads';
import { guardThread } from '../fatal.ts';
import { writeHeadFile } from '../../storage/journal/head-file.ts';
import { checkpointPassively } from '../../storage/journal/checkpoint.ts';
import { DISK } from '../../storage/journal/files.ts';

type ToCheckpointer =
  | { type: 'checkpoint'; path: string }
  | { type: 'head'; dataFolder: string; segment: number; seq: number; hash: Uint8Array }
  | { type: 'stop' };

guardThread('checkpointer');
const port = parentPort!;
port.on('message', (message: ToCheckpointer) => {
  if (message.type === 'stop') {
    port.close();
  } else if (message.type === 'head') {
    const { dataFolder, segment, seq, hash } = message;
    writeHeadFile(dataFolder, segment, { seq, hash }, DISK);
  } else {
    checkpointPassively(message.path);
    port.postMessage({ type: 'done' });
  }
});
