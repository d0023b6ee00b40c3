// npm run day -- [--seed N] [--speed N] [--durability full|normal]
// A whole simulated day of a venue: a daily expiry with its half hour of averaging, 24 hours of funding, a crash and its
// liquidations, traded by signed requests of a few traders (scripts/day). Then the venue is stopped, its folder is audited, and
// the claims are checked from the replayed events and the state at the end. Exit code 0 only if all hold; otherwise the folder
// is kept.

import { join } from 'node:path';
import { WHOLE_DAY } from './day/plan.ts';
import { reportLines } from './day/report.ts';
import { runDay } from './day/run.ts';
import { inFolder, readFlags, refuse, sayRun, wholeNumbers } from './runs.ts';

const values = readFlags('npm run day -- [--seed N] [--speed N] [--durability full|normal]', {
  seed: '1', speed: '2400', durability: 'normal',
});
const [seed, speed] = wholeNumbers(values, 'seed', 'speed');
const { durability } = values;
if (durability !== 'full' && durability !== 'normal') refuse(`--durability is full or normal, not "${durability}"`);
sayRun(`day: seed ${seed}, ${speed} times as fast as real, durability ${durability}`);
await inFolder('day', async (folder) => {
  const report = await runDay({ data: join(folder, 'data'), hours: WHOLE_DAY, speed, seed, durability, flags: [], say: console.log });
  for (const line of reportLines(report)) console.log(line);
  return report.checks.every(({ isSo }) => isSo);
});
