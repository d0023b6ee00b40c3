// The threads of bench/fan-out.ts. `core`: the sequencer with its core makes 20,000 book changes a second, durable at once. `reader`: the
// venue's reader thread, its loop, streams and rings, on a core of its own. `api`: the venue's api thread with its service and edge; its
// sockets record a sample for each change in a finished write. The slow consumer's socket records none. It is filled first, because the
// kernel buffers megabytes before the venue notices a client that does not read. Times in ms of the machine's monotonic clock.

import { parentPort, workerData } from 'node:worker_threads';
import { RECORD_BYTES } from '../core/limits.ts';
import { SEQ } from '../core/engine/state.ts';
import { createSequencer, takeCommand } from '../core/sequencer/sequencer.ts';
import { BUY, CONTRACT, GTC, SELL, USDC } from '../core/units.ts';
import { loadBackend } from '../shell/api/auth/recover-signer.ts';
import { BOUNDS } from '../shell/http/limits.ts';
import { createService } from '../shell/process/threads/service.ts';
import { sharedSteady, steady } from '../shell/process/clock.ts';
import { readConfig, type Config } from '../shell/process/config.ts';
import { openEdge } from '../shell/http/server/edge.ts';
import type { Socket, SocketEndpoint } from '../shell/http/server/sockets.ts';
import { ReadBudgets } from '../shell/reader/budgets.ts';
import { ReadQueue } from '../shell/reader/read-queue.ts';
import { ReaderLoop } from '../shell/reader/loop.ts';
import { Outbox } from '../shell/reader/outbox.ts';
import { Reader } from '../shell/reader/reader.ts';
import type { Snapshots } from '../shell/reader/snapshots.ts';
import { Statistics } from '../shell/reader/market/statistics.ts';
import { Names } from '../shell/reader/text.ts';
import { LOG_JOURNAL, LOG_READER, type CounterName } from '../shell/process/wiring.ts';
import { runConsumer } from '../shell/ipc/consumer-loop.ts';
import { HeartbeatWatch, SharedCounters, startHeartbeat } from '../shell/ipc/counters.ts';
import { Doorbell, Ringer } from '../shell/ipc/doorbell.ts';
import { ringConsumer, ringProducer } from '../shell/ipc/ring.ts';
import { Random } from '../test/sim/random.ts';
import {
  BUCKETS, BUCKETS_PER_MS, Changes, INSTRUMENTS, MOMENTS, NONE, type ApiStart, type CoreStart, type FromThread, type ReaderStart,
  type ToThread,
} from './fan-out-shared.ts';
import { NOW, openVenue } from './venue.ts';

const UNDERLYINGS = { BTC: 100_000, ETH: 3_500, SOL: 150, XRP: 2, DOGE: 1 };
const MAKERS = 64;
const FILL_BYTES = 65_536;

const start = workerData as CoreStart | ReaderStart | ApiStart;
const counters = new SharedCounters<CounterName>(start.counters);
const moments = new Float64Array(start.moments);
const tell = (message: FromThread): void => parentPort!.postMessage(message);
let onStart: (rate: number) => void = () => undefined;
let onStop: () => void = () => undefined;
/** The slow consumer. */
let unwatched: Socket | null = null;
parentPort!.on('message', (message: ToThread) => {
  if (message.type === 'start') return onStart(message.rate);
  if (message.type === 'stop') {
    onStop();
    return tell({ type: 'stopped' });
  }
  if (message.type === 'fill') fill(unwatched!);
  if (message.type === 'fill' || message.type === 'unread') return tell({ type: 'unread', bytes: unwatched!.bufferedBytes() });
  const { user, system } = (process as unknown as { threadCpuUsage(): NodeJS.CpuUsage }).threadCpuUsage();
  tell({ type: 'cpu', ms: (user + system) / 1_000 });
});
if (start.role === 'core') runCore(start);
else if (start.role === 'reader') runReader(start);
else runApi(start);

