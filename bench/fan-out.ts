// Latency of a book change to all subscribers: 500 subscribers of 50 instruments each, drawn uniformly from 3,000; 20,000 book changes a
// second in the core; the book channel, conflated at 10 ms. Measured from the change in the core to the end of the write that carries it;
// each change and subscriber is a sample. The threads are the venue's (core, reader, api) with their rings, without the journal; the
// clients are a process on the last core.
// In one phase all clients read; in the other one client does not, to show its effect on the rest. Rounds have both, in alternating order.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { BOUNDS } from '../shell/http/limits.ts';
import { createWiring, portsOf } from '../shell/process/wiring.ts';
import { Random } from '../test/sim/random.ts';
import type { FromClients, ToClients } from './fan-out-clients.ts';
import {
  BUCKETS, INSTRUMENTS, MOMENTS, type ApiStart, type CoreStart, type FromThread, type ReaderStart, type ToThread,
} from './fan-out-shared.ts';
import { figure, heading, median, rounds } from './machine.ts';

const SUBSCRIBERS = 500;
const WISHES = 50;
const RATE = 20_000;
const WARM_UP_MS = 3_000;
const ROUNDS = 9;
/** Warm-up before a phase is measured; a client that reads again gets its books anew in this time. */
const SETTLE_MS = 1_500;
const PHASE_MS = 4_000;
const FILL_MS = 200;

/** Sends a message and waits for the reply. */
class Other<To, From extends { readonly type: string }> {
  readonly #send: (message: To) => void;
  #resolve: (message: From) => void = () => undefined;

  constructor(send: (message: To) => void) {
    this.#send = send;
  }

  take(message: From): void {
    this.#resolve(message);
  }

  next(message?: To): Promise<From> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (message !== undefined) this.#send(message);
    });
  }

  say(message: To): void {
    this.#send(message);
  }
}

