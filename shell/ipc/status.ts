// What the threads tell of the venue's health, each on its own board in shared memory (transport/board.ts). Times ms.

/** Of the reader, as of the last command it applied. */
export type MarketStatus = {
  /** An index price has come since the start. */
  readonly hasIndexPrice: boolean;
  readonly underlyings: readonly UnderlyingStatus[];
  /** At most MOST_WAITING, the oldest first. */
  readonly waiting: readonly WaitingExpiry[];
  /** Cash of the insurance fund, USDC. */
  readonly fund: string;
};

export type UnderlyingStatus = {
  readonly name: string;
  /** USDC, null: it never had one. */
  readonly index: string | null;
  readonly ageMs: number | null;
  readonly isStale: boolean;
  readonly contracts: number;
  readonly staleSurfaces: number;
  readonly waiting: number;
};

/** An expiry whose window had too few samples: its contracts wait for the operator's settlement price. */
export type WaitingExpiry = { readonly underlying: string; readonly expiry: number; readonly contracts: number };
export const MOST_WAITING = 64;

/** Of main. `last`: the venue's last time; `wall`: what the clock reads that it goes by. */
export type ClockStatus = { readonly state: 'running' | 'held' | 'still'; readonly last: number; readonly wall: number };

/**
 * What an index price is made of. `mid`: a mid within 0.5 % of the oracle price; `bounded`: the oracle price and 0.5 %, beyond which the
 * mid is; `mid_alone`, `oracle_alone`: the other source is away; `none`: both are.
 */
export type IndexSource = 'mid' | 'bounded' | 'mid_alone' | 'oracle_alone' | 'none';
/** Of the thread of a feed from outside, by underlying. */
export type FeedStatus = { readonly [underlying: string]: IndexSource };
