// The thread of test/transport/shown-head that says the heads of seqs 1 to `last`, one after the other.

import { parentPort, workerData } from 'node:worker_threads';
import { showHead } from '../../shell/transport/shown-head.ts';
import { headOf, type HeadWorkerData, type HeadWorkerReport } from './heads.ts';

const { shown, last } = workerData as HeadWorkerData;
for (let seq = 1; seq <= last; seq++) showHead(shown, headOf(seq));
parentPort!.postMessage({ said: last } satisfies HeadWorkerReport);
