// Orders that hold a slot of the pool without being in a book, and come and go with their id.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import {
  bookSections, cancelOrder, createBooks, dropOrder, enterBook, holdOrder, isInBook, leaveBook, nextLevel, bestBid, bestOrder, rebuildBooks,
  repriceOrder, restOrder,
} from '../../../core/book/books.ts';
import type { Books } from '../../../core/book/layout.ts';
import { findOrder, nextInLine, orderId, orderKey, orderRemaining } from '../../../core/book/pool.ts';
import { validateBooks } from './validate.ts';

const LIMITS = { orders: 64, instruments: 2, levelPages: 64 };

/** Ids of each level of the bids, best price first. */
function linesOf(books: Books): number[][] {
  const lines: number[][] = [];
  let first = bestOrder(books, 0, 0);
  for (let key = bestBid(books, 0); key !== -1; key = nextLevel(books, 0, 0, key)) {
    const line: number[] = [];
    for (let slot = first; slot !== 0; slot = nextInLine(books, slot)) line.push(orderId(books, slot));
    lines.push(line);
    const next = nextLevel(books, 0, 0, key);
    first = next === -1 ? 0 : slotAt(books, next);
  }
  return lines;
}

function slotAt(books: Books, key: number): number {
  for (let slot = 1; slot <= books.counters[1]!; slot++) {
    if (books.links[slot << 1]! === 0 && orderKey(books, slot) === key) return slot;
  }
  return 0;
}

function reloaded(books: Books): Books {
  const fresh = createBooks(LIMITS);
  bookSections(fresh).forEach((section, i) => section.column.set(bookSections(books)[i]!.column));
  rebuildBooks(fresh);
  return fresh;
}

test('an order that leaves its book and enters it again is last in line, keeps its id, and is found all the time', () => {
  const books = createBooks(LIMITS);
  const slot = restOrder(books, 0, 0, 500, 1, 1, 10);
  restOrder(books, 0, 0, 500, 1, 2, 10);
  leaveBook(books, slot);
  assert.deepEqual([isInBook(books, slot), linesOf(books), findOrder(books, 1, 0), validateBooks(books)], [false, [[2]], slot, '']);
  enterBook(books, slot);
  assert.deepEqual([isInBook(books, slot), linesOf(books), findOrder(books, 1, 0), validateBooks(books)], [true, [[2, 1]], slot, '']);
});

test('an order is repriced, cancelled or dropped only where it stands', () => {
  const books = createBooks(LIMITS);
  const slot = restOrder(books, 0, 0, 500, 1, 1, 10);
  assert.throws(() => repriceOrder(books, slot, 600, 10), /in no book/);
  assert.throws(() => dropOrder(books, slot), /in no book/);
  assert.throws(() => enterBook(books, slot), /in none/);
  leaveBook(books, slot);
  assert.throws(() => leaveBook(books, slot), /in one/);
  repriceOrder(books, slot, 600, 7);
  assert.deepEqual([orderKey(books, slot), orderRemaining(books, slot), orderId(books, slot)], [600, 7, 1]);
  dropOrder(books, slot);
  assert.deepEqual([findOrder(books, 1, 0), validateBooks(books)], [-1, '']);
});

test('a load chains orders by id, whatever slots they are in', () => {
  const books = createBooks(LIMITS);
  for (let id = 1; id <= 9; id++) restOrder(books, 0, 0, 500, 1, id, 10);
  cancelOrder(books, 1);
  assert.equal(restOrder(books, 0, 0, 500, 1, 17, 10), 1, 'a younger order in an older slot');
  assert.deepEqual([...reloaded(books).chains], [...books.chains]);
});

test('held orders in any sequence of comings and goings stand by price and time of entry, also after a load', () => {
  const step = fc.record({ what: fc.nat(5), which: fc.nat(40), key: fc.integer({ min: 1, max: 4 }), high: fc.nat(1) });
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const books = createBooks(LIMITS);
    /** Ids by slot, with price, entry (0: in no book). */
    const model = new Map<number, { id: number; key: number; entry: number }>();
    let id = 0;
    let entry = 0;
    for (const { what, which, key, high } of steps) {
      const slots = [...model.keys()];
      const slot = slots[which % slots.length];
      const one = slot === undefined ? undefined : model.get(slot)!;
      if (what <= 1 && model.size < 60) {
        id += 1 + high * 2 ** 32;
        const made = what === 0 ? restOrder(books, 0, 0, key, 1, id, 5) : holdOrder(books, 0, 0, key, 1, id, 5);
        model.set(made, { id, key, entry: what === 0 ? ++entry : 0 });
      } else if (one === undefined || slot === undefined) continue;
      else if (what === 2 && one.entry === 0) {
        enterBook(books, slot);
        one.entry = ++entry;
      } else if (what === 3 && one.entry !== 0) {
        leaveBook(books, slot);
        one.entry = 0;
      } else if (what === 4 && one.entry === 0) {
        repriceOrder(books, slot, key, 5);
        one.key = key;
      } else if (what === 5) {
        if (one.entry === 0) dropOrder(books, slot);
        else cancelOrder(books, slot);
        model.delete(slot);
      }
    }
    const standing = [...model.values()].filter((one) => one.entry !== 0).sort((a, b) => b.key - a.key || a.entry - b.entry);
    for (const tree of [books, reloaded(books)]) {
      assert.equal(validateBooks(tree), '');
      assert.deepEqual(linesOf(tree).flat(), standing.map((one) => one.id));
      for (const [slot, one] of model) assert.equal(findOrder(tree, one.id >>> 0, Math.floor(one.id / 2 ** 32)), slot);
    }
    assert.deepEqual([...reloaded(books).chains], [...books.chains], 'a load makes the same index');
  }));
});
