// The structural check of the books: every claim of core/book/layout, recomputed from the orders and the links. It only reads, and
// returns the first fault.

import { rankBelow, rankOf } from '../../../core/book/levels.ts';
import type { Books } from '../../../core/book/layout.ts';
import { findOrder, orderIdHi, orderIdLo, orderKey, orderLadder, orderRemaining } from '../../../core/book/pool.ts';

const CHAIN = 1;
const FREE = -1;
const OUT = -2;
const ROOT_BITS = 4;
const HIGHEST = 0x8000_0000;
const CARRY = 4_503_599_627_370_496;

/** What a walk over the books counts. */
type Tally = { orders: number; pages: number; blocks: number; fault: string };

/** The first fault of the books, '' if they are sound. No taker may be between two steps. */
export function validateBooks(books: Books): string {
  const tally: Tally = { orders: 0, pages: 0, blocks: 0, fault: '' };
  for (let ladder = 0; ladder < books.ladders.length >> 4 && tally.fault === ''; ladder++) checkLadder(books, ladder, tally);
  return tally.fault || poolFault(books, tally.orders) || treeFault(books, tally);
}

function poolFault(books: Books, found: number): string {
  const [freeHead, highWater, live] = [books.counters[0]!, books.counters[1]!, books.counters[2]!];
  let free = 0;
  for (let slot = freeHead; slot !== 0; slot = books.links[(slot << 1) | 1]!) {
    if (slot < 0 || slot > highWater || books.links[slot << 1] !== FREE) return `free slot ${slot} is not free`;
    if (++free > highWater) return 'the free slots form a cycle';
  }
  if (highWater >= books.capacity) return `high water ${highWater} beyond the pool`;
  if (free + live !== highWater) return `${free} free and ${live} live slots are not ${highWater}`;
  let held = 0;
  for (let slot = 1; slot <= highWater; slot++) if (books.links[slot << 1] === OUT) held++;
  if (found + held !== live) return `${found} orders rest and ${held} are in no book, ${live} are live`;
  let chained = 0;
  for (let chain = 0; chain < books.chains.length; chain++) {
    for (let slot = books.chains[chain]!; slot !== 0; slot = books.orders[(slot << 3) | CHAIN]!) {
      if (++chained > live) return `the id index holds more than ${live} orders`;
    }
  }
  return chained === live ? '' : `the id index holds ${chained} of ${live} orders`;
}

function treeFault(books: Books, tally: Tally): string {
  if (tally.pages !== books.pagesUsed) return `${tally.pages} pages in use, ${books.pagesUsed} counted`;
  let pages = tally.pages;
  for (let page = books.freePage; page !== 0 && pages <= books.pagesMade; page = books.pages[(page << 2) | 2]!) {
    if ((books.pages[page << 2]! | books.pages[(page << 2) | 1]!) !== 0) return `free page ${page} is occupied`;
    pages++;
  }
  if (pages !== books.pagesMade) return `${pages} pages of ${books.pagesMade}`;
  let blocks = tally.blocks;
  for (let block = books.freeBlock; block !== 0 && blocks <= books.blocksMade; block = books.blocks[block << 6]!) blocks++;
  return blocks === books.blocksMade ? '' : `${blocks} blocks of ${books.blocksMade}`;
}

/** The bits that 32 entries should have: one where an entry is not 0. */
function bitsOf(entries: Int32Array, first: number): number {
  let any = 0;
  for (let at = first; at < first + 32; at += 4) any |= entries[at]! | entries[at + 1]! | entries[at + 2]! | entries[at + 3]!;
  let bits = 0;
  // In most words every entry is 0; that check is quick.
  for (let bit = 0; any !== 0 && bit < 32; bit++) if (entries[first + bit] !== 0) bits |= 1 << bit;
  return bits;
}

/** Walks a ladder from its best place downwards, through every node, and compares it with `rankBelow`. */
function checkLadder(books: Books, ladder: number, tally: Tally): void {
  const { ladders, roots } = books;
  const before = tally.orders;
  let expected = ladders[ladder << 4]!;
  for (let word = 7; word >= 0; word--) {
    let bits = bitsOf(roots, (ladder << 8) | (word << 5));
    if (bits !== ladders[(ladder << 4) + ROOT_BITS + word]) tally.fault ||= `ladder ${ladder}: root bits of word ${word}`;
    for (; bits !== 0; bits ^= HIGHEST >>> Math.clz32(bits)) {
      const place = (word << 5) | (31 - Math.clz32(bits));
      tally.blocks++;
      expected = checkBlock(books, ladder, place, roots[(ladder << 8) | place]!, expected, tally);
      if (tally.fault !== '') return;
    }
  }
  if (expected !== 0) tally.fault ||= `ladder ${ladder}: rank ${expected} is not there`;
  if (tally.orders === before && ladders[(ladder << 4) | 1] !== 0) tally.fault ||= `ladder ${ladder}: empty, with a best level`;
  const bid = ladders[(ladder & ~1) << 4]!;
  const ask = ladders[(ladder | 1) << 4]!;
  if (bid !== 0 && ask !== 0 && bid >= rankOf(1, ask)) tally.fault ||= `instrument ${ladder >> 1} is crossed`;
}

