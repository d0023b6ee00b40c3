// The structural check of the books: every claim of core/book/layout, recomputed from the orders and the links.
// Cold: for tests, the audit and a load, never for a command. Reads only; answers with the first thing that is wrong.

import { rankBelow, rankOf } from './levels.ts';
import type { Books } from './layout.ts';
import { findOrder } from './pool.ts';

const ID_HI = 1;
const LADDER = 3;
const KEY = 4;
const CHAIN = 5;
const REMAINING = 3;
const ORIGINAL = 4;
const FREE = -1;
const ROOT_BITS = 4;
const CARRY = 4_503_599_627_370_496;

/** What a walk over the books counts. */
type Tally = { orders: number; pages: number; blocks: number; fault: string };

// seam: the simulator checks every book with it
/** The first fault of the books, '' if they are sound. No taker may be between two steps. */
export function validateBooks(books: Books): string {
  const tally: Tally = { orders: 0, pages: 0, blocks: 0, fault: '' };
  for (let ladder = 0; ladder < books.instruments * 2 && tally.fault === ''; ladder++) checkLadder(books, ladder, tally);
  return tally.fault || poolFault(books, tally.orders) || treeFault(books, tally);
}

function poolFault(books: Books, found: number): string {
  const [freeHead, highWater, live] = books.counters;
  let free = 0;
  for (let slot = freeHead; slot !== 0; slot = books.links[(slot << 1) | 1]) {
    if (slot < 0 || slot > highWater || books.links[slot << 1] !== FREE) return `free slot ${slot} is not free`;
    if (++free > highWater) return 'the free slots go round';
  }
  if (highWater >= books.capacity) return `high water ${highWater} beyond the pool`;
  if (free + live !== highWater) return `${free} free and ${live} live slots are not ${highWater}`;
  if (found !== live) return `${found} orders rest, ${live} are live`;
  let chained = 0;
  for (let chain = 0; chain < books.chains.length; chain++) {
    for (let slot = books.chains[chain]; slot !== 0; slot = books.orders[(slot << 4) | CHAIN]) {
      if (++chained > live) return `the id index holds more than ${live} orders`;
    }
  }
  return chained === live ? '' : `the id index holds ${chained} of ${live} orders`;
}

function treeFault(books: Books, tally: Tally): string {
  if (tally.pages !== books.pagesUsed) return `${tally.pages} pages in use, ${books.pagesUsed} counted`;
  let pages = tally.pages;
  for (let page = books.freePage; page !== 0 && pages <= books.pagesMade; page = books.pages[(page << 2) | 2]) {
    if ((books.pages[page << 2] | books.pages[(page << 2) | 1]) !== 0) return `free page ${page} is occupied`;
    pages++;
  }
  if (pages !== books.pagesMade) return `${pages} pages of ${books.pagesMade}`;
  let blocks = tally.blocks;
  for (let block = books.freeBlock; block !== 0 && blocks <= books.blocksMade; block = books.blocks[block << 6]) blocks++;
  return blocks === books.blocksMade ? '' : `${blocks} blocks of ${books.blocksMade}`;
}

/** Whether bit `place` of the words from `first` is set. */
function hasBit(words: Int32Array, first: number, place: number): boolean {
  return ((words[first + (place >> 5)] >>> (place & 31)) & 1) === 1;
}

