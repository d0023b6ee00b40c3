// How quotes in the book move a mark: each condition by itself, how far a mark moves, and that one wallet's orders alone never
// move one.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, CONTRACT, DAY, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE } from '../../../core/codec/commands.ts';
import { defaultSettings, MARK_MIN_SIZE, MARK_REACH, QUOTE_AGE, QUOTE_SPREAD } from '../../../core/settings.ts';
import { believedMid } from '../../../core/valuation/quotes.ts';
import { optionValue, vegaOf } from '../../../core/valuation/valuation.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, type VenueOptions } from '../../support/venue.ts';

const EVERYBODY = { tiered: null, isPendingCancel: null };

class Desk extends Scene {
  constructor(options: VenueOptions = {}) {
    super({ rules: FREE, ...options });
  }

  theo(slot = this.atm): number {
    return this.state.valuation.theo[slot]!;
  }

  /** A limit at `ratio` of theo. */
  quote(wallet: number, side: number, ratio: number, size = 1, slot = this.atm): number {
    return this.place(wallet, side, fiveFigures(this.theo(slot) * ratio) / USDC, size, { slot });
  }

  /** New marks after `ms`, at the same index. */
  revalue(ms: number, slot = this.atm): { mark: number; theo: number } {
    this.now += ms;
    this.venue(this.write.index(0, 100_000 * USDC, FLAG_INDEX_AGELESS));
    this.settle();
    return { mark: this.mark(slot), theo: this.theo(slot) };
  }

  /** A bid of wallet 1 and an ask of wallet 2 around `middle` of theo that satisfy every condition. */
  both(middle = 1.01): void {
    this.quote(1, BUY, middle - 0.005);
    this.quote(2, SELL, middle + 0.005);
  }
}

test('given a bid and an ask that meet every condition, the mark moves to their middle', () => {
  const desk = new Desk();
  desk.both();
  const [bid, ask] = desk.orders().map((order) => order.price);
  const { mark, theo } = desk.revalue(5 * SECOND);
  assert.equal(mark, Math.round((bid! + ask!) / 2));
  assert.ok(mark > theo);
});

test('if quotes fail one condition of age, sides, size, spread or wallets, they do not move the mark', () => {
  const moved = (prepare: (desk: Desk) => void, wait = 5 * SECOND, options: VenueOptions = {}): boolean => {
    const desk = new Desk(options);
    prepare(desk);
    const { mark, theo } = desk.revalue(wait);
    return mark !== theo;
  };
  const both = (desk: Desk): void => desk.both();
  assert.equal(moved(both), true);
  assert.equal(moved(both, 5 * SECOND - 1), false, 'five seconds have not passed');
  assert.equal(moved((desk) => { desk.both(); desk.cancel(1, desk.orders(1)[0]!.id); }), false, 'no bid');
  assert.equal(moved((desk) => { desk.both(); desk.cancel(2, desk.orders(2)[0]!.id); }), false, 'no ask');
  assert.equal(moved((desk) => { desk.quote(1, BUY, 1.005, 0.099999); desk.quote(2, SELL, 1.015); }), false, 'too small a bid');
  assert.equal(moved((desk) => { desk.quote(1, BUY, 1.005); desk.quote(2, SELL, 1.015, 0.099999); }), false, 'too small an ask');
  assert.equal(moved((desk) => { desk.quote(1, BUY, 1.005, 0.1); desk.quote(2, SELL, 1.015, 0.1); }), true, 'just enough');
  assert.equal(moved((desk) => { desk.quote(1, BUY, 0.92); desk.quote(2, SELL, 1.13); }), false, 'spread above a fifth of theo');
  assert.equal(moved((desk) => { desk.quote(1, BUY, 0.92); desk.quote(2, SELL, 1.11); }), true);
  assert.equal(moved((desk) => { desk.quote(1, BUY, 1.005); desk.quote(1, SELL, 1.015); }), false, 'one wallet');
  const settings = defaultSettings();
  settings[QUOTE_AGE] = SECOND;
  settings[QUOTE_SPREAD] = 10_000;
  settings[MARK_MIN_SIZE] = 2 * CONTRACT;
  assert.equal(moved(both, SECOND, { settings }), false);
  const big = (desk: Desk): void => { desk.quote(1, BUY, 1.006, 2); desk.quote(2, SELL, 1.0155, 2); };
  assert.equal(moved(big, SECOND, { settings }), true, 'the settings are the conditions');
});

