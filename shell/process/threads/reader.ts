// The reader thread: recovers, applies the log as far as it is durable, and answers reads in between. A stop applies
// all durable commands, closes the history and writes a snapshot.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { usedBudget } from '../../../core/sequencer/rate-budgets.ts';
import { ORDERS } from '../../../core/codec/signed-commands.ts';
import { PRODUCTION } from '../../../core/limits.ts';
import { TIME } from '../../../core/engine/state.ts';
import { followClock, now, steady, type VenueClock } from '../clock.ts';
import { guardThread } from '../fatal.ts';
import type { Answered, FromHistory, HistoryQuery, Opened, ToHistory } from '../../storage/history/protocol.ts';
import type { Digest } from '../../storage/journal/digests.ts';
import type { MarketStatus } from '../../ipc/status.ts';
import { SharedValue } from '../../ipc/shared-value.ts';
import { budgetCells } from '../../ipc/shared-budgets.ts';
import { SharedHead } from '../../ipc/shared-head.ts';
import { ReadBudgets } from '../../reader/budgets.ts';
import { ReadQueue } from '../../reader/read-queue.ts';
import { ReaderLoop } from '../../reader/loop.ts';
import { marketStatus } from '../../reader/market/status.ts';
import { Outbox } from '../../reader/outbox.ts';
import type { Reader } from '../../reader/reader.ts';
import { recoverReader, statisticsOf } from '../../reader/catch-up.ts';
import { Snapshots } from '../../reader/snapshots.ts';
import { tierOfWallet } from '../../reader/text.ts';
import { Faults } from '../observability/faults.ts';
import { log, logAs } from '../observability/log.ts';
import { Meters } from '../observability/meters.ts';
import { startSampling } from '../observability/sampler.ts';
import { Doorbell, Ringer } from '../../ipc/doorbell.ts';
import { blockThread } from '../../ipc/block-thread.ts';
import { HeartbeatWatch, SharedCounters, startHeartbeat } from '../../ipc/counters.ts';
import { ringConsumer, ringProducer } from '../../ipc/ring.ts';
import { reportRefusal } from './open-or-refuse.ts';
import { LOG_READER, type Counters, type Measures, type ReaderWiring, type Stall, type ThreadSettings } from '../wiring.ts';

const PROGRESS_EVERY_MS = 2_000;
const HISTORY_LOOK_MS = 1;

type Start = {
  wiring: ReaderWiring; counters: Counters; measures: Measures; settings: ThreadSettings; recoverTo: number; skip: readonly number[];
};
type ToReader = { type: 'digest' } & Digest | { type: 'stop' } | Stall | { type: 'clock'; clock: VenueClock };

guardThread('reader');
const { wiring, counters, measures, settings, recoverTo, skip } = workerData as Start;
logAs(settings.config.log, 'reader');
const { dataFolder, chainId, serviceName, rateLimits, table } = settings.config;
const shared = new SharedCounters(counters);
const left = shared.counter('startCancelled');
const main = new Ringer(wiring.ringMain);
const sharedHead = new SharedHead(wiring.head);
const orderBudgets = budgetCells(wiring.budgets);
const outboxes = wiring.answers.map((ring, api) => (
  new Outbox(
    ringProducer(ring), wiring.large[api]!, new Ringer(wiring.ringApis[api]!), heartbeatOf(wiring.beats[api]!), steady,
  )
));
const faults = new Faults('reader');
const meters = new Meters(measures.meters, 'reader');
const statusValue = new SharedValue<MarketStatus>(measures.statuses.reader);
let showMarket = (): void => undefined;
const stopSampling = startSampling(meters, () => {
  meters.set('faults', faults.count);
  faults.beginSecond();
  showMarket();
});
const stopBeat = startHeartbeat(shared.counter('beatReader'));
const early: ToReader[] = [];
let onMain = (message: ToReader): void => void early.push(message);
parentPort!.on('message', (message: ToReader) => onMain(message));
try {
  await start();
} catch (error) {
  refuse(error);
}

