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
import { at, below, BY_MARK, checkIndex, Pit, REDUCE } from './trigger-scene.ts';
import { check } from './support.ts';

test('a trigger order waits in no book, binds no margin and fires as an order that arrives', () => {
  const pit = new Pit();
  const resting = pit.order(2, SELL, 100_500, 1);
  const id = pit.order(1, BUY, 101_000, 1, { ...at(100_400), tif: IOC, clientId: 'stop' });
  assert.deepEqual([pit.told(ORDER_ACCEPTED, ORDER_ID), pit.told(ORDER_UNTRIGGERED, ORDER_ID)], [[id], [id]]);
  assert.deepEqual(pit.told(BOOK_CHANGED, INSTRUMENT), []);
  assert.equal(pit.place(1, BUY, 1, 1, { slot: pit.perp, clientId: 'stop' }), C.DUPLICATE_CLIENT_ID);
  pit.index(100_399);
  assert.ok(pit.waits(id));
  pit.index(100_400);
  assert.deepEqual([pit.fired(), pit.of(FILL, FILL_TAKER_ORDER), pit.ended()], [[id], [id],
    [[resting, C.DONE_FILLED], [id, C.DONE_FILLED]]]);
  assert.equal(pit.held(1, pit.perp)!.position, CONTRACT);
});

test('a reduce-only order that fires without a position meets the mode of its wallet first, in the order of checks', () => {
  const pit = new Pit();
  const first = pit.order(1, SELL, 1, 1, { ...at(100_400), ...REDUCE });
  const second = pit.order(1, SELL, 1, 1, { ...at(100_500), ...REDUCE });
  pit.index(100_400);
  pit.state.accounts.walletMode[pit.account(1)] = CLOSE_ONLY;
  pit.index(100_500);
  assert.deepEqual(pit.ended(), [[second, C.WALLET_CLOSE_ONLY]]);
  assert.ok(!pit.waits(first));
});

test('below fires at or below, theo and mark are those of the contract, and an equal value fires', () => {
  const pit = new Pit();
  const theo = pit.state.valuation.theo[pit.atm]! / USDC;
  const onTheo = pit.order(1, BUY, 1, 1, { ...below(Math.floor(theo * 0.9), BY_THEO), slot: pit.atm });
  const onMark = pit.order(1, BUY, 1, 1, { ...at(Math.floor(theo * 0.9), ABOVE, BY_MARK), slot: pit.atm });
  const onIndex = pit.order(1, BUY, 1, 1, below(100_000));
  pit.index(100_000);
  assert.deepEqual(pit.fired(), [onIndex, onMark]);
  pit.index(90_000);
  assert.deepEqual(pit.fired(), [onTheo]);
  assert.ok(pit.stands(onTheo) && pit.stands(onMark) && pit.stands(onIndex));
});

test('a trigger on theo does not see the mark', () => {
  const pit = new Pit();
  const theo = pit.state.valuation.theo[pit.atm]!;
  const near = (part: number): number => Math.round(theo / 1e5 * part) / 10;
  pit.buy(2, near(1.01), 5);
  pit.buy(4, near(1.01), 5);
  pit.sell(3, near(1.02), 5);
  pit.sell(5, near(1.02), 5);
  pit.now += 10_000;
  const terms = { tif: IOC, slot: pit.atm };
  const onTheo = pit.order(1, BUY, 1, 1, { ...at(near(1.005), ABOVE, BY_THEO), ...terms });
  const onMark = pit.order(1, BUY, 1, 1, { ...at(near(1.005), ABOVE, BY_MARK), ...terms });
  pit.index(100_000);
  assert.ok(pit.state.valuation.mark[pit.atm]! > pit.state.valuation.theo[pit.atm]!);
  assert.ok(pit.waits(onTheo) && !pit.waits(onMark));
});

test('due orders fire reduce-only first, then by index, theo, mark, the price reached first, then the order id', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 5);
  const far = pit.order(1, BUY, 1, 1, at(100_300));
  const near = pit.order(3, BUY, 1, 1, at(100_200));
  const twin = pit.order(4, BUY, 1, 1, at(100_200));
  const mark = pit.order(3, BUY, 1, 1, at(100_001, ABOVE, BY_MARK));
  const theo = pit.order(3, BUY, 1, 1, at(100_001, ABOVE, BY_THEO));
  const falls = pit.order(3, BUY, 1, 1, below(100_900));
  const option = pit.order(3, BUY, 1, 1, { ...at(100_100), slot: pit.atm });
  const reducing = pit.order(1, SELL, 200_000, 1, { ...at(100_350), ...REDUCE });
  pit.index(100_500);
  const byIndex = pit.perp < pit.atm ? [near, twin, far, falls, option] : [option, near, twin, far, falls];
  assert.deepEqual(pit.fired(), [reducing, ...byIndex, theo, mark]);
});

