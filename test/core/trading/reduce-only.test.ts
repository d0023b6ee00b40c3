// Reduce-only orders (decision 3.10): refused without an opposite position, never larger than it, reduced in place with it,
// cancelled at 0, also within a sweep. A reduce-only order never flips a position.

import { orderUpdateSeq } from '../../../core/account-streams.ts';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER_ORDER, FILL_MAKER_POSITION, FILL_SIDE, FILL_SIZE, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_REASON, ORDER_SHRUNK,
  ORDER_SIZE } from '../../../core/codec/events.ts';
import { REDUCE_ONLY_PER_HOLDING } from '../../../core/limits.ts';
import { TIER2 } from '../../../core/tiers.ts';
import { freshen, reservedOf } from '../../../core/margin/account-margin.ts';
import { liveRows } from '../../support/raw.ts';
import { TradingScene, REDUCE, check } from './support.ts';

/** Wallet 1 is long `size` perps. */
function long(size: number): TradingScene {
  const scene = new TradingScene();
  scene.trade(1, 2, 90_000, size);
  return scene;
}

test('reduce-only: without an opposite position an order is refused, with every time in force', () => {
  const scene = long(2);
  const more = { slot: scene.perp, ...REDUCE };
  for (const tif of [GTC, IOC, FOK]) {
    assert.equal(scene.buy(1, 90_000, 1, { ...more, tif }), C.REDUCE_ONLY_INCREASES);
    assert.equal(scene.sell(3, 90_000, 1, { ...more, tif }), C.REDUCE_ONLY_INCREASES);
    assert.equal(scene.sell(1, 1_000, 1, { ...REDUCE, tif }), C.REDUCE_ONLY_INCREASES, 'another contract');
  }
  check(scene.state);
});

test('reduce-only: an order larger than the position is cut to the position, with every time in force', () => {
  for (const tif of [GTC, IOC, FOK]) {
    const scene = long(2);
    const more = { slot: scene.perp, ...REDUCE };
    scene.buy(3, 90_000, 5, { slot: scene.perp });
    assert.equal(scene.sell(1, 90_000, 9, { ...more, tif }), C.OK);
    assert.deepEqual([scene.number(1), scene.number(2)], [2 * CONTRACT, 0]);
    assert.equal(scene.held(1, scene.perp), undefined);
    assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED]);
    check(scene.state);
  }
  const scene = long(2);
  assert.equal(scene.sell(1, 91_000, 9, { slot: scene.perp, ...REDUCE }), C.OK);
  assert.equal(scene.number(2), 2 * CONTRACT, 'the resting size is the position');
});

test('reduce-only: a resting order shrinks with the position, keeps its place in the book, and is cancelled at 0', () => {
  const scene = long(5);
  const { perp } = scene;
  scene.sell(1, 91_000, 5, { slot: perp, ...REDUCE });
  const id = scene.number(0);
  scene.sell(4, 91_000, 1, { slot: perp });
  const updates = orderUpdateSeq(scene.state.streams.accounts, scene.account(1));
  scene.buy(3, 90_000, 2, { slot: perp });
  scene.sell(1, 90_000, 2, { slot: perp, tif: IOC });
  assert.deepEqual(scene.emitted(ORDER_SHRUNK, ORDER_ID), [id]);
  assert.deepEqual(scene.emitted(ORDER_SHRUNK, ORDER_REASON), [3 * CONTRACT]);
  assert.deepEqual([scene.emitted(ORDER_SHRUNK, ORDER_SIZE), scene.emitted(ORDER_SHRUNK, ORDER_FILLED)], [[3 * CONTRACT], [0]]);
  assert.equal(orderUpdateSeq(scene.state.streams.accounts, scene.account(1)) - updates, 3, 'accepted, shrunk, done');
  check(scene.state);
  scene.buy(5, 91_000, 1, { slot: perp, tif: IOC });
  assert.deepEqual(scene.emitted(FILL, FILL_MAKER_ORDER), [id], 'its time priority is kept');
  assert.equal(scene.orders(1)[0]!.remaining, 2 * CONTRACT);
  scene.buy(3, 90_000, 1.5, { slot: perp });
  scene.sell(1, 90_000, 1.5, { slot: perp, tif: IOC });
  assert.deepEqual([scene.emitted(ORDER_SHRUNK, ORDER_SIZE), scene.emitted(ORDER_SHRUNK, ORDER_FILLED)], [[1.5 * CONTRACT], [CONTRACT]]);
  scene.buy(3, 90_000, 0.5, { slot: perp });
  scene.sell(1, 90_000, 0.5, { slot: perp, tif: IOC });
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON).slice(1), [C.DONE_NOTHING_TO_REDUCE, C.DONE_FILLED]);
  assert.equal(scene.orders(1).length, 0);
  assert.equal(scene.held(1, perp), undefined);
  check(scene.state);
});

