// What a figure came from: the machine, the runtime and the commit, in one line that stands above every table.

import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

export function machineLine(): string {
  const [cpu] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${gib} GiB, Node ${process.version}, commit ${commit()}`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

/** The value below which a share of the sorted samples lies. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return quantile([...values].sort((a, b) => a - b), 0.5);
}
