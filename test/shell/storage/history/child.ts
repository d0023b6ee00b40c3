// A process that a test kills: `child.ts <data folder> <commands>` runs the history thread and sends it batches of so many commands,
// starting at its store's seq; the rows follow from their seq. It writes what it was told to standard output, synchronously after the
// fact.

import * as fs from 'node:fs';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { FromHistory } from '../../../../shell/storage/history/protocol.ts';
import { createMeters } from '../../../../shell/process/observability/meters.ts';
import { createCounters } from '../../../../shell/ipc/counters.ts';
import { VENUE, batchOf } from './support.ts';

/** Batches on their way at once. */
const UNDERWAY = 10;

const [dataFolder, commands] = process.argv.slice(2) as [string, string];
const batch = Number(commands);
const { port1, port2 } = new MessageChannel();
const counters = createCounters(['historyApplied', 'beatHistory'] as const);
new Worker(new URL('../../../../shell/process/threads/history.ts', import.meta.url), {
  workerData: {
    port: port2, counters, measures: { meters: createMeters(['history']), rings: [] },
    settings: { config: { dataFolder, log: 'text' }, venue: VENUE, token: '' },
  },
  transferList: [port2],
});

let sent = 0;

function send(taken: number): void {
  while (sent < taken + batch * UNDERWAY) {
    port1.postMessage(batchOf(sent + 1, sent + batch));
    sent += batch;
  }
}

port1.on('message', (message: FromHistory) => {
  if (message.type === 'opened') sent = message.appliedSeq;
  if (message.type !== 'opened' && message.type !== 'committed' && message.type !== 'taken') return;
  const seq = message.type === 'opened' ? message.appliedSeq : message.seq;
  fs.writeSync(1, `${message.type} ${seq}\n`);
  if (message.type !== 'committed') send(seq);
});
