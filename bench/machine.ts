// Shared by the benches: the machine line, figures, quantiles. A figure is printed, and sent to bench/main.ts if that started the bench,
// which saves and compares it. The heading of a bench says what is measured, how often, and whether cold or warm.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** Clock ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS = 100;

export type Machine = { readonly processor: string; readonly cores: number; readonly memoryGib: number; readonly node: string };
export type Figure = { readonly name: string; readonly value: number; readonly unit: string; readonly note: string };

export function machine(): Machine {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return { processor, cores: cpus().length, memoryGib, node: process.version };
}

export function named({ processor, cores, memoryGib, node }: Machine): string {
  return `${processor}, ${cores} cores, ${memoryGib} GiB, Node ${node}`;
}

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

export function heading(text: string): void {
  if (process.send === undefined) console.log(machineLine());
  console.log(text);
}

export function figure(name: string, value: number, unit: string, note = ''): void {
  console.log(`  ${name.padEnd(52)} ${shown(value).padStart(11)} ${unit.padEnd(11)} ${note}`.trimEnd());
  process.send?.({ name, value, unit, note } satisfies Figure);
}

export function shown(value: number): string {
  return Math.abs(value) < 100 ? value.toPrecision(3) : Math.round(value).toLocaleString('en-US');
}

/** Percentiles and maximum of sorted samples, as figures; the 99.9th only where it differs from the maximum. */
export function spread(name: string, sorted: Float64Array, unit: string, note = ''): void {
  figure(`${name}, p50`, quantile(sorted, 0.5), unit, note);
  figure(`${name}, p99`, quantile(sorted, 0.99), unit);
  if (sorted.length > 1_000) figure(`${name}, p99.9`, quantile(sorted, 0.999), unit);
  figure(`${name}, max`, quantile(sorted, 1), unit);
}

/** Percentiles of the round whose p99 is the median, and the p99 of the worst round. Each round is sorted. */
export function spreadOfRounds(name: string, rounds: readonly Float64Array[], note: string): void {
  const byTail = [...rounds].sort((a, b) => quantile(a, 0.99) - quantile(b, 0.99));
  spread(name, rankOf(byTail, 0.5)!, 'ms', `the median of ${rounds.length} rounds by its p99, ${note}`);
  figure(`${name}, p99 of the worst round`, quantile(byTail.at(-1)!, 0.99), 'ms');
}

export function quantile(sorted: ArrayLike<number>, share: number): number {
  return rankOf(sorted, share) ?? NaN;
}

function rankOf<T>(sorted: ArrayLike<T>, share: number): T | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Pins this process, and threads and processes started from now on, to the last core; returns false if it cannot. */
export function pinToLastCore(): string {
  const last = cpus().length - 1;
  try {
    execFileSync('taskset', ['-apc', String(last), String(process.pid)], { stdio: 'ignore' });
    return `pinned to core ${last}`;
  } catch {
    return 'not pinned';
  }
}

/** User and system time of a process, seconds. Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Processor time of this process, us: what it takes while nobody else has the core. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function median(values: readonly number[]): number {
  return quantile([...values].sort((a, b) => a - b), 0.5);
}

export async function rounds<T>(count: number, round: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  while (results.length < count) results.push(await round());
  return results;
}

/** Time of all cores and steal time, in ticks since the machine's start; zeros except on Linux. */
export function timesOfMachine(): { readonly all: number; readonly stolen: number } {
  try {
    const ticks = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!.trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}
