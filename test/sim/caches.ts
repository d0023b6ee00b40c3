// Cached values of the core equal those computed anew: greeks of a contract and sums of an account that are marked valid for the marks in
// force, against those of a freshly loaded state without caches. Never fills the caches that it checks.

import assert from 'node:assert/strict';
import { equityAtTheo, equityOf, freshen, initialOf, maintenanceOf } from '../../core/margin/account-margin.ts';
import { createState, type State } from '../../core/engine/state.ts';
import { copyOf, restoreState } from '../../core/snapshot/restore.ts';
import { deltaOf, vegaOf, vintageOf } from '../../core/valuation/valuation.ts';

export function checkCaches(state: State): void {
  const { accounts, cache, instruments, limits, valuation } = state;
  const loaded = createState(limits);
  restoreState(loaded, copyOf(state));
  for (let slot = 0; slot < instruments.counters[0]!; slot++) {
    if (valuation.greeksOf[slot] !== valuation.vintage[instruments.underlying[slot]!]) continue;
    const made = [deltaOf(loaded.valuation, slot), vegaOf(loaded.valuation, slot)];
    assert.deepEqual([valuation.delta[slot], valuation.vega[slot]], made, `memo: greeks of slot ${slot}`);
  }
  for (let account = 0; account < accounts.counters[0]!; account++) {
    if (cache.filledAt[account] !== vintageOf(valuation) + 1) continue;
    freshen(loaded, account);
    const [kept, made] = [state, loaded].map((one) => (
      [equityOf(one, account), equityAtTheo(one, account), initialOf(one, account), maintenanceOf(one, account)]
    ));
    assert.deepEqual(kept, made, `memo: equity and margin of account ${account}`);
  }
}