function runCore({ log, ringReader }: CoreStart): void {
  const venue = openVenue(UNDERLYINGS);
  const { state, write, reply } = venue;
  const ring = ringProducer(log);
  /** Drains the log in place of the journal; otherwise it would be full after some sixteen seconds. */
  const unread = ringConsumer(log, LOG_JOURNAL);
  const port = {
    views: ring.views, hasRoom: () => ring.room() >= RECORD_BYTES, claim: (bytes: number) => ring.claim(bytes),
    commit: () => ring.publish(),
  };
  const sequencer = createSequencer(state, venue.sequencer.admission, port);
  const names = new Names(state);
  const { expiry, strike, kind, underlying } = state.instruments;
  const nonces = new Array<number>(MAKERS).fill(0);
  /** The resting order of each instrument, 0 for none. */
  const resting = new Float64Array(INSTRUMENTS);
  const owners = new Uint8Array(INSTRUMENTS);
  const durable = counters.counter('durable');
  const bell = new Ringer(ringReader);
  const chance = new Random(7);
  const random = (below: number): number => chance.between(0, below - 1);
  const change = (): void => {
    const slot = random(INSTRUMENTS);
    const wallet = owners[slot] = resting[slot] === 0 ? random(MAKERS) : owners[slot]!;
    const nonce = ++nonces[wallet]!;
    const isNew = resting[slot] === 0;
    const views = isNew
      ? write.place({
        wallet, nonce, underlying: names.underlying(underlying[slot]!), expiry: expiry[slot]!, strike: strike[slot]!, kind: kind[slot]!,
        side: random(2) === 0 ? BUY : SELL, price: (100 + random(50)) * USDC / 100, size: CONTRACT / 10, tif: GTC,
      })
      : write.cancel(wallet, nonce, resting[slot]!);
    if (!takeCommand(sequencer, views, 0, NOW, reply)) throw new Error('the log is full');
    if (state.result.code !== 0) throw new Error(`refused: ${state.result.code}`);
    resting[slot] = isNew ? state.result.numbers[0]! : 0;
    moments[slot * MOMENTS + state.streams.books[slot]! % MOMENTS] = sharedSteady();
  };
  tell({ type: 'ready', symbols: Array.from({ length: INSTRUMENTS }, (_, slot) => names.symbol(slot)) });
  onStart = (rate) => {
    const from = sharedSteady();
    let done = 0;
    setInterval(() => {
      for (const due = (sharedSteady() - from) * rate / 1_000; done < due; done++) change();
      while (unread.next() >= 0);
      unread.release();
      durable.store(state.clock[SEQ]!);
      bell.ring();
    }, 1);
  };
}

function runReader({ wiring }: ReaderStart): void {
  const { state } = openVenue(UNDERLYINGS);
  const outboxes = wiring.answers.map((ring, api) => (
    new Outbox(
      ringProducer(ring), wiring.large[api]!, new Ringer(wiring.ringApis[api]!),
      new HeartbeatWatch(new SharedCounters(wiring.beats[api]!).counter('beat'), steady()), steady,
    )
  ));
  const { table } = configOf();
  const reader = new Reader({
    state, historySeq: Number.MAX_SAFE_INTEGER, statistics: new Statistics(), now: () => NOW, toHistory: () => undefined,
    exchange: {
      chainId: 1, serviceName: 'bench', venue: '00', head: () => ({ seq: 0, hash: new Uint8Array(32) }), ordersUsed: () => 0, table,
      isRated: false,
    },
    toApi: (api, topic, seq, message) => outboxes[api]!.stream(topic, seq, message),
  });
  const durable = counters.counter('durable');
  durable.store(state.clock[SEQ]!);
  const reads = new ReadQueue({
    reader, durable: () => durable.load(), steady, budgets: new ReadBudgets({ table, isRated: false, now: () => NOW, tierOf: () => 0 }),
    give: (api, request, { status, body }, budget) => outboxes[api]!.answer(request, status, Buffer.from(body), { budget }),
    fault: (_, error) => { throw error; },
  });
  void new ReaderLoop({
    reader, reads, snapshots: { isDue: () => false } as unknown as Snapshots, log: ringConsumer(wiring.log, LOG_READER),
    queries: wiring.queries.map((ring) => ringConsumer(ring, 0)), outboxes, doorbell: new Doorbell(wiring.doorbell),
    main: new Ringer(wiring.ringMain), durable, applied: counters.counter('applied'),
    blocked: counters.counter('blocked'), steady,
  });
  tell({ type: 'ready' });
}

