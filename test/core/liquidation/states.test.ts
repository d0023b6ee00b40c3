// From healthy to pre_liquidation and back: when a fall counts, which orders are cancelled and accepted, how long the wait is. One perp
// bought at 100,000 with 10,000 USDC: equity is below maintenance margin under 94,736.8 and reaches initial margin at 100,000.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { FLAG_INDEX_STALE, PERP } from '../../../core/codec/commands.ts';
import { LIQUIDATION_CHANGED, ORDER_ACCEPTED, ORDER_DONE, ORDER_ID, ORDER_REASON, TAKEN_OVER } from '../../../core/codec/events.ts';
import { LiquidationScene, type LiquidationSceneOptions } from './liquidation-scene.ts';

/** Wallet 1 is long one perp, wallet 2 short. */
function pair(options: LiquidationSceneOptions = {}): LiquidationScene {
  const scene = new LiquidationScene(options);
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  return scene;
}

/** Wallet 1 is in pre_liquidation: the index fell to 94,700. */
function waiting(options: LiquidationSceneOptions = {}): LiquidationScene {
  const scene = pair(options);
  scene.index(94_700);
  scene.seconds(4);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  return scene;
}

test('fall: an account enters pre_liquidation after ticks below maintenance in a row over at least three seconds', () => {
  const scene = pair();
  scene.index(94_737);
  scene.seconds(10);
  assert.equal(scene.status(1), HEALTHY, 'equity 4,737 is not below 4,736.85');
  scene.index(94_736);
  scene.seconds(3);
  assert.equal(scene.status(1), HEALTHY, 'the third tick is two seconds after the first');
  assert.deepEqual(scene.take(LIQUIDATION_CHANGED), []);
  scene.seconds(1);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  const account = scene.account(1);
  assert.deepEqual(scene.take(LIQUIDATION_CHANGED).map((slots) => slots.slice(1, 6)), [
    [account, HEALTHY, PRE_LIQUIDATION, 4_736 * USDC, 4_736.8 * USDC],
  ]);
  assert.equal(scene.status(2), HEALTHY);
});

test('fall: a tick at or above maintenance restarts the count, so short dips never liquidate', () => {
  const scene = pair();
  for (let i = 0; i < 5; i++) {
    scene.index(80_000);
    scene.seconds(3);
    scene.index(100_000);
    scene.seconds(1);
  }
  assert.equal(scene.status(1), HEALTHY);
  assert.deepEqual(scene.seen(LIQUIDATION_CHANGED), []);
});

test('fall: equity equal to maintenance margin is not below it', () => {
  const scene = new LiquidationScene({ balance: 11_000 });
  scene.index(101_250);
  scene.trade(1, 2, 101_250, 1);
  scene.index(95_000);
  scene.seconds(10);
  assert.equal(scene.equity(scene.account(1)), 4_750);
  assert.equal(scene.status(1), HEALTHY);
  scene.index(94_999);
  scene.seconds(4);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
});

test('fall: each vintage of marks counts once, however often accounts are checked', () => {
  const scene = pair({ markEvery: 5 * SECOND });
  scene.index(94_700);
  scene.seconds(9);
  assert.equal(scene.status(1), HEALTHY, 'two vintages');
  scene.seconds(2);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
});

test('pre_liquidation: orders that could open a position are cancelled, and only closing orders are accepted', () => {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 0.5);
  scene.seconds(1);
  const slot = scene.perp;
  const ids = [scene.sell(1, 110_000, 0.2, { slot }), scene.sell(1, 110_000, 0.2, { slot }), scene.sell(1, 109_000, 0.2, { slot }),
    scene.buy(1, 80_000, 0.1, { slot }), scene.buy(1, 10, 1)].map((code, i) => (assert.equal(code, C.OK), i + 3));
  scene.index(84_000);
  scene.seconds(3);
  scene.kept = [];
  scene.seconds(1);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  const done = scene.seen(ORDER_DONE);
  assert.deepEqual(done.map((slots) => slots[ORDER_REASON]), [C.DONE_LIQUIDATION, C.DONE_LIQUIDATION, C.DONE_LIQUIDATION]);
  const gone = done.map((slots) => slots[ORDER_ID]!).sort();
  assert.deepEqual(gone, [ids[2], ids[3], ids[4]], 'of the closing orders only the youngest that exceeds the position');
  assert.deepEqual(scene.orders(1).map((order) => order.id), [ids[0], ids[1]]);
  assert.equal(scene.buy(1, 80_000, 0.01, { slot }), C.IN_LIQUIDATION);
  assert.equal(scene.buy(1, 10, 0.1), C.IN_LIQUIDATION);
  assert.equal(scene.sell(1, 110_000, 0.2, { slot }), C.IN_LIQUIDATION, 'together with open asks it could reverse the position');
  assert.equal(scene.sell(1, 110_000, 0.1, { slot }), C.OK);
  assert.equal(scene.buy(2, 80_000, 0.1, { slot }), C.OK, 'other wallets trade on');
});

test('pre_liquidation: after 60 s below maintenance the account is in_liquidation and closing begins at once', () => {
  const scene = waiting();
  assert.equal(scene.buy(3, 94_000, 0.1, { slot: scene.perp }), C.OK);
  scene.kept = [];
  scene.seconds(59);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  assert.deepEqual(scene.seen(ORDER_ACCEPTED), [], 'the venue sends no order yet');
  scene.seconds(1);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  assert.equal(scene.seen(ORDER_ACCEPTED).length, 1, 'closing begins at once');
});

