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
import { at, below, checkIndex, Pit, REDUCE } from './trigger-scene.ts';
import { check, image } from './support.ts';

const to = (price: number): { triggerPrice: number } => ({ triggerPrice: price * USDC });

function shown(pit: Pit, id: number): { price: number; size: number; trigger: number } {
  const order = pit.orders().find((one) => one.id === id)!;
  return { price: order.price / USDC, size: order.size / CONTRACT, trigger: pit.state.orders.extended.triggerPrice[order.slot]! / USDC };
}

const kinds = (pit: Pit): number[] => pit.events.map(({ kind }) => kind)
  .filter((kind) => kind === ORDER_AMENDED || kind === ORDER_SHRUNK || kind === ORDER_UNTRIGGERED);

test('size, price and trigger of a waiting order change, and it waits on under its id, client id and time of creation', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 90_000, 5, { ...at(120_000), clientId: 'mine' });
  const before = pit.orders(1)[0]!;
  const created = pit.state.orders.amounts[before.slot * 4 + 1]!;
  pit.now += 1_000;
  assert.equal(pit.amend(1, id, 91_000, 6, to(110_000)), C.OK);
  assert.deepEqual([0, 1, 2, 3].map((number) => pit.number(number)), [id, 110_000 * USDC, 91_000 * USDC, WAITS]);
  assert.deepEqual(kinds(pit), [ORDER_AMENDED, ORDER_UNTRIGGERED]);
  assert.deepEqual(shown(pit, id), { price: 91_000, size: 6, trigger: 110_000 });
  assert.equal(pit.state.orders.amounts[before.slot * 4 + 1], created);
  assert.deepEqual([pit.orders(1).length, pit.orders(1)[0]!.since], [1, before.since]);
  assert.equal(pit.place(1, BUY, 1, 1, { slot: pit.perp, clientId: 'mine' }), C.DUPLICATE_CLIENT_ID);
  assert.equal(pit.amend(1, id, 92_000, 6), C.OK);
  assert.deepEqual(shown(pit, id), { price: 92_000, size: 6, trigger: 110_000 }, 'without a trigger price it stays');
  checkIndex(pit.state);
  check(pit.state);
});

test('an order fires at the trigger that it was moved to, not at its first one, in the order of the new prices', () => {
  const pit = new Pit();
  const far = pit.order(1, BUY, 1, 1, at(100_300));
  const near = pit.order(1, BUY, 1, 1, at(100_100));
  const away = pit.order(1, BUY, 1, 1, at(100_200));
  assert.equal(pit.amend(1, far, 1, 1, to(100_050)), C.OK);
  assert.equal(pit.amend(1, away, 1, 1, to(150_000)), C.OK);
  pit.index(100_250);
  assert.deepEqual(pit.fired(), [far, near]);
  assert.ok(pit.waits(away));
});

test('a reduction at the same prices is judged by nothing and told once, and no change is told at all', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 90_000, 5, at(120_000));
  pit.state.accounts.walletMode[pit.account(1)] = CLOSE_ONLY;
  assert.equal(pit.amend(1, id, 90_000, 5, to(120_000)), C.OK);
  assert.deepEqual([kinds(pit), pit.number(3)], [[], WAITS]);
  assert.equal(pit.amend(1, id, 90_000, 2), C.OK);
  assert.deepEqual([kinds(pit), shown(pit, id)], [[ORDER_SHRUNK], { price: 90_000, size: 2, trigger: 120_000 }]);
  const before = image(pit.state);
  for (const [price, size, trigger] of [[90_000, 3, 120_000], [90_001, 2, 120_000], [90_000, 1, 120_001]] as const) {
    assert.equal(pit.amend(1, id, price, size, to(trigger)), C.WALLET_CLOSE_ONLY);
    assert.equal(image(pit.state), before);
  }
  check(pit.state);
});

test('a change needs funds as a placing does, and a reduce-only order needs none; refused, the order is exactly as it was', () => {
  const pit = new Pit();
  const id = pit.order(1, BUY, 90_000, 5, at(120_000));
  const stop = pit.order(1, SELL, 90_000, 5, { ...below(80_000), ...REDUCE });
  pit.state.accounts.cash[pit.account(1)] = 0;
  const before = image(pit.state);
  assert.equal(pit.amend(1, id, 90_000, 6), C.NO_FUNDS);
  assert.equal(pit.amend(1, id, 90_000, 5, to(110_000)), C.NO_FUNDS);
  assert.equal(pit.amend(1, id, 90_000, 6, { validUntil: pit.now }), C.TOO_LATE);
  assert.equal(image(pit.state), before);
  checkIndex(pit.state);
  assert.equal(pit.amend(1, stop, 90_000, 7, to(85_000)), C.OK);
  assert.deepEqual(shown(pit, stop), { price: 90_000, size: 7, trigger: 85_000 }, 'not cut before its position exists');
});

test('an amended reduce-only order is cut to its position when it fires', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 2);
  const stop = pit.order(1, SELL, 90_000, 1, { ...below(80_000), ...REDUCE });
  assert.equal(pit.amend(1, stop, 90_000, 5, to(99_000)), C.OK);
  pit.index(99_000);
  assert.ok(pit.stands(stop));
  assert.equal(pit.orders(1)[0]!.remaining, 2 * CONTRACT);
});

test('a wallet at its cap and a holding full of reduce-only orders can move their triggers; above the cap it may only reduce', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 20);
  const ids: number[] = [];
  for (let i = 0; i < TRIGGERS_A_WALLET[0]!; i++) {
    const isReducing = i < REDUCE_ONLY_PER_HOLDING;
    ids.push(pit.order(1, SELL, 90_000, 2, { ...below(80_000), ...(isReducing && REDUCE) }));
  }
  for (const id of [ids[0]!, ids.at(-1)!]) assert.equal(pit.amend(1, id, 90_000, 3, to(81_000)), C.OK);
  pit.send(pit.write.tier(1, TIER1));
  assert.equal(pit.amend(1, ids[0]!, 90_000, 4), C.TOO_MANY_TRIGGERS);
  assert.equal(pit.amend(1, ids[0]!, 90_000, 1), C.OK);
  check(pit.state);
});

test('after a cancel-all an amend finds no open order, and the order does not fire', () => {
  const pit = new Pit({ rules: FREE });
  for (let i = 0; i < 40; i++) pit.order(1, BUY, 1, 1);
  const id = pit.order(1, BUY, 1, 1, at(100_100));
  pit.send(pit.write.cancelAll(1, pit.next()));
  assert.equal(pit.amend(1, id, 1, 2, to(100_050)), C.NOT_OPEN);
  pit.index(100_100);
  assert.ok(!pit.stands(id) && !pit.waits(id));
});

test('after any amends the index of triggers is the one that a restore builds, and what is reached fires', () => {
  const change = fc.record({ which: fc.nat(7), price: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 5 }),
    trigger: fc.constantFrom(0, 100_050, 100_100, 100_150, 100_200) });
  fc.assert(fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
    const pit = new Pit();
    const ids = Array.from({ length: 8 }, (_, i) => pit.order(1, BUY, 1, 1, at(100_100 + 50 * (i % 3))));
    for (const { which, price, size, trigger } of changes) {
      assert.equal(pit.amend(1, ids[which]!, price, size, to(trigger)), C.OK);
      checkIndex(pit.state);
    }
    const due = new Set(ids.filter((id) => shown(pit, id).trigger <= 100_100));
    pit.index(100_100);
    assert.deepEqual(new Set(pit.fired()), due);
  }), { numRuns: 10 });
});
