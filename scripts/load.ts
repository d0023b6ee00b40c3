// npm run load -- [--seconds N] [--every N] [--wallets N] [--connections N] [--seed N]
// The load run of test/e2e/load at any length (evidence F12). Prints replies by kind, latency, memory, machine and commit. Exit code 0 only
// if every reply is one that a busy venue may give, the venue has recovered five seconds after an overload, and the folder passes
// its audit; otherwise the folder is kept.

import { loadRun } from '../test/e2e/load/run.ts';
import { MIX } from '../test/e2e/load/traders.ts';
import { inFolder, readFlags, sayRun, wholeNumbers } from './runs.ts';

const RECOVERS_WITHIN = 5;

const values = readFlags('npm run load -- [--seconds N] [--every N] [--wallets N] [--connections N] [--seed N]', {
  seconds: '3600', every: '60', wallets: '1000', connections: '3000', seed: '1',
});
const [seconds, every, wallets, connections, seed] = wholeNumbers(values, 'seconds', 'every', 'wallets', 'connections', 'seed');
sayRun(`load: ${seconds} s, ${wallets} wallets, ${connections} connections, durability full, seed ${seed}`);
console.log(`of 100 requests: ${MIX.map(([kind, share]) => `${kind} ${share}`).join(', ')}`);
await inFolder('load', async (folder) => {
  const { peak, recovered, resident, outcomes, faults, audit } = await loadRun({
    folder, wallets, connections, seed, warmUp: 20, peak: 10, held: seconds, every, step: 10, say: console.log,
  });
  for (const fault of faults.slice(0, 50)) console.log(`fault: ${fault}`);
  console.log([...outcomes].sort().map(([outcome, times]) => `${outcome}: ${times}`).join(', '));
  console.log(`load: peak ${Math.round(peak)}/s; resident ${resident.map((mib) => Math.round(mib)).join(', ')} MiB; `
    + `${recovered === null ? 'not as before' : `as before ${recovered} s`} after all at once; faults ${faults.length}`);
  return faults.length === 0 && recovered !== null && recovered <= RECOVERS_WITHIN && audit.isSound;
});
