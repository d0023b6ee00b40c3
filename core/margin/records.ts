// Sums of portfolio margin: one portfolio per account and underlying, so that checking an order is one pass over the scenario rows. A
// bucket (expiry, call or put) holds net contracts. The sums are a cache of exact integers. When the bounded pool is full, everything is
// dropped and refilled at the next use. Money in micros, sizes in 1e-6 contracts. Source: MARGIN.md, "Portfolio mode", 3 to 7.

import { float64, int32, uint8 } from '../columns.ts';
import { CONTRACT } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import type { Limits } from '../limits.ts';
import { weighUp } from '../math/exact.ts';
import { GAMMA_OVERLAY, OPTION_FLOOR, OVERLAY_RAMP, OVERLAY_START, OVERLAY_STEP, PPM, VENUE17 } from '../settings.ts';
import { gridOf, MAX_ROWS, presetOf } from './presets.ts';
import { addOrders, addPosition, createScenarios, entryOf, type Scenarios } from './scenarios.ts';
import type { MarginInputs } from './standard.ts';

/** Halves of a portfolio and of its totals: positions alone, and with all open orders. */
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

const MAX_RECORDS = 65_536;
const CELLS_A_RECORD = 16;
/** Half of the exact range: room for rounding in BOUND itself. */
const EXACT = Number.MAX_SAFE_INTEGER / 2;

/** In `filledAt`. */
const FILLING = -1;

const RECORDS = 0;
const CELLS = 1;

export type Records = {
  readonly capacity: number;
  readonly underlyings: number;
  readonly scenarios: Scenarios;
  readonly counters: Float64Array;
  /** `of`: portfolio plus one per account and underlying, 0: none. `place`: its index in `of`. `filledAt`: vintage plus one, 0: refill. */
  readonly of: Int32Array;
  readonly place: Int32Array;
  readonly filledAt: Float64Array;
  /** Per portfolio and row; `losses` is what open orders add, never above 0. */
  readonly gains: Float64Array;
  readonly losses: Float64Array;
  readonly totals: Float64Array;
  /** Buckets are a list per portfolio; links are a bucket plus one. `net` has both halves. */
  readonly cellHead: Int32Array;
  readonly cellNext: Int32Array;
  readonly cellRecord: Int32Array;
  readonly cellExpiry: Float64Array;
  readonly cellKind: Uint8Array;
  readonly net: Float64Array;
  /** Per bucket: scratch of what-if questions, otherwise 0. */
  readonly thought: Float64Array;
  /** Per holding, as counted in its portfolio. `bucketOf` is a hint that `bucketOfHolding` verifies. */
  readonly entered: Float64Array;
  readonly cellOf: Int32Array;
};

export function createRecords(limits: Limits): Records {
  const capacity = Math.min(MAX_RECORDS, limits.accounts * limits.underlyings);
  const cells = Math.max(capacity * CELLS_A_RECORD, limits.instruments);
  return {
    capacity, underlyings: limits.underlyings, scenarios: createScenarios(limits.instruments), counters: float64(2),
    of: int32(limits.accounts * limits.underlyings), place: int32(capacity), filledAt: float64(capacity),
    gains: float64(capacity * MAX_ROWS), losses: float64(capacity * MAX_ROWS),
    totals: float64(capacity * TOTALS), cellHead: int32(capacity), cellNext: int32(cells),
    cellRecord: int32(cells), cellExpiry: float64(cells), cellKind: uint8(cells),
    net: float64(cells * 2), thought: float64(cells), entered: float64(limits.holdings * ENTERED), cellOf: int32(limits.holdings),
  };
}

/** Drops every portfolio, and the sums of their accounts with it. */
export function forgetRecords(records: Records, filledAt: Float64Array): void {
  const { counters, of, place } = records;
  for (let record = 0; record < counters[RECORDS]; record++) {
    of[place[record]] = 0;
    filledAt[Math.floor(place[record] / records.underlyings)] = 0;
  }
  counters[RECORDS] = 0;
  counters[CELLS] = 0;
}

/** Or -1. */
export function recordOf(records: Records, account: number, underlying: number): number {
  return records.of[account * records.underlyings + underlying] - 1;
}

export function staleRecords(records: Records, account: number): void {
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const record = recordOf(records, account, underlying);
    if (record >= 0) records.filledAt[record] = 0;
  }
}

function stampOf(inputs: MarginInputs, underlying: number): number {
  return inputs.valuation.vintage[underlying] + 1;
}

