// The production book with the interface of the naive book (prices and ids instead of keys and slots), and its save and load.

import assert from 'node:assert/strict';
import {
  bestAsk, bestBid, bestOrder, bookSections, cancelOrder, createBooks, levelSize, nextLevel, rebuildBooks, reduceOrder, restOrder,
} from '../../../core/book/books.ts';
import type { Books } from '../../../core/book/layout.ts';
import { canFill, nextMaker, startTaking, takeMaker, takerRemaining } from '../../../core/book/matching.ts';
import {
  findOrder, orderAccount, orderId, orderInstrument, orderKey, orderRemaining, orderSide, releaseOrder,
} from '../../../core/book/pool.ts';
import { priceKeyOf, priceOfKey } from '../../../core/book/price-key.ts';
import type { Column } from '../../../core/columns.ts';
import type { AnyBook, Line, Step } from './naive.ts';

export type Capacities = Parameters<typeof createBooks>[0];
export type FastBook = AnyBook & { books: Books };

const HIGH = 4_294_967_296;
/** The counter of the orders that hold a slot (core/book/layout). */
const LIVE = 2;

export function createFastBook(limits: Capacities): FastBook {
  return adapt(createBooks(limits));
}

/** A fresh book loaded with the sections of another. */
export function reload(book: FastBook, limits: Capacities): FastBook {
  const fresh = createBooks(limits);
  const from = savedSections(book);
  bookSections(fresh).forEach((section, i) => {
    section.column.set(from[i]!);
    assert.equal(section.used(), from[i]!.length, section.name);
  });
  rebuildBooks(fresh);
  return adapt(fresh);
}

export function savedSections(book: FastBook): Column[] {
  return bookSections(book.books).map((section) => section.column.slice(0, section.used()));
}

function bestKey(books: Books, instrument: number, side: number): number {
  return side === 0 ? bestBid(books, instrument) : bestAsk(books, instrument);
}

/** As core/trading/taker: an order of the taker's own account is cancelled, any other is filled. */
function meet(books: Books, maker: number, account: number): Step {
  const id = orderId(books, maker);
  const price = priceOfKey(orderKey(books, maker));
  const resting = orderRemaining(books, maker);
  if (orderAccount(books, maker) === account) {
    cancelOrder(books, maker);
    return ['self', id, price, resting];
  }
  const before = takerRemaining(books);
  takeMaker(books, maker);
  const left = orderRemaining(books, maker);
  assert.equal(before - takerRemaining(books), resting - left, 'both sides lose the same');
  if (left === 0) releaseOrder(books, maker);
  return ['fill', id, price, resting - left];
}

function linesOf(books: Books, instrument: number, side: number): Line[] {
  const lines: Line[] = [];
  const ladder = (instrument << 1) | side;
  for (let key = bestKey(books, instrument, side); key !== -1; key = nextLevel(books, instrument, side, key)) {
    const rank = side === 0 ? key : 0xfffff - key;
    const page = books.blocks[(books.roots[(ladder << 8) | (rank >> 12)]! << 6) | ((rank >> 6) & 63)]!;
    let slot = books.levels[((page << 6) | (rank & 63)) << 2]!;
    for (; slot !== 0; slot = books.links[(slot << 1) | 1]!) {
      lines.push([orderId(books, slot), priceOfKey(orderKey(books, slot)), orderRemaining(books, slot)]);
    }
  }
  return lines;
}

function adapt(books: Books): FastBook {
  const slotOf = (id: number): number => findOrder(books, id >>> 0, Math.floor(id / HIGH));
  const cancel = (id: number): boolean => {
    const slot = slotOf(id);
    if (slot >= 0) cancelOrder(books, slot);
    return slot >= 0;
  };
  return {
    books,
    rest({ instrument, side, price, account }, id, remaining) {
      const slot = restOrder(books, instrument, side, priceKeyOf(price), account, id, remaining);
      assert.equal(slot, slotOf(id));
      const read = [orderInstrument(books, slot), orderSide(books, slot), orderAccount(books, slot), orderKey(books, slot)];
      assert.deepEqual(read, [instrument, side, account, priceKeyOf(price)]);
    },
    cancel,
    reduce(id, remaining) {
      const slot = slotOf(id);
      if (slot >= 0) reduceOrder(books, slot, remaining);
      return slot >= 0;
    },
    take({ instrument, side, price, size, account }, maxSteps, meanwhile) {
      const steps: Step[] = [];
      startTaking(books, instrument, side, priceKeyOf(price), size);
      while (steps.length < maxSteps) {
        const maker = nextMaker(books);
        if (maker === 0) break;
        steps.push(meet(books, maker, account));
        if (steps.length === 1) meanwhile.forEach(cancel);
      }
      return { steps, left: takerRemaining(books) };
    },
    canFill: ({ instrument, side, price, size, account }) => canFill(books, instrument, side, priceKeyOf(price), size, account),
    best(instrument, side) {
      const key = bestKey(books, instrument, side);
      assert.equal(bestOrder(books, instrument, side) === 0, key === -1);
      return key === -1 ? -1 : priceOfKey(key);
    },
    depth(instrument, side) {
      const levels: [number, number][] = [];
      for (let key = bestKey(books, instrument, side); key !== -1; key = nextLevel(books, instrument, side, key)) {
        levels.push([priceOfKey(key), levelSize(books, instrument, side, key)]);
      }
      return levels;
    },
    lines: (instrument, side) => linesOf(books, instrument, side),
    open: () => books.counters[LIVE]!,
  };
}
