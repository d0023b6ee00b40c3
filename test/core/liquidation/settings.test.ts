// Settings decide how many ticks a fall takes, how long waits are, how much an order closes and when the fund takes over, also when
// they change during a liquidation. One perp bought at 100,000 with 10,000 USDC, as in the other files.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { OK } from '../../../core/errors.ts';
import { CONTRACT, SECOND } from '../../../core/units.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { FILL, FILL_SIZE } from '../../../core/codec/events.ts';
import * as S from '../../../core/settings.ts';
import { LiquidationScene, type LiquidationSceneOptions } from './liquidation-scene.ts';

/** Wallet 1 is long one perp, wallet 2 short. */
function pair(set: NonNullable<LiquidationSceneOptions['set']>): LiquidationScene {
  const scene = new LiquidationScene({ set });
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  return scene;
}

const sizes = (scene: LiquidationScene): number[] => scene.seen(FILL).map((slots) => slots[FILL_SIZE]! / CONTRACT);

test('settings: the number of ticks and the time of a fall, and the wait in pre_liquidation', () => {
  const scene = pair([[S.LIQUIDATION_FALLS, 1], [S.LIQUIDATION_FALL_TIME, 0], [S.LIQUIDATION_WAIT, 5 * SECOND]]);
  scene.index(94_700);
  scene.seconds(1);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  scene.seconds(4);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
});

test('settings: the equity that skips the wait, the time in which a second fall has no wait, and the interval of sweeps', () => {
  const scene = pair([
    [S.LIQUIDATION_NO_WAIT, 0], [S.TAKEOVER_PART, 0], [S.LIQUIDATION_SECOND_FALL, 10 * SECOND], [S.LIQUIDATION_INTERVAL, 2 * SECOND],
  ]);
  scene.index(92_000);
  scene.seconds(4);
  assert.equal(scene.status(1), HEALTHY, 'only two sweeps so far');
  scene.seconds(4);
  assert.equal(scene.status(1), PRE_LIQUIDATION, 'equity 2,000 of maintenance 4,600 does not skip the wait');
  scene.index(100_000);
  scene.seconds(2);
  assert.equal(scene.status(1), HEALTHY);
  scene.seconds(8);
  scene.index(94_700);
  scene.seconds(6);
  assert.equal(scene.status(1), PRE_LIQUIDATION, 'more than ten seconds after the recovery');
});

test('settings: the part of a position that an order closes, the lot, and the time without progress until a takeover', () => {
  const set = [[S.LIQUIDATION_PART, 500_000], [S.LIQUIDATION_LOT, 0.3 * CONTRACT], [S.TAKEOVER_AFTER, 4 * SECOND]] as const;
  const scene = pair(set);
  scene.index(92_700);
  scene.seconds(3);
  scene.kept = [];
  assert.equal(scene.buy(3, 92_000, 0.8, { slot: scene.perp }), OK);
  scene.seconds(1);
  assert.deepEqual(sizes(scene), [0.5]);
  scene.seconds(1);
  assert.deepEqual(sizes(scene), [0.5, 0.3], 'one lot, because half of the position is less');
  scene.index(88_500);
  scene.kept = [];
  scene.seconds(3);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('settings: a change applies also to an account that is already in pre_liquidation', () => {
  const scene = pair([]);
  scene.index(94_700);
  scene.seconds(4);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  const values = scene.state.settings.values.slice();
  values[S.LIQUIDATION_NO_WAIT] = S.PPM;
  scene.venue(scene.write.configure(values));
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
});
