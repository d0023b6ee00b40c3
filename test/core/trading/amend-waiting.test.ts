// Amends of orders that wait for their trigger (extensions 3): size, price and trigger may change, and a refused one changes nothing.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, SELL, USDC } from '../../../core/units.ts';
import { ORDER_AMENDED, ORDER_SHRUNK, ORDER_UNTRIGGERED } from '../../../core/codec/events.ts';
import { CLOSE_ONLY } from '../../../core/accounts/accounts.ts';
import { REDUCE_ONLY_PER_HOLDING, TRIGGERS_A_WALLET } from '../../../core/limits.ts';
import { WAITS } from '../../../core/trading/amend-waiting.ts';
import { TIER1 } from '../../../core/tiers.ts';
import { FREE } from '../../support/venue.ts';
import { at, below, checkIndex, TriggerScene, REDUCE } from './trigger-scene.ts';
import { check, image } from './support.ts';

const to = (price: number): { triggerPrice: number } => ({ triggerPrice: price * USDC });

function shown(scene: TriggerScene, id: number): { price: number; size: number; trigger: number } {
  const order = scene.orders().find((one) => one.id === id)!;
  return { price: order.price / USDC, size: order.size / CONTRACT, trigger: scene.state.orders.extended.triggerPrice[order.slot]! / USDC };
}

const kinds = (scene: TriggerScene): number[] => scene.events.map(({ kind }) => kind)
  .filter((kind) => kind === ORDER_AMENDED || kind === ORDER_SHRUNK || kind === ORDER_UNTRIGGERED);

test('size, price and trigger of a waiting order change, and it waits on under its id, client id and time of creation', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 90_000, 5, { ...at(120_000), clientId: 'mine' });
  const before = scene.orders(1)[0]!;
  const created = scene.state.orders.amounts[before.slot * 4 + 1]!;
  scene.now += 1_000;
  assert.equal(scene.amend(1, id, 91_000, 6, to(110_000)), C.OK);
  assert.deepEqual([0, 1, 2, 3].map((number) => scene.number(number)), [id, 110_000 * USDC, 91_000 * USDC, WAITS]);
  assert.deepEqual(kinds(scene), [ORDER_AMENDED, ORDER_UNTRIGGERED]);
  assert.deepEqual(shown(scene, id), { price: 91_000, size: 6, trigger: 110_000 });
  assert.equal(scene.state.orders.amounts[before.slot * 4 + 1], created);
  assert.deepEqual([scene.orders(1).length, scene.orders(1)[0]!.since], [1, before.since]);
  assert.equal(scene.place(1, BUY, 1, 1, { slot: scene.perp, clientId: 'mine' }), C.DUPLICATE_CLIENT_ID);
  assert.equal(scene.amend(1, id, 92_000, 6), C.OK);
  assert.deepEqual(shown(scene, id), { price: 92_000, size: 6, trigger: 110_000 }, 'without a trigger price it stays');
  checkIndex(scene.state);
  check(scene.state);
});

test('an order fires at the trigger that it was moved to, not at its first one, in the order of the new prices', () => {
  const scene = new TriggerScene();
  const far = scene.order(1, BUY, 1, 1, at(100_300));
  const near = scene.order(1, BUY, 1, 1, at(100_100));
  const away = scene.order(1, BUY, 1, 1, at(100_200));
  assert.equal(scene.amend(1, far, 1, 1, to(100_050)), C.OK);
  assert.equal(scene.amend(1, away, 1, 1, to(150_000)), C.OK);
  scene.index(100_250);
  assert.deepEqual(scene.fired(), [far, near]);
  assert.ok(scene.waits(away));
});

test('a reduction at the same prices is judged by nothing and told once, and no change is told at all', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 90_000, 5, at(120_000));
  scene.state.accounts.walletMode[scene.account(1)] = CLOSE_ONLY;
  assert.equal(scene.amend(1, id, 90_000, 5, to(120_000)), C.OK);
  assert.deepEqual([kinds(scene), scene.number(3)], [[], WAITS]);
  assert.equal(scene.amend(1, id, 90_000, 2), C.OK);
  assert.deepEqual([kinds(scene), shown(scene, id)], [[ORDER_SHRUNK], { price: 90_000, size: 2, trigger: 120_000 }]);
  const before = image(scene.state);
  for (const [price, size, trigger] of [[90_000, 3, 120_000], [90_001, 2, 120_000], [90_000, 1, 120_001]] as const) {
    assert.equal(scene.amend(1, id, price, size, to(trigger)), C.WALLET_CLOSE_ONLY);
    assert.equal(image(scene.state), before);
  }
  check(scene.state);
});

