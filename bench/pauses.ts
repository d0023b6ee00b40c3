// The machine itself, which every latency here contains: on each core a thread that does nothing but read the clock, and what it misses.
// A step of the clock above 0.2 ms is a pause: something else ran on the core, or the host of a virtual machine gave it to another.
// Its memory, whose latency is what the core waits for: reads of which each says where the next one is, far beyond the caches.
// And its disk, which a durable answer waits for: a small write with its fdatasync, nothing else going on.

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { figure, heading, median, spread } from './machine.ts';

const SECONDS = 10;
const PAUSE_MS = 0.2;
const LONG_MS = 1;
/** Beyond what caches hold, a line of memory for each read. */
const MEMORY_LINES = 1_048_576;
const LINE_WORDS = 16;
const SLICES = 20;
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

/** One circle through all lines, in an order that no prefetcher guesses (Sattolo's shuffle). */
function circle(): Int32Array {
  const order = Int32Array.from({ length: MEMORY_LINES }, (_, line) => line);
  let drawn = 1;
  for (let left = MEMORY_LINES - 1; left > 0; left--) {
    drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
    const other = drawn % left;
    [order[left], order[other]] = [order[other]!, order[left]!];
  }
  const lines = new Int32Array(MEMORY_LINES * LINE_WORDS);
  for (let i = 0; i < MEMORY_LINES; i++) lines[order[i]! * LINE_WORDS] = order[(i + 1) % MEMORY_LINES]! * LINE_WORDS;
  return lines;
}

function runMemory(): void {
  const lines = circle();
  const reads = MEMORY_LINES / 4;
  let at = 0;
  const slices = Array.from({ length: SLICES }, () => {
    const before = performance.now();
    for (let i = 0; i < reads; i++) at = lines[at]!;
    return (performance.now() - before) / reads * 1e6;
  });
  const note = `median of ${SLICES} slices, ${MEMORY_LINES * LINE_WORDS / 262_144} MiB`;
  figure('one read of memory', median(slices), 'ns', at < 0 ? '' : note);
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
  runMemory();
  await runDisk();
} else parentPort!.postMessage(watch());
