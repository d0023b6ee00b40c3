// Sums of portfolio margin (MARGIN.md, "Portfolio mode", 3 to 7), per account and underlying, so that checking an order is one pass over
// the scenario rows. A bucket (expiry, call or put) holds net contracts. A cache of exact integers: when the bounded pool is full,
// everything is refilled at the next use.

import { float64, int32, uint8 } from '../columns.ts';
import { CONTRACT } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import type { Limits } from '../limits.ts';
import { mulDivCeilWide } from '../math/exact.ts';
import { GAMMA_OVERLAY, OPTION_FLOOR, OVERLAY_RAMP, OVERLAY_START, OVERLAY_STEP, PPM, VENUE17 } from '../settings.ts';
import { gridOf, MAX_ROWS, presetOf } from './presets.ts';
import { addOrders, addPosition, createScenarios, entryOf, type Scenarios } from './scenarios.ts';
import type { MarginInputs } from './standard.ts';

/** Halves of a portfolio: positions alone, and with all open orders. */
export const POSITIONS = 0;
export const ALL = 1;

/** Columns of `totals`, one per half. */
export const SCAN = 0;
export const SHORT = 2;
export const OVERLAY = 4;
/** An upper bound of every sum in the portfolio. */
const BOUND = 6;
export const TOTALS = 8;

/** Columns of `entered`. */
export const POSITION = 0;
const BID = 1;
export const ASK = 2;
export const ENTERED = 3;

const MAX_PORTFOLIOS = 65_536;
const BUCKETS_A_PORTFOLIO = 16;
/** Leaves room for rounding in BOUND itself. */
const EXACT = Number.MAX_SAFE_INTEGER / 2;

/** In `filledAt` of a portfolio that is being filled. */
const FILLING = -1;

const PORTFOLIOS = 0;
const BUCKETS = 1;

export type Portfolios = {
  readonly capacity: number;
  readonly underlyings: number;
  readonly scenarios: Scenarios;
  readonly counters: Float64Array;
  /** `of`: portfolio plus one per account and underlying, 0: none. `place`: its index in `of`. `filledAt`: vintage plus one, 0: refill. */
  readonly of: Int32Array;
  readonly place: Int32Array;
  readonly filledAt: Float64Array;
  /** Per portfolio and scenario row. `losses` is what open orders add, never above 0. */
  readonly gains: Float64Array;
  readonly losses: Float64Array;
  readonly totals: Float64Array;
  /** Buckets are a list per portfolio; links are a bucket plus one. `net` has both halves. */
  readonly bucketHead: Int32Array;
  readonly bucketNext: Int32Array;
  readonly bucketPortfolio: Int32Array;
  readonly bucketExpiry: Float64Array;
  readonly bucketKind: Uint8Array;
  readonly net: Float64Array;
  /** Scratch of what-if questions, otherwise 0. */
  readonly whatIf: Float64Array;
  /** Per holding, as counted in its portfolio. `bucketOf` is a hint that `bucketOfHolding` verifies. */
  readonly entered: Float64Array;
  readonly bucketOf: Int32Array;
};

export function createPortfolios(limits: Limits): Portfolios {
  const capacity = Math.min(MAX_PORTFOLIOS, limits.accounts * limits.underlyings);
  const buckets = Math.max(capacity * BUCKETS_A_PORTFOLIO, limits.instruments);
  return {
    capacity, underlyings: limits.underlyings, scenarios: createScenarios(limits.instruments), counters: float64(2),
    of: int32(limits.accounts * limits.underlyings), place: int32(capacity), filledAt: float64(capacity),
    gains: float64(capacity * MAX_ROWS), losses: float64(capacity * MAX_ROWS),
    totals: float64(capacity * TOTALS), bucketHead: int32(capacity), bucketNext: int32(buckets),
    bucketPortfolio: int32(buckets), bucketExpiry: float64(buckets), bucketKind: uint8(buckets),
    net: float64(buckets * 2), whatIf: float64(buckets), entered: float64(limits.holdings * ENTERED), bucketOf: int32(limits.holdings),
  };
}

export function forgetPortfolios(portfolios: Portfolios, filledAt: Float64Array): void {
  const { counters, of, place } = portfolios;
  for (let portfolio = 0; portfolio < counters[PORTFOLIOS]; portfolio++) {
    of[place[portfolio]] = 0;
    filledAt[Math.floor(place[portfolio] / portfolios.underlyings)] = 0;
  }
  counters[PORTFOLIOS] = 0;
  counters[BUCKETS] = 0;
}

