// What a change of a book takes to the sockets of all who listen: 500 subscribers of 50 instruments each, drawn uniformly from
// 3,000; 20,000 changes of books a second in the core; the book channel, conflated at 10 ms. Measured from when the core has made a
// change to when the write that carries it has been made, each change and subscriber one sample. The threads are the venue's (core,
// reader, api) without the journal, in their rings; the clients are a process on the last core.
// Two phases, in the second of which one subscriber has stopped reading: how much that is to the others.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createWiring, portsOf } from '../shell/wiring.ts';
import { Random } from '../test/sim/random.ts';
import type { FromClients, ToClients } from './fan-out-clients.ts';
import {
  BUCKETS, INSTRUMENTS, MOMENTS, type ApiStart, type CoreStart, type FromThread, type ReaderStart, type ToThread,
} from './fan-out-shared.ts';
import { figure, heading } from './machine.ts';
import { undisturbed } from './undisturbed.ts';

const SUBSCRIBERS = 500;
const WISHES = 50;
const RATE = 20_000;
const WARM_UP_MS = 3_000;
const PHASE_MS = 5_000;

/** Answers one message with one. */
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
const before = await phase('all read');
clients.say({ type: 'stick' });
await sleep(WARM_UP_MS);
const after = await phase('one is stuck');
figure('one is stuck, p99 of the others against before', (after / before - 1) * 100, '%');
child.disconnect();
await api.next({ type: 'stop' });
process.exit();

async function cpuTimes(): Promise<number[]> {
  const all = await Promise.all([core, reader, api].map((thread) => thread.next({ type: 'cpu' })));
  return [...all, await clients.next({ type: 'cpu' })].map((message) => (message as { ms: number }).ms);
}

/** `at`: the latency in ms below which a share of the samples lies; the rest by the second. */
type Phase = {
  readonly at: (share: number) => number;
  readonly messages: number; readonly megabytes: number; readonly writes: number; readonly note: string;
};

/** Figures of a phase that others left alone (undisturbed.ts), or of the better one of two; its p99 in ms. */
async function phase(name: string): Promise<number> {
  const { results, note: aside } = await undisturbed(1, measure);
  const { at, messages, megabytes, writes, note } = results[0]!;
  figure(`${name}, event to socket write, p50`, at(0.5), 'ms', `${note}${aside}`);
  figure(`${name}, event to socket write, p99`, at(0.99), 'ms');
  figure(`${name}, event to socket write, p99.9`, at(0.999), 'ms');
  figure(`${name}, messages`, messages, 'messages/s', `${megabytes.toFixed(1)} MB/s`);
  figure(`${name}, writes`, writes, 'writes/s', `${(messages / writes).toFixed(1)} messages a write`);
  return at(0.99);
}

async function measure(): Promise<Phase> {
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
  return { at, messages, megabytes: bytes / 1e6, writes, note: `${total} samples in ${seconds.toFixed(1)} s, ${cpuText}` };
}
