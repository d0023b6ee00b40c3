// npm run crash -- [--cycles N] [--traders N] [--seed N] [--ledger FILE]
// The kill -9 run of test/e2e/crash at any length (evidence F1). Prints what was done, the machine and commit, and the bound on the loss
// rate that zero losses give. The folder is audited at the end. Exit code 0 only when nothing was lost or duplicated and the audit passes;
// otherwise the folder is kept.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crashRun } from '../test/e2e/crash/fleet.ts';
import { inFolder, readFlags, sayRun, wholeNumbers } from './runs.ts';

const AUDIT = fileURLToPath(new URL('audit.ts', import.meta.url));

const values = readFlags('npm run crash -- [--cycles N] [--traders N] [--seed N] [--ledger FILE]', {
  cycles: '1000', traders: '12', seed: '1', ledger: '',
});
const [cycles, traders, seed] = wholeNumbers(values, 'cycles', 'traders', 'seed');
const started = performance.now();
sayRun(`crash: ${cycles} cycles, ${traders} traders, seed ${seed}`);
await inFolder('crash', async (folder) => {
  const { kills, ledger, orders } = await crashRun({
    folder, cycles, traders, seed, loadMs: [100, 3_000], fullEvery: 25, ledgerFile: values.ledger || join(folder, 'answers.jsonl'),
    say: console.log,
  });
  const { lost, doubled, counts } = ledger;
  const answers = counts.get('answers') ?? 0;
  const trials = Object.values(kills).reduce((sum, times) => sum + times, 0);
  for (const fault of lost.slice(0, 50)) console.log(`lost: ${fault}`);
  for (const fault of doubled.slice(0, 50)) console.log(`doubled: ${fault}`);
  console.log([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  console.log(`crash: kills under load ${kills.load}, in a stop ${kills.stop}, in recovery ${kills.recovery}; ${answers} answers, `
    + `${orders} orders, lost ${lost.length}, doubled ${doubled.length}, ${Math.round((performance.now() - started) / 1_000)} s`);
  if (lost.length + doubled.length === 0) {
    console.log(`crash: with 95 % confidence a kill loses or doubles anything less often than once in ${Math.floor(trials / 3)}; `
      + 'not injected: power loss, disk faults');
  }
  const audit = spawnSync(process.execPath, [AUDIT, join(folder, 'data')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  console.log(audit.stdout.trim());
  return lost.length + doubled.length === 0 && audit.status === 0;
});
