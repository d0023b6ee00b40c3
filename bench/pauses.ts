// The machine itself, which every latency here contains: on each core a thread that does nothing but read the clock, and what it misses.
// A step of the clock above 0.2 ms is a pause: something else ran on the core, or the host of a virtual machine gave it to another.
// And its disk, which a durable answer waits for: a small write with its fdatasync, nothing else going on.

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { figure, heading, spread } from './machine.ts';

const SECONDS = 10;
const PAUSE_MS = 0.2;
const LONG_MS = 1;
/** What one commit of few records writes. */
const WRITE_BYTES = 4_096;
const DISK_SECONDS = 15;

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

async function runThreads(): Promise<void> {
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

/** Where the venues of the other benches have their data. */
async function runDisk(): Promise<void> {
  heading(`a write of ${WRITE_BYTES} bytes with its fdatasync, one after the other, a millisecond between them, ${DISK_SECONDS} s`);
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-bench-'));
  const file = openSync(join(folder, 'written'), 'w');
  const bytes = new Uint8Array(WRITE_BYTES).fill(1);
  const took: number[] = [];
  const end = performance.now() + DISK_SECONDS * 1_000;
  for (let before = performance.now(); before < end; before = performance.now()) {
    writeSync(file, bytes);
    fdatasyncSync(file);
    took.push(performance.now() - before);
    await sleep(1);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  spread('one write', Float64Array.from(took).sort(), 'ms', `${took.length} writes`);
}

if (isMainThread) {
  await runThreads();
  await runDisk();
} else parentPort!.postMessage(watch());
