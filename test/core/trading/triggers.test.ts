// How trigger orders fire (extensions 2): when, in which order, as what, in bounded steps; and that a wallet gets nothing through them that
// an order that arrives would not get.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { CLOSE_ONLY } from '../../../core/accounts/accounts.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, POST_ONLY_REJECT, POST_ONLY_SLIDE } from '../../../core/codec/commands.ts';
import { BOOK_CHANGED, FILL, FILL_TAKER_ORDER, INSTRUMENT, ORDER_ACCEPTED, ORDER_DONE, ORDER_ID, ORDER_TRIGGERED,
  ORDER_UNTRIGGERED } from '../../../core/codec/events.ts';
import { FILLS_A_FIRING_STEP, FIRED_A_STEP, SMALL } from '../../../core/limits.ts';
import { defaultSettings, MAX_POSITION } from '../../../core/settings.ts';
import { ABOVE, BY_THEO } from '../../../core/orders/triggers.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { hasFiring } from '../../../core/lifecycle/firing-state.ts';
import { isIdle } from '../../../core/lifecycle/work-queue.ts';
import { FREE, hashOf } from '../../support/venue.ts';
import { at, below, BY_MARK, checkIndex, TriggerScene, REDUCE } from './trigger-scene.ts';
import { check } from './support.ts';

test('a trigger order waits in no book, binds no margin and fires as an order that arrives', () => {
  const scene = new TriggerScene();
  const resting = scene.order(2, SELL, 100_500, 1);
  const id = scene.order(1, BUY, 101_000, 1, { ...at(100_400), tif: IOC, clientId: 'stop' });
  assert.deepEqual([scene.emitted(ORDER_ACCEPTED, ORDER_ID), scene.emitted(ORDER_UNTRIGGERED, ORDER_ID)], [[id], [id]]);
  assert.deepEqual(scene.emitted(BOOK_CHANGED, INSTRUMENT), []);
  assert.equal(scene.place(1, BUY, 1, 1, { slot: scene.perp, clientId: 'stop' }), C.DUPLICATE_CLIENT_ID);
  scene.index(100_399);
  assert.ok(scene.waits(id));
  scene.index(100_400);
  assert.deepEqual([scene.fired(), scene.of(FILL, FILL_TAKER_ORDER), scene.ended()], [[id], [id],
    [[resting, C.DONE_FILLED], [id, C.DONE_FILLED]]]);
  assert.equal(scene.held(1, scene.perp)!.position, CONTRACT);
});

test('a reduce-only order that fires without a position meets the mode of its wallet first, in the order of checks', () => {
  const scene = new TriggerScene();
  const first = scene.order(1, SELL, 1, 1, { ...at(100_400), ...REDUCE });
  const second = scene.order(1, SELL, 1, 1, { ...at(100_500), ...REDUCE });
  scene.index(100_400);
  scene.state.accounts.walletMode[scene.account(1)] = CLOSE_ONLY;
  scene.index(100_500);
  assert.deepEqual(scene.ended(), [[second, C.WALLET_CLOSE_ONLY]]);
  assert.ok(!scene.waits(first));
});

test('below fires at or below, theo and mark are those of the contract, and an equal value fires', () => {
  const scene = new TriggerScene();
  const theo = scene.state.valuation.theo[scene.atm]! / USDC;
  const onTheo = scene.order(1, BUY, 1, 1, { ...below(Math.floor(theo * 0.9), BY_THEO), slot: scene.atm });
  const onMark = scene.order(1, BUY, 1, 1, { ...at(Math.floor(theo * 0.9), ABOVE, BY_MARK), slot: scene.atm });
  const onIndex = scene.order(1, BUY, 1, 1, below(100_000));
  scene.index(100_000);
  assert.deepEqual(scene.fired(), [onIndex, onMark]);
  scene.index(90_000);
  assert.deepEqual(scene.fired(), [onTheo]);
  assert.ok(scene.stands(onTheo) && scene.stands(onMark) && scene.stands(onIndex));
});

