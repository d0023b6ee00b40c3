// Price levels: a first-in first-out list of orders per level, in a tree of bitmaps that finds the next occupied level in bounded time.
// Never allocates.

import { assert } from '../assert.ts';
import type { Books } from './layout.ts';
import { orderKey, orderLadder } from './pool.ts';

// Offsets within rows (core/book/layout).
const BEST_LEVEL = 1;
const ROOT_BITS = 4;
const PAGE_NUMBER = 2;
const PAGE_FREE = 2;
/** Lower levels belong to page 0, which means no page. */
const FIRST_LEVEL = 64;
const CARRY = 4_503_599_627_370_496;

/** Its own inverse: also maps a rank to its key. */
export function rankOf(ladder: number, key: number): number {
  return key ^ (-(ladder & 1) & 0xfffff);
}

/**
 * A level of page 0 if the rank's page does not exist. Most orders are near the touch, so the best level's page is tried first (a quarter
 * of the benchmark).
 */
export function levelAt(books: Books, ladder: number, rank: number): number {
  const { ladders } = books;
  const row = ladder << 4;
  if ((ladders[row] ^ rank) >> 6 === 0) return (ladders[row | BEST_LEVEL] & ~63) | (rank & 63);
  return (books.blocks[(books.roots[(ladder << 8) | (rank >> 12)] << 6) | ((rank >> 6) & 63)] << 6) | (rank & 63);
}

export function levelOf(books: Books, slot: number): number {
  const ladder = orderLadder(books, slot);
  return levelAt(books, ladder, rankOf(ladder, orderKey(books, slot)));
}

export function lastInLine(books: Books, slot: number): number {
  return books.levels[(levelOf(books, slot) << 2) | 1];
}

/** Last in line. */
export function appendOrder(books: Books, slot: number, ladder: number, rank: number, size: number): void {
  const { levels, links } = books;
  assert(size > 0, 'book: a resting order has a size');
  let level = levelAt(books, ladder, rank);
  if (level < FIRST_LEVEL) level = openPage(books, ladder, rank);
  const cell = level << 2;
  const tail = levels[cell | 1];
  levels[cell | 1] = slot;
  links[slot << 1] = tail;
  links[(slot << 1) | 1] = 0;
  if (tail !== 0) {
    assert(links[(tail << 1) | 1] === 0, 'book: the last order in line has no next');
    links[(tail << 1) | 1] = slot;
  } else {
    assert(levels[cell] === 0, 'book: a level without a last order has no first');
    levels[cell] = slot;
    openLevel(books, ladder, rank, level);
  }
  growLevel(books, level, size);
}

/** The place in line of a loaded order is in its own links. */
export function restoreOrder(books: Books, slot: number, ladder: number, rank: number, size: number): void {
  const { levels, links } = books;
  let level = levelAt(books, ladder, rank);
  if (level < FIRST_LEVEL) level = openPage(books, ladder, rank);
  if (links[(slot << 1) | 1] === 0) levels[(level << 2) | 1] = slot;
  if (links[slot << 1] === 0) levels[level << 2] = slot;
  openLevel(books, ladder, rank, level);
  growLevel(books, level, size);
}

/** The order's own links stay until the slot is released. */
export function removeOrder(books: Books, slot: number, ladder: number, level: number, size: number): void {
  const { levels, links } = books;
  const prev = links[slot << 1];
  const next = links[(slot << 1) | 1];
  assert((prev !== 0 ? links[(prev << 1) | 1] : levels[level << 2]) === slot, 'book: the previous order links to this one');
  assert((next !== 0 ? links[next << 1] : levels[(level << 2) | 1]) === slot, 'book: the next order links to this one');
  shrinkLevel(books, level, size);
  if (prev !== 0) links[(prev << 1) | 1] = next;
  else levels[level << 2] = next;
  if (next !== 0) links[next << 1] = prev;
  else levels[(level << 2) | 1] = prev;
  if ((prev | next) === 0) closeLevel(books, ladder, level);
}

function growLevel(books: Books, level: number, size: number): void {
  const { totals } = books;
  const cell = (level << 1) | 1;
  const sum = totals[cell] + size;
  totals[cell] = sum;
  if (sum >= CARRY) carryLevel(books, level, 1);
}

export function shrinkLevel(books: Books, level: number, size: number): void {
  const { totals } = books;
  const cell = (level << 1) | 1;
  const rest = totals[cell] - size;
  totals[cell] = rest;
  if (rest < 0) carryLevel(books, level, -1);
}

function carryLevel(books: Books, level: number, carry: number): void {
  books.totals[(level << 1) | 1] -= carry * CARRY;
  books.carries[level] += carry;
  assert(books.carries[level] >= 0, "book: a level's size is not negative");
}

export function levelTotal(books: Books, level: number): number {
  return books.totals[(level << 1) | 1] + books.carries[level] * CARRY;
}

export function rankBelow(books: Books, ladder: number, rank: number): number {
  const { blockBits, blocks, pages } = books;
  const block = books.roots[(ladder << 8) | (rank >> 12)];
  if (block !== 0) {
    const page = blocks[(block << 6) | ((rank >> 6) & 63)];
    if (page !== 0) {
      const bit = bitBelow(pages[page << 2], pages[(page << 2) | 1], rank & 63);
      if (bit >= 0) return (rank & ~63) | bit;
    }
    const inBlock = bitBelow(blockBits[block << 1], blockBits[(block << 1) | 1], (rank >> 6) & 63);
    if (inBlock >= 0) return lastInPage(books, blocks[(block << 6) | inBlock]);
  }
  return lastBefore(books, ladder, rank >> 12);
}

