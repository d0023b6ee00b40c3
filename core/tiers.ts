// Wallet tiers (decision 5.1). New wallets are `default`; only `tier1` is long-only. Admission may be given other rows than DEFAULT_LIMITS.

export const DEFAULT_TIER = 0;
export const TIER1 = 1;
// for tests: the table has the row, and tests name it
export const TIER2 = 2;
export const MARKET_MAKER = 3;
export const TIER_COUNT = 4;

/** Small tiers share a bounded part of the order pool (decision 5.4). */
export function isSmallTier(tier: number): boolean {
  return tier === DEFAULT_TIER || tier === TIER1;
}

export const UNLIMITED = -1;

export type TierLimits = {
  readonly orders: number;
  readonly cancels: number;
  readonly requests: number;
  /** Sides of mass quotes. */
  readonly quotes: number;
  readonly openOrders: number;
  readonly positions: number;
};

export const DEFAULT_LIMITS: readonly TierLimits[] = [
  { orders: 60, cancels: 120, requests: 600, quotes: 1_200, openOrders: 100, positions: 50 },
  { orders: 30, cancels: 60, requests: 300, quotes: 600, openOrders: 50, positions: 20 },
  { orders: 120, cancels: 300, requests: 1_200, quotes: 24_000, openOrders: 500, positions: 200 },
  { orders: 600, cancels: 1_200, requests: 6_000, quotes: 240_000, openOrders: 2_000, positions: UNLIMITED },
];
