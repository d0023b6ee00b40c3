// Settings decide how many ticks a fall takes, how long waits are, how much an order closes and when the fund takes over, also when
// they change during a liquidation. One perp bought at 100,000 with 10,000 USDC, as in the other files.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { OK } from '../../../core/errors.ts';
import { CONTRACT, SECOND } from '../../../core/units.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { FILL, FILL_SIZE } from '../../../core/codec/events.ts';
import * as S from '../../../core/settings.ts';
import { Pit, type PitOptions } from './pit.ts';

/** Wallet 1 is long one perp, wallet 2 short. */
function pair(set: NonNullable<PitOptions['set']>): Pit {
  const pit = new Pit({ set });
  pit.trade(1, 2, 100_000, 1);
  pit.seconds(1);
  return pit;
}

const sizes = (pit: Pit): number[] => pit.seen(FILL).map((slots) => slots[FILL_SIZE]! / CONTRACT);

test('settings: the number of ticks and the time of a fall, and the wait in pre_liquidation', () => {
  const pit = pair([[S.LIQUIDATION_FALLS, 1], [S.LIQUIDATION_FALL_TIME, 0], [S.LIQUIDATION_WAIT, 5 * SECOND]]);
  pit.index(94_700);
  pit.seconds(1);
  assert.equal(pit.status(1), PRE_LIQUIDATION);
  pit.seconds(4);
  assert.equal(pit.status(1), PRE_LIQUIDATION);
  pit.seconds(1);
  assert.equal(pit.status(1), IN_LIQUIDATION);
});

test('settings: the equity that skips the wait, the time in which a second fall has no wait, and the interval of sweeps', () => {
  const pit = pair([
    [S.LIQUIDATION_NO_WAIT, 0], [S.TAKEOVER_PART, 0], [S.LIQUIDATION_SECOND_FALL, 10 * SECOND], [S.LIQUIDATION_INTERVAL, 2 * SECOND],
  ]);
  pit.index(92_000);
  pit.seconds(4);
  assert.equal(pit.status(1), HEALTHY, 'only two sweeps so far');
  pit.seconds(4);
  assert.equal(pit.status(1), PRE_LIQUIDATION, 'equity 2,000 of maintenance 4,600 does not skip the wait');
  pit.index(100_000);
  pit.seconds(2);
  assert.equal(pit.status(1), HEALTHY);
  pit.seconds(8);
  pit.index(94_700);
  pit.seconds(6);
  assert.equal(pit.status(1), PRE_LIQUIDATION, 'more than ten seconds after the recovery');
});

test('settings: the part of a position that an order closes, the lot, and the time without progress until a takeover', () => {
  const set = [[S.LIQUIDATION_PART, 500_000], [S.LIQUIDATION_LOT, 0.3 * CONTRACT], [S.TAKEOVER_AFTER, 4 * SECOND]] as const;
  const pit = pair(set);
  pit.index(92_700);
  pit.seconds(3);
  pit.kept = [];
  assert.equal(pit.buy(3, 92_000, 0.8, { slot: pit.perp }), OK);
  pit.seconds(1);
  assert.deepEqual(sizes(pit), [0.5]);
  pit.seconds(1);
  assert.deepEqual(sizes(pit), [0.5, 0.3], 'one lot, because half of the position is less');
  pit.index(88_500);
  pit.kept = [];
  pit.seconds(3);
  assert.equal(pit.status(1), IN_LIQUIDATION);
  pit.seconds(1);
  assert.equal(pit.status(1), LIQUIDATED);
});

test('settings: a change applies also to an account that is already in pre_liquidation', () => {
  const pit = pair([]);
  pit.index(94_700);
  pit.seconds(4);
  assert.equal(pit.status(1), PRE_LIQUIDATION);
  const values = pit.state.settings.values.slice();
  values[S.LIQUIDATION_NO_WAIT] = S.PPM;
  pit.venue(pit.write.configure(values));
  pit.seconds(1);
  assert.equal(pit.status(1), IN_LIQUIDATION);
});
