// npm run cluster -- [FLAGS], which `--help` lists.
// The cluster run of test/brokers at any length (evidence F17): brokers, venues and a fleet, with so many faults after which another node
// must lead and so many others. Prints what was done, the machine and commit, how long takeovers took, and the bound on the loss rate that
// zero losses give; `--result` adds a line of JSON to a file. Needs nats-server, and for partitions and full disks the right to make
// network namespaces. Exit code 0 only when nothing was lost or doubled, no read was stale, and all is one chain; otherwise the folder is
// kept.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineLine } from '../bench/machine.ts';
import { MISSING } from '../test/brokers/brokers.ts';
import { nemesisRun, planOf } from '../test/brokers/nemesis/run.ts';
import { isolationMissing } from '../test/brokers/places.ts';
import { inFolder, readFlags, refuse, sayRun, wholeNumbers } from './runs.ts';

/** What a run of this size must have met. */
const REACHED = [
  'place ACKED', 'replays', 'orders checked', 'reads of the watch', 'unknown, had acted', 'unknown, had not acted',
  'takeover with requests under way', 'silence of 5 s or more without a takeover', 'unfit, so another node leads', 'nodes that joined',
  'ended by itself: another node leads', 'ended by itself: node_name_in_use', 'ended by itself: log_lost',
];
const SIZE = 60;

const values = readFlags(
  'npm run cluster -- [--takeovers N] [--faults N] [--traders N] [--seed N] [--minutes N] [--isolated off] [--only FAULT] [--ledger FILE] '
  + '[--result FILE]',
  { takeovers: '50', faults: '50', traders: '6', seed: '1', minutes: '60', isolated: 'on', only: '', ledger: '', result: '' },
);
const [takeovers, others, traders, seed, minutes] = wholeNumbers(values, 'takeovers', 'faults', 'traders', 'seed', 'minutes');
if (MISSING !== false) refuse(MISSING);
const notIsolated = values.isolated === 'on' ? isolationMissing() : 'not wanted';
const isIsolated = notIsolated === false;
sayRun(`cluster: ${takeovers} takeovers, ${others} other faults, ${traders} traders, seed ${seed}`);
if (notIsolated !== false) console.log(`cluster: without partitions and full disks: ${notIsolated}`);
// What it started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
const started = performance.now();
await inFolder('cluster', async (folder) => {
  // Nodes start all the time.
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  const drawn = planOf({ takeovers, others, isIsolated, seed });
  const plan = values.only === '' ? drawn : drawn.map(() => values.only);
  const report = await nemesisRun({
    folder, plan, nodes: 4, traders, seed, isIsolated, losesLog: true, loadMs: [150, 900], until: started + minutes * 60_000,
    ledgerFile: values.ledger || join(folder, 'answers.jsonl'), say: console.log,
  });
  const { ledger: { lost, doubled, counts }, faults, done, epochs, frames, orders, judged } = report;
  for (const fault of faults.slice(0, 50)) console.log(fault);
  const times = report.takeovers.flatMap(({ fault, orderMs }) => (fault === 'leader killed' && orderMs !== null ? orderMs : []))
    .sort((a, b) => a - b);
  const at = (part: number): number => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
  const missed = done.length < SIZE ? [] : REACHED.filter((what) => (counts.get(what) ?? 0) === 0);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const byFault = Object.fromEntries([...new Set(done)].sort().map((name) => [name, done.filter((each) => each === name).length]));
  const result = {
    date: new Date().toISOString().slice(0, 10), machine: machineLine(), seed, seconds, takeovers: epochs - 1, faults: done.length,
    takeoverMs: { of: times.length, p50: at(0.5), p99: at(0.99) }, answers: counts.get('answers') ?? 0, orders, frames, judged,
    lost: lost.length, doubled: doubled.length, others: faults.length - lost.length - doubled.length, byFault,
    counts: Object.fromEntries([...counts].sort()),
  };
  console.log(JSON.stringify(result, null, 2));
  console.log(`cluster: ${result.takeovers} takeovers by ${done.length} faults in ${seconds} s; from the death of a leader to an order of `
    + `the next p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${result.answers} answers, ${orders} orders, ${frames} frames alike, `
    + `${judged} reads judged, lost ${lost.length}, doubled ${doubled.length}, other faults ${result.others}`);
  if (missed.length > 0) console.log(`cluster: never met: ${missed.join(', ')}`);
  if (values.result !== '') appendFileSync(values.result, `${JSON.stringify(result)}\n`);
  if (faults.length === 0) {
    console.log(`cluster: with 95 % confidence a fault loses or doubles anything less often than once in ${Math.floor(done.length / 3)}`);
  }
  return faults.length === 0 && missed.length === 0;
});
// After a halt, what still waits for a leader would wait on.
process.exit();