/** -1 if there is none. */
export function portfolioOf(portfolios: Portfolios, account: number, underlying: number): number {
  return portfolios.of[account * portfolios.underlyings + underlying] - 1;
}

export function markPortfoliosStale(portfolios: Portfolios, account: number): void {
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const portfolio = portfolioOf(portfolios, account, underlying);
    if (portfolio >= 0) portfolios.filledAt[portfolio] = 0;
  }
}

function stampOf(inputs: MarginInputs, underlying: number): number {
  return inputs.valuation.vintage[underlying] + 1;
}

export function startPortfolios(inputs: MarginInputs, portfolios: Portfolios, account: number): void {
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const portfolio = portfolioOf(portfolios, account, underlying);
    if (portfolio >= 0 && portfolios.filledAt[portfolio] !== stampOf(inputs, underlying)) empty(portfolios, portfolio);
  }
}

function empty(portfolios: Portfolios, portfolio: number): void {
  const { net, bucketNext } = portfolios;
  portfolios.filledAt[portfolio] = FILLING;
  portfolios.gains.fill(0, portfolio * MAX_ROWS, (portfolio + 1) * MAX_ROWS);
  portfolios.losses.fill(0, portfolio * MAX_ROWS, (portfolio + 1) * MAX_ROWS);
  portfolios.totals.fill(0, portfolio * TOTALS, (portfolio + 1) * TOTALS);
  for (let bucket = portfolios.bucketHead[portfolio]; bucket !== 0; bucket = bucketNext[bucket - 1]) {
    net[(bucket - 1) * 2] = net[(bucket - 1) * 2 + 1] = 0;
  }
}

export function fillPortfolio(inputs: MarginInputs, portfolios: Portfolios, account: number, holding: number): boolean {
  const underlying = inputs.instruments.underlying[inputs.holdings.instrument[holding]];
  let portfolio = portfolioOf(portfolios, account, underlying);
  if (portfolio < 0) {
    if (portfolios.counters[PORTFOLIOS] >= portfolios.capacity) return false;
    portfolio = portfolios.counters[PORTFOLIOS]++;
    portfolios.bucketHead[portfolio] = 0;
    portfolios.place[portfolio] = account * portfolios.underlyings + underlying;
    portfolios.of[portfolios.place[portfolio]] = portfolio + 1;
    empty(portfolios, portfolio);
  }
  if (portfolios.filledAt[portfolio] !== FILLING) return true;
  clearEntered(portfolios, holding);
  return enterHolding(inputs, portfolios, portfolio, holding);
}

export function finishPortfolios(inputs: MarginInputs, portfolios: Portfolios, account: number): boolean {
  let exact = true;
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const portfolio = portfolioOf(portfolios, account, underlying);
    if (portfolio < 0 || portfolios.filledAt[portfolio] !== FILLING) continue;
    scan(inputs, portfolios, portfolio, underlying);
    sumBuckets(inputs, portfolios, portfolio, underlying);
    portfolios.filledAt[portfolio] = isExact(portfolios, portfolio) ? stampOf(inputs, underlying) : 0;
    exact = exact && isExact(portfolios, portfolio);
  }
  return exact;
}

export function isFilled(inputs: MarginInputs, portfolios: Portfolios, portfolio: number, underlying: number): boolean {
  return portfolios.filledAt[portfolio] === stampOf(inputs, underlying);
}

export function updatePortfolio(inputs: MarginInputs, portfolios: Portfolios, portfolio: number, holding: number): boolean {
  if (enterHolding(inputs, portfolios, portfolio, holding) && isExact(portfolios, portfolio)) {
    scan(inputs, portfolios, portfolio, inputs.instruments.underlying[inputs.holdings.instrument[holding]]);
    return true;
  }
  portfolios.filledAt[portfolio] = 0;
  return false;
}

export function clearEntered(portfolios: Portfolios, holding: number): void {
  const { entered } = portfolios;
  const at = holding * ENTERED;
  entered[at + POSITION] = entered[at + BID] = entered[at + ASK] = 0;
}

function isExact({ totals }: Portfolios, portfolio: number): boolean {
  const at = portfolio * TOTALS;
  return totals[at + BOUND] <= EXACT && totals[at + OVERLAY + POSITIONS] <= EXACT && totals[at + OVERLAY + ALL] <= EXACT;
}

