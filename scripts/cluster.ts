// npm run cluster -- [--faults N] [--traders N] [--seed N] [--ledger FILE]
// The cluster run of test/brokers at any length (evidence F17): brokers, venues and a fleet, with kills and stops. Prints what was done,
// the machine and commit, how long takeovers took, and the bound on the loss rate that zero losses give. Needs nats-server. Exit code 0
// only when nothing was lost or doubled and the journals are alike; otherwise the folder is kept.

import { join } from 'node:path';
import { MISSING } from '../test/brokers/brokers.ts';
import { FAULTS, nemesisRun } from '../test/brokers/nemesis.ts';
import { generator } from '../test/shell/storage/journal/support.ts';
import { inFolder, readFlags, refuse, sayRun, wholeNumbers } from './runs.ts';

const values = readFlags('npm run cluster -- [--faults N] [--traders N] [--seed N] [--ledger FILE]', {
  faults: '100', traders: '8', seed: '1', ledger: '',
});
const [count, traders, seed] = wholeNumbers(values, 'faults', 'traders', 'seed');
if (MISSING !== false) refuse(MISSING);
sayRun(`cluster: ${count} faults, ${traders} traders, seed ${seed}`);
const random = generator(seed);
const faults = Array.from({ length: count }, () => FAULTS[Math.floor(random() * FAULTS.length)]!);
await inFolder('cluster', async (folder) => {
  const { ledger, orders, takeovers, frames } = await nemesisRun({
    folder, faults, traders, seed, loadMs: [200, 3_000], ledgerFile: values.ledger || join(folder, 'answers.jsonl'), say: console.log,
  });
  const { lost, doubled, counts } = ledger;
  for (const fault of [...lost.slice(0, 50), ...doubled.slice(0, 50)]) console.log(fault);
  console.log([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  const sorted = [...takeovers].sort((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  console.log(`cluster: ${takeovers.length} takeovers, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${counts.get('answers') ?? 0} answers, `
    + `${orders} orders, ${frames} frames alike, lost ${lost.length}, doubled ${doubled.length}`);
  if (lost.length + doubled.length === 0) {
    console.log(`cluster: with 95 % confidence a fault loses or doubles anything less often than once in ${Math.floor(count / 3)}; `
      + 'not injected: partitions, full disks, brokers restored from a copy');
  }
  return lost.length + doubled.length === 0;
});
