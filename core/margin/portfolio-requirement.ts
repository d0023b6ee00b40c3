// Requirements in portfolio mode, as the account is or as it would be with other positions.
//   requirement = max(scanning risk, option floor) + gamma overlay, each first summed over the underlyings
// Source: MARGIN.md, "Portfolio mode", 3 to 7.

import { PERP } from '../codec/commands.ts';
import { findHolding } from '../positions/holdings.ts';
import { gridOf, MAX_ROWS } from './presets.ts';
import { addPosition, entryOf } from './scenarios.ts';
import { ALL, ASK, bucketOfHolding, ENTERED, floorOf, moveRows, OVERLAY, overlayOf, POSITION, portfolioOf, SCAN, SHORT, shortOf, TOTALS,
  type Portfolios } from './portfolio-sums.ts';
import type { MarginInputs } from './standard.ts';

export type RiskSums = { scanning: number; floor: number; overlay: number };

export function createRiskSums(): RiskSums {
  return { scanning: 0, floor: 0, overlay: 0 };
}

export function requirementOf({ scanning, floor, overlay }: RiskSums): number {
  return Math.max(scanning, floor) + overlay;
}

/** `except`: an underlying to leave out of the sums, or -1. */
export function sumRisk(inputs: MarginInputs, portfolios: Portfolios, account: number, half: number, except: number, out: RiskSums): void {
  const { totals } = portfolios;
  out.scanning = out.floor = out.overlay = 0;
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const portfolio = portfolioOf(portfolios, account, underlying);
    if (portfolio < 0 || underlying === except) continue;
    const at = portfolio * TOTALS + half;
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

export function requirementIf(inputs: MarginInputs, portfolios: Portfolios, account: number, half: number, change: Change): number {
  const { instruments } = inputs;
  const { slot } = change;
  const { risk } = scratch;
  const underlying = instruments.underlying[slot];
  sumRisk(inputs, portfolios, account, half, underlying, risk);
  const portfolio = portfolioOf(portfolios, account, underlying);
  risk.scanning += scanIf(inputs, portfolios, portfolio, half, change);
  const short = portfolio < 0 ? 0 : portfolios.totals[portfolio * TOTALS + half + SHORT];
  const overlay = portfolio < 0 ? 0 : portfolios.totals[portfolio * TOTALS + half + OVERLAY];
  if (instruments.kind[slot] === PERP) {
    risk.floor += floorOf(inputs, underlying, short);
    risk.overlay += overlay;
    return requirementOf(risk);
  }
  const expiry = instruments.expiry[slot];
  const net = netOf(portfolios, portfolio, half, change.holding, expiry, instruments.kind[slot]);
  const before = shortOf(net);
  const after = shortOf(net + moved(portfolios, half, change));
  risk.floor += floorOf(inputs, underlying, short - before + after);
  risk.overlay += overlay - overlayOf(inputs, underlying, expiry, before) + overlayOf(inputs, underlying, expiry, after);
  return requirementOf(risk);
}

/** Positions alone, if each holding of the list had the position `left(holding)`. */
export function requirementLeft(
  inputs: MarginInputs, portfolios: Portfolios, account: number, head: number, left: (holding: number) => number,
): number {
  const { risk } = scratch;
  risk.scanning = risk.floor = risk.overlay = 0;
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const portfolio = portfolioOf(portfolios, account, underlying);
    if (portfolio >= 0) addRiskLeft(inputs, portfolios, portfolio, underlying, head, left);
  }
  return requirementOf(risk);
}

function addRiskLeft(
  inputs: MarginInputs, portfolios: Portfolios, portfolio: number, underlying: number, head: number, left: (holding: number) => number,
): void {
  const { holdings, instruments } = inputs;
  const { bucketHead, bucketNext, whatIf } = portfolios;
  const { gains, risk } = scratch;
  const count = gridOf(inputs.settings, underlying).rows;
  gains.fill(0);
  for (let link = head; link !== 0; link = holdings.next[link - 1]) {
    const slot = holdings.instrument[link - 1];
    if (instruments.underlying[slot] !== underlying || holdings.position[link - 1] === 0) continue;
    const position = left(link - 1);
    addPosition(portfolios.scenarios, entryOf(inputs, portfolios.scenarios, slot), count, position, gains, 0);
    if (instruments.kind[slot] === PERP) continue;
    whatIf[bucketOfHolding(portfolios, portfolio, link - 1, instruments.expiry[slot], instruments.kind[slot]) - 1] += position;
  }
  risk.scanning += worstOf(count);
  let short = 0;
  for (let bucket = bucketHead[portfolio]; bucket !== 0; bucket = bucketNext[bucket - 1]) {
    const sold = shortOf(whatIf[bucket - 1]);
    whatIf[bucket - 1] = 0;
    short += sold;
    risk.overlay += overlayOf(inputs, underlying, portfolios.bucketExpiry[bucket - 1], sold);
  }
  risk.floor += floorOf(inputs, underlying, short);
}