function lastBefore(books: Books, ladder: number, above: number): number {
  const { blockBits, ladders } = books;
  const row = (ladder << 4) | ROOT_BITS;
  let word = above >> 5;
  let bits = ladders[row + word] & ((1 << (above & 31)) - 1);
  while (bits === 0) {
    if (word === 0) return 0;
    bits = ladders[row + --word];
  }
  const block = books.roots[(ladder << 8) | (word << 5) | (31 - Math.clz32(bits))];
  return lastInPage(books, books.blocks[(block << 6) | highest(blockBits[block << 1], blockBits[(block << 1) | 1])]);
}

function lastInPage(books: Books, page: number): number {
  const { pages } = books;
  return (pages[(page << 2) | PAGE_NUMBER] << 6) | highest(pages[page << 2], pages[(page << 2) | 1]);
}

/** The words must not both be zero. */
function highest(low: number, high: number): number {
  return high !== 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(low);
}

/** `place` is 0 .. 63. Returns -1 if there is none. */
function bitBelow(low: number, high: number, place: number): number {
  if (place >= 32) {
    const rest = high & ((1 << (place & 31)) - 1);
    return rest !== 0 ? 63 - Math.clz32(rest) : 31 - Math.clz32(low);
  }
  return 31 - Math.clz32(low & ((1 << place) - 1));
}

function openLevel(books: Books, ladder: number, rank: number, level: number): void {
  const { ladders } = books;
  books.pages[((level >> 6) << 2) | ((rank >> 5) & 1)] |= 1 << (rank & 31);
  if (rank > ladders[ladder << 4]) {
    ladders[ladder << 4] = rank;
    ladders[(ladder << 4) | BEST_LEVEL] = level;
  }
}

function closeLevel(books: Books, ladder: number, level: number): void {
  const { pages } = books;
  const row = (level >> 6) << 2;
  assert(levelTotal(books, level) === 0, 'book: a level without orders has no size');
  pages[row | ((level >> 5) & 1)] &= ~(1 << (level & 31));
  if (books.ladders[(ladder << 4) | BEST_LEVEL] === level) moveBest(books, ladder);
  if ((pages[row] | pages[row | 1]) === 0) closePage(books, ladder, level >> 6);
}

/** The page of the old best must still exist. */
function moveBest(books: Books, ladder: number): void {
  const { ladders } = books;
  const best = rankBelow(books, ladder, ladders[ladder << 4]);
  assert(best < ladders[ladder << 4], 'book: the next best price is worse');
  ladders[(ladder << 4) | BEST_LEVEL] = best === 0 ? 0 : levelAt(books, ladder, best);
  ladders[ladder << 4] = best;
}

function openPage(books: Books, ladder: number, rank: number): number {
  const { blockBits, blocks, pages } = books;
  let block = books.roots[(ladder << 8) | (rank >> 12)];
  if (block === 0) block = openBlock(books, ladder, rank >> 12);
  let page = books.freePage;
  assert(books.pagesUsed < books.pageCapacity, 'book: a page is free');
  if (page === 0) page = ++books.pagesMade;
  else books.freePage = pages[(page << 2) | PAGE_FREE];
  books.pagesUsed++;
  pages[(page << 2) | PAGE_NUMBER] = rank >> 6;
  const place = (rank >> 6) & 63;
  blocks[(block << 6) | place] = page;
  blockBits[(block << 1) | (place >> 5)] |= 1 << (place & 31);
  return (page << 6) | (rank & 63);
}

function closePage(books: Books, ladder: number, page: number): void {
  const { blockBits, blocks, pages } = books;
  const number = pages[(page << 2) | PAGE_NUMBER];
  const block = books.roots[(ladder << 8) | (number >> 6)];
  assert(blocks[(block << 6) | (number & 63)] === page, 'book: page number and block agree');
  pages[(page << 2) | PAGE_FREE] = books.freePage;
  books.freePage = page;
  books.pagesUsed--;
  blocks[(block << 6) | (number & 63)] = 0;
  blockBits[(block << 1) | ((number >> 5) & 1)] &= ~(1 << (number & 31));
  if ((blockBits[block << 1] | blockBits[(block << 1) | 1]) === 0) closeBlock(books, ladder, number >> 6, block);
}

/** Each used block holds a page, so blocks cannot run out before pages do. */
function openBlock(books: Books, ladder: number, place: number): number {
  let block = books.freeBlock;
  if (block === 0) block = ++books.blocksMade;
  else {
    books.freeBlock = books.blocks[block << 6];
    books.blocks[block << 6] = 0;
  }
  books.roots[(ladder << 8) | place] = block;
  books.ladders[(ladder << 4) + ROOT_BITS + (place >> 5)] |= 1 << (place & 31);
  return block;
}

function closeBlock(books: Books, ladder: number, place: number, block: number): void {
  assert(books.roots[(ladder << 8) | place] === block, 'book: block and root agree');
  books.blocks[block << 6] = books.freeBlock;
  books.freeBlock = block;
  books.roots[(ladder << 8) | place] = 0;
  books.ladders[(ladder << 4) + ROOT_BITS + (place >> 5)] &= ~(1 << (place & 31));
}
