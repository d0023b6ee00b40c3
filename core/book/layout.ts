// The arrays of all order books. The order pool and its counters are state, as are the links (time priority); all else is rebuilt after a
// load. Slot, page and block 0 mean none, so a fresh array is an empty book. A book has two ladders: 2 * instrument + side. A level's rank
// grows towards the better price: the key for bids, 2^20 - 1 - key for asks. A ladder is a tree with bitmaps: root (256 blocks) -> block
// (64 pages) -> page (64 levels). A level is page * 64 + the low 6 bits of its rank. Row constants are not exported: V8 folds only those (7
// % of the matching benchmark).

export type Books = {
  /** Slots are 1 .. capacity - 1, also in other stores' columns per slot. */
  readonly capacity: number;
  readonly pageCapacity: number;

  /** First free slot, highest slot ever used, slots in use. */
  readonly counters: Int32Array;
  /**
   * 8 words per slot, so two orders share a cache line: low word of the id; next in the id chain; account; ladder, above it the id's top 9
   * bits; price key, above it the next 12; a word of core/orders; remaining size (a double).
   */
  readonly orders: Int32Array;
  /** The memory of `orders`: a slot's remaining size is at 4 * slot + 3. */
  readonly sizes: Float64Array;
  /**
   * 2 words per slot: prev and next in line, 0 at the ends. A free slot has prev -1 and the next free slot in next; an order in no book has
   * prev -2. Apart from `orders`, because a removal touches neighbours.
   */
  readonly links: Int32Array;

  /** First slot of each id chain, by the low bits of the id. */
  readonly chains: Int32Array;
  /** 16 words per ladder: rank and level of the best price, 2 unused, 8 of occupied blocks. */
  readonly ladders: Int32Array;
  readonly roots: Int32Array;
  /** Page by block (64 each) and the next 6 bits of the rank. Word 0 of a free block is the next free block. */
  readonly blocks: Int32Array;
  readonly blockBits: Int32Array;
  /** 4 words per page: 2 of occupied levels; rank >> 6, or the next free page; one unused. */
  readonly pages: Int32Array;
  /** 4 words per level: first and last in line, the resting size as a double. */
  readonly levels: Int32Array;
  /** The memory of `levels`: a level's size modulo 2^52 is at 2 * level + 1. */
  readonly totals: Float64Array;
  /** Multiples of 2^52 in a level's size, so totals are exact. */
  readonly carries: Int32Array;

  readonly newestId: Float64Array;

  freePage: number;
  pagesMade: number;
  pagesUsed: number;
  freeBlock: number;
  blocksMade: number;

  // For core/book/matching: the ladder that the taker takes from, the worst rank it accepts, its remaining size.
  takerLadder: number;
  takerRank: number;
  readonly taking: Float64Array;
};
