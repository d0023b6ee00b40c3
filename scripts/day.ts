// npm run day -- [--seed N] [--speed N] [--durability full|normal]
// A whole simulated day of a venue: a daily expiry with its half hour of averaging, 24 hours of funding, a crash and the
// liquidations it brings, traded by signed requests of a small cast (scripts/day). Then the venue is stopped, its folder is
// audited, and what must be so is checked from the replayed events and the state at the end. Exit code 0 only if all of it
// is so; otherwise the folder is kept.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportLines } from './day/report.ts';
import { runDay } from './day/run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' }, speed: { type: 'string', default: '2400' },
    durability: { type: 'string', default: 'normal' },
  },
});
const whole = (name: 'seed' | 'speed'): number => {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${name} is a number from 1, not "${values[name]}"`);
  return value;
};

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

const [seed, speed] = [whole('seed'), whole('speed')];
const durability = values.durability === 'full' ? 'full' : 'normal';
const folder = mkdtempSync(join(tmpdir(), 'strikebook-day-'));
console.log(`day: seed ${seed}, ${speed} times as fast as real, durability ${durability}, commit ${commit()}, node ${process.version}, `
  + `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`);
let isSound = false;
try {
  const report = await runDay({ data: join(folder, 'data'), speed, seed, durability, say: console.log });
  for (const line of reportLines(report)) console.log(line);
  isSound = report.checks.every(({ isSo }) => isSo);
} finally {
  if (isSound) rmSync(folder, { recursive: true, force: true });
  else console.log(`day: the folder is kept: ${folder}`);
}
process.exitCode = isSound ? 0 : 1;
