// The invariants of portfolio margin from MARGIN.md, "What always holds", as properties of the core over random portfolios in two
// underlyings, in both presets. Each change of value rounds by half a price unit per contract, so sums are compared within that.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, CONTRACT, SELL } from '../../../core/units.ts';
import { mulDivHalfUp } from '../../../core/math/exact.ts';
import { DENSE, VENUE17 } from '../../../core/settings.ts';
import { collateralOf, freshen, initialOf, positionInitialOf } from '../../../core/margin/account-margin.ts';
import { createRiskSums, sumRisk } from '../../../core/margin/portfolio-requirement.ts';
import { gridOf } from '../../../core/margin/presets.ts';
import { ALL } from '../../../core/margin/portfolio-sums.ts';
import { entryOf, exactGain } from '../../../core/margin/scenarios.ts';
import { orderLoss } from '../../../core/margin/standard.ts';
import { CALL, Desk, NOW, PERP, PUT } from './desk.ts';

const RUNS = process.env['STRIKEBOOK_LONG'] === '1' ? 20_000 : 600;
const SPOTS = [100_000, 3_000] as const;

type Held = readonly [slot: number, position: number];
type Open = { slot: number; side: number; price: number; size: number };

const desks = [DENSE, VENUE17].map((preset) => new Desk(preset));
const options = [0, 1].flatMap((underlying) => [0.01, 1, 2.5, 30, 300].flatMap((days) => [CALL, PUT].flatMap((kind) => (
  [0.6, 0.95, 1.05, 1.4].map((part) => desks.map((desk) => desk.list(kind, SPOTS[underlying]! * part, days, underlying))[0]!)
))));
const perps = [0, 1].map((underlying) => desks.map((desk) => desk.list(PERP, 0, 0, underlying))[0]!);
for (const desk of desks) SPOTS.forEach((spot, underlying) => desk.mark(spot, 0.3 + 0.4 * underlying, NOW, underlying));

const slotOf = fc.constantFrom(...options, ...perps);
const sizeOf = fc.integer({ min: -50 * CONTRACT, max: 50 * CONTRACT });
const bookOf = fc.uniqueArray(fc.tuple(slotOf, sizeOf), { selector: ([slot]) => slot, minLength: 1, maxLength: 8 });
const deskOf = fc.constantFrom(...desks);

/** Initial margin of positions alone. */
function initial(desk: Desk, book: readonly Held[]): number {
  const account = desk.state.accounts.counters[0] === 0 ? desk.account() : 0;
  desk.clear(account);
  for (const [slot, position] of book) desk.hold(account, slot, position);
  freshen(desk.state, account);
  return positionInitialOf(desk.state, account);
}

/** Largest total rounding of rows and requirements, in micros. */
function slack(...books: (readonly Held[])[]): number {
  return books.flat().reduce((sum, [, position]) => sum + Math.abs(position) / CONTRACT + 4, 8);
}

test('must hold: the requirement of a portfolio is never below zero; a portfolio plus its opposite requires nothing', () => {
  fc.assert(fc.property(deskOf, bookOf, (desk, book) => {
    assert.ok(initial(desk, book) >= 0);
    assert.equal(initial(desk, book.map(([slot]) => [slot, 0])), 0);
    const account = 0;
    for (const [slot, position] of book) desk.hold(account, slot, position);
    for (const [slot, position] of book) desk.hold(account, slot, position - position);
    freshen(desk.state, account);
    assert.equal(positionInitialOf(desk.state, account), 0);
  }), { numRuns: RUNS });
});

test('must hold: long options alone never require more than their value at mark', () => {
  const longs = fc.uniqueArray(fc.tuple(fc.constantFrom(...options), fc.integer({ min: 1, max: 50 * CONTRACT })), {
    selector: ([slot]) => slot, minLength: 1, maxLength: 8,
  });
  fc.assert(fc.property(deskOf, longs, (desk, book) => {
    const worth = book.reduce((sum, [slot, position]) => sum + mulDivHalfUp(position, desk.state.valuation.mark[slot]!, CONTRACT), 0);
    assert.ok(initial(desk, book) <= worth + slack(book));
  }), { numRuns: RUNS });
});

test('must hold: twice a portfolio requires twice as much; two portfolios together require at most the sum of both', () => {
  fc.assert(fc.property(deskOf, bookOf, bookOf, (desk, one, two) => {
    const alone = initial(desk, one);
    const twice = initial(desk, one.map(([slot, position]) => [slot, 2 * position]));
    assert.ok(Math.abs(twice - 2 * alone) <= slack(one));
    const sizes = new Map<number, number>(one);
    for (const [slot, position] of two) sizes.set(slot, (sizes.get(slot) ?? 0) + position);
    assert.ok(initial(desk, [...sizes]) <= alone + initial(desk, two) + slack(one, two));
  }), { numRuns: RUNS });
});

