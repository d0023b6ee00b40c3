// Matches one taker, one maker at a time: best price first, then first in, first out, at the maker's price. In between, the caller may do
// anything to the book. It rests the taker and prevents self-trades.

import { assert } from '../assert.ts';
import type { Books } from './layout.ts';
import { levelAt, levelTotal, rankBelow, rankOf, removeOrder, shrinkLevel } from './levels.ts';
import { forgetOrder, orderAccount, orderKey, orderRemaining } from './pool.ts';

// Offsets within rows (core/book/layout).
const REMAINING = 3;
const BEST_LEVEL = 1;

export function startTaking(books: Books, instrument: number, side: number, limitKey: number, size: number): void {
  const ladder = (instrument << 1) | (side ^ 1);
  assert(size > 0, 'matching: a taker has a size');
  books.takerLadder = ladder;
  books.takerRank = rankOf(ladder, limitKey);
  books.taking[0] = size;
}

/** 0: the taker is filled, or nothing within its limit is left. */
export function nextMaker(books: Books): number {
  const { ladders } = books;
  const row = books.takerLadder << 4;
  return books.taking[0] <= 0 || ladders[row] < books.takerRank ? 0 : books.levels[ladders[row | BEST_LEVEL] << 2];
}

/** `maker` comes from `nextMaker`. A filled maker leaves the book. Call `releaseOrder` for its slot before the next order rests. */
export function takeMaker(books: Books, maker: number): void {
  const { sizes, takerLadder, taking } = books;
  const level = books.ladders[(takerLadder << 4) | BEST_LEVEL];
  const left = taking[0];
  const resting = orderRemaining(books, maker);
  assert(books.levels[level << 2] === maker, 'matching: the maker is the first in line at the best price');
  assert(left > 0 && resting > 0, 'matching: both sides have a remaining size');
  if (resting > left) {
    sizes[(maker << 2) | REMAINING] = resting - left;
    shrinkLevel(books, level, left);
    taking[0] = 0;
    return;
  }
  sizes[(maker << 2) | REMAINING] = 0;
  taking[0] = left - resting;
  removeOrder(books, maker, takerLadder, level, resting);
  forgetOrder(books, maker);
}

export function takerRemaining(books: Books): number {
  return books.taking[0];
}

/** What a taker of `side` meets after the order in `slot` (0: first). */
export function makerAfter(books: Books, instrument: number, side: number, limitKey: number, slot: number): number {
  const { ladders, levels, links } = books;
  const ladder = (instrument << 1) | (side ^ 1);
  if (slot !== 0 && links[(slot << 1) | 1] !== 0) return links[(slot << 1) | 1];
  const rank = slot === 0 ? ladders[ladder << 4] : rankBelow(books, ladder, rankOf(ladder, orderKey(books, slot)));
  return rank === 0 || rank < rankOf(ladder, limitKey) ? 0 : levels[levelAt(books, ladder, rank) << 2];
}

/** Counts other accounts' orders only. Level totals usually decide, so they come first. */
export function canFill(books: Books, instrument: number, side: number, limitKey: number, size: number, account: number): boolean {
  const ladder = (instrument << 1) | (side ^ 1);
  const limit = rankOf(ladder, limitKey);
  return levelsHold(books, ladder, limit, size) && othersHold(books, ladder, limit, size, account);
}

function levelsHold(books: Books, ladder: number, limit: number, size: number): boolean {
  let need = size;
  let rank = books.ladders[ladder << 4];
  while (rank >= limit) {
    need -= levelTotal(books, levelAt(books, ladder, rank));
    if (need <= 0) return true;
    rank = rankBelow(books, ladder, rank);
  }
  return false;
}

function othersHold(books: Books, ladder: number, limit: number, size: number, account: number): boolean {
  const { levels, links } = books;
  let need = size;
  let rank = books.ladders[ladder << 4];
  while (rank >= limit) {
    let slot = levels[levelAt(books, ladder, rank) << 2];
    while (slot !== 0) {
      if (orderAccount(books, slot) !== account) need -= orderRemaining(books, slot);
      if (need <= 0) return true;
      slot = links[(slot << 1) | 1];
    }
    rank = rankBelow(books, ladder, rank);
  }
  return false;
}
