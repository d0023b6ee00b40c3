// The machine itself, which every latency here contains: on each core a thread that does nothing but read the clock, and what it misses.
// A step of the clock above 0.2 ms is a pause: something else ran on the core, or the host of a virtual machine gave it to another.

import { cpus } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { figure, heading } from './machine.ts';

const SECONDS = 10;
const PAUSE_MS = 0.2;
const LONG_MS = 1;

/** In ms: all pauses together, the longest; `long`: how many are above 1 ms. */
type Pauses = { readonly lost: number; readonly longest: number; readonly long: number };

function watch(): Pauses {
  let [lost, longest, long] = [0, 0, 0];
  const end = performance.now() + SECONDS * 1_000;
  for (let last = performance.now(), now = last; now < end; last = now) {
    now = performance.now();
    const step = now - last;
    if (step <= PAUSE_MS) continue;
    lost += step;
    longest = Math.max(longest, step);
    if (step > LONG_MS) long++;
  }
  return { lost, longest, long };
}

async function run(): Promise<void> {
  const cores = cpus().length;
  heading(`pauses above ${PAUSE_MS} ms of ${cores} threads that only read the clock, ${SECONDS} s`);
  const all = await Promise.all(Array.from({ length: cores }, () => new Promise<Pauses>((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url));
    thread.once('message', resolve);
    thread.once('error', reject);
  })));
  const sum = (of: (one: Pauses) => number): number => all.reduce((total, one) => total + of(one), 0);
  figure('time lost', sum(({ lost }) => lost) / cores / SECONDS / 10, '%', `${cores} threads, ${SECONDS} s`);
  figure('pauses above 1 ms', sum(({ long }) => long) / cores / SECONDS, 'a second', 'on each core');
  figure('longest', Math.max(...all.map(({ longest }) => longest)), 'ms');
}

if (isMainThread) await run();
else parentPort!.postMessage(watch());
