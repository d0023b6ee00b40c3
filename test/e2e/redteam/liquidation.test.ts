// Attacks on the values that liquidation uses: the marks of options, which two wallets can push by 2 %. The target is a deep spread: each
// leg is worth many times the margin of both, so that a small push of either mark exceeds all its equity.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, IOC, USDC } from '../../../core/units.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { CALL } from '../../../core/codec/commands.ts';
import { DELEVERAGED, FILL, FILL_INSTRUMENT, FILL_PRICE, FILL_SIDE, FILL_TAKER, FUND_POSTED, LIQUIDATION_CHANGED,
  LIQUIDATION_EQUITY, LIQUIDATION_MAINTENANCE, OVER_INSTRUMENT, OVER_PRICE, POSTED_TAKEOVER, POSTED_WHY,
  TAKEN_OVER } from '../../../core/codec/events.ts';
import { DEFAULT_BALANCE } from '../../../core/settings.ts';
import { collateralOf, equityAtTheo, freshen, initialOf, reservedOf } from '../../../core/margin/account-margin.ts';
import { DOLLAR, figures, AttackedVenue, SEED } from './attacked-venue.ts';

const MILLION = 1_000_000n * DOLLAR;
/** Contracts of each leg. */
const LEG = 400;

/** Wallets of a million each: 1 is short calls at the lowest strike and long the next, the others in turn have the other side. */
class Spread extends AttackedVenue {
  readonly low: number;
  readonly high: number;
  /** A call that is worth little. */
  readonly far: number;
  readonly crew: readonly number[];
  readonly seen: number[] = [];

  constructor(others: readonly number[], balance = 1_000_000) {
    super({ settings: { [DEFAULT_BALANCE]: balance * USDC } });
    this.crew = [3, 4, ...others];
    this.enter(1, ...this.crew).enterPortfolio(1, ...others);
    const calls = this.slots((one) => one.kind === CALL && one.underlying === 'BTC');
    const last = Math.max(...calls.map((slot) => this.contract(slot).expiry));
    const strikes = calls.filter((slot) => this.contract(slot).expiry === last)
      .sort((a, b) => this.contract(a).strike - this.contract(b).strike);
    [this.low, this.high, this.far] = [strikes[0]!, strikes[1]!, strikes.at(-1)!];
    for (const other of others) {
      for (let dealt = 0; dealt < LEG / others.length; dealt += 5) {
        this.deal(other, 1, this.near(this.low), 5, this.low);
        this.deal(1, other, this.near(this.high), 5, this.high);
      }
    }
    this.state.events.listener = (kind) => {
      this.seen.push(kind);
    };
  }

  theo(slot: number): number {
    return this.state.valuation.theo[slot]! / USDC;
  }

  /** Equity of wallet 1 with its options at theo, micros. */
  worth(): bigint {
    const moved = [this.low, this.high, this.far].map((slot) => this.size(1, slot) / 1e6 * (this.theo(slot) - this.mark(slot) / USDC));
    return this.equity(1) + BigInt(Math.round(moved.reduce((sum, one) => sum + one, 0) * USDC));
  }

  /** Wallets 3 and 4 move the marks of both legs as far as they go, for wallet 1 or against it. */
  push(way: 'for' | 'against'): void {
    const [up, down] = way === 'for' ? [this.high, this.low] : [this.low, this.high];
    this.quote(3, 4, up, figures(this.theo(up) * 0.98), figures(this.theo(up) * 1.17), 0.1);
    this.quote(3, 4, down, figures(this.theo(down) * 0.83), figures(this.theo(down) * 1.02), 0.1);
    this.seconds(6);
    assert.ok(this.mark(up) > this.theo(up) * USDC * 1.01 && this.mark(down) < this.theo(down) * USDC * 0.99);
  }

  /** Their orders go, or those for one contract. */
  withdraw(wallets: readonly number[], slot = -1): void {
    for (const wallet of wallets) {
      for (const { id, instrument } of this.orders(wallet)) {
        if (slot < 0 || instrument === slot) assert.equal(this.cancel(wallet, id), C.OK);
      }
    }
  }

