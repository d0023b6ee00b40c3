// npm run readers -- [--seconds N] [--clients N] [--rate N] [--seed N]
// The run of test/e2e/readers at any length (evidence F16): clients that trade, listen and read at once. Prints counts of what was done and
// seen, the machine and the commit. Exit code 0 only without a fault, with every required kind of message seen, and with a sound folder;
// otherwise the folder is kept.

import { NEEDED, readersRun } from '../test/e2e/readers/run.ts';
import { inFolder, readFlags, sayRun, wholeNumbers } from './runs.ts';

const values = readFlags('npm run readers -- [--seconds N] [--clients N] [--rate N] [--seed N]', {
  seconds: '3600', clients: '64', rate: '200', seed: '1',
});
const [seconds, clients, rate, seed] = wholeNumbers(values, 'seconds', 'clients', 'rate', 'seed');
sayRun(`readers: ${seconds} s, ${clients} clients, up to ${rate} requests/s, 2 api threads, durability full, seed ${seed}`);
await inFolder('readers', async (folder) => {
  const { counts, faults, audit } = await readersRun({ folder, clients, seconds, seed, rate });
  console.log([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  for (const fault of faults) console.log(`fault: ${fault}`);
  const missing = NEEDED.filter((what) => (counts.get(what) ?? 0) === 0);
  for (const what of missing) console.log(`never happened: ${what}`);
  console.log(audit.verdict);
  return faults.length === 0 && missing.length === 0 && audit.isSound;
});
