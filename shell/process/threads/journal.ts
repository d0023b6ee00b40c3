// The journal thread: writes what gathered in the log ring during the last commit as one frame, then publishes how far the journal is
// durable. Frames grow with the load.

import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import { now, sharedSteady } from '../clock.ts';
import { fatal, guardThread } from '../fatal.ts';
import { writeHeadFile } from '../../storage/journal/head-file.ts';
import type { Head } from '../../storage/journal/chain.ts';
import { diskState, freeBytes, type DiskState } from '../../storage/journal/disk-space.ts';
import { DISK } from '../../storage/journal/files.ts';
import { segmentPath } from '../../storage/journal/segment.ts';
import type { ClusterStatus } from '../../ipc/cluster-status.ts';
import { SharedHead } from '../../ipc/shared-head.ts';
import { SharedValue } from '../../ipc/shared-value.ts';
import { JournalWriter, type CommitHooks } from '../../storage/journal/writer.ts';
import type { Digest } from '../../storage/journal/digests.ts';
import { journalAsLog, type AcceptedLog, type OfferedFrame } from '../../storage/replication/accepted-log.ts';
import { logAs } from '../observability/log.ts';
import { Meters } from '../observability/meters.ts';
import { startSampling } from '../observability/sampler.ts';
import { Doorbell, Ringer } from '../../ipc/doorbell.ts';
import { runConsumer, type ConsumerHandle } from '../../ipc/consumer-loop.ts';
import { SharedCounters, startHeartbeat } from '../../ipc/counters.ts';
import { blockThread } from '../../ipc/block-thread.ts';
import { ringConsumer, ringGauge } from '../../ipc/ring.ts';
import type { JoinedLog } from '../join-log.ts';
import { ClusterNode, type ToCluster } from './cluster-node.ts';
import { offerFrame } from './offer-frame.ts';
import { openOrRefuse } from './open-or-refuse.ts';
import { threadEntry } from './thread.ts';
import {
  DISK_STATES, LOG_JOURNAL, type Counters, type JournalWiring, type Measures, type Stall, type ThreadSettings,
} from '../wiring.ts';

/** WAL bytes at which the checkpointer starts, and an append checkpoints itself. */
const CHECKPOINT_BYTES = 4_194_304;
const WAL_BYTES = 134_217_728;
const DISK_EVERY_MS = 1_000;
const IDLE_EVERY_MS = 1_000;

type Start = { wiring: JournalWiring; counters: Counters; measures: Measures; settings: ThreadSettings; joined: JoinedLog | null };
type ToJournal = { type: 'digest' } & Digest | { type: 'stop' } | Stall | { type: 'disk'; state: DiskState } | ToCluster;

guardThread('journal');
const { wiring, counters, measures, settings, joined } = workerData as Start;
logAs(settings.config.log, 'journal');
const meters = new Meters(measures.meters, 'journal');
const stopSampling = startSampling(meters);
const shared = new SharedCounters(counters);
const durable = shared.counter('durable');
const blocked = shared.counter('blocked');
const disk = shared.counter('disk');
const log = ringConsumer(wiring.log, LOG_JOURNAL);
const sharedHead = new SharedHead(wiring.head);
const main = new Ringer(wiring.ringMain);
const reader = new Ringer(wiring.ringReader);
/** Only threads with replies wait; main rings for one that arrives after this check. */
const apis = wiring.ringApis.map((description, index) => (
  { ringer: new Ringer(description), waiting: ringGauge(wiring.replies[index]!, 0) }
));
const digests: Digest[] = [];
let stallAtCommit: Stall | null = null;
let consumer: ConsumerHandle | null = null;

const hooks: CommitHooks = { beforeCommit: stall };
const writer = openOrRefuse(settings.config.dataFolder, () => JournalWriter.open({
  dataFolder: settings.config.dataFolder, venue: settings.venue, behaviour: BEHAVIOUR, codec: CODEC,
  durability: settings.config.durability, time: now(), hooks, walBytes: WAL_BYTES, saveHead,
}));

/**
 * Two fsyncs of megabytes need a thread of their own. What arrived meanwhile is moved here, so that SQLite restarts the
 * WAL. Started late: a thread takes a tenth of a venue's start.
 */
let checkpointer: Worker | null = null;
let isCheckpointing = false;
let frames = 0;
let hasEnded = false;

function checkpointerThread(): Worker {
  if (checkpointer !== null) return checkpointer;
  checkpointer = new Worker(threadEntry('./checkpointer', import.meta.url), { name: 'checkpointer' });
  checkpointer.on('error', (error) => fatal('checkpointer', error));
  checkpointer.on('message', () => {
    isCheckpointing = false;
    if (!hasEnded) writer.checkpointIfIdle();
  });
  return checkpointer;
}