test('reduce-only: a sweep over several orders of one wallet fills no more than its position', () => {
  const scene = long(3);
  const { perp } = scene;
  const ids = [91_000, 91_100, 91_200].map((price) => {
    assert.equal(scene.sell(1, price, 2, { slot: perp, ...REDUCE }), C.OK);
    return scene.number(0);
  });
  scene.sell(4, 91_300, 10, { slot: perp });
  check(scene.state);
  scene.buy(5, 92_000, 6, { slot: perp });
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [2 * CONTRACT, CONTRACT, 3 * CONTRACT]);
  assert.deepEqual(scene.emitted(ORDER_SHRUNK, ORDER_ID), [ids[1], ids[2]]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_FILLED, C.DONE_NOTHING_TO_REDUCE, C.DONE_FILLED]);
  assert.equal(scene.held(1, perp), undefined);
  check(scene.state);
});

test('reduce-only: when another order flips the position, all reduce-only orders of the holding are cancelled', () => {
  const scene = long(2);
  const { perp } = scene;
  for (const price of [91_000, 91_100]) scene.sell(1, price, 2, { slot: perp, ...REDUCE });
  scene.buy(3, 90_000, 5, { slot: perp });
  scene.sell(1, 90_000, 5, { slot: perp });
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON).filter((reason) => reason === C.DONE_NOTHING_TO_REDUCE).length, 2);
  assert.equal(scene.held(1, perp)!.position, -3 * CONTRACT);
  check(scene.state);
});

test('reduce-only: the number of resting orders in a contract is limited; orders that never rest do not count', () => {
  const scene = long(2);
  const { perp } = scene;
  scene.send(scene.write.tier(1, TIER2));
  for (let i = 0; i < REDUCE_ONLY_PER_HOLDING; i++) assert.equal(scene.sell(1, 91_000 + i, 1, { slot: perp, ...REDUCE }), C.OK);
  assert.equal(scene.sell(1, 92_000, 1, { slot: perp, ...REDUCE }), C.TOO_MANY_REDUCE_ONLY);
  assert.equal(scene.sell(1, 92_000, 1, { slot: perp, ...REDUCE, tif: IOC }), C.OK);
  assert.equal(scene.replace(1, scene.orders(1)[3]!.id, SELL, 92_000, 1, { slot: perp, ...REDUCE }), C.OK, 'a replacement adds none');
  check(scene.state);
});

test('reduce-only: a fok order counts of each maker no more than its position', () => {
  const scene = long(3);
  const { perp } = scene;
  for (const price of [91_000, 91_100]) scene.sell(1, price, 3, { slot: perp, ...REDUCE });
  assert.equal(scene.buy(3, 92_000, 4, { slot: perp, tif: FOK }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED]);
  assert.equal(scene.number(1), 0);
  assert.equal(scene.buy(3, 92_000, 3, { slot: perp, tif: FOK }), C.OK);
  assert.equal(scene.number(1), 3 * CONTRACT);
  check(scene.state);
});

