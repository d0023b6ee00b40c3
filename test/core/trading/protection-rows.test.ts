// The pool of market-maker protections: default and tier1 wallets leave rows for the other tiers.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { createState } from '../../../core/engine/state.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { DEFAULT_TIER, MARKET_MAKER, TIER1, TIER2 } from '../../../core/tiers.ts';
import { hashOf } from '../../support/venue.ts';
import { TradingScene } from './support.ts';

test('protection: default and tier1 wallets together can use 70 % of the rows; other tiers can use the rest', () => {
  const limits = checked({ ...SMALL, mmpConfigs: 10 });
  const scene = new TradingScene({ limits });
  const tier = (wallet: number, to: number): number => scene.send(scene.write.tier(wallet, to));
  for (let wallet = 1; wallet <= 7; wallet++) assert.equal(scene.protect(wallet, { quantity: 1 }), C.OK);
  for (const wallet of [8, 9, 10]) assert.equal(scene.protect(wallet, { quantity: 1 }), C.TOO_MANY_MMP_CONFIGS);
  tier(8, TIER1);
  assert.equal(scene.protect(8, { quantity: 1 }), C.TOO_MANY_MMP_CONFIGS);
  tier(9, MARKET_MAKER);
  assert.equal(scene.protect(9, { quantity: 1 }), C.OK, 'other tiers can use the rest');
  assert.equal(scene.protect(7, { quantity: 2 }), C.OK, 'an update');
  tier(7, TIER2);
  assert.equal(scene.protect(10, { quantity: 1 }), C.OK, 'one of the seven has another tier');
  assert.equal(scene.protect(8, { quantity: 1 }), C.TOO_MANY_MMP_CONFIGS);
  tier(9, DEFAULT_TIER);
  tier(7, MARKET_MAKER);
  tier(10, TIER1);
  const loaded = createState(limits);
  restoreState(loaded, copyOf(scene.state));
  assert.deepEqual([...loaded.mmp.small], [8]);
  assert.deepEqual(loaded.mmp.small, scene.state.mmp.small);
  for (const wallet of [11, 12, 13]) {
    scene.buy(wallet, 1, 0.001);
    tier(wallet, TIER2);
    assert.equal(scene.protect(wallet, { quantity: 1 }), wallet === 11 ? C.OK : C.TOO_MANY_MMP_CONFIGS, 'all ten');
  }
  assert.equal(hashOf(scene.replay()), hashOf(scene.state));
});
