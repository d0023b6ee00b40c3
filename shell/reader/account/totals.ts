// What the numbers of an account come to, for everything that shows them: GET /portfolio and /profile, the streams portfolio and
// liquidation. Beyond the exact range (2^53 micros: an index that rose ten-thousandfold over ordinary positions) a sum is no amount
// of money any more, and at worst infinite or no number. What is not exact is made NaN here and nowhere else: an answer that would
// have to show one refuses the account, a message, whose number in its stream leaves no gap, tells null. Micros.

import { isSafe } from '../../../core/math/exact.ts';
import { collateralOf, equityOf, freshen, isSummed, maintenanceOf, orderInitialOf, positionInitialOf,
  reservedOf } from '../../../core/margin/account.ts';
import { positionValue } from '../../../core/margin/standard.ts';
import type { State } from '../../../core/engine/state.ts';

export const INEXACT = 'Margin data unavailable: an amount is beyond the exact range';

type Numbers = { readonly [name: string]: number };

/** `used` is all that is bound; `initialLeft` and `maintenanceLeft` are what is left beyond a requirement, and may be negative. */
export type Totals = {
  readonly equity: number; readonly collateral: number; readonly positionInitial: number; readonly orderInitial: number;
  readonly reserved: number; readonly used: number; readonly initialLeft: number; readonly maintenance: number;
  readonly maintenanceLeft: number;
};

/** All of them are NaN if one of them is not exact. */
export function totalsOf(state: State, account: number): Totals {
  freshen(state, account);
  const equity = equityOf(state, account);
  const collateral = collateralOf(state, account);
  const positionInitial = positionInitialOf(state, account);
  const orderInitial = orderInitialOf(state, account);
  const reserved = reservedOf(state, account);
  const maintenance = maintenanceOf(state, account);
  const totals = {
    equity, collateral, positionInitial, orderInitial, reserved, used: positionInitial + orderInitial + reserved,
    initialLeft: collateral - (positionInitial + orderInitial), maintenance, maintenanceLeft: equity - maintenance,
  };
  // A sum may have come back into the range with terms that were not.
  return exactly(isSummed(state, account) ? totals : { ...totals, equity: NaN });
}

/**
 * What a position would realise at the mark. Funding is none of it: it is realised once it is due, though the core pays it when the
 * account is next touched, which any command of the wallet does.
 */
export function unrealizedOf(state: State, row: number): number {
  const { holdings } = state;
  return positionValue(state, holdings.instrument[row]!, holdings.position[row]!) - holdings.cost[row]!;
}

/** Those of an account that has this much and nothing else. */
export function totalsOfCash(cash: number): Totals {
  return {
    equity: cash, collateral: cash, positionInitial: 0, orderInitial: 0, reserved: 0, used: 0, initialLeft: cash, maintenance: 0,
    maintenanceLeft: cash,
  };
}

/** The numbers if all are exact, otherwise NaN for each. */
export function exactly<T extends Numbers>(numbers: T): T {
  return isExact(numbers) ? numbers : Object.fromEntries(Object.keys(numbers).map((name) => [name, NaN])) as T;
}

export function isExact(numbers: Numbers): boolean {
  return Object.values(numbers).every(isSafe);
}
