// At or above maintenance margin a liquidation pauses: no closing orders and no takeover. Below it the liquidation goes on, and after a
// minute at or above it its timers restart. Unless a test says otherwise, one perp is bought at 100,000 with 10,000 USDC: equity is the
// maintenance margin at 94,736.8, 0.6 of it at 92,783.5, a fifth of it at 90,909, and the initial margin at 100,000.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { FLAG_INDEX_STALE, PERP } from '../../../core/codec/commands.ts';
import { DELEVERAGED, DELEVERAGED_AGAINST, FILL, ORDER_ACCEPTED, TAKEN_OVER } from '../../../core/codec/events.ts';
import { LIQUIDATE } from '../../../core/lifecycle/work-queue.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { LIQUIDATION_RESET } from '../../../core/settings.ts';
import { SECOND, USDC } from '../../../core/units.ts';
import { fallen, LiquidationScene, type LiquidationSceneOptions } from './liquidation-scene.ts';

const CALM = 95_000;
const BELOW = 94_000;

/** Wallet 1 in liquidation, with an empty book. */
function stuck(options: LiquidationSceneOptions = {}): LiquidationScene {
  const scene = fallen(92_700, options);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  return scene;
}

test('takeover: an account at 192 % of its maintenance margin is not taken over, even if the book is empty for minutes', () => {
  const scene = stuck();
  // Equity 9,600 of a maintenance margin of 4,980: short of the initial margin, 9,960.
  scene.index(99_600);
  scene.seconds(600);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  assert.deepEqual(scene.seen(TAKEN_OVER), []);
  assert.equal(scene.equity(scene.account(1)), 9_600);
});

test('pause: equity equal to the maintenance margin pauses the liquidation', () => {
  const exact = (price: number): LiquidationScene => {
    const scene = new LiquidationScene({ balance: 11_000 });
    scene.index(101_250);
    scene.trade(1, 2, 101_250, 1);
    scene.index(92_500);
    scene.seconds(5);
    assert.equal(scene.status(1), IN_LIQUIDATION);
    scene.index(price);
    scene.kept = [];
    assert.equal(scene.buy(3, 94_500, 1, { slot: scene.perp }), C.OK);
    scene.seconds(40);
    return scene;
  };
  const at = exact(95_000);
  assert.equal(at.equity(at.account(1)), 4_750);
  assert.deepEqual([at.status(1), at.position(1)], [IN_LIQUIDATION, 1]);
  assert.ok(exact(94_999).position(1) < 1);
});

test('pause: at or above maintenance the venue sends no order, even against a bid; below it orders resume in a second', () => {
  const scene = stuck();
  scene.index(CALM);
  assert.equal(scene.buy(3, 94_900, 0.5, { slot: scene.perp }), C.OK);
  scene.kept = [];
  scene.seconds(20);
  assert.deepEqual(scene.seen(ORDER_ACCEPTED), []);
  scene.index(BELOW);
  scene.seconds(1);
  assert.equal(scene.seen(FILL).length, 1);
  assert.equal(scene.position(1), 0.75);
});

test('pause: when the pre_liquidation wait ends at or above maintenance, closing begins only once equity is below it', () => {
  const scene = fallen(94_700);
  scene.index(CALM);
  assert.equal(scene.buy(3, 94_900, 1, { slot: scene.perp }), C.OK);
  scene.seconds(50);
  scene.index(94_700);
  scene.seconds(1);
  scene.index(CALM);
  scene.seconds(40);
  assert.deepEqual([scene.status(1), scene.position(1)], [PRE_LIQUIDATION, 1], 'the wait is over');
  scene.index(94_700);
  scene.seconds(1);
  assert.deepEqual([scene.status(1), scene.position(1)], [IN_LIQUIDATION, 0.75], 'no second wait');
});

test('pause: the pre_liquidation wait of 60 s runs on during a pause and does not restart', () => {
  const scene = fallen(94_700);
  scene.index(CALM);
  scene.seconds(30);
  scene.index(94_700);
  scene.seconds(29);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
});