test('a change needs funds as a placing does, and a reduce-only order needs none; refused, the order is exactly as it was', () => {
  const scene = new TriggerScene();
  const id = scene.order(1, BUY, 90_000, 5, at(120_000));
  const stop = scene.order(1, SELL, 90_000, 5, { ...below(80_000), ...REDUCE });
  scene.state.accounts.cash[scene.account(1)] = 0;
  const before = image(scene.state);
  assert.equal(scene.amend(1, id, 90_000, 6), C.NO_FUNDS);
  assert.equal(scene.amend(1, id, 90_000, 5, to(110_000)), C.NO_FUNDS);
  assert.equal(scene.amend(1, id, 90_000, 6, { validUntil: scene.now }), C.TOO_LATE);
  assert.equal(image(scene.state), before);
  checkIndex(scene.state);
  assert.equal(scene.amend(1, stop, 90_000, 7, to(85_000)), C.OK);
  assert.deepEqual(shown(scene, stop), { price: 90_000, size: 7, trigger: 85_000 }, 'not cut before its position exists');
});

test('an amended reduce-only order is cut to its position when it fires', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 2);
  const stop = scene.order(1, SELL, 90_000, 1, { ...below(80_000), ...REDUCE });
  assert.equal(scene.amend(1, stop, 90_000, 5, to(99_000)), C.OK);
  scene.index(99_000);
  assert.ok(scene.stands(stop));
  assert.equal(scene.orders(1)[0]!.remaining, 2 * CONTRACT);
});

test('a wallet at its cap and a holding full of reduce-only orders can move their triggers; above the cap it may only reduce', () => {
  const scene = new TriggerScene();
  scene.trade(1, 2, 100_000, 20);
  const ids: number[] = [];
  for (let i = 0; i < TRIGGERS_A_WALLET[0]!; i++) {
    const isReducing = i < REDUCE_ONLY_PER_HOLDING;
    ids.push(scene.order(1, SELL, 90_000, 2, { ...below(80_000), ...(isReducing && REDUCE) }));
  }
  for (const id of [ids[0]!, ids.at(-1)!]) assert.equal(scene.amend(1, id, 90_000, 3, to(81_000)), C.OK);
  scene.send(scene.write.tier(1, TIER1));
  assert.equal(scene.amend(1, ids[0]!, 90_000, 4), C.TOO_MANY_TRIGGERS);
  assert.equal(scene.amend(1, ids[0]!, 90_000, 1), C.OK);
  check(scene.state);
});

test('after a cancel-all an amend finds no open order, and the order does not fire', () => {
  const scene = new TriggerScene({ rules: FREE });
  for (let i = 0; i < 40; i++) scene.order(1, BUY, 1, 1);
  const id = scene.order(1, BUY, 1, 1, at(100_100));
  scene.send(scene.write.cancelAll(1, scene.next()));
  assert.equal(scene.amend(1, id, 1, 2, to(100_050)), C.NOT_OPEN);
  scene.index(100_100);
  assert.ok(!scene.stands(id) && !scene.waits(id));
});

test('after any amends the index of triggers is the one that a restore builds, and what is reached fires', () => {
  const change = fc.record({ which: fc.nat(7), price: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 5 }),
    trigger: fc.constantFrom(0, 100_050, 100_100, 100_150, 100_200) });
  fc.assert(fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
    const scene = new TriggerScene();
    const ids = Array.from({ length: 8 }, (_, i) => scene.order(1, BUY, 1, 1, at(100_100 + 50 * (i % 3))));
    for (const { which, price, size, trigger } of changes) {
      assert.equal(scene.amend(1, ids[which]!, price, size, to(trigger)), C.OK);
      checkIndex(scene.state);
    }
    const due = new Set(ids.filter((id) => shown(scene, id).trigger <= 100_100));
    scene.index(100_100);
    assert.deepEqual(new Set(scene.fired()), due);
  }), { numRuns: 10 });
});
