// A liquidation with everything that can happen in one, for tests of what the reader tells of it.

import assert from 'node:assert/strict';
import { LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { OK } from '../../../core/errors.ts';
import type { LiquidationScene } from '../../core/liquidation/liquidation-scene.ts';

/**
 * Wallet 1 is closed by fills of one order, then taken over with a deficit that the fund cannot pay: wallet 2 is deleveraged. `before`
 * runs between the trades and the fall.
 */
export function liquidateWithDeficit(scene: LiquidationScene, before?: () => void): void {
  const ether = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 3_000, 0.2, ether);
  scene.trade(1, 2, 100_000, 0.8);
  before?.();
  scene.seconds(1);
  scene.index(90_000);
  for (const size of [0.05, 0.03, 0.02]) assert.equal(scene.buy(3, 89_950, size, { slot: scene.perp }), OK);
  scene.seconds(5);
  assert.equal(scene.position(1), 0.7);
  scene.index(82_000);
  scene.seconds(2);
  assert.equal(scene.status(1), LIQUIDATED);
}