test('takeover: the 30 s without progress stop at or above maintenance, and resume below it', () => {
  const scene = stuck();
  scene.seconds(20);
  for (let i = 0; i < 3; i++) {
    scene.index(CALM);
    scene.seconds(50);
    scene.index(92_700);
    scene.seconds(3);
  }
  assert.equal(scene.status(1), IN_LIQUIDATION, '29 seconds');
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('takeover: an account at or above maintenance is not taken over, even after 29 s without progress', () => {
  const scene = stuck();
  scene.seconds(29);
  scene.index(CALM);
  scene.seconds(30);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.index(92_700);
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('pause: when one closing order brings equity above maintenance, no other follows in the same second', () => {
  const scene = new LiquidationScene();
  const ether = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 3_000, 0.1, ether);
  scene.trade(1, 2, 100_000, 0.95);
  scene.seconds(1);
  scene.index(92_000);
  scene.seconds(4);
  // Equity 4,110 of 4,470; a quarter less, and a fee of 223, it is 3,887 of 3,356.
  scene.index(93_800);
  assert.equal(scene.buy(3, 93_800, 0.5, { slot: scene.perp }), C.OK);
  assert.equal(scene.buy(3, 3_000, 0.1, { slot: ether }), C.OK);
  scene.seconds(5);
  assert.deepEqual([scene.position(1), scene.position(1, ether)], [0.7125, 0.1]);
});

test('takeover: seconds while one of two indexes is stale do not count as seconds without progress', () => {
  const scene = new LiquidationScene();
  const ether = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 3_000, 0.1, ether);
  scene.trade(1, 2, 100_000, 0.95);
  scene.seconds(1);
  scene.index(92_000);
  scene.seconds(4);
  scene.seconds(20);
  scene.venue(scene.write.index(1, 3_000 * USDC, FLAG_INDEX_STALE));
  scene.settle();
  scene.seconds(100);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.index(3_000, 1);
  scene.seconds(9);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('reset: after 60 s in a row at or above maintenance, the 30 s restart and a fall needs three ticks again', () => {
  for (const [calm, isReset] of [[60, false], [61, true]] as const) {
    const scene = stuck();
    scene.seconds(25);
    scene.index(CALM);
    scene.seconds(calm);
    scene.index(92_700);
    assert.equal(scene.buy(3, 92_700, 0.0001, { slot: scene.perp }), C.OK);
    scene.kept = [];
    scene.seconds(3);
    assert.equal(scene.seen(ORDER_ACCEPTED).length > 0, !isReset, 'orders in the first three seconds');
    scene.seconds(2);
    assert.equal(scene.status(1), isReset ? IN_LIQUIDATION : LIQUIDATED);
    scene.seconds(27);
    assert.equal(scene.status(1), isReset ? IN_LIQUIDATION : LIQUIDATED, '29 seconds since it fell again');
    scene.seconds(2);
    assert.equal(scene.status(1), LIQUIDATED);
  }
});

test('reset: one second below maintenance, or with a stale index, restarts the 60 s', () => {
  for (const breakOff of [(scene: LiquidationScene) => scene.index(92_700), (scene: LiquidationScene) => scene.goStale()]) {
    const scene = stuck();
    scene.seconds(25);
    for (let i = 0; i < 2; i++) {
      scene.index(CALM);
      scene.seconds(50);
      breakOff(scene);
      scene.seconds(1);
    }
    scene.index(CALM);
    scene.seconds(11);
    scene.index(92_700);
    scene.seconds(5);
    assert.equal(scene.status(1), LIQUIDATED, 'at most 30 seconds without progress in all');
  }
});

test('reset: the time at or above maintenance that it takes is a setting', () => {
  const scene = stuck({ set: [[LIQUIDATION_RESET, 5 * SECOND]] });
  scene.seconds(25);
  scene.index(CALM);
  scene.seconds(6);
  scene.index(92_700);
  scene.seconds(10);
  assert.equal(scene.status(1), IN_LIQUIDATION);
});

test('pause: a paused account may only close, and is healthy again once equity reaches initial margin', () => {
  const scene = stuck();
  scene.index(CALM);
  scene.seconds(120);
  const slot = scene.perp;
  assert.equal(scene.buy(1, 90_000, 0.01, { slot }), C.IN_LIQUIDATION);
  assert.equal(scene.sell(1, 96_000, 1.01, { slot }), C.IN_LIQUIDATION);
  assert.equal(scene.sell(1, 96_000, 1, { slot }), C.OK);
  scene.index(99_999);
  scene.seconds(5);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  scene.index(100_000);
  scene.seconds(1);
  assert.equal(scene.status(1), HEALTHY);
});

test('pause: an account at or above maintenance queues no liquidation work', () => {
  const scene = stuck();
  scene.index(CALM);
  scene.seconds(1);
  const most = (): number => {
    let found = 0;
    scene.now += SECOND;
    while (runDue(scene.sequencer, scene.now)) {
      const { counters, items } = scene.state.work;
      for (let at = 0; at < items.length; at += 5) if (items[at] === LIQUIDATE && counters[1]! > 0) found++;
    }
    return found;
  };
  assert.equal(most(), 0);
  scene.index(92_700);
  assert.ok(most() > 0);
});

test('pause: a paused account can still be deleveraged, and its orders that could then open a position are cancelled', () => {
  const scene = new LiquidationScene({ seed: 0 });
  const ether = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 100_000, 0.5);
  scene.trade(4, 2, 100_000, 0.3);
  scene.trade(2, 3, 3_000, 6, ether);
  scene.trade(1, 3, 3_000, 1.517, ether);
  scene.seconds(1);
  scene.index(2_000, 1);
  scene.index(102_500);
  scene.seconds(4);
  assert.equal(scene.status(2), IN_LIQUIDATION);
  scene.index(95_500);
  scene.seconds(1);
  assert.equal(scene.buy(2, 80_000, 0.8, { slot: scene.perp }), C.OK, 'equity 7,600, maintenance 4,420: the account may close');
  scene.index(100, 1);
  scene.index(86_000);
  scene.kept = [];
  // Wallet 2 has equity 3,800 and maintenance margin 3,470 when wallet 1 goes bankrupt and deleverages it.
  scene.seconds(4);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.seen(DELEVERAGED)[0]![DELEVERAGED_AGAINST], scene.account(2));
  assert.equal(scene.position(2), -0.3);
  scene.seconds(1);
  assert.equal(scene.status(2), IN_LIQUIDATION, 'above its maintenance, below its initial margin');
  assert.equal(scene.orders(2).length, 0, 'its bid for 0.8 would have opened a position');
});

/** Reference model of liquidation states, second by second; one perp bought at 100,000 with 10,000 USDC, and an empty book. */
class ReferenceModel {
  status = HEALTHY;
  private ticks: number[] = [];
  private waitEnd = 0;
  private recovered = -1e9;
  private calm = 0;
  private isReset = false;
  private stalled = 0;

  second(now: number, index: number, isStale: boolean): void {
    if (this.status === LIQUIDATED) return;
    if (isStale) {
      this.ticks = [];
      this.calm = 0;
      return;
    }
    const equity = index - 90_000;
    const maintenance = index / 20;
    if (this.status !== HEALTHY && equity >= index / 10) {
      this.status = HEALTHY;
      this.recovered = now;
      this.ticks = [];
      return;
    }
    if (equity >= maintenance) {
      this.ticks = [];
      this.calm++;
      // The first and the last of these seconds are a minute apart.
      if (this.calm > 60) {
        this.isReset = true;
        this.stalled = 0;
      }
      return;
    }
    const isOn = this.status !== HEALTHY && !this.isReset;
    if (!isOn) {
      this.ticks.push(now);
      if (this.ticks.length < 3 || now - this.ticks[0]! < 3) return;
      this.ticks = [];
    }
    this.calm = 0;
    this.isReset = false;
    if (this.status === HEALTHY) {
      this.status = PRE_LIQUIDATION;
      this.waitEnd = now - this.recovered <= 600 ? now : now + 60;
    }
    if (this.status === PRE_LIQUIDATION) {
      if (now < this.waitEnd && equity >= maintenance * 0.6) return;
      this.status = IN_LIQUIDATION;
      this.stalled = 0;
    } else this.stalled++;
    if (equity < maintenance * 0.2 || this.stalled >= 30) this.status = LIQUIDATED;
  }
}

const level = fc.constantFrom(100_500, 99_600, 95_000, 94_800, 94_700, 94_600, 93_000, 92_700, 92_500, 90_800, 0);
const spell = fc.record({ level, seconds: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 20, max: 75 })) });

test('random: for any path of the index, the account’s states equal those of the reference model', () => {
  const seen = new Set<string>();
  fc.assert(fc.property(fc.array(spell, { minLength: 4, maxLength: 24 }), (path) => {
    const scene = new LiquidationScene();
    const model = new ReferenceModel();
    scene.trade(1, 2, 100_000, 1);
    scene.seconds(1);
    let index = 100_000;
    for (const { level: to, seconds } of path) {
      if (to === 0) scene.goStale();
      else scene.index(index = to);
      for (let i = 0; i < seconds; i++) {
        scene.seconds(1);
        const before = model.status;
        model.second(scene.now / SECOND, index, to === 0);
        assert.equal(scene.status(1), model.status);
        if (before !== model.status) seen.add(`${before} ${model.status}`);
      }
    }
  }), { numRuns: 60, seed: 35 });
  for (const move of ['0 1', '0 3', '1 0', '1 2', '1 3', '2 0', '2 3']) assert.ok(seen.has(move), `never happened: ${move}`);
});
