// npm run sim -- [--seed S] [--steps N] [--runs R] [--enough E] [--workers W]
// The simulation of test/sim at any length (evidence F4): R runs of N steps from the seeds S, S + 1, ..., in W threads; with --enough only
// E runs, or as many more as it takes to reach every bucket. Prints the machine and commit, how often each command, answer, event and mode
// was reached, which disk faults were injected, and what zero failures bound. Every run plants a fault of one unit at its end, which must
// be caught. Exit code 0 only without a failure, with every bucket reached and every planted fault caught.

import { cpus } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { emptyBuckets, runOne, type Result } from '../test/sim/run.ts';
import { readFlags, sayRun, wholeNumbers } from './runs.ts';

type Work = { readonly steps: number };
type Message = { readonly result?: Result; readonly failure?: string };

/** Runs each seed that it is sent, until null. */
function work({ steps }: Work): void {
  parentPort!.on('message', (seed: number | null) => {
    if (seed === null) return parentPort!.close();
    try {
      parentPort!.postMessage({ result: runOne(seed, steps) } satisfies Message);
    } catch (fault) {
      const cause = (fault as Error).cause as Error | undefined;
      parentPort!.postMessage({ failure: `${(fault as Error).message}: ${cause?.stack ?? (fault as Error).stack}` } satisfies Message);
    }
  });
}

async function main(): Promise<void> {
  const values = readFlags('npm run sim -- [--seed S] [--steps N] [--runs R] [--enough E] [--workers W]', {
    seed: '1', steps: '5000', runs: '40', enough: String(Number.MAX_SAFE_INTEGER), workers: String(Math.max(1, cpus().length)),
  });
  const [seed, steps, runs, enough, workers] = wholeNumbers(values, 'seed', 'steps', 'runs', 'enough', 'workers');
  sayRun(`sim: seeds ${seed} to ${seed + runs - 1}, ${steps} steps each`);
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1_000);
  const total = new Map<string, number>();
  let [failures, canaries, begun, done] = [0, 0, 0, 0];
  const next = (): number | null => (
    begun === runs || (begun >= enough && emptyBuckets(total).length === 0) ? null : seed + begun++
  );
  await Promise.all(Array.from({ length: Math.min(workers, runs) }, () => new Promise<void>((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: { steps } satisfies Work });
    thread.postMessage(next());
    thread.on('message', ({ result, failure }: Message) => {
      done++;
      if (failure !== undefined) {
        failures++;
        console.log(`sim: FAILED ${failure}`);
      } else if (result !== undefined) {
        canaries += result.canaries;
        for (const [bucket, count] of result.histogram) total.set(bucket, (total.get(bucket) ?? 0) + count);
      }
      thread.postMessage(next());
      if (done % 50 === 0) console.log(`sim: ${done} of ${runs} runs, ${seconds()} s, ${failures} failed`);
    });
    thread.on('error', reject);
    thread.on('exit', () => resolve());
  })));
  for (const [bucket, count] of [...total].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${bucket}: ${count}`);
  const empty = emptyBuckets(total);
  for (const bucket of empty) console.log(`sim: never reached: ${bucket}`);
  const bound = failures === 0 ? `; failure rate below ${(3 / done).toPrecision(2)} a run (95 %)` : '';
  console.log(`sim: ${done} runs of ${steps} steps, ${failures} failed, ${canaries} planted faults caught, ${seconds()} s${bound}`);
  process.exitCode = failures === 0 && empty.length === 0 && done === begun ? 0 : 1;
}

if (isMainThread) await main();
else work(workerData as Work);