function worstOf(count: number): number {
  const { gains } = scratch;
  let worst = 0;
  for (let row = 0; row < count; row++) if (!(gains[row] >= worst)) worst = gains[row];
  return 0 - worst;
}

function netOf(portfolios: Portfolios, portfolio: number, half: number, holding: number, expiry: number, kind: number): number {
  const bucket = portfolio < 0 ? 0 : bucketOfHolding(portfolios, portfolio, holding, expiry, kind);
  return bucket === 0 ? 0 : portfolios.net[(bucket - 1) * 2 + half];
}

function moved(portfolios: Portfolios, half: number, { holding, position, ask }: Change): number {
  const { entered } = portfolios;
  const bought = position - (holding < 0 ? 0 : entered[holding * ENTERED + POSITION]);
  return half === ALL ? bought - ask + (holding < 0 ? 0 : entered[holding * ENTERED + ASK]) : bought;
}

function scanIf(inputs: MarginInputs, portfolios: Portfolios, portfolio: number, half: number, change: Change): number {
  const { slot, holding, position, bid, ask } = change;
  const { gains, losses } = scratch;
  const count = gridOf(inputs.settings, inputs.instruments.underlying[slot]).rows;
  const from = portfolio * MAX_ROWS;
  for (let row = 0; row < count; row++) {
    gains[row] = portfolio < 0 ? 0 : portfolios.gains[from + row];
    losses[row] = portfolio < 0 || half !== ALL ? 0 : portfolios.losses[from + row];
  }
  moveRows(portfolios, entryOf(inputs, portfolios.scenarios, slot), count, holding, position, bid, ask, gains, losses, 0);
  let worst = 0;
  for (let row = 0; row < count; row++) {
    const gain = half === ALL ? gains[row] + losses[row] : gains[row];
    if (!(gain >= worst)) worst = gain;
  }
  return 0 - worst;
}

export function standaloneRequirement(inputs: MarginInputs, portfolios: Portfolios, slot: number, position: number): number {
  const { instruments } = inputs;
  const { gains } = scratch;
  const underlying = instruments.underlying[slot];
  const count = gridOf(inputs.settings, underlying).rows;
  gains.fill(0);
  addPosition(portfolios.scenarios, entryOf(inputs, portfolios.scenarios, slot), count, position, gains, 0);
  const short = instruments.kind[slot] === PERP ? 0 : shortOf(position);
  return Math.max(worstOf(count), floorOf(inputs, underlying, short)) + overlayOf(inputs, underlying, instruments.expiry[slot], short);
}

/** Includes open orders. The next function is for perps. */
export function optionRequirement(inputs: MarginInputs, portfolios: Portfolios, account: number): number {
  const { other, risk } = scratch;
  sumRisk(inputs, portfolios, account, ALL, -1, risk);
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const row = perpRow(inputs, account, underlying);
    const portfolio = portfolioOf(portfolios, account, underlying);
    if (row < 0 || portfolio < 0) continue;
    setChange(row, inputs.holdings.instrument[row], 0, 0, 0);
    risk.scanning += scanIf(inputs, portfolios, portfolio, ALL, other) - portfolios.totals[portfolio * TOTALS + SCAN + ALL];
  }
  return requirementOf(risk);
}

export function perpRequirement(inputs: MarginInputs, portfolios: Portfolios, account: number): number {
  const { holdings } = inputs;
  const { other } = scratch;
  let total = 0;
  for (let underlying = 0; underlying < portfolios.underlyings; underlying++) {
    const row = perpRow(inputs, account, underlying);
    if (row < 0) continue;
    setChange(-1, holdings.instrument[row], holdings.position[row], holdings.bidSize[row], holdings.askSize[row]);
    total += scanIf(inputs, portfolios, -1, ALL, other);
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