/** Empties outdated portfolios. Then call `fillPortfolio` for each holding, and `finishPortfolios`. */
export function startRecords(inputs: MarginInputs, records: Records, account: number): void {
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const record = recordOf(records, account, underlying);
    if (record >= 0 && records.filledAt[record] !== stampOf(inputs, underlying)) empty(records, record);
  }
}

function empty(records: Records, record: number): void {
  const { net, cellNext } = records;
  records.filledAt[record] = FILLING;
  records.gains.fill(0, record * MAX_ROWS, (record + 1) * MAX_ROWS);
  records.losses.fill(0, record * MAX_ROWS, (record + 1) * MAX_ROWS);
  records.totals.fill(0, record * TOTALS, (record + 1) * TOTALS);
  for (let cell = records.cellHead[record]; cell !== 0; cell = cellNext[cell - 1]) net[(cell - 1) * 2] = net[(cell - 1) * 2 + 1] = 0;
}

/** False when the pool is full. */
export function fillRecord(inputs: MarginInputs, records: Records, account: number, holding: number): boolean {
  const underlying = inputs.instruments.underlying[inputs.holdings.instrument[holding]];
  let record = recordOf(records, account, underlying);
  if (record < 0) {
    if (records.counters[RECORDS] >= records.capacity) return false;
    record = records.counters[RECORDS]++;
    records.cellHead[record] = 0;
    records.place[record] = account * records.underlyings + underlying;
    records.of[records.place[record]] = record + 1;
    empty(records, record);
  }
  if (records.filledAt[record] !== FILLING) return true;
  clearEntered(records, holding);
  return enterHolding(inputs, records, record, holding);
}

/** False if one exceeds the exact range; it then stays to be refilled. */
export function finishRecords(inputs: MarginInputs, records: Records, account: number): boolean {
  let exact = true;
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const record = recordOf(records, account, underlying);
    if (record < 0 || records.filledAt[record] !== FILLING) continue;
    scan(inputs, records, record, underlying);
    sumCells(inputs, records, record, underlying);
    records.filledAt[record] = isExact(records, record) ? stampOf(inputs, underlying) : 0;
    exact = exact && isExact(records, record);
  }
  return exact;
}

export function isFilled(inputs: MarginInputs, records: Records, record: number, underlying: number): boolean {
  return records.filledAt[record] === stampOf(inputs, underlying);
}

/** False when it must be refilled. */
export function updateRecord(inputs: MarginInputs, records: Records, record: number, holding: number): boolean {
  if (enterHolding(inputs, records, record, holding) && isExact(records, record)) {
    scan(inputs, records, record, inputs.instruments.underlying[inputs.holdings.instrument[holding]]);
    return true;
  }
  records.filledAt[record] = 0;
  return false;
}

export function clearEntered(records: Records, holding: number): void {
  const { entered } = records;
  const at = holding * ENTERED;
  entered[at + POSITION] = entered[at + BID] = entered[at + ASK] = 0;
}

/** False also for Infinity and NaN. */
function isExact({ totals }: Records, record: number): boolean {
  const at = record * TOTALS;
  return totals[at + BOUND] <= EXACT && totals[at + OVERLAY + POSITIONS] <= EXACT && totals[at + OVERLAY + ALL] <= EXACT;
}

/** Replaces what the portfolio has of the holding. False when there is no room for its bucket. */
function enterHolding(inputs: MarginInputs, records: Records, record: number, holding: number): boolean {
  const { holdings, instruments } = inputs;
  const { entered, scenarios, totals } = records;
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
    const cell = cellOfHolding(records, record, holding, expiry, kind) || takeCell(records, record, expiry, kind);
    if (cell === 0) return false;
    records.cellOf[holding] = cell;
    if (records.filledAt[record] === FILLING) {
      // `sumBuckets` adds short contracts and overlay once all holdings are in.
      records.net[(cell - 1) * 2 + POSITIONS] += bought;
      records.net[(cell - 1) * 2 + ALL] += bought - offered;
    } else {
      moveCell(inputs, records, record, cell, POSITIONS, underlying, bought);
      moveCell(inputs, records, record, cell, ALL, underlying, bought - offered);
    }
  }
  const entry = entryOf(inputs, scenarios, slot);
  const count = gridOf(inputs.settings, underlying).rows;
  moveRows(records, entry, count, holding, position, bid, ask, records.gains, records.losses, record * MAX_ROWS);
  const size = Math.abs(position) + bid + ask - Math.abs(entered[at + POSITION]) - entered[at + BID] - entered[at + ASK];
  totals[record * TOTALS + BOUND] += size * scenarios.largest[entry];
  entered[at + POSITION] = position;
  entered[at + BID] = bid;
  entered[at + ASK] = ask;
  return true;
}

