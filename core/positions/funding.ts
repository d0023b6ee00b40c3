// Funding of perps as a cumulative amount per contract: what one long contract has paid since the perp was listed. A
// position owes the difference since its row was last touched, so an hour of funding costs the venue nothing per wallet
// (decision 2.6). Unit of the sums: 1e-9 USDC a contract, signed; of payments: micros, rounded up for who pays and down
// for who gets, so that what is left over is never negative. Never moves cash: trading posts what this says.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { isSafe, mulDivCeil } from '../math/exact.ts';
import type { Holdings } from './holdings.ts';

/** Position (1e-6) times funding (1e-9 USDC) over this is micros. */
export const PER_MICRO = 1_000_000_000;
/** 2^52. */
const LARGEST_SUM = 4_503_599_627_370_496;

/**
 * `cumulative` per instrument slot; options stay at 0. `rounds`: how often one has changed since the venue started, plus
 * one: an account whose own number (accounts.fundedAt) is another one may owe something.
 */
export type Funding = { readonly cumulative: Float64Array; readonly rounds: Float64Array };

export function createFunding(instruments: number): Funding {
  return { cumulative: float64(instruments), rounds: new Float64Array([1]) };
}

/**
 * A long contract of the perp owes `amount` more (1e-9 USDC, signed). False, and nothing is changed, where the sum would
 * leave the range in which any two sums have an exact difference.
 */
export function addFunding(funding: Funding, instrument: number, amount: number): boolean {
  const after = funding.cumulative[instrument] + amount;
  if (!(Math.abs(after) <= LARGEST_SUM)) return false;
  assert(isSafe(amount) && after - funding.cumulative[instrument] === amount, 'funding: the sum grows by what is due');
  funding.cumulative[instrument] = after + 0;
  funding.rounds[0]++;
  return true;
}

/** Micros that the row owes (positive) or has to get (negative) since it was last touched. */
export function pendingFunding(funding: Funding, holdings: Holdings, row: number): number {
  const since = funding.cumulative[holdings.instrument[row]] - holdings.funding[row];
  if (since === 0) return 0;
  const position = holdings.position[row];
  return since < 0 ? mulDivCeil(-position, -since, PER_MICRO) : mulDivCeil(position, since, PER_MICRO);
}

/** The row owes nothing from here on; the caller has posted what was pending. */
export function touchFunding(funding: Funding, holdings: Holdings, row: number): void {
  holdings.funding[row] = funding.cumulative[holdings.instrument[row]];
}

/** `instruments` tells how many rows are in use. */
export function fundingSections(funding: Funding, instruments: () => number): readonly Section[] {
  return [fixedSection('funding.rounds', funding.rounds), { name: 'funding.cumulative', column: funding.cumulative, used: instruments }];
}
