// Running sums of each account's margin for one vintage, so that checking an order costs the same however much the account holds. A cache
// of exact integers: updating equals summing afresh. Call `freshen` before reading. Source: MARGIN.md, "One view of an account".

import { assert } from '../assert.ts';
import { float64 } from '../columns.ts';
import { BUY, CONTRACT } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import type { Limits } from '../limits.ts';
import { MAINTENANCE_PART, PPM } from '../settings.ts';
import { isSafe, mulDivFloor, mulDivCeilWide } from '../math/exact.ts';
import { PORTFOLIO, type Accounts } from '../accounts/accounts.ts';
import { vintageOf } from '../valuation/valuation.ts';
import { AT_MARK, AT_THEO, COUNTED, exactAccountValue } from './exact-value.ts';
import { closingRelief, contractInitial, equityValue, holdingLoss, holdingReserve, largestPosition, marginAt,
  marginedSize, orderLoss, orderReserve, quotedValue, standardMaintenance, uncountedValue, type MarginInputs } from './standard.ts';
import { createRiskSums, requirementOf, sumRisk } from './portfolio-requirement.ts';
import { ALL, clearEntered, createPortfolios, fillPortfolio, finishPortfolios, forgetPortfolios, isFilled, markPortfoliosStale,
  portfolioOf, POSITIONS, startPortfolios, updatePortfolio, type Portfolios } from './portfolio-sums.ts';
import { forgetRows, forgetScenarios, prepareScenarios } from './scenarios.ts';

/**
 * GAIN, LOSS: equity of holdings. UNCOUNTED: equity that is not collateral. QUOTED: value at mark minus value at theo. ALL_QUOTED, in
 * `sums` only: its absolute values added up.
 */
const INITIAL = 2;
const RESERVED = 3;
const GAIN = 4;
const LOSS = 5;
const UNCOUNTED = 6;
const QUOTED = 7;
const ALL_QUOTED = 0;
const SUMS = 8;
// In `parts` only, first so that an order touches one cache line. GROSS_RESERVED: reserves as if no bid closed a short. EXPOSURE: the
// largest position the open orders can lead to.
const GROSS_RESERVED = 0;
const EXPOSURE = 1;
const PARTS = 8;

type MarginCache = {
  /** Per account: vintage plus one; 0: not filled. */
  readonly filledAt: Float64Array;
  readonly sums: Float64Array;
  readonly parts: Float64Array;
  /** Per account and underlying: the sum of EXPOSURE, in size. */
  readonly exposure: Float64Array;
  readonly underlyings: number;
  /** Per instrument: standard initial margin of one contract, and its vintage plus one (0: none). */
  readonly ratedAt: Float64Array;
  readonly rate: Float64Array;
  readonly portfolios: Portfolios;
};

export type Margin = MarginInputs & { readonly accounts: Accounts; readonly cache: MarginCache };

export function createMarginCache(limits: Limits): MarginCache {
  const { accounts, holdings, instruments, underlyings } = limits;
  return {
    filledAt: float64(accounts), sums: float64(accounts * SUMS), parts: float64(holdings * PARTS),
    exposure: float64(accounts * underlyings), underlyings, ratedAt: float64(instruments),
    rate: float64(instruments), portfolios: createPortfolios(limits),
  };
}

export function forgetMargin(cache: MarginCache, accounts: number): void {
  cache.filledAt.fill(0, 0, accounts);
  cache.ratedAt.fill(0);
  forgetPortfolios(cache.portfolios, cache.filledAt);
  forgetScenarios(cache.portfolios.scenarios);
}

export function forgetInstrument({ cache }: Margin, slot: number): void {
  cache.ratedAt[slot] = 0;
  forgetRows(cache.portfolios.scenarios, slot);
}

export function prepareRows(margin: Margin, slot: number): void {
  prepareScenarios(margin, margin.cache.portfolios.scenarios, slot);
}

function rateOf(margin: Margin, instrument: number): number {
  const { cache } = margin;
  const vintage = vintageOf(margin.valuation) + 1;
  if (cache.ratedAt[instrument] !== vintage) {
    cache.ratedAt[instrument] = vintage;
    cache.rate[instrument] = contractInitial(margin, instrument);
  }
  return cache.rate[instrument];
}

export function standardInitial(margin: Margin, instrument: number, position: number, bidSize: number, askSize: number): number {
  const size = marginedSize(margin.instruments.kind[instrument], position, bidSize, askSize);
  return size === 0 ? 0 : marginAt(rateOf(margin, instrument), size);
}