function startThread(data: CoreStart | ReaderStart | ApiStart, wiring: object): Other<ToThread, FromThread> {
  const worker = new Worker(new URL('fan-out-threads.ts', import.meta.url), { workerData: data, transferList: portsOf(wiring) });
  const other = new Other<ToThread, FromThread>((message) => worker.postMessage(message));
  worker.on('message', (message: FromThread) => other.take(message));
  worker.on('error', (error) => { throw error; });
  return other;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const wiring = createWiring(1);
const shared = { counters: wiring.counters, moments: new SharedArrayBuffer(INSTRUMENTS * MOMENTS * 8) };
const samples = new SharedArrayBuffer(BUCKETS * 4);
const totals = new SharedArrayBuffer(3 * 8);
const ringReader = wiring.journal.ringReader;
const reader = startThread({ ...shared, role: 'reader', wiring: wiring.reader }, wiring.reader);
await reader.next();
const core = startThread({ ...shared, role: 'core', log: wiring.main.log, ringReader }, { ringReader });
const { symbols } = await core.next() as { symbols: string[] };
const api = startThread({ ...shared, role: 'api', wiring: wiring.apis[0]!, measures: wiring.measures, samples, totals }, wiring.apis[0]!);
const { port } = await api.next() as { port: number };

const child = fork(fileURLToPath(new URL('fan-out-clients.ts', import.meta.url)), { execArgv: ['--disable-warning=ExperimentalWarning'] });
const clients = new Other<ToClients, FromClients>((message) => void child.send(message));
child.on('message', (message) => clients.take(message as FromClients));
const random = new Random(1);
const wishes = Array.from({ length: SUBSCRIBERS }, () => {
  const drawn = new Set<string>();
  while (drawn.size < WISHES) drawn.add(symbols[random.between(0, INSTRUMENTS - 1)]!);
  return [...drawn];
});
const { pinned } = await clients.next({ type: 'open', port, wishes }) as { pinned: string };
heading(`${SUBSCRIBERS} subscribers x ${WISHES} of ${INSTRUMENTS} instruments, ${RATE} book changes/s in the core, conflated at 10 ms; `
  + `clients ${pinned}`);
core.say({ type: 'start', rate: RATE });
await sleep(WARM_UP_MS);
let turn = 0;
const results = await rounds(ROUNDS, round);
figures('all read', results.map(({ read }) => read));
figures('one is stuck', results.map(({ stuck }) => stuck));
const more = results.map(({ read, stuck }) => (stuck.p99 / read.p99 - 1) * 100).sort((a, b) => a - b);
figure('one is stuck, p99 of the others against all read', median(more), '%',
  `the median of ${ROUNDS} rounds, ${more[0]!.toFixed(0)} to ${more.at(-1)!.toFixed(0)} %`);
child.disconnect();
await api.next({ type: 'stop' });
process.exit();

async function cpuTimes(): Promise<number[]> {
  const all = await Promise.all([core, reader, api].map((thread) => thread.next({ type: 'cpu' })));
  return [...all, await clients.next({ type: 'cpu' })].map((message) => (message as { ms: number }).ms);
}

/** Latencies in ms; all others per second. */
type Phase = {
  readonly p50: number; readonly p99: number; readonly p999: number;
  readonly messages: number; readonly megabytes: number; readonly writes: number; readonly note: string;
};
type Round = { readonly read: Phase; readonly stuck: Phase };

async function round(): Promise<Round> {
  const read = turn++ % 2 === 0 ? await allRead() : null;
  const stuck = await oneStuck();
  return { read: read ?? await allRead(), stuck };
}

async function allRead(): Promise<Phase> {
  await clients.next({ type: 'read' });
  return measure((unread) => unread === 0);
}

async function oneStuck(): Promise<Phase> {
  await clients.next({ type: 'stick' });
  // The kernel enlarges its buffers while it has memory.
  do {
    await api.next({ type: 'fill' });
    await sleep(FILL_MS);
  } while (await unread() <= BOUNDS.bookBacklog);
  return measure((unread) => unread > BOUNDS.bookBacklog);
}

async function unread(): Promise<number> {
  return (await api.next({ type: 'unread' }) as { bytes: number }).bytes;
}

async function measure(isAsItShouldBe: (unread: number) => boolean): Promise<Phase> {
  await sleep(SETTLE_MS);
  const phase = await measured();
  const bytes = await unread();
  if (!isAsItShouldBe(bytes)) throw new Error(`the last subscriber has ${bytes} bytes unread`);
  return phase;
}

/** Prints the round whose p99 is the median, and the worst one. */
function figures(name: string, phases: readonly Phase[]): void {
  const byTail = [...phases].sort((a, b) => a.p99 - b.p99);
  const { p50, p99, p999, messages, megabytes, writes, note } = byTail[Math.floor(ROUNDS / 2)]!;
  figure(`${name}, event to socket write, p50`, p50, 'ms', `the median of ${ROUNDS} rounds by its p99, ${note}`);
  figure(`${name}, event to socket write, p99`, p99, 'ms');
  figure(`${name}, event to socket write, p99.9`, p999, 'ms');
  figure(`${name}, event to socket write, p99 of the worst round`, byTail.at(-1)!.p99, 'ms');
  figure(`${name}, messages`, messages, 'messages/s', `${megabytes.toFixed(1)} MB/s`);
  figure(`${name}, writes`, writes, 'writes/s', `${(messages / writes).toFixed(1)} messages a write`);
}

async function measured(): Promise<Phase> {
  const buckets = new Uint32Array(samples);
  const sums = new Float64Array(totals);
  const cpu = await cpuTimes();
  buckets.fill(0);
  sums.fill(0);
  const from = performance.now();
  await sleep(PHASE_MS);
  const seconds = (performance.now() - from) / 1_000;
  const [bytes, messages, writes] = [...sums].map((sum) => sum / seconds) as [number, number, number];
  const counts = Uint32Array.from(buckets);
  const used = (await cpuTimes()).map((ms, i) => ((ms - cpu[i]!) / seconds / 10).toFixed(0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const at = (share: number): number => {
    let seen = 0;
    for (let i = 0; i < BUCKETS; i++) if ((seen += counts[i]!) >= total * share) return (i + 1) / 10;
    return NaN;
  };
  const [ofCore, ofReader, ofApi, ofClients] = used;
  const cpuText = `CPU: core ${ofCore} %, reader ${ofReader} %, api ${ofApi} %, clients ${ofClients} %`;
  const note = `${total} samples in ${seconds.toFixed(1)} s, ${cpuText}`;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), messages, megabytes: bytes / 1e6, writes, note };
}
