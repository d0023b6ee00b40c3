// A venue under a mixed load of signed requests, short (evidence F12; `npm run load` is the long run): what it does not accept it refuses
// by name, and it recovers. The test does not judge speed.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { temporaryFolder } from '../../support/temporary.ts';
import { loadRun } from './run.ts';

const folder = temporaryFolder({ after });

test('under load, overload and a flood every request is answered or refused, then the venue recovers', async (t) => {
  const { held, step, flood, outcomes, recovered, faults, audit } = await loadRun({
    folder, wallets: 1_000, connections: 3_000, seed: 20_261_123, warmUp: 2, peak: 2, held: 3, every: 3, step: 2,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic([...outcomes].sort().map(([outcome, times]) => `${outcome}: ${times}`).join(', '));
  assert.deepEqual(faults, []);
  for (const span of [...held, step]) assert.ok(span.rate > 0);
  assert.deepEqual([flood.latency.length, flood.unsent], [3_000, 0], 'one on each connection');
  assert.ok(flood.refused > 0, 'a flood that fits proves nothing');
  const made = [
    'place ACKED', 'place refused', 'take ACKED', 'cancel CANCELED', 'replace ACKED', 'GET /orderbook read', 'GET /orders read',
    'GET /portfolio read', 'GET /fills read',
  ];
  assert.deepEqual(made.filter((outcome) => !outcomes.has(outcome)), [], 'a generator that never made it proves nothing about it');
  assert.notEqual(recovered, null);
  assert.ok(audit.isSound, audit.verdict);
});