test('a trigger on theo does not see the mark', () => {
  const scene = new TriggerScene();
  const theo = scene.state.valuation.theo[scene.atm]!;
  const near = (part: number): number => Math.round(theo / 1e5 * part) / 10;
  scene.buy(2, near(1.01), 5);
  scene.buy(4, near(1.01), 5);
  scene.sell(3, near(1.02), 5);
  scene.sell(5, near(1.02), 5);
  scene.now += 10_000;
  const terms = { tif: IOC, slot: scene.atm };
  const onTheo = scene.order(1, BUY, 1, 1, { ...at(near(1.005), ABOVE, BY_THEO), ...terms });
  const onMark = scene.order(1, BUY, 1, 1, { ...at(near(1.005), ABOVE, BY_MARK), ...terms });
  scene.index(100_000);
  assert.ok(scene.state.valuation.mark[scene.atm]! > scene.state.valuation.theo[scene.atm]!);
  assert.ok(scene.waits(onTheo) && !scene.waits(onMark));
});

test('due orders fire reduce-only first, then by index, theo, mark, the price reached first, then the order id', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 5);
  const far = scene.order(1, BUY, 1, 1, at(100_300));
  const near = scene.order(3, BUY, 1, 1, at(100_200));
  const twin = scene.order(4, BUY, 1, 1, at(100_200));
  const mark = scene.order(3, BUY, 1, 1, at(100_001, ABOVE, BY_MARK));
  const theo = scene.order(3, BUY, 1, 1, at(100_001, ABOVE, BY_THEO));
  const falls = scene.order(3, BUY, 1, 1, below(100_900));
  const option = scene.order(3, BUY, 1, 1, { ...at(100_100), slot: scene.atm });
  const reducing = scene.order(1, SELL, 200_000, 1, { ...at(100_350), ...REDUCE });
  scene.index(100_500);
  const byIndex = scene.perp < scene.atm ? [near, twin, far, falls, option] : [option, near, twin, far, falls];
  assert.deepEqual(scene.fired(), [reducing, ...byIndex, theo, mark]);
});

test('nothing fires on a stale index or before the condition is true again', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 1, 1, at(100_500));
  scene.venue(scene.write.index(0, 101_000 * USDC, 2));
  scene.settle();
  assert.ok(scene.waits(id));
  scene.venue(scene.write.index(0, 100_000 * USDC, 1));
  scene.settle();
  assert.ok(scene.waits(id));
  scene.index(100_500);
  assert.ok(scene.stands(id));
});

test('an order that would be refused when it fires ends with the reason of the refusal', () => {
  const scene = new TriggerScene();
  const poor = scene.order(1, BUY, 100_000, 80_000, at(100_100));
  const short = scene.order(3, SELL, 100_000, 1, { ...at(100_100), ...REDUCE });
  scene.order(2, SELL, 100_000, 1);
  const posts = scene.order(4, BUY, 100_000, 1, { ...at(100_100), postOnly: POST_ONLY_REJECT });
  const slides = scene.order(5, BUY, 100_000, 1, { ...at(100_100), postOnly: POST_ONLY_SLIDE });
  scene.index(100_100);
  assert.deepEqual(scene.ended(), [[short, C.REDUCE_ONLY_INCREASES], [poor, C.INSUFFICIENT_MARGIN], [posts, C.WOULD_TAKE]]);
  assert.equal(scene.orders().find((order) => order.id === slides)!.price, 99_999 * USDC);
});

test('the position limit is judged when a trigger fires', () => {
  const settings = defaultSettings();
  settings[MAX_POSITION] = 150_000 * USDC;
  const scene = new TriggerScene({ settings });
  const first = scene.order(1, BUY, 100_000, 1, at(100_100));
  const second = scene.order(1, BUY, 100_000, 1, at(100_100));
  scene.index(100_100);
  assert.ok(scene.stands(first));
  assert.deepEqual(scene.ended(), [[second, C.POSITION_LIMIT]]);
});