function enterHolding(inputs: MarginInputs, portfolios: Portfolios, portfolio: number, holding: number): boolean {
  const { holdings, instruments } = inputs;
  const { entered, scenarios, totals } = portfolios;
  const slot = holdings.instrument[holding];
  const underlying = instruments.underlying[slot];
  const position = holdings.position[holding];
  const bid = holdings.bidSize[holding];
  const ask = holdings.askSize[holding];
  const at = holding * ENTERED;
  const bought = position - entered[at + POSITION];
  const offered = ask - entered[at + ASK];
  if (instruments.kind[slot] !== PERP && (bought !== 0 || offered !== 0)) {
    const expiry = instruments.expiry[slot];
    const kind = instruments.kind[slot];
    const bucket = bucketOfHolding(portfolios, portfolio, holding, expiry, kind) || takeBucket(portfolios, portfolio, expiry, kind);
    if (bucket === 0) return false;
    portfolios.bucketOf[holding] = bucket;
    if (portfolios.filledAt[portfolio] === FILLING) {
      // `sumBuckets` adds short contracts and overlay once all holdings are in.
      portfolios.net[(bucket - 1) * 2 + POSITIONS] += bought;
      portfolios.net[(bucket - 1) * 2 + ALL] += bought - offered;
    } else {
      moveBucket(inputs, portfolios, portfolio, bucket, POSITIONS, underlying, bought);
      moveBucket(inputs, portfolios, portfolio, bucket, ALL, underlying, bought - offered);
    }
  }
  const entry = entryOf(inputs, scenarios, slot);
  const count = gridOf(inputs.settings, underlying).rows;
  moveRows(portfolios, entry, count, holding, position, bid, ask, portfolios.gains, portfolios.losses, portfolio * MAX_ROWS);
  const size = Math.abs(position) + bid + ask - Math.abs(entered[at + POSITION]) - entered[at + BID] - entered[at + ASK];
  totals[portfolio * TOTALS + BOUND] += size * scenarios.largest[entry];
  entered[at + POSITION] = position;
  entered[at + BID] = bid;
  entered[at + ASK] = ask;
  return true;
}

/** Replaces what the holding (-1: none) has entered in two arrays of row sums. */
export function moveRows(
  portfolios: Portfolios, entry: number, count: number, holding: number, position: number, bid: number, ask: number,
  gains: Float64Array, losses: Float64Array, to: number,
): void {
  const { entered, scenarios } = portfolios;
  const positionWas = holding < 0 ? 0 : entered[holding * ENTERED + POSITION];
  const bidWas = holding < 0 ? 0 : entered[holding * ENTERED + BID];
  const askWas = holding < 0 ? 0 : entered[holding * ENTERED + ASK];
  if (position !== positionWas) {
    if (positionWas !== 0) addPosition(scenarios, entry, count, -positionWas, gains, to);
    if (position !== 0) addPosition(scenarios, entry, count, position, gains, to);
  }
  if (bid !== bidWas) {
    if (bidWas !== 0) addOrders(scenarios, entry, count, bidWas, -1, losses, to);
    if (bid !== 0) addOrders(scenarios, entry, count, bid, 1, losses, to);
  }
  if (ask !== askWas) {
    if (askWas !== 0) addOrders(scenarios, entry, count, -askWas, -1, losses, to);
    if (ask !== 0) addOrders(scenarios, entry, count, -ask, 1, losses, to);
  }
}

function scan(inputs: MarginInputs, portfolios: Portfolios, portfolio: number, underlying: number): void {
  const { gains, losses, totals } = portfolios;
  const from = portfolio * MAX_ROWS;
  let alone = 0;
  let all = 0;
  for (let row = from + gridOf(inputs.settings, underlying).rows - 1; row >= from; row--) {
    if (!(gains[row] >= alone)) alone = gains[row];
    if (!(gains[row] + losses[row] >= all)) all = gains[row] + losses[row];
  }
  totals[portfolio * TOTALS + SCAN + POSITIONS] = 0 - alone;
  totals[portfolio * TOTALS + SCAN + ALL] = 0 - all;
}

/** Bucket plus one, or 0. `holding` -1: not known. */
export function bucketOfHolding(portfolios: Portfolios, portfolio: number, holding: number, expiry: number, kind: number): number {
  const bucket = holding < 0 ? 0 : portfolios.bucketOf[holding];
  if (bucket !== 0 && bucket <= portfolios.counters[BUCKETS] && portfolios.bucketPortfolio[bucket - 1] === portfolio
    && portfolios.bucketExpiry[bucket - 1] === expiry && portfolios.bucketKind[bucket - 1] === kind) return bucket;
  return findBucket(portfolios, portfolio, expiry, kind);
}