/** Walks a ladder from its best place downwards, through every node, and compares it with `rankBelow`. */
function checkLadder(books: Books, ladder: number, tally: Tally): void {
  const { ladders, roots } = books;
  const before = tally.orders;
  let expected = ladders[ladder << 4];
  for (let place = 255; place >= 0; place--) {
    const block = roots[(ladder << 8) | place];
    if ((block !== 0) !== hasBit(ladders, (ladder << 4) + ROOT_BITS, place)) tally.fault ||= `ladder ${ladder}: root bit ${place}`;
    if (block === 0) continue;
    tally.blocks++;
    expected = checkBlock(books, ladder, place, block, expected, tally);
    if (tally.fault !== '') return;
  }
  if (expected !== 0) tally.fault ||= `ladder ${ladder}: rank ${expected} is not there`;
  if (tally.orders === before && ladders[(ladder << 4) | 1] !== 0) tally.fault ||= `ladder ${ladder}: empty, with a best level`;
  const bid = ladders[(ladder & ~1) << 4];
  const ask = ladders[(ladder | 1) << 4];
  if (bid !== 0 && ask !== 0 && bid >= rankOf(1, ask)) tally.fault ||= `instrument ${ladder >> 1} is crossed`;
}

function checkBlock(books: Books, ladder: number, place: number, block: number, expected: number, tally: Tally): number {
  let next = expected;
  const pagesBefore = tally.pages;
  for (let entry = 63; entry >= 0; entry--) {
    const page = books.blocks[(block << 6) | entry];
    if ((page !== 0) !== hasBit(books.blockBits, block << 1, entry)) tally.fault ||= `block ${block}: bit ${entry}`;
    if (page === 0) continue;
    tally.pages++;
    const number = (place << 6) | entry;
    if (books.pages[(page << 2) | 2] !== number || books.pages[(page << 2) | 3] !== ladder) tally.fault ||= `page ${page}: owner`;
    next = checkPage(books, ladder, page, number, next, tally);
    if (tally.fault !== '') return next;
  }
  if (tally.pages === pagesBefore) tally.fault ||= `block ${block} is empty`;
  return next;
}

function checkPage(books: Books, ladder: number, page: number, number: number, expected: number, tally: Tally): number {
  let next = expected;
  for (let bit = 63; bit >= 0; bit--) {
    const level = (page << 6) | bit;
    const occupied = hasBit(books.pages, page << 2, bit);
    if (occupied !== (books.levels[level << 2] !== 0)) tally.fault ||= `level ${level}: bit and head differ`;
    const rank = (number << 6) | bit;
    if (occupied) {
      if (rank !== next) tally.fault ||= `ladder ${ladder}: rank ${next} expected, ${rank} found`;
      if (rank === books.ladders[ladder << 4] && level !== books.ladders[(ladder << 4) | 1]) tally.fault ||= `ladder ${ladder}: best level`;
      next = rankBelow(books, ladder, rank);
    }
    tally.fault ||= levelFault(books, ladder, rank, level, tally);
    if (tally.fault !== '') return next;
  }
  if ((books.pages[page << 2] | books.pages[(page << 2) | 1]) === 0) tally.fault ||= `page ${page} is empty`;
  return next;
}

function levelFault(books: Books, ladder: number, rank: number, level: number, tally: Tally): string {
  const { levels, links, orders, sizes } = books;
  let last = 0;
  let total = 0;
  let carry = 0;
  for (let slot = levels[level << 2]; slot !== 0; slot = links[(slot << 1) | 1]) {
    const row = slot << 4;
    if (links[slot << 1] !== last) return `order in slot ${slot}: prev`;
    if (orders[row | LADDER] !== ladder || rankOf(ladder, orders[row | KEY]) !== rank) return `order in slot ${slot}: price`;
    if (findOrder(books, orders[row], orders[row | ID_HI]) !== slot) return `order in slot ${slot}: id index`;
    const remaining = sizes[(slot << 3) | REMAINING];
    if (!(remaining > 0 && remaining <= sizes[(slot << 3) | ORIGINAL])) return `order in slot ${slot}: size ${remaining}`;
    total += remaining;
    if (total >= CARRY) {
      total -= CARRY;
      carry++;
    }
    if (++tally.orders > books.counters[2]) return `level ${level} goes round`;
    last = slot;
  }
  if (levels[(level << 2) | 1] !== last) return `level ${level}: tail`;
  return books.totals[(level << 1) | 1] === total && books.carries[level] === carry ? '' : `level ${level}: total`;
}