test('margin is judged when a trigger fires, in the order of firing', () => {
  const scene = new TriggerScene();
  const ids = Array.from({ length: 5 }, () => scene.order(1, BUY, 100_000, 300, at(100_100)));
  scene.index(100_100);
  const refused = scene.ended();
  assert.ok(refused.length > 0 && refused.length < 5 && refused.every(([, reason]) => reason === C.INSUFFICIENT_MARGIN));
  assert.deepEqual(refused.map(([id]) => id), ids.slice(5 - refused.length));
});

test('a fired order keeps its id and time of creation, and stands from its firing on', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 99_000, 1, { ...at(100_100), clientId: 'kept' });
  const created = scene.now;
  const later = scene.order(3, BUY, 99_000, 1);
  scene.index(100_100);
  const order = scene.orders().find((one) => one.id === id)!;
  assert.ok(order.entry > scene.orders().find((one) => one.id === later)!.entry);
  assert.equal(scene.state.orders.amounts[order.slot * 4 + 1], created);
  assert.equal(scene.send(scene.write.cancelByClientId(1, scene.next(), 'kept')), C.OK);
});

test('a fill-or-kill order that cannot fill ends when it fires, and an ioc order ends with what is left', () => {
  const scene = new TriggerScene();
  scene.order(2, SELL, 100_000, 1);
  const kill = scene.order(1, BUY, 100_000, 2, { ...at(100_100), tif: FOK });
  const rest = scene.order(1, BUY, 100_000, 2, { ...at(100_100), tif: IOC });
  scene.index(100_100);
  assert.deepEqual(scene.ended().filter(([id]) => id === kill || id === rest), [[kill, C.DONE_FOK_KILLED], [rest, C.DONE_IOC_REST]]);
});

test('a storm of triggers fires in bounded steps', () => {
  const scene = new TriggerScene({ rules: FREE });
  const ids = Array.from({ length: 100 }, (_, i) => scene.order(1 + i % 7, BUY, 1, 1, at(100_100)));
  scene.now += 1_000;
  scene.venue(scene.write.index(0, 100_100 * USDC, 1));
  let most = 0;
  while (runDue(scene.sequencer, scene.now)) {
    most = Math.max(most, scene.emitted(ORDER_TRIGGERED, ORDER_ID).length);
    scene.events = [];
  }
  assert.equal(most, FIRED_A_STEP);
  assert.ok(ids.every((id) => scene.stands(id)));
  check(scene.state);
});

test('a step of firing ends with the order that reaches the bound of fills', () => {
  const scene = new TriggerScene({ rules: FREE });
  for (let i = 0; i < FILLS_A_FIRING_STEP + 8; i++) scene.order(2, SELL, 100_000, 0.001);
  scene.order(1, BUY, 100_000, 0.001 * (FILLS_A_FIRING_STEP + 4), { ...at(100_100), tif: IOC });
  const next = scene.order(1, BUY, 100_000, 0.001, { ...at(100_100), tif: IOC });
  scene.now += 1_000;
  scene.venue(scene.write.index(0, 100_100 * USDC, 1));
  const steps: number[][] = [];
  while (runDue(scene.sequencer, scene.now)) {
    if (scene.emitted(ORDER_TRIGGERED, ORDER_ID).length > 0) steps.push(scene.emitted(ORDER_TRIGGERED, ORDER_ID));
    scene.events = [];
  }
  assert.equal(steps.length, 2);
  assert.deepEqual(steps[1], [next]);
});

