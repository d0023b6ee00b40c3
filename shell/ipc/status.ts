// The health status that the reader, main and the feed publish in shared memory (shared-value.ts). Times in ms.

export type MarketStatus = {
  readonly hasIndexPrice: boolean;
  readonly underlyings: readonly UnderlyingStatus[];
  readonly waiting: readonly WaitingExpiry[];
  /** USDC. */
  readonly fund: string;
};

export type UnderlyingStatus = {
  readonly name: string;
  /** USDC. */
  readonly index: string | null;
  readonly ageMs: number | null;
  readonly isStale: boolean;
  readonly contracts: number;
  readonly staleSurfaces: number;
  readonly waiting: number;
};

export type WaitingExpiry = { readonly underlying: string; readonly expiry: number; readonly contracts: number };
export const MAX_WAITING_EXPIRIES = 64;

/** `last`: the venue's time; `wall`: the clock it follows. */
export type ClockStatus = { readonly state: 'running' | 'held' | 'still'; readonly last: number; readonly wall: number };

export type IndexSource = 'mid' | 'bounded' | 'mid_alone' | 'oracle_alone' | 'none';
export type FeedStatus = { readonly [underlying: string]: IndexSource };
