// The cost of an idle venue: a venue of its own with the simulated feed and no client, its CPU time over 30 s from /proc.
// Target: under 3 % of a core. Linux only.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VenueProcess } from '../scripts/venue-process.ts';
import { cpuSeconds, figure, heading } from './machine.ts';

const SETTLE_MS = 10_000;

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

async function runIdle(seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-idle-'));
  const venue = await VenueProcess.start({ data: folder, flags: ['--workers', '1'], isLoud: true });
  try {
    await venue.ready();
    await sleep(SETTLE_MS);
    const before = cpuSeconds(venue.pid);
    await sleep(seconds * 1000);
    const percent = (cpuSeconds(venue.pid) - before) / seconds * 100;
    heading(`an idle venue, feed sim, 1 api thread, no client: over ${seconds} s, after ${SETTLE_MS / 1000} s to settle`);
    figure('CPU', percent, '% of a core');
    figure('resident memory', residentMib(venue.pid), 'MiB');
  } finally {
    await venue.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await runIdle(Number(process.argv[2] ?? 30));
