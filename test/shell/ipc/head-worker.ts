// The thread of shared-head.test.ts that publishes the heads of seqs 1 to `last`, one after the other.

import { parentPort, workerData } from 'node:worker_threads';
import { SharedHead } from '../../../shell/ipc/shared-head.ts';
import { headOf, type HeadWorkerData, type HeadWorkerReport } from './heads.ts';

const { shown, last } = workerData as HeadWorkerData;
const head = new SharedHead(shown);
for (let seq = 1; seq <= last; seq++) head.publish(headOf(seq));
parentPort!.postMessage({ said: last } satisfies HeadWorkerReport);
