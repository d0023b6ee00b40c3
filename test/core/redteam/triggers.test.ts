// The attacker's aim: get with an order that waits what an order that arrives does not get. Risk without margin, a reversed position, a
// trade in a halted or banded market, a turn before others, or a storm that nobody else gets through.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, GTC, IOC, SECOND, SELL, USDC } from '../../../core/units.ts';
import { FILL, FILL_MAKER_ORDER, FILL_TAKER_ORDER, ORDER_DONE, ORDER_TRIGGERED } from '../../../core/codec/events.ts';
import { EXPIRED_ORDERS_A_TICK, FIRED_A_STEP } from '../../../core/limits.ts';
import { PRICE_BAND, defaultSettings } from '../../../core/settings.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { check } from '../trading/support.ts';
import { above, below, AttackScene, REDUCE } from './attack-scene.ts';

const HALTED = 2;
const BLOCKED = 2;

test('attack: many triggers, each of which fits alone, fire in one vintage; those beyond the margin end', () => {
  const scene = new AttackScene();
  for (const maker of [2, 3, 4]) scene.order(maker, SELL, 100_000, 600);
  const waiting = Array.from({ length: 12 }, () => scene.order(1, BUY, 100_100, 150, { ...above(100_050), tif: IOC }));
  assert.ok(waiting.every((id) => scene.left(id) === 150), 'waiting binds nothing');
  scene.index(100_060);
  const refused = waiting.filter((id) => scene.ends().get(id) === C.INSUFFICIENT_MARGIN);
  assert.deepEqual(scene.fired(), waiting.filter((id) => !refused.includes(id)));
  assert.ok(refused.length >= 3 && refused.length < 12, `${refused.length} are refused`);
  assert.ok(scene.free(1) >= 0, 'what fired is covered');
});

test('attack: place a trigger while it fits, bind the margin in another symbol, let it fire', () => {
  const scene = new AttackScene();
  const eth = scene.slots(({ kind, underlying }) => kind === 2 && underlying === 'ETH')[0]!;
  scene.order(2, SELL, 100_000, 500);
  const stop = scene.order(1, BUY, 100_100, 400, above(100_050));
  let size = 33_000;
  while (scene.place(1, BUY, 3_000, size, { slot: eth }) !== C.OK) size = Math.floor(size * 0.9);
  scene.index(100_060);
  assert.equal(scene.ends().get(stop), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.size(1), 0);
  assert.ok(scene.free(1) >= 0);
});

test('attack: let a reduce-only trigger outlive its position and meet the opposite one', () => {
  const scene = new AttackScene();
  scene.trade(1, 2, 100_000, 5);
  const stop = scene.order(1, SELL, 90_000, 5, below(99_000, REDUCE));
  scene.order(2, BUY, 100_000, 20);
  scene.order(1, SELL, 100_000, 10, { tif: IOC });
  assert.equal(scene.size(1), -5, 'the position has turned');
  assert.equal(scene.left(stop), 0, 'and the stop of the long has ended');
  const other = scene.order(1, SELL, 90_000, 5, below(99_000, REDUCE));
  scene.order(2, BUY, 98_000, 20);
  scene.index(98_500);
  assert.equal(scene.ends().get(other), C.REDUCE_ONLY_INCREASES, 'one that would deepen the short is refused when it fires');
  assert.equal(scene.size(1), -5);
});

test('attack: two reduce-only stops of one position fire together; the second finds nothing to reduce', () => {
  const scene = new AttackScene();
  scene.trade(1, 2, 100_000, 5);
  scene.order(2, BUY, 98_000, 50);
  const stops = [1, 2, 3].map(() => scene.order(1, SELL, 90_000, 5, { ...below(99_000, REDUCE), tif: IOC }));
  scene.index(98_500);
  assert.deepEqual(scene.fired(), stops.slice(0, 1));
  assert.equal(scene.size(1), 0, 'never short');
});

test('attack: a trigger in a halted market, of a blocked wallet, or beyond the band trades nothing there', () => {
  const settings = defaultSettings();
  settings[PRICE_BAND] = 100_000;
  const scene = new AttackScene({ settings });
  scene.order(2, SELL, 109_000, 5);
  const [mine, blocked] = [1, 3].map((wallet) => scene.order(wallet, BUY, 500_000, 1, above(100_500)));
  scene.venue(scene.write.tradingMode(HALTED, 0));
  scene.index(101_000);
  assert.deepEqual(scene.fired(), [], 'halted: both wait');
  scene.venue(scene.write.walletMode(3, BLOCKED));
  scene.settle();
  assert.equal(scene.left(blocked!), 0, 'blocked: it has ended');
  scene.venue(scene.write.tradingMode(0, 0));
  scene.index(101_001);
  assert.deepEqual(scene.fired(), [mine]);
  assert.equal(scene.size(1), 1, 'the ask lies within the band');
  scene.order(1, BUY, 500_000, 1, above(101_500));
  scene.order(2, SELL, 120_000, 5);
  for (const { id, price } of scene.orders(2)) if (price === 109_000 * USDC) scene.cancel(2, id);
  scene.index(100_000);
  scene.index(101_600);
  const bid = scene.orders(1).find(({ side }) => side === BUY)!;
  assert.ok(bid.price <= 1.1 * scene.mark(scene.perp) && bid.price > 1.09 * scene.mark(scene.perp), 'cut to the band, where it rests');
  assert.equal(scene.size(1), 1);
});

