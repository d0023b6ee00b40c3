// The record of all order books: what its arrays hold and how a row of each is laid out.
// State (hashed, saved): the order pool and its counters; `prev` and `next` of an order are its time priority.
// Indexes (rebuilt after a load): everything else. Zero means none in every array, so that a fresh array is an
// empty book and memory that no order ever touched costs nothing; slot, page and block 0 are never used.
//
// A book has two ladders, one a side: ladder = 2 * instrument + side. In a ladder a level stands at its rank,
// which grows towards the better price: rank = key for bids, TOP - key for asks. So both sides share one code,
// best is the greatest rank and outwards is always downwards. A ladder is a tree with 256 * 64 * 64 places:
// root (256 blocks) -> block (64 pages) -> page (64 levels), with a bitmap of what is occupied at each node.
// Units: sizes are integer 1e-6 contracts. Knows order, account, price and size; never money, never events.

import type { Store } from '../store.ts';

/** Greater than every key, so that ranks of both sides are 1 .. TOP - 1. */
export const TOP = 1 << 20;

// Row of `orders`, 8 words a slot. A free slot has FREE in PREV and the next free slot in NEXT.
export const ID_LO = 0;
export const ID_HI = 1;
export const ACCOUNT = 2;
export const LADDER = 3;
export const KEY = 4;
export const PREV = 5;
export const NEXT = 6;
/** What PREV of a free slot holds. */
export const FREE = -1;

// `counters`
export const FREE_HEAD = 0;
export const HIGH_WATER = 1;
export const LIVE = 2;

// Row of `ladders`, 16 words: the best level twice, then 8 words of occupied blocks.
export const BEST_RANK = 0;
export const BEST_LEVEL = 1;
export const ROOT_BITS = 4;

// Row of `pages`, 4 words: 2 words of occupied levels, then who the page belongs to. A free page holds the next free one.
export const PAGE_NUMBER = 2;
export const PAGE_LADDER = 3;
export const PAGE_FREE = 2;

/** Level totals are held in two limbs, low one below this, so they stay exact whatever rests there. */
export const TOTAL_LIMB = 4_503_599_627_370_496;

export type Books = Store & {
  /** Rows of the order pool: slots are 1 .. capacity - 1 (side tables of other stores have this length). */
  readonly capacity: number;
  readonly pageCapacity: number;
  readonly instruments: number;

  readonly counters: Int32Array;
  readonly orders: Int32Array;
  /** Remaining and original size, 2 a slot. */
  readonly sizes: Float64Array;

  /** Level of the order and next slot in its chain of the id index, 2 a slot. */
  readonly places: Int32Array;
  /** First slot of each chain of the id index, by the low bits of the id. */
  readonly chains: Int32Array;
  readonly ladders: Int32Array;
  /** Block by ladder and rank >> 12. */
  readonly roots: Int32Array;
  /** Page by block and the 6 bits of the rank below; and the occupancy of each block, 2 words. */
  readonly blocks: Int32Array;
  readonly blockBits: Int32Array;
  readonly pages: Int32Array;
  /** Head and tail of each level, 2 words; level = page * 64 + the lowest 6 bits of the rank. */
  readonly ends: Int32Array;
  /** Resting size of each level: low limb, and multiples of TOTAL_LIMB. */
  readonly totals: Float64Array;
  readonly carries: Int32Array;

  freePage: number;
  pagesMade: number;
  pagesUsed: number;
  freeBlock: number;
  blocksMade: number;

  // The taker that is being matched, and its last step (core/book/matching).
  takerLadder: number;
  takerRank: number;
  takerAccount: number;
  /** Slot of the maker of the last step. */
  maker: number;
  /** Taker's remaining size, size of the last fill. */
  readonly taking: Float64Array;
};