/** Replaces in two arrays of row sums what the holding (-1: none) has entered by this position and these orders. */
export function moveRows(
  records: Records, entry: number, count: number, holding: number, position: number, bid: number, ask: number,
  gains: Float64Array, losses: Float64Array, to: number,
): void {
  const { entered, scenarios } = records;
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

function scan(inputs: MarginInputs, records: Records, record: number, underlying: number): void {
  const { gains, losses, totals } = records;
  const from = record * MAX_ROWS;
  let alone = 0;
  let all = 0;
  for (let row = from + gridOf(inputs.settings, underlying).rows - 1; row >= from; row--) {
    if (!(gains[row] >= alone)) alone = gains[row];
    if (!(gains[row] + losses[row] >= all)) all = gains[row] + losses[row];
  }
  totals[record * TOTALS + SCAN + POSITIONS] = 0 - alone;
  totals[record * TOTALS + SCAN + ALL] = 0 - all;
}

/** Bucket plus one, or 0. `holding` -1: not known. */
export function cellOfHolding(records: Records, record: number, holding: number, expiry: number, kind: number): number {
  const cell = holding < 0 ? 0 : records.cellOf[holding];
  if (cell !== 0 && cell <= records.counters[CELLS] && records.cellRecord[cell - 1] === record
    && records.cellExpiry[cell - 1] === expiry && records.cellKind[cell - 1] === kind) return cell;
  return findCell(records, record, expiry, kind);
}

function findCell(records: Records, record: number, expiry: number, kind: number): number {
  let cell = records.cellHead[record];
  while (cell !== 0 && (records.cellExpiry[cell - 1] !== expiry || records.cellKind[cell - 1] !== kind)) cell = records.cellNext[cell - 1];
  return cell;
}

/** 0: no room. */
function takeCell(records: Records, record: number, expiry: number, kind: number): number {
  if (records.counters[CELLS] >= records.cellNext.length) return 0;
  const cell = ++records.counters[CELLS];
  records.cellRecord[cell - 1] = record;
  records.cellExpiry[cell - 1] = expiry;
  records.cellKind[cell - 1] = kind;
  records.net[(cell - 1) * 2] = records.net[(cell - 1) * 2 + 1] = 0;
  records.cellNext[cell - 1] = records.cellHead[record];
  records.cellHead[record] = cell;
  return cell;
}

function moveCell(
  inputs: MarginInputs, records: Records, record: number, cell: number, half: number, underlying: number, change: number,
): void {
  const { net, totals } = records;
  const at = (cell - 1) * 2 + half;
  const expiry = records.cellExpiry[cell - 1];
  const before = shortOf(net[at]);
  net[at] += change;
  const after = shortOf(net[at]);
  if (before === after) return;
  const to = record * TOTALS + half;
  totals[to + SHORT] += after - before;
  totals[to + OVERLAY] += overlayOf(inputs, underlying, expiry, after) - overlayOf(inputs, underlying, expiry, before);
}

function sumCells(inputs: MarginInputs, records: Records, record: number, underlying: number): void {
  const { net, totals } = records;
  for (let cell = records.cellHead[record]; cell !== 0; cell = records.cellNext[cell - 1]) {
    for (let half = POSITIONS; half <= ALL; half++) {
      const short = shortOf(net[(cell - 1) * 2 + half]);
      if (short === 0) continue;
      totals[record * TOTALS + half + SHORT] += short;
      totals[record * TOTALS + half + OVERLAY] += overlayOf(inputs, underlying, records.cellExpiry[cell - 1], short);
    }
  }
}

export function shortOf(net: number): number {
  return net < 0 ? -net : 0;
}

export function floorOf(inputs: MarginInputs, underlying: number, short: number): number {
  return short === 0 ? 0 : weighUp(notionalOf(inputs, underlying, short), inputs.settings.values[OPTION_FLOOR], PPM);
}

export function overlayOf(inputs: MarginInputs, underlying: number, expiry: number, short: number): number {
  if (short === 0) return 0;
  const grown = overlayGrown(inputs, underlying, expiry);
  if (grown === 0) return 0;
  const { values } = inputs.settings;
  return weighUp(notionalOf(inputs, underlying, short), values[GAMMA_OVERLAY] * grown, PPM * values[OVERLAY_RAMP]);
}

/** The part of the overlay that counts now, 0 to OVERLAY_RAMP. It grows towards expiry; in `venue17` in one step. */
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
  return weighUp(inputs.valuation.markIndex[underlying], size, CONTRACT);
}
