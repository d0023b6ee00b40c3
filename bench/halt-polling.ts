// What an order gains where the guest looks for work before it gives its processor back to the host (docs/OPERATIONS.md, Latency): short
// rounds in turns, without and with it, of 1,000 orders/s over one socket with durability normal; by a client that never sleeps, on the
// last core, then by one that does. The machine's setting is changed meanwhile, which takes root, and put back.
//   npm run bench -- halt-polling [rounds] [ns]

import { readFileSync, writeFileSync } from 'node:fs';
import { withLiveVenue } from './live-venue.ts';
import { figure, HALT_POLLING, heading, median, pinToLastCore, quantile } from './machine.ts';
import { steady, type SteadyClient } from './steady.ts';

const RATE = 1_000;
const WARM_UP_SECONDS = 20;
const ROUND_SECONDS = 0.4;
const CLIENTS: Readonly<Record<SteadyClient, string>> = { attend: 'a client that never sleeps', pace: 'a client that sleeps' };

const [rounds = '40', ns = '1000000'] = process.argv.slice(2);
const before = readFileSync(HALT_POLLING, 'utf8');
try {
  await withLiveVenue('normal', async (setup) => {
    const load = `${RATE} orders/s in rounds of ${ROUND_SECONDS} s`;
    heading(`halt polling of 0 and of ${ns} ns in turns, normal, ${load}; client ${pinToLastCore()}`);
    await steady(setup, RATE, WARM_UP_SECONDS, 'pace');
    for (const client of ['attend', 'pace'] as const) {
      const latencies: Record<string, Float64Array[]> = { 0: [], [ns]: [] };
      for (let round = 0; round < Number(rounds); round++) {
        for (const polling of round % 2 === 0 ? ['0', ns] : [ns, '0']) {
          writeFileSync(HALT_POLLING, polling);
          latencies[polling]!.push((await steady(setup, RATE, ROUND_SECONDS, client)).latency);
        }
      }
      for (const polling of ['0', ns]) {
        for (const [name, part] of [['p50', 0.5], ['p90', 0.9]] as const) {
          const values = latencies[polling]!.map((latency) => quantile(latency, part));
          figure(`${CLIENTS[client]}, ${polling} ns, ${name}`, median(values), 'ms', `median of ${rounds} rounds`);
        }
      }
    }
  });
} finally {
  writeFileSync(HALT_POLLING, before);
}
