// Attacks on the pause of a liquidation and on its timers: keep the fund away by tiny closes, by going over the line and back, by parking
// on it; hide a profit from deleveraging. Wallet 1 is the attacker's, 3 an accomplice who buys from it what he likes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { IN_LIQUIDATION, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { FILL, FILL_INSTRUMENT, TAKEN_OVER } from '../../../core/codec/events.ts';
import { Pit } from '../../core/liquidation/pit.ts';

/** Wallet 1 long 0.95 perps of BTC and a little of ETH, in liquidation: equity 3,065 of a maintenance margin of 4,418. */
function stuck(ether: number): { pit: Pit; eth: number } {
  const pit = new Pit();
  const eth = pit.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  pit.trade(1, 2, 3_000, ether, eth);
  pit.trade(1, 2, 100_000, 0.95);
  pit.seconds(1);
  pit.index(92_000);
  pit.seconds(4);
  pit.index(92_700);
  pit.seconds(1);
  assert.equal(pit.status(1), IN_LIQUIDATION);
  pit.kept = [];
  return { pit, eth };
}

test('tiny closes: a quarter of a dust position bought every 25 s does not keep the fund away from the large one', () => {
  const { pit, eth } = stuck(0.1);
  for (let i = 0; i < 2; i++) {
    assert.equal(pit.buy(3, 3_000, 0.025, { slot: eth }), C.OK);
    pit.seconds(14);
  }
  assert.equal(pit.seen(FILL).filter((slots) => slots[FILL_INSTRUMENT] === eth).length >= 2, true, 'the venue closed what was bid for');
  assert.equal(pit.position(1), 0.95);
  pit.seconds(3);
  assert.equal(pit.status(1), LIQUIDATED);
});

test('tiny closes: less than a fortieth of the margin every 29 s is no progress, a fortieth is', () => {
  for (const [size, status] of [[0.023, LIQUIDATED], [0.026, IN_LIQUIDATION]] as const) {
    const { pit } = stuck(0.1);
    for (let i = 0; i < 2; i++) {
      pit.seconds(26);
      if (pit.status(1) === LIQUIDATED) break;
      assert.equal(pit.buy(3, 92_700, size, { slot: pit.perp }), C.OK);
      pit.seconds(1);
    }
    assert.equal(pit.status(1), status, `${size} contracts`);
  }
});

test('tiny closes: what several orders free counts together', () => {
  const { pit } = stuck(0.1);
  for (let i = 0; i < 60; i++) {
    assert.equal(pit.buy(3, 92_700, 0.001, { slot: pit.perp }), C.OK);
    pit.seconds(1);
  }
  assert.equal(pit.status(1), IN_LIQUIDATION, 'a fortieth in some 24 seconds, and again');
});

test('oscillating: 59 s above the line and one below never resets the 30 s', () => {
  const { pit } = stuck(0.1);
  let below = 0;
  for (; pit.status(1) !== LIQUIDATED && below < 60; below++) {
    pit.index(96_000);
    pit.seconds(59);
    pit.index(92_700);
    pit.seconds(1);
  }
  assert.ok(below >= 28 && below <= 30, `taken over after ${below} times`);
});

test('parking: an account on the line loses nothing, cannot open anything, and goes on without a wait', () => {
  const { pit, eth } = stuck(0.1);
  pit.index(96_000);
  assert.equal(pit.buy(3, 95_900, 0.5, { slot: pit.perp }), C.OK);
  pit.seconds(3_600 - 700);
  assert.deepEqual([pit.seen(FILL), pit.seen(TAKEN_OVER)], [[], []]);
  for (const slot of [pit.perp, eth]) assert.equal(pit.buy(1, 1_000, 0.001, { slot }), C.IN_LIQUIDATION);
  assert.equal(pit.sell(1, 96_000, 0.951, { slot: pit.perp }), C.IN_LIQUIDATION);
  pit.index(92_700);
  pit.seconds(4);
  assert.ok(pit.position(1) < 0.95, 'closed in the second of the third tick');
});

test('a jump through the line finds no shelter in the pause: below a fifth of maintenance the fund has it at once', () => {
  const { pit } = stuck(0.1);
  pit.index(96_000);
  pit.seconds(30);
  pit.index(90_000);
  pit.seconds(1);
  assert.equal(pit.status(1), LIQUIDATED);
});
