// The shared cases on both books, and what only the production book has: capacities, reuse of slots, load, validation.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelOrder, createBooks, hasBookRoom, restOrder } from '../../../core/book/books.ts';
import type { Books } from '../../../core/book/layout.ts';
import { findOrder, orderInstrument, orderSide } from '../../../core/book/pool.ts';
import { levelOf } from '../../../core/book/levels.ts';
import { validateBooks } from './validate.ts';
import { bookCases } from './cases.ts';
import { createFastBook, reload, savedSections } from './fast.ts';
import { createNaiveBook } from './naive.ts';

const HIGH = 4_294_967_296;
const TINY = { orders: 64, instruments: 4, levelPages: 64 };

bookCases('naive', createNaiveBook);
bookCases('fast', () => createFastBook(TINY));

function rest(books: Books, id: number, key: number, side = 0, instrument = 0): number {
  return restOrder(books, instrument, side, key, 1, id, 10);
}

test('the pool holds one order less than it has rows, and hasBookRoom is false when it is full', () => {
  const books = createBooks({ orders: 5, instruments: 1, levelPages: 5 });
  const slots = [1, 2, 3, 4].map((id) => {
    assert.equal(hasBookRoom(books, 0, 0), true);
    return rest(books, id, id);
  });
  assert.deepEqual(slots, [1, 2, 3, 4]);
  assert.equal(hasBookRoom(books, 0, 0), false);
  cancelOrder(books, 2);
  cancelOrder(books, 3);
  assert.equal(hasBookRoom(books, 0, 0), true);
  assert.deepEqual([rest(books, 5, 1), rest(books, 6, 1)], [3, 2], 'the slot that was freed last is used first');
  assert.equal(validateBooks(books), '');
});

test('hasBookRoom is false when the pages are used up, and true again when a page becomes empty', () => {
  const books = createBooks({ orders: 64, instruments: 2, levelPages: 2 });
  const first = rest(books, 1, 64);
  rest(books, 2, 128, 0, 1);
  assert.equal(hasBookRoom(books, 0, 0), false);
  cancelOrder(books, first);
  assert.equal(hasBookRoom(books, 0, 0), true);
  rest(books, 3, 900_000, 1, 1);
  assert.equal(validateBooks(books), '');
});

test('when the last order is cancelled, the book uses no page and no block', () => {
  const books = createBooks(TINY);
  for (let id = 1; id <= 40; id++) rest(books, id, id * 20_011, id & 1, id & 3);
  assert.ok(books.pagesUsed > 30);
  for (let id = 1; id <= 40; id++) cancelOrder(books, findOrder(books, id, 0));
  assert.deepEqual([books.pagesUsed, books.counters[2], validateBooks(books)], [0, 0, '']);
  for (const index of [books.ladders, books.roots, books.blockBits, books.levels, books.carries, books.chains]) {
    assert.ok(index.every((word) => word === 0));
  }
});

test('given ids that share their low bits, each order is found by both words of its id and cancelled alone', () => {
  const books = createBooks(TINY);
  for (let high = 0; high < 5; high++) restOrder(books, 0, 0, 5, 1, high * HIGH + 0xffff_ffff, 1);
  for (let lap = 1; lap <= 5; lap++) restOrder(books, 0, 0, 5, 1, lap * 64 + 63, 1);
  assert.equal(validateBooks(books), '');
  assert.deepEqual([findOrder(books, 0xffff_ffff, 3), findOrder(books, 3 * 64 + 63, 0)], [4, 8]);
  assert.equal(findOrder(books, 0xffff_ffff, 5), -1);
  for (const slot of [1, 10, 4, 7, 5]) {
    cancelOrder(books, slot);
    assert.equal(validateBooks(books), '');
  }
  assert.deepEqual([findOrder(books, 0xffff_ffff, 3), findOrder(books, 3 * 64 + 63, 0)], [-1, 8]);
});