function findBucket(portfolios: Portfolios, portfolio: number, expiry: number, kind: number): number {
  const { bucketExpiry, bucketHead, bucketKind, bucketNext } = portfolios;
  let bucket = bucketHead[portfolio];
  while (bucket !== 0 && (bucketExpiry[bucket - 1] !== expiry || bucketKind[bucket - 1] !== kind)) bucket = bucketNext[bucket - 1];
  return bucket;
}

function takeBucket(portfolios: Portfolios, portfolio: number, expiry: number, kind: number): number {
  if (portfolios.counters[BUCKETS] >= portfolios.bucketNext.length) return 0;
  const bucket = ++portfolios.counters[BUCKETS];
  portfolios.bucketPortfolio[bucket - 1] = portfolio;
  portfolios.bucketExpiry[bucket - 1] = expiry;
  portfolios.bucketKind[bucket - 1] = kind;
  portfolios.net[(bucket - 1) * 2] = portfolios.net[(bucket - 1) * 2 + 1] = 0;
  portfolios.bucketNext[bucket - 1] = portfolios.bucketHead[portfolio];
  portfolios.bucketHead[portfolio] = bucket;
  return bucket;
}

function moveBucket(
  inputs: MarginInputs, portfolios: Portfolios, portfolio: number, bucket: number, half: number, underlying: number, change: number,
): void {
  const { net, totals } = portfolios;
  const at = (bucket - 1) * 2 + half;
  const expiry = portfolios.bucketExpiry[bucket - 1];
  const before = shortOf(net[at]);
  net[at] += change;
  const after = shortOf(net[at]);
  if (before === after) return;
  const to = portfolio * TOTALS + half;
  totals[to + SHORT] += after - before;
  totals[to + OVERLAY] += overlayOf(inputs, underlying, expiry, after) - overlayOf(inputs, underlying, expiry, before);
}

function sumBuckets(inputs: MarginInputs, portfolios: Portfolios, portfolio: number, underlying: number): void {
  const { net, totals } = portfolios;
  for (let bucket = portfolios.bucketHead[portfolio]; bucket !== 0; bucket = portfolios.bucketNext[bucket - 1]) {
    for (let half = POSITIONS; half <= ALL; half++) {
      const short = shortOf(net[(bucket - 1) * 2 + half]);
      if (short === 0) continue;
      totals[portfolio * TOTALS + half + SHORT] += short;
      totals[portfolio * TOTALS + half + OVERLAY] += overlayOf(inputs, underlying, portfolios.bucketExpiry[bucket - 1], short);
    }
  }
}

export function shortOf(net: number): number {
  return net < 0 ? -net : 0;
}

export function floorOf(inputs: MarginInputs, underlying: number, short: number): number {
  return short === 0 ? 0 : mulDivCeilWide(notionalOf(inputs, underlying, short), inputs.settings.values[OPTION_FLOOR], PPM);
}

export function overlayOf(inputs: MarginInputs, underlying: number, expiry: number, short: number): number {
  if (short === 0) return 0;
  const grown = overlayGrown(inputs, underlying, expiry);
  if (grown === 0) return 0;
  const { values } = inputs.settings;
  return mulDivCeilWide(notionalOf(inputs, underlying, short), values[GAMMA_OVERLAY] * grown, PPM * values[OVERLAY_RAMP]);
}

/** 0 to OVERLAY_RAMP. Grows towards expiry; in `venue17` in one step. */
function overlayGrown(inputs: MarginInputs, underlying: number, expiry: number): number {
  const { values } = inputs.settings;
  const left = expiry - inputs.valuation.markedAt[underlying];
  if (presetOf(inputs.settings, underlying) === VENUE17) return left > values[OVERLAY_STEP] ? 0 : values[OVERLAY_RAMP];
  return Math.max(0, Math.min(values[OVERLAY_RAMP], values[OVERLAY_START] - left));
}

export function overlayPart(inputs: MarginInputs, underlying: number, expiry: number): number {
  return overlayGrown(inputs, underlying, expiry) / inputs.settings.values[OVERLAY_RAMP];
}

function notionalOf(inputs: MarginInputs, underlying: number, size: number): number {
  return mulDivCeilWide(inputs.valuation.markIndex[underlying], size, CONTRACT);
}
