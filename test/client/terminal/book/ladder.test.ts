// The rows of the ladder: what they show of a book and of own orders, which steps of prices there are, and where the grid is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { priceText, roundPrice, type Level } from '../../../../client/src/main.ts';
import {
  gridAround, ladderRows, middleOf, rowOfOrder, standardStep, stepsFor, textOf,
} from '../../../../client/terminal/panels/book/ladder.ts';

const COUNT = 21;
const distinct = (prices: readonly number[]): string[] => [...new Set(prices.map((price) => roundPrice(price, 'near')))];
const micros = (text: string): number => Math.round(Number(text) * 1e6);

/** Books around a price between a cent and a million, without crossing. */
const books = fc.record({
  centre: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
  bids: fc.array(fc.double({ min: 0.5, max: 0.999, noNaN: true }), { maxLength: 12 }),
  asks: fc.array(fc.double({ min: 1.001, max: 1.5, noNaN: true }), { maxLength: 12 }),
  lots: fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 24, maxLength: 24 }),
}).map(({ centre, bids, asks, lots }) => {
  const levels = (prices: readonly string[], from: number): Level[] => (
    prices.map((price, at) => ({ price, size: textOf(lots[from + at]!) }))
  );
  const ordered = (factors: readonly number[], sign: number) => (
    distinct(factors.map((factor) => factor * centre)).sort((one, other) => sign * (Number(one) - Number(other)))
  );
  return { bids: levels(ordered(bids, -1), 0), asks: levels(ordered(asks, 1), 12) };
}).filter(({ bids, asks }) => bids.length + asks.length > 0);

function gridOf({ bids, asks }: { readonly bids: readonly Level[]; readonly asks: readonly Level[] }) {
  const middle = middleOf(bids, asks, null)!;
  const steps = stepsFor(middle, COUNT);
  const step = standardStep({ steps, bids, asks, count: COUNT, before: null });
  return { middle, steps, grid: gridAround(middle, step, COUNT, null) };
}

test('whatever the book, each contract is in exactly the row of its price, or beyond the shown ones', () => {
  fc.assert(fc.property(books, (book) => {
    const { grid } = gridOf(book);
    const rows = ladderRows({ ...book, own: [], mark: null }, grid);
    for (const [side, levels] of [['Buy', book.bids], ['Sell', book.asks]] as const) {
      const expected = new Map<number, number>();
      for (const { price, size } of levels) {
        const at = rowOfOrder({ side, price }, grid);
        expected.set(at, (expected.get(at) ?? 0) + micros(size));
      }
      for (const [at, row] of rows.entries()) {
        const { size } = side === 'Buy' ? row.bid : row.ask;
        assert.equal(size, expected.has(at) ? textOf(expected.get(at)!) : '');
      }
    }
  }));
});

test('whatever the book, the sum of a row is that of all contracts at its price or better, and no bar is longer than its cell', () => {
  fc.assert(fc.property(books, (book) => {
    const { grid } = gridOf(book);
    const rows = ladderRows({ ...book, own: [], mark: null }, grid);
    let sum = 0;
    for (const { price, size } of book.bids) {
      sum += micros(size);
      const row = rows[rowOfOrder({ side: 'Buy', price }, grid)];
      if (row === undefined) continue;
      assert.ok(micros(row.bid.sum) >= sum);
      assert.ok(row.bid.share > 0 && row.bid.share <= 1);
    }
    const last = rows.findLast(({ bid }) => bid.sum !== '');
    const shown = book.bids.filter(({ price }) => rowOfOrder({ side: 'Buy', price }, grid) < COUNT);
    if (last !== undefined) assert.equal(micros(last.bid.sum), shown.reduce((all, { size }) => all + micros(size), 0));
  }));
});

test('a row with one level has its price, and every price of the grid is one that the venue takes', () => {
  fc.assert(fc.property(books, (book) => {
    const { grid, steps } = gridOf(book);
    assert.ok(steps.includes(grid.step));
    const rows = ladderRows({ ...book, own: [], mark: null }, grid);
    for (const { price, bid, ask } of rows) {
      if (Number(price) > 0) assert.equal(priceText(price), price);
      const levels = bid.levels > 0 ? book.bids : book.asks;
      if (bid.levels + ask.levels === 1) assert.ok(levels.some((level) => micros(level.price) === micros(price)));
    }
  }));
});

test('the grid stays while the middle is near its centre, and follows when it is not', () => {
  fc.assert(fc.property(fc.integer({ min: 100, max: 10_000 }), fc.integer({ min: -40, max: 40 }), (start, change) => {
    const [middle, step] = [start * 1_000_000, 1_000_000];
    const before = gridAround(middle, step, COUNT, null);
    const next = gridAround(middle + change * step, step, COUNT, before);
    assert.equal(next === before, Math.abs(change) <= COUNT / 5);
    const at = next.top - (middle / step + change);
    assert.ok(at >= 0 && at < COUNT);
  }));
});

test('own orders are at the row of their level, summed by side, and the mark is in one row at most', () => {
  const bids = [{ price: '99', size: '2' }, { price: '97', size: '1' }];
  const asks = [{ price: '101', size: '3' }];
  const [buy, sell] = [{ side: 'Buy', price: '99' }, { side: 'Sell', price: '103', size: '7' }] as const;
  const own = [{ ...buy, size: '0.1' }, { ...buy, size: '0.2' }, sell];
  const rows = ladderRows({ bids, asks, own, mark: 100.2 }, { step: 1_000_000, top: 105, count: 11 });
  const shown = rows.filter(({ bid, ask }) => bid.own !== '' || ask.own !== '').map(({ price, bid, ask }) => [price, bid.own, ask.own]);
  assert.deepEqual(shown, [['103', '', '7'], ['99', '0.3', '']]);
  assert.deepEqual(rows.filter(({ isMark }) => isMark).map(({ price }) => price), ['100']);
  assert.deepEqual(rows.filter(({ isBetween }) => isBetween).map(({ price }) => price), ['100']);
});

test('without levels and without a mark there is no middle; a side alone or a mark is enough', () => {
  assert.equal(middleOf([], [], null), null);
  assert.equal(middleOf([], [], 0), null);
  assert.equal(middleOf([], [], 12.5), 12_500_000);
  assert.equal(middleOf([{ price: '3', size: '1' }], [], 9), 3_000_000);
});