test('must hold: a vertical spread requires at most its width', () => {
  const pair = fc.tuple(fc.nat(options.length - 1), fc.nat(3), fc.integer({ min: -50 * CONTRACT, max: 50 * CONTRACT }));
  fc.assert(fc.property(deskOf, pair, (desk, [at, shift, size]) => {
    const one = options[at]!;
    const other = options[at - (at % 4) + ((at % 4) + shift) % 4]!;
    const { strike } = desk.state.instruments;
    const width = mulDivHalfUp(Math.abs(size), Math.abs(strike[one]! - strike[other]!), CONTRACT);
    const book: Held[] = one === other ? [[one, 0]] : [[one, size], [other, -size]];
    assert.ok(initial(desk, book) <= width + slack(book));
  }), { numRuns: RUNS });
});

test('must hold: scanning risk is the worst loss of any scenario row for each underlying, open orders included', () => {
  const holding = fc.tuple(slotOf, sizeOf, fc.nat(9_000_000), fc.nat(9_000_000));
  const ordered = fc.uniqueArray(holding, { selector: ([slot]) => slot, maxLength: 8 });
  const risk = createRiskSums();
  fc.assert(fc.property(deskOf, ordered, (desk, book) => {
    const { state } = desk;
    const { portfolios } = state.cache;
    initial(desk, [[options[0]!, 0]]);
    for (const [slot, position, bids, asks] of book) desk.hold(0, slot, position, bids, asks);
    freshen(state, 0);
    sumRisk(state, portfolios, 0, ALL, -1, risk);
    let scanning = 0;
    for (const underlying of [0, 1]) {
      const own = book.filter(([slot]) => state.instruments.underlying[slot] === underlying);
      const { rows } = gridOf(state.settings, underlying);
      const pnl = Array.from({ length: rows }, (_, row) => own.reduce((sum, [slot, position, bids, asks]) => {
        const entry = entryOf(state, portfolios.scenarios, slot);
        const gain = (size: number): number => exactGain(portfolios.scenarios, entry, row, size);
        return sum + gain(position) + Math.min(0, gain(bids)) + Math.min(0, gain(-asks));
      }, 0));
      scanning += Math.max(0, -Math.min(...pnl));
    }
    assert.equal(risk.scanning, scanning);
  }), { numRuns: RUNS });
});

const openOf = fc.record({
  slot: slotOf, side: fc.constantFrom(BUY, SELL), size: fc.integer({ min: 1, max: 60 * CONTRACT }),
  away: fc.integer({ min: -300, max: 300 }),
});
const fillsOf = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 10, maxLength: 10 });

test('must hold: if collateral covers all open orders, a fill of any part of them leaves at least the requirement', () => {
  let accepted = 0;
  fc.assert(fc.property(deskOf, bookOf, fc.array(openOf, { minLength: 1, maxLength: 10 }), fillsOf, fc.integer({ min: 90, max: 150 }),
    (desk, book, wanted, fills, wealth) => {
      const { state } = desk;
      initial(desk, book);
      const { mark } = state.valuation;
      const orders: Open[] = wanted.map(({ slot, side, size, away }) => (
        { slot, side, size, price: Math.max(1, Math.round(mark[slot]! * (1 + away / 1_000))) }
      ));
      const open = (slot: number, side: number): number => (
        orders.reduce((sum, one) => (one.slot === slot && one.side === side ? sum + one.size : sum), 0)
      );
      const positions = new Map<number, number>(book);
      const slots = new Set([...positions.keys(), ...orders.map(({ slot }) => slot)]);
      for (const slot of slots) desk.hold(0, slot, positions.get(slot) ?? 0, open(slot, BUY), open(slot, SELL));
      freshen(state, 0);
      const losses = orders.reduce((sum, one) => sum + orderLoss(state, one.slot, one.side, one.price, one.size), 0);
      const required = initialOf(state, 0) + losses;
      // Cash somewhat below or above what is required; only portfolios that would be accepted are checked.
      state.accounts.cash[0] = 0;
      state.accounts.cash[0] = Math.round(required * wealth / 100 - collateralOf(state, 0));
      if (collateralOf(state, 0) < required) return;
      accepted++;
      orders.forEach((one, i) => {
        const size = Math.floor(one.size * fills[i]! / 100);
        const direction = one.side === BUY ? 1 : -1;
        positions.set(one.slot, (positions.get(one.slot) ?? 0) + direction * size);
        const paid = direction * mulDivHalfUp(one.price, size, CONTRACT);
        // The test holds perps at the cost of the mark, so the difference between fill price and mark is taken from cash.
        const cost = perps.includes(one.slot) ? direction * mulDivHalfUp(mark[one.slot]!, size, CONTRACT) : 0;
        state.accounts.cash[0]! -= paid - cost;
      });
      for (const slot of slots) desk.hold(0, slot, positions.get(slot) ?? 0);
      freshen(state, 0);
      assert.ok(collateralOf(state, 0) - positionInitialOf(state, 0) >= -4 * orders.length - 8);
    }), { numRuns: RUNS });
  assert.ok(accepted > RUNS / 5);
});