test('quotes are accepted if their spread is at most a fifth of theo, inclusive', () => {
  const desk = new Desk();
  assert.equal(desk.buy(1, 900, 1), 0);
  assert.equal(desk.sell(2, 1_100, 1), 0);
  const { orders, settings } = desk.state;
  const mid = (theo: number): number => believedMid(orders, settings, EVERYBODY, 0, desk.atm, theo, desk.now + 5 * SECOND);
  assert.deepEqual([mid(1_000 * USDC), mid(1_000 * USDC - 1)], [1_000 * USDC, 0]);
});

test('only the first sixteen orders at a price count towards the size of a quote', () => {
  for (const [crumbs, isBelieved] of [[15, true], [16, false]] as const) {
    const desk = new Desk();
    for (let i = 0; i < crumbs; i++) assert.equal(desk.buy(3, 990, 0.001), 0);
    assert.equal(desk.buy(1, 990, 1), 0);
    assert.equal(desk.sell(2, 1_010, 1), 0);
    const { orders, settings } = desk.state;
    assert.equal(believedMid(orders, settings, EVERYBODY, 0, desk.atm, 1_000 * USDC, desk.now + 5 * SECOND) > 0, isBelieved);
  }
});

test('each underlying has its own minimum size of a quote: for ETH it is one contract', () => {
  for (const [size, isMoved] of [[0.999_999, false], [1, true]] as const) {
    const desk = new Desk();
    const slot = desk.nearest(CALL, 'ETH');
    desk.quote(1, BUY, 1.005, size, slot);
    desk.quote(2, SELL, 1.015, size, slot);
    desk.now += 5 * SECOND;
    desk.venue(desk.write.index(1, 3_000 * USDC, FLAG_INDEX_AGELESS));
    desk.settle();
    assert.equal(desk.mark(slot) > desk.theo(slot), isMoved);
  }
});

test('in the settlement window a mark moves by at most one vol point of the vega that averaging leaves', () => {
  const desk = new Desk();
  const { expiry } = desk.contract(desk.atm);
  desk.now = expiry - 31 * MINUTE;
  desk.revalue(0);
  // Half of the samples are 100,000, so the rest has to exceed about the strike.
  desk.now = expiry - 15 * MINUTE;
  const slot = desk.slots((one) => one.strike === 100_000 * USDC && one.expiry === expiry && one.kind === CALL)[0]!;
  desk.venue(desk.write.index(0, 99_800 * USDC, FLAG_INDEX_AGELESS));
  desk.settle();
  const theo = desk.theo(slot);
  assert.equal(desk.buy(1, Number(fiveFigures(theo * 1.19)) / USDC, 1, { slot }), 0);
  assert.equal(desk.sell(2, Number(fiveFigures(theo * 1.21)) / USDC, 1, { slot }), 0);
  desk.now += 5 * SECOND;
  desk.venue(desk.write.index(0, 99_800 * USDC, FLAG_INDEX_AGELESS));
  desk.settle();
  const remaining = expiry - desk.now;
  const weight = remaining / (30 * MINUTE);
  const years = remaining / (365 * DAY);
  const mean = desk.state.valuation.average[0]! / USDC;
  const rest = (100_000 - (1 - weight) * mean) / weight;
  const d1 = Math.log(99_800 / rest) / (0.6 * Math.sqrt(years)) + 0.3 * Math.sqrt(years);
  const vega = weight * 99_800 * Math.sqrt(years) * Math.exp(-d1 * d1 / 2) / Math.sqrt(2 * Math.PI) * 0.01;
  const moved = (desk.mark(slot) - desk.theo(slot)) / USDC;
  assert.ok(mean < 100_000 && vega > 0.02 * desk.theo(slot) / USDC, `${vega} of ${desk.theo(slot) / USDC}`);
  assert.ok(Math.abs(moved - vega) < 1e-3, `${moved} for ${vega}`);
});

test('when a new order becomes the best bid, the quote does not count until that order is five seconds old', () => {
  const desk = new Desk();
  desk.both();
  desk.revalue(5 * SECOND);
  desk.quote(3, BUY, 1.007);
  let { mark, theo } = desk.revalue(SECOND);
  assert.equal(mark, theo);
  ({ mark, theo } = desk.revalue(4 * SECOND));
  assert.ok(mark > theo, 'the new order is five seconds old');
});

