// What an account holds, the value and requirement of each position, and the liquidation price in each underlying.
// Micros. Also runs in the trading page, on simulated accounts.

import { PERP } from '../../../core/codec/commands.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { maintenancePart, type Margin } from '../../../core/margin/account-margin.ts';
import { standaloneInitial } from '../../../core/margin/freed.ts';
import { createRiskSums, sumRisk, type RiskSums } from '../../../core/margin/portfolio-requirement.ts';
import { POSITIONS } from '../../../core/margin/portfolio-sums.ts';
import { equityValue, standardMaintenance } from '../../../core/margin/standard.ts';
import { mulDivHalfUp } from '../../../core/math/exact.ts';
import { CONTRACT } from '../../../core/units.ts';
import { legOf, liquidationPrice } from './liquidation-price.ts';
import { unrealizedOf, type Totals } from './totals.ts';

export type Held = {
  readonly row: number; readonly slot: number; readonly underlying: number; readonly position: number; readonly value: number;
  readonly unrealized: number; readonly notional: number; readonly initial: number; readonly maintenance: number;
};

export function positionsOf(state: Margin, account: number): Held[] {
  const { holdings } = state;
  const held: Held[] = [];
  for (let link = state.accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    const row = link - 1;
    if (holdings.position[row] !== 0) held.push(heldIn(state, account, row));
  }
  return held;
}

export function heldIn(state: Margin, account: number, row: number): Held {
  const { accounts, holdings, instruments, valuation } = state;
  const position = holdings.position[row]!;
  const slot = holdings.instrument[row]!;
  const underlying = instruments.underlying[slot]!;
  const value = equityValue(state, row);
  const initial = standaloneInitial(state, account, slot, position);
  const isPortfolio = accounts.mode[account] === PORTFOLIO;
  return {
    row, slot, underlying, position, value, initial, unrealized: unrealizedOf(state, row),
    notional: mulDivHalfUp(Math.abs(position), valuation.markIndex[underlying]!, CONTRACT),
    maintenance: isPortfolio ? maintenancePart(state, initial) : standardMaintenance(state, slot, position),
  };
}

export function liquidationPrices(state: Margin, account: number, held: readonly Held[], totals: Totals): Map<number, number | null> {
  const prices = new Map<number, number | null>();
  const { equity, maintenance } = totals;
  for (const { underlying } of held) {
    if (prices.has(underlying)) continue;
    const legs = held.filter((one) => one.underlying === underlying).map(({ slot, position }) => legOf(slot, position));
    const risk = otherRisk(state, account, underlying);
    // Long options alone cannot lose more than their value.
    const value = held.reduce((sum, one) => (one.underlying === underlying ? sum + one.value : sum), 0);
    const isLong = legs.every(({ slot, quantity }) => quantity > 0 && state.instruments.kind[slot] !== PERP);
    const isSafe = risk === null && isLong && equity - maintenance > value;
    prices.set(underlying, isSafe ? null : liquidationPrice(state, underlying, legs, { equity, maintenance, risk }));
  }
  return prices;
}

function otherRisk(state: Margin, account: number, underlying: number): RiskSums | null {
  if (state.accounts.mode[account] !== PORTFOLIO) return null;
  const risk = createRiskSums();
  sumRisk(state, state.cache.portfolios, account, POSITIONS, underlying, risk);
  return risk;
}
