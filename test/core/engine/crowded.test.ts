// When the share of the order pool for default and tier1 wallets is crowded, such a wallet may have ten open orders, and orders
// that rested for seven days end. Orders of other tiers, reduce-only orders and a pool with room are not affected.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { DAY, HOUR, IOC, SECOND } from '../../../core/units.ts';
import { CALL, FLAG_INDEX_AGELESS, FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_REASON } from '../../../core/codec/events.ts';
import { checked, CROWDED_OPEN_ORDERS, RESTED_TIME, SMALL } from '../../../core/limits.ts';
import { MARKET_MAKER, TIER1, TIER2 } from '../../../core/tiers.ts';
import { createState } from '../../../core/engine/state.ts';
import { hasReclaim } from '../../../core/lifecycle/reclaim-state.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { audit } from '../../sim/auditor.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, hashOf, WIDE } from '../../support/venue.ts';

/** 140 places for default and tier1 wallets; the pool is crowded from 126 open orders on. */
const LIMITS = checked({ ...SMALL, orders: 201, levelPages: 2_048 });
const CROWD = 126;

/** A call whose expiry is further away than an order may rest. */
function farCall(scene: Scene): number {
  const late = scene.slots(({ kind, underlying, expiry }) => kind === CALL && underlying === 'BTC' && expiry > scene.now + 40 * DAY);
  return late[Math.floor(late.length / 2)]!;
}

/** `count` orders of as many wallets from `first` on. */
function crowd(scene: Scene, slot: number, count: number, first = 100): void {
  for (let i = 0; i < count; i++) assert.equal(scene.sell(first + i, 90_000, 0.01, { slot }), C.OK);
}

/** Runs everything that is due, and gathers why orders ended. */
function reasons(scene: Scene): number[] {
  const told: number[] = [];
  for (;;) {
    scene.events = [];
    if (!runDue(scene.sequencer, scene.now)) return told;
    told.push(...scene.emitted(ORDER_DONE, ORDER_REASON));
  }
}

test('crowded: when 90 % of their share is taken, a default or tier1 wallet may have ten open orders; the refusal says ten', () => {
  const scene = new Scene({ limits: LIMITS });
  const slot = farCall(scene);
  scene.cancel(2, 0);
  scene.cancel(3, 0);
  for (const [wallet, tier] of [[2, MARKET_MAKER], [3, TIER2]] as const) scene.send(scene.write.tier(wallet, tier));
  for (let i = 0; i < 11; i++) assert.equal(scene.sell(1, 90_000, 0.01, { slot }), C.OK);
  const newest = scene.orders(1).at(-1)!.id;
  crowd(scene, slot, CROWD - 12);
  assert.equal(scene.sell(1, 90_000, 0.01, { slot }), C.OK, 'the last place before it is crowded');
  assert.equal(scene.sell(1, 90_000, 0.01, { slot }), C.MAX_OPEN_ORDERS);
  assert.equal(scene.number(0), CROWDED_OPEN_ORDERS);
  assert.equal(scene.buy(1, 1, 0.01, { slot, tif: IOC }), C.OK, 'an order that never rests is not counted');
  assert.equal(scene.send(scene.write.replace({
    ...scene.contract(slot), wallet: 1, nonce: scene.next(), side: 1, price: 90_000 * 1e6, size: 1e4,
  }, newest)), C.MAX_OPEN_ORDERS, 'a replace places a new order');
  for (let i = 0; i < CROWDED_OPEN_ORDERS; i++) assert.equal(scene.sell(50, 90_000, 0.01, { slot }), C.OK);
  assert.equal(scene.sell(50, 90_000, 0.01, { slot }), C.MAX_OPEN_ORDERS);
  for (const wallet of [2, 3]) for (let i = 0; i < 12; i++) assert.equal(scene.sell(wallet, 90_000, 0.01, { slot }), C.OK);
  for (const order of scene.orders(50)) assert.equal(scene.cancel(50, order.id), C.OK);
  assert.equal(scene.cancel(1, newest), C.OK);
  assert.equal(scene.sell(1, 90_000, 0.01, { slot }), C.OK, 'with room the cap is the tier’s again');
});

