// A connection that holds a segment exclusively for a moment, as the last connection of a segment does while it closes.

import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { blockThread } from '../../../../shell/ipc/block-thread.ts';

const { path, ms } = workerData as { path: string; ms: number };
const db = new Database(path, { fileMustExist: true });
db.pragma('locking_mode=EXCLUSIVE');
db.exec('BEGIN EXCLUSIVE');
parentPort!.postMessage('held');
blockThread(ms);
db.close();