test('a wallet whose cancels are queued does not hold up the triggers of others', () => {
  const scene = new TriggerScene({ rules: FREE });
  for (let i = 0; i < 200; i++) scene.order(1, BUY, 1, 1);
  const other = scene.order(3, BUY, 1, 1, at(100_100));
  scene.now += 1_000;
  scene.venue(scene.write.index(0, 100_100 * USDC, 1));
  while (!hasFiring(scene.state.firing)) assert.ok(runDue(scene.sequencer, scene.now));
  scene.send(scene.write.cancelAll(1, scene.next()));
  const held = scene.order(1, BUY, 1, 1, at(100_050));
  while (hasFiring(scene.state.firing)) assert.ok(runDue(scene.sequencer, scene.now));
  assert.ok(scene.stands(other) && scene.waits(held));
  scene.index(100_100);
  assert.ok(scene.stands(held));
});

test('a long cancel and the triggers of others take turns, also with nothing else to do', () => {
  const scene = new TriggerScene({ rules: FREE });
  for (let i = 0; i < 200; i++) scene.order(1, BUY, 1, 1);
  for (let i = 0; i < 800; i++) scene.order(2 + i % 80, BUY, 1, 1, at(100_100));
  scene.now += 1_000;
  scene.venue(scene.write.index(0, 100_100 * USDC, 1));
  while (!hasFiring(scene.state.firing) || !isIdle(scene.state.marks) || !isIdle(scene.state.work)) {
    assert.ok(runDue(scene.sequencer, scene.now));
  }
  scene.send(scene.write.cancelAll(1, scene.next()));
  scene.events = [];
  for (let i = 0; i < 2; i++) assert.ok(runDue(scene.sequencer, scene.now));
  assert.ok(scene.emitted(ORDER_TRIGGERED, ORDER_ID).length > 0 && scene.emitted(ORDER_DONE, ORDER_ID).length > 0);
});

test('a rebuilt state goes on as the original, also in the middle of firing', () => {
  const sides = fc.constantFrom(BUY, SELL);
  const one = fc.record({
    wallet: fc.integer({ min: 1, max: 4 }), side: sides, price: fc.constantFrom(99_980, 99_990, 100_000, 100_010, 100_020),
    size: fc.integer({ min: 1, max: 3 }),
    by: fc.integer({ min: 1, max: 3 }), direction: fc.integer({ min: 1, max: 2 }), trigger: fc.integer({ min: 99_900, max: 100_100 }),
    waits: fc.boolean(), reduces: fc.boolean(), tif: fc.constantFrom(GTC, IOC, FOK),
    link: fc.constantFrom('', 'a', 'b'), cancels: fc.boolean(),
  });
  fc.assert(fc.property(fc.array(one, { minLength: 30, maxLength: 90 }), fc.integer({ min: 1, max: 30 }), (orders, cut) => {
    const scene = new TriggerScene({ rules: FREE });
    for (const { wallet, side, price, size, by, direction, trigger, waits, reduces, tif, link, cancels } of orders) {
      const flags = FLAG_MMP_OPT_OUT | (reduces ? FLAG_REDUCE_ONLY : 0);
      const terms = waits ? { ...at(trigger, direction, by), tif } : { tif: GTC };
      scene.place(wallet, side, price, size, { slot: scene.perp, ...terms, flags, linkId: link });
      if (cancels) scene.cancel(wallet, scene.number(0));
      check(scene.state);
    }
    let twin: State | null = null;
    let steps = 0;
    for (const price of [100_050, 99_950, 100_100]) {
      scene.now += 1_000;
      scene.venue(scene.write.index(0, price * USDC, 1));
      while (runDue(scene.sequencer, scene.now)) {
        check(scene.state);
        if (!hasFiring(scene.state.firing) || ++steps !== cut) continue;
        twin = createState(SMALL);
        restoreState(twin, copyOf(scene.state));
      }
    }
    checkIndex(scene.state);
    assert.equal(hashOf(scene.replay()), scene.hash());
    if (twin !== null) assert.equal(hashOf(scene.replay(twin)), scene.hash());
  }), { numRuns: 30 });
});
