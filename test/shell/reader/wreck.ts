// A liquidation with everything that can happen in one, for tests of what the reader tells of it.

import assert from 'node:assert/strict';
import { LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { OK } from '../../../core/errors.ts';
import type { Pit } from '../../core/liquidation/pit.ts';

/**
 * Wallet 1 is closed by fills of one order, then taken over with a deficit that the fund cannot pay: wallet 2 is deleveraged. `before`
 * runs between the trades and the fall.
 */
export function wreck(pit: Pit, before?: () => void): void {
  const ether = pit.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  pit.trade(1, 2, 3_000, 0.2, ether);
  pit.trade(1, 2, 100_000, 0.8);
  before?.();
  pit.seconds(1);
  pit.index(90_000);
  for (const size of [0.05, 0.03, 0.02]) assert.equal(pit.buy(3, 89_950, size, { slot: pit.perp }), OK);
  pit.seconds(5);
  assert.equal(pit.position(1), 0.7);
  pit.index(82_000);
  pit.seconds(2);
  assert.equal(pit.status(1), LIQUIDATED);
}
