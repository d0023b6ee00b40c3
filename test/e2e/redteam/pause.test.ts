// Attacks on the pause and timers of a liquidation: keep the fund away by tiny closes, by crossing the line back and forth, by parking on
// it; hide a profit from deleveraging. Wallet 1 is the attacker's, wallet 3 an accomplice who buys from it at will.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { IN_LIQUIDATION, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { FILL, FILL_INSTRUMENT, TAKEN_OVER } from '../../../core/codec/events.ts';
import { LiquidationScene } from '../../core/liquidation/liquidation-scene.ts';

/** Wallet 1 long 0.95 perps of BTC and a little of ETH, in liquidation: equity 3,065 of a maintenance margin of 4,418. */
function stuck(ether: number): { scene: LiquidationScene; eth: number } {
  const scene = new LiquidationScene();
  const eth = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 3_000, ether, eth);
  scene.trade(1, 2, 100_000, 0.95);
  scene.seconds(1);
  scene.index(92_000);
  scene.seconds(4);
  scene.index(92_700);
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.kept = [];
  return { scene, eth };
}

test('attack: close bits of a dust position; the fund still takes over the large one', () => {
  const { scene, eth } = stuck(0.1);
  for (let i = 0; i < 2; i++) {
    assert.equal(scene.buy(3, 3_000, 0.025, { slot: eth }), C.OK);
    scene.seconds(14);
  }
  assert.equal(scene.seen(FILL).filter((slots) => slots[FILL_INSTRUMENT] === eth).length >= 2, true, 'the venue closed what was bid for');
  assert.equal(scene.position(1), 0.95);
  scene.seconds(3);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('attack: close a bit every 29 s; less than a fortieth of the margin is no progress', () => {
  for (const [size, status] of [[0.023, LIQUIDATED], [0.026, IN_LIQUIDATION]] as const) {
    const { scene } = stuck(0.1);
    for (let i = 0; i < 2; i++) {
      scene.seconds(26);
      if (scene.status(1) === LIQUIDATED) break;
      assert.equal(scene.buy(3, 92_700, size, { slot: scene.perp }), C.OK);
      scene.seconds(1);
    }
    assert.equal(scene.status(1), status, `${size} contracts`);
  }
});

test('several closing orders count together as progress', () => {
  const { scene } = stuck(0.1);
  for (let i = 0; i < 60; i++) {
    assert.equal(scene.buy(3, 92_700, 0.001, { slot: scene.perp }), C.OK);
    scene.seconds(1);
  }
  assert.equal(scene.status(1), IN_LIQUIDATION, 'a fortieth in some 24 seconds, and again');
});

test('attack: 59 s above the line, 1 s below; the 30 s are not reset', () => {
  const { scene } = stuck(0.1);
  let below = 0;
  for (; scene.status(1) !== LIQUIDATED && below < 60; below++) {
    scene.index(96_000);
    scene.seconds(59);
    scene.index(92_700);
    scene.seconds(1);
  }
  assert.ok(below >= 28 && below <= 30, `taken over after ${below} times`);
});

test('attack: park on the line; nothing is lost, nothing can be opened, and liquidation resumes at once', () => {
  const { scene, eth } = stuck(0.1);
  scene.index(96_000);
  assert.equal(scene.buy(3, 95_900, 0.5, { slot: scene.perp }), C.OK);
  scene.seconds(3_600 - 700);
  assert.deepEqual([scene.seen(FILL), scene.seen(TAKEN_OVER)], [[], []]);
  for (const slot of [scene.perp, eth]) assert.equal(scene.buy(1, 1_000, 0.001, { slot }), C.IN_LIQUIDATION);
  assert.equal(scene.sell(1, 96_000, 0.951, { slot: scene.perp }), C.IN_LIQUIDATION);
  scene.index(92_700);
  scene.seconds(4);
  assert.ok(scene.position(1) < 0.95, 'closed in the second of the third tick');
});

test('attack: jump through the line; below a fifth of maintenance the fund takes over at once', () => {
  const { scene } = stuck(0.1);
  scene.index(96_000);
  scene.seconds(30);
  scene.index(90_000);
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
});
