// The history thread: stores the reader's batches and answers queries, over one port in order. Commits are rare, because a page of the
// file is then written once for many changes.

import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { steady } from '../clock.ts';
import { guardThread } from '../fatal.ts';
import { CommitScheduler } from '../../storage/history/commit-scheduler.ts';
import { isBackupQuery } from '../../ipc/backup.ts';
import { BackupSource } from '../../storage/backup/source.ts';
import { HistoryStore } from '../../storage/history/history-store.ts';
import { countRows, type Batch, type Close, type FromHistory, type ToHistory } from '../../storage/history/protocol.ts';
import { logAs } from '../observability/log.ts';
import { Meters } from '../observability/meters.ts';
import { startSampling } from '../observability/sampler.ts';
import { SharedCounters, startHeartbeat } from '../../ipc/counters.ts';
import { blockThread } from '../../ipc/block-thread.ts';
import { openOrRefuse } from './open-or-refuse.ts';
import type { Counters, Measures, Stall, ThreadSettings } from '../wiring.ts';

/** 27 us per order at 1,000 orders/s; 66 us with 50 ms. */
const GATHER_MS = 250;
const GATHER_ROWS = 8_192;
const GATHER_BATCHES = 8_192;

type Start = { port: MessagePort; counters: Counters; measures: Measures; settings: ThreadSettings };

guardThread('history');
const { port, counters, measures, settings } = workerData as Start;
logAs(settings.config.log, 'history');
const stopSampling = startSampling(new Meters(measures.meters, 'history'));
const shared = new SharedCounters(counters);
const applied = shared.counter('historyApplied');
const stopBeat = startHeartbeat(shared.counter('beatHistory'));
const store = openOrRefuse(settings.config.dataFolder, () => HistoryStore.open(settings.config.dataFolder, settings.venue));
const backup = new BackupSource(settings.config.dataFolder, settings.venue);
let gathered: Batch[] = [];
let rowCount = 0;
let gathering: NodeJS.Timeout | null = null;
const scheduler = new CommitScheduler();
let committing: NodeJS.Timeout | null = null;

function post(message: FromHistory): void {
  port.postMessage(message);
}

function gather(batch: Batch): void {
  gathered.push(batch);
  rowCount += countRows(batch.rows);
  if (rowCount >= GATHER_ROWS || gathered.length >= GATHER_BATCHES) take();
  else gathering ??= setTimeout(take, GATHER_MS);
}

function take(): void {
  if (gathering !== null) clearTimeout(gathering);
  gathering = null;
  if (gathered.length === 0) return;
  const seq = store.take(gathered);
  const wait = scheduler.take(rowCount, steady());
  gathered = [];
  rowCount = 0;
  applied.store(seq);
  post({ type: 'taken', seq });
  if (committing !== null) clearTimeout(committing);
  if (wait === 0) commit();
  else committing = setTimeout(commit, wait);
}

function commit(): void {
  committing = null;
  const from = steady();
  const seq = store.commit();
  scheduler.committed(from, steady());
  post({ type: 'committed', seq });
}

function close({ candles }: Close): void {
  take();
  if (committing !== null) clearTimeout(committing);
  if (committing !== null || candles.length > 0) post({ type: 'committed', seq: store.finish(candles) });
  backup.end();
  store.close();
  stopBeat();
  stopSampling();
  post({ type: 'closed' });
  port.close();
}

port.on('message', (message: ToHistory) => {
  if (message.type === 'batch') gather(message);
  else if (message.type === 'ask') {
    const { request, query } = message;
    const rows = isBackupQuery(query) ? [backup.answer(query)] : store.answer(query);
    post({ type: 'answered', request, appliedSeq: store.appliedSeq, rows });
  } else close(message);
});
applied.store(store.appliedSeq);
if (store.notice !== null) parentPort!.postMessage({ type: 'notice', text: store.notice });
post({ type: 'opened', appliedSeq: store.appliedSeq });
parentPort!.postMessage({ type: 'ready' });
parentPort!.on('message', (message: Stall) => blockThread(message.ms)).unref();
