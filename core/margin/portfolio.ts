// Requirements in portfolio mode, as the account is or as it would be with other positions. Changes no sums.
//   requirement = max(scanning risk, option floor) + gamma overlay, each first summed over the underlyings
// Money in micros, sizes in 1e-6 contracts. Source: MARGIN.md, "Portfolio mode", 3 to 7.

import { PERP } from '../codec/commands.ts';
import { findHolding } from '../positions/holdings.ts';
import { gridOf, MAX_ROWS } from './presets.ts';
import { addPosition, entryOf } from './scenarios.ts';
import { ALL, ASK, cellOfHolding, ENTERED, floorOf, moveRows, OVERLAY, overlayOf, POSITION, recordOf, SCAN, SHORT, shortOf, TOTALS,
  type Records } from './records.ts';
import type { MarginInputs } from './standard.ts';

export type RiskSums = { scanning: number; floor: number; overlay: number };

export function createRiskSums(): RiskSums {
  return { scanning: 0, floor: 0, overlay: 0 };
}

export function requirementOf({ scanning, floor, overlay }: RiskSums): number {
  return Math.max(scanning, floor) + overlay;
}

/** `except`: an underlying to leave out, or -1. */
export function sumRisk(inputs: MarginInputs, records: Records, account: number, half: number, except: number, out: RiskSums): void {
  const { totals } = records;
  out.scanning = out.floor = out.overlay = 0;
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const record = recordOf(records, account, underlying);
    if (record < 0 || underlying === except) continue;
    const at = record * TOTALS + half;
    out.scanning += totals[at + SCAN];
    out.floor += floorOf(inputs, underlying, totals[at + SHORT]);
    out.overlay += totals[at + OVERLAY];
  }
}

/** A holding as it would be; row -1: none yet. */
export type Change = { holding: number; slot: number; position: number; bid: number; ask: number };

const scratch = {
  gains: new Float64Array(MAX_ROWS), losses: new Float64Array(MAX_ROWS), risk: createRiskSums(),
  other: { holding: -1, slot: 0, position: 0, bid: 0, ask: 0 },
};

export function requirementIf(inputs: MarginInputs, records: Records, account: number, half: number, change: Change): number {
  const { instruments } = inputs;
  const { slot } = change;
  const { risk } = scratch;
  const underlying = instruments.underlying[slot];
  sumRisk(inputs, records, account, half, underlying, risk);
  const record = recordOf(records, account, underlying);
  risk.scanning += scanIf(inputs, records, record, half, change);
  const short = record < 0 ? 0 : records.totals[record * TOTALS + half + SHORT];
  const overlay = record < 0 ? 0 : records.totals[record * TOTALS + half + OVERLAY];
  if (instruments.kind[slot] === PERP) {
    risk.floor += floorOf(inputs, underlying, short);
    risk.overlay += overlay;
    return requirementOf(risk);
  }
  const expiry = instruments.expiry[slot];
  const net = netOf(records, record, half, change.holding, expiry, instruments.kind[slot]);
  const before = shortOf(net);
  const after = shortOf(net + moved(records, half, change));
  risk.floor += floorOf(inputs, underlying, short - before + after);
  risk.overlay += overlay - overlayOf(inputs, underlying, expiry, before) + overlayOf(inputs, underlying, expiry, after);
  return requirementOf(risk);
}

/** Requirement of the positions alone if each holding of the list had the position `left(holding)`. */
export function requirementLeft(
  inputs: MarginInputs, records: Records, account: number, head: number, left: (holding: number) => number,
): number {
  const { risk } = scratch;
  risk.scanning = risk.floor = risk.overlay = 0;
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const record = recordOf(records, account, underlying);
    if (record >= 0) addRiskLeft(inputs, records, record, underlying, head, left);
  }
  return requirementOf(risk);
}

function addRiskLeft(
  inputs: MarginInputs, records: Records, record: number, underlying: number, head: number, left: (holding: number) => number,
): void {
  const { holdings, instruments } = inputs;
  const { cellHead, cellNext, thought } = records;
  const { gains, risk } = scratch;
  const count = gridOf(inputs.settings, underlying).rows;
  gains.fill(0);
  for (let link = head; link !== 0; link = holdings.next[link - 1]) {
    const slot = holdings.instrument[link - 1];
    if (instruments.underlying[slot] !== underlying || holdings.position[link - 1] === 0) continue;
    const position = left(link - 1);
    addPosition(records.scenarios, entryOf(inputs, records.scenarios, slot), count, position, gains, 0);
    if (instruments.kind[slot] === PERP) continue;
    thought[cellOfHolding(records, record, link - 1, instruments.expiry[slot], instruments.kind[slot]) - 1] += position;
  }
  risk.scanning += worstOf(count);
  let short = 0;
  for (let cell = cellHead[record]; cell !== 0; cell = cellNext[cell - 1]) {
    const sold = shortOf(thought[cell - 1]);
    thought[cell - 1] = 0;
    short += sold;
    risk.overlay += overlayOf(inputs, underlying, records.cellExpiry[cell - 1], sold);
  }
  risk.floor += floorOf(inputs, underlying, short);
}

