// A thread that gets a clock at its start, as a venue's threads do, and answers each message with the time.

import { parentPort, workerData } from 'node:worker_threads';
import { followClock, now, type VenueClock } from '../../../shell/process/clock.ts';

followClock(workerData as VenueClock);
parentPort!.on('message', () => parentPort!.postMessage(now()));
