// The margin of an account as running sums, good for one vintage of marks: a check of a new order costs the same
// whatever the account holds. The sums are an index: not saved, refilled from the holdings at the first touch after a
// mark tick, and exact integers, so an account summed step by step has the same numbers as one summed afresh.
// Money micros, sizes 1e-6 contracts. Source: margin.md, "One account view for both modes".

import { BUY } from '../units.ts';
import type { Limits } from '../limits.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { vintageOf } from '../valuation/valuation.ts';
import { closingRelief, holdingReserve, initialMargin, orderReserve, positionValue, shortInitial, type MarginInputs } from './standard.ts';

/** Row of `sums`, and of `parts`: value of longs, value of shorts (<= 0), initial margin, reserves. */
const LONG_VALUE = 0;
const SHORT_VALUE = 1;
export const INITIAL = 2;
export const RESERVED = 3;
const SUMS = 4;
/** Further in a row of `parts`: reserves as if no bid closed a short; the largest position its open orders can lead to. */
const UNCLOSED = 4;
const EXPOSURE = 5;
const PARTS = 8;

type MarginCache = {
  /** Per account: vintage of its sums plus one; 0: none. */
  readonly filledAt: Float64Array;
  readonly sums: Float64Array;
  /** Per holding: what it adds to its account's sums. */
  readonly parts: Float64Array;
  /** Per account and underlying: sum over instruments of the largest position its open orders can lead to, in size. */
  readonly exposure: Float64Array;
  readonly underlyings: number;
  /** Per instrument: vintage of its rate plus one (0: none), and the rate: initial margin of one short contract. */
  readonly ratedAt: Float64Array;
  readonly rate: Float64Array;
};

export type Margin = MarginInputs & { readonly accounts: Accounts; readonly cache: MarginCache };

export function createMarginCache(limits: Limits): MarginCache {
  const { accounts, holdings, instruments, underlyings } = limits;
  return {
    filledAt: new Float64Array(accounts), sums: new Float64Array(accounts * SUMS), parts: new Float64Array(holdings * PARTS),
    exposure: new Float64Array(accounts * underlyings), underlyings, ratedAt: new Float64Array(instruments),
    rate: new Float64Array(instruments),
  };
}

/** Forgets everything: the settings changed. */
export function forgetMargin(cache: MarginCache): void {
  cache.filledAt.fill(0);
  cache.ratedAt.fill(0);
}

/** Initial margin of one short contract at the marks of this vintage. */
function rateOf(margin: Margin, instrument: number): number {
  const { cache } = margin;
  const vintage = vintageOf(margin.valuation) + 1;
  if (cache.ratedAt[instrument] !== vintage) {
    cache.ratedAt[instrument] = vintage;
    cache.rate[instrument] = shortInitial(margin, instrument);
  }
  return cache.rate[instrument];
}

export function initialOf(margin: Margin, instrument: number, position: number, askSize: number): number {
  return initialMargin(rateOf(margin, instrument), position, askSize);
}

/** Fills the account's sums for the current vintage if they are not. */
export function freshen(margin: Margin, account: number): void {
  if (margin.cache.filledAt[account] !== vintageOf(margin.valuation) + 1) fill(margin, account);
}

function fill(margin: Margin, account: number): void {
  const { cache, holdings } = margin;
  const { parts } = cache;
  cache.filledAt[account] = vintageOf(margin.valuation) + 1;
  cache.sums.fill(0, account * SUMS, account * SUMS + SUMS);
  cache.exposure.fill(0, account * cache.underlyings, (account + 1) * cache.underlyings);
  for (let link = margin.accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const row = (link - 1) * PARTS;
    const position = holdings.position[link - 1];
    const unclosed = holdingReserve(margin, link - 1, 0);
    parts.fill(0, row, row + PARTS);
    parts[row + UNCLOSED] = unclosed;
    enter(margin, account, link - 1, position < 0 ? holdingReserve(margin, link - 1, position) : unclosed);
    if (!(unclosed <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;
  }
  forgetInexact(cache, account);
}

/** A new row of the account, without position and orders. */
export function enterEmptyHolding(margin: Margin, holding: number): void {
  margin.cache.parts.fill(0, holding * PARTS, holding * PARTS + PARTS);
}

/** An open order of the holding goes from `before` to `after` remaining (0: it is not open); `updateHolding` has to follow. */
export function moveReserve(margin: Margin, holding: number, side: number, price: number, before: number, after: number): void {
  const mark = margin.valuation.mark[margin.holdings.instrument[holding]];
  if (side !== BUY && price >= mark) return;
  const change = orderReserve(mark, side, price, after, 0) - orderReserve(mark, side, price, before, 0);
  margin.cache.parts[holding * PARTS + UNCLOSED] += change;
}

/** Brings the account's sums up to a holding whose position or orders have changed; nothing to do while they are stale. */
export function updateHolding(margin: Margin, account: number, holding: number): void {
  const { cache } = margin;
  if (cache.filledAt[account] !== vintageOf(margin.valuation) + 1) return;
  const position = margin.holdings.position[holding];
  const unclosed = cache.parts[holding * PARTS + UNCLOSED];
  enter(margin, account, holding, position < 0 ? unclosed - closingRelief(margin, holding, position) : unclosed);
  if (!(unclosed <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;
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

/** Puts what the holding adds now, its reserves given, in the place of what it added to the sums before. */
function enter(margin: Margin, account: number, holding: number, reserved: number): void {
  const { cache, holdings } = margin;
  const { exposure, parts, sums } = cache;
  const instrument = holdings.instrument[holding];
  const position = holdings.position[holding];
  const askSize = holdings.askSize[holding];
  const value = positionValue(margin, instrument, position);
  const row = holding * PARTS;
  const to = account * SUMS;
  const long = value > 0 ? value : 0;
  const short = value < 0 ? value : 0;
  const initial = initialOf(margin, instrument, position, askSize);
  sums[to + LONG_VALUE] += long - parts[row + LONG_VALUE];
  sums[to + SHORT_VALUE] += short - parts[row + SHORT_VALUE];
  sums[to + INITIAL] += initial - parts[row + INITIAL];
  sums[to + RESERVED] += reserved - parts[row + RESERVED];
  parts[row + LONG_VALUE] = long;
  parts[row + SHORT_VALUE] = short;
  parts[row + INITIAL] = initial;
  parts[row + RESERVED] = reserved;
  const largest = largestPosition(position, holdings.bidSize[holding], askSize);
  exposure[account * cache.underlyings + margin.instruments.underlying[instrument]] += largest - parts[row + EXPOSURE];
  parts[row + EXPOSURE] = largest;
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
  return margin.cache.parts[holding * PARTS + which];
}

/** The largest position, either way, that the holding's open orders can lead to, as it stands in the account's exposure. */
export function exposureOf(margin: Margin, holding: number): number {
  return margin.cache.parts[holding * PARTS + EXPOSURE];
}
