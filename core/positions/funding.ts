// Perp funding as a running amount per contract: what one long contract has paid since listing. A position owes the difference since
// its row was last paid, so an hour of funding costs nothing per wallet (decision 2.6). Sums 1e-9 USDC, payments micros, rounded up for
// the payer and down for the receiver. Never moves cash: core/trading/funding does.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { isSafe, mulDivCeil } from '../math/exact.ts';
import type { Holdings } from './holdings.ts';

/** Position (1e-6) times funding (1e-9 USDC) divided by this is micros. */
export const PER_MICRO = 1_000_000_000;
/** 2^52. */
const LARGEST_SUM = 4_503_599_627_370_496;

/**
 * `cumulative` per instrument slot, 0 for options. `rounds`: changes since the venue started, plus one. An account with another
 * `fundedAt` may owe something.
 */
export type Funding = { readonly cumulative: Float64Array; readonly rounds: Float64Array };

export function createFunding(instruments: number): Funding {
  return { cumulative: float64(instruments), rounds: new Float64Array([1]) };
}

/** A long contract owes `amount` more (1e-9 USDC, signed). False, with no change, if two sums might lose their exact difference. */
export function addFunding(funding: Funding, instrument: number, amount: number): boolean {
  const after = funding.cumulative[instrument] + amount;
  if (!(Math.abs(after) <= LARGEST_SUM)) return false;
  assert(isSafe(amount) && after - funding.cumulative[instrument] === amount, 'funding: the sum grows by what is due');
  funding.cumulative[instrument] = after + 0;
  funding.rounds[0]++;
  return true;
}

/** Micros owed (positive) or due (negative) since the row was last paid. */
export function pendingFunding(funding: Funding, holdings: Holdings, row: number): number {
  const since = funding.cumulative[holdings.instrument[row]] - holdings.funding[row];
  if (since === 0) return 0;
  const position = holdings.position[row];
  return since < 0 ? mulDivCeil(-position, -since, PER_MICRO) : mulDivCeil(position, since, PER_MICRO);
}

/** The caller has posted the pending amount. */
export function touchFunding(funding: Funding, holdings: Holdings, row: number): void {
  holdings.funding[row] = funding.cumulative[holdings.instrument[row]];
}

export function fundingSections(funding: Funding, instruments: () => number): readonly Section[] {
  return [fixedSection('funding.rounds', funding.rounds), { name: 'funding.cumulative', column: funding.cumulative, used: instruments }];
}
