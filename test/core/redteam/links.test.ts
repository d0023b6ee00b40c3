// The attacker's aim: trade more with linked orders than the largest of them, shrink what is not his, or be shrunk by what is not linked.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, IOC, SECOND, SELL } from '../../../core/units.ts';
import { FILL, FILL_MAKER, FILL_SIZE, FILL_TAKER } from '../../../core/codec/events.ts';
import { check } from '../trading/support.ts';
import { above, below, AttackScene } from './attack-scene.ts';

const LINK = { linkId: 'pair' };

test('attack: both legs lie in the way of one sweep; together they give no more than the larger', () => {
  const scene = new AttackScene();
  scene.order(1, SELL, 100_000, 3, LINK);
  const larger = scene.order(1, SELL, 100_010, 5, LINK);
  scene.look();
  scene.order(2, BUY, 100_020, 50, { tif: IOC });
  assert.equal(scene.size(1), -5);
  assert.equal(scene.ends().get(larger), C.DONE_FILLED, 'what was left of it after the first');
  check(scene.state);
});

test('attack: a fill-or-kill order counts both legs; it gets the larger one and is killed for more', () => {
  const scene = new AttackScene();
  const legs = [scene.order(1, SELL, 100_000, 3, LINK), scene.order(1, SELL, 100_010, 5, LINK)];
  scene.order(2, BUY, 100_020, 5.000001, { tif: FOK });
  assert.equal(scene.number(1), 0, 'killed');
  assert.deepEqual(legs.map((id) => scene.left(id)), [3, 5], 'and nothing has moved');
  scene.order(2, BUY, 100_020, 5, { tif: FOK });
  assert.equal(scene.number(1), 5 * CONTRACT);
});

test('attack: a bid and an ask of one link are both met by triggers of one step', () => {
  const scene = new AttackScene();
  scene.order(1, SELL, 100_010, 5, LINK);
  const bid = scene.order(1, BUY, 99_990, 5, LINK);
  scene.order(2, BUY, 100_100, 5, { ...above(100_050), tif: IOC });
  scene.order(3, SELL, 99_900, 5, { ...above(100_050), tif: IOC });
  scene.index(100_060);
  assert.equal(scene.fired().length, 2);
  assert.equal(scene.ends().get(bid), C.DONE_LINKED);
  assert.deepEqual([scene.size(1), scene.size(2), scene.size(3)], [-5, 5, 0]);
});

test('attack: a part of one leg, then the other leg whole, then the first again', () => {
  const scene = new AttackScene();
  const ask = scene.order(1, SELL, 100_010, 5, LINK);
  const bid = scene.order(1, BUY, 99_990, 4, LINK);
  scene.order(2, BUY, 100_100, 1.5, { tif: IOC });
  assert.deepEqual([scene.left(ask), scene.left(bid)], [3.5, 2.5]);
  scene.order(2, SELL, 99_900, 40, { tif: IOC });
  assert.deepEqual([scene.left(ask), scene.left(bid)], [1, 0]);
  scene.order(2, BUY, 100_100, 40, { tif: IOC });
  assert.equal(scene.left(ask), 0, 'five in all, as the larger had');
});

test('attack: the same link id of another wallet, or in another contract, shares nothing', () => {
  const scene = new AttackScene();
  scene.order(1, SELL, 100_000, 3, LINK);
  const others = [scene.order(4, SELL, 100_010, 3, LINK), scene.order(1, SELL, 500, 3, { ...LINK, slot: scene.atm })];
  scene.order(2, BUY, 100_000, 3, { tif: IOC });
  assert.deepEqual(others.map((id) => scene.left(id)), [3, 3]);
});

test('attack: a link to orders that have ended: they neither give nor take, and a later order is not charged with old fills', () => {
  const scene = new AttackScene();
  const gone = scene.order(1, SELL, 100_000, 3, { ...LINK, expiresAt: scene.now + SECOND });
  const stays = scene.order(1, BUY, 90_000, 3, LINK);
  scene.now += SECOND;
  scene.order(2, BUY, 100_000, 3, { tif: IOC });
  assert.deepEqual([scene.size(1), scene.left(gone), scene.left(stays)], [0, 0, 3]);
  scene.order(1, SELL, 100_000, 2, LINK);
  scene.order(2, BUY, 100_000, 2, { tif: IOC });
  assert.equal(scene.left(stays), 1);
  assert.equal(scene.left(scene.order(1, SELL, 100_000, 3, LINK)), 3, 'new orders come with their size');
});

test('attack: a stop and a target of one position fire and fill; the position never turns', () => {
  const scene = new AttackScene();
  scene.trade(1, 2, 100_000, 5);
  const target = scene.order(1, SELL, 101_000, 5, LINK);
  const stop = scene.order(1, SELL, 90_000, 5, { ...below(99_000), ...LINK });
  scene.order(2, BUY, 101_000, 3, { tif: IOC });
  assert.deepEqual([scene.left(target), scene.left(stop)], [2, 2]);
  scene.order(2, BUY, 98_000, 50);
  scene.index(98_900);
  assert.deepEqual([scene.size(1), scene.left(target), scene.left(stop)], [0, 0, 0]);
  check(scene.state);
});

test('attack: in any flow of takers, a pair trades no more than its larger order', () => {
  const taker = fc.record({ side: fc.integer({ min: 0, max: 1 }), size: fc.integer({ min: 1, max: 40 }), wait: fc.boolean() });
  fc.assert(fc.property(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 })), fc.array(taker, { maxLength: 12 }),
    ([ask, bid], takers) => {
      const scene = new AttackScene();
      scene.order(1, SELL, 100_010, ask / 10, LINK);
      scene.order(1, BUY, 99_990, bid / 10, LINK);
      scene.look();
      for (const { side, size, wait } of takers) {
        const price = side === BUY ? 100_100 : 99_900;
        scene.place(2, side, price, size / 10, { slot: scene.perp, tif: IOC, ...(wait && above(100_050)) });
      }
      scene.settle();
      const { all } = scene;
      scene.index(100_060);
      scene.all.unshift(...all);
      const account = scene.account(1);
      const sizes = scene.heard(FILL, FILL_SIZE);
      const isHis = scene.heard(FILL, FILL_MAKER).map((maker, at) => maker === account || scene.heard(FILL, FILL_TAKER)[at] === account);
      const traded = sizes.filter((_, at) => isHis[at]).reduce((sum, size) => sum + size, 0);
      assert.ok(traded <= Math.max(ask, bid) * CONTRACT / 10, `${traded} of ${ask} and ${bid}`);
      check(scene.state);
    }), { numRuns: 60 });
});
