// A thread that is given a clock at its start and answers each message with the time by it, as the threads of a venue
// read theirs.

import { parentPort, workerData } from 'node:worker_threads';
import { followClock, now, type VenueClock } from '../../../shell/process/clock.ts';

followClock(workerData as VenueClock);
parentPort!.on('message', () => parentPort!.postMessage(now()));
