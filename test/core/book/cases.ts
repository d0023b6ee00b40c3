// One suite of cases for every order book: the rules of matching, in prices and ids.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyBook, Taker } from './naive.ts';

const BUY = 0;
const SELL = 1;
const ALL = 1_000;

function order(side: number, price: number, size: number, account = 1, instrument = 0): Taker {
  return { instrument, side, price, size, account };
}

/** Rests orders of [side, price, size, account] with ids 1, 2, … in this order. */
function filled(book: AnyBook, ...rows: readonly (readonly [number, number, number, number])[]): AnyBook {
  rows.forEach(([side, price, size, account], i) => book.rest(order(side, price, size, account), i + 1, size));
  return book;
}

export function bookCases(name: string, create: () => AnyBook): void {
  priorityCases(name, create);
  stepCases(name, create);
  rangeCases(name, create);
}

function priorityCases(name: string, create: () => AnyBook): void {
  test(`${name}: an empty book has no best price, fills nothing and cancels nothing`, () => {
    const book = create();
    assert.deepEqual([book.best(0, BUY), book.best(0, SELL), book.open()], [-1, -1, 0]);
    assert.deepEqual(book.take(order(BUY, 1e15, 5), ALL, []), { steps: [], left: 5 });
    assert.equal(book.canFill(order(SELL, 1, 1)), false);
    assert.equal(book.cancel(1), false);
    assert.equal(book.reduce(1, 1), false);
  });

  test(`${name}: a taker fills at makers’ prices, best price first, and at one price the oldest order first`, () => {
    const book = filled(create(), [SELL, 102, 5, 2], [SELL, 101, 3, 2], [SELL, 101, 4, 3], [SELL, 103, 9, 2]);
    assert.deepEqual(book.take(order(BUY, 102, 9), ALL, []), {
      steps: [['fill', 2, 101, 3], ['fill', 3, 101, 4], ['fill', 1, 102, 2]], left: 0,
    });
    assert.deepEqual(book.lines(0, SELL), [[1, 102, 3], [4, 103, 9]]);
  });

  test(`${name}: a seller fills the highest bids first, down to its limit`, () => {
    const book = filled(create(), [BUY, 100, 1, 2], [BUY, 300, 1, 2], [BUY, 200, 1, 2]);
    assert.deepEqual(book.take(order(SELL, 200, 5), ALL, []), { steps: [['fill', 2, 300, 1], ['fill', 3, 200, 1]], left: 3 });
    assert.equal(book.best(0, BUY), 100);
  });

  test(`${name}: a partly filled maker keeps its time priority`, () => {
    const book = filled(create(), [BUY, 100, 10, 2], [BUY, 100, 10, 3]);
    book.take(order(SELL, 100, 4), ALL, []);
    assert.deepEqual(book.lines(0, BUY), [[1, 100, 6], [2, 100, 10]]);
    assert.deepEqual(book.depth(0, BUY), [[100, 16]]);
  });

  test(`${name}: a reduced order keeps its time priority; cancel removes the first, a middle, the last and the only order`, () => {
    const book = filled(create(), [SELL, 7, 10, 1], [SELL, 7, 20, 1], [SELL, 7, 30, 1], [SELL, 7, 40, 1]);
    assert.equal(book.reduce(1, 1), true);
    assert.deepEqual(book.lines(0, SELL), [[1, 7, 1], [2, 7, 20], [3, 7, 30], [4, 7, 40]]);
    for (const [id, left] of [[2, 71], [1, 70], [4, 30]] as const) {
      assert.equal(book.cancel(id), true);
      assert.deepEqual(book.depth(0, SELL), [[7, left]]);
    }
    assert.equal(book.cancel(3), true);
    assert.equal(book.cancel(3), false);
    assert.equal(book.best(0, SELL), -1);
  });
}

function stepCases(name: string, create: () => AnyBook): void {
  test(`${name}: a taker that meets its own order cancels it, and matching continues`, () => {
    const book = filled(create(), [SELL, 10, 5, 1], [SELL, 11, 5, 2], [SELL, 11, 5, 1], [SELL, 12, 5, 2]);
    assert.deepEqual(book.take(order(BUY, 12, 8), ALL, []), {
      steps: [['self', 1, 10, 5], ['fill', 2, 11, 5], ['self', 3, 11, 5], ['fill', 4, 12, 3]], left: 0,
    });
    assert.equal(book.open(), 1);
  });

  test(`${name}: canFill counts exactly the size that other accounts offer up to the limit`, () => {
    const book = filled(create(), [SELL, 10, 5, 1], [SELL, 11, 5, 2], [SELL, 12, 5, 3], [SELL, 13, 5, 2]);
    for (const [price, size, account, fills] of [
      [12, 10, 1, true], [12, 11, 1, false], [12, 15, 4, true], [12, 16, 4, false], [9, 1, 4, false], [1e15, 20, 4, true],
      [10, 1, 1, false], [11, 5, 2, true], [11, 6, 2, false],
    ] as const) {
      assert.equal(book.canFill(order(BUY, price, size, account)), fills, `${size} at ${price} for ${account}`);
    }
    assert.equal(book.open(), 4);
  });

  test(`${name}: when orders are cancelled between two steps, matching continues with the best order left`, () => {
    const book = filled(create(), [BUY, 50, 1, 2], [BUY, 50, 1, 3], [BUY, 50, 1, 4], [BUY, 1, 1, 5]);
    assert.deepEqual(book.take(order(SELL, 1, 9), ALL, [2, 3]), { steps: [['fill', 1, 50, 1], ['fill', 4, 1, 1]], left: 7 });
  });

  test(`${name}: a taker that stops after a step leaves the other orders in place`, () => {
    const book = filled(create(), [BUY, 50, 1, 2], [BUY, 50, 1, 3]);
    assert.deepEqual(book.take(order(SELL, 1, 9), 1, []), { steps: [['fill', 1, 50, 1]], left: 8 });
    assert.deepEqual(book.lines(0, BUY), [[2, 50, 1]]);
  });
}

function rangeCases(name: string, create: () => AnyBook): void {
  test(`${name}: an order changes only the book of its instrument`, () => {
    const book = create();
    book.rest(order(BUY, 10, 1, 1, 0), 1, 1);
    book.rest(order(SELL, 5, 1, 1, 1), 2, 1);
    assert.deepEqual([book.best(0, BUY), book.best(0, SELL), book.best(1, BUY), book.best(1, SELL)], [10, -1, -1, 5]);
  });

  test(`${name}: price levels of all decades are listed in order of price`, () => {
    const book = create();
    const prices = [1, 63, 64, 4_095, 4_096, 99_999, 100_000, 123_450, 7e9, 99_999e9, 1e15];
    prices.forEach((price, i) => book.rest(order(BUY, price, i + 1), i + 1, i + 1));
    assert.deepEqual(book.depth(0, BUY), prices.map((price, i) => [price, i + 1]).reverse());
    prices.forEach((price, i) => book.rest(order(SELL, price, i + 1, 2, 1), i + 100, i + 1));
    assert.deepEqual(book.depth(1, SELL), prices.map((price, i) => [price, i + 1]));
  });

  test(`${name}: the total of a level is exact beyond 2^53`, () => {
    const book = create();
    for (let id = 1; id <= 20; id++) book.rest(order(BUY, 1, 1e15 - id), id, 1e15 - id);
    assert.deepEqual(book.depth(0, BUY), [[1, Number(20n * 10n ** 15n - 210n)]]);
    for (let id = 1; id <= 19; id++) book.cancel(id);
    assert.deepEqual(book.depth(0, BUY), [[1, 1e15 - 20]]);
  });
}