function configOf(): Config {
  const config = readConfig(['--rate-limits', 'off', '--admin-token', 'a-token-of-the-bench', '--feed', 'manual'], {});
  if ('help' in config) throw new Error('no config');
  return config;
}

function runApi({ wiring, measures, samples, totals }: ApiStart): void {
  counters.counter('mainReady').store(1);
  counters.counter('readerReady').store(1);
  const fault = (place: string, error: unknown): void => { throw new Error(place, { cause: error }); };
  const service = createService({
    wiring, counters, measures, settings: { config: configOf(), venue: '00', token: 'a-token-of-the-bench' }, backend: loadBackend(),
    now: () => NOW, steady, post: () => undefined, fault,
  });
  const edge = openEdge({
    host: '127.0.0.1', port: 0, route: service.route, trustProxy: false, cors: null, onFault: fault,
    sockets: watched(service.endpoint, new Uint32Array(samples), new Float64Array(totals)),
  });
  runConsumer({
    doorbell: new Doorbell(wiring.doorbell), drain: service.drain, recordsPerTurn: BOUNDS.turnRecords, isBusy: service.isBusy,
  });
  setInterval(service.sweep, 250);
  startHeartbeat(new SharedCounters(wiring.beat).counter('beat'));
  // An open edge would abort the process at its end.
  onStop = () => edge.close();
  tell({ type: 'ready', port: edge.port });
}

function fill(socket: Socket): void {
  while (socket.bufferedBytes() <= BOUNDS.bookBacklog) {
    if (socket.send(' '.repeat(FILL_BYTES)) === 'closed') throw new Error('the last subscriber is gone');
  }
}

/** A message and the times of the changes that it carries. All subscribers get the same bytes. */
type Known = Uint8Array & { made?: readonly number[] };
/**
 * The endpoint with sockets that record when a message was written. The last socket to open is left out, because it may be
 * the slow consumer. `totals`: bytes, messages, writes.
 */
function watched(endpoint: SocketEndpoint, samples: Uint32Array, totals: Float64Array): SocketEndpoint {
  const { state } = openVenue(UNDERLYINGS);
  const names = new Names(state);
  const changes = new Changes(Array.from({ length: INSTRUMENTS }, (_, slot) => names.symbol(slot)), moments);
  const take = (messages: readonly Known[], count: number): void => {
    const now = sharedSteady();
    totals[2]!++;
    for (let i = 0; i < count; i++) {
      const message = messages[i]!;
      const made = message.made ??= changes.madeIn(message);
      if (made === NONE) continue;
      totals[0]! += message.length + (message.length < 126 ? 2 : 4);
      totals[1]!++;
      for (const moment of made) samples[Math.min(BUCKETS - 1, Math.max(0, Math.floor((now - moment) * BUCKETS_PER_MS)))]!++;
    }
  };
  return {
    ...endpoint,
    open: (socket) => {
      if (!socket.query.includes('unwatched')) return endpoint.open(watch(socket, take));
      unwatched = socket;
      return endpoint.open(socket);
    },
  };
}

/** Messages sent within one cork are one write; a message sent alone is one too. */
function watch(socket: Socket, take: (messages: readonly Known[], count: number) => void): Socket {
  const sent: Known[] = [];
  let count = 0;
  let isCorked = false;
  const note = (): void => {
    take(sent, count);
    count = 0;
  };
  return {
    id: socket.id, query: socket.query, source: socket.source,
    bufferedBytes: () => socket.bufferedBytes(), countMessage: () => socket.countMessage(),
    close: (code, reason) => socket.close(code, reason),
    send: (message, isBinary) => {
      const status = socket.send(message, isBinary);
      if (typeof message !== 'string') sent[count++] = message;
      if (!isCorked && count > 0) note();
      return status;
    },
    cork: (work) => {
      isCorked = true;
      socket.cork(work);
      isCorked = false;
      if (count > 0) note();
    },
  };
}
