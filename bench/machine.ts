// What the benches share: the machine line, figures, quantiles. A figure is printed for people, and sent to bench/main.ts if that
// started the bench, which saves and compares. A bench says in its heading what is measured and how often, cold or warm.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** Clock ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS = 100;
/** How long a guest looks for work before it gives its processor back, ns; there where its kernel can (docs/OPERATIONS.md, Latency). */
export const HALT_POLLING = '/sys/module/haltpoll/parameters/guest_halt_poll_ns';

/** `haltPollUs`: of `HALT_POLLING`. */
export type Machine = {
  readonly processor: string; readonly cores: number; readonly memoryGib: number; readonly node: string; readonly haltPollUs?: number;
};
export type Figure = { readonly name: string; readonly value: number; readonly unit: string; readonly note: string };

export function machine(): Machine {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const haltPollUs = haltPoll();
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return { processor, cores: cpus().length, memoryGib, node: process.version, ...(haltPollUs === null ? {} : { haltPollUs }) };
}

function haltPoll(): number | null {
  try {
    return Number(readFileSync(HALT_POLLING, 'utf8')) / 1_000;
  } catch {
    return null;
  }
}

/** A machine as it is named above figures. */
export function named({ processor, cores, memoryGib, node, haltPollUs }: Machine): string {
  const polling = haltPollUs === undefined ? '' : `, halt polling ${haltPollUs} us`;
  return `${processor}, ${cores} cores, ${memoryGib} GiB${polling}, Node ${node}`;
}

/** Where figures come from, in one line that stands above every table. */
export function machineLine(): string {
  return `${named(machine())}, commit ${commit()}, load ${loadavg()[0]!.toFixed(2)}`;
}

export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

/** What follows was measured like this. The machine is named too, unless bench/main.ts has done so. */
export function heading(text: string): void {
  if (process.send === undefined) console.log(machineLine());
  console.log(text);
}

/** One result; `name` is unique within the bench. */
export function figure(name: string, value: number, unit: string, note = ''): void {
  console.log(`  ${name.padEnd(52)} ${shown(value).padStart(11)} ${unit.padEnd(11)} ${note}`.trimEnd());
  process.send?.({ name, value, unit, note } satisfies Figure);
}

/** A value as figures are shown: three digits, or whole with thousands apart. */
export function shown(value: number): string {
  return Math.abs(value) < 100 ? value.toPrecision(3) : Math.round(value).toLocaleString('en-US');
}

/** Percentiles and the greatest of sorted samples, as figures; the 99.9th only where it differs from the greatest. */
export function spread(name: string, sorted: Float64Array, unit: string, note = ''): void {
  figure(`${name}, p50`, quantile(sorted, 0.5), unit, note);
  figure(`${name}, p99`, quantile(sorted, 0.99), unit);
  if (sorted.length > 1_000) figure(`${name}, p99.9`, quantile(sorted, 0.999), unit);
  figure(`${name}, max`, quantile(sorted, 1), unit);
}

/**
 * The same of the round whose p99 is the median of all, the p99 of the worst, and the lowest p50: where the machine stands still in one
 * round, its disk most of all, or others share its cores, the rest still say what the code does. Each round is sorted.
 */
export function spreadOfRounds(name: string, rounds: readonly Float64Array[], note: string): void {
  const byTail = [...rounds].sort((a, b) => quantile(a, 0.99) - quantile(b, 0.99));
  spread(name, rankOf(byTail, 0.5)!, 'ms', `the median of ${rounds.length} rounds by its p99, ${note}`);
  figure(`${name}, p99 of the worst round`, quantile(byTail.at(-1)!, 0.99), 'ms');
  figure(`${name}, p50 of the quietest round`, Math.min(...rounds.map((round) => quantile(round, 0.5))), 'ms');
}

/** The value below which a share of the sorted samples lies. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return rankOf(sorted, share) ?? NaN;
}

function rankOf<T>(sorted: ArrayLike<T>, share: number): T | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Keeps this process, and threads and processes that it starts from now on, to the last core; says whether it could. */
export function pinToLastCore(): string {
  const last = cpus().length - 1;
  try {
    execFileSync('taskset', ['-apc', String(last), String(process.pid)], { stdio: 'ignore' });
    return `pinned to core ${last}`;
  } catch {
    return 'not pinned';
  }
}

/** Keeps a process off the last core while `work` goes on; with one core, or where the system cannot, it stays where it was. */
export async function offLastCore<T>(pid: number, work: () => Promise<T>): Promise<T> {
  const last = cpus().length - 1;
  const keep = (cores: string): void => void execFileSync('taskset', ['-apc', cores, String(pid)], { stdio: 'ignore' });
  try {
    keep(`0-${last - 1}`);
  } catch {
    return work();
  }
  try {
    return await work();
  } finally {
    keep(`0-${last}`);
  }
}

/** User and system time of a process, seconds. Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

export function median(values: readonly number[]): number {
  return quantile([...values].sort((a, b) => a - b), 0.5);
}