export function freshen(margin: Margin, account: number): void {
  if (!isSummed(margin, account)) fill(margin, account, margin.accounts.mode[account]);
}

/** True if the sums are those of the present vintage. Right after `freshen`, false means that they exceed the exact range. */
export function isSummed(margin: Margin, account: number): boolean {
  return margin.cache.filledAt[account] === vintageOf(margin.valuation) + 1;
}

export function fill(margin: Margin, account: number, mode: number): void {
  const { cache } = margin;
  cache.filledAt[account] = vintageOf(margin.valuation) + 1;
  if (!fillSums(margin, account, mode)) {
    // The pool was full. The other accounts are refilled at their next use.
    forgetPortfolios(cache.portfolios, cache.filledAt);
    cache.filledAt[account] = vintageOf(margin.valuation) + 1;
    if (!fillSums(margin, account, mode)) throw new RangeError('margin: the portfolio pool has no room for one account');
  }
  if (mode === PORTFOLIO && !finishPortfolios(margin, cache.portfolios, account)) cache.filledAt[account] = 0;
  forgetInexact(cache, account);
}

function fillSums(margin: Margin, account: number, mode: number): boolean {
  const { cache, holdings } = margin;
  const { parts, portfolios } = cache;
  cache.sums.fill(0, account * SUMS, account * SUMS + SUMS);
  cache.exposure.fill(0, account * cache.underlyings, (account + 1) * cache.underlyings);
  if (mode === PORTFOLIO) startPortfolios(margin, portfolios, account);
  for (let link = margin.accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const row = (link - 1) * PARTS;
    const gross = mode === PORTFOLIO ? holdingLoss(margin, link - 1) : holdingReserve(margin, link - 1, 0);
    for (let i = row; i < row + PARTS; i++) parts[i] = 0;
    parts[row + GROSS_RESERVED] = gross;
    enter(margin, account, link - 1, mode);
    if (!(gross <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;
    if (mode === PORTFOLIO && !fillPortfolio(margin, portfolios, account, link - 1)) return false;
  }
  return true;
}

export function enterEmptyHolding(margin: Margin, holding: number): void {
  margin.cache.parts.fill(0, holding * PARTS, holding * PARTS + PARTS);
  clearEntered(margin.cache.portfolios, holding);
}

/**
 * `before` and `after` are the order's remaining sizes (0: not open). Call `updateHolding` before the sums are used. Beyond exact sums the
 * account is added afresh at its next use.
 */
export function moveReserve(margin: Margin, holding: number, side: number, price: number, before: number, after: number): void {
  const { cache, holdings } = margin;
  const account = holdings.account[holding];
  const mode = margin.accounts.mode[account];
  const instrument = holdings.instrument[holding];
  const row = holding * PARTS + GROSS_RESERVED;
  cache.parts[row] += reserveOf(margin, mode, instrument, side, price, after) - reserveOf(margin, mode, instrument, side, price, before);
  if (!(cache.parts[row] <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;
}

/** As if the order closed nothing. */
function reserveOf(margin: Margin, mode: number, instrument: number, side: number, price: number, size: number): number {
  if (size === 0) return 0;
  return mode === PORTFOLIO ? orderLoss(margin, instrument, side, price, size) : orderReserve(margin, instrument, side, price, size, 0);
}

export function updateHolding(margin: Margin, account: number, holding: number): void {
  const { cache } = margin;
  const mode = margin.accounts.mode[account];
  if (mode === PORTFOLIO && !updatePortfolioOf(margin, account, holding)) cache.filledAt[account] = 0;
  if (cache.filledAt[account] !== vintageOf(margin.valuation) + 1) return;
  enter(margin, account, holding, mode);
  if (!(cache.parts[holding * PARTS + GROSS_RESERVED] <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;
  forgetInexact(cache, account);
}

/**
 * Like `moveReserve` and `updateHolding`, without a pass over the other orders. The order must rest behind all others of its holding, of
 * which nothing else may have changed.
 */
export function addReserve(margin: Margin, account: number, holding: number, side: number, price: number, size: number): void {
  const { cache, holdings } = margin;
  const { parts } = cache;
  const mode = margin.accounts.mode[account];
  const instrument = holdings.instrument[holding];
  const row = holding * PARTS;
  const whole = reserveOf(margin, mode, instrument, side, price, size);
  parts[row + GROSS_RESERVED] += whole;
  if (mode === PORTFOLIO && !updatePortfolioOf(margin, account, holding)) cache.filledAt[account] = 0;
  if (cache.filledAt[account] !== vintageOf(margin.valuation) + 1) return;
  const closes = mode !== PORTFOLIO && side === BUY && margin.instruments.kind[instrument] !== PERP;
  const closing = closes ? Math.min(size, Math.max(0, size - holdings.position[holding] - holdings.bidSize[holding])) : 0;
  const relief = closing === 0 ? 0 : Math.min(whole, mulDivFloor(margin.valuation.mark[instrument], closing, CONTRACT));
  enterOrders(margin, account, holding, mode, parts[row + RESERVED] + whole - relief);
  if (!(parts[row + GROSS_RESERVED] <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;
  forgetInexact(cache, account);
}

function updatePortfolioOf(margin: Margin, account: number, holding: number): boolean {
  const { portfolios } = margin.cache;
  const underlying = margin.instruments.underlying[margin.holdings.instrument[holding]];
  const portfolio = portfolioOf(portfolios, account, underlying);
  return portfolio >= 0 && isFilled(margin, portfolios, portfolio, underlying) && updatePortfolio(margin, portfolios, portfolio, holding);
}

/** Sums beyond 2^53 depend on the order of adding, so they are added afresh at every use. */
function forgetInexact(cache: MarginCache, account: number): void {
  const { sums } = cache;
  const at = account * SUMS;
  const net = sums[at + GAIN] + sums[at + LOSS];
  const exact = sums[at + GAIN] <= Number.MAX_SAFE_INTEGER && sums[at + LOSS] >= -Number.MAX_SAFE_INTEGER
    && sums[at + UNCOUNTED] <= Number.MAX_SAFE_INTEGER && sums[at + INITIAL] <= Number.MAX_SAFE_INTEGER
    && sums[at + RESERVED] <= Number.MAX_SAFE_INTEGER && sums[at + ALL_QUOTED] <= Number.MAX_SAFE_INTEGER
    && isSafe(net - sums[at + UNCOUNTED]) && isSafe(net - sums[at + QUOTED]);
  if (!exact) cache.filledAt[account] = 0;
  else {
    assert(sums[at + GAIN] >= 0 && sums[at + LOSS] <= 0, 'margin: gains are not negative, losses not positive');
    assert(sums[at + INITIAL] >= 0 && sums[at + RESERVED] >= 0, 'margin: requirements and reserves are not negative');
    assert(sums[at + UNCOUNTED] >= 0 && sums[at + ALL_QUOTED] >= 0, 'margin: uncounted equity is not negative');
  }
}

function enter(margin: Margin, account: number, holding: number, mode: number): void {
  const { cache, holdings } = margin;
  const { parts, sums } = cache;
  const position = holdings.position[holding];
  const row = holding * PARTS;
  const to = account * SUMS;
  assert(holdings.account[holding] === account, 'margin: a holding is summed for its own account');
  assert(holdings.orderHead[holding] !== 0 || parts[row + GROSS_RESERVED] === 0, 'margin: a holding without orders has no reserve');
  const value = equityValue(margin, holding);
  const gain = value > 0 ? value : 0;
  // NaN (an infinite value minus an infinite debt) goes into LOSS, so that the sums do not pass for exact.
  const loss = value > 0 ? 0 : value;
  const uncounted = uncountedValue(margin, mode, holdings.instrument[holding], position, value);
  sums[to + GAIN] += gain - parts[row + GAIN];
  sums[to + LOSS] += loss - parts[row + LOSS];
  sums[to + UNCOUNTED] += uncounted - parts[row + UNCOUNTED];
  parts[row + GAIN] = gain;
  parts[row + LOSS] = loss;
  parts[row + UNCOUNTED] = uncounted;
  const quoted = quotedValue(margin, holdings.instrument[holding], position);
  sums[to + QUOTED] += quoted - parts[row + QUOTED];
  sums[to + ALL_QUOTED] += Math.abs(quoted) - Math.abs(parts[row + QUOTED]);
  parts[row + QUOTED] = quoted;
  const relief = mode === PORTFOLIO || position >= 0 ? 0 : closingRelief(margin, holding, position);
  enterOrders(margin, account, holding, mode, parts[row + GROSS_RESERVED] - relief);
}

function enterOrders(margin: Margin, account: number, holding: number, mode: number, reserved: number): void {
  const { cache, holdings } = margin;
  const { exposure, parts, sums } = cache;
  const instrument = holdings.instrument[holding];
  const position = holdings.position[holding];
  const bidSize = holdings.bidSize[holding];
  const askSize = holdings.askSize[holding];
  const row = holding * PARTS;
  const to = account * SUMS;
  const initial = mode === PORTFOLIO ? 0 : standardInitial(margin, instrument, position, bidSize, askSize);
  sums[to + INITIAL] += initial - parts[row + INITIAL];
  sums[to + RESERVED] += reserved - parts[row + RESERVED];
  parts[row + INITIAL] = initial;
  parts[row + RESERVED] = reserved;
  const largest = largestPosition(position, bidSize, askSize);
  exposure[account * cache.underlyings + margin.instruments.underlying[instrument]] += largest - parts[row + EXPOSURE];
  parts[row + EXPOSURE] = largest;
}

/** Equity at mark. Beyond the exact range, the nearest double, as in the next two functions. */
export function equityOf(margin: Margin, account: number): number {
  return valueLess(margin, account, AT_MARK, margin.accounts.mode[account], 0);
}

/** Liquidation uses theo because anybody's quotes can move a mark (docs/decisions/attacks.md). */
export function equityAtTheo(margin: Margin, account: number): number {
  return valueLess(margin, account, AT_THEO, margin.accounts.mode[account], margin.cache.sums[account * SUMS + QUOTED]);
}

/** The sums must be those of `mode`. */
export function collateralIn(margin: Margin, account: number, mode: number): number {
  return valueLess(margin, account, COUNTED, mode, margin.cache.sums[account * SUMS + UNCOUNTED]);
}

export function collateralOf(margin: Margin, account: number): number {
  return collateralIn(margin, account, margin.accounts.mode[account]);
}

function valueLess(margin: Margin, account: number, what: number, mode: number, less: number): number {
  const { accounts, cache } = margin;
  if (!isSummed(margin, account)) return exactAccountValue(margin, accounts.cash[account], accounts.holdingHead[account], what, mode);
  return accounts.cash[account] + (cache.sums[account * SUMS + GAIN] + cache.sums[account * SUMS + LOSS] - less);
}

const scratch = { risk: createRiskSums() };

/** Initial margin of positions and open orders. */
export function initialIn(margin: Margin, account: number, mode: number): number {
  if (mode !== PORTFOLIO) return margin.cache.sums[account * SUMS + INITIAL];
  sumRisk(margin, margin.cache.portfolios, account, ALL, -1, scratch.risk);
  return requirementOf(scratch.risk);
}

export function initialOf(margin: Margin, account: number): number {
  return initialIn(margin, account, margin.accounts.mode[account]);
}

export function positionInitialOf(margin: Margin, account: number): number {
  const { accounts, holdings } = margin;
  if (accounts.mode[account] === PORTFOLIO) {
    sumRisk(margin, margin.cache.portfolios, account, POSITIONS, -1, scratch.risk);
    return requirementOf(scratch.risk);
  }
  let total = 0;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    total += standardInitial(margin, holdings.instrument[link - 1], holdings.position[link - 1], 0, 0);
  }
  return total;
}

export function orderInitialOf(margin: Margin, account: number): number {
  return initialOf(margin, account) - positionInitialOf(margin, account);
}

/** What open orders take: reserves in standard mode, losses in portfolio mode. */
export function reservedOf(margin: Margin, account: number): number {
  return margin.cache.sums[account * SUMS + RESERVED];
}

export function isCovered(margin: Margin, account: number, spare: number): boolean {
  freshen(margin, account);
  return collateralOf(margin, account) - initialOf(margin, account) - reservedOf(margin, account) >= spare;
}

export function maintenanceOf(margin: Margin, account: number): number {
  const { accounts, holdings } = margin;
  if (accounts.mode[account] === PORTFOLIO) return maintenancePart(margin, positionInitialOf(margin, account));
  let total = 0;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    total += standardMaintenance(margin, holdings.instrument[link - 1], holdings.position[link - 1]);
  }
  return total;
}

export function maintenancePart(margin: Margin, initial: number): number {
  return mulDivCeilWide(initial, margin.settings.values[MAINTENANCE_PART], PPM);
}

export function forgetAccount(margin: Margin, account: number): void {
  margin.cache.filledAt[account] = 0;
  markPortfoliosStale(margin.cache.portfolios, account);
}

export function initialPart(margin: Margin, holding: number): number {
  return margin.cache.parts[holding * PARTS + INITIAL];
}

export function reservedPart(margin: Margin, holding: number): number {
  return margin.cache.parts[holding * PARTS + RESERVED];
}

export function exposureOf(margin: Margin, holding: number): number {
  return margin.cache.parts[holding * PARTS + EXPOSURE];
}