test('crowded: orders that rested for seven days end with reason Capacity, except those of other tiers and reduce-only ones', () => {
  const scene = new Scene({ limits: LIMITS, rules: FREE });
  const slot = farCall(scene);
  scene.sell(1, 1_000, 1, { slot });
  scene.buy(2, 1_000, 1, { slot });
  scene.sell(2, 90_000, 1, { slot, flags: FLAG_REDUCE_ONLY });
  scene.sell(3, 90_000, 0.01, { slot });
  scene.send(scene.write.tier(3, MARKET_MAKER));
  scene.sell(4, 90_000, 0.01, { slot });
  scene.send(scene.write.tier(4, TIER1));
  scene.sell(5, 90_000, 0.01, { slot });
  scene.sell(7, 90_000, 0.01, { slot });
  const first = scene.now;
  scene.advance(2 * HOUR);
  const [moved] = scene.orders(7);
  assert.equal(scene.send(scene.write.amendOrder(7, scene.next(), { orderId: moved!.id, price: 91_000 * 1e6, size: 1e4 })), C.OK);
  crowd(scene, slot, CROWD - 5);
  scene.now = first + RESTED_TIME - 1;
  assert.deepEqual(reasons(scene), [], 'a pool with room is left alone');
  scene.sell(6, 90_000, 0.01, { slot });
  assert.deepEqual(reasons(scene), [], 'crowded now, but nothing has rested long enough');
  assert.ok(nextDue(scene.state) <= scene.now + HOUR);
  scene.advance(HOUR - SECOND);
  const before = reasons(scene);
  scene.now += 2 * SECOND;
  assert.deepEqual([...before, ...reasons(scene)], [C.DONE_CAPACITY, C.DONE_CAPACITY]);
  assert.deepEqual([4, 5].map((wallet) => scene.orders(wallet).length), [0, 0]);
  assert.deepEqual([2, 3, 6, 7].map((wallet) => scene.orders(wallet).length), [1, 1, 1, 1]);
  assert.equal(scene.orders(100).length, 1);
  audit(scene.state);
  assert.equal(hashOf(scene.replay()), scene.hash());
});

test('crowded: a pass runs in bounded steps between other work, and continues after a snapshot load', () => {
  const scene = new Scene({ limits: WIDE, rules: FREE });
  const slot = farCall(scene);
  const places = Math.floor(WIDE.orders * 0.7);
  for (let i = 0; i < places; i++) scene.sell(100 + i % 300, 90_000, 0.01, { slot });
  scene.sell(2_000, 1_000, 1, { slot: scene.atm });
  scene.send(scene.write.tier(100, MARKET_MAKER));
  const kept = scene.orders(100).length;
  scene.now += RESTED_TIME;
  let steps = 0;
  let ended = 0;
  let loaded: ReturnType<typeof createState> | null = null;
  for (let i = 0; i < 4_000 && (i < 10 || hasReclaim(scene.state.reclaim)); i++) {
    scene.now += 5;
    scene.venue(scene.write.index(0, (100_000 + i) * 1e6, FLAG_INDEX_AGELESS));
    scene.events = [];
    runDue(scene.sequencer, scene.now);
    const told = scene.emitted(ORDER_DONE, ORDER_REASON).filter((reason) => reason === C.DONE_CAPACITY);
    assert.ok(told.length <= 128, 'a bounded step');
    if (told.length > 0) steps++;
    ended += told.length;
    if (steps !== 5 || loaded !== null) continue;
    loaded = createState(scene.state.limits);
    restoreState(loaded, copyOf(scene.state));
  }
  assert.equal(hasReclaim(scene.state.reclaim), false, 'the pass ends although new marks keep arriving');
  assert.ok(steps >= 20);
  assert.equal(ended, places - kept);
  assert.equal(scene.orders(100).length, kept);
  scene.settle();
  audit(scene.state);
  assert.equal(hashOf(scene.replay(loaded!)), scene.hash());
  assert.equal(hashOf(scene.replay()), scene.hash());
});
