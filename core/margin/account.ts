// The margin of an account as running sums, good for one vintage of marks: a check of a new order costs the same
// whatever the account holds. The sums are an index: not saved, refilled from the holdings at the first touch after a
// mark tick, and exact integers, so an account summed step by step has the same numbers as one summed afresh.
// Money micros, sizes 1e-6 contracts. Source: margin.md, "One account view for both modes".

import { BUY } from '../units.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { vintageOf } from '../valuation/valuation.ts';
import { holdingReserve, initialMargin, orderReserve, positionValue, type MarginInputs } from './standard.ts';

/** Row of `sums`: value of longs, value of shorts (<= 0), initial margin, reserves. */
const LONG_VALUE = 0;
const SHORT_VALUE = 1;
export const INITIAL = 2;
export const RESERVED = 3;
const SUMS = 4;

type MarginCache = {
  /** Per account: vintage of its sums plus one; 0: none. */
  readonly filledAt: Float64Array;
  readonly sums: Float64Array;
  /** Per holding: what it adds to its account's sums. */
  readonly parts: Float64Array;
  /** Per holding: the position those parts were made with. */
  readonly position: Float64Array;
  /** Per account and underlying: sum over instruments of the largest position its open orders can lead to, in size. */
  readonly exposure: Float64Array;
  readonly holdingExposure: Float64Array;
  readonly underlyings: number;
};

export type Margin = MarginInputs & { readonly accounts: Accounts; readonly cache: MarginCache };

export function createMarginCache(accounts: number, holdings: number, underlyings: number): MarginCache {
  return {
    filledAt: new Float64Array(accounts), sums: new Float64Array(accounts * SUMS), parts: new Float64Array(holdings * SUMS),
    position: new Float64Array(holdings), exposure: new Float64Array(accounts * underlyings),
    holdingExposure: new Float64Array(holdings), underlyings,
  };
}

/** Fills the account's sums for the current vintage if they are not. */
export function freshen(margin: Margin, account: number): void {
  const { cache, holdings } = margin;
  const vintage = vintageOf(margin.valuation) + 1;
  if (cache.filledAt[account] === vintage) return;
  cache.filledAt[account] = vintage;
  cache.sums.fill(0, account * SUMS, account * SUMS + SUMS);
  cache.exposure.fill(0, account * cache.underlyings, (account + 1) * cache.underlyings);
  for (let link = margin.accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    cache.parts[(link - 1) * SUMS + RESERVED] = holdingReserve(margin, link - 1, holdings.position[link - 1]);
    enterHolding(margin, account, link - 1);
  }
}

/**
 * To be called before a holding or its orders change, `moveReserve` at each change of an open size, `addHolding` after;
 * nothing to do while the sums are stale.
 */
export function removeHolding(margin: Margin, account: number, holding: number): void {
  const { cache } = margin;
  if (cache.filledAt[account] !== vintageOf(margin.valuation) + 1) return;
  forgetInexact(cache, account);
  const to = account * SUMS;
  const from = holding * SUMS;
  for (let i = 0; i < SUMS; i++) cache.sums[to + i] -= cache.parts[from + i];
  cache.exposure[account * cache.underlyings + margin.instruments.underlying[margin.holdings.instrument[holding]]]
    -= cache.holdingExposure[holding];
}

/** A new row of the account, without position and orders. */
export function enterEmptyHolding(margin: Margin, holding: number): void {
  margin.cache.parts.fill(0, holding * SUMS, holding * SUMS + SUMS);
  margin.cache.position[holding] = 0;
  margin.cache.holdingExposure[holding] = 0;
}

/** An open order of the holding goes from `before` to `after` remaining; 0: it is not open. */
export function moveReserve(margin: Margin, holding: number, side: number, price: number, before: number, after: number): void {
  const mark = margin.valuation.mark[margin.holdings.instrument[holding]];
  if (side === BUY || price < mark) {
    margin.cache.parts[holding * SUMS + RESERVED] += orderReserve(mark, side, price, after, 0) - orderReserve(mark, side, price, before, 0);
  }
}

export function addHolding(margin: Margin, account: number, holding: number): void {
  const { cache } = margin;
  if (cache.filledAt[account] !== vintageOf(margin.valuation) + 1) return;
  // Reserves are a sum over orders, moved with each of them, unless bids close a short: then who closes decides.
  const position = margin.holdings.position[holding];
  if (position < 0 || cache.position[holding] < 0) {
    cache.parts[holding * SUMS + RESERVED] = margin.holdings.orderHead[holding] === 0 ? 0 : holdingReserve(margin, holding, position);
  }
  enterHolding(margin, account, holding);
  forgetInexact(cache, account);
}

/**
 * Sums beyond 2^53 (an index that rose a hundredfold over the largest positions) depend on the order of adding. Such an
 * account is summed afresh at every touch, in the order of its holdings: whether an index was filled changes no answer.
 */
function forgetInexact(cache: MarginCache, account: number): void {
  const { sums } = cache;
  const at = account * SUMS;
  const exact = sums[at + LONG_VALUE] <= Number.MAX_SAFE_INTEGER && sums[at + SHORT_VALUE] >= -Number.MAX_SAFE_INTEGER
    && sums[at + INITIAL] <= Number.MAX_SAFE_INTEGER && sums[at + RESERVED] <= Number.MAX_SAFE_INTEGER;
  if (!exact) cache.filledAt[account] = 0;
}

/** Adds the holding to the sums; its reserves stand in its part already. */
function enterHolding(margin: Margin, account: number, holding: number): void {
  const { cache, holdings } = margin;
  const instrument = holdings.instrument[holding];
  const position = holdings.position[holding];
  const value = positionValue(margin, instrument, position);
  const from = holding * SUMS;
  const to = account * SUMS;
  const { parts, sums } = cache;
  parts[from + LONG_VALUE] = value > 0 ? value : 0;
  parts[from + SHORT_VALUE] = value < 0 ? value : 0;
  parts[from + INITIAL] = initialMargin(margin, instrument, position, holdings.askSize[holding]);
  cache.position[holding] = position;
  for (let i = 0; i < SUMS; i++) sums[to + i] += parts[from + i];
  const exposure = largestPosition(position, holdings.bidSize[holding], holdings.askSize[holding]);
  cache.holdingExposure[holding] = exposure;
  cache.exposure[account * cache.underlyings + margin.instruments.underlying[instrument]] += exposure;
}

/** The largest position, either way, that a position and its open orders can come to. */
export function largestPosition(position: number, bidSize: number, askSize: number): number {
  return Math.max(Math.abs(position), Math.abs(position + bidSize), Math.abs(position - askSize));
}

export function sumOf(margin: Margin, account: number, which: number): number {
  return margin.cache.sums[account * SUMS + which];
}

/** cash + value of all positions at mark. */
export function equity(margin: Margin, account: number): number {
  return margin.accounts.cash[account] + sumOf(margin, account, LONG_VALUE) + sumOf(margin, account, SHORT_VALUE);
}

/** Equity less the value of long options. */
export function collateral(margin: Margin, account: number): number {
  return margin.accounts.cash[account] + sumOf(margin, account, SHORT_VALUE);
}

export function partOf(margin: Margin, holding: number, which: number): number {
  return margin.cache.parts[holding * SUMS + which];
}
