// The thread of test/shell/ipc/shown-head that says the heads of seqs 1 to `last`, one after the other.

import { parentPort, workerData } from 'node:worker_threads';
import { ShownHead } from '../../../shell/ipc/shown-head.ts';
import { headOf, type HeadWorkerData, type HeadWorkerReport } from './heads.ts';

const { shown, last } = workerData as HeadWorkerData;
const head = new ShownHead(shown);
for (let seq = 1; seq <= last; seq++) head.show(headOf(seq));
parentPort!.postMessage({ said: last } satisfies HeadWorkerReport);
