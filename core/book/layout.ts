// The record of all order books: what its arrays hold and how a row of each is laid out.
// State (hashed, saved): the order pool and its counters; `prev` and `next` of an order are its time priority. The link of the
// id index is in the order's row, and is no history: a chain is in the order of ids, the youngest first.
// Indexes (rebuilt after a load): everything else. Zero means none in every array, so that a fresh array is an
// empty book and memory that no order ever touched costs nothing; slot, page and block 0 are never used.
//
// A book has two ladders, one a side: ladder = 2 * instrument + side. In a ladder a level stands at its rank,
// which grows towards the better price: rank = key for bids, 2^20 - 1 - key for asks. So both sides share one code,
// best is the greatest rank and outwards is always downwards. A ladder is a tree with 256 * 64 * 64 places:
// root (256 blocks) -> block (64 pages) -> page (64 levels), with a bitmap of what is occupied at each node.
// A level is page * 64 + the lowest 6 bits of its rank; the levels of page 0 stand for "no such page" and stay zero.
// Units: sizes are integer 1e-6 contracts. Knows order, account, price and size; never money, never events.
//
// The words of a row have names in the files that use them, and no exported ones: V8 folds the constants of a module
// only where they are not exported (7 % of the matching benchmark).

export type Books = {
  /** Rows of the order pool: slots are 1 .. capacity - 1, so side tables of other stores have this length. */
  readonly capacity: number;
  readonly pageCapacity: number;

  /** First free slot, highest slot ever used, slots in use. */
  readonly counters: Int32Array;
  /**
   * 8 words a slot, so that two orders share a cache line: the low word of the id; next slot in its chain of the id index;
   * account; ladder, with the highest 9 bits of the id above it; price key, with the 12 below those above it; a word that is the
   * open orders' store's (core/orders), which no book looks at; remaining size as a double, which `sizes` views.
   */
  readonly orders: Int32Array;
  /** Over the buffer of `orders`: the remaining size of an order is at 4 * slot + 3. */
  readonly sizes: Float64Array;
  /**
   * 2 words a slot: prev and next in line. The first has prev 0, the last next 0; a free slot has prev -1 and the next free
   * slot in next. Not in the rows, for an order that leaves touches those of its neighbours: here they are 8 bytes a slot and
   * stay in the cache.
   */
  readonly links: Int32Array;

  /** First slot of each chain of the id index, by the low bits of the id. */
  readonly chains: Int32Array;
  /** 16 words a ladder: rank and level of the best price, 2 unused, 8 of occupied blocks. */
  readonly ladders: Int32Array;
  /** Block by ladder (256 each) and rank >> 12. */
  readonly roots: Int32Array;
  /** Page by block (64 each) and the 6 bits of the rank below; word 0 of a free block is the next free one. */
  readonly blocks: Int32Array;
  /** Occupied pages, 2 words a block. */
  readonly blockBits: Int32Array;
  /** 4 words a page: 2 of occupied levels, rank >> 6 (of a free page the next free one), one unused. */
  readonly pages: Int32Array;
  /** 4 words a level: first in line, last in line, and its resting size as a double, which `totals` views. */
  readonly levels: Int32Array;
  /** Over the buffer of `levels`: the size of a level, modulo 2^52, is at 2 * level + 1. */
  readonly totals: Float64Array;
  /** Multiples of 2^52 in the size of a level, so that totals are exact whatever rests there. */
  readonly carries: Int32Array;

  freePage: number;
  pagesMade: number;
  pagesUsed: number;
  freeBlock: number;
  blocksMade: number;

  // The taker that is being matched (core/book/matching).
  takerLadder: number;
  takerRank: number;
  /** Its remaining size. */
  readonly taking: Float64Array;
};
