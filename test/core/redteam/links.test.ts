// The attacker's aim: trade more with linked orders than the largest of them, shrink what is not his, or be shrunk by what is not linked.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, IOC, SECOND, SELL } from '../../../core/units.ts';
import { FILL, FILL_MAKER, FILL_SIZE, FILL_TAKER } from '../../../core/codec/events.ts';
import { check } from '../trading/support.ts';
import { above, below, Den } from './den.ts';

const LINK = { linkId: 'pair' };

test('attack: both legs lie in the way of one sweep; together they give no more than the larger', () => {
  const den = new Den();
  den.order(1, SELL, 100_000, 3, LINK);
  const larger = den.order(1, SELL, 100_010, 5, LINK);
  den.look();
  den.order(2, BUY, 100_020, 50, { tif: IOC });
  assert.equal(den.size(1), -5);
  assert.equal(den.ends().get(larger), C.DONE_FILLED, 'what was left of it after the first');
  check(den.state);
});

test('attack: a fill-or-kill order counts both legs; it gets the larger one and is killed for more', () => {
  const den = new Den();
  const legs = [den.order(1, SELL, 100_000, 3, LINK), den.order(1, SELL, 100_010, 5, LINK)];
  den.order(2, BUY, 100_020, 5.000001, { tif: FOK });
  assert.equal(den.number(1), 0, 'killed');
  assert.deepEqual(legs.map((id) => den.left(id)), [3, 5], 'and nothing has moved');
  den.order(2, BUY, 100_020, 5, { tif: FOK });
  assert.equal(den.number(1), 5 * CONTRACT);
});

test('attack: a bid and an ask of one link are both met by triggers of one step', () => {
  const den = new Den();
  den.order(1, SELL, 100_010, 5, LINK);
  const bid = den.order(1, BUY, 99_990, 5, LINK);
  den.order(2, BUY, 100_100, 5, { ...above(100_050), tif: IOC });
  den.order(3, SELL, 99_900, 5, { ...above(100_050), tif: IOC });
  den.index(100_060);
  assert.equal(den.fired().length, 2);
  assert.equal(den.ends().get(bid), C.DONE_LINKED);
  assert.deepEqual([den.size(1), den.size(2), den.size(3)], [-5, 5, 0]);
});

test('attack: a part of one leg, then the other leg whole, then the first again', () => {
  const den = new Den();
  const ask = den.order(1, SELL, 100_010, 5, LINK);
  const bid = den.order(1, BUY, 99_990, 4, LINK);
  den.order(2, BUY, 100_100, 1.5, { tif: IOC });
  assert.deepEqual([den.left(ask), den.left(bid)], [3.5, 2.5]);
  den.order(2, SELL, 99_900, 40, { tif: IOC });
  assert.deepEqual([den.left(ask), den.left(bid)], [1, 0]);
  den.order(2, BUY, 100_100, 40, { tif: IOC });
  assert.equal(den.left(ask), 0, 'five in all, as the larger had');
});

test('attack: the same link id of another wallet, or in another contract, shares nothing', () => {
  const den = new Den();
  den.order(1, SELL, 100_000, 3, LINK);
  const others = [den.order(4, SELL, 100_010, 3, LINK), den.order(1, SELL, 500, 3, { ...LINK, slot: den.atm })];
  den.order(2, BUY, 100_000, 3, { tif: IOC });
  assert.deepEqual(others.map((id) => den.left(id)), [3, 3]);
});

test('attack: a link to orders that have ended: they neither give nor take, and a later order is not charged with old fills', () => {
  const den = new Den();
  const gone = den.order(1, SELL, 100_000, 3, { ...LINK, expiresAt: den.now + SECOND });
  const stays = den.order(1, BUY, 90_000, 3, LINK);
  den.now += SECOND;
  den.order(2, BUY, 100_000, 3, { tif: IOC });
  assert.deepEqual([den.size(1), den.left(gone), den.left(stays)], [0, 0, 3]);
  den.order(1, SELL, 100_000, 2, LINK);
  den.order(2, BUY, 100_000, 2, { tif: IOC });
  assert.equal(den.left(stays), 1);
  assert.equal(den.left(den.order(1, SELL, 100_000, 3, LINK)), 3, 'new orders come with their size');
});

test('attack: a stop and a target of one position fire and fill; the position never turns', () => {
  const den = new Den();
  den.trade(1, 2, 100_000, 5);
  const target = den.order(1, SELL, 101_000, 5, LINK);
  const stop = den.order(1, SELL, 90_000, 5, { ...below(99_000), ...LINK });
  den.order(2, BUY, 101_000, 3, { tif: IOC });
  assert.deepEqual([den.left(target), den.left(stop)], [2, 2]);
  den.order(2, BUY, 98_000, 50);
  den.index(98_900);
  assert.deepEqual([den.size(1), den.left(target), den.left(stop)], [0, 0, 0]);
  check(den.state);
});

test('attack: in any flow of takers, a pair trades no more than its larger order', () => {
  const taker = fc.record({ side: fc.integer({ min: 0, max: 1 }), size: fc.integer({ min: 1, max: 40 }), wait: fc.boolean() });
  fc.assert(fc.property(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 })), fc.array(taker, { maxLength: 12 }),
    ([ask, bid], takers) => {
      const den = new Den();
      den.order(1, SELL, 100_010, ask / 10, LINK);
      den.order(1, BUY, 99_990, bid / 10, LINK);
      den.look();
      for (const { side, size, wait } of takers) {
        const price = side === BUY ? 100_100 : 99_900;
        den.place(2, side, price, size / 10, { slot: den.perp, tif: IOC, ...(wait && above(100_050)) });
      }
      den.settle();
      const { all } = den;
      den.index(100_060);
      den.all.unshift(...all);
      const account = den.account(1);
      const sizes = den.heard(FILL, FILL_SIZE);
      const isHis = den.heard(FILL, FILL_MAKER).map((maker, at) => maker === account || den.heard(FILL, FILL_TAKER)[at] === account);
      const traded = sizes.filter((_, at) => isHis[at]).reduce((sum, size) => sum + size, 0);
      assert.ok(traded <= Math.max(ask, bid) * CONTRACT / 10, `${traded} of ${ask} and ${bid}`);
      check(den.state);
    }), { numRuns: 60 });
});