/** The loss of the worst row in `gains`. */
function worstOf(count: number): number {
  const { gains } = scratch;
  let worst = 0;
  for (let row = 0; row < count; row++) if (!(gains[row] >= worst)) worst = gains[row];
  return 0 - worst;
}

function netOf(records: Records, record: number, half: number, holding: number, expiry: number, kind: number): number {
  const cell = record < 0 ? 0 : cellOfHolding(records, record, holding, expiry, kind);
  return cell === 0 ? 0 : records.net[(cell - 1) * 2 + half];
}

function moved(records: Records, half: number, { holding, position, ask }: Change): number {
  const { entered } = records;
  const bought = position - (holding < 0 ? 0 : entered[holding * ENTERED + POSITION]);
  return half === ALL ? bought - ask + (holding < 0 ? 0 : entered[holding * ENTERED + ASK]) : bought;
}

function scanIf(inputs: MarginInputs, records: Records, record: number, half: number, change: Change): number {
  const { slot, holding, position, bid, ask } = change;
  const { gains, losses } = scratch;
  const count = gridOf(inputs.settings, inputs.instruments.underlying[slot]).rows;
  const from = record * MAX_ROWS;
  for (let row = 0; row < count; row++) {
    gains[row] = record < 0 ? 0 : records.gains[from + row];
    losses[row] = record < 0 || half !== ALL ? 0 : records.losses[from + row];
  }
  moveRows(records, entryOf(inputs, records.scenarios, slot), count, holding, position, bid, ask, gains, losses, 0);
  let worst = 0;
  for (let row = 0; row < count; row++) {
    const gain = half === ALL ? gains[row] + losses[row] : gains[row];
    if (!(gain >= worst)) worst = gain;
  }
  return 0 - worst;
}

export function standaloneRequirement(inputs: MarginInputs, records: Records, slot: number, position: number): number {
  const { instruments } = inputs;
  const { gains } = scratch;
  const underlying = instruments.underlying[slot];
  const count = gridOf(inputs.settings, underlying).rows;
  gains.fill(0);
  addPosition(records.scenarios, entryOf(inputs, records.scenarios, slot), count, position, gains, 0);
  const short = instruments.kind[slot] === PERP ? 0 : shortOf(position);
  return Math.max(worstOf(count), floorOf(inputs, underlying, short)) + overlayOf(inputs, underlying, instruments.expiry[slot], short);
}

/** Open orders included, in the next one too. */
export function optionRequirement(inputs: MarginInputs, records: Records, account: number): number {
  const { other, risk } = scratch;
  sumRisk(inputs, records, account, ALL, -1, risk);
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const row = perpRow(inputs, account, underlying);
    const record = recordOf(records, account, underlying);
    if (row < 0 || record < 0) continue;
    setChange(row, inputs.holdings.instrument[row], 0, 0, 0);
    risk.scanning += scanIf(inputs, records, record, ALL, other) - records.totals[record * TOTALS + SCAN + ALL];
  }
  return requirementOf(risk);
}

export function perpRequirement(inputs: MarginInputs, records: Records, account: number): number {
  const { holdings } = inputs;
  const { other } = scratch;
  let total = 0;
  for (let underlying = 0; underlying < records.underlyings; underlying++) {
    const row = perpRow(inputs, account, underlying);
    if (row < 0) continue;
    setChange(-1, holdings.instrument[row], holdings.position[row], holdings.bidSize[row], holdings.askSize[row]);
    total += scanIf(inputs, records, -1, ALL, other);
  }
  return total;
}

function perpRow({ holdings, instruments }: MarginInputs, account: number, underlying: number): number {
  const slot = instruments.perpOf[underlying];
  return slot < 0 ? -1 : findHolding(holdings, account, slot);
}

function setChange(holding: number, slot: number, position: number, bid: number, ask: number): void {
  const { other } = scratch;
  other.holding = holding;
  other.slot = slot;
  other.position = position;
  other.bid = bid;
  other.ask = ask;
}
