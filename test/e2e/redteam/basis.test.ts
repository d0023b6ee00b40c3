// Attacks on the mark of a perp, which two wallets can move by half a percent of the index at no cost if nobody else quotes: a bid of
// 20,000 USDC far below and an ask at the index make a low middle. The target is a hedge: short perps against calls deep in the money
// need little margin, so that half a percent of either leg exceeds it.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, IOC, USDC } from '../../../core/units.ts';
import { HEALTHY, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { CALL } from '../../../core/codec/commands.ts';
import { FILL, FILL_INSTRUMENT, FILL_PRICE, FILL_SIDE, FILL_TAKER } from '../../../core/codec/events.ts';
import { collateralOf, freshen, initialOf } from '../../../core/margin/account-margin.ts';
import { BALANCE, DOLLAR, figures, AttackedVenue, SEED } from './attacked-venue.ts';

const INDEX = 100_000;
/** Contracts of each leg: what the calls cost is all the cash there is. */
const LEG = 130;

/** Wallet 1 is long calls at the lowest strike of the last expiry and short as many perps, wallet 2 has the other side. */
class Hedge extends AttackedVenue {
  readonly deep = this.option(CALL, 30_000, 400);
  readonly far = this.option(CALL, 1_000_000, 400);

  constructor() {
    super();
    this.enter(3, 4, 5).enterPortfolio(1, 2);
    for (let dealt = 0; dealt < LEG; dealt += 10) {
      this.deal(1, 2, this.near(this.deep), 10, this.deep);
      this.deal(2, 1, INDEX, 10);
    }
  }

  /** Wallets 3 and 4 move the mark of the perp as far as it goes. */
  push(way: 'up' | 'down'): void {
    if (way === 'down') this.quote(3, 4, this.perp, 0.98 * INDEX, INDEX, 0.21);
    else this.quote(3, 4, this.perp, INDEX, 1.02 * INDEX, 0.21);
    this.seconds(200);
    assert.ok(Math.abs(this.mark(this.perp) / USDC / INDEX - 1) > 0.0049, 'the mark is at its bound');
  }

  release(): void {
    for (const wallet of [3, 4, 5]) for (const { id } of this.orders(wallet)) assert.equal(this.cancel(wallet, id), C.OK);
    this.seconds(200);
  }

  /** Wallet 1 gives wallet 5 all that its margin lets it, for calls that are worth little. */
  give(size = 0.1): void {
    const account = this.account(1);
    freshen(this.state, account);
    const free = (collateralOf(this.state, account) - initialOf(this.state, account)) / USDC;
    const price = figures(free * 0.9998 / size);
    assert.equal(this.sell(5, price, size, { slot: this.far }), C.OK);
    assert.equal(this.buy(1, price, size, { slot: this.far, tif: IOC }), C.OK);
    assert.ok(this.initial(1) < 50_000 * USDC, 'what is left is what the hedge needs');
  }
}

test('attack: push the mark of one\'s own hedge and give the gain away; the insurance fund pays nothing', () => {
  const crew = [1, 2, 3, 4, 5];
  const scene = new Hedge();
  const before = scene.wealth(...crew);
  scene.push('down');
  assert.ok(scene.equity(1) > BALANCE + 60_000n * DOLLAR, 'half a percent of the perps');
  scene.give();
  scene.release();
  assert.ok(scene.equity(1) >= 0n && scene.fund() >= SEED, `the fund has ${scene.fund() / DOLLAR}, wallet 1 ${scene.equity(1) / DOLLAR}`);
  assert.ok(scene.wealth(...crew) <= before);
});

test('attack: push the mark against a stranger\'s hedge; the stranger is not liquidated', () => {
  const scene = new Hedge();
  scene.give();
  const size = scene.size(1);
  scene.push('up');
  assert.deepEqual([scene.status(1), scene.size(1), scene.fund()], [HEALTHY, size, SEED]);
  assert.ok(scene.equity(1) < 0n, 'at mark he has nothing');
});

test('attack: trade with the fund at a pushed mark; it closes no worse than the index', () => {
  const scene = new AttackedVenue().enter(1, 2, 3, 4, 5);
  scene.deal(1, 2, INDEX, 900);
  scene.index(INDEX * 0.895);
  scene.seconds(40);
  assert.deepEqual([scene.status(1), scene.sizeOf(scene.fundAccount())], [LIQUIDATED, 900e6]);
  const index = 0.895 * INDEX;
  scene.quote(3, 4, scene.perp, 0.98 * index, index + 1, 0.24);
  scene.seconds(200);
  assert.ok(scene.mark(scene.perp) / USDC < 0.9951 * index);
  const sold: number[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind !== FILL || slots[FILL_TAKER] !== scene.fundAccount() || slots[FILL_INSTRUMENT] !== scene.perp) return;
    assert.notEqual(slots[FILL_SIDE], BUY);
    sold.push(slots[FILL_PRICE]! / USDC);
  };
  for (const price of [figures(0.9951 * index), index]) {
    assert.equal(scene.buy(5, price, 100, { slot: scene.perp }), C.OK);
    scene.seconds(2);
  }
  assert.ok(sold.length > 0 && Math.min(...sold) >= index, `${sold}`);
});
