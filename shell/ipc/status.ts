// The health status that the reader, main and the feed publish in shared memory (shared-value.ts). Times in ms.

export type MarketStatus = {
  /** True once a price has come since the start. */
  readonly hasIndexPrice: boolean;
  readonly underlyings: readonly UnderlyingStatus[];
  /** The oldest MAX_WAITING_EXPIRIES. */
  readonly waiting: readonly WaitingExpiry[];
  /** USDC. */
  readonly fund: string;
};

export type UnderlyingStatus = {
  readonly name: string;
  /** USDC; null if there was never one. */
  readonly index: string | null;
  readonly ageMs: number | null;
  readonly isStale: boolean;
  readonly contracts: number;
  readonly staleSurfaces: number;
  readonly waiting: number;
};

/** Too few samples: the contracts wait for the operator's settlement price. */
export type WaitingExpiry = { readonly underlying: string; readonly expiry: number; readonly contracts: number };
export const MAX_WAITING_EXPIRIES = 64;

/** `last`: the venue's time; `wall`: the clock it follows. */
export type ClockStatus = { readonly state: 'running' | 'held' | 'still'; readonly last: number; readonly wall: number };

/** `mid`: within 0.5 % of the oracle price. `bounded`: limited to that. `mid_alone`, `oracle_alone`: the other is missing. */
export type IndexSource = 'mid' | 'bounded' | 'mid_alone' | 'oracle_alone' | 'none';
export type FeedStatus = { readonly [underlying: string]: IndexSource };