async function start(): Promise<void> {
  const { appliedSeq } = await nextFromHistory() as Opened;
  const statistics = await statisticsOf(askHistory);
  const { reader } = recoverReader({
    dataFolder, limits: PRODUCTION, recoverTo, skip, historySeq: appliedSeq, statistics, now, awaitHistory,
    onProgress: progressOf(appliedSeq), isCancelled: () => left.load() === 1,
    onSnapshotDamage: ({ message }) => log('warn', 'snapshot', `${message}; recovery goes on without it`),
    onPublishError: (seq, error) => faults.report(`command ${seq} was applied, but its output could not be published in full`, error),
    exchange: {
      chainId, serviceName, venue: settings.venue, table, isRated: rateLimits === 'on', head: () => sharedHead.read(),
      ordersUsed: (account) => usedBudget(orderBudgets, account, ORDERS, now()),
    },
    toHistory: (message) => wiring.history.postMessage(message),
    toApi: (api, topic, seq, message, also) => outboxes[api]!.stream(topic, seq, message, also),
  });
  const durable = shared.counter('durable');
  const applied = shared.counter('applied');
  applied.store(reader.applied);
  const reads = new ReadQueue({
    reader, durable: () => durable.load(), steady,
    budgets: new ReadBudgets({ table, isRated: rateLimits === 'on', now, tierOf: (wallet) => tierOfWallet(reader.state, wallet) }),
    give: (api, request, { status, body, seq }, budget) => (
      outboxes[api]!.answer(request, status, typeof body === 'string' ? Buffer.from(body) : body, { budget, seq })
    ),
    fault: faults.report,
  });
  const snapshots = new Snapshots(dataFolder, notice);
  // The next command journals what was skipped, which a start from an earlier snapshot would miss.
  if (skip.length > 0) snapshots.skip(recoverTo);
  const loop = new ReaderLoop({
    reader, reads, snapshots, log: ringConsumer(wiring.log, LOG_READER),
    queries: wiring.queries.map((ring) => ringConsumer(ring, 0)), outboxes, doorbell: new Doorbell(wiring.doorbell), main, durable,
    applied, blocked: shared.counter('blocked'), steady,
  });
  wiring.history.on('message', (message: FromHistory) => loop.fromHistory(message));
  onMain = (message) => {
    if (message.type === 'digest') loop.digest(message);
    else if (message.type === 'stall') blockThread(message.ms);
    else if (message.type === 'clock') follow(message.clock);
    else loop.stop(end);
  };
  early.forEach(onMain);
  const since = reader.state.clock[TIME]!;
  showMarket = () => statusValue.publish(marketStatus(reader.state, since, Math.max(now(), reader.state.clock[TIME]!)));
  showMarket();
  shared.counter('readerReady').store(1);
  parentPort!.postMessage({ type: 'ready', seq: reader.applied });
}

function refuse(error: unknown): void {
  reportRefusal(dataFolder, error);
  onMain = (message) => {
    if (message.type !== 'stop') return;
    wiring.history.postMessage({ type: 'close', candles: [] } satisfies ToHistory);
    end();
  };
  early.forEach(onMain);
}

function follow(clock: VenueClock): void {
  followClock(clock);
  parentPort!.postMessage({ type: 'clock-followed' });
}

function progressOf(historySeq: number): (seq: number) => void {
  let next = steady() + PROGRESS_EVERY_MS;
  return (seq) => {
    if (steady() < next || seq <= historySeq) return;
    next = steady() + PROGRESS_EVERY_MS;
    const text = `made from the journal up to command ${seq} of ${recoverTo}, ${Math.floor(100 * seq / recoverTo)} %`;
    log('info', 'history', text, { seq, recover_to: recoverTo });
  };
}

function heartbeatOf(beat: ReaderWiring['beats'][number]): HeartbeatWatch {
  return new HeartbeatWatch(new SharedCounters(beat).counter('beat'), steady());
}

function notice(line: string): void {
  log('warn', 'snapshot', line);
}

function end(): void {
  stopBeat();
  stopSampling();
  main.close();
  for (const outbox of outboxes) outbox.close();
  wiring.history.close();
  parentPort!.postMessage({ type: 'stopped' });
  parentPort!.close();
}

function nextFromHistory(): Promise<FromHistory> {
  return new Promise((resolve) => wiring.history.once('message', resolve));
}

async function askHistory(query: HistoryQuery): Promise<readonly object[]> {
  wiring.history.postMessage({ type: 'ask', request: 0, query } satisfies ToHistory);
  return (await nextFromHistory() as Answered).rows;
}

function awaitHistory(reader: Reader): void {
  for (;;) {
    const received = receiveMessageOnPort(wiring.history) as { message: FromHistory } | undefined;
    if (received === undefined) {
      blockThread(HISTORY_LOOK_MS);
      continue;
    }
    reader.history.receive(received.message);
    return;
  }
}