test('pre_liquidation: equity below 0.6 of maintenance skips the wait', () => {
  const at = waiting();
  at.index(92_784);
  at.seconds(2);
  assert.equal(at.status(1), PRE_LIQUIDATION, 'equity 2,784 is above 2,783.52');
  at.index(92_783);
  at.seconds(1);
  assert.equal(at.status(1), IN_LIQUIDATION);
  const once = pair();
  once.index(92_783);
  once.seconds(4);
  assert.deepEqual(once.take(LIQUIDATION_CHANGED).map((slots) => [slots[2], slots[3]]), [[0, 1], [1, 2]], 'in the same second');
});

test('an account is healthy again once equity reaches initial margin, from pre_liquidation and from in_liquidation', () => {
  const scene = waiting();
  scene.index(99_999.99);
  scene.seconds(2);
  assert.equal(scene.status(1), PRE_LIQUIDATION);
  scene.take(LIQUIDATION_CHANGED);
  scene.index(100_000);
  scene.seconds(1);
  assert.deepEqual(scene.take(LIQUIDATION_CHANGED).map((slots) => slots.slice(1, 6)), [
    [scene.account(1), PRE_LIQUIDATION, HEALTHY, 10_000 * USDC, 5_000 * USDC],
  ]);
  const later = waiting();
  later.index(92_700);
  later.seconds(2);
  assert.equal(later.status(1), IN_LIQUIDATION);
  later.index(100_001);
  later.seconds(1);
  assert.equal(later.status(1), HEALTHY);
  assert.equal(later.sell(1, 100_010, 1, { slot: later.perp }), C.OK, 'the account may open positions again');
});

test('a second fall within ten minutes after recovery skips the wait; a later one does not', () => {
  const cases = [[9 * MINUTE, IN_LIQUIDATION], [10 * MINUTE - SECOND, IN_LIQUIDATION], [10 * MINUTE, PRE_LIQUIDATION]] as const;
  for (const [gap, status] of cases) {
    const scene = waiting();
    scene.index(100_000);
    scene.seconds(1);
    assert.equal(scene.status(1), HEALTHY);
    scene.advance(gap - 3 * SECOND);
    scene.index(94_700);
    scene.seconds(3);
    assert.equal(scene.status(1), HEALTHY, 'a fall still needs its ticks');
    scene.seconds(1);
    assert.equal(scene.status(1), status);
  }
});

test('stale index: no tick counts towards a fall, no wait ends, and no account is closed or taken over', () => {
  const falling = pair();
  falling.index(94_700);
  falling.seconds(3);
  falling.goStale();
  falling.seconds(40);
  assert.equal(falling.status(1), HEALTHY);
  falling.index(94_700);
  falling.seconds(3);
  assert.equal(falling.status(1), HEALTHY, 'the count of ticks restarts');
  falling.seconds(1);
  assert.equal(falling.status(1), PRE_LIQUIDATION);

  const ended = waiting();
  ended.goStale(90_500);
  ended.seconds(100);
  assert.equal(ended.status(1), PRE_LIQUIDATION);

  const closing = waiting();
  closing.index(92_700);
  assert.equal(closing.buy(3, 92_000, 0.5, { slot: closing.perp }), C.OK);
  closing.seconds(1);
  assert.equal(closing.status(1), IN_LIQUIDATION);
  assert.equal(closing.position(1), 0.75);
  closing.goStale(90_500);
  closing.kept = [];
  closing.seconds(100);
  assert.equal(closing.status(1), IN_LIQUIDATION);
  assert.deepEqual([...closing.seen(ORDER_ACCEPTED), ...closing.seen(TAKEN_OVER)], []);
  closing.cancel(3, closing.orders(3)[0]!.id);
  closing.index(92_700);
  closing.seconds(29);
  assert.equal(closing.status(1), IN_LIQUIDATION, 'time with a stale index is not time without progress');
});

test('if one of two indexes is stale, its last mark counts, only the other position is closed, and no takeover happens', () => {
  const scene = new LiquidationScene();
  const ether = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 3_000, 0.4, ether);
  scene.trade(1, 2, 100_000, 0.9);
  assert.equal(scene.buy(3, 2_500, 0.4, { slot: ether }), C.OK);
  scene.venue(scene.write.index(1, 2_500 * USDC, FLAG_INDEX_STALE));
  scene.settle();
  scene.index(94_000);
  scene.seconds(5);
  assert.equal(scene.status(1), HEALTHY);
  scene.index(93_800);
  scene.seconds(5);
  assert.equal(scene.status(1), PRE_LIQUIDATION, 'the position with the stale index is valued at its last mark');
  assert.equal(scene.buy(3, 93_800, 0.225, { slot: scene.perp }), C.OK);
  scene.seconds(160);
  assert.equal(scene.status(1), IN_LIQUIDATION);
  assert.deepEqual([scene.position(1), scene.position(1, ether)], [0.675, 0.4], 'a quarter of the BTC perp and no ETH is closed');
  scene.index(88_600);
  scene.seconds(100);
  assert.equal(scene.status(1), IN_LIQUIDATION, 'below the takeover level, but not taken over');
  scene.index(2_500, 1);
  scene.seconds(1);
  assert.equal(scene.status(1), LIQUIDATED);
});