test('ids of 53 bits, ladder and price key are packed into shared words and read back exactly, also after a load', () => {
  const limits = { orders: 64, instruments: 16_384, levelPages: 64 };
  const book = createFastBook(limits);
  const highs = [0, 1, 4_095, 4_096, 0x15_5555, 0x1f_ffff];
  const ids = highs.flatMap((high) => [1, 0x8000_0000, 0xffff_ffff].map((low) => high * 2 ** 32 + low));
  const placeOf = (i: number) => ({ instrument: i % 2 === 0 ? 16_383 : 0, side: i % 3 === 0 ? 1 : 0, price: i % 3 === 0 ? 1e15 : 1 });
  ids.forEach((id, i) => book.rest({ ...placeOf(i), size: 7, account: 1_048_575 }, id, 7));
  for (const each of [book, reload(book, limits)]) {
    assert.equal(validateBooks(each.books), '');
    ids.forEach((id, i) => {
      const { instrument, side, price } = placeOf(i);
      const slot = findOrder(each.books, id % 2 ** 32, Math.floor(id / 2 ** 32));
      const lines = each.lines(instrument, side);
      assert.deepEqual(lines.filter(([other]) => other === id), [[id, price, 7]]);
      assert.deepEqual([orderInstrument(each.books, slot), orderSide(each.books, slot)], [instrument, side]);
      assert.equal(findOrder(each.books, id % 2 ** 32, Math.floor(id / 2 ** 32) + 2 ** 21), -1);
    });
  }
});

test('a load restores time priority, level totals beyond 2^53 and the free list', () => {
  const book = createFastBook(TINY);
  for (let id = 1; id <= 30; id++) {
    const [side, price] = id % 3 === 0 ? [1, 9] : [0, 1 + (id % 2)];
    book.rest({ instrument: id & 1, side, price, size: 1e15, account: id }, id, 1e15);
  }
  for (const id of [5, 30, 7, 12]) book.cancel(id);
  // Its slot is lower than those of older orders: time priority does not follow from slots.
  book.rest({ instrument: 0, side: 0, price: 1, size: 1e15, account: 31 }, 31, 1e15);
  // Nor does the order within a chain of the id index: 93 and 29 share a chain.
  book.rest({ instrument: 0, side: 0, price: 1, size: 1e15, account: 31 }, 93, 1e15);
  const loaded = reload(book, TINY);
  assert.equal(validateBooks(loaded.books), '');
  assert.deepEqual(savedSections(loaded), savedSections(book));
  for (let side = 0; side < 2; side++) {
    for (let instrument = 0; instrument < 2; instrument++) {
      assert.deepEqual(loaded.lines(instrument, side), book.lines(instrument, side));
      assert.deepEqual(loaded.depth(instrument, side), book.depth(instrument, side));
    }
  }
  for (const each of [book, loaded]) each.rest({ instrument: 0, side: 0, price: 1, size: 1, account: 1 }, 99, 1);
  assert.deepEqual(savedSections(loaded), savedSections(book));
});

test('validateBooks reports damage to every part of a book', () => {
  const damages: readonly [string, (books: Books) => void][] = [
    ['next link', (books) => { books.links[(1 << 1) | 1] = 0; }],
    ['prev link', (books) => { books.links[2 << 1] = 0; }],
    ['price', (books) => { books.orders[(2 << 3) | 4] = 77; }],
    ['id', (books) => { books.orders[2 << 3] = 77; }],
    ['remaining', (books) => { books.sizes[(2 << 2) | 3] = 3; }],
    ['total', (books) => { books.totals[levelOf(books, 1) * 2 + 1]! += 1; }],
    ['carry', (books) => { books.carries[levelOf(books, 1)]! += 1; }],
    ['tail', (books) => { books.levels[levelOf(books, 1) * 4 + 1] = 1; }],
    ['best rank', (books) => { books.ladders[0]! -= 1; }],
    ['best level', (books) => { books.ladders[1]! -= 1; }],
    ['root bits', (books) => { books.ladders[4]! ^= 2; }],
    ['root', (books) => { books.roots[0] = 0; }],
    ['page bits', (books) => { books.pages[4]! ^= 2; }],
    ['block bits', (books) => { books.blockBits[2]! ^= 2; }],
    ['page number', (books) => { books.pages[4 + 2] = 2; }],
    ['live count', (books) => { books.counters[2]! += 1; }],
    ['free head', (books) => { books.counters[0] = 1; }],
    ['high water', (books) => { books.counters[1]! += 1; }],
    ['pages used', (books) => { books.pagesUsed++; }],
    ['blocks made', (books) => { books.blocksMade++; }],
    ['id index', (books) => { books.chains[2] = 0; }],
    ['crossing', (books) => { rest(books, 9, 40, 1); }],
  ];
  for (const [name, damage] of damages) {
    const books = createBooks(TINY);
    for (let id = 1; id <= 3; id++) rest(books, id, 50);
    rest(books, 4, 60, 1);
    cancelOrder(books, rest(books, 5, 70_000, 1));
    assert.equal(validateBooks(books), '', name);
    damage(books);
    assert.notEqual(validateBooks(books), '', name);
  }
});