  /** Wallet 1 gives `other` all that its margin lets it, for calls that are worth nearly nothing. */
  giveTo(other: number): void {
    for (let rest = 0.99; rest > 0.5; rest -= 0.02) {
      const account = this.account(1);
      freshen(this.state, account);
      const free = (collateralOf(this.state, account) - initialOf(this.state, account) - reservedOf(this.state, account)) / USDC;
      if (this.sell(other, figures(Math.floor(free * rest * 100)), 0.01, { slot: this.far }) !== C.OK) break;
      this.buy(1, figures(Math.floor(free * rest * 100)), 0.01, { slot: this.far, tif: IOC });
      this.withdraw([other]);
    }
    assert.ok(this.worth() < MILLION, 'little is left');
  }
}

test('equity at theo excludes what quotes add to a mark, also while the position closes', () => {
  const scene = new Spread([2], 10_000_000);
  const off = (): bigint => BigInt(equityAtTheo(scene.state, scene.account(1))) - scene.worth();
  scene.push('against');
  assert.ok(scene.worth() - scene.equity(1) > MILLION / 2n);
  for (const size of [0, 5, 300]) {
    if (size > 0) scene.deal(2, 1, scene.near(scene.high), size, scene.high);
    freshen(scene.state, scene.account(1));
    assert.ok(off() * off() <= 25n, `${off()}`);
  }
});

test('attack: push the marks of a stranger with margin; liquidation uses theo, so nothing happens', () => {
  const scene = new Spread([2, 5, 6, 7]);
  const before = [scene.cash(1), scene.size(1, scene.low), scene.size(1, scene.high)];
  scene.push('against');
  scene.seconds(12);
  assert.equal(scene.status(1), HEALTHY);
  assert.ok(scene.shownEquity(1) < 0, 'at mark he has nothing');
  scene.withdraw([3, 4]);
  scene.seconds(8);
  assert.deepEqual([scene.cash(1), scene.size(1, scene.low), scene.size(1, scene.high)], before);
  assert.deepEqual([scene.fund(), scene.seen.includes(DELEVERAGED)], [SEED, false]);
});

test('attack: push one\'s own marks below zero; neither the fund nor others\' profit pays', () => {
  const scene = new Spread([2], 10_000_000);
  const before = scene.wealth(1, ...scene.crew);
  scene.giveTo(2);
  scene.push('against');
  scene.seconds(30);
  scene.withdraw([3, 4]);
  scene.seconds(8);
  assert.deepEqual([scene.status(1), scene.fund(), scene.seen.includes(DELEVERAGED)], [HEALTHY, SEED, false]);
  assert.ok(scene.wealth(1, ...scene.crew) - before <= 1_000n, 'but for roundings of values');
});

test('attack: push one\'s own marks up while losing; liquidation follows theo, and the fund pays nothing', () => {
  const scene = new Spread([2], 10_000_000);
  const before = scene.wealth(1, ...scene.crew);
  scene.deal(2, 1, 100_000, 30);
  scene.giveTo(2);
  scene.push('for');
  const told: number[][] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind === LIQUIDATION_CHANGED) told.push([slots[LIQUIDATION_EQUITY]!, slots[LIQUIDATION_MAINTENANCE]!]);
  };
  for (let index = 100_500; scene.status(1) === HEALTHY && scene.worth() > 0n && index < 140_000; index += 250) {
    scene.index(index);
    scene.seconds(3);
    // From here on the quotes of the long leg would push it down.
    if (index === 103_750) scene.withdraw([3, 4], scene.high);
  }
  assert.ok(scene.worth() > 0n, `it fell with ${scene.worth() / DOLLAR} at theo, ${scene.equity(1) / DOLLAR} at mark`);
  assert.ok(scene.equity(1) > BigInt(scene.maintenance(1)), 'at mark it has its margin');
  assert.ok(told[0]![0]! < told[0]![1]!, 'what is told is what it was judged by');
  scene.seconds(100);
  assert.equal(scene.status(1), LIQUIDATED);
  scene.withdraw([3, 4]);
  scene.seconds(8);
  assert.ok(scene.fund() >= SEED && scene.wealth(1, ...scene.crew) <= before, `the fund has ${scene.fund() / DOLLAR}`);
});

