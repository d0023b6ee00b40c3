// Five takeovers of venue processes on three real brokers under a signed fleet (evidence F17; `npm run cluster` at any length): what was
// answered is found again at each new leader and in the end on every node, done once, and the journals hold one chain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { MISSING } from './brokers.ts';
import { nemesisRun } from './nemesis.ts';

const FAULTS = ['leader killed', 'leader stopped', 'leader killed', 'leader and broker killed', 'leader killed', 'standby killed'] as const;
const TAKEOVERS = 5;

const options = { skip: MISSING, timeout: 280_000 };

test(`${TAKEOVERS} takeovers under load: no answer is lost, none acts twice, and all journals are one chain`, options, async (t) => {
  const { ledger, orders, takeovers, frames } = await nemesisRun({
    folder: temporaryFolder(lastFirst(t)), faults: FAULTS, traders: 6, seed: 20_261_128, loadMs: [300, 900], ledgerFile: null,
    say: (line) => t.diagnostic(line),
  });
  const { lost, doubled, counts } = ledger;
  t.diagnostic([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  assert.deepEqual({ lost: lost.slice(0, 5), doubled: doubled.slice(0, 5) }, { lost: [], doubled: [] });
  assert.equal(takeovers.length, TAKEOVERS);
  assert.ok(orders > 0 && frames > TAKEOVERS, `${orders} orders in ${frames} frames`);
  for (const reached of ['place ACKED', 'replays', 'orders checked']) assert.ok((counts.get(reached) ?? 0) > 0, reached);
});