test('reduce-only: a fok order does not count its own orders when the makers’ positions are too small', () => {
  const scene = long(1);
  const { perp } = scene;
  for (let i = 0; i < 2; i++) assert.equal(scene.sell(1, 95_000, 1, { slot: perp, ...REDUCE }), C.OK);
  assert.equal(scene.sell(3, 95_000, 1, { slot: perp }), C.OK);
  assert.equal(scene.buy(3, 95_000, 2, { slot: perp, tif: FOK }), C.OK);
  assert.equal(scene.number(1), 0);
  assert.deepEqual(scene.orders().map((order) => order.remaining), [CONTRACT, CONTRACT, CONTRACT]);
  check(scene.state);
});

test('reduce-only: the reserve of an order shrinks with it', () => {
  const scene = long(2);
  const account = scene.account(1);
  assert.equal(scene.sell(1, 110_000, 2, { slot: scene.perp, ...REDUCE }), C.OK);
  scene.venue(scene.write.index(0, 120_000 * USDC, 1));
  scene.settle();
  freshen(scene.state, account);
  assert.equal(reservedOf(scene.state, account), 20_000 * USDC, '10,000 below mark');
  scene.trade(2, 1, 109_000, 0.5);
  freshen(scene.state, account);
  assert.equal(reservedOf(scene.state, account), 15_000 * USDC);
});

type Step = { wallet: number; sells: boolean; size: number; tick: number; tif: number; reduces: boolean; cancels: boolean };
const step: fc.Arbitrary<Step> = fc.record({
  wallet: fc.nat(3), sells: fc.boolean(), size: fc.integer({ min: 1, max: 9 }), tick: fc.nat(8),
  tif: fc.constantFrom(GTC, GTC, GTC, IOC, FOK), reduces: fc.boolean(), cancels: fc.boolean(),
});

test('reduce-only: in any sequence no reduce-only order opens or flips a position, and fok fills whole or not at all', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
    const scene = new TradingScene();
    const { perp, state } = scene;
    const isReduce = new Set<number>();
    for (const one of steps) {
      const before = new Map(liveRows(state).map((row) => [row.account, row.position]));
      const open = scene.orders(one.wallet)[0];
      if (one.cancels && open !== undefined && one.tick === 0) {
        scene.cancel(one.wallet, open.id);
        continue;
      }
      const code = scene.place(one.wallet, one.sells ? SELL : BUY, 90_000 + one.tick * 10, one.size, {
        slot: perp, tif: one.tif, flags: one.reduces ? FLAG_REDUCE_ONLY : 0,
      });
      check(state);
      if (code !== C.OK) {
        assert.ok([C.REDUCE_ONLY_INCREASES, C.INSUFFICIENT_MARGIN].includes(code), `${code}`);
        continue;
      }
      if (one.reduces) isReduce.add(scene.number(0));
      const filled = scene.number(1);
      const done = scene.events.findLast((event) => event.kind === ORDER_DONE && event.slots[ORDER_ID] === scene.number(0));
      if (one.tif === FOK) assert.ok(filled === 0 || done!.slots[ORDER_REASON] === C.DONE_FILLED, 'a fok in part');
      for (const row of liveRows(state)) {
        const was = before.get(row.account) ?? 0;
        const turned = was !== 0 && row.position !== 0 && (was > 0) !== (row.position > 0);
        const own = row.account === scene.account(one.wallet);
        if (turned && own) assert.ok(!one.reduces, 'a reduce-only taker turned its position round');
      }
      for (const event of scene.events.filter(({ kind }) => kind === FILL)) {
        if (!isReduce.has(event.slots[FILL_MAKER_ORDER]!)) continue;
        const after = event.slots[FILL_MAKER_POSITION]!;
        const size = event.slots[FILL_SIZE]!;
        const was = event.slots[FILL_SIDE] === BUY ? after + size : after - size;
        assert.ok(Math.abs(was) >= size && (after === 0 || (after > 0) === (was > 0)), 'a reduce-only maker opened or flipped');
      }
    }
  }), { numRuns: 80 });
});