test('attack: push one\'s own marks down while losing; the takeover is at theo, with no deficit to cover', () => {
  const scene = new Spread([2], 10_000_000);
  const before = scene.wealth(1, ...scene.crew);
  scene.deal(2, 1, 100_000, 30);
  scene.giveTo(2);
  for (let index = 100_500; scene.worth() > BigInt(scene.maintenance(1)); index += 250) scene.index(index);
  scene.push('against');
  const prices: boolean[] = [];
  const reasons: number[] = [];
  scene.state.events.listener = (kind, slots) => {
    scene.seen.push(kind);
    if (kind === FUND_POSTED) reasons.push(slots[POSTED_WHY]!);
    if (kind === TAKEN_OVER) prices.push(slots[OVER_PRICE] === scene.state.valuation.theo[slots[OVER_INSTRUMENT]!]);
  };
  assert.ok(scene.worth() > 0n && scene.equity(1) < 0n);
  scene.seconds(10);
  assert.equal(scene.status(1), PRE_LIQUIDATION, 'the wait is his by theo');
  scene.seconds(90);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.ok(prices.length >= 3 && !prices.includes(false), 'taken over at theo');
  assert.deepEqual(reasons, [POSTED_TAKEOVER]);
  scene.withdraw([3, 4]);
  scene.seconds(8);
  assert.ok(!scene.seen.includes(DELEVERAGED) && scene.fund() > SEED && scene.wealth(1, ...scene.crew) < before);
});

for (const way of ['not', 'for', 'against'] as const) {
  test(`attack: an accomplice at the closing distance, marks pushed: ${way}; the equity covers every fill`, () => {
    const scene = new Spread([2, 5], 10_000_000);
    const before = scene.wealth(1, ...scene.crew);
    scene.deal(2, 1, 100_000, 30);
    scene.giveTo(2);
    for (let index = 100_500; scene.worth() > BigInt(scene.maintenance(1)); index += 250) scene.index(index);
    if (way !== 'not') scene.push(way);
    let least = scene.worth();
    let fills = 0;
    scene.state.events.listener = (kind) => {
      scene.seen.push(kind);
      if (kind !== FILL) return;
      fills++;
      if (scene.worth() < least) least = scene.worth();
    };
    for (let off = 0.0999; scene.status(1) !== LIQUIDATED;) {
      // Between the feed's tick and the sweep, so that no mark sees him; down to what it can lose, from as far as the venue goes.
      scene.advance(500);
      scene.index(scene.state.valuation.index[0]! / USDC);
      if (scene.status(1) === IN_LIQUIDATION) off = Math.max(0.005, off - 0.003);
      assert.equal(scene.buy(5, scene.near(scene.high, 1 - off), 100, { slot: scene.high }), C.OK);
      assert.equal(scene.sell(5, scene.near(scene.low, 1 + off), 100, { slot: scene.low }), C.OK);
      scene.advance(500);
      scene.withdraw([5]);
    }
    assert.ok(fills > 0 && least >= 0n, `${fills} fills, and ${least / DOLLAR} USDC`);
    scene.withdraw([3, 4, 5]);
    scene.seconds(8);
    assert.ok(!scene.seen.includes(DELEVERAGED) && scene.fund() >= SEED && scene.wealth(1, ...scene.crew) <= before);
  });
}

test('attack: trade with the fund at pushed marks; it closes no worse than theo', () => {
  const scene = new Spread([2, 5], 10_000_000);
  scene.deal(2, 1, 100_000, 30);
  scene.giveTo(2);
  for (let index = 100_500; scene.worth() > BigInt(scene.maintenance(1)); index += 250) scene.index(index);
  scene.seconds(120);
  assert.equal(scene.status(1), LIQUIDATED);
  const { theo } = scene.state.valuation;
  const better: boolean[] = [];
  scene.state.events.listener = (kind, slots) => {
    if (kind !== FILL || slots[FILL_TAKER] !== scene.fundAccount()) return;
    const above = slots[FILL_PRICE]! - theo[slots[FILL_INSTRUMENT]!]!;
    better.push(slots[FILL_SIDE] === BUY ? above <= 0 : above >= 0);
  };
  for (const way of ['for', 'against'] as const) {
    scene.push(way);
    for (const off of [0.0001, 0.0201]) {
      scene.advance(500);
      scene.index(scene.state.valuation.index[0]! / USDC);
      assert.equal(scene.sell(5, scene.near(scene.low, 1 - off), 10, { slot: scene.low }), C.OK);
      assert.equal(scene.buy(5, scene.near(scene.high, 1 + off), 10, { slot: scene.high }), C.OK);
      scene.advance(500);
      scene.withdraw([5]);
    }
    scene.withdraw([3, 4]);
  }
  assert.ok(better.length > 0 && !better.includes(false), `${better}`);
});