test('nothing fires on a stale index or before the condition is true again', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 1, 1, at(100_500));
  pit.venue(pit.write.index(0, 101_000 * USDC, 2));
  pit.settle();
  assert.ok(pit.waits(id));
  pit.venue(pit.write.index(0, 100_000 * USDC, 1));
  pit.settle();
  assert.ok(pit.waits(id));
  pit.index(100_500);
  assert.ok(pit.stands(id));
});

test('an order that would be refused when it fires ends with the reason of the refusal', () => {
  const pit = new Pit();
  const poor = pit.order(1, BUY, 100_000, 80_000, at(100_100));
  const short = pit.order(3, SELL, 100_000, 1, { ...at(100_100), ...REDUCE });
  pit.order(2, SELL, 100_000, 1);
  const posts = pit.order(4, BUY, 100_000, 1, { ...at(100_100), postOnly: POST_ONLY_REJECT });
  const slides = pit.order(5, BUY, 100_000, 1, { ...at(100_100), postOnly: POST_ONLY_SLIDE });
  pit.index(100_100);
  assert.deepEqual(pit.ended(), [[short, C.REDUCE_ONLY_INCREASES], [poor, C.INSUFFICIENT_MARGIN], [posts, C.WOULD_TAKE]]);
  assert.equal(pit.orders().find((order) => order.id === slides)!.price, 99_999 * USDC);
});

test('the position limit is judged when a trigger fires', () => {
  const settings = defaultSettings();
  settings[MAX_POSITION] = 150_000 * USDC;
  const pit = new Pit({ settings });
  const first = pit.order(1, BUY, 100_000, 1, at(100_100));
  const second = pit.order(1, BUY, 100_000, 1, at(100_100));
  pit.index(100_100);
  assert.ok(pit.stands(first));
  assert.deepEqual(pit.ended(), [[second, C.POSITION_LIMIT]]);
});

test('margin is judged when a trigger fires, in the order of firing', () => {
  const pit = new Pit();
  const ids = Array.from({ length: 5 }, () => pit.order(1, BUY, 100_000, 300, at(100_100)));
  pit.index(100_100);
  const refused = pit.ended();
  assert.ok(refused.length > 0 && refused.length < 5 && refused.every(([, reason]) => reason === C.INSUFFICIENT_MARGIN));
  assert.deepEqual(refused.map(([id]) => id), ids.slice(5 - refused.length));
});

test('a fired order keeps its id and time of creation, and stands from its firing on', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 99_000, 1, { ...at(100_100), clientId: 'kept' });
  const created = pit.now;
  const later = pit.order(3, BUY, 99_000, 1);
  pit.index(100_100);
  const order = pit.orders().find((one) => one.id === id)!;
  assert.ok(order.entry > pit.orders().find((one) => one.id === later)!.entry);
  assert.equal(pit.state.orders.amounts[order.slot * 4 + 1], created);
  assert.equal(pit.send(pit.write.cancelByClientId(1, pit.next(), 'kept')), C.OK);
});

test('a fill-or-kill order that cannot fill ends when it fires, and an ioc order ends with what is left', () => {
  const pit = new Pit();
  pit.order(2, SELL, 100_000, 1);
  const kill = pit.order(1, BUY, 100_000, 2, { ...at(100_100), tif: FOK });
  const rest = pit.order(1, BUY, 100_000, 2, { ...at(100_100), tif: IOC });
  pit.index(100_100);
  assert.deepEqual(pit.ended().filter(([id]) => id === kill || id === rest), [[kill, C.DONE_FOK_KILLED], [rest, C.DONE_IOC_REST]]);
});

test('a storm of triggers fires in bounded steps', () => {
  const pit = new Pit({ rules: FREE });
  const ids = Array.from({ length: 100 }, (_, i) => pit.order(1 + i % 7, BUY, 1, 1, at(100_100)));
  pit.now += 1_000;
  pit.venue(pit.write.index(0, 100_100 * USDC, 1));
  let most = 0;
  while (runDue(pit.sequencer, pit.now)) {
    most = Math.max(most, pit.told(ORDER_TRIGGERED, ORDER_ID).length);
    pit.events = [];
  }
  assert.equal(most, FIRED_A_STEP);
  assert.ok(ids.every((id) => pit.stands(id)));
  check(pit.state);
});

