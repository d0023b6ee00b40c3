// A short cluster run as a test: its plan is carried out to the end, no invariant is broken, and what it was to reach was reached.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { lastFirst, temporaryFolder } from '../../support/temporary.ts';
import { nemesisRun } from './run.ts';

const REACHED = ['place ACKED', 'replays', 'orders checked', 'reads of the watch'];

/** How often another process began to lead. */
export async function assertRun(t: TestContext, plan: readonly string[], isIsolated: boolean): Promise<number> {
  const { ledger: { counts }, faults, orders, epochs, frames, judged, done } = await nemesisRun({
    folder: temporaryFolder(lastFirst(t)), plan, nodes: 3, traders: 4, seed: 20_261_128, isIsolated, loadMs: [200, 500],
    losesLog: isIsolated, ledgerFile: null, until: Infinity, say: (line) => t.diagnostic(line),
  });
  t.diagnostic([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  assert.deepEqual(faults.slice(0, 5), []);
  assert.deepEqual(done, plan);
  assert.ok(orders > 0 && frames > 0 && judged > 0, `${orders} orders in ${frames} frames, ${judged} reads`);
  for (const reached of REACHED) assert.ok((counts.get(reached) ?? 0) > 0, reached);
  return epochs - 1;
}