function checkBlock(books: Books, ladder: number, place: number, block: number, expected: number, tally: Tally): number {
  let next = expected;
  const pagesBefore = tally.pages;
  for (let word = 1; word >= 0; word--) {
    let bits = bitsOf(books.blocks, (block << 6) | (word << 5));
    if (bits !== books.blockBits[(block << 1) | word]) tally.fault ||= `block ${block}: bits of word ${word}`;
    for (; bits !== 0; bits ^= HIGHEST >>> Math.clz32(bits)) {
      const entry = (word << 5) | (31 - Math.clz32(bits));
      const page = books.blocks[(block << 6) | entry]!;
      tally.pages++;
      const number = (place << 6) | entry;
      if (books.pages[(page << 2) | 2] !== number) tally.fault ||= `page ${page}: number`;
      next = checkPage(books, ladder, page, number, next, tally);
      if (tally.fault !== '') return next;
    }
  }
  if (tally.pages === pagesBefore) tally.fault ||= `block ${block} is empty`;
  return next;
}

function checkPage(books: Books, ladder: number, page: number, number: number, expected: number, tally: Tally): number {
  const { carries, levels } = books;
  let next = expected;
  for (let word = 1; word >= 0; word--) {
    const first = (page << 6) | (word << 5);
    let bits = 0;
    let left = 0;
    for (let level = first; level < first + 32; level++) {
      const cell = level << 2;
      if (levels[cell] !== 0) bits |= 1 << level;
      // A level without orders has 0 as tail, as both words of the total, and as carry.
      else left |= levels[cell | 1]! | levels[cell | 2]! | levels[cell | 3]! | carries[level]!;
    }
    if (bits !== books.pages[(page << 2) | word]) tally.fault ||= `page ${page}: bits of word ${word} and heads differ`;
    if (left !== 0) tally.fault ||= `page ${page}: a level of word ${word} without orders is not 0`;
    for (; bits !== 0; bits ^= HIGHEST >>> Math.clz32(bits)) {
      const level = first | (31 - Math.clz32(bits));
      next = checkLevel(books, ladder, (number << 6) | (level & 63), level, next, tally);
    }
    if (tally.fault !== '') return next;
  }
  if ((books.pages[page << 2]! | books.pages[(page << 2) | 1]!) === 0) tally.fault ||= `page ${page} is empty`;
  return next;
}

/** Checks an occupied level; returns the next expected rank. */
function checkLevel(books: Books, ladder: number, rank: number, level: number, expected: number, tally: Tally): number {
  const { ladders } = books;
  if (rank !== expected) tally.fault ||= `ladder ${ladder}: rank ${expected} expected, ${rank} found`;
  if (rank === ladders[ladder << 4] && level !== ladders[(ladder << 4) | 1]) tally.fault ||= `ladder ${ladder}: best level`;
  tally.fault ||= levelFault(books, ladder, rank, level, tally);
  return rankBelow(books, ladder, rank);
}

function levelFault(books: Books, ladder: number, rank: number, level: number, tally: Tally): string {
  const { levels, links } = books;
  let last = 0;
  let total = 0;
  let carry = 0;
  for (let slot = levels[level << 2]!; slot !== 0; slot = links[(slot << 1) | 1]!) {
    if (links[slot << 1] !== last) return `order in slot ${slot}: prev`;
    if (orderLadder(books, slot) !== ladder || rankOf(ladder, orderKey(books, slot)) !== rank) return `order in slot ${slot}: price`;
    if (findOrder(books, orderIdLo(books, slot), orderIdHi(books, slot)) !== slot) return `order in slot ${slot}: id index`;
    const remaining = orderRemaining(books, slot);
    if (!(remaining > 0)) return `order in slot ${slot}: size ${remaining}`;
    total += remaining;
    if (total >= CARRY) {
      total -= CARRY;
      carry++;
    }
    if (++tally.orders > books.counters[2]!) return `level ${level} is a cycle`;
    last = slot;
  }
  if (levels[(level << 2) | 1] !== last) return `level ${level}: tail`;
  return books.totals[(level << 1) | 1] === total && books.carries[level] === carry ? '' : `level ${level}: total`;
}