test('a step of firing ends with the order that reaches the bound of fills', () => {
  const pit = new Pit({ rules: FREE });
  for (let i = 0; i < FILLS_A_FIRING_STEP + 8; i++) pit.order(2, SELL, 100_000, 0.001);
  pit.order(1, BUY, 100_000, 0.001 * (FILLS_A_FIRING_STEP + 4), { ...at(100_100), tif: IOC });
  const next = pit.order(1, BUY, 100_000, 0.001, { ...at(100_100), tif: IOC });
  pit.now += 1_000;
  pit.venue(pit.write.index(0, 100_100 * USDC, 1));
  const steps: number[][] = [];
  while (runDue(pit.sequencer, pit.now)) {
    if (pit.told(ORDER_TRIGGERED, ORDER_ID).length > 0) steps.push(pit.told(ORDER_TRIGGERED, ORDER_ID));
    pit.events = [];
  }
  assert.equal(steps.length, 2);
  assert.deepEqual(steps[1], [next]);
});

test('a wallet whose cancels are queued does not hold up the triggers of others', () => {
  const pit = new Pit({ rules: FREE });
  for (let i = 0; i < 200; i++) pit.order(1, BUY, 1, 1);
  const other = pit.order(3, BUY, 1, 1, at(100_100));
  pit.now += 1_000;
  pit.venue(pit.write.index(0, 100_100 * USDC, 1));
  while (!hasFiring(pit.state.firing)) assert.ok(runDue(pit.sequencer, pit.now));
  pit.send(pit.write.cancelAll(1, pit.next()));
  const held = pit.order(1, BUY, 1, 1, at(100_050));
  while (hasFiring(pit.state.firing)) assert.ok(runDue(pit.sequencer, pit.now));
  assert.ok(pit.stands(other) && pit.waits(held));
  pit.index(100_100);
  assert.ok(pit.stands(held));
});

test('a long cancel and the triggers of others take turns, also with nothing else to do', () => {
  const pit = new Pit({ rules: FREE });
  for (let i = 0; i < 200; i++) pit.order(1, BUY, 1, 1);
  for (let i = 0; i < 800; i++) pit.order(2 + i % 80, BUY, 1, 1, at(100_100));
  pit.now += 1_000;
  pit.venue(pit.write.index(0, 100_100 * USDC, 1));
  while (!hasFiring(pit.state.firing) || !isIdle(pit.state.marks) || !isIdle(pit.state.work)) assert.ok(runDue(pit.sequencer, pit.now));
  pit.send(pit.write.cancelAll(1, pit.next()));
  pit.events = [];
  for (let i = 0; i < 2; i++) assert.ok(runDue(pit.sequencer, pit.now));
  assert.ok(pit.told(ORDER_TRIGGERED, ORDER_ID).length > 0 && pit.told(ORDER_DONE, ORDER_ID).length > 0);
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
    const pit = new Pit({ rules: FREE });
    for (const { wallet, side, price, size, by, direction, trigger, waits, reduces, tif, link, cancels } of orders) {
      const flags = FLAG_MMP_OPT_OUT | (reduces ? FLAG_REDUCE_ONLY : 0);
      const terms = waits ? { ...at(trigger, direction, by), tif } : { tif: GTC };
      pit.place(wallet, side, price, size, { slot: pit.perp, ...terms, flags, linkId: link });
      if (cancels) pit.cancel(wallet, pit.number(0));
      check(pit.state);
    }
    let twin: State | null = null;
    let steps = 0;
    for (const price of [100_050, 99_950, 100_100]) {
      pit.now += 1_000;
      pit.venue(pit.write.index(0, price * USDC, 1));
      while (runDue(pit.sequencer, pit.now)) {
        check(pit.state);
        if (!hasFiring(pit.state.firing) || ++steps !== cut) continue;
        twin = createState(SMALL);
        restoreState(twin, copyOf(pit.state));
      }
    }
    checkIndex(pit.state);
    assert.equal(hashOf(pit.replay()), pit.hash());
    if (twin !== null) assert.equal(hashOf(pit.replay(twin)), pit.hash());
  }), { numRuns: 30 });
});