test('orders of several wallets at one price add up to the size of a quote, each from five seconds of age on', () => {
  const desk = new Desk();
  for (const wallet of [1, 3]) desk.quote(wallet, BUY, 1.005, 0.05);
  for (const wallet of [2, 4]) desk.quote(wallet, SELL, 1.015, 0.05);
  let { mark, theo } = desk.revalue(5 * SECOND);
  assert.ok(mark > theo);
  const other = new Desk();
  other.quote(1, BUY, 1.005, 0.05);
  other.quote(2, SELL, 1.015, 1);
  other.now += SECOND;
  other.quote(3, BUY, 1.005, 0.05);
  ({ mark, theo } = other.revalue(4 * SECOND));
  assert.equal(mark, theo);
  ({ mark, theo } = other.revalue(SECOND));
  assert.ok(mark > theo);
});

test('quotes move the mark exactly when both sides have the size and no single wallet is needed on both sides', () => {
  const level = fc.record({ wallet: fc.integer({ min: 1, max: 4 }), size: fc.constantFrom(0.01, 0.05, 0.09, 0.1, 0.5) });
  const lines = fc.record({ bids: fc.array(level, { maxLength: 6 }), asks: fc.array(level, { maxLength: 6 }) });
  const desk = new Desk();
  fc.assert(fc.property(lines, ({ bids, asks }) => {
    for (const order of desk.orders()) desk.cancel(Number(desk.state.accounts.address[order.account * 5]) - 1, order.id);
    for (const { wallet, size } of bids) desk.quote(wallet, BUY, 1.005, size);
    for (const { wallet, size } of asks) desk.quote(wallet, SELL, 1.015, size);
    const { mark, theo } = desk.revalue(5 * SECOND);
    // Sizes in hundredths; without any one wallet a side must still have its tenth of a contract.
    const total = (line: typeof bids, without: number): number => (
      line.filter(({ wallet }) => wallet !== without).reduce((sum, { size }) => sum + Math.round(size * 100), 0)
    );
    const stands = total(bids, 0) >= 10 && total(asks, 0) >= 10;
    const isAlone = [1, 2, 3, 4].some((wallet) => total(bids, wallet) < 10 && total(asks, wallet) < 10);
    assert.equal(mark !== theo, stands && !isAlone);
  }), { numRuns: 300 });
});

test('a mark moves from theo by at most the larger of 2 % of theo and one vol point of vega, up or down', () => {
  const desk = new Desk();
  const { instruments, valuation } = desk.state;
  const limitOf = (slot: number): number => Math.max(Math.floor(desk.theo(slot) * 0.02), Math.floor(vegaPoint(slot)));
  const vegaPoint = (slot: number): number => {
    const at = (sigma: number): number => optionValue(instruments, slot, 100_000, valuation.markedAt[0]!, 0, sigma) * USDC;
    return (at(0.6005) - at(0.5995)) * 10;
  };
  const far = desk.slots((one) => one.underlying === 'BTC' && one.strike === 104_000 * USDC && one.kind === 1)[0]!;
  for (const [slot, middle] of [[desk.atm, 1.08], [far, 1.4]] as const) {
    assert.ok(Math.abs(desk.state.valuation.sigma[slot]! - 600_000) < 2);
    for (const side of [middle, 2 - middle]) {
      for (const order of desk.orders()) desk.cancel(Number(desk.state.accounts.address[order.account * 5]) - 1, order.id);
      desk.quote(1, BUY, side - 0.05, 1, slot);
      desk.quote(2, SELL, side + 0.05, 1, slot);
      const { mark, theo } = desk.revalue(5 * SECOND, slot);
      assert.ok(Math.abs(Math.abs(mark - theo) - limitOf(slot)) <= 20, `${mark - theo} against ${limitOf(slot)}`);
      assert.equal(mark > theo, side > 1);
    }
  }
  assert.ok(limitOf(desk.atm) === Math.floor(desk.theo() * 0.02), 'at the money, 2 % of theo is larger');
  assert.ok(vegaPoint(far) > desk.theo(far) * 0.02 * 1.2, 'away from the money, a vol point of vega is larger');
  assert.ok(Math.abs(vegaOf(valuation, far) - vegaPoint(far)) < 20);
});

test('the fraction of theo by which a mark may move is a setting', () => {
  const settings = defaultSettings();
  settings[MARK_REACH] = 100_000;
  const desk = new Desk({ settings });
  desk.both(1.08);
  const { mark, theo } = desk.revalue(5 * SECOND);
  assert.ok(mark > theo * 1.075);
});

test('quotes move a mark also while the index is stale', () => {
  const desk = new Desk();
  desk.both();
  desk.now += 5 * SECOND;
  desk.venue(desk.write.index(0, 100_000 * USDC, FLAG_INDEX_AGELESS | FLAG_INDEX_STALE));
  desk.settle();
  assert.ok(desk.mark(desk.atm) > desk.theo());
});