test('attack: move a trigger while its turn comes; it fires at most once, and only at a trigger that it has', () => {
  const scene = new AttackScene();
  scene.order(2, SELL, 100_000, 900);
  const ids = Array.from({ length: 5 }, (_, at) => at + 10).flatMap((wallet) => (
    Array.from({ length: 20 }, () => scene.order(wallet, BUY, 100_100, 0.1, { ...above(100_050), tif: IOC }))
  ));
  scene.price(100_060);
  while (scene.fired().length === 0) assert.ok(runDue(scene.sequencer, scene.now));
  const last = ids.at(-1)!;
  const nearer = ids.at(-2)!;
  assert.equal(scene.amend(14, last, 100_100, 0.1, { triggerPrice: 100_500 * USDC }), C.OK);
  assert.equal(scene.amend(14, nearer, 100_100, 0.1, { triggerPrice: 1 * USDC }), C.OK);
  assert.equal(scene.cancel(14, ids.at(-3)!), C.OK);
  scene.settle();
  assert.equal(new Set(scene.fired()).size, scene.fired().length, 'none fires twice');
  assert.ok(!scene.fired().includes(last) && scene.left(last) === 0.1, 'what moved away waits');
  assert.ok(!scene.fired().includes(ids.at(-3)!), 'what was cancelled does not fire');
  const before = scene.fired().length;
  scene.index(100_061);
  assert.deepEqual([before, scene.fired()], [97, [nearer]], 'what moved to a passed place has its turn with the next vintage');
});

test('attack: a storm of triggers and expiries at one instant; steps are bounded, take turns, and let every command through', () => {
  const scene = new AttackScene();
  const at = scene.now + 2 * SECOND;
  scene.order(2, SELL, 100_000, 5_000 / 100);
  for (let wallet = 100; wallet < 140; wallet++) {
    for (let i = 0; i < 20; i++) scene.order(wallet, BUY, 100_100, 0.001, { ...above(100_050), tif: IOC });
    for (let i = 0; i < 30; i++) scene.order(wallet, BUY, 1_000 + i, 0.001, { expiresAt: at });
  }
  scene.price(100_060);
  scene.now = at;
  const seen = { fired: 0, ended: 0, steps: 0 };
  let [firstFired, firstEnded] = [0, 0];
  while (true) {
    scene.look();
    if (!runDue(scene.sequencer, scene.now)) break;
    seen.steps++;
    const [fired, done] = [scene.fired().length, scene.heard(ORDER_DONE, 2).length];
    assert.ok(fired <= FIRED_A_STEP && done - fired <= EXPIRED_ORDERS_A_TICK, `a step fired ${fired} and ended ${done}`);
    if (fired > 0) firstFired ||= seen.steps;
    if (done > fired) firstEnded ||= seen.steps;
    seen.fired += fired;
    seen.ended += done - fired;
    scene.look();
    scene.order(50 + seen.steps % 5, SELL, 110_000 + 10 * seen.steps, 0.001);
    assert.deepEqual([scene.heard(ORDER_TRIGGERED, 2), scene.heard(ORDER_DONE, 2)], [[], []], 'a command does none of that work');
    assert.ok(seen.steps < 2_000, 'the storm ends');
  }
  assert.deepEqual([seen.fired, seen.ended], [800, 1_200]);
  assert.ok(Math.max(firstFired, firstEnded) <= 40, `neither waits for the other: ${firstFired}, ${firstEnded}`);
  check(scene.state);
});

test('attack: in any flow nothing that has ended fires, and nothing is filled while it waits', () => {
  fc.assert(fc.property(fc.array(fc.record({
    wallet: fc.integer({ min: 1, max: 4 }), side: fc.integer({ min: 0, max: 1 }), away: fc.integer({ min: -60, max: 60 }),
    size: fc.integer({ min: 1, max: 400 }), kind: fc.integer({ min: 0, max: 5 }), tif: fc.constantFrom(GTC, IOC),
  }), { minLength: 10, maxLength: 40 }), (steps) => {
    const scene = new AttackScene();
    const ended = new Set<number>();
    for (const { away, kind, side, size, tif, wallet } of steps) {
      const price = 100_000 + away * 10;
      scene.look();
      if (kind === 0) {
        scene.index(price);
        for (const id of scene.fired()) assert.ok(!ended.has(id), 'an ended order fires');
      } else if (kind === 1) scene.place(wallet, side, price, size, { slot: scene.perp });
      else if (kind === 2) scene.now += SECOND;
      else {
        scene.place(wallet, side, price, size, {
          slot: scene.perp, tif, ...(kind === 3 ? above(price) : below(price, kind === 4 ? REDUCE : undefined)),
          expiresAt: kind === 5 ? scene.now + 2 * SECOND : 0,
        });
      }
      for (const id of scene.ends().keys()) ended.add(id);
      for (const id of [...scene.heard(FILL, FILL_MAKER_ORDER), ...scene.heard(FILL, FILL_TAKER_ORDER)]) {
        const order = scene.orders().find((one) => one.id === id);
        assert.ok(order === undefined || order.entry !== 0, 'an order that waits is filled');
      }
      check(scene.state);
    }
  }), { numRuns: 40 });
});