function saveHead(segment: number, { seq, hash }: Head): void {
  const { dataFolder } = settings.config;
  if (hasEnded) writeHeadFile(dataFolder, segment, { seq, hash }, DISK);
  else checkpointerThread().postMessage({ type: 'head', dataFolder, segment, seq, hash });
}

function requestCheckpoint(): void {
  if (isCheckpointing || writer.walBytes < CHECKPOINT_BYTES) return;
  isCheckpointing = true;
  checkpointerThread().postMessage({ type: 'checkpoint', path: segmentPath(settings.config.dataFolder, writer.segment.segment) });
}

function stall(): void {
  if (stallAtCommit === null) return;
  const { ms, gate } = stallAtCommit;
  stallAtCommit = null;
  blockThread(ms, gate);
}

function drain(): number {
  if (cluster?.tellReads() === true) for (const { ringer } of apis) ringer.ring();
  return offerFrame(log, accepted, takeDigests);
}

function write({ bytes, first, last, digests }: OfferedFrame): void {
  writer.append(bytes, first, last, digests);
  log.release();
  frames++;
  sharedHead.publish(writer.head);
  measure(first, last);
  durable.store(last);
  for (const { ringer, waiting } of apis) if (waiting() > 0) ringer.ring();
  reader.ring();
  if (blocked.load() === 1) main.ring();
  requestCheckpoint();
  cluster?.show();
}

/** Call before `durable` moves, so that whoever sees it finds the timestamps. */
function measure(firstSeq: number, lastSeq: number): void {
  const at = sharedSteady();
  for (let seq = firstSeq; seq <= lastSeq; seq++) {
    meters.observe('durable', (at - meters.timestamp(seq)) / 1_000);
    meters.setTimestamp(seq, at);
  }
}

function takeDigests(lastSeq: number): Digest[] {
  let count = 0;
  while (count < digests.length && digests[count]!.seq <= lastSeq) count++;
  return count === 0 ? [] : digests.splice(0, count);
}

const cluster = joined === null ? null : await ClusterNode.open({
  cluster: settings.config.cluster!, joined, dataFolder: settings.config.dataFolder, write, written: () => writer.head.seq,
  wake: () => consumer?.wake(), isDiskSound: () => disk.load() === DISK_STATES.ok, post: (message) => parentPort!.postMessage(message),
  counters: {
    role: shared.counter('role'), behind: shared.counter('behind'), confirmed: shared.counter('confirmed'),
    quorum: shared.counter('quorum'), epoch: shared.counter('epoch'), position: shared.counter('position'),
    asked: shared.counter('asked'), told: shared.counter('told'),
  },
  shown: new SharedValue<ClusterStatus>(measures.statuses.cluster),
});
const accepted: AcceptedLog = cluster?.log ?? journalAsLog(write);
const doorbell = new Doorbell(wiring.doorbell);
consumer = runConsumer({ doorbell, drain });
const stopBeat = startHeartbeat(shared.counter('beatJournal'));
const idling = setInterval(idle, IDLE_EVERY_MS);
const watching = setInterval(watchDisk, DISK_EVERY_MS);
watchDisk();
sharedHead.publish(writer.head);
parentPort!.postMessage({ type: 'ready', head: writer.head });

function idle(): void {
  writer.checkFiles();
  if (frames === 0) writer.checkpointIfIdle();
  frames = 0;
}

function setDiskForTest(state: DiskState): void {
  clearInterval(watching);
  disk.store(DISK_STATES[state]);
}

function watchDisk(): void {
  const free = freeBytes(settings.config.dataFolder);
  meters.set('diskFree', free);
  disk.store(DISK_STATES[diskState(free)]);
}

parentPort!.on('message', (message: ToJournal) => {
  if (message.type === 'digest') digests.push({ seq: message.seq, low: message.low, high: message.high });
  else if (message.type === 'stall') stallAtCommit = message;
  else if (message.type === 'disk') setDiskForTest(message.state);
  else if (message.type === 'applied' || message.type === 'prepared') cluster!.take(message);
  else void stop();
});

async function stop(): Promise<void> {
  while (drain() > 0) { /* main has closed the intake: what lies here is the end */ }
  consumer?.stop();
  await cluster?.stop();
  stopBeat();
  stopSampling();
  clearInterval(idling);
  clearInterval(watching);
  hasEnded = true;
  if (checkpointer !== null) {
    checkpointer.postMessage({ type: 'stop' });
    await once(checkpointer, 'exit');
  }
  writer.close();
  for (const ringer of [main, reader, ...apis.map((api) => api.ringer)]) ringer.close();
  parentPort!.postMessage({ type: 'stopped', head: writer.head });
  parentPort!.close();
}
