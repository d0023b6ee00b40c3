// Perp funding as a running amount per contract: what one long contract has paid since listing. A position owes the difference since its
// row was last paid, so an hour of funding costs nothing per wallet (decision 2.6). Sums 1e-9 USDC, payments micros, rounded up for the
// payer and down for the receiver.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { isSafe, mulDivCeil } from '../math/exact.ts';
import { HOUR } from '../units.ts';
import type { Holdings } from './holdings.ts';

/** Position (1e-6) times funding (1e-9 USDC) divided by this is micros. */
export const PER_MICRO = 1_000_000_000;
/** 2^52. */
const LARGEST_SUM = 4_503_599_627_370_496;

/**
 * One cell for each slot of instruments. `rounds`: one more than the changes of `cumulative` so far. An account whose `fundedAt` is
 * another number may owe.
 */
export type Funding = {
  readonly cumulative: Float64Array;
  /** Hours charged, the sum of their rates (1e-9), the end of the last one (ms). */
  readonly hours: Float64Array;
  readonly rates: Float64Array;
  readonly until: Float64Array;
  readonly rounds: Float64Array;
};

export function createFunding(instruments: number): Funding {
  const per = (): Float64Array => float64(instruments);
  return { cumulative: per(), hours: per(), rates: per(), until: per(), rounds: new Float64Array([1]) };
}

/**
 * A long contract owes `amount` more (1e-9 USDC, signed) for the hour to `until`. False, with no change, if sums would lose their exact
 * difference.
 */
export function addFunding(funding: Funding, instrument: number, amount: number, rate = 0, until = 0): boolean {
  const after = funding.cumulative[instrument] + amount;
  if (!(Math.abs(after) <= LARGEST_SUM)) return false;
  assert(isSafe(amount) && after - funding.cumulative[instrument] === amount, 'funding: the sum grows by what is due');
  funding.cumulative[instrument] = after + 0;
  funding.hours[instrument]++;
  funding.rates[instrument] += rate;
  funding.until[instrument] = until;
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

export function touchFunding(funding: Funding, holdings: Holdings, row: number): void {
  const instrument = holdings.instrument[row];
  if (holdings.fundedHours[row] === funding.hours[instrument]) return;
  holdings.funding[row] = funding.cumulative[instrument];
  holdings.fundedHours[row] = funding.hours[instrument];
  holdings.fundedRates[row] = funding.rates[instrument];
  holdings.fundedUntil[row] = funding.until[instrument];
}

/** The row was last paid until then, or has had its position since that hour. */
export function owesFrom(holdings: Holdings, row: number): number {
  return Math.max(holdings.fundedUntil[row], Math.floor(holdings.updatedAt[row] / HOUR) * HOUR);
}

export function fundingSections(funding: Funding, instruments: () => number): readonly Section[] {
  const per = (name: string, column: Section['column']): Section => ({ name: `funding.${name}`, column, used: instruments });
  return [
    fixedSection('funding.rounds', funding.rounds), per('cumulative', funding.cumulative), per('hours', funding.hours),
    per('rates', funding.rates), per('until', funding.until),
  ];
}
